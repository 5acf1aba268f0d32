"""Tyre force laws beyond the vehicle core's own: the Magic Formula's peaks, PAC2002."""
