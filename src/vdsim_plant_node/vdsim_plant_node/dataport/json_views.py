"""What the data port shows, as JSON values. Pure: plant values in, dicts out.

Units are SI, angles rad. World frame ENU with the vehicle's origin added, body frame ISO 8855,
wheels FL, FR, RL, RR, tyre forces in the wheel frame.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from enum import Enum
from typing import Any

from vdsim_plant.ground import Ground
from vdsim_plant.kernel import layout as at
from vdsim_plant.motion import PedalInput, VehicleMotion, Wheels
from vdsim_plant.parameters import VehicleParameters
from vdsim_plant.realtime.pacing import PacingReport
from vdsim_plant.realtime.watched_session import Drive
from vdsim_plant.session import SessionFrame, SessionOutput
from vdsim_protocol.link import LinkSnapshot

from vdsim_plant_node.live.snapshots import PortSnapshot
from vdsim_plant_node.live.strangers import text_of
from vdsim_plant_node.live.wire_state import normalized_angle
from vdsim_plant_node.live.wire_vehicle import WireVehicleStatus
from vdsim_plant_node.runs.recording import InputSource
from vdsim_plant_node.runs.recording_status import RecordingStatus
from vdsim_plant_node.settings.server_settings import WorldOrigin
from vdsim_protocol import vds1

Json = dict[str, Any]
_LARGEST_GRID_CELLS = 250_000
_LEAST_LOAD_N = 1.0


class Driver(Enum):
    """Who drives a vehicle, as the data port names it."""

    UDP = "udp"
    IO = "io"
    FAILSAFE = "failsafe"
    WAITING = "waiting"


def driver_of(drive: Drive, commanded_by: InputSource | None) -> Driver:
    """Who drives; commands that are no longer fresh do not, even before a tick has noticed."""
    if drive is Drive.WAITING:
        return Driver.WAITING
    if commanded_by is InputSource.COMMAND:
        return Driver.UDP
    return Driver.IO if commanded_by is InputSource.LOCAL else Driver.FAILSAFE


def snapshot_view(output: SessionOutput, origin: WorldOrigin) -> Json:
    """The state of a vehicle after its last tick."""
    motion, realized = output.motion, output.realized
    return {
        "t": output.time_s,
        "tick": output.tick,
        **_pose(motion, origin),
        "vx": motion.vx_mps,
        "vy": motion.vy_mps,
        "r": motion.yaw_rate_radps,
        "ax": motion.ax_mps2,
        "ay": motion.ay_mps2,
        "beta": motion.beta_rad,
        "steer": motion.steer_applied_rad,
        "throttle": motion.throttle_applied,
        "brake": motion.brake_applied,
        "gear": realized.gear,
        "handbrake": realized.handbrake,
        "rack_torque": motion.rack_torque_nm,
        "spin": motion.wheel_spin_radps,
        "Fx": motion.tire_fx_n,
        "Fy": motion.tire_fy_n,
        "Fz": motion.tire_fz_n,
        "kappa": motion.slip_ratio,
        "alpha": motion.slip_angle_rad,
        "susp": motion.suspension_compression_m,
        "mu": motion.wheel_mu,
        "grip": grip_use(motion),
        "charge": output.charge,
        "command": command_view(output.commanded),
    }


def telemetry_view(output: SessionOutput, origin: WorldOrigin) -> Json:
    """The state in a telemetry datagram."""
    motion = output.motion
    return {
        **_pose(motion, origin),
        "vx": motion.vx_mps,
        "vy": motion.vy_mps,
        "r": motion.yaw_rate_radps,
        "ax": motion.ax_mps2,
        "ay": motion.ay_mps2,
        "steer": motion.steer_applied_rad,
        "Fz": motion.tire_fz_n,
    }


def command_view(pedals: PedalInput) -> Json:
    """A command as it is latched."""
    return {
        "steer": pedals.steer_rad,
        "throttle": pedals.throttle,
        "brake": pedals.brake,
        "gear": pedals.gear,
        "handbrake": pedals.handbrake,
    }


def _pose(motion: VehicleMotion, origin: WorldOrigin) -> Json:
    return {
        "x": motion.x_m + origin.x_m,
        "y": motion.y_m + origin.y_m,
        "z": motion.z_m + origin.z_m,
        "yaw": normalized_angle(motion.yaw_rad),
        "roll": motion.roll_rad,
        "pitch": motion.pitch_rad,
    }


def grip_use(motion: VehicleMotion) -> Wheels:
    """Share of the friction that each tyre uses, |F| / (mu Fz): 1 is the limit."""
    fl, fr, rl, rr = (
        math.hypot(fx, fy) / (mu * fz) if fz > _LEAST_LOAD_N else 0.0
        for fx, fy, fz, mu in zip(
            motion.tire_fx_n, motion.tire_fy_n, motion.tire_fz_n, motion.wheel_mu, strict=True
        )
    )
    return (fl, fr, rl, rr)


def neighbour_view(frame: SessionFrame, origin: WorldOrigin) -> list[float]:
    """Where another vehicle is: x, y, yaw; from the core's numbers, because there may be many."""
    car = frame.capture[0]
    return [float(car[at.X]) + origin.x_m, float(car[at.Y]) + origin.y_m, float(car[at.YAW])]


def fleet_view(
    vehicle_id: int, driver: Driver, *, lost: bool, frame: SessionFrame, origin: WorldOrigin
) -> Json:
    """One line of the overview of all vehicles."""
    car = frame.capture[0]
    return {
        "vehicle": vehicle_id,
        "driver": driver.value,
        "lost": lost,
        "vx": float(car[at.VX]),
        "pose": neighbour_view(frame, origin),
    }


