"""What can be set about a plant server, and where it is read from."""
