"""`record` makes what the class makes; mypy checks the values (test/test_typed_records.py)."""

from vdsim_interface.values import VehicleCommand
from vdsim_interface.values.records import record


def test_a_record_is_what_its_class_makes() -> None:
    made = record(VehicleCommand, (1.0, 2.0, 3.0, 4.0))
    assert type(made) is VehicleCommand
    assert made == VehicleCommand(1.0, 2.0, 3.0, 4.0)
    assert made.rear_wheel_angle_rad == 4.0
