"""Tasks: puzzle families, how a seed becomes a puzzle, and where environments draw them from."""
