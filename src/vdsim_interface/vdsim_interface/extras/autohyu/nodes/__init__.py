"""The node of the AutoHYU bridge."""
