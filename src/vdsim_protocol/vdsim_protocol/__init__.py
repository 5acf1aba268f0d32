"""What travels between the vehicle interface and a plant or simulator, free of I/O."""
