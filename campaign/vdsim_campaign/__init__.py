"""The fault campaign: faults as data, real processes, and checks of what must hold."""
