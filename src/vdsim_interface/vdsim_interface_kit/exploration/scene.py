"""The StagedSide that is explored, the world as a property may know it, and the inputs.

The world is noted from the inputs alone, never from the side, so that a property does not believe
what it is to judge. One `tick` is one period of the side; every other input takes effect at the
instant of the tick before it.
"""

import math
from collections.abc import Callable
from typing import NamedTuple

from vdsim_interface.extras.stages.staged_side import StagedSide
from vdsim_interface.pipeline.parameters import InterfaceParameters
from vdsim_interface.pipeline.vehicle_side import with_body
from vdsim_interface.safety.body import held_body
from vdsim_interface.safety.engagement import REST_S
from vdsim_interface.standstill.parking import Parking
from vdsim_interface.values import (
    Authority,
    BodyState,
    CabinState,
    Command,
    ControlLevel,
    DriverActivity,
    Gear,
    HighLevelCommand,
    Mode,
    Odometry,
    RawCommand,
    SafeCommand,
    StateCommand,
    VehicleCommand,
    VehicleFeedback,
)

from vdsim_interface_kit.exploration.state import EPOCH_S, Clamps, Concrete, Keyed, ObjectState

RATE_HZ = 16.0
PERIOD_S = 1.0 / RATE_HZ
"""A power of two: sums of periods are exact, so no state depends on rounding."""
COMMANDED_RAD, MEASURED_RAD = 0.2, 0.1
SPEED_MPS = 4.0
NEVER_S = 3600.0
"""No way of a view takes as long: there hand brake and PARK are never added."""
FAR = 99
"""Periods since something that was never received."""


class World(NamedTuple):
    """What the inputs have shown so far. Ages in periods, clamped by the scene.

    `person`: pedal or switch in use. `taken`: a person acted or disengaged, and no request to
    engage was accepted since. `asked`: a request to engage was accepted since autonomy last ended.
    `stood_n`: periods at rest without a command, in autonomy. `held_n`: periods at rest in which
    our own command held the car. `how`: the latest way out of autonomy.
    """

    report_age: int = FAR
    command_age: int = FAR
    cabin_age: int = FAR
    speed: float = 0.0
    gear: Gear = Gear.NEUTRAL
    hand_brake: bool = False
    wants: float = 0.0
    pedal: bool = False
    switch: bool = False
    ready: bool = True
    secured: bool = True
    repeats: int = 0
    publishers: int = 0
    taken: bool = False
    asked: bool = False
    stopped: bool = False
    stood_n: int = 0
    held_n: int = 0
    how: str = "start"
    front: float = 0.0
    out_gear: Gear = Gear.NEUTRAL

    @property
    def person(self) -> bool:
        """Whether a person uses a control now."""
        return self.pedal or self.switch


class Step(NamedTuple):
    """One edge of the graph, as the properties see it. `safe`: only where a period ran."""

    before: World
    after: World
    mode_before: Mode
    mode: Mode
    event: str
    safe: SafeCommand | None


class State(NamedTuple):
    """One state: of the real objects, of the clock and of the world."""

    concrete: Concrete
    now: float
    world: World


class Explored:
    """The safety side, and the owner of hand brake and PARK in a vehicle side, with its report."""

    def __init__(self, parameters: InterfaceParameters) -> None:
        self.side = StagedSide(parameters, rear_steering=False)
        self.parking = Parking(parameters.safety)
        self.feedback: VehicleFeedback | None = None


