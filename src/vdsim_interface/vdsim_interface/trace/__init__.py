"""One command's way through the interface: the record, its text form, and its explanation."""
