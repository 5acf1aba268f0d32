"""The safety side: decides who drives, and which commands pass.

It is the safety state machine (safety/), and counts the periods, combines the vehicle's driver
activity with the override switch, rejects commands of another level and non-finite commands, and
records its part of the trace. One `step` is one period; its result goes to the vehicle side.

    requests, cabin, driver switch ─┐
    command of the stack (gate) ────┼─▶ SafetySide ──SafeCommand──▶ VehicleSide
    filtered command ───────────────┤        ▲
                                    └────────┴── VehicleFeedback ──┘

Controller and filter run in the same period and pass their results to `step`. A side whose stages
before send messages is in extras/stages/staged_side.py.
"""

from dataclasses import replace

from vdsim_interface.parameters.frozen import safety_hash
from vdsim_interface.pipeline.parameters import InterfaceParameters
from vdsim_interface.pipeline.step_clock import TIME_JUMPED, StepClock, did_not_run
from vdsim_interface.safety import Safety
from vdsim_interface.safety.authority import LastDriver
from vdsim_interface.safety.rules import kind_named
from vdsim_interface.values import (
    LEVEL_OF,
    NO_DRIVER,
    AccelMeaning,
    Authority,
    CabinState,
    Command,
    DriverActivity,
    HighLevelCommand,
    Mode,
    Notice,
    RawCommand,
    SafeCommand,
    Session,
    Stop,
    VehicleCommand,
    VehicleFeedback,
    notice_kinds,
)
from vdsim_interface.values.records import record

NO_NOTICES: tuple[Notice, ...] = ()
COMMAND, DRIVE, STOP = Authority.COMMAND, AccelMeaning.DRIVE, AccelMeaning.STOP


