"""Tyre models read from standard property files."""
