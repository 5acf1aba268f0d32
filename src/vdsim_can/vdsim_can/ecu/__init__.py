"""The other end of the bus: the car's ECUs, made of the same car file."""
