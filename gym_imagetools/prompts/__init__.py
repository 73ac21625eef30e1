"""Every sentence a model reads from the environments."""
