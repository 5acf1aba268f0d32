"""Command lines of driving by hand."""
