"""Bridges to the hosts people train and evaluate in, one module a host.

Each is imported by itself, where its host is installed; the package never imports them.
"""
