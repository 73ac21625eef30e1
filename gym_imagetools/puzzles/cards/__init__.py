"""Cards and tables with marks on them, and the rules that fill them."""
