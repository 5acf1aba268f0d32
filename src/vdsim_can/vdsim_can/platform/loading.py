"""The car file that the parameters name."""

from __future__ import annotations

from vdsim_interface.parameters.fields import ParameterError
from vdsim_protocol.checked_file import FileError

from vdsim_can.car import CarFile
from vdsim_can.car.reading import load_car
from vdsim_can.data import EXAMPLES, car_path


def car_named(name: str) -> CarFile:
    """Read the car file; raises ParameterError with its first problem."""
    try:
        return load_car(car_path(name))
    except FileError as error:
        shipped = ", ".join(EXAMPLES)
        rule = f"must be a car file without a problem, or one of {shipped}: {error}"
        raise ParameterError("can.car", name, rule) from error
