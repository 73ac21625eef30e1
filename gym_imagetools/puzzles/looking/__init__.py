"""What an oracle does with the pictures it is shown: aim, compare, count, read."""
