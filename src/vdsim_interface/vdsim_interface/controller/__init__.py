"""Velocity controller: speed and curvature in, acceleration and wheel angles out."""
