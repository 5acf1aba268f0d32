"""The journal: what was received, on the disk at once, until the MCAP file holds it."""
