"""What can happen: faults of processes and links, acts of people. One function each.

A function gets the world and the values that the seed drew, and ends what it began before the
scene heals. To add one: docs/simulate.md.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable

from vdsim_interface.teleop.mapping import Action
from vdsim_interface.values import (
    Blinker,
    Command,
    Gear,
    HighLevelCommand,
    RawCommand,
    VehicleCommand,
)
from vdsim_protocol.faults.parameters import LinkFaults

from vdsim_simulate import record as facts
from vdsim_simulate.car import STRANGER_ADDRESS
from vdsim_simulate.fault_table import fault
from vdsim_simulate.network import PERFECT, Link
from vdsim_simulate.senders import (
    JOY_PERIOD_S,
    OFTEN_S,
    PERIOD_S,
    Stranger,
    joy,
    joy_button,
    nonsense_of,
    pedals_of,
    remote_command,
    repeat,
)
from vdsim_simulate.wiring.composition import NO_MEMORY
from vdsim_simulate.wiring.guarded import Guarded
from vdsim_simulate.wiring.processes import Processes
from vdsim_simulate.wiring.two_computers import MAIN, MAIN_VCU, SUB, UNITS, TwoComputers
from vdsim_simulate.world import REPEATS_S, World

HARMS = {
    "loses packets": LinkFaults(loss=0.4),
    "is late": LinkFaults(delay_s=0.04, jitter_s=0.03),
    "doubles packets": LinkFaults(duplicate=0.5),
    "swaps packets": LinkFaults(reorder=0.4),
    "loses nearly all packets": LinkFaults(loss=0.97),
    "overtakes packets": LinkFaults(reorder=0.3, reorder_delay_s=0.3),
    "flips bits": LinkFaults(bit_flip=0.4),
    "cuts packets short": LinkFaults(truncate=0.4),
}
"""What a link does to packets, by words that follow its name."""
BUTTON = "dead-man button"
LETS_GO_S, LOCK_PERIOD_S, NEUTRAL_S = 1.0, 0.1, 0.08
WAITS_MPS = 0.5
"""Far from what counts as a car that stands."""
UNDER_WAY_S, AGAIN_S = 0.05, 1.5
"""So long the commands of who has given back are still on their way, and it drives again."""
BACK, GOES_BACK_S = "back", 0.05
"""A smaller jump may lie between two looks at the clock."""

# ---- people --------------------------------------------------------------------------------------


@fault("a door is open for {for_s:g} s", for_s=(0.3, 6.0))
def door_opens(world: World, for_s: float) -> None:
    """A door opens, and closes again."""
    world.people.door(is_open=True)
    world.agenda.after(for_s, lambda: world.people.door(is_open=False))


@fault("a person presses the emergency stop")
def emergency_stop(world: World) -> None:
    """By topic; a person gives back when everything has healed."""
    world.people.emergency_stop()


@fault("somebody asks to disengage")
def disengage(world: World) -> None:
    """By the service."""
    world.people.change_mode(engage=False)


@fault("the driver's switch is on for {for_s:g} s", for_s=(0.1, 3.0))
def driver_switch(world: World, for_s: float) -> None:
    """A person takes over by the switch."""
    world.people.switch(is_on=True)
    world.agenda.after(for_s, lambda: world.people.switch(is_on=False))


@fault("a person gives control back")
def gives_back(world: World) -> None:
    """Once, whatever there is to give back; it is refused while the car moves."""
    world.people.give_back()


@fault("somebody asks to engage")
def engage_again(world: World) -> None:
    """By the service, whatever goes on."""
    world.people.change_mode(engage=True)


@fault("somebody asks for gear {gear}", gear=["PARK", "NEUTRAL", "DRIVE", "REVERSE"])
def gear_asked(world: World, gear: str) -> None:
    """By a state command; a person asks for DRIVE when everything has healed."""
    world.people.body(gear=Gear[gear])


@fault(
    "somebody asks for NEUTRAL, and {later_s:g} s later for {gear}",
    gear=["DRIVE", "DRIVE", "LOW", "REVERSE", "PARK"],
    later_s=(0.3, 1.5),
)
def neutral_and_back(world: World, gear: str, later_s: float) -> None:
    """The gear's own direction may be that of the motion, or the other one."""
    world.people.body(gear=Gear.NEUTRAL)
    world.agenda.after(later_s, lambda: world.people.body(gear=Gear[gear]))


