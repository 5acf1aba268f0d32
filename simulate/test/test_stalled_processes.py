"""A safety stage that does not run for a while, and reports that come late, on virtual time."""

import pytest
from vdsim_protocol.faults.parameters import LinkFaults
from vdsim_simulate import faults
from vdsim_simulate.oracles import judge
from vdsim_simulate.scene import Event, Leg, Scene
from vdsim_simulate.world import World

BEGINS_S = 2.0
STALL_S = 1.5
ENDS_S = 6.5
LATE = LinkFaults(delay_s=0.5)


def world_of(composition: str, *events: Event, auto_engage: bool = False) -> World:
    """A car that drives at 4 m/s; nothing heals before the end."""
    scene = Scene(
        composition=composition,
        platform="vds1",
        auto_engage=auto_engage,
        start_mps=4.0,
        legs=(Leg(0.0, 4.0),),
        events=events,
        heals_s=ENDS_S,
        ends_s=ENDS_S,
    )
    return World(scene)


def test_a_command_that_waited_for_a_stalled_safety_stage_never_drives() -> None:
    """The planner dies during the stall; its last commands wait in the queue.

    The other processes are stopped in test/test_stalls.py.
    """
    silent = Event(BEGINS_S + 0.2, faults.planner_silent.__name__, {"for_s": ENDS_S})
    world = world_of("processes", silent)
    world.agenda.after(BEGINS_S, lambda: world.stall(world.interface.safety, STALL_S))
    record = world.run()
    assert judge(record) == []
    thawed_s = BEGINS_S + STALL_S
    before = [p for p in record.packets if BEGINS_S - 1.0 < p.time_s < BEGINS_S]
    after = [p for p in record.packets if p.time_s > thawed_s]
    assert max(packet.throttle for packet in before) > 0.0
    assert len(after) > 100
    assert {packet.throttle for packet in after} == {0.0}
    assert after[-1].brake > 0.0


@pytest.mark.parametrize("composition", ["single", "guarded", "processes"])
def test_reports_that_come_late_are_a_stop(composition: str) -> None:
    world = world_of(composition)
    world.agenda.after(BEGINS_S, lambda: world.state_link.set_faults(LATE))
    record = world.run()
    assert judge(record) == []
    late = [p for p in record.packets if p.time_s > BEGINS_S + 2.0]
    assert len(late) > 100
    assert {packet.throttle for packet in late} == {0.0}
    assert min(packet.brake for packet in late) > 0.0


@pytest.mark.parametrize("composition", ["single", "guarded", "processes"])
def test_the_arbiters_own_stop_does_not_engage_after_reports_were_lost(composition: str) -> None:
    """Autonomy ends while nothing is reported: nobody sends since, whatever the arbiter sent."""
    world = world_of(
        composition,
        Event(BEGINS_S, faults.lock_is_set.__name__, {"lock": "stop_all", "for_s": ENDS_S}),
        Event(BEGINS_S + 0.1, faults.state_lost.__name__, {"for_s": 2.5}),
        auto_engage=True,
    )
    record = world.run()
    assert judge(record) == []
    assert [mode for _, mode in record.statuses][-1] == "DISENGAGED"
    shown = [mode for time_s, mode in record.statuses if time_s > BEGINS_S + 2.0]
    assert "AUTONOMOUS" not in shown
