"""Between the plant's values and the wire's: Command to PedalInput, output to State. Pure."""

from __future__ import annotations

import math

from vdsim_plant.motion import PedalInput
from vdsim_plant.parameters import ParameterError
from vdsim_plant.session import SessionOutput

from vdsim_plant_node.settings.server_settings import WorldOrigin
from vdsim_protocol import vds1

_TURN = 2.0 * math.pi
_PEDAL_LIMITS = (
    ("steer_rad", -0.5 * math.pi, 0.5 * math.pi),
    ("throttle", 0.0, 1.0),
    ("brake", 0.0, 1.0),
)


def pedals_of(command: vds1.Command, max_steer_rad: float) -> PedalInput:
    """The pedals of a command, the tyre angle within the vehicle's."""
    steer_rad = min(max(command.steering_tire_angle_rad, -max_steer_rad), max_steer_rad)
    return PedalInput(
        steer_rad, command.throttle, command.brake, int(command.gear), bool(command.handbrake)
    )


def checked_pedals(pedals: PedalInput) -> PedalInput:
    """The pedals when every value is finite and within its range, else a ParameterError."""
    for name, low, high in _PEDAL_LIMITS:
        value = getattr(pedals, name)
        if not low <= value <= high:
            raise ParameterError(name, f"={value}: must be within {low:g}..{high:g}")
    if pedals.gear not in (-1, 0, 1):
        raise ParameterError("gear", f"={pedals.gear}: must be -1, 0 or 1")
    return pedals


def command_of(pedals: PedalInput) -> vds1.Command:
    """The command that asks for these pedals."""
    return vds1.Command(
        steering_tire_angle_rad=pedals.steer_rad,
        throttle=pedals.throttle,
        brake=pedals.brake,
        gear=vds1.Gear(pedals.gear),
        handbrake=pedals.handbrake,
    )


def normalized_angle(angle_rad: float) -> float:
    """The same angle within (-pi, pi]."""
    wrapped = math.remainder(angle_rad, _TURN)
    return math.pi if wrapped == -math.pi else wrapped


def state_of(output: SessionOutput, origin: WorldOrigin) -> vds1.State:
    """The STATE content: world positions from the origin on, tyre forces in the body frame."""
    motion, measured = output.motion, output.measured
    return vds1.State(
        x_world_m=motion.x_m + origin.x_m,
        y_world_m=motion.y_m + origin.y_m,
        z_world_m=motion.z_m + origin.z_m,
        roll_rad=motion.roll_rad,
        pitch_rad=motion.pitch_rad,
        yaw_rad=normalized_angle(motion.yaw_rad),
        vx_mps=motion.vx_mps,
        vy_mps=motion.vy_mps,
        vz_mps=motion.vz_mps,
        roll_rate_radps=motion.roll_rate_radps,
        pitch_rate_radps=motion.pitch_rate_radps,
        yaw_rate_radps=motion.yaw_rate_radps,
        ax_body_mps2=motion.ax_mps2,
        ay_body_mps2=motion.ay_mps2,
        wheel_spin_radps=motion.wheel_spin_radps,
        steering_tire_angle_applied_rad=motion.steer_applied_rad,
        wheel_radius_nominal_m=motion.wheel_radius_m,
        tire_fz_n=motion.tire_fz_n,
        rack_torque_nm=motion.rack_torque_nm,
        slip_ratio=motion.slip_ratio,
        slip_angle_rad=motion.slip_angle_rad,
        susp_compression_m=motion.suspension_compression_m,
        m_ax_mps2=measured.ax_mps2,
        m_ay_mps2=measured.ay_mps2,
        m_yaw_rate_radps=measured.yaw_rate_radps,
        m_steer_rad=measured.steer_rad,
        m_gnss_x_m=measured.gnss_x_m + origin.x_m,
        m_gnss_y_m=measured.gnss_y_m + origin.y_m,
        tire_fx_n=motion.tire_body_fx_n,
        tire_fy_n=motion.tire_body_fy_n,
        throttle_applied=motion.throttle_applied,
        brake_applied=motion.brake_applied,
    )
