"""Everything that can be set about a plant server, checked when it is made.

The command line, the fleet file and the ROS parameters all end here; the limits and the texts of
their help come from these fields.
"""

from __future__ import annotations

import ipaddress
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from vdsim_plant.assembly import LEVELS
from vdsim_plant.ground.limits import checked_mu
from vdsim_plant.parameters.errors import ParameterError, wrong_value
from vdsim_plant.parameters.fields import check_fields, choice, real, require, text, whole
from vdsim_plant.parameters.substep import LONGEST_SUBSTEP_S, check_substep
from vdsim_plant.realtime.failsafe import FailsafePolicy
from vdsim_protocol.port_rule import same_machine
from vdsim_protocol.vds1 import VERSIONS
from vdsim_protocol.vds1.messages import FIRST_VERSION_WITH_VEHICLE_ID

from vdsim_plant_node.settings.road import check_ground

VERSION_RULE = f"within {VERSIONS[0]}..{VERSIONS[-1]}, or auto"
WITH_VEHICLE_ID = " or ".join(str(v) for v in VERSIONS if v >= FIRST_VERSION_WITH_VEHICLE_ID)

LARGEST_TICK_RATE_HZ = 2000.0
_WHOLE_TOLERANCE = 1e-9
_FARTHEST_M = {"at_least": -1e8, "at_most": 1e8}
"""Map coordinates such as those of UTM, and more: a float has still 15 nm there."""
_MOST_FILES = 1_000_000
_LARGEST_SEED = (1 << 64) - 1


@dataclass(frozen=True, order=True)
class Endpoint:
    """An IPv4 address and UDP port."""

    ip: str
    port: int

    def __post_init__(self) -> None:
        checked_ip("ip", self.ip)
        checked_port("port", self.port)

    @classmethod
    def parse(cls, key: str, value: object) -> Endpoint:
        """Read `IP:PORT`; faults name `key`."""
        ip, separator, port = str(value).rpartition(":")
        if not separator or not port.isdigit():
            raise wrong_value(key, value, "IP:PORT, for example 127.0.0.1:7002")
        return cls(checked_ip(key, ip), checked_port(key, int(port)))

    @property
    def address(self) -> tuple[str, int]:
        """As sockets want it."""
        return (self.ip, self.port)


def checked_ip(key: str, value: object) -> str:
    """Return a dotted IPv4 address, or raise; host names are refused to keep start-up offline."""
    try:
        return str(ipaddress.IPv4Address(value))
    except ValueError:
        allowed = "an IPv4 address such as 127.0.0.1"
        raise wrong_value(key, value, allowed) from None


def checked_sender(key: str, value: str) -> str | tuple[str, int]:
    """Return an IPv4 address, with a port when one is given, or raise."""
    ip, separator, port = value.rpartition(":")
    if not separator:
        return checked_ip(key, value)
    if not (port.isascii() and port.isdigit()):
        raise wrong_value(key, value, "IP or IP:PORT, for example 127.0.0.1:7002")
    return checked_ip(key, ip), checked_port(key, int(port))


def is_loopback(ip: str) -> bool:
    """Whether only this machine reaches the IPv4 address."""
    return ipaddress.IPv4Address(ip).is_loopback


def checked_port(key: str, value: object, *, lowest: int = 1) -> int:
    """Return a UDP port, or raise."""
    good = isinstance(value, int) and not isinstance(value, bool) and lowest <= value <= 65535
    if not good:
        raise wrong_value(key, value, f"a whole number within {lowest}..65535")
    assert isinstance(value, int)
    return value


@dataclass(frozen=True)
class StartState:
    """Where a vehicle starts: world frame (ENU) before the origin is added, body frame ISO 8855."""

    x_m: float = real(0.0, "east", unit="m", **_FARTHEST_M)
    y_m: float = real(0.0, "north", unit="m", **_FARTHEST_M)
    yaw_rad: float = real(0.0, "heading, 0 is east", unit="rad", at_least=-100.0, at_most=100.0)
    vx_mps: float = real(0.0, "forward speed", unit="m/s", at_least=-60.0, at_most=120.0)
    vy_mps: float = real(0.0, "leftward speed", unit="m/s", at_least=-60.0, at_most=60.0)
    yaw_rate_radps: float = real(0.0, "yaw rate", unit="rad/s", at_least=-10, at_most=10)

    def __post_init__(self) -> None:
        check_fields(self)


