"""Autoware's planning simulator: the vehicle interface and the simulated car in one process."""
