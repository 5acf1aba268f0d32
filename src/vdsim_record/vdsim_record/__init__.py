"""Recordings in MCAP that survive the end of any process, and replay through the interface."""
