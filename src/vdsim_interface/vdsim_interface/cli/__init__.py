"""Command lines. Nothing imports this folder."""
