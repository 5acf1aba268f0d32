"""What can be set about the emulator: ports, car, start, boxes; from a YAML file and options."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from vdsim_plant.parameters.errors import ParameterError, wrong_value
from vdsim_plant.parameters.fields import check_fields, choice, real, text, whole
from vdsim_protocol.port_rule import NamedPort, equal_ports

from vdsim_plant_node.morai.map_projection import MapOrigin
from vdsim_plant_node.settings.documents import as_group, load_document
from vdsim_plant_node.settings.server_settings import checked_ip, checked_port
from vdsim_protocol import morai

BOX_NUMBERS = "two numbers, x and y [m]"


@dataclass(frozen=True)
class Ports:
    """UDP ports: where the simulator listens, and where its messages go on the other side."""

    control: int = 9093
    multi_ego: int = 7604
    set_traffic_light: int = 7607
    set_intersection: int = 9132
    lamps: int = 9097
    scenario: int = 9099
    sensor_control: int = 9103
    save_sensor_data: int = 9105
    ego_ghost: int = 9095
    npc_ghost: int = 9101
    status: int = 909
    objects: int = 7505
    traffic_light: int = 7502
    collisions: int = 9092
    npc_collisions: int = 9112
    intersection: int = 9102
    competition: int = 1909
    imu: int = 4001
    gps: int = 3001

    def __post_init__(self) -> None:
        for item in fields(self):
            checked_port(f"ports.{item.name}", getattr(self, item.name))

    @property
    def listening(self) -> tuple[int, ...]:
        """Ports of the simulator."""
        return tuple(getattr(self, name) for name in LISTENING)


SENDING = (
    *("status", "objects", "traffic_light", "collisions", "npc_collisions", "intersection"),
    *("competition", "imu", "gps"),
)
LISTENING = tuple(item.name for item in fields(Ports) if item.name not in SENDING)


@dataclass(frozen=True)
class EmulatorSettings:
    """One emulator."""

    vehicle: str = text("ioniq5_awd", "vehicle preset or file")
    host: str = text("127.0.0.1", "address on which commands are received")
    to: str = text("127.0.0.1", "address to which messages go")
    release: str = choice("21", "of the simulator: layouts, signs, limits", tuple(morai.RELEASES))
    generation: int = whole(0, "of Ego Vehicle Status, 1 to 5; 0: the release's", at_least=0)
    imu_generation: int = whole(
        0, "of the IMU: 1 has 107 bytes, 2 has 115 with a time stamp; 0: the release's", at_least=0
    )
    steer_positive: str = choice(
        "release", "side of positive steering; release: the release's", ("release", "left", "right")
    )
    steer_reported_positive: str = choice(
        "as_commanded",
        "side of a positive wheel angle in the status; as_commanded: that of the commands",
        ("as_commanded", "left", "right"),
    )
    steer_max_deg: float = real(
        36.25, "wheel angle of a steering command of 1", unit="deg", above=0.0, at_most=90.0
    )
    mu: float = real(0.9, "friction of the road", above=0.0, at_most=2.0)
    utm_zone: int = whole(52, "UTM zone of the map, northern half", at_least=1, at_most=60)
    origin_easting_m: float = real(
        302595.0, "of the map's origin", unit="m", at_least=-1e7, at_most=1e7
    )
    origin_northing_m: float = real(
        4124145.0, "of the map's origin", unit="m", at_least=-1e7, at_most=1e7
    )
    ports: Ports = field(default_factory=Ports)
    boxes: tuple[tuple[float, float], ...] = ((120.0, 8.0),)
    """Middles of static boxes, 2 m wide [m]."""

    def __post_init__(self) -> None:
        check_fields(self)
        checked_ip("host", self.host)
        checked_ip("to", self.to)
        self._check_ports()
        if self.generation not in range(6):
            raise wrong_value("generation", self.generation, "within 0..5")
        if self.imu_generation not in range(3):
            raise wrong_value("imu_generation", self.imu_generation, "within 0..2")

    @property
    def as_release(self) -> morai.Release:
        """The release with what is set in place of its own values."""
        release = morai.RELEASES[self.release]
        if self.generation:
            generations = {**release.generations, morai.EgoVehicleStatus: self.generation}
            release = replace(release, generations=generations)
        if self.imu_generation:
            generations = {**release.generations, morai.ImuData: self.imu_generation}
            release = replace(release, generations=generations)
        if self.steer_positive != "release":
            release = replace(release, steer_positive=self.steer_positive)
        return release

    @property
    def reported_sign(self) -> float:
        """+1 where a positive wheel angle of the status is left."""
        reported = self.steer_reported_positive
        side = self.as_release.steer_positive if reported == "as_commanded" else reported
        return 1.0 if side == "left" else -1.0

    @property
    def origin(self) -> MapOrigin:
        """Where the map lies on the earth."""
        return MapOrigin(self.utm_zone, self.origin_easting_m, self.origin_northing_m)

    def _check_ports(self) -> None:
        """Each message has a port of its own, at either end."""
        host_of = dict.fromkeys(LISTENING, self.host) | dict.fromkeys(SENDING, self.to)
        found = equal_ports(
            NamedPort(name, host, getattr(self.ports, name)) for name, host in host_of.items()
        )
        if found is not None:
            earlier, later = found
            problem = f"={later.port}: must not be ports.{earlier.option} too"
            raise ParameterError(f"ports.{later.option}", problem)


def load_settings(path: Path | None, options: Mapping[str, Any]) -> EmulatorSettings:
    """The settings of a file (None: the defaults), with options that outrank it."""
    settings = EmulatorSettings() if path is None else _of_file(path)
    given = {name: value for name, value in options.items() if value is not None}
    ports = {
        name.removesuffix("_port"): value for name, value in given.items() if name.endswith("_port")
    }
    rest = {name: value for name, value in given.items() if not name.endswith("_port")}
    return replace(settings, **rest, ports=replace(settings.ports, **ports))


def _of_file(path: Path) -> EmulatorSettings:
    given = dict(load_document(path, [item.name for item in fields(EmulatorSettings)]))
    try:
        ports = dict(as_group("ports", given.pop("ports", None)))
        known = [item.name for item in fields(Ports)]
        for name in ports:
            if name not in known:
                raise wrong_value("ports", name, f"one of {', '.join(known)}")
        if isinstance(given.get("release"), int):  # 21 without quotes
            given["release"] = str(given["release"])
        if "boxes" in given:
            given["boxes"] = _boxes(given["boxes"])
        return EmulatorSettings(**given, ports=Ports(**ports))
    except ParameterError as error:
        raise error.in_file(path.name) from None


def _boxes(value: object) -> tuple[tuple[float, float], ...]:
    if value is None:
        return ()
    if not isinstance(value, list):
        raise wrong_value("boxes", value, f"a list of {BOX_NUMBERS}")
    return tuple(_box(number, box) for number, box in enumerate(value))


def _box(number: int, value: object) -> tuple[float, float]:
    if not isinstance(value, list) or len(value) != 2:
        raise wrong_value(f"boxes[{number}]", value, BOX_NUMBERS)
    try:
        return float(value[0]), float(value[1])
    except (TypeError, ValueError):
        raise wrong_value(f"boxes[{number}]", value, BOX_NUMBERS) from None
