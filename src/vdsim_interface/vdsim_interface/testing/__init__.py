"""What a vendor tests a platform of his own with."""
