"""The fields of a car file are the interface's: names of members, units."""

from __future__ import annotations

import pytest
from vdsim_can.car import COMMAND_FIELDS, REPORT_FIELDS, SpeedTable
from vdsim_can.car.fields import BLINKERS, GEARS, HEADLIGHTS, WIPERS
from vdsim_interface.values import Blinker, BodyCommand, BodyState, Gear, Headlight, Wiper


@pytest.mark.parametrize(
    ("names", "kind"),
    [(GEARS, Gear), (BLINKERS, Blinker), (HEADLIGHTS, Headlight), (WIPERS, Wiper)],
)
def test_the_members_of_a_field_are_those_of_the_interface(
    names: tuple[str, ...], kind: type[Gear]
) -> None:
    assert set(names) == set(kind.__members__)


def test_every_part_of_the_body_can_be_carried_by_a_signal() -> None:
    assert set(BodyCommand.__dataclass_fields__) <= set(COMMAND_FIELDS)
    assert set(BodyState.__dataclass_fields__) - {"modelled"} <= set(REPORT_FIELDS)


@pytest.mark.parametrize(
    ("speed_mps", "expected"), [(0.0, 2.0), (5.0, 2.0), (10.0, 1.5), (15.0, 1.0), (99.0, 1.0)]
)
def test_a_table_by_speed_is_a_line_between_its_points(speed_mps: float, expected: float) -> None:
    table = SpeedTable((5.0, 15.0), (2.0, 1.0))
    assert table.at(speed_mps) == table.at(-speed_mps) == expected
