"""Recordings whose processes are killed at random moments, and what their files then have."""
