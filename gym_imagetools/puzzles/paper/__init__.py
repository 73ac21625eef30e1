"""Folded and punched paper."""
