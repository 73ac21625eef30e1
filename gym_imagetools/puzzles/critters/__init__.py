"""Small creatures of many parts, and sheets of them."""
