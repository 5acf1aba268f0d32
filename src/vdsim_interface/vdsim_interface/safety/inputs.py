"""What the safety stage has received of the vehicle and its people, and what autonomy needs of it.

Each input counts until the next one of its kind; the report of the motion has an age.
"""

import math
from typing import NamedTuple

from vdsim_interface.safety.latest_command import NEVER_S, LatestCommand
from vdsim_interface.safety.parameters import SafetyParameters
from vdsim_interface.safety.required_input import RequiredInputs
from vdsim_interface.values import (
    NO_DRIVER,
    NOT_YET_REPORTED,
    BodyState,
    CabinState,
    DriverActivity,
    Odometry,
)


class Situation(NamedTuple):
    """Inputs of the decision to engage. Ages in s, infinite when nothing was received."""

    report_age_s: float
    command_age_s: float
    command_timeout_s: float
    cabin: CabinState
    driver: DriverActivity
    vehicle_ready: bool
    lost_inputs: tuple[str, ...] = ()
    process_fault: str = ""


def unmet_preconditions(situation: Situation, limits: SafetyParameters) -> str:
    """Return the unmet preconditions in words; empty when all are met.

    [VI-3.3]: autonomy does not start before cabin and contents are secured.
    """
    unmet = []
    if not situation.report_age_s <= limits.report_timeout_s:
        unmet.append("the vehicle does not report")
    if limits.applies("cabin_unsecured"):
        unmet.extend(situation.cabin.unsecured())
    unmet.extend(situation.lost_inputs)
    if situation.process_fault:
        unmet.append(situation.process_fault)
    controls = situation.driver.active_controls()
    if controls and limits.obeys_driver:
        unmet.append("the driver uses " + ", ".join(name.replace("_", " ") for name in controls))
    if not situation.vehicle_ready:
        unmet.append("the vehicle is not ready for autonomy")
    return "; ".join(unmet)


def handshake_missing(situation: Situation, vehicle_answered: bool) -> str:
    """Return what the handshake still needs; empty when it is complete."""
    if not situation.command_age_s <= situation.command_timeout_s:
        return "no valid command"
    return "" if vehicle_answered else "no report since the request"


class Inputs:
    """The latest motion, body, cabin and driver.

    `wheel_mps`: speed of the fastest wheel, nan where wheels are not reported. `vehicle_ready`:
    whether the vehicle itself is ready for, or still in, autonomous operation. `is_doubted`:
    reports of the vehicle contradict each other. `required`: whether
    the sources of the inputs that autonomy requires are alive. `process_fault`: what is wrong with
    the process itself, or empty.
    """

    def __init__(self) -> None:
        self.odometry = Odometry(NEVER_S)
        self.body = NOT_YET_REPORTED
        self.wheel_mps = math.nan
        self.cabin = CabinState()
        self.cabin_secured = True
        self.driver = NO_DRIVER
        self.vehicle_ready = True
        self.is_doubted = False
        self.required = RequiredInputs()
        self.process_fault = ""

    def restart(self) -> None:
        """Time jumped back: discard the report from before."""
        self.odometry = Odometry(NEVER_S)
        self.is_doubted = False
        self.required.restart()

    def restore_from(self, previous: "Inputs") -> None:
        """Copy what is not sent again: the cabin and the driver, and how their sources behave."""
        self.cabin, self.cabin_secured = previous.cabin, previous.cabin_secured
        self.driver = previous.driver
        self.required = previous.required
        self.process_fault = previous.process_fault

    def on_body(self, body: BodyState, wheel_mps: float) -> None:
        """Use the reported gear, lamps and so on, and the fastest wheel."""
        self.body, self.wheel_mps = body, wheel_mps

    def on_cabin(self, cabin: CabinState, now: float) -> None:
        """Use the state of doors, belts and load."""
        self.required.cabin.on_message(cabin, now)
        self.cabin = cabin
        self.cabin_secured = not cabin.unsecured()

    def report_age_s(self, now: float) -> float:
        """Return the age of the report [s], infinite before the first."""
        return now - self.odometry.stamp_s

    def known_speed_mps(self, limits: SafetyParameters, now: float) -> float | None:
        """Return the measured speed, None when the report is stale."""
        fresh = self.report_age_s(now) <= limits.report_timeout_s
        return self.odometry.velocity_mps if fresh else None

    def situation(self, latest: LatestCommand, now: float) -> Situation:
        """Return what decides whether autonomy may start."""
        return Situation(
            report_age_s=self.report_age_s(now),
            command_age_s=latest.age_s(now),
            command_timeout_s=latest.timeout_s,
            cabin=self.cabin,
            driver=self.driver,
            vehicle_ready=self.vehicle_ready,
            lost_inputs=self.required.lost,
            process_fault=self.process_fault,
        )
