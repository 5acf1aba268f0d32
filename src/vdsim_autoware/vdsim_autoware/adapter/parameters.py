"""Parameters of the adapter between Autoware's topics and the vehicle interface."""

from dataclasses import dataclass, field

from vdsim_interface.parameters.fields import Parameters, choice, flag, real, text
from vdsim_interface.parameters.vehicle import VehicleGeometry

CONTROL, ACTUATION = "control", "actuation"
BOUNDED, ACCELERATION, VELOCITY = "bounded", "acceleration", "velocity"


@dataclass(frozen=True)
class AutowareParameters(Parameters):
    """Everything that the node autoware_interface reads."""

    vehicle: VehicleGeometry = field(default_factory=VehicleGeometry)
    command: str = choice(
        CONTROL,
        "what drives the car: control (control_cmd) or actuation (actuation_cmd; the interface "
        "needs control_command raw and the defaults of raw_*)",
        (CONTROL, ACTUATION),
    )
    longitudinal: str = choice(
        BOUNDED,
        "what of control_cmd drives the car: bounded (acceleration, never past the velocity), "
        "acceleration (alone) or velocity (alone)",
        (BOUNDED, ACCELERATION, VELOCITY),
    )
    use_undefined_acceleration: bool = flag(
        False, "use the acceleration also where is_defined_acceleration is false"
    )
    velocity_margin_mps: float = real(
        1.0,
        "bounded: speed above the velocity over which the drive fades out [m/s]",
        above=0,
        at_most=10,
    )
    velocity_gain_1ps: float = real(
        1.0,
        "acceleration for an error of the speed, where the velocity drives the car [1/s]",
        above=0,
        at_most=10,
    )
    accel_max_mps2: float = real(3.0, "largest acceleration [m/s2]", at_least=0.1, at_most=15)
    decel_max_mps2: float = real(6.0, "largest deceleration [m/s2]", at_least=1, at_most=15)
    stop_decel_mps2: float = real(
        2.5,
        "deceleration of a stop with steering: engage false, manual command stale [m/s2]",
        at_least=1,
        at_most=10,
    )
    stop_brake: float = real(
        0.5, "the same with actuation: share of the brake pedal", at_least=0.1, at_most=1
    )
    hold_mps2: float = real(
        2.0, "brake at rest while the velocity is 0, as a deceleration [m/s2]", above=0, at_most=10
    )
    standstill_speed_mps: float = real(
        0.1, "speed below which the car counts as standing [m/s]", at_least=0.01, at_most=1
    )
    gear_change_speed_mps: float = real(
        0.3, "speed above which a change of direction is ignored [m/s]", above=0, at_most=3
    )
    gear_pause_s: float = real(
        2.0,
        "time after a change of gear by gear_cmd in which another gear waits, the car standing, so "
        "that gears do not chatter [s]",
        at_least=0,
        at_most=10,
    )
    command_timeout_s: float = real(
        0.5, "age at which a control command is stale [s]", at_least=0.01, at_most=10
    )
    report_timeout_s: float = real(
        0.2,
        "age of the vehicle's report at which the status topics stop [s]",
        at_least=0.01,
        at_most=10,
    )
    control_rate_min_hz: float = real(
        25.0, "rate of control_cmd below which it is too low [Hz]", above=0, at_most=1000
    )
    control_rate_max_hz: float = real(
        200.0, "rate of control_cmd above which it is too high [Hz]", above=0, at_most=10000
    )
    engage_deviation_max_rad: float = real(
        0.2,
        "steering command minus measured angle above which a moving car refuses AUTONOMOUS [rad]",
        above=0,
        at_most=3,
    )
    manual_control: bool = flag(
        False,
        "manual_control_cmd drives what Autoware does not, so that the partial modes exist; false: "
        "a person at the car's own controls does",
    )
    partial_modes: bool = flag(
        True, "with manual_control the partial modes exist; false: they are refused"
    )
    engage_at_rest: bool = flag(
        False, "a standing car takes AUTONOMOUS also before commands arrive, as a simulator does"
    )
    initial_engage_state: bool = flag(True, "the car may move before /vehicle/engage is received")
    actuation_status: bool = flag(
        False,
        "publish actuation_status; the vehicle must report its pedals (VDS1 from version 5)",
    )
    adapi_status: bool = flag(
        False, "publish /api/vehicle/status; false where Autoware's own AD API does"
    )
    model_file: str = text(
        "",
        "simulator_model.param.yaml whose delays and limits act on the commands, as in Autoware's "
        "planning simulator; empty: they act at once",
        at_start=True,
    )
    motion_rate_hz: float = real(
        50.0, "rate of velocity_status and steering_status [Hz]", at_least=10, at_most=1000
    )
    status_rate_hz: float = real(
        10.0,
        "rate of the other status topics, in addition to on-change [Hz]",
        at_least=1,
        at_most=100,
    )
    base_to_rear_axle_m: float = real(
        1.8,
        "rear axle behind the body frame of the interface (the centre of gravity of the simulated "
        "car) [m]; velocity_status is that of the axle, Autoware's base_link",
        at_least=-20,
        at_most=20,
    )
    base_frame: str = text("base_link", "frame_id of velocity_status", at_start=True)

    def check_together(self) -> None:
        """The range of rates must not be empty; pedals of two sources do not mix."""
        if self.manual_control and self.command == ACTUATION:
            self.refuse("manual_control", f"must be false with command {ACTUATION}")
        if self.model_file and self.command == ACTUATION:
            self.refuse("model_file", f"must be empty with command {ACTUATION}")
        if self.control_rate_max_hz <= self.control_rate_min_hz:
            self.refuse(
                "control_rate_max_hz",
                f"must be > control_rate_min_hz ({self.control_rate_min_hz:g})",
            )
        if self.gear_change_speed_mps < self.standstill_speed_mps:
            self.refuse(
                "gear_change_speed_mps",
                f"must be >= standstill_speed_mps ({self.standstill_speed_mps:g})",
            )
