"""The options of a plant server: one table for the command line and for the ROS parameters.

An option left out (None) takes the default that settings.py declares, so no default is here.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vdsim_plant.parameters.errors import ParameterError, wrong_value
from vdsim_plant.parameters.input_file import read_text

from vdsim_plant_node.settings.documents import load_document
from vdsim_plant_node.settings.fleet import load_fleet, vehicle_from_mapping
from vdsim_plant_node.settings.http_address import DEFAULT_ADDRESS, OFF, parse_http
from vdsim_plant_node.settings.server_settings import (
    VERSION_RULE,
    Endpoint,
    ServerSettings,
    VehicleSettings,
    checked_port,
)

DEFAULT_STATE_IP = "127.0.0.1"
DEFAULT_STATE_PORT = 7002


@dataclass(frozen=True)
class Option:
    """One option; `key` is where it goes: a field of VehicleSettings (dotted) or a server's."""

    name: str
    kind: type
    key: str
    help: str
    of_vehicle: bool = False
    many: bool = False

    @property
    def flag(self) -> str:
        """As on the command line."""
        return "--" + self.name.replace("_", "-")


def _of_vehicle(name: str, kind: type, key: str, text: str) -> Option:
    return Option(name=name, kind=kind, key=key, help=text, of_vehicle=True)


def _of_server(name: str, kind: type, key: str, text: str, *, many: bool = False) -> Option:
    return Option(name=name, kind=kind, key=key, help=text, many=many)


VEHICLE_OPTIONS = (
    _of_vehicle(
        "level", str, "level", "model: kinematic, l1 (dynamic bicycle), l2 (7-DOF), l3 (14-DOF)"
    ),
    _of_vehicle("mu", float, "mu", "friction where the ground file states no base_mu"),
    _of_vehicle("ground", str, "ground", "ground file: friction patches, grade"),
    _of_vehicle("actuator", str, "actuator", "actuator file: lags, delays, rate limits"),
    _of_vehicle("assist", str, "assist", "driver assistance: abs, passenger_car or a file"),
    _of_vehicle("sensor", str, "sensor", "sensor file: noise, bias, delay"),
    _of_vehicle("fmu", str, "fmu", "FMU of another tool that moves in place of the built-in car"),
    _of_vehicle("fmu_names", str, "fmu_names", "file: which variable of the FMU is which of ours"),
    _of_vehicle("seed", int, "seed", "seed of the sensor noise"),
    _of_vehicle("charge", float, "charge", "charge or fuel at the start, 0..1"),
    _of_vehicle("vehicle_id", int, "vehicle_id", "number of the vehicle on the wire (v4, v5)"),
    _of_vehicle("x0", float, "start.x_m", "start, east [m]"),
    _of_vehicle("y0", float, "start.y_m", "start, north [m]"),
    _of_vehicle("yaw0", float, "start.yaw_rad", "start heading [rad], 0 is east"),
    _of_vehicle("vx0", float, "start.vx_mps", "start speed [m/s]"),
    _of_vehicle("vy0", float, "start.vy_mps", "start speed to the left [m/s]"),
    _of_vehicle("r0", float, "start.yaw_rate_radps", "start yaw rate [rad/s]"),
    _of_vehicle("origin_x", float, "origin.x_m", "plant origin in the world, east [m]"),
    _of_vehicle("origin_y", float, "origin.y_m", "plant origin in the world, north [m]"),
    _of_vehicle("origin_z", float, "origin.z_m", "plant origin in the world, up [m]"),
    _of_vehicle("cmd_timeout", float, "failsafe.timeout_s", "fail-safe after this silence [s]"),
    _of_vehicle("failsafe_brake", float, "failsafe.brake", "brake pedal of the fail-safe, 0..1"),
    _of_vehicle("failsafe_steer", str, "failsafe.steer", "fail-safe steering: hold, straight"),
)

