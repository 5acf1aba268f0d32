"""Platforms: one folder each. Discovery finds them; nothing lists them."""
