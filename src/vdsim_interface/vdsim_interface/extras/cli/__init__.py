"""Command lines of the extras."""
