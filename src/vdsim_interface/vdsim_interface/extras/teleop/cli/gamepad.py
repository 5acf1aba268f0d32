"""`vdsim_gamepad`: list and show joysticks, check mappings, make a mapping, record a drive."""

from __future__ import annotations

import argparse
import contextlib
import os
import select
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from vdsim_protocol.cli.closed_pipe import ends_with_its_reader

from vdsim_interface.extras.teleop import device_io
from vdsim_interface.extras.teleop.device_search import DeviceQuery, protocol_of
from vdsim_interface.extras.teleop.joystick import (
    JoySample,
    Joystick,
    JoystickParameters,
    TimedSample,
    format_sample,
)
from vdsim_interface.extras.teleop.linux_input import DeviceLayout
from vdsim_interface.extras.teleop.mapping_wizard import MappingWizard
from vdsim_interface.teleop.gamepad import Gamepad
from vdsim_interface.teleop.mapping import GamepadMapping, MappingError, choose_mapping
from vdsim_interface.teleop.mapping_file import candidate_mappings, dump_mapping, load_mapping
from vdsim_interface.teleop.parameters import GamepadParameters

_PERIOD_S = 0.05


class UserError(Exception):
    """An error that the user can correct; one line."""


class OpenJoystick:
    """A joystick that is open during a `with` block."""

    def __init__(self, device: str, protocol: str) -> None:
        query = DeviceQuery(device)
        nodes = () if query.is_path else device_io.list_devices()
        path = query.choose(nodes)
        if path is None:
            raise UserError(f"{query.missing(nodes)}; plug one in and run this again")
        event_format = protocol_of(path, protocol)
        try:
            self._fd = device_io.open_device(path)
            layout = device_io.describe(self._fd, event_format, DeviceLayout(path))
        except OSError as error:
            raise UserError(device_io.why_not_open(path, error)) from error
        self.layout = layout
        # Each change is a sample of its own: a quick movement must not vanish in one message.
        parameters = JoystickParameters(deadzone=0.0, coalesce_interval_s=0.0)
        self._stick = Joystick(event_format, layout, parameters, time.monotonic())
        self._never_readable, self._write_end = os.pipe()

    def __enter__(self) -> OpenJoystick:
        """Return the joystick, which is already open."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close it."""
        for fd in (self._fd, self._never_readable, self._write_end):
            os.close(fd)

    def samples(self) -> Iterator[tuple[float, JoySample | None]]:
        """Yield time and the sample that is due, at least every 50 ms; ends with a disconnect."""
        while True:
            now = time.monotonic()
            yield now, self._stick.poll(now)
            wait_s = min(_PERIOD_S, self._stick.next_deadline() - now)
            data = device_io.read_device(self._fd, wait_s, self._never_readable)
            now = time.monotonic()
            if data is None:
                yield now, self._stick.take_pending(now)
                return
            self._stick.on_bytes(data, now)
            if self._stick.needs_resync:
                state = device_io.read_whole_state(self._fd, self._stick.layout)
                self._stick.resync(*state, time.monotonic())


def shipped_folder() -> Path:
    """Return the folder of the shipped mappings."""
    from ament_index_python.packages import get_package_share_directory

    return Path(get_package_share_directory("vdsim_interface")) / "config" / "gamepads"


def list_joysticks(_: argparse.Namespace) -> None:
    """Print every joystick and the mapping that would be used."""
    nodes = device_io.list_devices()
    if not nodes:
        print(DeviceQuery("auto").missing(nodes))
    mappings = candidate_mappings("auto", shipped_folder())
    for node in nodes:
        try:
            with OpenJoystick(node.path, "auto") as stick:
                axes, buttons = stick.layout.axis_codes, stick.layout.button_codes
            mapping = choose_mapping(mappings, node.name, len(axes), len(buttons))
            print(f"{node.path}  {node.name}: {mapping.name if mapping else 'no mapping fits'}")
        except UserError as error:
            print(f"{node.path}  {node.name}: {error}")


def check(options: argparse.Namespace) -> None:
    """Load mapping files and print their errors."""
    for path in options.files:
        mapping = load_mapping(Path(path))
        print(f"{path}: ok, {mapping.name}, {len(mapping.actions)} actions")


