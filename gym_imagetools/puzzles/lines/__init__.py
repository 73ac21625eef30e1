"""Lines and mazes: braids, nets, grids, and how a line is followed."""
