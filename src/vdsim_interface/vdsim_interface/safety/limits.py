"""Limits and watchdogs of the safety stage, declared apart from the controller's.

The rules read them; `SafetyParameters` adds what needs the rules in turn.
"""

from dataclasses import dataclass
from functools import cache
from typing import ClassVar

from vdsim_interface.parameters.fields import Parameters, choice, flag, real, reals, text, whole
from vdsim_interface.safety.authority import Rig
from vdsim_interface.values.speeds import GEAR_CHANGE_MPS, STANDSTILL_MPS

OBEYED, IGNORED = "obeyed", "ignored"


@cache
def names_in(text: str) -> frozenset[str]:
    """Return the names in a list that is separated by commas or spaces."""
    return frozenset(text.replace(",", " ").split())


@dataclass(frozen=True)
class SafetyLimits(Parameters):
    """Fields of the safety stage; accelerations are magnitudes in the travel direction."""

    PREFIX: ClassVar[str] = "safety"
    LIVE: ClassVar[bool] = True

    enabled: bool = flag(
        True, "false: no limits, interlocks or cabin checks; docs/safety.md lists what stays"
    )
    disabled_rules: str = text(
        "", "names of rules that are off, separated by commas (docs/safety.md lists them)"
    )
    auto_engage: bool = flag(
        False, "the first valid command engages; never after a person has taken over"
    )
    rig: str = choice(
        "driver",
        "driver: a person sits at the controls; driverless: nobody does (docs/safety.md)",
        tuple(rig.value for rig in Rig),
    )
    cabin_required: bool = flag(
        False, "autonomy requires a live publisher of cabin_state; its loss is a safe stop"
    )
    driver_switch_required: bool = flag(
        False, "autonomy requires a live publisher of driver_override; its loss is a safe stop"
    )
    driver_override: str = choice(
        OBEYED,
        "obeyed: a person who uses the controls or the switch takes over; ignored: nobody can, "
        "for a vehicle without a driver (docs/safety.md)",
        (OBEYED, IGNORED),
    )
    contradiction_ends_autonomy: bool = flag(
        True,
        "reports of the vehicle that contradict each other end autonomy; false: a notice only "
        "(docs/plausibility.md)",
    )
    engage_timeout_s: float = real(
        3.0, "timeout of the engage handshake [s]", at_least=0.01, at_most=60
    )
    engage_hold_off_s: float = real(
        1.0,
        "wait after an automatic try to engage that failed; each further one doubles it, up to "
        "32 times; 0: none [s]",
        at_least=0,
        at_most=60,
    )
    report_timeout_s: float = real(
        0.1, "age at which the vehicle's report is stale: safe stop [s]", at_least=0.01, at_most=10
    )
    link_lost_s: float = real(
        1.0, "age of the report at which autonomy ends [s]", at_least=0.01, at_most=60
    )
    command_lost_s: float = real(
        2.0,
        "time without a command at rest after which autonomy ends [s]",
        at_least=0.01,
        at_most=3600,
    )
    stop_decel_mps2: float = real(
        2.5, "deceleration of the safe stop [m/s2]", at_least=1, at_most=10
    )
    stop_jerk_mps3: float = real(2.5, "jerk of the safe stop [m/s3]", at_least=1, at_most=100)
    stop_park_after_s: float = real(
        1.0,
        "time at rest after which a stop, or a hold without autonomy, sets hand brake and PARK [s]",
        above=0,
        at_most=3600,
    )
    hold_park_after_s: float = real(
        180.0,
        "time at rest without a request to drive after which hand brake and PARK are set while the "
        "stack holds the car; 0: never [s]",
        at_least=0,
        at_most=3600,
    )
    accel_max_mps2: float = real(3.0, "largest acceleration [m/s2]", at_least=0.1, at_most=15)
    decel_max_mps2: float = real(6.0, "largest deceleration [m/s2]", at_least=1, at_most=15)
    jerk_max_mps3: float = real(10.0, "fastest rise of acceleration [m/s3]", above=0, at_most=1000)
    brake_jerk_max_mps3: float = real(
        20.0, "fastest rise of deceleration [m/s3]", at_least=1, at_most=1000
    )
    lateral_accel_max_mps2: float = real(
        5.0, "largest lateral acceleration by wheel angle and speed [m/s2]", above=0, at_most=15
    )
    lateral_jerk_max_mps3: float = real(
        15.0, "largest lateral jerk by steering [m/s3]", above=0, at_most=200
    )
    steer_rate_speeds_mps: tuple[float, ...] = reals(
        (0.0, 10.0, 20.0, 30.0), "speeds of the steer rate table, rising [m/s]", at_least=0
    )
    steer_rate_max_radps: tuple[float, ...] = reals(
        (0.8, 0.8, 0.5, 0.3), "largest steer rate at those speeds [rad/s]", above=0, at_most=10
    )
    steer_lead_max_rad: float = real(
        0.3,
        "largest lead of the commanded over the measured angle [rad]",
        above=0,
        at_most=3,
    )
    oscillation_reversals: int = whole(
        8,
        "reversals within the window that count as oscillation",
        at_least=3,
        at_most=100,
        live=True,
    )
    oscillation_window_s: float = real(
        1.0, "window in which reversals are counted [s]", above=0, at_most=10
    )
    oscillation_accel_mps2: float = real(
        0.5, "smallest swing of acceleration that counts as a reversal [m/s2]", above=0, at_most=15
    )
    oscillation_angle_rad: float = real(
        0.02, "smallest swing of a wheel angle that counts as a reversal [rad]", above=0, at_most=1
    )
    oscillation_cutoff_hz: float = real(
        0.5, "cut-off frequency that smooths an oscillating channel [Hz]", above=0, at_most=10
    )
    standstill_speed_mps: float = real(
        STANDSTILL_MPS,
        "speed below which the car counts as standing [m/s]",
        at_least=0.01,
        at_most=1,
    )
    gear_change_speed_mps: float = real(
        GEAR_CHANGE_MPS,
        "speed above which no change of direction is accepted [m/s]",
        above=0,
        at_most=3,
    )
    standstill_hold_mps2: float = real(
        2.0, "brake that holds the standing car, as a deceleration [m/s2]", at_least=0.5, at_most=10
    )
    shift_time_s: float = real(
        0.5, "shortest time between shifts; the brake holds meanwhile [s]", at_least=0, at_most=10
    )
    auto_gear: bool = flag(True, "choose D or R by the sign of the acceleration at standstill")
    auto_gear_deadzone_mps2: float = real(
        0.3, "acceleration above which its sign chooses the gear [m/s2]", above=0, at_most=5
    )

    def applies(self, rule: str) -> bool:
        """Return whether a rule that may be switched off is on."""
        return self.enabled and (
            not self.disabled_rules or rule not in names_in(self.disabled_rules)
        )

    @property
    def obeys_driver(self) -> bool:
        """Whether a person who uses the controls or the switch takes over."""
        return self.driver_override == OBEYED
