"""The car's process: the shipped plant server and its port, with queues in place of sockets."""

from __future__ import annotations

import math
import struct
from collections import deque
from collections.abc import Callable
from dataclasses import replace

from vdsim_interface.values.records import record
from vdsim_plant.actuator import ActuatorLayer
from vdsim_plant.kernel import layout as at
from vdsim_plant.layer_files import IDEAL, load_actuator
from vdsim_plant.parameters import load_tyre, load_vehicle
from vdsim_plant.session import SimSession
from vdsim_plant.vehicle import Vehicle
from vdsim_plant_node.live.server import PlantServer
from vdsim_plant_node.live.sessions import build_wire_vehicle, initial_state, road_of
from vdsim_plant_node.live.udp_sockets import PortSocket
from vdsim_plant_node.live.wire_vehicle import WireVehicle
from vdsim_plant_node.settings.server_settings import (
    Endpoint,
    ServerSettings,
    StartState,
    VehicleSettings,
)

from vdsim_protocol import vds1
from vdsim_simulate.record import Header, Record, Sample, Sent, Told
from vdsim_simulate.scene import Scene

Address = tuple[str, int]
TICK_S = 0.005
CAR_ADDRESS: Address = ("127.0.0.1", 7001)
INTERFACE_ADDRESS: Address = ("127.0.0.1", 7002)
STRANGER_ADDRESS: Address = ("127.0.0.1", 7009)
KERB_HEIGHT_M = 0.05
FIRST_WITH_PEDALS = 5
"""The version of STATE that carries the pedals in effect."""
_WHEELS = struct.Struct("=4d")
_SLIPS_AT, _BRAKES_AT = 8 * at.SLIP_X, 8 * at.BRAKE


class QueueSocket:
    """What the server needs of a UDP socket."""

    def __init__(self, send: Callable[[bytes], None]) -> None:
        self.arrived: deque[tuple[bytes, Address]] = deque()
        self._send = send

    def recvfrom(self, size: int, /) -> tuple[bytes, Address]:
        """Return the oldest datagram that has arrived, whole."""
        del size
        if not self.arrived:
            raise BlockingIOError
        return self.arrived.popleft()

    def sendto(self, data: bytes, address: Address, /) -> int:
        """Send; what is not for the interface goes nowhere."""
        if address == INTERFACE_ADDRESS:
            self._send(data)
        return len(data)

    def getsockname(self) -> Address:
        """Return where it listens."""
        return CAR_ADDRESS

    def close(self) -> None:
        """There is nothing to close."""


def server_settings(scene: Scene) -> ServerSettings:
    """The plant server as the launch file starts it: one address may drive, or whoever is first."""
    ground: dict[str, object] = {"base_mu": scene.mu, "slope_x": scene.grade}
    if scene.mu_left is not None:
        ground["split"] = {"mu_left": scene.mu_left, "mu_right": scene.mu, "y_m": 0.0}
    if scene.patches:
        ground["x_patches"] = [list(patch) for patch in scene.patches]
    if scene.kerb_m:
        ground["heights"] = _kerb(scene.kerb_m)
    vehicle = VehicleSettings(
        vehicle=scene.car,
        level="l3" if scene.kerb_m else scene.model,
        actuator=scene.actuator,
        ground=ground,
        start=StartState(vx_mps=scene.start_mps),
    )
    return ServerSettings(
        vehicles=(vehicle,),
        state_to=(Endpoint(*INTERFACE_ADDRESS),),
        allow_from=() if scene.is_open else ("{}:{}".format(*INTERFACE_ADDRESS),),
        protocol_version=scene.wire_version,
        tick_rate_hz=1.0 / TICK_S,
        state_rate_hz=scene.state_rate_hz,
    )


def _kerb(at_m: float) -> dict[str, object]:
    """A step across the road, as steep as a grid of heights may be."""
    rises = [0.0, KERB_HEIGHT_M]
    return {"values": [rises, rises], "cell_m": KERB_HEIGHT_M, "x0_m": at_m, "y0_m": -10.0}


