"""`vdsim_gamepad`: look at joysticks, check mappings, make one for an unknown device, record."""

from __future__ import annotations

import argparse
import contextlib
import os
import select
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from vdsim_interface.teleop import device_io
from vdsim_interface.teleop.device_search import Wanted, protocol_of
from vdsim_interface.teleop.gamepad import Gamepad
from vdsim_interface.teleop.joystick import JoySample, Joystick, JoystickParameters
from vdsim_interface.teleop.linux_input import DeviceLayout
from vdsim_interface.teleop.mapping import GamepadMapping, MappingError, choose_mapping
from vdsim_interface.teleop.mapping_file import dump_mapping, load_mapping, wanted_mappings
from vdsim_interface.teleop.mapping_wizard import MappingWizard
from vdsim_interface.teleop.parameters import GamepadParameters
from vdsim_interface.teleop.recording import TimedSample, format_sample

_PERIOD_S = 0.05


class UserError(Exception):
    """Something the user can mend; one line."""


class OpenJoystick:
    """A joystick that is open for the time of a `with` block."""

    def __init__(self, wanted: str, protocol: str) -> None:
        search = Wanted(wanted)
        nodes = () if search.is_path else device_io.list_devices()
        path = search.choose(nodes)
        if path is None:
            raise UserError(search.missing(nodes))
        spoken = protocol_of(path, protocol)
        try:
            self._fd = device_io.open_device(path)
            layout = device_io.describe(self._fd, spoken, DeviceLayout(path))
        except OSError as error:
            raise UserError(device_io.why_not_open(path, error)) from error
        self.layout = layout
        self._stick = Joystick(spoken, layout, JoystickParameters(deadzone=0.0), time.monotonic())
        self._never, self._held = os.pipe()

    def __enter__(self) -> OpenJoystick:
        """Nothing more to open."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close it."""
        for fd in (self._fd, self._never, self._held):
            os.close(fd)

    def samples(self) -> Iterator[tuple[float, JoySample | None]]:
        """Time and the newest sample that is due, at least every 50 ms; ends when it is gone."""
        while True:
            now = time.monotonic()
            yield now, self._stick.poll(now)
            wait_s = min(_PERIOD_S, self._stick.next_deadline() - now)
            data = device_io.read_device(self._fd, wait_s, self._never)
            if data is None:
                return
            self._stick.on_bytes(data, time.monotonic())
            if self._stick.needs_resync:
                state = device_io.read_whole_state(self._fd, self._stick.layout)
                self._stick.resync(*state, time.monotonic())


def shipped_folder() -> Path:
    """The folder of the mappings that come with the package."""
    from ament_index_python.packages import get_package_share_directory

    return Path(get_package_share_directory("vdsim_interface")) / "config" / "gamepads"


def list_joysticks(_: argparse.Namespace) -> None:
    """Print every joystick and the mapping that would be used."""
    nodes = device_io.list_devices()
    if not nodes:
        print("no joystick here (looked at /dev/input/js* and /dev/input/event*)")
    mappings = wanted_mappings("auto", shipped_folder())
    for node in nodes:
        try:
            with OpenJoystick(node.path, "auto") as stick:
                axes, buttons = stick.layout.axis_codes, stick.layout.button_codes
            found = choose_mapping(mappings, node.name, len(axes), len(buttons))
            print(f"{node.path}  {node.name}: {found.name if found else 'no mapping fits'}")
        except UserError as error:
            print(f"{node.path}  {node.name}: {error}")


def check(options: argparse.Namespace) -> None:
    """Load mapping files and say what is wrong with them."""
    for path in options.files:
        mapping = load_mapping(Path(path))
        print(f"{path}: ok, {mapping.name}, {len(mapping.actions)} actions")


def show(options: argparse.Namespace) -> None:
    """Show live what the device says and what it means."""
    by_path = "/" in options.config
    folder = Path() if by_path else shipped_folder()  # a file needs no installed package
    mappings = wanted_mappings(options.config, folder)
    pad = Gamepad(mappings, GamepadParameters())
    with OpenJoystick(options.device, options.protocol) as stick:
        pad.on_device(stick.layout.name)
        for when, sample in stick.samples():
            if sample is None:
                continue
            events, notices = pad.on_joy(sample.axes, sample.buttons, when)
            for report in notices:
                print(report.text)
            axes = " ".join(f"{value:+.2f}" for value in sample.axes)
            buttons = "".join(map(str, sample.buttons))
            done = " ".join(event.action.value for event in events if event.pressed)
            print(f"axes {axes}  buttons {buttons}  {_meaning(pad)}  {done}".rstrip(), flush=True)


