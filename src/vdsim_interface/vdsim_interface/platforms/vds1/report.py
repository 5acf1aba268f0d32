"""STATE -> VehicleReport."""

from vdsim_interface.values import Applied, BodyState, Sensors, VehicleReport
from vdsim_protocol import vds1


def report_of(
    packet: vds1.Packet[vds1.State], body: BodyState, effort_mps2: float, now: float
) -> VehicleReport:
    """Translate one STATE packet that was received at `now`; `details` is the packet."""
    state = packet.body
    return VehicleReport(
        stamp_s=now,
        vehicle_time_s=packet.timestamp_s,
        velocity_mps=state.vx_mps,
        front_wheel_angle_rad=state.steering_tire_angle_applied_rad,
        body=body,
        applied=Applied(
            front_wheel_angle_rad=state.steering_tire_angle_applied_rad,
            long_accel_mps2=state.ax_body_mps2,
            throttle=state.throttle_applied,
            brake=state.brake_applied,
            effort_mps2=effort_mps2,
        ),
        lateral_velocity_mps=state.vy_mps,
        vertical_velocity_mps=state.vz_mps,
        x_m=state.x_world_m,
        y_m=state.y_world_m,
        z_m=state.z_world_m,
        roll_rad=state.roll_rad,
        pitch_rad=state.pitch_rad,
        yaw_rad=state.yaw_rad,
        roll_rate_radps=state.roll_rate_radps,
        pitch_rate_radps=state.pitch_rate_radps,
        yaw_rate_radps=state.yaw_rate_radps,
        accel_x_mps2=state.ax_body_mps2,
        accel_y_mps2=state.ay_body_mps2,
        sensors=Sensors(
            accel_x_mps2=state.m_ax_mps2,
            accel_y_mps2=state.m_ay_mps2,
            yaw_rate_radps=state.m_yaw_rate_radps,
            gnss_x_m=state.m_gnss_x_m,
            gnss_y_m=state.m_gnss_y_m,
            wheel_spin_radps=state.wheel_spin_radps,
            wheel_radius_m=state.wheel_radius_nominal_m,
        ),
        sequence=packet.seq,
        wire_version=packet[0],
        details=packet,
    )