def show(options: argparse.Namespace) -> None:
    """Print the device's samples and their meaning, live."""
    by_path = "/" in options.config
    folder = Path() if by_path else shipped_folder()  # a file needs no installed package
    mappings = candidate_mappings(options.config, folder)
    pad = Gamepad(mappings, GamepadParameters())
    with OpenJoystick(options.device, options.protocol) as stick:
        pad.on_device(stick.layout.name)
        for when, sample in stick.samples():
            if sample is None:
                continue
            events, notices = pad.on_joy(sample.axes, sample.buttons, when)
            for notice in notices:
                print(notice.text)
            axes = " ".join(f"{value:+.2f}" for value in sample.axes)
            buttons = "".join(map(str, sample.buttons))
            actions = " ".join(event.action.value for event in events if event.pressed)
            print(
                f"axes {axes}  buttons {buttons}  {_meaning(pad)}  {actions}".rstrip(), flush=True
            )


def _meaning(pad: Gamepad) -> str:
    intent = pad.intent()
    if not intent.active:
        return intent.why
    return f"steer {intent.steer:+.2f} throttle {intent.throttle:.2f} brake {intent.brake:.2f}"


def record(options: argparse.Namespace) -> None:
    """Write the device's samples to a file, until it is disconnected or Ctrl-C."""
    with (
        OpenJoystick(options.device, options.protocol) as stick,
        Path(options.file).open("w", encoding="utf-8", buffering=1) as file,
    ):
        file.write(f"# {stick.layout.name}\n# time_s; axes; buttons\n")
        start = now = time.monotonic()
        last: JoySample | None = None
        try:
            for now, sample in stick.samples():
                if sample is not None and sample != last:
                    start = now if last is None else start
                    last = sample
                    file.write(format_sample(TimedSample(now - start, sample)) + "\n")
        finally:  # Ctrl-C too: the last line marks the end of the last state
            if last is not None:
                file.write(format_sample(TimedSample(now - start, last)) + "\n")
    print(f"{options.file}: written")


def make_map(options: argparse.Namespace) -> None:
    """Request one movement after the other and write the mapping."""
    target = Path(options.file)
    if target.exists() and not options.force:
        raise UserError(f"{target}: exists; --force overwrites it")
    with OpenJoystick(options.device, options.protocol) as stick:
        mapping = _run_wizard(stick)
    target.write_text(dump_mapping(mapping), encoding="utf-8")
    print(f"{target}: written. Try it: vdsim_gamepad show --config {target}")


def _run_wizard(stick: OpenJoystick) -> GamepadMapping:
    wizard, printed = MappingWizard(stick.layout.name), ""
    latest: JoySample | None = None
    for now, sample in stick.samples():
        latest = sample or latest
        if latest is not None:
            wizard.on_sample(latest, now)
        for _ in range(_enters()):
            wizard.on_enter()
        if wizard.problem:
            print(f"  {wizard.problem}", flush=True)
        if wizard.done:
            return wizard.result()
        if wizard.prompt != printed:
            printed = wizard.prompt
            print(printed, flush=True)
    raise UserError(f"{stick.layout.name} was disconnected")


def _enters() -> int:
    """Return how often Enter was pressed since the last call; does not wait."""
    terminal = sys.stdin.fileno()
    if not select.select([terminal], [], [], 0.0)[0]:
        return 0
    return os.read(terminal, 1024).count(b"\n")


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    top = argparse.ArgumentParser(prog="vdsim_gamepad", description=__doc__)
    commands = top.add_subparsers(required=True, metavar="COMMAND")
    device = argparse.ArgumentParser(add_help=False)
    device.add_argument(
        "--device", default="auto", help="a path, a part of the name, or auto: the first one"
    )
    device.add_argument("--protocol", default="auto", choices=["auto", "js", "evdev"])

    def add(
        name: str,
        run: Callable[[argparse.Namespace], None],
        text: str,
        parents: list[argparse.ArgumentParser],
    ) -> None:
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

    add("list", list_joysticks, "list the connected joysticks and their mappings", [])
    add("show", show, "print the device's samples and their meaning, live", [device])
    add("map", make_map, "make a mapping for an unknown device", [device])
    add("record", record, "record the device's samples to a file", [device])
    add("check", check, "load mapping files and print their errors", [])
    return top


@ends_with_its_reader
def main(arguments: list[str] | None = None) -> int:
    """Console entry."""
    options = parser().parse_args(arguments)
    try:
        with contextlib.suppress(KeyboardInterrupt):
            options.run(options)
    except BrokenPipeError:
        raise
    except (UserError, MappingError, OSError) as error:
        print(f"vdsim_gamepad: {error}", file=sys.stderr)
        return 1
    return 0
