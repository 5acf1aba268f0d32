"""Who else commands: a person with a remote, the dashboard's pad, a second stack, strangers."""

from __future__ import annotations

import math
from collections.abc import Callable

from vdsim_interface.teleop.mapping import Action
from vdsim_interface.values import Command, HighLevelCommand, RawCommand, VehicleCommand

from vdsim_protocol import vds1
from vdsim_simulate.agenda import Agenda
from vdsim_simulate.scene import Scene
from vdsim_simulate.wiring.shipped import dashboard_mapping

PERIOD_S = 0.02
JOY_PERIOD_S = 0.05
REMOTE_MPS, REMOTE_MPS2 = 3.0, 0.8
OFTEN_S = 0.005
G_MPS2 = 9.81
DEAD_MAN, STOPS, PULLS = 9, 1, -0.4
"""Buttons of the pad (config/gamepads/game_controller.yaml), and how far its trigger is pulled."""
COUNTS = 1000.0
"""Of a full pedal, and of a radian of the wheels: the shipped raw_*_full, raw_steer_per_rad."""
FULL_DRIVE_MPS2, FULL_BRAKE_MPS2 = 4.0, 9.0
"""What a stack of pedals takes a full pedal for, whatever the car is."""
_LEAST_COUNT, _MOST_COUNT, _MOST_UNSIGNED = -(2**31), 2**31 - 1, 2**32 - 1


def nonsense_of(command: Command, number: float) -> Command:
    """Return a command of which every number but the time is `number`: nan, or huge.

    An integer has no nan: what a cast makes of it is 0 without a sign, and the least one with it.
    """
    if not isinstance(command, RawCommand):
        return type(command)._make([command.stamp_s, *(number for _ in command[1:])])
    if math.isnan(number):
        return RawCommand(command.stamp_s, 0, 0, _LEAST_COUNT, _LEAST_COUNT)
    return RawCommand(command.stamp_s, _MOST_UNSIGNED, _MOST_UNSIGNED, _MOST_COUNT, _MOST_COUNT)


def pedals_of(accel_mps2: float) -> tuple[int, int]:
    """Return throttle and brake [counts] for an acceleration on a flat road."""
    share = max(accel_mps2 / FULL_DRIVE_MPS2, -accel_mps2 / FULL_BRAKE_MPS2)
    counts = round(COUNTS * min(share, 1.0))
    return (counts, 0) if accel_mps2 > 0.0 else (0, counts)


def repeat(agenda: Agenda, period_s: float, for_s: float, act: Callable[[], None]) -> None:
    """Let somebody act with a period, for a while."""
    ends_s = agenda.now + for_s

    def again() -> None:
        if agenda.now < ends_s:
            act()
            agenda.after(period_s, again)

    again()


def remote_command(scene: Scene) -> Command:
    """What a person at a remote asks for: a slow, straight drive, uphill with more pedal."""
    if scene.level == "high_level":
        return HighLevelCommand(0.0, REMOTE_MPS)
    accel_mps2 = REMOTE_MPS2 + G_MPS2 * max(scene.grade, 0.0)
    if scene.is_raw:
        return RawCommand(0.0, *pedals_of(accel_mps2))
    return VehicleCommand(0.0, accel_mps2)


def joy(
    *, drives: bool, stops: bool, pulls: bool | None = None
) -> tuple[tuple[float, ...], tuple[int, ...]]:
    """The dashboard's pad: axes and buttons; `drives`: its dead-man button is held."""
    mapping = dashboard_mapping()
    axes, buttons = [0.0] * mapping.axes, [0] * mapping.buttons
    buttons[DEAD_MAN] = int(drives)
    buttons[STOPS] = int(stops)
    axes[5] = PULLS if (drives if pulls is None else pulls) else 0.0
    return tuple(axes), tuple(buttons)


def joy_button(action: Action) -> tuple[tuple[float, ...], tuple[int, ...]]:
    """The dashboard's pad with an action's button pressed, and its dead-man button released."""
    axes, buttons = joy(drives=False, stops=False)
    switch = dashboard_mapping().actions[action]
    pressed = (switch.button, switch.with_button)
    return axes, tuple(int(number in pressed) for number in range(len(buttons)))


class Stranger:
    """Somebody on the network who sends what could drive the car, or lie about it."""

    def __init__(self, version: int) -> None:
        self._version, self._seq = version, 0

    def command(self, time_s: float) -> bytes:
        """A CMD with full throttle."""
        self._seq += 1
        body = vds1.Command(
            steering_tire_angle_rad=0.3, throttle=1.0, brake=0.0, gear=1, handbrake=False
        )
        return vds1.encode_command(
            body, seq=self._seq, timestamp_s=time_s, version=min(self._version, 5)
        )
