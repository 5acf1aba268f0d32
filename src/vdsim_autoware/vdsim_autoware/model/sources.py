"""The latest command of each source, as the delays of the vehicle model make it act.

The source that does not steer goes on from the angle that the other one has steered to.
"""

from __future__ import annotations

from vdsim_interface.values import Odometry

from vdsim_autoware.adapter import AutowareAdapter, Output
from vdsim_autoware.adapter.actuation import Actuation
from vdsim_autoware.adapter.adapter import CONTROL, MANUAL_CONTROL
from vdsim_autoware.adapter.control import Control
from vdsim_autoware.model.dynamics import CommandDynamics, Maps, Pedals
from vdsim_autoware.model.parameters import SimulatorParameters
from vdsim_autoware.model.types import MODELS, Drive


class ModelledCommands:
    """What Autoware and a person command, and when it acts."""

    def __init__(self, parameters: SimulatorParameters, limit_rad: float, maps: Maps) -> None:
        model = MODELS[parameters.vehicle_model_type]
        # A person at the wheel commands acceleration and angle, whatever the model receives.
        by_hand = model._replace(drive=Drive.ACCELERATION, steer=MODELS["vdsim_l2"].steer)
        if model.drive is Drive.VELOCITY:
            by_hand = model
        self._dynamics = {
            CONTROL: CommandDynamics(parameters, model, limit_rad, maps),
            MANUAL_CONTROL: CommandDynamics(parameters, by_hand, limit_rad, maps),
        }
        self._commands: dict[str, Control | Actuation] = {}

    def receive(
        self, adapter: AutowareAdapter, source: str, command: Control | Actuation, checked: Control
    ) -> Output:
        """Use a command from now on, unless the adapter refuses `checked`, which it is."""
        rejected = adapter.check(source, checked)
        if rejected is not None:
            return rejected
        self._commands[source] = command
        if command is checked:
            adapter.note_received(source, checked)
        return Output()

    def clear(self) -> None:
        """Forget what was commanded."""
        self._commands.clear()

    def reset(self) -> None:
        """Start again at a car that was put somewhere: nothing is on its way."""
        for dynamics in self._dynamics.values():
            dynamics.reset()

    def acting(
        self, adapter: AutowareAdapter, odometry: Odometry | None, now: float, dt: float
    ) -> dict[str, Control]:
        """Return what acts after a period of `dt`; without `odometry` the car stands."""
        speed_mps = 0.0 if odometry is None else odometry.velocity_mps
        angle_rad = 0.0 if odometry is None else odometry.front_wheel_angle_rad
        acting = {
            source: self._dynamics[source].step(command, speed_mps, now, dt)
            for source, command in self._commands.items()
        }
        steers = CONTROL if adapter.accepted.steering else MANUAL_CONTROL
        if steers in acting:
            angle_rad = acting[steers].steering_rad
        [waits] = {CONTROL, MANUAL_CONTROL} - {steers}
        self._dynamics[waits].steer_from(angle_rad)
        return acting

    def pedals(self, accel_mps2: float, speed_mps: float, angle_rad: float) -> Pedals | None:
        """Return what actuation_status shows; None for models without pedals."""
        return self._dynamics[CONTROL].pedals(accel_mps2, speed_mps, angle_rad)
