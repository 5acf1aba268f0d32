"""The car file: what a car's signals mean, and the rules by which it lets itself be driven."""

from vdsim_can.car.car_file import Bus, CarFile
from vdsim_can.car.handshake import Comparison, Condition, HandshakeStep, Setting
from vdsim_can.car.limits import Agreement, AngleLimits, Limits, SpeedTable, TorqueLimits
from vdsim_can.car.reading import load_car, read_car
from vdsim_can.car.rows import (
    COMMAND_FIELDS,
    MEASURED,
    REPORT_FIELDS,
    Control,
    FaultRow,
    FieldRow,
    MessageRow,
    OutOfRange,
    OverrideRow,
    SignalName,
)

__all__ = [
    "COMMAND_FIELDS",
    "MEASURED",
    "REPORT_FIELDS",
    "Agreement",
    "AngleLimits",
    "Bus",
    "CarFile",
    "Comparison",
    "Condition",
    "Control",
    "FaultRow",
    "FieldRow",
    "HandshakeStep",
    "Limits",
    "MessageRow",
    "OutOfRange",
    "OverrideRow",
    "Setting",
    "SignalName",
    "SpeedTable",
    "TorqueLimits",
    "load_car",
    "read_car",
]
