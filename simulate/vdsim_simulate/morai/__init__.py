"""The platform `morai`: the emulator of the simulator in lockstep, and what Ego Ctrl Cmd says."""
