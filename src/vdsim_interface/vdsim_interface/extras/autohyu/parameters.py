"""Parameters of the AutoHYU bridge."""

from dataclasses import dataclass, field
from typing import ClassVar

from vdsim_interface.extras.autohyu.steering import LARGEST_TYRE_DEG, rises
from vdsim_interface.filter.parameters import ChannelParameters
from vdsim_interface.parameters.fields import Parameters, choice, real, reals, text
from vdsim_interface.parameters.vds1_link import Vds1LinkParameters

CUBIC_TERMS = 4
PERCENT, FRACTION = "percent", "fraction"
NEAREST, BILINEAR = "nearest", "bilinear"
CENTER_OF_GRAVITY, REAR_AXLE = "center_of_gravity", "rear_axle"


@dataclass(frozen=True)
class LinkParameters(Vds1LinkParameters):
    """The VDS1 link to the vehicle."""

    PREFIX: ClassVar[str] = "link"


@dataclass(frozen=True)
class PedalParameters(Parameters):
    """Torque -> accelerator (APS) and brake (BPS), both in % as the vehicle's ECU has them."""

    PREFIX: ClassVar[str] = "pedals"

    torque_map: str = text("", "CSV file torque_Nm,speed_kph,throttle; empty: the shipped map")
    torque_min_nm: float = real(
        -2000.0, "first row of the table [N m at the wheels]", at_least=-20000, at_most=0
    )
    torque_max_nm: float = real(6500.0, "last row of the table [N m]", above=0, at_most=20000)
    torque_step_nm: float = real(10.0, "spacing of the rows [N m]", at_least=1, at_most=1000)
    speed_min_kph: float = real(10.0, "first column of the table [km/h]", at_least=0, at_most=100)
    speed_max_kph: float = real(200.0, "last column of the table [km/h]", above=0, at_most=400)
    speed_step_kph: float = real(1.0, "spacing of the columns [km/h]", at_least=0.1, at_most=50)
    lookup: str = choice(
        NEAREST,
        "the table's nearest point, as the ECU takes it, or interpolation between four",
        (NEAREST, BILINEAR),
    )
    gap_torque_nm: float = real(
        500.0, "largest gap between neighbouring points [N m]", above=0, at_most=20000
    )
    gap_speed_kph: float = real(
        10.0, "largest gap between neighbouring points [km/h]", above=0, at_most=400
    )
    scatter_percent: float = real(
        5.0, "largest fall of APS over rising torque that is corrected as scatter [%]", at_least=0,
        at_most=100,
    )  # fmt: skip
    aps_max_percent: float = real(99.0, "largest APS that is sent [%]", above=0, at_most=100)
    aps_min_percent: float = real(
        0.01, "APS below which the brake is used instead [%]", at_least=0, at_most=100
    )
    neutral_torque_nm: float = real(
        -1000.0, "torque below which the brake is used, independent of the map [N m]", at_most=0
    )
    brake_cubic: tuple[float, ...] = reals(
        (-1.169e-10, -2.723e-6, -0.02749, -20.86),
        "BPS [%] as a polynomial of the torque [N m]: cubic, square, linear, constant term",
    )

    def check_together(self) -> None:
        """Check the order of the table's ends and the number of terms."""
        if self.torque_max_nm - self.torque_min_nm < self.torque_step_nm:
            self.refuse("torque_step_nm", "must fit between torque_min_nm and torque_max_nm")
        if self.speed_max_kph - self.speed_min_kph < self.speed_step_kph:
            self.refuse("speed_max_kph", "must be at least a step above speed_min_kph")
        if len(self.brake_cubic) != CUBIC_TERMS:
            self.refuse("brake_cubic", "must have four terms")


@dataclass(frozen=True)
class FailsafeParameters(Parameters):
    """Time-outs of both sides, and the brake while one is stale."""

    PREFIX: ClassVar[str] = "failsafe"

    command_timeout_s: float = real(
        0.2, "age at which gripped_steer or gripped_torque is stale [s]", at_least=0.01, at_most=10
    )
    state_timeout_s: float = real(0.1, "age at which STATE is stale [s]", at_least=0.01, at_most=10)
    brake: float = real(
        0.3, "brake pedal while one side is stale, 0 to 1 [-]", at_least=0, at_most=1
    )


