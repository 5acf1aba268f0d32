"""A guard on the fake car in virtual time, and a shell that sends what a test wants."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from vdsim_interface.extras.fake.platform import FakeParameters
from vdsim_interface.guard import frames
from vdsim_interface.guard.frames import Frame, FrameReader, FrameWriter
from vdsim_interface.guard.guard import Guard
from vdsim_interface.guard.setup import flat_values
from vdsim_interface.parameters.fields import Parameters
from vdsim_interface.pipeline.parameters import InterfaceParameters
from vdsim_interface.platforms.spec import Datagram, Endpoint
from vdsim_interface.safety import SafetyParameters
from vdsim_interface.values import Mode, VehicleCommand

from vdsim_interface_kit.wired_car import FOLDER

PERIOD_S = 0.01
GO = VehicleCommand(0.0, 1.0, 0.1)
P = TypeVar("P")


class RecordedLink:
    """The link of the vehicle: keeps what happens. `events`: names of calls, in their order."""

    def __init__(self) -> None:
        self.opened = 0
        self.closed = 0
        self.refusal = ""
        self.sent: list[bytes] = []
        self.events: list[str] = []
        self.failures: dict[str, float] = {}

    def open(self, endpoints: tuple[Endpoint, ...]) -> None:
        """Open, or refuse as the test wants."""
        if self.refusal:
            raise OSError(self.refusal)
        self.events.append("open")
        self.opened += 1

    def send(self, datagrams: tuple[Datagram, ...]) -> None:
        """Keep what would leave."""
        self.sent += [datagram.data for datagram in datagrams]
        self.events += ["send"] * bool(datagrams)

    def close(self) -> None:
        """Close."""
        self.events.append("close")
        self.closed += 1

    def counts(self) -> Mapping[str, float]:
        """How often sending failed, as the test wants."""
        return self.failures


def setup(platform_parameters: Parameters | None = None, **parameters: Any) -> frames.Activate:
    """The parameters of a shell with the fake car."""
    given = {"control_command": "vehicle", **parameters}
    return frames.Activate(
        platform="fake",
        platform_path="",
        interface=flat_values(InterfaceParameters(**given)),
        platform_values=flat_values(platform_parameters or FakeParameters()),
    )


def wired_setup(**parameters: Any) -> frames.Activate:
    """The parameters of a shell with a car behind a socket, of platform `wired`."""
    made = setup(**{"safety": SafetyParameters(auto_engage=True), **parameters})
    return made._replace(platform="wired", platform_path=str(FOLDER), platform_values={})


class GuardedCar:
    """A guard, its fake car, and the frames of one shell after the other."""

    def __init__(self, *, auto_engage: bool = True, asked: frames.Activate | None = None) -> None:
        self.link = RecordedLink()
        self.guard = Guard(self.link)
        self.now = 0.0
        self.received: list[Frame] = []
        self.setup = asked or setup(safety=SafetyParameters(auto_engage=auto_engage))
        self.start_shell()

    # ---- the shell -------------------------------------------------------------------------------

    def start_shell(self) -> None:
        """Connect a new one, and activate."""
        self._writer, self._reader = FrameWriter(), FrameReader(frames.TO_SHELL)
        self.guard.connect()
        self.answer = self.ask(self.setup)

    def send(self, payload: frames.Payload, *, sent_s: float | None = None) -> int:
        """Send a frame; return its counter."""
        counter, data = self._writer.write(payload, self.now if sent_s is None else sent_s)
        self.guard.on_frame(data, self.now)
        self._receive()
        return counter

    def ask(self, payload: frames.Payload, *, sent_s: float | None = None) -> frames.Answer:
        """Send a frame; return its answer."""
        counter = self.send(payload, sent_s=sent_s)
        [answer] = [a for a in self.all_of(frames.Answer) if a.request == counter][-1:]
        return answer

    def _receive(self) -> None:
        for data in self.guard.take_frames(self.now):
            outcome = self._reader.read(data, self.now)
            assert isinstance(outcome, Frame), outcome
            self.received.append(outcome)

    def all_of(self, kind: type[P]) -> list[P]:
        """What the shell received of this kind."""
        return [f.payload for f in self.received if isinstance(f.payload, kind)]

    def last(self, kind: type[P]) -> P:
        """The latest of them."""
        return self.all_of(kind)[-1]

    # ---- time ------------------------------------------------------------------------------------

    def run(self, seconds: float, command: VehicleCommand | None = None) -> None:
        """Let the guard tick at 100 Hz; with a command, the shell sends it every period."""
        for _ in range(round(seconds / PERIOD_S)):
            self.now += PERIOD_S
            if command is not None:
                fresh = command._replace(stamp_s=self.now)
                self.send(frames.Front(fresh, fresh, fresh, None))
            self.guard.decide(self.now)
            self.guard.after_send(self.now)
            self._receive()

    def driving(self) -> GuardedCar:
        """Drive with GO until the car moves."""
        self.run(2.0, GO)
        assert self.mode is Mode.AUTONOMOUS
        assert self.speed_mps > 0.5
        return self

    # ---- what happens ----------------------------------------------------------------------------

    @property
    def mode(self) -> Mode:
        """Who drives, as the guard decides."""
        sides = self.guard.sides
        assert sides is not None
        return sides.safety.mode

    @property
    def speed_mps(self) -> float:
        """The speed of the car."""
        sides = self.guard.sides
        assert sides is not None
        assert sides.vehicle.report is not None
        return sides.vehicle.report.velocity_mps

    @property
    def accel_mps2(self) -> float:
        """The acceleration of the last command."""
        sides = self.guard.sides
        assert sides is not None
        assert sides.vehicle.sent is not None
        return sides.vehicle.sent.command.vehicle.long_accel_mps2
