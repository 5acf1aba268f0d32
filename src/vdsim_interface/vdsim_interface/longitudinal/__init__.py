"""The acceleration loop: slope, starts, stops, slip."""
