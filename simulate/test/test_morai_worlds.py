"""Whole scenes over MORAI's messages: what is read of them, and drives in each composition."""

import math
from dataclasses import replace

import pytest
from vdsim_interface.extras.morai.command import CommandMaker
from vdsim_interface.extras.morai.pause import PauseWatch
from vdsim_interface.extras.morai.platform import MoraiPlatform
from vdsim_simulate.draw import scene_of
from vdsim_simulate.fault_table import EVERYWHERE
from vdsim_simulate.oracles import judge
from vdsim_simulate.runs import run_scene
from vdsim_simulate.scene import Event, Leg, Scene
from vdsim_simulate.world import World

from vdsim_protocol import morai

TYPES = ("acceleration", "pedals")
RELEASES = ("21", "24.R2")
SEEDS = range(9000, 9004)
ORDERS = {
    "simulator_pauses": Event(2.0, "simulator_pauses", {"for_s": 1.2}),
    "keyboard_is_chosen": Event(2.0, "keyboard_is_chosen"),
    "scenario_is_loaded": Event(2.0, "scenario_is_loaded"),
}


def scene(composition: str = "single", **changed: str) -> Scene:
    return Scene(
        composition=composition,
        platform="morai",
        start_mps=4.0,
        legs=(Leg(0.0, 4.0), Leg(1.5, 4.0, curvature_1pm=0.05), Leg(4.0, 0.0)),
        heals_s=7.0,
        ends_s=24.0,
        **changed,
    )


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize("cmd_type", TYPES)
@pytest.mark.parametrize("composition", EVERYWHERE)
def test_a_car_drives_and_stops(composition: str, cmd_type: str, release: str) -> None:
    record = run_scene(scene(composition, cmd_type=cmd_type, release=release))
    assert judge(record) == []
    turned = [car.yaw_rate_radps for car in record.car if 3.0 < car.time_s < 4.0]
    assert min(turned) > 0.1  # to the left
    assert abs(record.car[-1].vx_mps) < 0.02
    assert max(car.vx_mps for car in record.car if 14.0 < car.time_s < 20.0) > 2.5


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize("cmd_type", TYPES)
def test_the_oracles_read_commands_as_the_codec_does(cmd_type: str, release: str) -> None:
    world = World(replace(scene(cmd_type=cmd_type, release=release), ends_s=5.0))
    sent: list[bytes] = []
    send = world.command_link.send

    def noted(data: bytes) -> None:
        sent.append(data)
        send(data)

    world.command_link.send = noted  # type: ignore[method-assign]
    record = world.run()
    packets = [packet for data in sent if isinstance(packet := morai.decode(data), morai.Packet)]
    commands = [each.body for each in packets if isinstance(each.body, morai.EgoCtrlCmd)]
    assert len(commands) == len(record.packets) > 200
    side = 1.0 if morai.RELEASES[release].steer_positive == "left" else -1.0
    used = set()
    for command, packet in zip(commands, record.packets, strict=True):
        most_rad = side * math.radians(36.25)
        assert packet.steer_rad == pytest.approx(command.steering * most_rad, abs=1e-6)
        used.add(command.cmd_type)
        if command.cmd_type == morai.CmdType.PEDALS:
            assert (packet.throttle, packet.brake) == (command.accel, command.brake)
        else:
            assert (packet.throttle > 0.0) is (command.acceleration_mps2 > 0.0)
            assert packet.brake == 0.0 or command.acceleration_mps2 < 0.0
    assert used >= {morai.CmdType[cmd_type.upper()]}


@pytest.mark.parametrize("composition", EVERYWHERE)
@pytest.mark.parametrize("seed", SEEDS)
def test_scenes_of_seeds_hold(composition: str, seed: int) -> None:
    assert judge(run_scene(scene_of(seed, composition, "morai"))) == []


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize("composition", EVERYWHERE)
@pytest.mark.parametrize("order", ORDERS)
def test_what_a_person_does_at_the_simulator_ends_autonomy(
    order: str, composition: str, release: str
) -> None:
    record = run_scene(replace(scene(composition, release=release), events=(ORDERS[order],)))
    assert judge(record) == []
    assert [mode for time_s, mode in record.shown if 2.0 < time_s < 3.0] == ["DISENGAGED"]


def test_a_simulator_that_is_paused_stands_still_in_time_and_a_scenario_puts_the_car_back() -> None:
    paused, plain, loaded = (
        run_scene(replace(scene(), events=events, ends_s=2.5))
        for events in ((ORDERS["simulator_pauses"],), (), (ORDERS["scenario_is_loaded"],))
    )
    assert plain.car[-1].x_m - paused.car[-1].x_m > 1.0
    assert abs(paused.car[-1].x_m - plain.car[400].x_m) < 0.2
    assert (loaded.car[-1].x_m, loaded.car[-1].vx_mps) == pytest.approx((0.0, 0.0), abs=0.05)


@pytest.mark.parametrize("order", ORDERS)
def test_a_platform_that_is_blind_to_the_simulator_is_seen(
    order: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(MoraiPlatform, "_driver_took_over", lambda self, status: False)
    monkeypatch.setattr(PauseWatch, "on_status", lambda self, status, generation, now: None)
    drives = replace(scene(), legs=(Leg(0.0, 4.0),), events=(ORDERS[order],), ends_s=6.0)
    assert "autonomy_is_shown_only_after_an_engagement" in {
        each.oracle for each in judge(run_scene(drives))
    }


def test_throttle_in_an_emergency_stop_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """A platform that takes the size of an acceleration for the acceleration."""
    make = CommandMaker.make

    def wrong(self: CommandMaker, command: object, speed_mps: float) -> morai.EgoCtrlCmd:
        made = make(self, command, speed_mps)  # type: ignore[arg-type]
        return replace(made, acceleration_mps2=abs(made.acceleration_mps2))

    stop = Event(2.0, "emergency_stop")
    stopped = replace(scene(), legs=(Leg(0.0, 4.0),), events=(stop,), ends_s=6.0)
    assert judge(run_scene(stopped)) == []
    monkeypatch.setattr(CommandMaker, "make", wrong)
    assert {each.oracle for each in judge(run_scene(stopped))} >= {
        "no_drive_in_a_stop",
        "an_emergency_stop_stands",
    }
