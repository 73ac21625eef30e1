"""Measures what the package costs: tools, turns, episodes, puzzles, threads and memory.

Times are CPU milliseconds of the process, medians of several runs in turn with their
spread; ratios of one run can be compared between machines, times cannot.
"""
