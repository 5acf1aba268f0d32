"""First stage of the pipeline: HighLevelCommand -> VehicleCommand.

The speed never crosses zero: a target of the other sign first stops the car, pauses, and then
requests the other gear by the sign of the acceleration (the safety stage shifts). At standstill
with a zero target the output is zero: the safety stage holds the brake, on any slope.
"""

from vdsim_interface.controller.curvature import wheel_angles
from vdsim_interface.controller.parameters import ControllerParameters
from vdsim_interface.controller.pid import SpeedPid
from vdsim_interface.parameters.vehicle import VehicleGeometry
from vdsim_interface.values import (
    Gear,
    HighLevelCommand,
    Mode,
    Odometry,
    VehicleCommand,
    drive_direction,
    make_vehicle_command,
)
from vdsim_interface.values.speeds import FINAL_MPS

AUTONOMOUS = Mode.AUTONOMOUS


class VelocityController:
    """PID velocity controller with curvature steering. One `step` is one period."""

    def __init__(
        self,
        parameters: ControllerParameters,
        geometry: VehicleGeometry,
        period_s: float,
        command_timeout_s: float,
    ) -> None:
        self._geometry = geometry
        self._period_s = period_s
        self._command_timeout_s = command_timeout_s
        self._parameters = parameters
        self._pid = SpeedPid(parameters, period_s)
        self._speed_mps = 0.0
        self._gear = Gear.PARK
        self._mode = Mode.MANUAL
        self._idle = True
        self._pause_s = 0.0

    def configure(self, parameters: ControllerParameters, geometry: VehicleGeometry) -> None:
        """Apply new parameters without a jump of the state."""
        self._parameters = parameters
        self._pid.configure(parameters)
        self._geometry = geometry

    def on_odometry(self, odometry: Odometry) -> None:
        """Receive the measured motion."""
        if odometry.is_finite():
            self._speed_mps = odometry.velocity_mps

    def on_state(self, gear: Gear, mode: Mode) -> None:
        """Receive the engaged gear and the mode; the PID resets when AUTONOMOUS starts."""
        if gear is not self._gear:
            self._gear, self._pause_s = gear, 0.0
        self._mode = mode

    def step(self, command: HighLevelCommand | None, now: float) -> VehicleCommand | None:
        """Return the command for the next stage, None without a fresh input command."""
        if command is None or now - command.stamp_s > self._command_timeout_s:
            self._idle, self._pause_s = True, 0.0
            return None
        p = self._parameters
        front, rear = wheel_angles(
            command.curvature_1pm, command.velocity_mps, self._geometry, p.rear_steer_share
        )
        return make_vehicle_command(command.stamp_s, self._acceleration(command), front, rear)

    def _acceleration(self, command: HighLevelCommand) -> float:
        p, speed = self._parameters, self._speed_mps
        if self._idle or self._mode is not AUTONOMOUS:
            self._pid.reset(speed)
            self._idle = False
        target = command.velocity_mps
        at_rest = abs(speed) < p.standstill_speed_mps
        if target == 0.0 and at_rest:
            return self._rest()
        if not at_rest and target * speed < 0.0:
            target = 0.0
        if target == 0.0:
            return self._slow_down(speed)
        direction = 1 if target > 0.0 else -1
        if at_rest and drive_direction(self._gear) != direction:
            return self._request_gear(direction)
        self._pause_s = 0.0
        return self._pid.step(target, speed)

    def _rest(self) -> float:
        self._pid.reset(self._speed_mps)
        self._pause_s += self._period_s
        return 0.0

    def _slow_down(self, speed: float) -> float:
        """Brake to standstill; near it with at least the final deceleration, without creeping."""
        self._pause_s = 0.0
        p = self._parameters
        output = self._pid.step(0.0, speed)
        if abs(speed) < FINAL_MPS:
            least = p.final_decel_mps2
            output = min(output, -least) if speed > 0.0 else max(output, least)
        return output

    def _request_gear(self, direction: int) -> float:
        """Wait at standstill for the pause, then request the gear by the acceleration's sign.

        The pause restarts with every gear change: after an explicitly requested gear the safety
        stage needs it, or it interprets the acceleration as a brake.
        """
        self._pid.reset(self._speed_mps)
        self._pause_s += self._period_s
        p = self._parameters
        return direction * p.launch_accel_mps2 if self._pause_s > p.direction_pause_s else 0.0
