"""The campaign's cells on virtual time: the same rows, values and checks, in the simulator."""
