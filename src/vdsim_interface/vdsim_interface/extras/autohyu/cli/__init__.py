"""Command lines about AutoHYU."""