@dataclass(frozen=True)
class ReferenceParameters(Parameters):
    """Geodetic position of the world's origin, and the point of the car that is published."""

    PREFIX: ClassVar[str] = "reference"

    point: str = choice(
        CENTER_OF_GRAVITY,
        "the point of the car that position and velocity describe; AutoHYU's controllers expect "
        "rear_axle",
        (CENTER_OF_GRAVITY, REAR_AXLE),
    )
    cg_to_rear_axle_m: float = real(
        1.8, "from the centre of gravity back to the rear axle [m]", above=0, at_most=20
    )
    ref_lat_deg: float = real(0.0, "latitude of the origin [deg]", at_least=-90, at_most=90)
    ref_lon_deg: float = real(0.0, "longitude of the origin [deg]", at_least=-180, at_most=180)
    ref_alt_m: float = real(
        0.0, "height of the origin above the ellipsoid [m]", at_least=-1000, at_most=10000
    )

    @property
    def behind_cg_m(self) -> float:
        """Distance of the published point behind the centre of gravity [m]."""
        return self.cg_to_rear_axle_m if self.point == REAR_AXLE else 0.0


@dataclass(frozen=True)
class FilteredParameters(ChannelParameters):
    """The low pass of `vehicle_state_filtered`; type off: the topic is not published."""

    PREFIX: ClassVar[str] = "filtered"


@dataclass(frozen=True)
class AutohyuParameters(Parameters):
    """All parameters of the bridge."""

    rate_hz: float = real(
        100.0, "rate of CMD and of vehicle_state [Hz]", at_least=10, at_most=1000, live=False
    )
    frame_id: str = text("map", "frame of positions (ENU) in the messages' headers")
    steering_ratio: float = real(
        14.0, "steering wheel angle per tyre angle, for vehicle_can [-]", above=0, at_most=100
    )
    # Not an empty list, to which a parameter file of ROS 2 gives no type.
    steering_cubic: tuple[float, ...] = reals(
        (0.0,) * CUBIC_TERMS,
        "steering wheel angle [deg] as a polynomial of the tyre angle [deg] instead of "
        "steering_ratio: cubic, square, linear, constant term, as in AutoHYU's can_transmitter; "
        "all 0: steering_ratio",
        live=False,
    )
    steering_speed_most_degps: float = real(
        0.0,
        "largest speed of the commanded steering wheel angle while the steering is active, as "
        "AutoHYU's steering_speed_threshold; 0: not limited [deg/s]",
        at_least=0,
        at_most=5000,
    )
    pedal_unit: str = choice(
        PERCENT,
        "accel_position and brake_pressure: percent as on the car's bus, or fraction (0 to 1) as "
        "in AutoHYU's own simulator bridges",
        (PERCENT, FRACTION),
    )
    motor_ratio: float = real(
        1.0,
        "motor_torque_* is the torque of the wheels divided by this; the car's gear ratio gives "
        "the torque at the motors, as on the car's bus [-]",
        above=0,
        at_most=100,
    )
    link: LinkParameters = field(default_factory=LinkParameters)
    pedals: PedalParameters = field(default_factory=PedalParameters)
    failsafe: FailsafeParameters = field(default_factory=FailsafeParameters)
    reference: ReferenceParameters = field(default_factory=ReferenceParameters)
    filtered: FilteredParameters = field(default_factory=FilteredParameters)

    @property
    def period_s(self) -> float:
        """Time between two CMD packets [s]."""
        return 1.0 / self.rate_hz

    def check_together(self) -> None:
        """Check that time-outs are at least two periods, and that the steering has an inverse."""
        if len(self.steering_cubic) != CUBIC_TERMS:
            self.refuse("steering_cubic", "must have four terms")
        if any(self.steering_cubic) and not rises(self.steering_cubic):
            allowed = f"must rise from -{LARGEST_TYRE_DEG:g} to {LARGEST_TYRE_DEG:g} deg"
            self.refuse("steering_cubic", allowed)
        for name in ("command_timeout_s", "state_timeout_s"):
            if getattr(self.failsafe, name) < 2.0 * self.period_s:
                self.failsafe.refuse(name, f"must be >= two periods ({2.0 * self.period_s:g})")