@dataclass(frozen=True)
class WorldOrigin:
    """Where the plant's own origin lies in the world frame (ENU) that goes on the wire."""

    x_m: float = real(0.0, "east", unit="m", **_FARTHEST_M)
    y_m: float = real(0.0, "north", unit="m", **_FARTHEST_M)
    z_m: float = real(0.0, "up", unit="m", at_least=-100_000.0, at_most=100_000.0)

    def __post_init__(self) -> None:
        check_fields(self)


@dataclass(frozen=True)
class VehicleSettings:
    """One vehicle of the server."""

    vehicle_id: int = whole(0, "number on the wire", at_least=0)
    vehicle: str = text("ioniq5_awd", "vehicle preset or file")
    tyre: str = text("vehicle", "tyre preset or file, 'vehicle' for the vehicle's own")
    level: str = choice("l2", "model", LEVELS)
    mu: float | None = None
    """Friction where the ground states none; None: what its file states, 0.9 without one."""
    ground: str | Mapping[str, Any] = "flat"
    """Ground file, 'flat' for a level plane, or the keys of such a file."""
    actuator: str = text("ideal", "actuator file, 'ideal' for none")
    sensor: str = text("ideal", "sensor file, 'ideal' for none")
    fmu: str = text("none", "FMU that moves in place of the built-in car, 'none' for none")
    fmu_names: str = text("none", "file with the names of the FMU's variables, 'none': as ours")
    assist: str = text("none", "ABS, traction control and ESC: preset or file, 'none'")
    seed: int = whole(0, "seed of the sensor noise", at_least=0, at_most=_LARGEST_SEED)
    charge: float = real(
        1.0, "charge or fuel at the start, of the capacity", at_least=0.0, at_most=1.0
    )
    cmd_port: int | None = None
    start: StartState = field(default_factory=StartState)
    origin: WorldOrigin = field(default_factory=WorldOrigin)
    failsafe: FailsafePolicy = field(default_factory=FailsafePolicy)
    state_to: tuple[Endpoint, ...] = ()

    def __post_init__(self) -> None:
        if isinstance(self.level, str):  # anything else is refused in the next line
            object.__setattr__(self, "level", self.level.lower())
        check_fields(self)
        require(self.vehicle_id <= 65535, "vehicle_id", f"={self.vehicle_id}: must be <= 65535")
        if self.mu is not None:
            object.__setattr__(self, "mu", checked_mu("mu", self.mu))
        check_ground(self.ground, self.mu)
        if self.cmd_port is not None:
            checked_port("cmd_port", self.cmd_port, lowest=0)


