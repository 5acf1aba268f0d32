"""The table of authority on 20 % slopes: a held car stands, a silent rig sends nothing."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import pytest
from vdsim_interface.safety.authority import AUTHORITY_TABLE, Entry, Off, Rig
from vdsim_interface.values import HighLevelCommand, Mode, Session
from vdsim_kit.plant_loop import PERIOD_S, PlantLoop

GO = HighLevelCommand(0.0, 4.0, 0.0)
LONGEST_STOP_S = 8.0
SILENCE_S = 2.0
"""A second longer than the longest time-out, after which something could begin to send."""


def driving(loop: PlantLoop) -> None:
    """It begins at that speed: starts on hills are in test_hills.py."""
    loop.run(2.0, GO)
    assert loop.pipeline.mode is Mode.AUTONOMOUS
    assert abs(loop.speed - 4.0) < 0.2


def started(loop: PlantLoop) -> None:
    loop.run(0.1)


def restarted(driver: str) -> Callable[[PlantLoop], None]:
    def restart(loop: PlantLoop) -> None:
        loop.pipeline.safety_side.resume(Session(driver, {}))
        loop.run(0.1)

    return restart


def disengaged(loop: PlantLoop) -> None:
    driving(loop)
    loop.pipeline.safety_side.on_change_mode(False, loop.now)


def overridden(loop: PlantLoop) -> None:
    driving(loop)
    loop.pipeline.safety_side.on_driver_override(True, loop.now)
    loop.pipeline.safety_side.on_driver_override(False, loop.now)


def uncommanded(loop: PlantLoop) -> None:
    driving(loop)
    loop.run(12.0)


def unreported(loop: PlantLoop) -> None:
    driving(loop)
    loop.run(1.3, reports=False)


def not_followed(loop: PlantLoop) -> None:
    driving(loop)
    loop.car_listens = False
    loop.run(4.0, GO)
    loop.car_listens = True


def left(loop: PlantLoop) -> None:
    driving(loop)
    loop.run(0.6)  # the commands have stopped, so none of them engages again
    feedback = loop.pipeline.vehicle_side.feedback
    assert feedback is not None
    loop.pipeline.safety_side.on_feedback(feedback._replace(ready=False), loop.now)


WAYS: dict[Entry, Callable[[PlantLoop], None]] = {
    Entry.START: started,
    Entry.RESTART_AUTONOMOUS: restarted("autonomy"),
    Entry.RESTART_PERSON: restarted("person"),
    Entry.DISENGAGE: disengaged,
    Entry.OVERRIDE: overridden,
    Entry.COMMAND_LOST: uncommanded,
    Entry.LINK_LOST: unreported,
    Entry.NOT_FOLLOWING: not_followed,
    Entry.VEHICLE_LEFT: left,
}
"""Every row but STOP: a deactivated interface sends one last packet, and then nothing."""
FROM_REST = {Entry.START, Entry.RESTART_AUTONOMOUS, Entry.RESTART_PERSON}


@pytest.mark.parametrize("grade", [0.2, -0.2])
@pytest.mark.parametrize("rig", Rig)
@pytest.mark.parametrize("entry", WAYS)
def test_a_row_of_the_table_on_a_hill(entry: Entry, rig: Rig, grade: float) -> None:
    speed_mps = 0.0 if entry in FROM_REST else GO.velocity_mps
    loop = PlantLoop(grade=grade, speed_mps=speed_mps, safety={"rig": rig.value})
    WAYS[entry](loop)
    assert loop.pipeline.mode is not Mode.AUTONOMOUS
    sent_n = len(loop.commands)
    if AUTHORITY_TABLE[entry, rig] is Off.SILENT:
        loop.run(SILENCE_S)
        assert len(loop.commands) - sent_n <= 1, "at most the packet that was on its way"
        return
    loop.run(LONGEST_STOP_S)
    assert len(loop.commands) - sent_n >= LONGEST_STOP_S / PERIOD_S - 1
    throttles = [command.throttle for command in loop.commands[sent_n:]]
    assert all(b <= a + 1e-9 for a, b in pairwise(throttles)), "a stop only releases the throttle"
    assert throttles[-1] == 0.0
    assert abs(loop.speed) < 1e-6
    stood_at = loop.car.x_m
    loop.run(3.0)
    assert abs(loop.car.x_m - stood_at) < 1e-3
    last = loop.commands[-1]
    assert last.handbrake, "brake and hand brake hold together, whoever ended autonomy"
    assert last.brake > 0.1