@fault("somebody asks for the turn signal {side}, and copies what is reported",
       side=["LEFT", "RIGHT"])  # fmt: skip
def turn_signal_asked(world: World, side: str) -> None:
    """By a state command, as a stack that changes one field of the report."""
    world.people.lamps(Blinker[side])


@fault("somebody asks for the hand brake")
def hand_brake_asked(world: World) -> None:
    """By a state command; a person asks for its release when everything has healed."""
    world.people.body(hand_brake=True)


@fault("the stack repeats its last state message for {for_s:g} s", for_s=(0.5, 4.0))
def old_state_repeated(world: World, for_s: float) -> None:
    """Ten times a second, whatever has become of the car."""
    repeat(world.agenda, 0.1, for_s, world.people.repeat_state)


# ---- two computers and their switcher ------------------------------------------------------------

_TWO = ("two_computers",)


def _two(world: World) -> TwoComputers:
    interface = world.interface
    assert isinstance(interface, TwoComputers)
    return interface


def _dies(world: World, name: str, for_s: float) -> None:
    two = _two(world)
    two.silent.add(name)
    world.agenda.after(for_s, lambda: two.silent.discard(name))


def _says(world: World, units: list[int] | None, for_s: float) -> None:
    two = _two(world)
    two.says = units
    world.agenda.after(for_s, lambda: setattr(two, "says", [UNITS[MAIN], MAIN_VCU]))


@fault("main dies for {for_s:g} s, and nobody selects sub", compositions=_TWO, for_s=(0.05, 4.0))
def main_dies(world: World, for_s: float) -> None:
    """The selected computer sends nothing."""
    _dies(world, MAIN, for_s)


@fault(
    "main dies for {for_s:g} s, and sub is selected {late_s:g} s later",
    compositions=_TWO, for_s=(0.5, 4.0), late_s=(0.0, 0.4),
)  # fmt: skip
def main_dies_and_sub_is_selected(world: World, for_s: float, late_s: float) -> None:
    """What a redundancy switcher is for."""
    _dies(world, MAIN, for_s)
    left_s = max(for_s - late_s, 0.0)
    world.agenda.after(late_s, lambda: _says(world, [UNITS[SUB], MAIN_VCU], left_s))


@fault("sub dies for {for_s:g} s", compositions=_TWO, for_s=(0.05, 4.0))
def sub_dies(world: World, for_s: float) -> None:
    """The computer that nobody has selected sends nothing."""
    _dies(world, SUB, for_s)


@fault("the switcher dies for {for_s:g} s", compositions=_TWO, for_s=(0.2, 6.0))
def switcher_dies(world: World, for_s: float) -> None:
    """What it selected last counts."""
    _says(world, None, for_s)


@fault("the switcher selects sub for {for_s:g} s", compositions=_TWO, for_s=(0.1, 4.0))
def sub_is_selected(world: World, for_s: float) -> None:
    """Both computers are sound."""
    _says(world, [UNITS[SUB], MAIN_VCU], for_s)


@fault(
    "the switcher babbles for {for_s:g} s: {says}",
    compositions=_TWO, says=["nobody", "both", "a stranger", "a thousand"], for_s=(0.2, 4.0),
)  # fmt: skip
def switcher_babbles(world: World, says: str, for_s: float) -> None:
    """A selection that names no computer, or two of them, changes nothing."""
    lists = {"nobody": [], "both": list(UNITS.values()), "a stranger": [7]}
    _says(world, lists.get(says, [UNITS[SUB]] * 1000), for_s)


