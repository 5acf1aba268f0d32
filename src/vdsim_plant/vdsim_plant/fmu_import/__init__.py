"""Cars that come as FMUs of other tools: loaded by ctypes, stepped as a Vehicle.

CAR.fmu -> opened_fmu (description, unpacked library) -> library_process (one of its own, which a
library may end) -> binding (FMI 2.0 or 3.0)
names.yaml -> names (which of its variables is which of ours) -> foreign_vehicle
"""
