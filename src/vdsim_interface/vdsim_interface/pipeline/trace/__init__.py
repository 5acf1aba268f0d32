"""One command's way through the interface: the record, and what the vehicle applied of it."""
