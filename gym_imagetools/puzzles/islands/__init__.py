"""Islands in the sea: where their lobes lie, and which of them are joined."""