@fault(
    "the switcher flaps every {every_s:g} s for {for_s:g} s",
    compositions=_TWO, every_s=(0.05, 0.8), for_s=(0.5, 5.0),
)  # fmt: skip
def switcher_flaps(world: World, every_s: float, for_s: float) -> None:
    """It changes its mind again and again."""
    turns = itertools.cycle((SUB, MAIN))

    def turn() -> None:
        _two(world).says = [UNITS[next(turns)], MAIN_VCU]

    repeat(world.agenda, every_s, for_s, turn)
    world.agenda.after(for_s, lambda: _says(world, [UNITS[MAIN], MAIN_VCU], 0.0))


@fault("the computer that is not selected shouts for {for_s:g} s", compositions=_TWO,
       for_s=(0.2, 3.0))  # fmt: skip
def sub_shouts(world: World, for_s: float) -> None:
    """Full throttle and full lock, two hundred times a second."""
    high = world.scene.level == "high_level"
    command: Command = HighLevelCommand(0.0, 30.0, 0.2) if high else VehicleCommand(0.0, 3.0, 0.5)
    repeat(world.agenda, OFTEN_S, for_s, lambda: _two(world).shout(SUB, command))


# ---- senders beside the stack --------------------------------------------------------------------


@fault(
    "a person drives by {source} for {for_s:g} s",
    source=["gamepad", "keyboard", "remote"],
    for_s=(0.3, 4.0),
)
def somebody_drives(world: World, source: str, for_s: float) -> None:
    """The command of another source, until it falls silent."""
    _send_as(world, source, remote_command(world.scene), facts.COMMAND, for_s)


def _send_as(world: World, source: str, command: Command, what: str, for_s: float) -> None:
    """Send a command as a source again and again; `what`: the fact that it is."""

    def send() -> None:
        world.people.act(what, lambda: world.interface.desk.source(source, command), source)

    repeat(world.agenda, PERIOD_S, for_s, send)


@fault(
    "a person drives by {source} for {for_s:g} s, gives control back, and drives again "
    "{later_s:g} s later",
    source=["gamepad", "keyboard", "remote"],
    for_s=(0.5, 2.0),
    later_s=(0.3, 1.2),
)
def gives_back_and_drives_again(world: World, source: str, for_s: float, later_s: float) -> None:
    """On the move or at rest; what is on its way when control is given back is sent still."""
    somebody_drives(world, source, for_s + UNDER_WAY_S)
    world.agenda.after(for_s, world.people.give_back)
    world.agenda.after(for_s + later_s, lambda: somebody_drives(world, source, AGAIN_S))


@fault(
    "the numbers of a {source} are nan for {for_s:g} s",
    source=["gamepad", "keyboard", "remote"],
    for_s=(0.3, 2.0),
)
def somebody_talks_nonsense(world: World, source: str, for_s: float) -> None:
    """What is not finite keeps no source alive; so it is no command."""
    command = remote_command(world.scene)
    what = facts.COMMAND if world.scene.is_raw else facts.NONSENSE  # integers are always finite
    _send_as(world, source, nonsense_of(command, math.nan), what, for_s)


@fault("a page's {first} is held from before it may be, for {for_s:g} s", for_s=(0.5, 3.0),
       first=[BUTTON, "trigger"])  # fmt: skip
def page_was_held(world: World, for_s: float, first: str = BUTTON) -> None:
    """A button that was never seen released, or a trigger pulled before its button: nothing moves.

    The button that is pressed after the trigger lets the page command, without throttle.
    """
    agenda = world.agenda
    pad = joy(drives=True, stops=False)
    if first == BUTTON:
        repeat(agenda, JOY_PERIOD_S, for_s, lambda: _joy(world, facts.HELD, pad))
        return
    rests, pulls = (joy(drives=False, stops=False, pulls=pulls) for pulls in (False, True))
    begins_s = agenda.now

    def send() -> None:
        held_s = agenda.now - begins_s
        if held_s > 3.0 * NEUTRAL_S:
            _joy(world, facts.COMMAND, pad)
        else:
            _joy(world, facts.JOY, pulls if held_s > 1.5 * NEUTRAL_S else rests)

    repeat(agenda, JOY_PERIOD_S, for_s, send)
    agenda.after(3.0 * NEUTRAL_S, lambda: world.note(facts.PULLED))
    agenda.after(for_s, lambda: world.note(facts.PULLED_NO_MORE))


