"""Gamepad files: all that are shipped load, every mistake is named."""

from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from vdsim_interface.teleop.mapping import (
    Action,
    GamepadMapping,
    MappingError,
    PedalAxis,
    Switch,
    choose_mapping,
)
from vdsim_interface.teleop.mapping_file import (
    dump_mapping,
    load_folder,
    load_mapping,
    parse_mapping,
)
from vdsim_interface_kit.teleop import GAMEPADS

FILES = sorted(GAMEPADS.glob("*.yaml"))
SHIPPED = load_folder(GAMEPADS)

GOOD: dict[str, Any] = {
    "match": ["pad"],
    "axes": 4,
    "buttons": 5,
    "steer": {"axis": 0},
    "throttle": {"axis": 1, "rest": 1.0, "pressed": -1.0},
    "brake": {"button": 2},
    "deadman": {"button": 4},
    "actions": {"horn": {"button": 0}},
}


@pytest.mark.parametrize("path", FILES, ids=[path.stem for path in FILES])
def test_a_shipped_file_drives_and_reaches_every_action(path: Path) -> None:
    mapping = load_mapping(path)
    assert mapping.deadman is not None
    assert set(mapping.actions) == set(Action)
    switches = [*mapping.actions.values(), mapping.deadman]
    assert len(set(switches)) == len(switches), "two actions on one switch"


@pytest.mark.parametrize("path", FILES, ids=[path.stem for path in FILES])
def test_a_mapping_survives_being_written_and_read(path: Path, tmp_path: Path) -> None:
    mapping = load_mapping(path)
    copy = tmp_path / "copy.yaml"
    copy.write_text(dump_mapping(mapping))
    assert load_mapping(copy) == mapping


@pytest.mark.parametrize(
    ("name", "axes", "buttons", "expected"),
    [
        ("Microsoft Xbox Series S|X Controller", 8, 11, "Xbox"),
        ("Microsoft X-Box One pad", 8, 11, "Xbox"),
        ("Logitech Gamepad F310", 8, 11, "Logitech F310 (X)"),
        ("Logitech Logitech Dual Action", 6, 12, "Logitech F310 (D)"),
        ("Sony Interactive Entertainment DualSense Wireless Controller", 8, 13, "PlayStation"),
        ("Wireless Controller", 8, 13, "PlayStation"),
        ("Xbox Wireless Controller", 8, 15, "Xbox (Bluetooth)"),
        ("Nintendo Switch Pro Controller", 6, 14, "Switch Pro"),
        ("Logitech G29 Driving Force Racing Wheel", 6, 25, "Logitech G29"),
        # No name known (the stock joy node sends none): the shape tells.
        ("", 8, 11, "Logitech F310 (X)"),
        ("", 8, 13, "PlayStation"),
        ("", 6, 25, "Logitech G29"),
        ("", 3, 7, None),
        # A name whose device is too small for its mapping does not count.
        ("Xbox lookalike", 2, 4, None),
    ],
)
def test_the_mapping_is_found_from_the_device(
    name: str, axes: int, buttons: int, expected: str | None
) -> None:
    found = choose_mapping(SHIPPED, name, axes, buttons)
    assert (found.name if found else None) == expected


def _with(path: str, value: object) -> dict[str, Any]:
    document = deepcopy(GOOD)
    *folders, last = path.split(".")
    place = document
    for folder in folders:
        place = place[folder]
    if value is None:
        del place[last]
    else:
        place[last] = value
    return document


def test_defaults_fill_in() -> None:
    mapping = parse_mapping(GOOD, default_name="pad")
    assert mapping.name == "pad"
    assert mapping.throttle == PedalAxis(1, 1.0, -1.0)
    assert mapping.brake == Switch(button=2)
    assert parse_mapping(_with("deadman", None), "pad").deadman is None


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("steer", None, "steer: missing"),
        ("steer.axis", None, "steer.axis: missing"),
        ("throttle.rest", None, "throttle.rest: missing"),
        ("stear", {}, "stear: unknown; allowed are name"),
        ("steer.axe", 3, "steer.axe: unknown; allowed are axis"),
        ("steer.axis", 4, "steer.axis=4: the device has axes 0 to 3"),
        ("steer.axis", 1.5, "steer.axis=1.5: must be a whole number"),
        ("steer.invert", 1, "steer.invert=1: must be true or false"),
        ("steer.expo", 1.5, "steer.expo=1.5: must be 0 to 1"),
        ("steer.dead_zone", float("nan"), "steer.dead_zone=nan: must be 0 to 0.9"),
        ("throttle.pressed", "far", "throttle.pressed=far: must be a number"),
        ("throttle.pressed", 0.95, "throttle.pressed=0.95: must differ from rest"),
        ("throttle.rest", 3, "throttle.rest=3.0: must be -1 to 1"),
        ("brake.button", 9, "brake.button=9: the device has buttons 0 to 4"),
        ("actions.horn.button", 9, "actions.horn.button=9: the device has buttons"),
        ("actions.horn.with", 9, "actions.horn.with=9: the device has buttons"),
        ("actions.horn", {}, "actions.horn: needs either a button or an axis"),
        ("actions.horn", {"axis": 3}, "actions.horn.beyond=0.0: must be 0.1 to 1"),
        ("actions.fly", {"button": 1}, "actions.fly: unknown; allowed are engage"),
        ("axes", 0, "axes=0: must be a whole number, 1 to 256"),
        ("buttons", True, "buttons=True: must be a whole number"),
        ("match", "pad", "match=pad: must be a list"),
        ("actions", [1], "actions: must be a table"),
        ("brake", 3, "brake: must be a table"),
    ],
)
def test_mistakes_are_named(path: str, value: object, message: str) -> None:
    with pytest.raises(MappingError) as caught:
        parse_mapping(_with(path, value), "pad")
    assert message in str(caught.value)


def test_errors_of_a_file_begin_with_its_path(tmp_path: Path) -> None:
    for name, text, message in (
        ("broken.yaml", "a: [", "not YAML"),
        ("empty.yaml", "", "the file: must be a table"),
        ("short.yaml", "axes: 3", "buttons: missing"),
    ):
        path = tmp_path / name
        path.write_text(text)
        with pytest.raises(MappingError) as caught:
            load_mapping(path)
        assert str(caught.value).startswith(f"{path}: ")
        assert message in str(caught.value)
        assert "\n" not in str(caught.value)
    with pytest.raises(MappingError, match=r"gone\.yaml: No such file"):
        load_mapping(tmp_path / "gone.yaml")


def test_a_longer_name_outranks_a_shorter_one() -> None:
    def named(*match: str) -> GamepadMapping:
        return parse_mapping({**GOOD, "match": list(match), "name": match[0]}, "pad")

    mappings = (named("pad"), named("super pad"), named("pad deluxe"))
    found = choose_mapping(mappings, "Super Pad 3", 4, 5)
    assert found is not None
    assert found.name == "super pad"
