"""A drive through steady bends on a VDS1 server: platform `vds1` and its socket, no ROS.

The server's own fail-safe stops the car when this process ends early.
"""

import math
import time
from collections.abc import Callable

from vdsim_protocol.faults import parse_address
from vdsim_protocol.port_rule import same_machine

from vdsim_interface.extras.calibration.bend_drive import BendCommand, BendDrive, BendMotion
from vdsim_interface.extras.calibration.understeer_fit import UndersteerError
from vdsim_interface.parameters.vehicle import VehicleGeometry
from vdsim_interface.platforms.endpoints import Endpoints
from vdsim_interface.platforms.spec import PlatformSetup
from vdsim_interface.platforms.vds1.parameters import Vds1Parameters
from vdsim_interface.platforms.vds1.platform import Vds1Platform
from vdsim_interface.values import (
    Authority,
    BodyCommand,
    Gear,
    Mode,
    PlatformCommand,
    RawCommand,
    VehicleCommand,
    VehicleReport,
)

PERIOD_S = 0.01
NO_STATE_S = 10.0
"""A server that is silent for this long is not there."""
SCALE = 1e6
"""Units of a raw command per full pedal, and per rad."""
HELD_N = 20
"""Packets that hold the car at the end."""
STEER_MAX_RAD = 1.5
_OWN_HOST, _ANY_HOST = "127.0.0.1", "0.0.0.0"


def drive_bends(
    server: str, listen_port: int, drive: BendDrive, progress: Callable[[str], None]
) -> list[str]:
    """Drive every bend on the server at HOST:PORT; return the rows of the samples."""
    platform = _platform(server, listen_port)
    sockets = Endpoints(platform.endpoints())
    try:
        _run(platform, sockets, drive, progress)
        for _ in range(HELD_N):
            _send(platform, sockets, BendCommand(0.0, 1.0, 0.0), hand_brake=True)
            time.sleep(PERIOD_S)
    finally:
        sockets.close()
    return drive.rows


def _platform(server: str, listen_port: int) -> Vds1Platform:
    try:
        host, port = parse_address(server, "server")
        parameters = Vds1Parameters(
            plant_host=host,
            plant_port=port,
            listen_host=_OWN_HOST if same_machine(_ANY_HOST, host) else _ANY_HOST,
            listen_port=listen_port,
            initial_gear="DRIVE",
            raw_throttle_full=SCALE,
            raw_brake_full=SCALE,
            raw_steer_per_rad=SCALE,
        )
    except ValueError as error:
        raise UndersteerError(str(error)) from None
    geometry = VehicleGeometry(front_wheel_angle_max_rad=STEER_MAX_RAD)
    return Vds1Platform(parameters, PlatformSetup(geometry, PERIOD_S))


def _run(
    platform: Vds1Platform,
    sockets: Endpoints,
    drive: BendDrive,
    progress: Callable[[str], None],
) -> None:
    command = BendCommand(0.0, 0.0, 0.0)
    arrived_s = due_s = time.monotonic()
    rows_n = len(drive.rows)
    while not drive.is_done:
        now = time.monotonic()
        for report in _reports(platform, sockets, now):
            arrived_s = now
            if report.ready:
                command = drive.step(_motion(report))
        if now - arrived_s > NO_STATE_S:
            why = f"no STATE of it arrives within {NO_STATE_S:g} s"
            raise UndersteerError(f"server: {why}; {_rejects(platform, now)}")
        for row in drive.rows[rows_n:]:
            progress(row)
        rows_n = len(drive.rows)
        _send(platform, sockets, command)
        due_s = max(due_s + PERIOD_S, now)
        time.sleep(max(due_s - time.monotonic(), 0.0))


def _reports(platform: Vds1Platform, sockets: Endpoints, now: float) -> list[VehicleReport]:
    received = [
        platform.receive(data, source, name, now) for data, source, name in sockets.drain(now)
    ]
    return [one.report for one in received if one.report is not None]


def _motion(report: VehicleReport) -> BendMotion:
    return BendMotion(
        report.vehicle_time_s,
        report.velocity_mps,
        report.front_wheel_angle_rad,
        report.yaw_rate_radps,
    )


def _send(
    platform: Vds1Platform, sockets: Endpoints, command: BendCommand, *, hand_brake: bool = False
) -> None:
    now = time.monotonic()
    throttle, brake, angle = (round(SCALE * value) for value in command)
    order = PlatformCommand(
        authority=Authority.COMMAND,
        mode=Mode.MANUAL,  # the version of STATE may be adopted at any time
        vehicle=VehicleCommand(now),
        body=BodyCommand(gear=Gear.DRIVE, hand_brake=hand_brake),
        raw=RawCommand(now, throttle, brake, angle),
        engage_wanted=True,
    )
    sockets.send(platform.encode(order, now).datagrams)


def _rejects(platform: Vds1Platform, now: float) -> str:
    """What was received instead, for people."""
    figures = platform.link_statistics(now)
    counts = [
        f"{name.removeprefix('rejected_')} {value:.0f}"
        for name, value in figures.items()
        if name.startswith("rejected_") and value and math.isfinite(value)
    ]
    return f"rejected: {', '.join(counts)}" if counts else "nothing was received"