def _joy(world: World, what: str, pad: tuple[tuple[float, ...], tuple[int, ...]]) -> None:
    world.people.joy(what, lambda: world.interface.desk.joy(*pad))


@fault("a person drives by the page for {for_s:g} s", for_s=(0.3, 4.0))
def page_drives(world: World, for_s: float) -> None:
    """The dashboard's pad with its dead-man button held; then the page is gone."""
    begins_s = world.agenda.now

    def send() -> None:
        # A pad whose button and trigger have not been seen released is not used.
        held_s = world.agenda.now - begins_s
        pad = joy(drives=held_s > NEUTRAL_S, stops=False, pulls=held_s > 2.0 * NEUTRAL_S)
        _joy(world, facts.COMMAND, pad)

    repeat(world.agenda, JOY_PERIOD_S, for_s, send)


@fault("a person drives by the page for {for_s:g} s, and lets its button go", for_s=(0.3, 4.0))
def page_lets_go(world: World, for_s: float) -> None:
    """The dead-man button is released, and the pad sends on for a while."""
    page_drives(world, for_s)
    released = joy(drives=False, stops=False)
    world.agenda.after(
        for_s,
        lambda: repeat(
            world.agenda, JOY_PERIOD_S, LETS_GO_S, lambda: _joy(world, facts.JOY, released)
        ),
    )


@fault("a person presses the page's button {button}", button=[
    "gear_drive", "gear_reverse", "gear_neutral", "gear_park", "gear_low", "hand_brake",
    "blinker_left", "blinker_right", "disengage",
])  # fmt: skip
def page_button(world: World, button: str) -> None:
    """The dead-man button is released all the time: what is pressed commands no motion."""
    _press(world, Action(button))


@fault("a person presses the page's button {button}", button=["engage", "give_back"])
def page_asks(world: World, button: str) -> None:
    """By the page's pad; it also has buttons that call the services, as `engage_again` does."""
    _press(world, Action(button))


def _press(world: World, button: Action) -> None:
    agenda, people = world.agenda, world.people
    rests, pressed = joy(drives=False, stops=False), joy_button(button)

    def rest() -> None:
        _joy(world, facts.JOY, rests)

    def press() -> None:
        people.press(button, lambda: world.interface.desk.joy(*pressed))

    rest()
    agenda.after(JOY_PERIOD_S, press)
    agenda.after(2.0 * JOY_PERIOD_S, lambda: repeat(agenda, JOY_PERIOD_S, LETS_GO_S, rest))


@fault("the lock {lock} is set for {for_s:g} s", lock=["stop_all", "hold_autonomy"],
       for_s=(0.3, 3.0))  # fmt: skip
def lock_is_set(world: World, lock: str, for_s: float) -> None:
    """By its topic; a person gives back when everything has healed."""

    def say(locked: bool) -> None:
        what = facts.LOCKED if locked else facts.UNLOCKED
        world.people.act(what, lambda: world.interface.desk.lock(lock, locked), lock)

    repeat(world.agenda, LOCK_PERIOD_S, for_s, lambda: say(True))
    world.agenda.after(for_s, lambda: say(False))


@fault("a person presses the page's emergency stop")
def page_stops(world: World) -> None:
    """By the dashboard's pad."""
    axes, buttons = joy(drives=False, stops=True)
    world.people.joy(facts.EMERGENCY, lambda: world.interface.desk.joy(axes, buttons), "")


