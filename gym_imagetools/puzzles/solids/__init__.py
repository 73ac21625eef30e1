"""Blocks and cubes in space: their drawing, and how they are read off a picture."""
