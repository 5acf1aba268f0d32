"""The loop over blocks for float32, from the same functions as that for float64."""