@fault("a second stack contradicts the first for {for_s:g} s", for_s=(0.3, 3.0))
def two_stacks(world: World, for_s: float) -> None:
    """Two publishers of one topic."""
    planner = world.planner
    repeat(world.agenda, PERIOD_S, for_s, lambda: world.publish_command(planner.other_command()))


@fault(
    "a stranger sends full throttle to the car for {for_s:g} s",
    platforms=("vds1",),
    for_s=(0.2, 3.0),
)
def stranger_commands(world: World, for_s: float) -> None:
    """From an address that does not own the car."""
    stranger = Stranger(world.scene.wire_version)
    agenda = world.agenda
    world.note(facts.STRANGER)

    def send() -> None:
        world.car.arrive(stranger.command(agenda.now), STRANGER_ADDRESS)

    repeat(agenda, OFTEN_S, for_s, send)
    agenda.after(for_s, lambda: world.note(facts.STRANGER_GONE))


@fault(
    "no CMD reaches the vehicle for {for_s:g} s, and a stranger sends full throttle while it rolls",
    platforms=("vds1",),
    for_s=(2.1, 4.5),
)
def stranger_waits(world: World, for_s: float) -> None:
    """He may drive a car that its owner has left, from when it stands; then he is gone.

    It is the car's own speed that ends what he does: before our first packet he would be first.
    """
    stranger, record = Stranger(world.scene.wire_version), world.record
    world.cut(world.command_link, for_s)
    world.note(facts.STRANGER)
    has_owner = bool(record.received)

    def send() -> None:
        if has_owner and abs(record.car[-1].vx_mps) > WAITS_MPS:
            world.car.arrive(stranger.command(world.agenda.now), STRANGER_ADDRESS)

    repeat(world.agenda, OFTEN_S, for_s, send)
    world.agenda.after(for_s, lambda: world.note(facts.STRANGER_GONE))


@fault(
    "a stranger repeats old reports to the interface for {for_s:g} s",
    platforms=("vds1",),
    for_s=(0.2, 3.0),
)
def stranger_reports(world: World, for_s: float) -> None:
    """From an address that is not the car's."""
    old = world.latest_state
    repeat(world.agenda, OFTEN_S, for_s, lambda: world.wire.arrive(old, STRANGER_ADDRESS))


# ---- the stack -----------------------------------------------------------------------------------


@fault("the planner is silent for {for_s:g} s", for_s=(0.2, 5.0))
def planner_silent(world: World, for_s: float) -> None:
    """The stack stops to publish."""
    world.planner.is_silent = True

    def speak() -> None:
        world.planner.is_silent = False

    world.agenda.after(for_s, speak)


@fault("the planner's numbers are {what} for {for_s:g} s", what=["nan", "huge"], for_s=(0.1, 2.0))
def planner_talks_nonsense(world: World, what: str, for_s: float) -> None:
    """Every number that is not the time."""
    number = math.nan if what == "nan" else 3e38

    _say(world, lambda command: nonsense_of(command, number), for_s)


@fault("the planner swings between full drive and full brake for {for_s:g} s", for_s=(0.5, 3.0))
def planner_oscillates(world: World, for_s: float) -> None:
    """Each command contradicts the one before."""
    signs = itertools.cycle((1.0, -1.0))

    def swung(command: Command) -> Command:
        if isinstance(command, VehicleCommand):
            return command._replace(long_accel_mps2=4.0 * next(signs))
        if isinstance(command, RawCommand):
            throttle, brake = pedals_of(4.0 * next(signs))
            return command._replace(throttle=throttle, brake=brake)
        assert isinstance(command, HighLevelCommand)
        return command._replace(velocity_mps=max(0.0, 8.0 * next(signs)))

    _say(world, swung, for_s)


def _say(world: World, says: Callable[[Command], Command], for_s: float) -> None:
    world.planner.says = says

    def talk_sense() -> None:
        if world.planner.says is says:
            world.planner.says = None

    world.agenda.after(for_s, talk_sense)


