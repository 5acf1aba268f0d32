"""The nodes of driving by hand."""
