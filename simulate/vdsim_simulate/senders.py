"""Who else commands: a person with a remote, the dashboard's pad, a second stack, strangers."""

from __future__ import annotations

from collections.abc import Callable

from vdsim_interface.values import Command, HighLevelCommand, VehicleCommand

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
    return VehicleCommand(0.0, REMOTE_MPS2 + G_MPS2 * max(scene.grade, 0.0))


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
