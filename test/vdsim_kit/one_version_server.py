"""A VDS1 server as the VDSim servers behave, one version each; no socket and no clock.

- It reads CMD of its own version alone and drops any other without a word. Shorter than a CMD is
  dropped, longer is read to the end of a CMD. Whoever sends is heard.
- A number that is not above the last one is dropped, 0 begins again.
- From version 4 on there may be several vehicles; CMD to one that is not there is dropped.
- STATE goes to a configured destination (`answers_all`); from version 4 on to every address, too,
  that sent an accepted CMD in the last two seconds. One counter numbers all of it, whichever
  vehicle it is about, and everyone gets every vehicle. Its time stamps are of the server's clock.
- `time_scale`: so fast its cars' time runs beside the clock, by which STATE is stamped and sent:
  with 0.5 half as many STATE come in a second, and the car moves half as fast as STATE says.
- Without CMD for `TIMEOUT_S` and before the first one its own fail-safe drives: throttle 0, brake
  0.3, steering 0. Hand brake and advisory targets are ignored, gear N drives as D does.
- The pedals are weak: 4.4 kN and 5.9 kN for 2359 kg. Rolling resistance and brake fade near
  standstill, so the car comes to rest slowly.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from vdsim_protocol.vds1.messages import COMMAND_SIZE, FIRST_VERSION_WITH_VEHICLE_ID

from vdsim_kit.wire_car import state_at
from vdsim_protocol import vds1

Client = tuple[str, int]
ADDRESS = ("127.0.0.1", 7001)
CLIENT = ("127.0.0.1", 7002)
TIMEOUT_S = 0.1
REMEMBERED_S = 2.0
FULL_THROTTLE_N, FULL_BRAKE_N = 4438.0, 5917.0
ROLLING_N, DRAG_NS2PM2 = 278.0, 0.42
MASS_KG = 2439.0
"""2359 kg and what the wheels' inertia adds."""
WHEELBASE_M, RADIUS_M = 2.97, 0.338
FAIL_SAFE = vds1.Command(
    steering_tire_angle_rad=0.0, throttle=0.0, brake=0.3, gear=1, handbrake=False
)


@dataclass
class _Car:
    latest_s: float = -math.inf
    last_seq: int = -1
    command: vds1.Command = FAIL_SAFE
    x_m: float = 0.0
    y_m: float = 0.0
    yaw_rad: float = 0.0
    speed_mps: float = 0.0
    accel_mps2: float = 0.0

    def drive(self, now: float, dt_s: float) -> vds1.State:
        """Drive on for a period; return what is to be reported."""
        if now - self.latest_s > TIMEOUT_S:
            self.command = FAIL_SAFE
        command, speed = self.command, self.speed_mps
        sense = -1.0 if command.gear < 0 else 1.0
        force_n = sense * command.throttle * FULL_THROTTLE_N
        force_n -= command.brake * FULL_BRAKE_N * math.tanh(speed / RADIUS_M / 2.0)
        force_n -= ROLLING_N * math.tanh(speed / 0.5) + DRAG_NS2PM2 * speed * abs(speed)
        self.accel_mps2 = force_n / MASS_KG
        self.speed_mps = speed + self.accel_mps2 * dt_s
        yaw_rate = self.speed_mps * math.tan(command.steering_tire_angle_rad) / WHEELBASE_M
        self.x_m += self.speed_mps * math.cos(self.yaw_rad) * dt_s
        self.y_m += self.speed_mps * math.sin(self.yaw_rad) * dt_s
        self.yaw_rad = math.remainder(self.yaw_rad + yaw_rate * dt_s, math.tau)
        return replace(
            state_at(self.speed_mps),
            x_world_m=self.x_m,
            y_world_m=self.y_m,
            yaw_rad=self.yaw_rad,
            yaw_rate_radps=yaw_rate,
            ax_body_mps2=self.accel_mps2,
            ay_body_mps2=self.speed_mps * yaw_rate,
            wheel_spin_radps=(self.speed_mps / RADIUS_M,) * 4,
            steering_tire_angle_applied_rad=command.steering_tire_angle_rad,
            throttle_applied=command.throttle,
            brake_applied=command.brake,
        )


class OneVersionServer:
    """Cars on a level road; each has its pedals from its own commands."""

    def __init__(self, version: int, vehicles: int = 1, *, answers_all: bool = False) -> None:
        assert vehicles == 1 or version >= FIRST_VERSION_WITH_VEHICLE_ID
        self.version = version
        self.commands: list[vds1.Packet[vds1.Command]] = []
        self.time_scale = 1.0
        self._owed = 0.0
        self._answers_all = answers_all
        self._clients: dict[Client, float] = {}
        self._cars = [_Car() for _ in range(vehicles)]
        self._seq = 0

    @property
    def speeds_mps(self) -> list[float]:
        """Of every vehicle."""
        return [car.speed_mps for car in self._cars]

    @property
    def knows_client(self) -> bool:
        """Whether STATE goes to anyone."""
        return self._answers_all or bool(self._clients)

    @property
    def clients(self) -> frozenset[Client]:
        """Who gets STATE because of an accepted CMD."""
        return frozenset(self._clients)

    def receive(self, datagram: bytes, now: float, client: Client = CLIENT) -> None:
        """Read a CMD; one of another version, or to a car that is not here, has no effect."""
        packet = vds1.decode(datagram[:COMMAND_SIZE])
        if isinstance(packet, vds1.Reject) or not isinstance(packet.body, vds1.Command):
            return
        header = packet.header
        if header.version != self.version or header.vehicle_id >= len(self._cars):
            return
        car = self._cars[header.vehicle_id]
        if header.seq != 0 and header.seq <= car.last_seq:
            return
        car.last_seq, car.latest_s, car.command = header.seq, now, packet.body
        self._clients[client] = now
        self.commands.append(vds1.Packet.of(header, packet.body))

    def step(self, now: float, dt_s: float) -> list[bytes]:
        """Drive on for a period; return STATE of every car, if there is anyone to send it to."""
        for client in [each for each, at in self._clients.items() if now - at > REMEMBERED_S]:
            del self._clients[client]
        self._owed += self.time_scale
        ticks, self._owed = divmod(self._owed + 1e-9, 1.0)
        return [datagram for _ in range(int(ticks)) for datagram in self._tick(now, dt_s)]

    def _tick(self, now: float, dt_s: float) -> list[bytes]:
        is_heard = self.knows_client
        datagrams = []
        for vehicle, car in enumerate(self._cars):
            state = car.drive(now, dt_s)
            if not is_heard:
                continue
            datagrams.append(
                vds1.encode_state(
                    state,
                    seq=self._seq,
                    timestamp_s=now,
                    version=self.version,
                    vehicle_id=vehicle,
                )
            )
            self._seq += 1
        return datagrams
