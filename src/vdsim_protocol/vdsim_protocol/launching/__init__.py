"""What launch files need and no node does."""
