"""What every composition has: processes, an end for the wire, a desk for requests."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping

from vdsim_interface.pipeline.parameters import InterfaceParameters
from vdsim_interface.platforms.spec import Address, Datagram
from vdsim_interface.values import Command, SafetyStatus, StateReport

from vdsim_simulate.agenda import Agenda, Clock, Inbox, Process
from vdsim_simulate.car import CAR_ADDRESS
from vdsim_simulate.scene import Scene
from vdsim_simulate.wiring.desk import Reception
from vdsim_simulate.wiring.event_log import EventLog
from vdsim_simulate.wiring.shipped import bus_by_id, can_car, id_of, make_platform
from vdsim_simulate.wiring.stage import Stage
from vdsim_simulate.wiring.tapes import Tapes

REQUESTS_N = 10
"""The depth of the topics of requests."""
JOYS_N = 200
"""The depth of the topic of a Joy, in which a stop waits (ros/topics.py)."""
NO_MEMORY = "finds no memory"
SOCKET_N = 300
"""So many datagrams wait in a socket; then the newest are lost."""


class Wire:
    """The interface's end of the link: its socket, and where datagrams go."""

    def __init__(
        self,
        scene: Scene,
        parameters: InterfaceParameters,
        send: Callable[[tuple[bytes, ...]], None],
        on_state: Callable[[float], None],
        events: EventLog,
        tapes: Tapes | None,
    ) -> None:
        self.scene = scene
        self.parameters = parameters
        self._send = send
        first, *more = (each.name for each in make_platform(scene, parameters).endpoints())
        self.first_endpoint = first
        self._bus_of = bus_by_id(can_car(scene)) if more and scene.platform == "can" else {}
        self.events = events
        self.tapes = tapes
        self.on_state = on_state
        """Called for each report that the interface has accepted, with its time of the vehicle."""
        self.on_hearing: Callable[[bool], None] = lambda hears: None
        """Called when a process that sends has started, and when it first hears who decides."""
        self.on_arrival: Callable[[], None] = lambda: None
        """Called when a datagram waits, for a process that does not only look twice a period."""
        self._waiting: list[tuple[bytes, Address]] = []

    def arrive(self, data: bytes, source: Address = CAR_ADDRESS) -> None:
        """A datagram reaches the socket."""
        if len(self._waiting) < SOCKET_N:
            self._waiting.append((data, source))
            self.on_arrival()

    def endpoint_of(self, data: bytes) -> str:
        """Return where a datagram arrives: a frame on the bus of its message."""
        if not self._bus_of:
            return self.first_endpoint
        return self._bus_of.get(id_of(data), self.first_endpoint)

    def take(self) -> list[tuple[bytes, Address]]:
        """Read the socket to the end."""
        waiting, self._waiting = self._waiting, []
        return waiting

    def send(self, datagrams: tuple[Datagram, ...]) -> None:
        """Send what the platform has encoded."""
        if datagrams:
            self.events.on_packet()
            self._send(tuple(datagram.data for datagram in datagrams))


def status_complaints(status: SafetyStatus) -> Iterator[str]:
    """Say what a status names as wrong: the rules that act, and why autonomy has ended."""
    yield from status.active
    if status.last_disengage_reason:
        yield status.last_disengage_reason


class Composition:
    """The interface's processes, which run on one machine and so share a clock."""

    sender: Process
    """The process that sends to the vehicle."""
    safety: Process
    """The process that decides who drives."""
    desk: Reception
    commands: tuple[Inbox[Command], ...]
    """Where a command of the stack arrives."""
    requests: Inbox[Callable[[], None]]
    joys: Inbox[Callable[[], None]]
    """Where the Joy of the page's pad arrives."""

    def __init__(self, agenda: Agenda, clock: Clock, wire: Wire, seed: int) -> None:
        self.agenda = agenda
        self.wire = wire
        self.clock = clock
        self._seed = seed
        self._draws = random.Random(f"interface {seed}")
        self.start()

    def start(self) -> None:
        """Start every process."""
        raise NotImplementedError

    @property
    def shown_mode(self) -> str:
        """The mode as it is published."""
        raise NotImplementedError

    def state_report(self) -> StateReport | None:
        """The report of the body as it is published; None while the vehicle does not report."""
        raise NotImplementedError

    @property
    def stages(self) -> tuple[Stage, ...]:
        """The processes that report to people."""
        raise NotImplementedError

    def status(self) -> SafetyStatus:
        """The safety status, as the process that decides publishes it."""
        raise NotImplementedError

    def complaints(self) -> Iterator[str]:
        """Say what status and diagnostics name as wrong now."""
        yield from status_complaints(self.status())

    def link_statistics(self) -> Mapping[str, float]:
        """Figures of the link to the vehicle, as they are published, by name."""
        raise NotImplementedError

    @property
    def roots(self) -> tuple[object, ...]:
        """The product's objects."""
        raise NotImplementedError

    def end_safety(self) -> None:
        """The process that decides who drives is killed."""
        self.safety.end()

    def restart_safety(self, *, hears_after_s: float, is_heard_after_s: float) -> None:
        """Start another process in place of one that was killed.

        `hears_after_s`: until then no report reaches it; `is_heard_after_s`: until then its
        commands reach nobody. Middleware matches the two directions independently.
        """
        raise NotImplementedError

    def end_for_memory(self) -> None:
        """A call of the process that decides finds no memory: its last, safe command, and its end.

        In composition `guarded` the shell sends none: the guard goes on.
        """
        raise NotImplementedError

    def on_memory(self, why: str) -> None:
        """Memory runs short in the process that decides, or is there again (empty)."""
        raise NotImplementedError

    def new_process(self, name: str) -> Process:
        """Return a process on this machine."""
        return Process(self.agenda, name, self.clock, random.Random(f"{name} {self._seed}"))

    def open_requests(self) -> None:
        """Make the queues of requests into the process of the desk."""
        self.requests = self.safety.inbox(lambda act: act(), REQUESTS_N)
        self.joys = self.safety.inbox(lambda act: act(), JOYS_N)

    def phase_s(self) -> float:
        """Draw when a timer first fires."""
        return self._draws.uniform(0.0, self.wire.parameters.period_s)
