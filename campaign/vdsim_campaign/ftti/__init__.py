"""Fault-tolerant time intervals: from a fault to the first safe command, in virtual time."""