class Scene:
    """One StagedSide, its parameters in periods, and the inputs by name."""

    def __init__(self, parameters: InterfaceParameters) -> None:
        self.parameters = parameters
        limits = parameters.safety
        self.command_n = _periods(parameters.command_timeout_s)
        self.report_n = _periods(limits.report_timeout_s)
        self.link_n = _periods(limits.link_lost_s)
        self.rest_n = _periods(limits.command_lost_s)
        parks = limits.stop_park_after_s < NEVER_S
        self.park_n = _periods(limits.stop_park_after_s) if parks else FAR
        longest_park_n = (
            _periods(max(limits.stop_park_after_s if parks else 0.0, limits.hold_park_after_s)) + 1
        )
        shift_n, engage_n = _periods(limits.shift_time_s), _periods(limits.engage_timeout_s)
        self._explored = Explored(parameters)
        self.side = self._explored.side
        self._parks = parks or limits.hold_park_after_s > 0.0
        clamps: Clamps = {
            ("LatestCommand", "command"): self.command_n + 1,
            ("Explored", "feedback"): self.report_n + 1,
            ("Parking", "_since_s"): longest_park_n,
            ("Parking", "_shifted_s"): shift_n,
            ("StagedSide", "_latest"): self.command_n + 1,
            ("StagedSide", "_received"): self.command_n + 1,
            ("Safety", "_odometry"): self.link_n + 1,
            ("Gearbox", "_since_shift_s"): shift_n,
            ("Engagement", "_requested_s"): engage_n + 1,
            ("RequiredInput", "_last_s"): CABIN_N,
            ("NewRequest", "_rests_since_s"): _periods(REST_S) + 1,
        }
        longest = max(self.command_n, self.link_n, self.rest_n, shift_n, engage_n) + 2
        self.objects = ObjectState(self._explored, PERIOD_S, clamps, longest)
        required = limits.cabin_required or limits.driver_switch_required
        # Nothing reads the inputs that are not required.
        inputs = frozenset() if required else self.objects.indices("RequiredInput")
        # No swing of the alphabet is as large as the one that counts.
        self._unread = inputs | self.objects.indices("OscillationDetector", "extreme")
        # Only `engage_wanted` comes of it, which no rule reads: it is for the vehicle's link.
        self._unread |= self.objects.indices("Engagement", "_refused_s")
        handshake = (("Engagement", "_requested_s"), ("Engagement", "_answered"))
        self._unread_now = self._unread.union(*(self.objects.indices(*at) for at in handshake))
        self._at_start = self.objects.save()
        self.world = World()
        self.now = EPOCH_S
        self.safe: SafeCommand | None = None

    # ---- states ----------------------------------------------------------------------------------

    def start(self) -> State:
        """Return the state after construction."""
        self.objects.restore(self._at_start)
        self.world, self.now = World(), EPOCH_S
        return self.state()

    def state(self) -> State:
        """Return the present state."""
        return State(self.objects.save(), self.now, self.world)

    def restore(self, state: State) -> None:
        """Return to a state."""
        self.objects.restore(state.concrete)
        self.now, self.world = state.now, state.world

    def key(self, state: State, near: Keyed | None = None) -> tuple[int, ...]:
        """Return the canonical form of the present state; the world's is its own."""
        # The next request writes these before they are read again.
        dead = self._unread if self.side.mode is Mode.NOT_READY else self._unread_now
        return self.objects.key(state.concrete, state.now, near, dead)

    def apply(self, name: str) -> Step:
        """Give one input to the side; return what happened."""
        before, mode_before = self.world, self.side.mode
        self.safe = None
        INPUTS[name](self)
        mode = self.side.mode
        self._note_mode(name, mode_before, mode)
        return Step(before, self.world, mode_before, mode, name, self.safe)

    # ---- what the world learns -------------------------------------------------------------------

    def note(self, **fields: object) -> None:
        """Note what an input shows."""
        self.world = self.world._replace(**fields)  # type: ignore[arg-type]

    def _note_mode(self, name: str, before: Mode, mode: Mode) -> None:
        world = self.world
        if mode is not Mode.AUTONOMOUS:
            self.note(front=0.0, out_gear=Gear.NEUTRAL)
        person_acts = world.person and name in (*PEDALS, "switch on")
        if person_acts:
            self.note(taken=True, asked=False, how="person", stood_n=0)
        elif name == "disengage":
            self.note(taken=True, asked=False, how="asked", stood_n=0)
        elif before is Mode.AUTONOMOUS and mode is not before:
            self.note(asked=False, how="lost", stood_n=0)
        elif before is Mode.NOT_READY and mode is Mode.MANUAL:
            self.note(asked=False)

    # ---- inputs ----------------------------------------------------------------------------------

    def tick(self, *, advance: bool = True) -> None:
        """Run the periods that are due; `advance`: one period has passed."""
        if advance:
            self.now += PERIOD_S
            world = self.world
            self.note(
                report_age=_older(world.report_age, self.link_n),
                command_age=_older(world.command_age, self.command_n),
                cabin_age=min(world.cabin_age + 1, CABIN_N) if world.cabin_age < FAR else FAR,
            )
        for _ in range(self.side.periods_due(self.now)):
            safe, _ = self.side.step_latest(self.now)
            self.safe = self._parked(safe) if self._parks else safe
            self.side.after_step()
        if self.safe is None:
            return
        world, command = self.world, self.safe.command
        stands = (
            command.mode is Mode.AUTONOMOUS
            and world.command_age > self.command_n
            and world.report_age <= self.report_n
            and world.speed == 0.0
        )
        held = (
            self.park_n < FAR
            and command.authority is Authority.IDLE
            and world.report_age <= self.report_n
            and world.speed == 0.0
        )
        self.note(
            stood_n=min(world.stood_n + 1, self.rest_n + 2) if stands else 0,
            held_n=min(world.held_n + 1, self.park_n + 1) if held else 0,
        )
        if command.mode is Mode.AUTONOMOUS:
            self.note(
                front=command.vehicle.front_wheel_angle_rad,
                out_gear=command.body.gear,
            )

    def _parked(self, safe: SafeCommand) -> SafeCommand:
        """What the vehicle side sends; without autonomy the body stays as reported."""
        command, feedback = safe.command, self._explored.feedback
        commanding = command.authority is Authority.COMMAND
        body = command.body if commanding or feedback is None else held_body(feedback.body)
        given = self._explored.parking.step(
            command.standing, body, feedback, self.now, commanding=commanding
        )
        speed_mps = 0.0 if feedback is None else feedback.odometry.velocity_mps
        hold_mps2 = self.parameters.safety.standstill_hold_mps2
        return with_body(safe, given, speed_mps, hold_mps2, before=body)

    def report(
        self,
        speed: float,
        gear: Gear,
        *,
        pedal: bool = False,
        ready: bool = True,
        hand_brake: bool = False,
        fault: str = "",
    ) -> None:
        """Report of the vehicle."""
        feedback = VehicleFeedback(
            Odometry(self.now, speed, MEASURED_RAD, 0.0),
            BodyState(gear=gear, hand_brake=hand_brake),
            DriverActivity(pedal=pedal),
            ready,
            fault,
        )
        if self._parks:
            feedback = self._explored.feedback = self._explored.parking.named(feedback)
        self.side.on_feedback(feedback, self.now)
        self.note(
            report_age=0, speed=speed, gear=gear, pedal=pedal, ready=ready, hand_brake=hand_brake
        )

    def command(self, accel: float) -> None:
        """Send a command of the level in use through the stages before."""
        level = self.parameters.level
        sent: Command
        if level is ControlLevel.RAW:
            sent = RawCommand(self.now, throttle=1000 if accel > 0.0 else 0)
        elif level is ControlLevel.VEHICLE:
            sent = VehicleCommand(self.now, accel, COMMANDED_RAD, 0.0)
        else:
            sent = HighLevelCommand(self.now, SPEED_MPS * accel, COMMANDED_RAD)
        assert not self.side.on_command(sent, self.now)
        if level is not ControlLevel.RAW:
            self.side.on_filtered(VehicleCommand(self.now, accel, COMMANDED_RAD, 0.0))
        self.note(command_age=0, wants=accel)

    def refused(self) -> None:
        """Send a command that is not a number, and one of another level."""
        assert self.side.on_command(VehicleCommand(self.now, math.nan, 0.0, 0.0), self.now)
        other = RawCommand if self.parameters.level is not ControlLevel.RAW else HighLevelCommand
        assert self.side.on_command(other(self.now), self.now)

    def engage(self) -> None:
        """Ask for autonomy."""
        result, _ = self.side.on_change_mode(True, self.now)
        if result.success:
            self.note(asked=True, taken=False)

    def switch(self, *, active: bool) -> None:
        """Use the driver's switch."""
        self.note(switch=active)
        self.side.on_driver_override(active, self.now)

    def cabin(self, *, secured: bool) -> None:
        """Receive a change of the cabin's state; `repeat_cabin` is for the same again."""
        if secured is not self.world.secured or self.world.cabin_age == FAR:
            self.side.on_cabin(CabinState(doors_closed=secured), self.now)
            self.note(secured=secured, cabin_age=0, repeats=0)

    def repeat_cabin(self) -> None:
        """Receive the state of the cabin again, one period after the last: its own period."""
        world = self.world
        if world.cabin_age == 1:
            self.side.on_cabin(CabinState(doors_closed=world.secured), self.now)
            self.note(cabin_age=0, repeats=min(world.repeats + 1, REPEATS_N))

    def publishers(self, count: int) -> None:
        """Learn how many publishers the required inputs have."""
        self.side.on_input_publishers(count, count)
        self.note(publishers=count)

    def request(self, request: StateCommand) -> None:
        """Ask for a gear or the hand brake."""
        self.side.on_state_command(request, self.now)

    def lose_source(self) -> None:
        """Learn that the process which sends the commands has ended."""
        self.side.end_autonomy("the source has ended")

    def stop(self) -> None:
        """Deactivate."""
        self.side.stop()
        self.note(stopped=True)


