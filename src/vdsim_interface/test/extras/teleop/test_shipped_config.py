"""config/teleop.yaml and config/command_mux.yaml load, and say what the code's defaults are."""

from pathlib import Path
from typing import Any

import yaml
from vdsim_interface.arbitration.parameters import (
    DEFAULT_LOCKS,
    DEFAULT_SOURCES,
    MuxParameters,
    named_part,
)
from vdsim_interface.extras.teleop.joystick import JoystickParameters
from vdsim_interface.parameters.flat import flatten, from_flat, to_flat
from vdsim_interface.teleop.parameters import GamepadTeleopParameters, KeyboardTeleopParameters

CONFIG = Path(__file__).resolve().parents[3] / "config"


def parameters_of(file: str, node: str) -> dict[str, Any]:
    text = (CONFIG / file).read_text(encoding="utf-8")
    assert "&" not in text, "ROS reads no YAML anchors"
    section: dict[str, Any] = yaml.safe_load(text)[node]["ros__parameters"]
    return section


def test_the_teleop_file_holds_every_parameter_with_its_default() -> None:
    for node, defaults in (
        ("gamepad_teleop", GamepadTeleopParameters()),
        ("keyboard_teleop", KeyboardTeleopParameters()),
        ("joy_device", JoystickParameters()),
    ):
        flat = flatten(parameters_of("teleop.yaml", f"/**/{node}"))
        assert flat == to_flat(defaults)
        assert from_flat(type(defaults), flat) == defaults


def test_the_mux_file_holds_every_parameter_with_its_default() -> None:
    section = parameters_of("command_mux.yaml", "/**")
    sources, locks = section.pop("sources"), section.pop("locks")
    assert sources == list(DEFAULT_SOURCES)
    assert locks == list(DEFAULT_LOCKS)
    for name in sources:
        assert named_part(DEFAULT_SOURCES[name], name, section.pop(name)) == DEFAULT_SOURCES[name]
    for name in locks:
        assert named_part(DEFAULT_LOCKS[name], name, section.pop(name)) == DEFAULT_LOCKS[name]
    assert flatten(section) == to_flat(MuxParameters())


def test_the_timeouts_of_mux_and_teleop_fit() -> None:
    """A teleop node that publishes at its rate never times out."""
    for parameters in (GamepadTeleopParameters(), KeyboardTeleopParameters()):
        period_s = 1.0 / parameters.driver.output_rate_hz
        assert DEFAULT_SOURCES[parameters.source].timeout_s >= 5.0 * period_s
