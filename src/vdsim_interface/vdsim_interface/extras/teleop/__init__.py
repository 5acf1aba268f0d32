"""Driving by hand in programs of their own: devices, keys, panels and the mapping wizard."""
