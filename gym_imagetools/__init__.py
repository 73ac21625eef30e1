"""Gymnasium environments in which vision-language models answer questions with image tools."""

__version__ = "0.1.0"
