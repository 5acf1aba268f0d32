"""Fields of the interface <-> raw values of signals, by the rows of a car file."""
