"""vdsim_chaos: a UDP relay that injects faults into the link between two processes.

The plan is a YAML (or JSON) file. Saving it again changes the faults of the running relay, as
does a JSON datagram to the control port. With --route instead of a plan the link starts perfect.
"""

from __future__ import annotations

import argparse
import json
import selectors
import signal
import socket
import sys
import time
from collections.abc import Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vdsim_protocol.checked_file import FileError, parse_json, parse_yaml, read_text
from vdsim_protocol.cli.log_lines import LogLines
from vdsim_protocol.faults import BACK, TO, Address, RelayControl, parse_address, plan_from_mapping
from vdsim_protocol.faults.relay import RelayPlan, Route, check_ports
from vdsim_protocol.launch_watch import end_with_launch

MAX_DATAGRAM_SIZE = 65535
POLL_S = 0.2
"""How soon a signal or a saved plan takes effect."""
JSON_SUFFIX = ".json"
LARGEST_PLAN_BYTES = 1 << 20
EXAMPLE_PLAN = """\
seed: 1                           # the same seed gives the same faults
routes:
  - name: cmd                     # control to plant
    listen: 127.0.0.1:17001       # the control stack sends here
    target: 127.0.0.1:7001        # the plant listens here
    to:
      loss: 0.02                  # independent for each packet
      burst: {enter: 0.005, leave: 0.2}   # Gilbert-Elliott: 5 packets at a time
      delay_s: 0.010
      jitter_s: 0.005
      reorder: 0.01
      duplicate: 0.01
  - name: state                   # plant to control
    listen: 127.0.0.1:17002
    target: 127.0.0.1:7002
    to:
      bit_flip: 0.001
      truncate: 0.001
      clock_skew_ppm: 50
      blackouts:
        - {start_s: 5.0, duration_s: 0.3, every_s: 10.0}
"""


def load_plan(path: Path) -> RelayPlan:
    """Read a plan. Raises ValueError with one clear line when it cannot be used."""
    text = _text_of(path)
    if path.suffix == JSON_SUFFIX:
        content = parse_json(text, source=str(path))
    else:
        content = _parse_yaml(text, path)
    try:
        return plan_from_mapping(content)
    except ValueError as error:
        raise FileError(str(path), "", str(error)) from None


def _text_of(path: Path) -> str:
    """The text of a plan, which is short."""
    return read_text(path, largest_bytes=LARGEST_PLAN_BYTES)


def _parse_yaml(text: str, path: Path) -> Any:
    try:
        return parse_yaml(text, source=str(path))
    except ImportError:
        raise ValueError(
            f"{path}: reading YAML needs PyYAML (pip install pyyaml); a {JSON_SUFFIX} file does not"
        ) from None


@dataclass
class _Line:
    """The two sockets of one route: one for the senders, one for the target."""

    route: Route
    front: socket.socket
    rear: socket.socket
    last_sender: Address | None = None


@dataclass(frozen=True)
class Passage:
    """A datagram that entered the relay, before any fault."""

    route: Route
    way: str
    datagram: bytes
    sender: Address


class ChaosRelay:
    """The sockets of a `RelayControl`."""

    def __init__(self, plan: RelayPlan, control: Address | None, now: float) -> None:
        check_ports(plan, control)
        self.control = RelayControl(plan, now)
        self._selector = selectors.DefaultSelector()
        self._sockets: list[socket.socket] = []
        self._lines: dict[str, _Line] = {}
        self._control_socket: socket.socket | None = None
        try:
            for route in plan.routes:
                line = _Line(route, self._open(route.listen), self._open((route.listen[0], 0)))
                self._selector.register(line.front, selectors.EVENT_READ, (line, TO))
                self._selector.register(line.rear, selectors.EVENT_READ, (line, BACK))
                self._lines[route.name] = line
            if control is not None:
                self._control_socket = self._open(control)
                self._selector.register(self._control_socket, selectors.EVENT_READ, None)
        except ValueError:
            self.close()
            raise

    def _open(self, address: Address) -> socket.socket:
        sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._sockets.append(sock)
        sock.setblocking(False)
        try:
            sock.bind(address)
        except OSError as error:
            text = f"{address[0]}:{address[1]}: cannot listen: {error.strerror}"
            raise ValueError(text) from None
        return sock

    def addresses(self) -> dict[str, Address]:
        """The address of each route, with the port that the kernel chose."""
        return {name: line.front.getsockname() for name, line in self._lines.items()}

    def control_address(self) -> Address | None:
        """The address of the control port."""
        return None if self._control_socket is None else self._control_socket.getsockname()

    def step(self, timeout_s: float) -> list[Passage]:
        """Wait for traffic or the next arrival, at most `timeout_s`, and forward what is due.

        Returns the datagrams that arrived meanwhile.
        """
        deadline = self.control.next_deadline()
        if deadline is not None:
            timeout_s = min(timeout_s, max(0.0, deadline - time.monotonic()))
        received = [
            self._receive(key.fileobj, key.data) for key, _ in self._selector.select(timeout_s)
        ]
        for route, way, datagram in self.control.due(time.monotonic()):
            self._pass_on(self._lines[route], way, datagram)
        return [passage for passage in received if passage is not None]

    def close(self) -> None:
        """Close every socket."""
        for sock in self._sockets:
            sock.close()
        self._selector.close()

    def _receive(self, sock: Any, place: tuple[_Line, str] | None) -> Passage | None:
        try:
            datagram, sender = sock.recvfrom(MAX_DATAGRAM_SIZE)
        except OSError:  # the peer's port is closed, which its sender detects
            return None
        now = time.monotonic()
        if place is None:
            _send(sock, self.control.answer(datagram, now), sender)
            return None
        line, way = place
        if way == TO:
            line.last_sender = sender
        self.control.send(line.route.name, way, datagram, now)
        return Passage(line.route, way, datagram, sender)

    def _pass_on(self, line: _Line, way: str, datagram: bytes) -> None:
        sock, address = (
            (line.rear, line.route.target) if way == TO else (line.front, line.last_sender)
        )
        if address is not None:
            _send(sock, datagram, address)