def laden_session(settings: VehicleSettings, factor: float, substep_s: float) -> SimSession:
    """The session of a car with another mass than its file says."""
    car = load_vehicle(settings.vehicle)
    heavier = replace(car, body=replace(car.body, mass_kg=factor * car.body.mass_kg))
    vehicle = Vehicle(
        heavier,
        load_tyre(car.axles.tyre),
        road_of(settings),
        level=settings.level,
        substep_s=substep_s,
        allow_coarse_substep=True,
    )
    layer = None if settings.actuator == IDEAL else ActuatorLayer(load_actuator(settings.actuator))
    return SimSession(vehicle, initial=initial_state(settings.start), actuators=layer)


class Car:
    """The server in lockstep; `tick` is one of its ticks."""

    def __init__(
        self,
        scene: Scene,
        send: Callable[[bytes], None],
        log: Callable[[str], None] = lambda line: None,
    ) -> None:
        settings = server_settings(scene)
        self.socket = QueueSocket(send)
        own, tick_s, substep_s = settings.vehicles[0], settings.tick_s, settings.substep_s
        if scene.laden == 1.0:
            vehicle = build_wire_vehicle(own, tick_s=tick_s, substep_s=substep_s)
        else:
            vehicle = WireVehicle(own, laden_session(own, scene.laden, substep_s), tick_s)
        port = PortSocket((0,), self.socket)
        self.server = PlantServer(settings, (vehicle,), sockets=(port,), log=log)
        self._vehicle = vehicle

    def arrive(self, data: bytes, source: Address) -> bool:
        """A datagram reaches the car's port; the next tick reads it."""
        self.socket.arrived.append((data, source))
        return True

    def tick(self) -> None:
        """Advance by one tick."""
        self.server.advance(1)

    def sample(self, time_s: float) -> Sample:
        """Return the true motion."""
        return sample_of(self._vehicle.session, time_s)


def sample_of(session: SimSession, time_s: float) -> Sample:
    """Return the true motion of a session's car."""
    frame = session.frame()
    car = frame.capture[0]
    one, numbers = car.item, car.data
    slips = map(abs, _WHEELS.unpack_from(numbers, _SLIPS_AT))
    brake_nm = float(sum(_WHEELS.unpack_from(numbers, _BRAKES_AT)))
    return record(
        Sample,
        (
            time_s, one(at.X), one(at.VX), one(at.AX), one(at.YAW_RATE), one(at.STEER),
            max(slips), one(at.THROTTLE), brake_nm, frame.realized.brake,
        ),
    )  # fmt: skip


_HEADER = struct.Struct("<4xHxxI4xd")
_MOTION = struct.Struct("<24xd40xd32xd48xd")
_PEDALS = struct.Struct("<432xdd")


def header_of(data: bytes, time_s: float) -> Header:
    """Read a header of VDS1, by the offsets of docs/vds1.md."""
    version, number, stamp_s = _HEADER.unpack_from(data)
    return Header(time_s, version, number, stamp_s)


def told_by(data: bytes, time_s: float) -> Told:
    """Read what a STATE says of the car, by the offsets of docs/vds1.md."""
    header = header_of(data, time_s)
    pedals = _PEDALS.unpack_from(data) if header.version >= FIRST_WITH_PEDALS else (math.nan,) * 2
    return Told(header, *_MOTION.unpack_from(data), *pedals)


class PacketReading:
    """Reads the packets of VDS1 that leave the interface."""

    def read(self, datagrams: tuple[bytes, ...], time_s: float, record: Record) -> None:
        """Write down what they say."""
        for data in datagrams:
            packet = vds1.decode(data)
            assert isinstance(packet, vds1.Packet), packet
            body = packet.body
            record.headers.append(header_of(data, time_s))
            record.packets.append(
                Sent(
                    time_s,
                    body.steering_tire_angle_rad,
                    body.throttle,
                    body.brake,
                    int(body.gear),
                    bool(body.handbrake),
                )
            )
