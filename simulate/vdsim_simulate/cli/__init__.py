"""The command line of the simulator."""
