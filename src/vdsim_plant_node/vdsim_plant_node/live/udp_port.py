"""One UDP socket that CMD arrives at and STATE leaves from, for one vehicle or for several."""

from __future__ import annotations

import socket
from collections import deque
from collections.abc import Mapping, Sequence

from vdsim_protocol.flood.wall import FloodWall
from vdsim_protocol.vds1.messages import FIRST_VERSION_WITH_VEHICLE_ID
from vdsim_protocol.vds1.probe import PROBE, PROBE_SIZE, answer_to, read_probe

from vdsim_plant_node.live.destinations import Destinations
from vdsim_plant_node.live.snapshots import PortSnapshot
from vdsim_plant_node.live.strangers import REASONS, Strangers
from vdsim_plant_node.live.udp_sockets import DatagramSocket
from vdsim_plant_node.live.wire_vehicle import WireVehicle
from vdsim_plant_node.settings.server_settings import ServerSettings
from vdsim_protocol import vds1

_LONGEST_READ = 2048
_MOST_ANSWERS = 4


class UdpPort:
    """Reads what has arrived without waiting, gives each CMD to its vehicle, sends STATE."""

    def __init__(
        self, settings: ServerSettings, bound: DatagramSocket, vehicles: Sequence[WireVehicle]
    ) -> None:
        self._socket = bound
        self.vehicles = tuple(vehicles)
        self.send_failures = 0
        self.notes: list[str] = []
        """Lines for the log; whoever logs them empties the list."""
        self._strangers = Strangers()
        self._by_id = self._vehicles_by_id()
        # A flood, or a paused server, keeps no more than the newest few.
        self._answers: dict[int, deque[bytes]] = {
            vehicle.vehicle_id: deque(maxlen=_MOST_ANSWERS) for vehicle in vehicles
        }
        self._reads_per_tick = 256 + 8 * len(vehicles)
        silence_s = min(vehicle.settings.failsafe.timeout_s for vehicle in vehicles)
        self._receiver = vds1.Receiver(
            vds1.Command,
            vehicle_ids=tuple(self._by_id),
            one_vehicle=len(self.vehicles) == 1,
            allowed_sources=settings.allowed_sources,
            silence_s=silence_s,
            release_s=max(settings.session_release_s, silence_s),
            is_moving=lambda vehicle_id: self._by_id[vehicle_id].is_moving,
            max_steer_rad=self._max_steer_rad(),
        )
        self._wall = (
            FloodWall(bound, self._receiver.peers) if isinstance(bound, socket.socket) else None
        )
        shared = len(vehicles) > 1
        self._destinations = {
            vehicle.vehicle_id: Destinations(
                vehicle.settings.state_to or settings.state_to,
                version=settings.protocol_version,
                lowest_version=FIRST_VERSION_WITH_VEHICLE_ID if shared else 1,
            )
            for vehicle in vehicles
        }

    def _vehicles_by_id(self) -> dict[int, WireVehicle]:
        """A vehicle alone on its port also accepts versions that carry no vehicle_id."""
        found = {vehicle.vehicle_id: vehicle for vehicle in self.vehicles}
        if len(self.vehicles) == 1:
            found.setdefault(0, self.vehicles[0])
        return found

    def _max_steer_rad(self) -> float:
        return max(vehicle.session.max_steer_rad for vehicle in self.vehicles)

    def take_over_limits(self) -> None:
        """Check commands against the limits of the vehicles as they are now."""
        self._receiver.limit_steer(self._max_steer_rad())

    @property
    def address(self) -> tuple[str, int]:
        """Where it listens; the port that the kernel chose when 0 was asked for."""
        ip, port = self._socket.getsockname()
        return (str(ip), int(port))

    def counters(self) -> vds1.ReceiverCounters:
        """What has arrived, and what was dropped for which reason."""
        return self._receiver.counters()

    @property
    def discarded(self) -> int:
        """What the kernel dropped: of a flood of strangers, or because the socket was full."""
        return 0 if self._wall is None else self._wall.discarded()

    def snapshot(self) -> PortSnapshot:
        """Where it listens, what has arrived, who drives and who may not."""
        ids = [vehicle.vehicle_id for vehicle in self.vehicles]
        return PortSnapshot(
            address=self.address,
            counters=self.counters(),
            send_failures=self.send_failures,
            discarded=self.discarded,
            owners={number: self._receiver.owner(number) for number in ids},
            strangers={number: self._strangers.latest(number) for number in ids},
        )

    def receive(self, now: float) -> None:
        """Process what has arrived until `now` [s]; a flood waits for the next tick."""
        sources: list[vds1.Source] = []
        self._receive(sources, now)
        if self._wall is not None and (line := self._wall.update(sources, now)):
            self.notes.append(f"CMD at {self.address[0]}:{self.address[1]}: {line}")

    def _receive(self, sources: list[vds1.Source], now: float) -> None:
        read, check = self._socket.recvfrom, self._receiver.receive
        for _ in range(self._reads_per_tick):
            try:
                datagram, source = read(_LONGEST_READ)
            except BlockingIOError:
                return
            except OSError:
                continue
            sources.append(source)
            if len(datagram) == PROBE_SIZE and self._answer(datagram, source, now):
                continue
            outcome = check(datagram, source, now)
            vehicle = self._vehicle_of(outcome)
            if vehicle is None:
                continue
            vehicle.link.observe(outcome, now)
            if isinstance(outcome, vds1.Accepted):
                packet = outcome.packet
                vehicle.clamped += bool(outcome.clamped)
                version = packet.header.version
                vehicle.on_command(packet.body, version, datagram, now)
                self._destinations[vehicle.vehicle_id].on_command(source, version, now)
            elif outcome.reason in REASONS:
                self._note_stranger(vehicle.vehicle_id, source)

    def _answer(self, datagram: bytes, source: vds1.Source, now: float) -> bool:
        """Answer a probe of whoever drives a vehicle, with its next STATE; nobody else's."""
        probe = read_probe(datagram)
        if probe is None or probe.kind != PROBE:
            return False
        for vehicle in self.vehicles:
            if self._receiver.owner(vehicle.vehicle_id) == source:
                vehicle.on_round_trip(probe.round_trip_s, now)
                self._answers[vehicle.vehicle_id].append(answer_to(probe))
                return True
        return False

    def _note_stranger(self, vehicle_id: int, source: vds1.Source) -> None:
        line = self._strangers.add(vehicle_id, source, self._receiver.owner(vehicle_id))
        if line:
            self.notes.append(line)

    def _vehicle_of(self, outcome: vds1.Accepted[vds1.Command] | vds1.Reject) -> WireVehicle | None:
        """The vehicle of a packet; None when the packet is damaged and several share the port."""
        if isinstance(outcome, vds1.Accepted):
            return self._by_id[outcome.packet.vehicle_id]
        if outcome.header is not None:
            return self._by_id.get(outcome.header.vehicle_id)
        return self.vehicles[0] if len(self.vehicles) == 1 else None

    def send_states(self, now: float) -> None:
        """Send the STATE of every vehicle, and the answers to probes, to its destinations."""
        for vehicle in self.vehicles:
            targets = self._destinations[vehicle.vehicle_id].by_version(now)
            answers = self._answers[vehicle.vehicle_id]
            for version, datagram in vehicle.state_datagrams(targets, now).items():
                for address in targets[version]:
                    self._send(datagram, address)
                    for answer in answers:
                        self._send(answer, address)
            if answers:
                answers.clear()

    def _send(self, datagram: bytes, address: vds1.Source) -> None:
        try:
            self._socket.sendto(datagram, address)
        except OSError:
            self.send_failures += 1

    def destinations(self, vehicle_id: int, now: float) -> Mapping[int, tuple[vds1.Source, ...]]:
        """Where a vehicle's STATE goes, by protocol version."""
        return self._destinations[vehicle_id].by_version(now)

    def close(self) -> None:
        """Close the port."""
        self._socket.close()
