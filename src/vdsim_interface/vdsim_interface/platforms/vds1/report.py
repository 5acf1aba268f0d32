"""STATE -> VehicleReport."""

from vdsim_interface.values import Applied, BodyState, Sensors, VehicleReport
from vdsim_protocol import vds1


def report_of(packet: vds1.Packet[vds1.State], body: BodyState, now: float) -> VehicleReport:
    """Translate one STATE packet that was received at `now`; `details` is the packet."""
    state = packet.body
    return VehicleReport(
        now,
        packet.timestamp_s,
        state.vx_mps,
        state.steering_tire_angle_applied_rad,
        body,
        Applied(
            state.steering_tire_angle_applied_rad,
            state.ax_body_mps2,
            state.throttle_applied,
            state.brake_applied,
        ),
        0.0,
        state.vy_mps,
        state.vz_mps,
        state.x_world_m,
        state.y_world_m,
        state.z_world_m,
        state.roll_rad,
        state.pitch_rad,
        state.yaw_rad,
        state.roll_rate_radps,
        state.pitch_rate_radps,
        state.yaw_rate_radps,
        state.ax_body_mps2,
        state.ay_body_mps2,
        Sensors(
            state.m_ax_mps2,
            state.m_ay_mps2,
            state.m_yaw_rate_radps,
            state.m_gnss_x_m,
            state.m_gnss_y_m,
            state.wheel_spin_radps,
        ),
        sequence=packet.seq,
        details=packet,
    )
