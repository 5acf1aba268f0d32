"""A VDS1 server that speaks one version, as simulators of others do; no socket and no clock.

It reads CMD of its own version alone and drops any other without a word. It sends STATE to whoever
sent it a CMD that it accepted (or, with `answers_all`, to everyone). One counter numbers its STATE,
whichever vehicle they are about, and everyone gets all of them. Without CMD for `TIMEOUT_S` its own
fail-safe drives: throttle 0, brake 0.3.
"""

from __future__ import annotations

from dataclasses import replace

from vdsim_kit.wire_car import state_at
from vdsim_protocol import vds1

ADDRESS = ("127.0.0.1", 7001)
CLIENT = ("127.0.0.1", 7002)
TIMEOUT_S = 0.1
FULL_THROTTLE_MPS2 = 1.9
FULL_BRAKE_MPS2 = 2.6


class OneVersionServer:
    """Cars on a straight road; each has its pedals from its own commands."""

    def __init__(self, version: int, vehicles: int = 1, *, answers_all: bool = False) -> None:
        self.version = version
        self.knows_client = answers_all
        self.commands: list[vds1.Packet[vds1.Command]] = []
        self.speeds_mps = [0.0] * vehicles
        self._latest: list[tuple[float, vds1.Command] | None] = [None] * vehicles
        self._seq = 0
        self._time_s = 0.0

    def receive(self, datagram: bytes, now: float) -> None:
        """Read a CMD; one of another version, or to a car that is not here, has no effect."""
        packet = vds1.decode(datagram)
        if isinstance(packet, vds1.Reject) or not isinstance(packet.body, vds1.Command):
            return
        header = packet.header
        if header.version != self.version or header.vehicle_id >= len(self._latest):
            return
        self.knows_client = True
        self.commands.append(vds1.Packet.of(header, packet.body))
        self._latest[header.vehicle_id] = now, packet.body

    def step(self, now: float, dt_s: float) -> list[bytes]:
        """Drive on for a period; return STATE of every car, if there is anyone to send it to."""
        self._time_s += dt_s
        datagrams = []
        for vehicle, speed_mps in enumerate(self.speeds_mps):
            throttle, brake = self._pedals(vehicle, now)
            accel_mps2 = throttle * FULL_THROTTLE_MPS2 - brake * FULL_BRAKE_MPS2
            speed_mps = max(0.0, speed_mps + accel_mps2 * dt_s)
            self.speeds_mps[vehicle] = speed_mps
            state = replace(state_at(speed_mps), throttle_applied=throttle, brake_applied=brake)
            datagrams.append(
                vds1.encode_state(
                    state,
                    seq=self._seq,
                    timestamp_s=self._time_s,
                    version=self.version,
                    vehicle_id=vehicle,
                )
            )
            self._seq += 1
        return datagrams if self.knows_client else []

    def _pedals(self, vehicle: int, now: float) -> tuple[float, float]:
        latest = self._latest[vehicle]
        if latest is None or now - latest[0] > TIMEOUT_S:
            return 0.0, 0.3
        return latest[1].throttle * (latest[1].gear > 0), latest[1].brake
