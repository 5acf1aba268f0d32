"""What the plant's services ask for, as values; a ParameterError names what is wrong."""

# rclpy and the message packages carry no types.
# mypy: disable-error-code="import-untyped,no-untyped-call,attr-defined"

from __future__ import annotations

from vdsim_plant.motion import InitialState, PedalInput
from vdsim_plant.parameters import ParameterError

from vdsim_msgs.srv import ResetPlant, StepPlant
from vdsim_plant_node.live.wire_state import checked_pedals


def vehicle_to_reset(request: ResetPlant.Request) -> int | None:
    """The vehicle that a reset names, None for every one, or a ParameterError.

    `all` is true unless it is set, so that an id alone would be passed over without a word.
    """
    vehicle_id: int = request.vehicle_id
    if not request.all:
        return vehicle_id
    if vehicle_id != 0:
        problem = f"={vehicle_id}: needs all: false; all: true (the default) is every vehicle"
        raise ParameterError("vehicle_id", problem)
    return None


def initial_state(request: ResetPlant.Request) -> InitialState | None:
    """The state that a reset asks for; None: where the vehicle was started."""
    if not request.use_initial:
        return None
    return InitialState(
        x_m=request.x_m,
        y_m=request.y_m,
        yaw_rad=request.yaw_rad,
        vx_mps=request.vx_mps,
        vy_mps=request.vy_mps,
        yaw_rate_radps=request.yaw_rate_radps,
    )


def pedals_of_step(request: StepPlant.Request) -> PedalInput:
    """The command of a step request, or a ParameterError."""
    pedals = PedalInput(
        steer_rad=request.steering_tire_angle_rad,
        throttle=request.throttle,
        brake=request.brake,
        gear=request.gear,
        handbrake=request.handbrake,
    )
    return checked_pedals(pedals)
