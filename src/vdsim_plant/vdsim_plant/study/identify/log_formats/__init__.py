"""How logs are read: by the names of their channels, from the formats that others write."""