def status_view(status: WireVehicleStatus) -> Json:
    """Who drives a vehicle, and how its commands arrive."""
    return {
        "vehicle": status.vehicle_id,
        "driver": driver_of(status.drive, status.commanded_by).value,
        "failsafes": status.failsafes,
        "failsafe_policy": status.failsafe_policy,
        "command_age": status.command_age_s,
        "commands": status.commands,
        "states": status.states,
        "version": status.command_version,
        "link": link_view(status.link),
    }


def link_view(link: LinkSnapshot) -> Json:
    """How the CMD packets of one vehicle arrive."""
    return {
        "accepted": link.accepted,
        "lost": link.lost,
        "loss": link.loss_ratio,
        "reordered": link.reordered,
        "duplicates": link.duplicates,
        "sessions": link.sessions,
        "rate": link.rate_hz,
        "age": link.age_s,
        "jitter": link.jitter_s,
    }


def port_view(port: PortSnapshot) -> Json:
    """What has arrived at one UDP port, and what was dropped for which reason."""
    return {
        "ip": port.address[0],
        "port": port.address[1],
        "accepted": port.counters.accepted,
        "clamped": port.counters.clamped,
        "rejected": port.counters.rejected_total,
        "reasons": {reason.value: n for reason, n in port.counters.rejected.items() if n},
        "send_failures": port.send_failures,
        "discarded": port.discarded,
    }


def senders_view(port: PortSnapshot, vehicle_id: int) -> Json:
    """Whose commands a vehicle follows, and the latest sender that may not drive it."""
    owner, stranger = port.owners[vehicle_id], port.strangers[vehicle_id]
    return {
        "owner": None if owner is None else text_of(owner),
        "stranger": None
        if stranger is None
        else {"address": text_of(stranger.address), "packets": stranger.packets},
    }


def pacing_view(pacing: PacingReport) -> Json:
    """How well the ticks keep their time."""
    return {
        "ticks": pacing.ticks,
        "overruns": pacing.overruns,
        "skipped": pacing.skipped_ticks,
        "late_p50": pacing.lateness_p50_s,
        "late_p99": pacing.lateness_p99_s,
        "late_max": pacing.lateness_max_s,
    }


def recording_view(recording: RecordingStatus | None) -> Json | None:
    """Where the run is recorded, and why not any more."""
    if recording is None:
        return None
    return {
        "file": recording.path.name,
        "bytes": recording.written_bytes,
        "failure": recording.failure,
    }


def shape_view(vehicle: VehicleParameters) -> Json:
    """What is needed to draw a vehicle."""
    body = vehicle.body
    return {
        "length": body.length_m,
        "width": body.width_m,
        "front_overhang": body.front_overhang_m,
        "cg_to_front": body.cg_to_front_axle_m,
        "cg_to_rear": body.cg_to_rear_axle_m,
        "track_front": body.track_front_m,
        "track_rear": body.track_rear_m,
        "wheel_radius": vehicle.wheels.radius_m,
        "max_steer": vehicle.steering.max_angle_rad,
        "mass": body.mass_kg,
    }


def road_view(ground: Ground, origin: WorldOrigin) -> Json:
    """The friction map, in the world frame, to be painted in the order of the keys."""
    dx, dy = origin.x_m, origin.y_m
    split, grid = ground.split, ground.grid
    return {
        "base_mu": ground.base_mu,
        "split": None
        if split is None
        else {"y": split.y_m + dy, "left": split.mu_left, "right": split.mu_right},
        "grid": None if grid is None else _grid_view(grid.values.tolist(), grid, dx, dy),
        "x_patches": [[patch.x0_m + dx, patch.x1_m + dx, patch.mu] for patch in ground.x_patches],
        "polygons": [
            {"points": [[x + dx, y + dy] for x, y in patch.points_m], "mu": patch.mu}
            for patch in ground.polygons
        ],
        "transition": ground.transition_m,
        "plane": _plane_view(ground, origin),
    }


def _plane_view(ground: Ground, origin: WorldOrigin) -> Json:
    """The height of the road in the world frame: z = gx x + gy y + z0.

    Positions are measured along the road, as STATE has them, so the rise is per length of road.
    """
    rise = math.sqrt(1.0 + ground.slope_x**2 + ground.slope_y**2)
    gx, gy = ground.slope_x / rise, ground.slope_y / rise
    return {"gx": gx, "gy": gy, "z0": origin.z_m - gx * origin.x_m - gy * origin.y_m}


def _grid_view(rows: list[list[float]], grid: Any, dx: float, dy: float) -> Json | None:
    """The cells, row by row from the south; None in a cell that lets the ground below through."""
    if len(rows) * len(rows[0]) > _LARGEST_GRID_CELLS:
        return None
    cells = [[None if math.isnan(mu) else mu for mu in row] for row in rows]
    return {"x": grid.x0_m + dx, "y": grid.y0_m + dy, "cell": grid.cell_m, "rows": cells}


def unknown_vehicle(vehicle: int, known: Mapping[int, object]) -> Json:
    """The answer to a request for a vehicle that is not there."""
    numbers = list(known)
    listed = ", ".join(map(str, numbers))
    return {"error": f"vehicle={vehicle}: must be one of {listed}", "vehicles": numbers}


def reason_texts() -> dict[str, str]:
    """What each reason for dropping a packet means."""
    return {reason.value: text for reason, text in vds1.REASON_TEXT.items()}
