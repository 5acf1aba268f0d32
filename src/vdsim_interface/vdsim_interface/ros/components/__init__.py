"""Nodes of other packages in the interface's process: their names, what is made beside it."""