SERVER_OPTIONS = (
    _of_server("config", str, "config", "settings file; options given beside it win"),
    _of_server("cmd_ip", str, "cmd_ip", "address to listen on"),
    _of_server("cmd_port", int, "cmd_port", "port to listen on for CMD; 0: any free one"),
    _of_server("state_ip", str, "state_ip", "address that STATE goes to"),
    _of_server("state_port", int, "state_port", "port that STATE goes to; 0: to no fixed address"),
    _of_server("state_to", str, "state_to", "further IP:PORT that STATE goes to", many=True),
    _of_server("rate", float, "state_rate_hz", "STATE rate [Hz], up to 1000"),
    _of_server(
        "tick_rate", float, "tick_rate_hz", "tick rate [Hz]; default: 200 or the STATE rate"
    ),
    _of_server("substep", float, "largest_substep_s", "largest step of the solver [s]"),
    _of_server(
        "allow_coarse_substep",
        bool,
        "allow_coarse_substep",
        "allow steps of the solver above 2 ms, whose motion is inexact",
    ),
    _of_server("protocol_version", str, "protocol_version", "of VDS1; auto: that of CMD"),
    _of_server(
        "allow_from", str, "allow_from", "accept CMD only from this IP or IP:PORT", many=True
    ),
    _of_server(
        "session_release",
        float,
        "session_release_s",
        "silence after which another sender may drive a standing car [s]",
    ),
    _of_server("precise", bool, "precise", "spin before each tick: less jitter, more CPU"),
    _of_server("record", str, "record", "write CMD and STATE to this .vds file"),
    _of_server("record_replace", bool, "record_replace", "replace an existing file of --record"),
    _of_server("record_file_mb", float, "record_file_mb", "begin the next file at this size [MB]"),
    _of_server("record_keep", int, "record_keep", "keep this many of the newest files; 0: all"),
    _of_server("vehicles", str, "vehicles", "fleet file: several vehicles in one server"),
    _of_server("http", str, "http", f"dashboard at HOST:PORT, or off; default {DEFAULT_ADDRESS}"),
    _of_server("http_token", str, "http_token", "token of the data port, or @FILE that holds it"),
)

OPTIONS = VEHICLE_OPTIONS + SERVER_OPTIONS

NAMES = (
    Option(name="vehicle", kind=str, key="vehicle", help="vehicle preset or file"),
    Option(
        name="tyre", kind=str, key="tyre", help="tyre preset or file; 'vehicle': the vehicle's own"
    ),
)
"""What the command line takes without a flag."""

BY_NAME = {option.name: option for option in (*NAMES, *OPTIONS)}
_WORDS = {float: "number", int: "whole number", bool: "truth value", str: "text"}


def add_options(parser: argparse.ArgumentParser, options: tuple[Option, ...] = OPTIONS) -> None:
    """Declare the options on a command line."""
    for option in options:
        if option.kind is bool:
            parser.add_argument(option.flag, action="store_const", const=True, help=option.help)
        elif option.many:
            parser.add_argument(option.flag, action="append", type=option.kind, help=option.help)
        else:
            parser.add_argument(option.flag, type=option.kind, help=option.help)


def vehicle_values(given: Mapping[str, Any]) -> dict[str, Any]:
    """The keys of a vehicle that were given, `vehicle` and `tyre` included, as nested groups."""
    values: dict[str, Any] = {
        name: given[name] for name in ("vehicle", "tyre") if given.get(name) is not None
    }
    for option in VEHICLE_OPTIONS:
        value = given.get(option.name)
        if value is None:
            continue
        group, dot, field = option.key.partition(".")
        if dot:
            values.setdefault(group, {})[field] = value
        else:
            values[option.key] = value
    return values


def typed(option: Option, value: Any) -> Any:
    """The value in the option's type; whole numbers may stand for real ones."""
    if option.many:
        if isinstance(value, str):  # a launch argument is one text
            return [value] if value else []
        if not isinstance(value, (list, tuple)):
            raise wrong_value(option.name, value, "a list of texts")
        return [str(item) for item in value]
    if option.name == "http" and value is False:
        return OFF  # what YAML makes of the word off
    if option.name == "ground" and isinstance(value, Mapping):
        return value
    if isinstance(value, bool) or option.kind is not str:
        return _of_kind(option, value)
    if not isinstance(value, (str, int, float)):
        raise wrong_value(option.name, value, "a text")
    return str(value)


def _of_kind(option: Option, value: Any) -> Any:
    whole_for_real = option.kind is float and type(value) is int
    if type(value) is not option.kind and not whole_for_real:
        raise wrong_value(option.name, value, f"a {_WORDS[option.kind]}")
    try:
        return option.kind(value)
    except OverflowError:  # an integer beyond every float
        raise wrong_value(option.name, value, "finite") from None