@dataclass(frozen=True)
class ServerSettings:
    """The server: its vehicles, its sockets and its clock."""

    vehicles: tuple[VehicleSettings, ...] = (VehicleSettings(),)
    cmd_ip: str = "127.0.0.1"
    cmd_port: int = 7001
    state_to: tuple[Endpoint, ...] = ()
    state_rate_hz: float = real(
        200.0, "STATE rate", unit="Hz", at_least=1.0, at_most=LARGEST_TICK_RATE_HZ
    )
    tick_rate_hz: float | None = None
    largest_substep_s: float = real(
        5e-4,
        "largest step of the solver",
        unit="s",
        at_least=1e-6,
        at_most=LONGEST_SUBSTEP_S,
    )
    allow_coarse_substep: bool = False
    protocol_version: int | None = None
    session_release_s: float = real(
        2.0,
        "silence of the sender after which another one may drive a standing car",
        unit="s",
        at_least=0.0,
        at_most=3600.0,
    )
    allow_from: tuple[str, ...] = ()
    """IP, or IP:PORT of a sender that another one never displaces; empty: any."""
    precise: bool = False
    record: str | None = None
    record_replace: bool = False
    record_file_mb: float = real(
        1000.0,
        "size of a recording at which the next file begins",
        unit="MB",
        at_least=1.0,
        at_most=1e6,
    )
    record_keep: int = whole(
        0, "newest files of a recording that stay, 0 for all", at_least=0, at_most=_MOST_FILES
    )
    http: str | None = None
    """Where the data port listens; None: at its default address, if that is free."""
    http_token: str | None = None
    tick_hz: float = field(init=False, default=0.0)
    ticks_per_state: int = field(init=False, default=1)

    def __post_init__(self) -> None:
        check_fields(self)
        allow = "" if self.allow_coarse_substep else "allow_coarse_substep"
        check_substep("largest_substep_s", self.largest_substep_s, allow=allow)
        checked_ip("cmd_ip", self.cmd_ip)
        checked_port("cmd_port", self.cmd_port, lowest=0)
        for sender in self.allow_from:
            checked_sender("allow_from", sender)
        if not self.allow_from and not is_loopback(self.cmd_ip):
            raise ParameterError(
                "cmd_ip",
                f"={self.cmd_ip}: needs allow_from, because other machines reach it; name the "
                "address of the sender there",
            )
        if self.protocol_version is not None and self.protocol_version not in VERSIONS:
            raise wrong_value("protocol_version", self.protocol_version, VERSION_RULE)
        self._check_vehicles()
        self._check_destinations()
        self._settle_rates()

    def _check_vehicles(self) -> None:
        require(len(self.vehicles) > 0, "vehicles", "must hold at least one vehicle")
        ids = [vehicle.vehicle_id for vehicle in self.vehicles]
        for vehicle_id in ids:
            if ids.count(vehicle_id) > 1:
                raise ParameterError("vehicle_id", f"={vehicle_id}: is there more than once")
        ports = [v.cmd_port for v in self.vehicles if v.cmd_port]
        if self.cmd_port in ports and any(v.cmd_port is None for v in self.vehicles):
            raise ParameterError(
                "cmd_port",
                f"={self.cmd_port}: is the server's and a vehicle's; vehicles that share the "
                "server's port leave theirs out",
            )
        for port in ports:
            if ports.count(port) > 1:
                raise ParameterError(
                    "cmd_port",
                    f"={port}: is there more than once; vehicles that share a port leave it out",
                )

        sharing = sum(vehicle.cmd_port is None for vehicle in self.vehicles)
        version = self.protocol_version
        if sharing > 1 and version is not None and version < FIRST_VERSION_WITH_VEHICLE_ID:
            raise ParameterError(
                "protocol_version",
                f"={version}: must be {WITH_VEHICLE_ID}, or auto, for {sharing} vehicles on one "
                "port; or give each vehicle a cmd_port",
            )

    def _check_destinations(self) -> None:
        """STATE must not go to a port on which CMD is received: that would be our own."""
        ports = {self.cmd_port, *(v.cmd_port for v in self.vehicles if v.cmd_port)} - {0}
        targets = [*self.state_to, *(end for v in self.vehicles for end in v.state_to)]
        for target in targets:
            if target.port in ports and same_machine(self.cmd_ip, target.ip):
                raise ParameterError(
                    "cmd_port",
                    f"={target.port}: must not be where STATE goes ({target.ip}:{target.port}, "
                    "state_port or state_to), or STATE goes to the server itself",
                )

    def _settle_rates(self) -> None:
        """Ticks come at a whole multiple of the STATE rate."""
        tick_hz = self.tick_rate_hz
        if tick_hz is None:
            per_state = max(1, -(-200 // self.state_rate_hz))
            tick_hz = self.state_rate_hz * per_state
        if not 1.0 <= tick_hz <= LARGEST_TICK_RATE_HZ:
            raise wrong_value("tick_rate_hz", tick_hz, f">= 1 and <= {LARGEST_TICK_RATE_HZ:g} Hz")
        ratio = tick_hz / self.state_rate_hz
        whole_ratio = abs(ratio - round(ratio)) < _WHOLE_TOLERANCE and ratio >= 1.0
        require(
            whole_ratio,
            "tick_rate_hz",
            f"={tick_hz:g}: must be a whole multiple of state_rate_hz ({self.state_rate_hz:g} Hz)",
        )
        object.__setattr__(self, "tick_hz", tick_hz)
        object.__setattr__(self, "ticks_per_state", round(ratio))

    @property
    def allowed_sources(self) -> tuple[str | tuple[str, int], ...] | None:
        """The senders that may drive, as a receiver expects them; None: any."""
        return tuple(checked_sender("allow_from", some) for some in self.allow_from) or None

    @property
    def tick_s(self) -> float:
        """Duration of one tick [s]."""
        return 1.0 / self.tick_hz

    @property
    def substep_s(self) -> float:
        """Step of the solver [s]: the largest allowed one that divides the tick."""
        return substep_for(self.tick_s, self.largest_substep_s)


def substep_for(tick_s: float, largest_s: float = 5e-4) -> float:
    """The longest step of the solver [s] up to `largest_s` of which a tick is a whole number."""
    return tick_s / math.ceil(tick_s / largest_s - _WHOLE_TOLERANCE)