def _meaning(pad: Gamepad) -> str:
    intent = pad.intent()
    if not intent.active:
        return intent.why
    return f"steer {intent.steer:+.2f} throttle {intent.throttle:.2f} brake {intent.brake:.2f}"


def record(options: argparse.Namespace) -> None:
    """Write what the device says to a file, until it is unplugged or Ctrl-C."""
    with (
        OpenJoystick(options.device, options.protocol) as stick,
        Path(options.file).open("w", encoding="utf-8") as file,
    ):
        file.write(f"# {stick.layout.name}\n# time_s; axes; buttons\n")
        began = now = time.monotonic()
        last: JoySample | None = None
        try:
            for now, sample in stick.samples():
                if sample is not None and sample != last:
                    began = now if last is None else began
                    last = sample
                    file.write(format_sample(TimedSample(now - began, sample)) + "\n")
        finally:  # Ctrl-C too: the last line tells how long the last state lasted
            if last is not None:
                file.write(format_sample(TimedSample(now - began, last)) + "\n")
    print(f"{options.file}: written")


def make_map(options: argparse.Namespace) -> None:
    """Ask for one movement after the other and write the mapping."""
    target = Path(options.file)
    if target.exists() and not options.force:
        raise UserError(f"{target}: exists; --force overwrites it")
    with OpenJoystick(options.device, options.protocol) as stick:
        mapping = _converse(stick)
    target.write_text(dump_mapping(mapping), encoding="utf-8")
    print(f"{target}: written. Try it: vdsim_gamepad show --config {target}")


def _converse(stick: OpenJoystick) -> GamepadMapping:
    wizard, told = MappingWizard(stick.layout.name), ""
    latest: JoySample | None = None
    for now, sample in stick.samples():
        latest = sample or latest
        if latest is not None:
            wizard.on_sample(latest, now)
        for _ in range(_enters()):
            wizard.on_enter()
        if wizard.complaint:
            print(f"  {wizard.complaint}", flush=True)
        if wizard.done:
            return wizard.result()
        if wizard.prompt != told:
            told = wizard.prompt
            print(told, flush=True)
    raise UserError(f"{stick.layout.name} is gone")


def _enters() -> int:
    """How often Enter was pressed since the last look; does not wait."""
    terminal = sys.stdin.fileno()
    if not select.select([terminal], [], [], 0.0)[0]:
        return 0
    return os.read(terminal, 1024).count(b"\n")


def parser() -> argparse.ArgumentParser:
    """The command line."""
    top = argparse.ArgumentParser(prog="vdsim_gamepad", description=__doc__)
    commands = top.add_subparsers(required=True, metavar="COMMAND")
    device = argparse.ArgumentParser(add_help=False)
    device.add_argument(
        "--device", default="auto", help="a path, a part of the name, or auto for the first"
    )
    device.add_argument("--protocol", default="auto", choices=["auto", "js", "evdev"])

    def add(name: str, run: object, text: str, parents: list[argparse.ArgumentParser]) -> None:
        command = commands.add_parser(name, help=text, description=text, parents=parents)
        command.set_defaults(run=run)
        if name in ("map", "record"):
            command.add_argument("file", help="file to write")
        if name == "map":
            command.add_argument("--force", action="store_true", help="overwrite the file")
        if name == "show":
            command.add_argument(
                "--config", default="auto", help="a shipped mapping by name, a file, or auto"
            )
        if name == "check":
            command.add_argument("files", nargs="+", help="mapping files")

    add("list", list_joysticks, "which joysticks are here, and their mappings", [])
    add("show", show, "what the device says, live, and what it means", [device])
    add("map", make_map, "make a mapping for an unknown device", [device])
    add("record", record, "write what the device says to a file", [device])
    add("check", check, "load mapping files and say what is wrong", [])
    return top


def main(arguments: list[str] | None = None) -> int:
    """Console entry."""
    options = parser().parse_args(arguments)
    try:
        with contextlib.suppress(KeyboardInterrupt):
            options.run(options)
    except (UserError, MappingError, OSError) as error:
        print(f"vdsim_gamepad: {error}", file=sys.stderr)
        return 1
    return 0
