"""Links and topics between the virtual processes."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Generic, TypeVar

from vdsim_protocol.faults.parameters import LinkFaults
from vdsim_protocol.faults.simulator import LinkSimulator

from vdsim_simulate.agenda import Agenda, Inbox

V = TypeVar("V")
PERFECT = LinkFaults()
WIRE_S = 2e-4
"""What a datagram takes on a link without faults."""
HOP_S = 4e-4
"""What a message takes from one process to another."""


class Link:
    """One direction of the wire: the shipped relay's faults on virtual time."""

    def __init__(self, agenda: Agenda, seed: str, deliver: Callable[[bytes], None]) -> None:
        self._agenda = agenda
        self._deliver = deliver
        self.faults = PERFECT
        self._relay = LinkSimulator(self.faults, seed)
        self.is_cut = False

    def set_faults(self, faults: LinkFaults) -> None:
        """Change what happens to datagrams from now on."""
        self.faults = faults
        self._relay.set_faults(faults, self._agenda.now)

    def counters(self) -> dict[str, int]:
        """How often each fault happened so far."""
        return self._relay.counters()

    def send(self, data: bytes) -> None:
        """A datagram enters the link."""
        if self.is_cut:
            return
        if self.faults is PERFECT and self._relay.next_deadline() is None:
            self._agenda.after(WIRE_S, lambda: self._deliver(data))
            return
        now = self._agenda.now
        self._relay.send(data, now)
        self._pass_on()

    def _pass_on(self) -> None:
        for data in self._relay.due(self._agenda.now):
            self._deliver(data)
        next_s = self._relay.next_deadline()
        if next_s is not None:
            # Nothing takes no time at all: the wire itself comes on top.
            self._agenda.at(next_s + WIRE_S, self._pass_on)


class Topic(Generic[V]):
    """One direction between a publisher and a subscriber, which find each other when they do.

    `matched_s`: from then on what is published arrives; the other direction has its own time.
    """

    def __init__(self, agenda: Agenda, inbox: Inbox[V]) -> None:
        self._agenda = agenda
        self._inbox = inbox
        self.matched_s = -math.inf
        self._keeps_for_s = 0.0

    def publish(self, value: V) -> None:
        """Send a message."""
        agenda = self._agenda
        if agenda.now < self.matched_s:
            return
        agenda.after(HOP_S, lambda: self._inbox.put(value))
        if self._keeps_for_s:
            agenda.after(self._keeps_for_s, lambda: self._inbox.put(value))
            self._keeps_for_s = 0.0

    def repeat_next(self, after_s: float) -> None:
        """The next message arrives once more, late, as a reliable publisher repeats one."""
        self._keeps_for_s = after_s
