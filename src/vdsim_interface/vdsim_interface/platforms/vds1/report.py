"""STATE -> VehicleReport."""

from math import nan

from vdsim_interface.values import NO_DRIVER, Applied, BodyState, Sensors, VehicleReport
from vdsim_interface.values.records import record
from vdsim_interface.values.vehicle import NO_EXTRA
from vdsim_protocol import vds1


def report_of(
    packet: vds1.Packet[vds1.State], body: BodyState, effort_mps2: float, now: float
) -> VehicleReport:
    """Translate one STATE packet that was received at `now`; `details` is the packet."""
    state = packet.body
    front_rad, accel = state.steering_tire_angle_applied_rad, state.ax_body_mps2
    applied = record(
        Applied, (front_rad, accel, state.throttle_applied, state.brake_applied, effort_mps2)
    )
    sensors = record(
        Sensors,
        (
            state.m_ax_mps2, state.m_ay_mps2, nan, state.m_yaw_rate_radps,
            state.m_gnss_x_m, state.m_gnss_y_m, nan,
            state.wheel_spin_radps, state.wheel_radius_nominal_m,
        ),
    )  # fmt: skip
    return record(
        VehicleReport,
        (
            now, packet.timestamp_s, state.vx_mps, front_rad, body, applied,
            0.0, state.vy_mps, state.vz_mps, state.x_world_m, state.y_world_m, state.z_world_m,
            state.roll_rad, state.pitch_rad, state.yaw_rad,
            state.roll_rate_radps, state.pitch_rate_radps, state.yaw_rate_radps,
            accel, state.ay_body_mps2, sensors,
            NO_DRIVER, True, packet.seq, packet[0], NO_EXTRA, packet, "", False,
        ),
    )  # fmt: skip