class SafetySide(Safety):
    """The safety state machine with its clock, its gate and the driver's switch.

    `timeout_s`: the age at which a command is stale.
    """

    def __init__(self, parameters: InterfaceParameters, *, rear_steering: bool) -> None:
        period_s, timeout_s = parameters.period_s, parameters.command_timeout_s
        self._clock = StepClock(period_s)
        self.timeout_s = timeout_s
        limits, geometry = parameters.safety, parameters.vehicle
        super().__init__(limits, geometry, period_s, timeout_s, rear_steering=rear_steering)
        self.parameters_hash = safety_hash(parameters)
        self._vehicle_meaning = AccelMeaning[parameters.acceleration.vehicle_commands.upper()]
        self.level = parameters.level
        self._received: Command | None = None
        self._received_n = 0
        self._vehicle_driver = NO_DRIVER
        self._switch = False
        self._stepped_mode: Mode | None = None
        self._emergency_n = 0

    def configure(self, parameters: InterfaceParameters) -> None:
        """Use parameters that may change while active; the last command holds on a new level."""
        self.level = parameters.level
        self.use_limits(parameters.safety, parameters.vehicle)
        self.parameters_hash = safety_hash(parameters)

    # ---- input -----------------------------------------------------------------------------------

    def on_command(self, command: Command, now: float) -> tuple[Notice, ...]:
        """Check a command of the stack: no notice means that it is accepted.

        Every command counts, rejected ones too.
        """
        self._received_n += 1
        level = LEVEL_OF[type(command)]
        if level is not self.level:
            text = f"{level.value}_command ignored: control_command is {self.level.value}"
            return (self.reject(notice_kinds.WRONG_LEVEL, text, now),)
        if not isinstance(command, RawCommand) and not command.is_finite():
            text = f"{type(command).__name__} dropped: it is not finite"
            return (self.reject(notice_kinds.NON_FINITE_COMMAND, text, now),)
        age_s = now - command.stamp_s
        if age_s > self.timeout_s:
            text = f"{level.value}_command rejected: it waited for up to {age_s:.2f} s"
            return (self.reject(notice_kinds.STALE_COMMAND, text, now),)
        self._received = command
        return NO_NOTICES

    def on_feedback(self, feedback: VehicleFeedback, now: float) -> tuple[Notice, ...]:
        """Use what the vehicle reports."""
        notices = self.on_odometry(feedback.odometry)
        if notices:
            return notices
        self.inputs.on_body(feedback.body, feedback.wheel_mps, feedback.parked)
        driver = feedback.driver
        if driver is not self._vehicle_driver and driver != self._vehicle_driver:
            self._vehicle_driver = driver
            notices += self.on_driver(self.driver)
        if feedback.doubt != self.inputs.doubt:
            notices += self._on_doubt(feedback.doubt)
        if feedback.fault:
            notices += self.on_tracking(feedback.fault)
        return notices + self.on_vehicle_ready(feedback.ready, feedback.fault)

    def on_driver_override(self, active: bool, now: float) -> tuple[Notice, ...]:
        """Use the driver's switch: a person takes over without touching pedal or wheel."""
        self._switch = active
        self.inputs.required.switch.on_message(active, now)
        return self.on_driver(self.driver)

    def on_input_publishers(self, cabin_n: int, switch_n: int) -> None:
        """Use how many publishers cabin state and driver switch have (safety.*_required)."""
        self.inputs.required.on_publishers(cabin_n, switch_n)

    def on_cabin(self, cabin: CabinState, now: float) -> None:
        """Use the state of doors, belts and load."""
        self.inputs.on_cabin(cabin, now)

    def on_emergency(self, stop: Stop | None) -> None:
        """Latch an emergency stop, or release the one that is latched (None).

        Each call is a request, or a release: the next request takes the stop back from a person.
        A release counts where this side knows of no stop, too: the gate of a vehicle side that
        outlives a safety stage may still have one.
        """
        self._emergency_n += 1
        self.inputs.emergency = stop

    # ---- one period ------------------------------------------------------------------------------

    def periods_due(self, now: float) -> int:
        """Return how many periods to run now, at least one after a change of mode.

        Such a change takes effect at once, however soon after the last period: the command from
        before the change is never sent again.
        """
        return self._clock.steps(now) or int(self._stepped_mode is not self.mode)

    def step(
        self,
        command: VehicleCommand | RawCommand | None,
        now: float,
        controlled: VehicleCommand | None = None,
        filtered: VehicleCommand | None = None,
    ) -> tuple[SafeCommand, tuple[Notice, ...]]:
        """Run one period. `command` None: nothing new; the last one counts while it is fresh."""
        safe, changes, notices, stops = self.run_period(command, now, self._meaning())
        self._stepped_mode = safe.mode
        passes = safe.authority is COMMAND
        if not passes and self._engagement.is_wanted(now):
            safe = safe._replace(engage_wanted=True)
        blocked = self.release.reason if passes else self.blocked(now)
        side = record(
            SafeCommand,
            (
                now, safe, changes, self._received, controlled, filtered, blocked,
                self._received_n, stops, self._engagement.number, self._emergency_n,
            ),
        )  # fmt: skip
        return side, notices

    # ---- lifecycle -------------------------------------------------------------------------------

    def on_process_fault(self, why: str) -> tuple[Notice, ...]:
        """End autonomy while something is wrong with the process; empty: nothing is any more."""
        self.inputs.process_fault = why
        return self.end_autonomy(why) if why else NO_NOTICES

    def on_stall(self, stall_s: float) -> tuple[Notice, ...]:
        """This process did not run; for longer than a command may be old, that ends autonomy."""
        text = did_not_run(stall_s)
        notices = (self.count(notice_kinds.TICK_OVERRUN, text),)
        return notices + self.end_autonomy(text) if stall_s > self.timeout_s else notices

    def restart(self) -> tuple[Notice, ...]:
        """After a backward jump of time: discard everything received before it; autonomy ends."""
        self._received = None
        return (TIME_JUMPED, *super().restart())

    def restore_from(self, previous: "SafetySide") -> None:
        """Copy the driver's and the stack's standing requests; they are not sent again."""
        self._switch, self._vehicle_driver = previous._switch, previous._vehicle_driver
        self._received_n = previous._received_n
        self._emergency_n = previous._emergency_n
        self.copy_requests(previous)

    def session(self) -> Session:
        """Return what of this side must outlive a crash of the process."""
        counts = {str(kind): count for kind, count in self.counts}
        return Session(self.last_driver.value, counts, wheels_rad=self.wheels_rad)

    def resume(self, session: Session) -> None:
        """Continue where a process that crashed ended; what it does not know is left out."""
        drivers = {driver.value: driver for driver in LastDriver}
        counts = [(kind_named(name), count) for name, count in session.counts.items()]
        known = drivers.get(session.last_driver, LastDriver.UNKNOWN)
        self.go_on(known, [(kind, count) for kind, count in counts if count > 0])
        self.hold_wheels(session.wheels_rad)

    # ---- state -----------------------------------------------------------------------------------

    @property
    def driver(self) -> DriverActivity:
        """What the person in the driver's seat does, with the override switch."""
        driver = self._vehicle_driver
        return replace(driver, switch=True) if self._switch else driver

    # ---- helpers ---------------------------------------------------------------------------------

    def _meaning(self) -> AccelMeaning:
        """What the stack's acceleration means.

        A speed against the gear, or of zero, means a stop: the gear changes at standstill.
        """
        received = self._received
        if not isinstance(received, HighLevelCommand):
            return self._vehicle_meaning
        return DRIVE if received.velocity_mps * self.direction > 0.0 else STOP

    def _on_doubt(self, doubt: str) -> tuple[Notice, ...]:
        """Use which reports contradict each other; count what is new."""
        before, self.inputs.doubt = self.inputs.doubt, doubt
        new = "; ".join(text for text in doubt.split("; ") if text not in before)
        if not new:
            return NO_NOTICES
        return (self.count(notice_kinds.IMPLAUSIBLE_REPORT, new),)
