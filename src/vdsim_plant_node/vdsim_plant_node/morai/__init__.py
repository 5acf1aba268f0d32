"""The MORAI emulator: the simulator's side of every message, over our plant."""
