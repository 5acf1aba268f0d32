"""Causes that are planted into a simulated drive: people, stack, link, road, car."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import replace
from typing import cast

from vdsim_interface.values import Command, Gear, HighLevelCommand, VehicleCommand
from vdsim_protocol.faults.parameters import LinkFaults

from vdsim_simulate import faults
from vdsim_simulate.exam.graph import without_source
from vdsim_simulate.exam.question import DRIVE, Act, Question, key
from vdsim_simulate.exam.room import (
    Room,
    lying,
    repeating,
    with_speed,
    with_throttle,
    with_wheel_angle,
)
from vdsim_simulate.scene import Leg
from vdsim_simulate.senders import joy, remote_command, repeat
from vdsim_simulate.wiring.single import Single
from vdsim_simulate.world import World

LONG_S = 100.0
CAMPAIGN = "docs/campaign.md"
STANDS = replace(DRIVE, legs=(Leg(0.0, 0.0),))
SLOPE = replace(DRIVE, grade=0.6)
ICE = replace(DRIVE, mu=0.05, mu_left=0.05, grade=0.15)
ICE_AHEAD = replace(
    DRIVE, patches=((8.0, 400.0, 0.06),), legs=(Leg(2.0, 8.0), Leg(6.0, 0.0, 4.0)), grade=-0.06
)
BEND = replace(DRIVE, legs=(Leg(2.0, 12.0), Leg(7.0, 12.0, 2.0, 0.2)))
BRAKES = replace(DRIVE, level="vehicle", legs=(Leg(2.0, 10.0), Leg(6.0, 0.0, 30.0)))


def _says(spoil: Callable[[Command], Command]) -> Act:
    def act(world: World) -> None:
        world.planner.says = spoil

    return act


def _spoilt(number: float) -> Act:
    return _says(
        lambda command: type(command)._make([command.stamp_s, *(number for _ in command[1:])])
    )


def _silent(world: World) -> None:
    world.planner.is_silent = True


def _slow(world: World) -> None:
    """One command in 0.8 s, where 0.5 s are allowed."""
    world.planner.is_silent = True
    planner = world.planner
    repeat(world.agenda, 0.8, LONG_S, lambda: world.publish_command(planner._command()))


def _other_level(world: World) -> None:
    world.planner.says = lambda command: VehicleCommand(command.stamp_s, 1.0, 0.0)


def _swings() -> Act:
    signs = itertools.cycle((1.0, -1.0))

    def swung(command: Command) -> Command:
        high = cast(HighLevelCommand, command)
        return high._replace(curvature_1pm=0.15 * next(signs))

    return _says(swung)


def _person(source: str) -> Act:
    return lambda world: faults.somebody_drives(world, source, LONG_S)


def _person_lets_go(world: World) -> None:
    faults.somebody_drives(world, "gamepad", 1.0)


def _page_stops(world: World) -> None:
    axes, buttons = joy(drives=False, stops=True)
    world.people.act("emergency", lambda: world.interface.desk.joy(axes, buttons))


def _page_drives(world: World) -> None:
    """The pad is seen at rest first, as when somebody opens the page."""
    axes, buttons = joy(drives=False, stops=False)
    world.people.act("command", lambda: world.interface.desk.joy(axes, buttons))
    world.agenda.after(0.1, lambda: faults.page_drives(world, LONG_S))


def _stop_and_release(world: World) -> None:
    world.people.emergency_stop()
    world.agenda.after(5.0, world.people.give_back)


def _lock(world: World) -> None:
    repeat(
        world.agenda,
        0.1,
        LONG_S,
        lambda: world.people.act("lock", lambda: world.interface.desk.lock("stop_all", True)),
    )


def _cut_state(world: World) -> None:
    world.state_link.is_cut = True


def _cut_commands(world: World) -> None:
    world.command_link.is_cut = True


def _harm(direction: str, harm: LinkFaults) -> Act:
    def act(world: World) -> None:
        link = world.state_link if direction == "STATE" else world.command_link
        link.set_faults(harm)

    return act


def _cut_both(world: World) -> None:
    _cut_state(world)
    _cut_commands(world)


def _lie(alter: Callable[[], Callable[[bytes], bytes]]) -> Act:
    return lambda world: cast(Room, world).alter_state(alter())


def _pause(world: World) -> None:
    world.plant_car.server.pause(True)


def _memory(world: World) -> None:
    world.interface.on_memory("memory runs short: 40 MB are left")


def _jump(by_s: float) -> Act:
    return lambda world: world.interface.clock.jump(by_s)


def _gamepad_stops(world: World) -> None:
    """A gamepad that stops and then is put away: its stop stays."""
    command = remote_command(world.scene)
    stop = lambda: world.interface.desk.emergency_stop("gamepad")  # noqa: E731
    world.people.act("command", lambda: world.interface.desk.source("gamepad", command))
    world.people.act("emergency", stop)


def _refused_while_moving(gear: Gear) -> Act:
    return lambda world: world.people.body(gear=gear)


DRIVE_QUESTIONS: tuple[Question, ...] = (
    Question(
        name="nobody_engaged",
        text="the stack publishes, and nobody has engaged (mode MANUAL)",
        key=key("not_engaged", says="engage"),
        engages_s=None,
    ),
    Question(
        name="engage_with_open_door",
        text="a door is open when somebody engages",
        key=key("refused", "cabin_unsecured", says="door"),
        act=lambda world: world.people.door(is_open=True),
        planted_s=0.1,
    ),
    Question(
        name="engage_without_commands",
        text="somebody engages before the stack publishes anything",
        key=key("no_command", "refused", says="command"),
        act=_silent,
        change=without_source,
        planted_s=0.0,
    ),
    Question(
        name="engage_while_stopped",
        text="somebody engages while an emergency stop is latched",
        key=key("emergency_stop", says="emergency stop"),
        act=lambda world: world.people.emergency_stop(),
        planted_s=0.1,
    ),
    Question(
        name="disengaged",
        text="somebody has asked to disengage",
        key=key("not_engaged", says="disengage"),
        act=lambda world: world.people.change_mode(engage=False),
    ),
    Question(
        name="driver_switch",
        text="the driver's switch is on",
        key=key("not_engaged", "driver_override", says="driver|switch|override"),
        act=lambda world: world.people.switch(is_on=True),
    ),
    Question(
        name="emergency_stop",
        text="a person presses the emergency stop",
        key=key("emergency_stop", says="a person"),
        act=lambda world: world.people.emergency_stop(),
    ),
    Question(
        name="page_stops",
        text="somebody presses the page's emergency stop",
        key=key("emergency_stop", says="dashboard|page"),
        act=_page_stops,
    ),
    Question(
        name="gamepad_stops",
        text="the gamepad stops, and is put away",
        key=key("emergency_stop", says="gamepad"),
        act=_gamepad_stops,
    ),
    Question(
        name="stop_released",
        text="the emergency stop is released, and nobody has given back or engaged",
        key=key("released", "give_back", "not_engaged", says="emergency stop"),
        act=_stop_and_release,
        asked_s=14.0,
    ),
    Question(
        name="locked",
        text="the lock stop_all is on",
        key=key("lock", says="stop_all"),
        act=_lock,
    ),
    Question(
        name="door_opens",
        text="a door opens while the car drives",
        key=key("cabin_unsecured", says="door|cabin"),
        act=lambda world: world.people.door(is_open=True),
        source=CAMPAIGN,
    ),
    Question(
        name="gamepad_drives",
        text="a person drives by the gamepad",
        key=key("person_drives", says="gamepad"),
        act=_person("gamepad"),
    ),
    Question(
        name="remote_drives",
        text="a person drives by a remote",
        key=key("person_drives", says="remote"),
        act=_person("remote"),
    ),
    Question(
        name="page_drives",
        text="a person drives from the page",
        key=key("person_drives", says="dashboard|page"),
        act=_page_drives,
    ),
    Question(
        name="gamepad_let_go",
        text="a person had control by the gamepad and let go",
        key=key("give_back", "safe_stop", says="gamepad"),
        act=_person_lets_go,
        asked_s=12.0,
    ),
    Question(
        name="planner_silent",
        text="the stack stops to publish",
        key=key("stale_command", says="command"),
        act=_silent,
        asked_s=6.5,
        source=CAMPAIGN,
    ),
    Question(
        name="planner_gone",
        text="the stack stops to publish until autonomy ends at rest",
        key=key("stale_command", "not_engaged", says="command"),
        act=_silent,
        asked_s=16.0,
        source=CAMPAIGN,
    ),
    Question(
        name="planner_slow",
        text="the stack publishes every 0.8 s, longer than the time-out",
        key=key("slow_command", "stale_command", says="command"),
        act=_slow,
        source=CAMPAIGN,
    ),
    Question(
        name="planner_not_finite",
        text="the stack's numbers are NaN",
        key=key("not_finite", says="finite|not a number|nan"),
        act=_spoilt(math.nan),
        asked_s=7.0,
    ),
    Question(
        name="planner_huge",
        text="the stack's numbers are far beyond the car's range",
        key=key("limited", says="range|limit"),
        act=_spoilt(3e30),
        asked_s=6.0,
    ),
    Question(
        name="planner_oscillates",
        text="the stack's curvature changes its sign in each message",
        key=key("limited", says="oscillat"),
        act=_swings(),
        asked_s=7.0,
    ),
    Question(
        name="wrong_level",
        text="the stack publishes vehicle_command, and control_command is high_level",
        key=key("wrong_level", says="high_level"),
        act=_other_level,
        asked_s=9.0,
    ),
    Question(
        name="asks_for_rest",
        text="the stack itself asks for standstill: an unknown signal",
        key=key("asks_for_rest", says="stack|command asks"),
        scene=STANDS,
        source="https://github.com/rsasaki0109/lidar_slam_ros2/pull/221",
    ),
    Question(
        name="phantom_object",
        text="the stack stops for an object that is not there",
        key=key("asks_for_rest", says="stack|command asks"),
        scene=replace(DRIVE, legs=(Leg(2.0, 5.0), Leg(6.0, 0.0, 3.0))),
        asked_s=14.0,
        source="https://github.com/rsasaki0109/lidar_slam_ros2/pull/221",
    ),
    Question(
        name="asks_for_no_acceleration",
        text="the stack publishes accelerations, and all of them are 0",
        key=key("asks_for_rest", says="stack|command asks"),
        scene=replace(STANDS, level="vehicle"),
    ),
    Question(
        name="state_link_lost",
        text="no STATE reaches the interface",
        key=key("link", says="report"),
        act=_cut_state,
        source=CAMPAIGN,
    ),
    Question(
        name="car_never_reports",
        text="the car does not run, or sends elsewhere",
        key=key("link", says="report"),
        act=_cut_state,
        planted_s=0.0,
    ),
    Question(
        name="command_link_silent",
        text="no CMD reaches the car, so that its fail-safe stops it",
        key=key("not_applied", says="appl|follow|reach"),
        act=_cut_commands,
        asked_s=6.5,
        source=CAMPAIGN,
    ),
    Question(
        name="both_links_silent",
        text="nothing passes in either direction",
        key=key("link", says="report"),
        act=_cut_both,
        source=CAMPAIGN,
    ),
    Question(
        name="state_damaged",
        text="every STATE has an inverted bit",
        key=key("link", says="report|crc|damaged"),
        act=_harm("STATE", LinkFaults(bit_flip=1.0)),
        source=CAMPAIGN,
    ),
    Question(
        name="state_truncated",
        text="every STATE lost its end",
        key=key("link", says="report|length|short"),
        act=_harm("STATE", LinkFaults(truncate=1.0)),
        source=CAMPAIGN,
    ),
    Question(
        name="state_late",
        text="every STATE is 0.4 s late",
        key=key("link", says="late|report"),
        act=_harm("STATE", LinkFaults(delay_s=0.4)),
        source=CAMPAIGN,
    ),
    Question(
        name="command_loss",
        text="every CMD is damaged, so that the car's fail-safe stops it",
        key=key("not_applied", says="appl|follow|reach"),
        act=_harm("CMD", LinkFaults(bit_flip=1.0)),
        asked_s=6.5,
        source=CAMPAIGN,
    ),
    Question(
        name="state_numbers_frozen",
        text="STATE repeats one packet",
        key=key("link", says="report|repeat"),
        act=_lie(repeating),
        source=CAMPAIGN,
    ),
    Question(
        name="speed_reads_zero",
        text="STATE says speed 0 while the wheels turn",
        key=key("not_engaged", "implausible", says="speed|wheel"),
        act=_lie(lambda: lying(with_speed(0.0))),
        source=CAMPAIGN,
    ),
    Question(
        name="speed_reads_double",
        text="STATE says twice the speed",
        key=key("not_engaged", "implausible", says="speed|wheel"),
        act=_lie(lambda: lying(with_speed(2.0))),
        source=CAMPAIGN,
    ),
    Question(
        name="pedals_not_as_sent",
        text="STATE says that the throttle is half open, which it is not",
        key=key("not_engaged", "not_applied", says="follow|appl"),
        act=_lie(lambda: lying(with_throttle(0.5))),
        asked_s=12.0,
        source=CAMPAIGN,
    ),
    Question(
        name="steering_stuck",
        text="the front wheels stay straight in a bend",
        key=key("not_engaged", "not_applied", "limited", says="follow|appl|measured angle"),
        scene=replace(DRIVE, legs=(Leg(2.0, 5.0), Leg(6.0, 5.0, 2.0, 0.1))),
        act=_lie(lambda: lying(with_wheel_angle(0.0))),
        asked_s=12.0,
    ),
    Question(
        name="plant_frozen",
        text="the car's process does not run",
        key=key("link", says="report"),
        act=lambda world: world.stall(world.car_process, LONG_S),
        source=CAMPAIGN,
    ),
    Question(
        name="plant_paused",
        text="the simulated car is paused",
        key=key("plant_paused", says="paused"),
        act=_pause,
    ),
    Question(
        name="interface_frozen",
        text="the interface's process does not run",
        key=key("silent", says="stopped publishing"),
        act=lambda world: world.stall(world.interface.sender, LONG_S),
        source=CAMPAIGN,
    ),
    Question(
        name="interface_killed",
        text="the interface's process is killed",
        key=key("silent", says="stopped publishing"),
        act=lambda world: cast(Single, world.interface).end_safety(),
        source=CAMPAIGN,
    ),
    Question(
        name="hand_brake",
        text="the hand brake is set",
        key=key("hand_brake_set", says="hand brake"),
        act=lambda world: world.people.body(hand_brake=True),
        planted_s=1.0,
    ),
    Question(
        name="park",
        text="the gear is PARK",
        key=key("gear_no_drive", says="park"),
        act=_refused_while_moving(Gear.PARK),
        planted_s=1.0,
    ),
    Question(
        name="neutral",
        text="the gear is NEUTRAL",
        key=key("gear_no_drive", says="neutral"),
        act=_refused_while_moving(Gear.NEUTRAL),
        planted_s=1.0,
    ),
    Question(
        name="park_while_moving",
        text="PARK is asked for while the car drives: it is refused, and the car drives on",
        key=key("request_refused", says="park"),
        act=_refused_while_moving(Gear.PARK),
        asked_s=6.5,
    ),
    Question(
        name="lateral_limit",
        text="the curvature is too large for the speed",
        key=key("limited", says="lateral acceleration"),
        scene=BEND,
    ),
    Question(
        name="slope_too_steep",
        text="the car cannot start on a slope of 60 %",
        key=key("start_refused", says="start"),
        scene=SLOPE,
        asked_s=12.0,
    ),
    Question(
        name="ice_on_a_slope",
        text="the wheels have no grip on an icy slope",
        key=key("start_refused", "not_slowing", says="start|grip"),
        scene=ICE,
        asked_s=12.0,
    ),
    Question(
        name="ice_ahead",
        text="the car brakes on ice, downhill",
        key=key("not_slowing", says="slow"),
        scene=ICE_AHEAD,
        asked_s=11.0,
    ),
    Question(
        name="range_of_braking",
        text="the stack asks for more deceleration than the limit",
        key=key("limited", says="range"),
        scene=BRAKES,
        asked_s=6.3,
    ),
    Question(
        name="clock_back",
        text="the interface's clock jumps back by 3 s, as when a simulator is started again",
        key=key("not_engaged", says="time|clock"),
        act=_jump(-3.0),
        source="https://github.com/rsasaki0109/lidar_slam_ros2/pull/221",
    ),
    Question(
        name="clock_ahead",
        text="the interface's clock jumps ahead by 3 s: the machine was suspended",
        key=key("not_engaged", says="time|clock|run|stall|period"),
        act=_jump(3.0),
    ),
    Question(
        name="memory_short",
        text="memory runs short in the interface's process",
        key=key("not_engaged", "refused", says="memory"),
        act=_memory,
    ),
)