# ---- links and processes -------------------------------------------------------------------------


@fault("no STATE reaches the interface for {for_s:g} s", for_s=(0.05, 4.0))
def state_lost(world: World, for_s: float) -> None:
    """The way from the vehicle is cut."""
    world.cut(world.state_link, for_s)


@fault("no CMD reaches the vehicle for {for_s:g} s", for_s=(0.05, 4.0))
def commands_lost(world: World, for_s: float) -> None:
    """The way to the vehicle is cut."""
    world.cut(world.command_link, for_s)


@fault("the interface does not run for {for_s:g} s", for_s=(0.03, 1.2))
def interface_stalls(world: World, for_s: float) -> None:
    """The process that sends to the vehicle is stopped, swapped out or starved."""
    world.stall(world.interface.sender, for_s)


@fault("the car's process does not run for {for_s:g} s", for_s=(0.03, 1.5))
def car_stalls(world: World, for_s: float) -> None:
    """The vehicle neither moves nor reports, as a simulator on a busy machine."""
    world.stall(world.car_process, for_s)


@fault(
    "the link carrying {direction} {harm} for {for_s:g} s",
    platforms=("vds1",),
    direction=["STATE", "CMD"],
    harm=sorted(HARMS),
    for_s=(0.5, 4.0),
)
def link_harmed(world: World, direction: str, harm: str, for_s: float) -> None:
    """The relay's faults on one direction of the wire."""
    link = world.state_link if direction == "STATE" else world.command_link
    link.set_faults(HARMS[harm])
    world.agenda.after(for_s, lambda: link.set_faults(PERFECT))


@fault(
    "each STATE is {late_s:g} s late for {for_s:g} s",
    platforms=("vds1",),
    late_s=(0.05, 0.9),
    for_s=(0.5, 5.0),
)
def reports_late(world: World, late_s: float, for_s: float) -> None:
    """A queue on the way from the vehicle; at its end new packets overtake those that wait."""
    _delay(world, world.state_link, late_s, for_s)


@fault(
    "each CMD is {late_s:g} s late for {for_s:g} s",
    platforms=("vds1",),
    late_s=(0.02, 0.9),
    for_s=(0.5, 5.0),
)
def commands_late(world: World, late_s: float, for_s: float) -> None:
    """A queue on the way to the vehicle; at its end new packets overtake those that wait."""
    _delay(world, world.command_link, late_s, for_s)


def _delay(world: World, link: Link, late_s: float, for_s: float) -> None:
    link.set_faults(LinkFaults(delay_s=late_s))
    world.agenda.after(for_s, lambda: link.set_faults(PERFECT))


@fault(
    "the process that decides is killed and starts again after {down_s:g} s; reports reach it "
    "after {hears_s:g} s more, and its commands arrive after {heard_s:g} s",
    down_s=(0.3, 3.0),
    hears_s=(0.05, 2.5),
    heard_s=(0.05, 2.5),
)
def decider_dies(world: World, down_s: float, hears_s: float, heard_s: float) -> None:
    """Interface, shell or safety stage; topics of its successor match one by one."""
    world.restart_safety(down_s, hears_s, heard_s)


@fault(
    "the process that decides does not run for {for_s:g} s",
    compositions=("guarded", "processes"),
    for_s=(0.03, 2.0),
)
def decider_stalls(world: World, for_s: float) -> None:
    """The shell or the safety stage is frozen; what it would send to goes on."""
    world.stall(world.interface.safety, for_s)


