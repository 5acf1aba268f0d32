"""The vehicle's own fail-safe, the command mux and the AutoHYU bridge, in virtual time."""

from __future__ import annotations

import dataclasses
import functools
import math
import random
import socket
import struct
import zlib
from collections import deque
from pathlib import Path
from typing import ClassVar, cast

import vdsim_interface.extras.autohyu
from vdsim_interface.arbitration.mux import CommandMux
from vdsim_interface.arbitration.parameters import MuxParameters, SourceParameters, SourceSpec
from vdsim_interface.extras.autohyu import (
    AutohyuBridge,
    AutohyuParameters,
    TorqueMap,
    load_torque_map,
)
from vdsim_interface.platforms.peer import PeerMotion
from vdsim_interface.platforms.spec import Address
from vdsim_interface.platforms.vds1.contract_peer import SOURCE, Peer
from vdsim_interface.values import Odometry, VehicleCommand
from vdsim_plant_node.live.sessions import build_wire_vehicles
from vdsim_plant_node.live.udp_port import UdpPort
from vdsim_plant_node.live.wire_vehicle import WireVehicle
from vdsim_plant_node.settings.options import server_settings
from vdsim_plant_node.settings.server_settings import ServerSettings

from vdsim_campaign.ftti.world import World
from vdsim_protocol import vds1

STRANGER: Address = ("127.0.0.1", 9)
OWNER: Address = ("127.0.0.1", 7002)
TICK_S = 0.005
_END = -4
_THROTTLE_OFFSET = 32


class _Socket:
    """The socket of a vehicle's port: what a world puts into it."""

    def __init__(self) -> None:
        self.arrived: deque[tuple[bytes, Address]] = deque()

    def recvfrom(self, size: int) -> tuple[bytes, Address]:
        """The next datagram."""
        if not self.arrived:
            raise BlockingIOError
        return self.arrived.popleft()

    def sendto(self, data: bytes, address: Address) -> int:
        """Nobody listens."""
        return len(data)


@functools.cache
def _plant() -> tuple[ServerSettings, WireVehicle]:
    """The car; its core is compiled once."""
    settings = server_settings({"http": "off", "state_port": 0})
    return settings, build_wire_vehicles(settings)[0]


class PlantWorld(World):
    """The vehicle: CMD at 100 Hz, ticks at 200 Hz. Safe is what its fail-safe has latched."""

    PERIODS_S: ClassVar[dict[str, float]] = {"command": 0.01, "tick": TICK_S}

    def __init__(self, fault: str, draws: random.Random) -> None:
        super().__init__(fault, draws)
        settings, built = _plant()
        self._vehicle = WireVehicle(built.settings, built.session, TICK_S)
        self._socket = _Socket()
        self._port = UdpPort(settings, cast(socket.socket, self._socket), [self._vehicle])
        self._sender = vds1.Sender(version=5)
        self._last = b""

    def command(self) -> None:
        """CMD of the owner, with the faults of the link."""
        fault = self.has
        if fault == "vehicle_hears_nothing":
            return
        data = self._sender.command(vds1.Command(0.05, 0.2, 0.0, 1, False), self.now)
        source = OWNER
        if fault == "vehicle_gets_damaged_commands":
            flipped = bytearray(data)
            flipped[self.draws.randrange(len(data))] ^= 1 << self.draws.randrange(8)
            data = bytes(flipped)
        elif fault == "vehicle_gets_nan":
            body = bytearray(data[:_END])
            struct.pack_into("<d", body, _THROTTLE_OFFSET, math.nan)
            data = bytes(body) + struct.pack("<I", zlib.crc32(body))
        elif fault == "vehicle_gets_a_stranger":
            source = STRANGER
        elif fault == "vehicle_gets_old_packets":
            data = self._last
        self._last = data
        self._socket.arrived.append((data, source))

    def tick(self) -> None:
        """Receive, and advance."""
        self._port.receive(self.now)
        self._vehicle.tick(self.now)
        latched = self._vehicle.latched
        self.sent(safe=latched.throttle == 0.0 and latched.brake > 0.0)


class MuxWorld(World):
    """The command mux with one source that drives; safe is a command without drive."""

    PERIODS_S: ClassVar[dict[str, float]] = {"command": 0.02, "odometry": 0.01, "tick": 0.01}

    def __init__(self, fault: str, draws: random.Random) -> None:
        super().__init__(fault, draws)
        source = SourceSpec("autonomy", SourceParameters(10, 0.5, "stop"))
        self._mux = CommandMux((source,), (), MuxParameters())

    def odometry(self) -> None:
        """The car drives 4 m/s."""
        self._mux.on_odometry(Odometry(self.now, 4.0), self.now)

    def command(self) -> None:
        """A command of the source, unless it is silent or sends no numbers."""
        if self.has == "mux_source_silent":
            return
        accel = math.nan if self.has == "mux_source_not_finite" else 0.5
        self._out(
            self._mux.on_command("autonomy", VehicleCommand(self.now, accel), self.now).command
        )

    def tick(self) -> None:
        """The output rate of the mux."""
        self._out(self._mux.tick(self.now).command)

    def _out(self, command: object) -> None:
        if isinstance(command, VehicleCommand):
            self.sent(safe=command.long_accel_mps2 <= 0.0)


@functools.cache
def _torque_map() -> TorqueMap:
    file = Path(vdsim_interface.extras.autohyu.__file__).with_name("maps") / "ioniq5_awd.csv"
    return load_torque_map(file, AutohyuParameters().pedals)


class BridgeWorld(World):
    """The bridge of the AutoHYU stack; safe is CMD with the brake."""

    PERIODS_S: ClassVar[dict[str, float]] = {
        "steer": 0.02, "torque": 0.01, "state": 0.005, "tick": 0.01,
    }  # fmt: skip

    def __init__(self, fault: str, draws: random.Random) -> None:
        super().__init__(fault, draws)
        self._bridge = AutohyuBridge(AutohyuParameters(), _torque_map())
        self._sender = vds1.Sender(version=5)
        ((report, _),) = Peer().report(PeerMotion(velocity_mps=4.0), 0.0)
        packet = vds1.decode(report.data)
        assert isinstance(packet, vds1.Packet)
        self._state = dataclasses.replace(packet.body, throttle_applied=0.0, brake_applied=0.0)

    def steer(self) -> None:
        """The stack's steering."""
        if self.has != "bridge_steering_silent":
            self._bridge.on_steer(2.0, self.now)

    def torque(self) -> None:
        """The stack's torque."""
        if self.has != "bridge_torque_silent":
            self._bridge.on_torque(1000.0, self.now)

    def state(self) -> None:
        """STATE of the vehicle."""
        if self.has != "bridge_state_silent":
            self._bridge.on_datagram(self._sender.state(self._state, self.now), SOURCE, self.now)

    def tick(self) -> None:
        """One period."""
        (datagram,) = self._bridge.tick(self.now).datagrams
        packet = vds1.decode(datagram.data)
        assert isinstance(packet, vds1.Packet)
        self.sent(safe=packet.body.throttle == 0.0 and packet.body.brake > 0.0)
