"""Who may drive from a page, and what a pad's message may hold; no socket, virtual time."""

from __future__ import annotations

from typing import Any

import pytest
from vdsim_plant.parameters.errors import ParameterError
from vdsim_plant_node.dataport.joy import AXES, BUTTONS, NOTHING_HELD, joy_sample
from vdsim_plant_node.dataport.seats import DRIVE_TIMEOUT_S, MOST_PAGES, Seats

FIRST, SECOND = object(), object()


def test_one_page_drives_a_vehicle_until_it_is_silent() -> None:
    seats = Seats()
    assert seats.drive(FIRST, 0, 0.0)
    assert not seats.drive(SECOND, 0, DRIVE_TIMEOUT_S)
    assert seats.drive(SECOND, 1, DRIVE_TIMEOUT_S), "another vehicle"
    assert seats.drive(FIRST, 0, DRIVE_TIMEOUT_S)
    assert seats.drive(SECOND, 0, 2.01 * DRIVE_TIMEOUT_S)
    assert not seats.drive(FIRST, 0, 2.1 * DRIVE_TIMEOUT_S)
    assert seats.is_driven_by(SECOND, 0)
    assert not seats.is_driven_by(FIRST, 0), "what it lets go of now is another's"


def test_a_page_that_leaves_makes_room_at_once() -> None:
    seats = Seats()
    pages = [object() for _ in range(MOST_PAGES)]
    assert all(seats.enter(page) for page in pages)
    assert not seats.enter(FIRST)
    assert seats.drive(pages[0], 0, 0.0)
    seats.leave(pages[0])
    assert seats.enter(FIRST)
    assert seats.drive(FIRST, 0, 0.0)


def sample(**changes: Any) -> dict[str, Any]:
    return {"axes": [0.0] * AXES, "buttons": [0] * BUTTONS, **changes}


def test_a_pad_is_six_axes_and_twenty_one_buttons() -> None:
    assert joy_sample(sample()) == NOTHING_HELD
    taken = joy_sample(sample(axes=[1, -1, 0.5, 0, 0, -0.25], buttons=[1] * BUTTONS))
    assert taken.axes == (1.0, -1.0, 0.5, 0.0, 0.0, -0.25)
    assert taken.buttons == (1,) * BUTTONS


@pytest.mark.parametrize(
    ("changes", "key"),
    [
        ({"axes": [0.0] * 5}, "axes"),
        ({"axes": [0.0] * 7}, "axes"),
        ({"axes": [0.0] * 5 + [1.01]}, "axes"),
        ({"axes": [0.0] * 5 + [float("nan")]}, "axes"),
        ({"axes": [0.0] * 5 + [True]}, "axes"),
        ({"axes": [0.0] * 5 + ["1"]}, "axes"),
        ({"axes": [0.0] * 5 + [10**400]}, "axes"),
        ({"axes": None}, "axes"),
        ({"axes": {}}, "axes"),
        ({"buttons": [0] * 20}, "buttons"),
        ({"buttons": [0] * 20 + [2]}, "buttons"),
        ({"buttons": [0] * 20 + [1.0]}, "buttons"),
        ({"buttons": [0] * 20 + [True]}, "buttons"),
        ({"buttons": "0" * 21}, "buttons"),
        ({"throttle": 1.0}, "throttle"),
    ],
)
def test_anything_else_is_refused(changes: dict[str, Any], key: str) -> None:
    with pytest.raises(ParameterError) as caught:
        joy_sample(sample(**changes))
    assert caught.value.key == key