def server_settings(given: Mapping[str, Any]) -> ServerSettings:
    """Build the settings of a server from options by name; an error names the option."""
    config = given.get("config")
    filed = load_config(Path(config)) if config else {}
    named = {name: value for name, value in given.items() if value is not None}
    try:
        return _server_settings({**filed, **named})
    except ParameterError as error:
        found = named_by_option(error)
        if found.key.partition(".")[0] in filed.keys() - named.keys():
            raise found.in_file(Path(str(config)).name) from error
        raise found from error


def load_config(path: Path) -> dict[str, Any]:
    """Read the options of a settings file, as the dashboard saves it: names as in OPTIONS."""
    known = [name for name in BY_NAME if name != "config"]
    document = load_document(path, known)
    try:
        return {
            name: typed(BY_NAME[name], value)
            for name, value in document.items()
            if value is not None
        }
    except ParameterError as error:
        raise error.in_file(path.name) from None


def named_by_option(error: ParameterError) -> ParameterError:
    """The same error by the option's name; that of a file keeps the file's own keys."""
    names = {} if error.source else {option.key: option.name for option in OPTIONS}
    return ParameterError(names.get(error.key, error.key), error.problem, source=error.source)


def _server_settings(given: Mapping[str, Any]) -> ServerSettings:
    values = {
        option.key: given[option.name]
        for option in SERVER_OPTIONS
        if given.get(option.name) is not None and option.name != "config"
    }
    state_to = _destinations(values)
    values["allow_from"] = tuple(values.get("allow_from", ()))
    values["protocol_version"] = _version(values.get("protocol_version", "auto"))
    values["http_token"] = token_of(values.get("http_token"))
    http = parse_http(values.get("http"), values["http_token"])  # refused before cars are built
    vehicles = _vehicles(values.pop("vehicles", None), given)
    settings = ServerSettings(vehicles=vehicles, state_to=state_to, **values)
    if http is not None and values.get("http"):
        _check_http_port(http.port, settings)
    return settings


def _check_http_port(port: int, settings: ServerSettings) -> None:
    """One number for a TCP and a UDP port works, and is never meant: firewalls, tools, readers."""
    used = {end.port: "state_port, or state_to" for end in settings.state_to}
    used |= {settings.cmd_port: "cmd_port"}
    if port and port in used:
        raise ParameterError("http", f"={port}: must not be the port of {used[port]} too")


def _vehicles(fleet: str | None, given: Mapping[str, Any]) -> tuple[VehicleSettings, ...]:
    if fleet is None:
        return (vehicle_from_mapping(vehicle_values(given)),)
    names = ("vehicle", "tyre", *(option.name for option in VEHICLE_OPTIONS))
    for name in names:
        if given.get(name) is not None:
            problem = "cannot go with a fleet file; say it there, under defaults or the vehicle"
            raise ParameterError(name, problem)
    return load_fleet(Path(fleet))


def _destinations(values: dict[str, Any]) -> tuple[Endpoint, ...]:
    """Take the destination options out of `values`; duplicates collapse."""
    ip = values.pop("state_ip", DEFAULT_STATE_IP)
    port = checked_port("state_port", values.pop("state_port", DEFAULT_STATE_PORT), lowest=0)
    further = values.pop("state_to", ())
    found = [_destination("state_ip", f"{ip}:{port}", ip)] if port else []
    found += [_destination("state_to", target, target) for target in further]
    return tuple(dict.fromkeys(found))


def _destination(key: str, endpoint: object, given: object) -> Endpoint:
    """An address to send to; 0.0.0.0 means every address of this machine, where it listens."""
    found = Endpoint.parse(key, endpoint)
    if found.ip == "0.0.0.0":
        raise wrong_value(key, given, "the address of one machine, not 0.0.0.0")
    return found


def token_of(value: str | None) -> str | None:
    """A token as it was given, or read from the file that was named, out of sight of `ps`."""
    if value is None or not value.startswith("@"):
        return value
    return read_text(Path(value[1:]), source=value[1:]).strip()


def _version(value: object) -> int | None:
    if value == "auto":
        return None
    try:
        return int(str(value))
    except ValueError:
        raise wrong_value("protocol_version", value, VERSION_RULE) from None
