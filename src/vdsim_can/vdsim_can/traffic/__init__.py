"""Frames in both directions, the same for the interface and for the car: cycles and supervision."""
