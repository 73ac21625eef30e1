"""Puzzles: families that draw a task with a proven answer from a seed, and solve it with tools."""
