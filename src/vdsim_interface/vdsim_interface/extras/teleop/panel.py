"""The keyboard's panel as lines of text: motion, source in control, last refusal."""

from __future__ import annotations

import math
from dataclasses import dataclass

from vdsim_interface.arbitration.motion import MeasuredMotion
from vdsim_interface.teleop.driver import Phase
from vdsim_interface.values import Command, ControlLevel, HighLevelCommand, VehicleCommand

HELP = (
    "w/s faster/slower   a/d left/right   c centre   SPACE stop   q quit (stops the car)",
    "BACKSPACE emergency stop   g give control back to autonomy",
    "e engage  x disengage   gear: f D  r R  p P  n N  l L   k hand brake   m level",
    ", . blinkers  h hazard  t headlights  y wipers  b horn",
)


@dataclass(frozen=True)
class PanelData:
    """Everything the panel shows."""

    motion: MeasuredMotion
    phase: Phase
    why: str
    level: ControlLevel
    command: Command | None
    link: str
    in_control: str
    last_refusal: str
    attention_left_s: float | None


def panel_lines(data: PanelData, width: int) -> tuple[str, ...]:
    """Return the panel's lines, each cut to the terminal's width."""
    motion, state = data.motion, data.motion.state
    speed = "speed    --.-- m/s"
    steer = "steer   ---.- deg"
    if motion.velocity_mps is not None:
        speed = (
            f"speed {motion.velocity_mps:+7.2f} m/s ({abs(motion.velocity_mps) * 3.6:5.1f} km/h)"
        )
    if motion.wheel_angle_rad is not None:
        steer = f"steer {math.degrees(motion.wheel_angle_rad):+7.1f} deg"
    gear = state.gear.name if state else "--"
    mode = state.mode.name if state else "--"
    brake = "on" if state and state.hand_brake else "off"
    lines = (
        "vdsim keyboard",
        "",
        f"{speed}   {steer}",
        f"gear  {gear:<8} mode  {mode:<11} hand brake {brake}",
        f"state {_state_text(data)}",
        f"command {_command_text(data)}",
        f"link  {data.link or '--'}",
        f"in control: {data.in_control or '--'}",
        f"last refusal: {data.last_refusal or 'none'}",
        "",
        *HELP,
    )
    return tuple(line[: max(0, width)] for line in lines)


def _state_text(data: PanelData) -> str:
    if data.phase is Phase.DRIVING:
        left_s = data.attention_left_s
        deadman = "" if left_s is None else f"; dead-man: press any key within {left_s:.1f} s"
        return f"driving{deadman}"
    return f"{data.phase.value}: {data.why}"


def _command_text(data: PanelData) -> str:
    command = data.command
    if command is None:
        return f"none ({data.level.value})"
    if isinstance(command, HighLevelCommand):
        return f"{command.velocity_mps:+.2f} m/s, curvature {command.curvature_1pm:+.4f} 1/m"
    if isinstance(command, VehicleCommand):
        angle = math.degrees(command.front_wheel_angle_rad)
        return f"{command.long_accel_mps2:+.2f} m/s2, wheel angle {angle:+.1f} deg"
    return f"throttle {command.throttle}, brake {command.brake}, steer {command.front_steer}"
