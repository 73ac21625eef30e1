"""Pictures: safe decoding, data URLs, recipes that load pixels, and the shared caches."""