@fault(
    "the {which} process {how} and starts again after {down_s:g} s; its topics match within "
    "{matches_s:g} s",
    compositions=("processes",),
    which=["platform", "filter", "controller"],
    how=["is killed", NO_MEMORY],
    down_s=(0.2, 2.0),
    matches_s=(0.05, 2.0),
)
def another_process_dies(
    world: World, which: str, down_s: float, matches_s: float, how: str = "is killed"
) -> None:
    """One that does not decide: each of its topics finds its other end at a time of its own."""
    interface = world.interface
    assert isinstance(interface, Processes)
    ended = interface.end_other(which, how)
    world.note(facts.KILLED, who=ended.name)

    def start() -> None:
        if ended.is_alive or ended not in (interface.sender, *interface.front):
            return  # another kill has been mended meanwhile
        world.note(facts.STARTED, f"the {which} process runs again", ended.name)
        interface.restart_other(which, lambda: world.draws.uniform(0.0, matches_s))

    world.agenda.after(down_s, start)


@fault(
    "a message of {topic} arrives once more, {late_s:g} s late",
    compositions=("processes",),
    topic=["commands", "reports"],
    late_s=(0.05, 3.0),
)
def sample_late(world: World, topic: str, late_s: float) -> None:
    """A reliable publisher repeats an old message."""
    interface = world.interface
    assert isinstance(interface, Processes)
    found = interface.safe_topic if topic == "commands" else interface.feedback_topic
    found.repeat_next(late_s)


@fault(
    "memory runs short for {for_s:g} s",
    compositions=("single", "processes"),
    for_s=(0.2, 3.0),
)
def memory_runs_short(world: World, for_s: float) -> None:
    """The watch on memory says so, and says when there is enough again."""
    world.note(facts.MEMORY)
    world.interface.on_memory("memory runs short")

    def end() -> None:
        world.note(facts.MEMORY_BACK)
        world.interface.on_memory("")

    world.agenda.after(for_s, end)


@fault(
    "a call of the process that decides finds no memory; it starts again after {down_s:g} s",
    down_s=(0.3, 2.0),
)
def memory_fails(world: World, down_s: float) -> None:
    """The process ends with its last, safe command; its record stays."""
    interface = world.interface
    if interface.safety.is_running:
        world.restart_safety(down_s, down_s, down_s, end=interface.end_for_memory)


@fault(
    "the guard {how} and starts again after {down_s:g} s",
    compositions=("guarded",),
    how=["is killed", NO_MEMORY],
    down_s=(0.3, 2.0),
)
def guard_dies(world: World, how: str, down_s: float) -> None:
    """The process that sends; launch starts another one, which the shell activates."""
    interface = world.interface
    assert isinstance(interface, Guarded)
    if not interface.sender.is_alive:
        return
    world.note(facts.KILLED, who=interface.end_guard(how).name)

    def start() -> None:
        world.note(facts.STARTED, "the guard runs again", interface.sender.name)
        interface.restart_guard()
        world.agenda.after(REPEATS_S, world.people.repeat_inputs)

    world.agenda.after(down_s, start)


# ---- clocks --------------------------------------------------------------------------------------


@fault("the interface's clock jumps ahead by {by_s:g} s", by_s=(0.01, 3.0))
def clock_jumps_ahead(world: World, by_s: float) -> None:
    """A machine that was suspended, or a simulated time that skips."""
    _jump(world, by_s)


@fault(
    "the interface's clock jumps back by {by_s:g} s",
    compositions=("single", "processes"),
    by_s=(0.01, 3.0),
)
def clock_jumps_back(world: World, by_s: float) -> None:
    """A simulated time that is reset; the guard follows no simulated time."""
    _jump(world, -by_s)


def _jump(world: World, by_s: float) -> None:
    world.interface.clock.jump(by_s)
    world.note(facts.CLOCK, who=BACK if by_s < -GOES_BACK_S else "")


@fault(
    "the interface's clock runs at {rate:g} times for {for_s:g} s", rate=(0.97, 1.03), for_s=(1, 6)
)
def clock_runs_wrong(world: World, rate: float, for_s: float) -> None:
    """An oscillator that is off, or a clock that is slewed."""
    clock = world.interface.clock
    before = clock.rate
    clock.run_at(rate)
    world.note(facts.CLOCK)
    world.agenda.after(for_s, lambda: clock.run_at(before))
