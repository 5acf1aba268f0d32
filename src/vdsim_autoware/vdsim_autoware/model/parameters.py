"""Parameters of the planning simulator, under the names of Autoware's own.

Three files give them, read as they are: `vehicle_info_param_file`, `simulator_model_param_file` and
`vehicle_characteristics_param_file`, which no model uses, theirs neither. Defaults are Autoware's.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from vdsim_interface.parameters.fields import Parameters, choice, flag, real, text

from vdsim_autoware.model.types import MODELS, Drive, Steer

ORIGIN, INITIAL_POSE_TOPIC = "ORIGIN", "INITIAL_POSE_TOPIC"
LONGEST_DELAY_S = 10.0


def _time(default: float, doc: str) -> float:
    return real(default, f"{doc} [s]", at_least=0, at_most=LONGEST_DELAY_S)  # type: ignore[no-any-return]


def _deviation(default: float, doc: str) -> float:
    return real(default, doc, at_least=0, floor=1e-6, at_most=100)  # type: ignore[no-any-return]


def _number(default: float, doc: str) -> float:
    return real(default, doc, at_least=-1e6, at_most=1e6)  # type: ignore[no-any-return]


@dataclass(frozen=True)
class MechanicalParameters(Parameters):
    """Steering of ACTUATION_CMD_MECHANICAL: controller, power assistance, mass with friction."""

    PREFIX: ClassVar[str] = "mechanical_params"

    kp: float = _number(386.915, "torque for an error of the angle")
    ki: float = _number(5.461, "torque for its integral")
    kd: float = _number(0.036, "torque for its rate")
    ff_gain: float = _number(0.031, "torque for the wanted angle")
    angle_limit: float = real(10.0, "largest wanted angle [rad]", above=0, at_most=100)
    rate_limit: float = real(3.0, "fastest change of the angle [rad/s]", above=0, at_most=100)
    dead_zone_threshold: float = _deviation(0.007, "torque below which a turn back does not begin")
    poly_a: float = _number(0.153, "torque behind the assistance: torque^3")
    poly_b: float = _number(-0.173, "torque^2")
    poly_c: float = _number(1.590, "torque")
    poly_d: float = _number(0.002, "speed^3")
    poly_e: float = _number(-0.042, "speed^2")
    poly_f: float = _number(0.184, "speed")
    poly_g: float = _number(-0.063, "torque times speed")
    poly_h: float = _number(0.187, "constant part")
    inertia: float = real(25.178, "inertia", at_least=1e-3, at_most=1e6)
    damping: float = real(117.007, "damping", at_least=0, floor=1e-3, at_most=1e6)
    stiffness: float = real(0.175, "stiffness", at_least=0, floor=1e-3, at_most=1e6)
    friction: float = real(0.660, "friction", at_least=0, floor=1e-3, at_most=1e6)
    vgr_coef_a: float = _number(0.0, "of another identification; not used")
    vgr_coef_b: float = _number(0.0, "of another identification; not used")
    vgr_coef_c: float = _number(0.0, "of another identification; not used")
    steering_torque_limit: float = real(30.0, "largest torque [N m]", at_least=0.1, at_most=1e6)
    torque_delay_time: float = _time(0.001, "dead time of the torque")


@dataclass(frozen=True)
class SimulatorParameters(Parameters):
    """Everything that the planning simulator reads besides the dimensions of the vehicle."""

    vehicle_model_type: str = choice(
        "IDEAL_STEER_VEL", "vehicle model (docs/autoware.md)", tuple(MODELS)
    )
    initialize_source: str = choice(
        INITIAL_POSE_TOPIC, "where the car starts", (INITIAL_POSE_TOPIC, ORIGIN)
    )
    initial_engage_state: bool = flag(True, "the car may move before /vehicle/engage is received")
    simulated_frame_id: str = text("base_link", "frame of the rear axle")
    origin_frame_id: str = text("odom", "frame of the poses")
    timer_sampling_time_ms: float = real(
        25.0, "time between two sets of topics [ms]", at_least=1, at_most=1000
    )
    add_measurement_noise: bool = flag(False, "noise on pose, speed and wheel angle")
    pos_noise_stddev: float = _deviation(0.01, "noise of the position [m]")
    rpy_noise_stddev: float = _deviation(0.0001, "noise of the heading [rad]")
    vel_noise_stddev: float = _deviation(0.01, "noise of the speed [m/s]")
    angvel_noise_stddev: float = _deviation(0.0, "noise of the yaw rate [rad/s]; not used")
    steer_noise_stddev: float = _deviation(0.0001, "noise of the wheel angle [rad]")
    x_stddev: float = _deviation(0.0001, "covariance of x in kinematic_state")
    y_stddev: float = _deviation(0.0001, "covariance of y in kinematic_state")
    enable_road_slope_simulation: bool = flag(False, "the slope of the trajectory pulls the car")
    enable_pub_steer: bool = flag(True, "publish the wheel angle")
    vel_lim: float = real(50.0, "largest speed [m/s]", above=0, at_most=100)
    vel_rate_lim: float = real(7.0, "largest acceleration [m/s2]", above=0, at_most=1000)
    steer_lim: float = real(1.0, "largest wheel angle [rad]", above=0, at_most=1.5)
    steer_rate_lim: float = real(5.0, "fastest change of the angle [rad/s]", above=0, at_most=1000)
    acc_time_delay: float = _time(0.1, "dead time of the acceleration")
    acc_time_constant: float = _time(0.1, "lag of the acceleration")
    vel_time_delay: float = _time(0.25, "dead time of the velocity")
    vel_time_constant: float = _time(0.5, "lag of the velocity")
    steer_time_delay: float = _time(0.24, "dead time of the steering")
    steer_time_constant: float = _time(0.27, "lag of the steering")
    steer_dead_band: float = real(0.0, "dead band of the steering [rad]", at_least=0, at_most=1)
    steer_bias: float = real(0.0, "measured minus true angle [rad]", at_least=-1, at_most=1)
    debug_acc_scaling_factor: float = real(
        1.0, "scales the acceleration [-]", at_least=0, at_most=100
    )
    debug_steer_scaling_factor: float = real(1.0, "scales the angle", at_least=-100, at_most=100)
    acceleration_map_path: str = text("", "CSV: acceleration over speed and command")
    accel_time_delay: float = _time(0.1, "dead time of accel_cmd")
    accel_time_constant: float = _time(0.1, "lag behind accel_cmd")
    brake_time_delay: float = _time(0.1, "dead time of brake_cmd")
    brake_time_constant: float = _time(0.1, "lag behind brake_cmd")
    convert_accel_cmd: bool = flag(True, "accel_cmd is a pedal; false: an acceleration")
    convert_brake_cmd: bool = flag(True, "brake_cmd is a pedal; false: without effect")
    convert_steer_cmd_method: str = text("", "of the converter; the model decides")
    accel_map_path: str = text("", "CSV: acceleration over speed and accel_cmd")
    brake_map_path: str = text("", "CSV: acceleration over speed and brake_cmd")
    steer_map_path: str = text("", "CSV: rate of the angle over speed and steer_cmd")
    vgr_coef_a: float = real(
        15.713, "steering ratio at rest, straight on [-]", at_least=1, at_most=1000
    )
    vgr_coef_b: float = real(
        0.053, "its rise with the speed squared", at_least=0, floor=1e-6, at_most=100
    )
    vgr_coef_c: float = real(0.042, "its fall with the angle", at_least=0, floor=1e-6, at_most=100)
    mechanical_params: MechanicalParameters = field(default_factory=MechanicalParameters)
    vehicle: str = text(
        "ioniq5_awd", "simulated car: preset or file; the dimensions are Autoware's"
    )
    tyre: str = text("vehicle", "tyre preset or file; vehicle: the car's own")
    friction: float = real(0.9, "friction where the ground states none", at_least=0.01, at_most=2)
    ground: str = text("flat", "ground file of the simulated car (docs/ground.md)")
    partial_modes: bool = flag(False, "take AUTONOMOUS_STEER_ONLY and AUTONOMOUS_VELOCITY_ONLY")
    command_timeout_s: float = real(
        0.5, "age of a command at which the car stops [s]", at_least=0.01, at_most=10
    )

    def check_together(self) -> None:
        """The maps that the model converts with must be named."""
        model = MODELS[self.vehicle_model_type]
        needed = {
            "acceleration_map_path": model.has_map,
            "accel_map_path": model.drive is Drive.PEDALS and self.convert_accel_cmd,
            "brake_map_path": model.drive is Drive.PEDALS and self.convert_brake_cmd,
            "steer_map_path": model.steer is Steer.RATE_MAP,
        }
        for name, is_needed in needed.items():
            if is_needed and not getattr(self, name):
                self.refuse(name, f"{self.vehicle_model_type} needs a CSV file")
