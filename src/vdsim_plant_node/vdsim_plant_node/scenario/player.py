"""Plays a scenario on virtual time: commands through the link, the receiver and the watchdog. Pure.

The way of a command is the live server's: encoded, perhaps delayed or lost, checked, latched; so a
scenario shows what a link fault really does to the car, fail-safe included.
"""

from __future__ import annotations

from collections.abc import Iterator

from vdsim_protocol.faults import LinkFaults, LinkSimulator

from vdsim_plant_node.live.sessions import build_session
from vdsim_plant_node.live.wire_state import command_of
from vdsim_plant_node.live.wire_vehicle import WireVehicle
from vdsim_plant_node.runs.run_table import PlayedTick
from vdsim_plant_node.scenario.reader import Scenario
from vdsim_plant_node.settings.server_settings import substep_for
from vdsim_protocol import vds1

_SOURCE = ("scenario", 0)
_SAME_TIME_S = 1e-9


class ScenarioPlayer:
    """A scenario being played, tick by tick."""

    def __init__(self, scenario: Scenario) -> None:
        self.scenario = scenario
        timing, vehicle = scenario.timing, scenario.vehicle
        session = build_session(vehicle, substep_s=substep_for(timing.tick_s), road=scenario.road)
        self.vehicle = WireVehicle(vehicle, session, timing.tick_s)
        self.receiver = vds1.Receiver(
            vds1.Command,
            silence_s=vehicle.failsafe.timeout_s,
            max_steer_rad=session.max_steer_rad,
        )
        self._sender = vds1.Sender()
        self._link = LinkSimulator(scenario.link or LinkFaults(), timing.link_seed)
        self._commands_sent = 0
        self._tick = 0
        self.ticks = round(timing.duration_s / timing.tick_s)

    def start(self) -> PlayedTick:
        """The state before the first tick."""
        return PlayedTick(self.vehicle.vehicle_id, self.vehicle.drive.value, self.vehicle.output)

    def __iter__(self) -> Iterator[PlayedTick]:
        """Play the ticks that are left."""
        while self._tick < self.ticks:
            yield self.step()

    def step(self) -> PlayedTick:
        """Play one tick."""
        now = self._tick * self.scenario.timing.tick_s
        self._send_until(now)
        for datagram in self._link.due(now):
            outcome = self.receiver.receive(datagram, _SOURCE, now)
            self.vehicle.link.observe(outcome, now)
            if isinstance(outcome, vds1.Accepted):
                packet = outcome.packet
                self.vehicle.on_command(packet.body, packet.header.version, datagram, now)
        self.vehicle.tick(now)
        self._tick += 1
        return PlayedTick(self.vehicle.vehicle_id, self.vehicle.drive.value, self.vehicle.output)

    def _send_until(self, now: float) -> None:
        """Put the commands into the link that are due by `now` [s]."""
        rate_hz = self.scenario.timing.command_rate_hz
        while (due_s := self._commands_sent / rate_hz) <= now + _SAME_TIME_S:
            command = command_of(self.scenario.commands.at(due_s + _SAME_TIME_S))
            self._link.send(self._sender.command(command, due_s), min(due_s, now))
            self._commands_sent += 1
