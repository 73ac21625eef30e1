"""Shapes of square cells that are cut into pieces."""
