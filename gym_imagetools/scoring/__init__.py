"""Scorers and ledgers: pure functions from what a model did to what it earns."""