REPEATS_N = 3
CABIN_N = 4
"""A source that repeats itself each period is dead at this age."""


def _periods(seconds: float) -> int:
    """How many whole periods fit: an age of one more is too old."""
    return math.floor(seconds / PERIOD_S)


def _older(age: int, timeout_n: int) -> int:
    return min(age + 1, timeout_n + 1)


_D, _P, _R = Gear.DRIVE, Gear.PARK, Gear.REVERSE
PEDALS = ("pedal at rest", "pedal on the way")
INPUTS: dict[str, Callable[[Scene], None]] = {
    "tick": lambda s: s.tick(),
    "early tick": lambda s: s.tick(advance=False),
    "stands in D": lambda s: s.report(0.0, _D),
    "stands in P": lambda s: s.report(0.0, _P),
    "stands in R": lambda s: s.report(0.0, _R),
    "stands, hand brake": lambda s: s.report(0.0, _D, hand_brake=True),
    "rolls in D": lambda s: s.report(SPEED_MPS, _D),
    "rolls in N": lambda s: s.report(SPEED_MPS, Gear.NEUTRAL),
    "rolls in R": lambda s: s.report(-SPEED_MPS, _R),
    "rolls back in D": lambda s: s.report(-SPEED_MPS, _D),
    "report is not a number": lambda s: _not_a_number(s),
    PEDALS[0]: lambda s: s.report(0.0, _D, pedal=True),
    PEDALS[1]: lambda s: s.report(SPEED_MPS, _D, pedal=True),
    "vehicle not ready": lambda s: s.report(SPEED_MPS, _D, ready=False),
    "vehicle does not follow": lambda s: s.report(SPEED_MPS, _D, fault="steering"),
    "command to drive": lambda s: s.command(1.0),
    "command to brake": lambda s: s.command(-1.0),
    "command to coast": lambda s: s.command(0.0),
    "refused commands": lambda s: s.refused(),
    "engage": lambda s: s.engage(),
    "disengage": lambda s: _disengage(s),
    "switch on": lambda s: s.switch(active=True),
    "switch off": lambda s: s.switch(active=False),
    "cabin open": lambda s: s.cabin(secured=False),
    "cabin shut": lambda s: s.cabin(secured=True),
    "cabin repeated": lambda s: s.repeat_cabin(),
    "publishers gone": lambda s: s.publishers(0),
    "publishers there": lambda s: s.publishers(1),
    "request P": lambda s: s.request(StateCommand(gear=_P)),
    "request D": lambda s: s.request(StateCommand(gear=_D)),
    "request R": lambda s: s.request(StateCommand(gear=_R)),
    "request hand brake": lambda s: s.request(StateCommand(hand_brake=True)),
    "release hand brake": lambda s: s.request(StateCommand(hand_brake=False)),
    "source of commands ends": lambda s: s.lose_source(),
    "clock jumps back": lambda s: _jump(s),
    "deactivate": lambda s: s.stop(),
}
"""Every input of StagedSide, in the values that make a difference to it."""

LEGITIMATE = (
    "tick",
    "early tick",
    "stands in D",
    "command to drive",
    "engage",
    "switch off",
    "cabin open",
    "cabin shut",
    "cabin repeated",
    "publishers there",
)
"""What a healthy car, a healthy stack and an operator do to engage."""


def _not_a_number(scene: Scene) -> None:
    bad = Odometry(scene.now, math.nan, 0.0, 0.0)
    feedback = VehicleFeedback(bad, BodyState(), DriverActivity(), True)
    assert scene.side.on_feedback(feedback, scene.now)


def _disengage(scene: Scene) -> None:
    result, _ = scene.side.on_change_mode(False, scene.now)
    assert result.success


def _jump(scene: Scene) -> None:
    scene.side.restart()
    scene.note(report_age=scene.link_n + 1, command_age=scene.command_n + 1)
