"""What a page's keys or a browser's pad are as sensor_msgs/Joy. Pure.

Axes and buttons are in the order of ROS 2's `game_controller_node`, whatever the device: axes left
x, left y, right x, right y (+1 is left and up), left trigger, right trigger (0 released, -1
pressed); buttons A, B, X, Y, back, guide, start, left stick, right stick, left shoulder, right
shoulder, up, down, left, right, misc, four paddles, touch pad.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from vdsim_plant.parameters.errors import wrong_value

from vdsim_plant_node.dataport.schema import refuse_unknown

AXES, BUTTONS = 6, 21
STOP = 1
"""The button of the emergency stop, B, in the mapping that an interface uses for this order."""


@dataclass(frozen=True)
class JoySample:
    """The state of a pad: axes -1 to 1, buttons 0 or 1."""

    axes: tuple[float, ...]
    buttons: tuple[int, ...]


NOTHING_HELD = JoySample((0.0,) * AXES, (0,) * BUTTONS)
STOP_HELD = JoySample((0.0,) * AXES, tuple(int(n == STOP) for n in range(BUTTONS)))


class JoyOutput(Protocol):
    """Where samples go; of one plant."""

    def is_subscribed(self, vehicle_id: int) -> bool:
        """Whether a vehicle interface takes them."""

    def publish(self, vehicle_id: int, sample: JoySample) -> None:
        """Publish one."""


def joy_sample(document: Mapping[str, Any]) -> JoySample:
    """Check the content of a message; a ParameterError names what is wrong."""
    refuse_unknown(document, ("axes", "buttons"))
    axes, buttons = document.get("axes"), document.get("buttons")
    if not (isinstance(axes, list) and len(axes) == AXES and all(map(_is_axis, axes))):
        raise wrong_value("axes", axes, f"{AXES} numbers within -1..1")
    if not (
        isinstance(buttons, list) and len(buttons) == BUTTONS and all(map(_is_button, buttons))
    ):
        raise wrong_value("buttons", buttons, f"{BUTTONS} times 0 or 1")
    return JoySample(tuple(map(float, axes)), tuple(buttons))


def asks_to_stop(text: str) -> bool:
    """Whether a message of a page holds the stop button; nothing else in it is judged.

    Any JSON whose list of buttons is long enough counts, with numbers that JSON does not have, too.
    """
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        return False
    buttons = document.get("buttons") if isinstance(document, dict) else None
    if not isinstance(buttons, list) or len(buttons) <= STOP:
        return False
    held = buttons[STOP]
    return isinstance(held, (int, float)) and bool(held)


def _is_axis(value: object) -> bool:
    numeric = isinstance(value, (int, float)) and not isinstance(value, bool)
    return numeric and -1.0 <= value <= 1.0  # type: ignore[operator]


def _is_button(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value in (0, 1)
