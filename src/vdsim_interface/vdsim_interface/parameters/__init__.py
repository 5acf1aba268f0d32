"""Checked parameters of the interface's components."""
