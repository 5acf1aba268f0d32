"""Platform `can`: any car that a car file describes, on its CAN buses."""
