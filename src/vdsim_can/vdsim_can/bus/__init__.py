"""Buses: python-can behind the calls of a socket; recordings of what was on them."""
