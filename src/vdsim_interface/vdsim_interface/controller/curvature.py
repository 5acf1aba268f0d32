"""Path curvature -> road-wheel angles, by the bicycle model with both axles steerable."""

import math

from vdsim_interface.parameters.vehicle import VehicleGeometry


def wheel_angles(
    curvature_1pm: float, velocity_mps: float, geometry: VehicleGeometry, rear_share: float
) -> tuple[float, float]:
    """Return (front, rear) wheel angle in rad for a curvature in 1/m, both positive to the left
    ([VI-4.2]).

    tan(front) - tan(rear) = wheelbase * curvature; the rear axle takes `rear_share` of it, in the
    opposite sense. The understeer gradient adds front angle in proportion to lateral acceleration.
    """
    bend = geometry.wheelbase_m * curvature_1pm
    extra = geometry.understeer_gradient_rad_s2pm * velocity_mps * velocity_mps * curvature_1pm
    front = math.atan((1.0 - rear_share) * bend) + extra
    if abs(front) > geometry.front_wheel_angle_max_rad:
        front = math.copysign(geometry.front_wheel_angle_max_rad, front)
    if not rear_share:
        return front, 0.0
    rear_max = geometry.rear_wheel_angle_max_rad
    return front, min(max(-math.atan(rear_share * bend), -rear_max), rear_max)
