"""Tasks: where environments draw them from, and how their seeds and levels are chosen."""