def _send(sock: Any, datagram: bytes, address: Address) -> None:
    """A refused packet counts as lost: nobody listens there, or the sender has no port."""
    with suppress(OSError):
        sock.sendto(datagram, address)


class PlanFile:
    """A plan file that is read again when it has changed."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._seen = self._stamp()
        self.plan = load_plan(path)

    def changed(self) -> bool:
        """Whether the file was written since the last call."""
        stamp = self._stamp()
        if stamp is None or stamp == self._seen:
            return False
        self._seen = stamp
        return True

    def reload(self, relay: ChaosRelay, now: float) -> str:
        """Apply the new faults to the relay; returns a line for the user."""
        try:
            relay.control.apply(load_plan(self._path), now)
        except ValueError as error:
            return f"kept the old faults: {error}"
        return f"{self._path}: new faults"

    def _stamp(self) -> tuple[int, int] | None:
        try:
            status = self._path.stat()
        except OSError:
            return None
        return status.st_mtime_ns, status.st_size


def _arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="vdsim_chaos", description=__doc__)
    parser.add_argument("plan", nargs="?", type=Path, help="YAML or JSON: routes and faults")
    parser.add_argument(
        "--route",
        dest="routes",
        nargs=3,
        action="append",
        default=[],
        metavar=("NAME", "LISTEN", "TARGET"),
        help="without a plan: a route from HOST:PORT to HOST:PORT; may be given again",
    )
    parser.add_argument("--example", action="store_true", help="print a plan to start from")
    parser.add_argument("--control", metavar="HOST:PORT", help="listen for JSON requests here")
    parser.add_argument("--duration", type=float, metavar="S", help="stop after S seconds")
    return parser.parse_args(argv)


class StopOnSignal:
    """While entered, Ctrl-C and SIGTERM only set its flag, so that no step is interrupted.

    With `for_good` they stay without effect up to the end of the process: Ctrl-C in the terminal of
    a launch comes twice, from the terminal and from the launch.
    """

    SIGNALS = (signal.SIGINT, signal.SIGTERM)

    def __init__(self, *, for_good: bool = False) -> None:
        self.requested = False
        self._for_good = for_good
        self._previous: list[Any] = []

    def __enter__(self) -> StopOnSignal:
        self._previous = [signal.signal(number, self._request) for number in self.SIGNALS]
        return self

    def __exit__(self, *error: object) -> None:
        for number, handler in zip(self.SIGNALS, self._previous, strict=True):
            # Python's shutdown sets the handlers of its own code back; an ignored signal stays so.
            signal.signal(number, signal.SIG_IGN if self._for_good else handler)

    def _request(self, number: int, frame: object) -> None:
        self.requested = True


def _plan(arguments: argparse.Namespace) -> tuple[RelayPlan, PlanFile | None]:
    """The plan, and the file to watch for changes."""
    if (arguments.plan is None) == (not arguments.routes):
        raise ValueError("plan: must be given, or else --route")
    if arguments.plan is not None:
        plan_file = PlanFile(arguments.plan)
        return plan_file.plan, plan_file
    keys = ("name", "listen", "target")
    routes = [dict(zip(keys, route, strict=True)) for route in arguments.routes]
    return plan_from_mapping({"routes": routes}), None


def _announce(relay: ChaosRelay, log: LogLines) -> None:
    for name, (host, port) in relay.addresses().items():
        log(f"{name}: listening on {host}:{port}")
    address = relay.control_address()
    if address is not None:
        log(f"control: listening on {address[0]}:{address[1]}")


def _run(
    relay: ChaosRelay,
    plan_file: PlanFile | None,
    duration_s: float | None,
    stop: StopOnSignal,
    log: LogLines,
) -> None:
    started = time.monotonic()
    while not stop.requested and (duration_s is None or time.monotonic() - started < duration_s):
        relay.step(POLL_S)
        if plan_file is not None and plan_file.changed():
            log(plan_file.reload(relay, time.monotonic()))


def main(argv: Sequence[str] | None = None) -> int:
    """Run the relay until it is interrupted; print what it did."""
    arguments = _arguments(argv)
    if arguments.example:
        print(EXAMPLE_PLAN, end="")
        return 0
    try:
        plan, plan_file = _plan(arguments)
        control = parse_address(arguments.control, "--control") if arguments.control else None
        relay = ChaosRelay(plan, control, time.monotonic())
    except ValueError as error:
        print(f"vdsim_chaos: {error}", file=sys.stderr)
        return 2
    # Without arguments of a caller this is the process itself, which ends then.
    with closing(LogLines()) as log:
        with closing(relay), StopOnSignal(for_good=argv is None) as stop:
            if argv is None:
                end_with_launch()
            _announce(relay, log)
            _run(relay, plan_file, arguments.duration, stop, log)
        for name, link in relay.control.snapshot().items():
            log(f"{name}: {json.dumps(link['counters'])}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
