"""[VI-3.5] Rules that are off by name: each acts while it is on, and no more once it is off."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from vdsim_interface.parameters.fields import ParameterError
from vdsim_interface.safety import SafetyParameters
from vdsim_interface.safety.rules import ALWAYS_ON, NOTICE_KINDS, RULES, SWITCHABLE
from vdsim_interface.values import (
    CabinState,
    Gear,
    Mode,
    RawCommand,
    VehicleCommand,
    Wiper,
)
from vdsim_interface_kit.safety_stage import GO, Bench


def shaking(bench: Bench) -> None:
    for n in range(200):
        bench.step(VehicleCommand(0.0, 1.0 if n % 10 < 5 else -1.0))


def open_door(bench: Bench) -> None:
    bench.speed = 5.0
    bench.safety.inputs.on_cabin(CabinState(doors_closed=False), bench.now)
    bench.step(GO, 10)


def too_much(bench: Bench) -> None:
    bench.speed = 5.0
    bench.step(VehicleCommand(0.0, 40.0), 10)


def too_sharp(bench: Bench) -> None:
    bench.speed = 20.0
    bench.step(VehicleCommand(0.0, 0.0, 0.3), 100)


def jump(bench: Bench) -> None:
    bench.speed = 5.0
    bench.step(VehicleCommand(0.0, -2.0), 2)


def stuck(bench: Bench) -> None:
    bench.speed = 1.0
    bench.step(VehicleCommand(0.0, 0.0, 0.5), 200)


def hand_brake(bench: Bench) -> None:
    bench.speed = 1.0
    bench.body = replace(bench.body, hand_brake=True)
    bench.step(GO, 5)


def neutral(bench: Bench) -> None:
    bench.request(gear=Gear.NEUTRAL)
    bench.step(GO, 100)


def shift(bench: Bench) -> None:
    bench.step(VehicleCommand(0.0), 100)
    bench.step(VehicleCommand(0.0, -2.0), 20)


def rest(bench: Bench) -> None:
    bench.step(VehicleCommand(0.0), 20)


def park(bench: Bench) -> None:
    bench.speed = 3.0
    bench.step(GO)
    bench.request(gear=Gear.PARK)


def reverse(bench: Bench) -> None:
    bench.speed = 3.0
    bench.step(GO)
    bench.request(gear=Gear.REVERSE)


def unknown_speed(bench: Bench) -> None:
    bench.reports_come = False
    bench.step(GO, 20)
    bench.request(gear=Gear.PARK)


def hand_brake_moving(bench: Bench) -> None:
    bench.speed = 3.0
    bench.step(GO)
    bench.request(hand_brake=True)


def wipers(bench: Bench) -> None:
    bench.request(wiper=Wiper.LOW)
    bench.step(GO)


SCENES: dict[str, Callable[[Bench], None]] = {
    "high_frequency": shaking,
    "cabin_unsecured": open_door,
    "range": too_much,
    "lateral_accel": too_sharp,
    "rate": jump,
    "steer_lead": stuck,
    "hand_brake_set": hand_brake,
    "gear_no_drive": neutral,
    "shift_hold": shift,
    "standstill_hold": rest,
    "gear_park_moving": park,
    "gear_direction_moving": reverse,
    "gear_speed_unknown": unknown_speed,
    "hand_brake_moving": hand_brake_moving,
    "wiper_headlight": wipers,
}


def test_the_scenes_are_the_rules_that_can_be_off() -> None:
    assert list(SCENES) == list(SWITCHABLE)


@pytest.mark.parametrize("rule", SWITCHABLE)
def test_a_rule_acts_unless_it_is_off(rule: str) -> None:
    counts = {}
    others = ", ".join(name for name in SWITCHABLE if name != rule)
    for disabled in ("", rule, others):
        bench = Bench(disabled_rules=disabled).engage()
        SCENES[rule](bench)
        counts[disabled] = bench.count(rule)
        assert bench.safety.mode is Mode.AUTONOMOUS
    assert counts[""] > 0
    assert counts[rule] == 0
    assert counts[others] > 0, "the others being off changes nothing for it"


def test_the_motion_rules_are_split_without_a_rest() -> None:
    assert [rule.kind for rule in RULES if bool(rule.off) == bool(rule.stays)] == []
    assert not set(SWITCHABLE) & set(ALWAYS_ON)
    assert {*SWITCHABLE, *ALWAYS_ON} <= {str(kind) for kind in NOTICE_KINDS}


def test_an_open_cabin_whose_rule_is_off_stops_nothing() -> None:
    bench = Bench(disabled_rules="cabin_unsecured")
    bench.safety.inputs.on_cabin(CabinState(belts_fastened=False), bench.now)
    bench.engage()
    bench.speed = 5.0
    assert bench.step(GO, 100).command.vehicle.long_accel_mps2 == pytest.approx(1.0)
    raw = Bench(disabled_rules="cabin_unsecured").engage(RawCommand(0.0, 100))
    raw.safety.inputs.on_cabin(CabinState(doors_closed=False), raw.now)
    assert raw.step(RawCommand(0.0, 100)).command.raw is not None


@pytest.mark.parametrize("rule", ALWAYS_ON)
def test_what_stays_on_is_refused_with_its_reason(rule: str) -> None:
    with pytest.raises(ParameterError) as caught:
        SafetyParameters(disabled_rules=f"rate, {rule}")
    assert str(caught.value) == (
        f"safety.disabled_rules=rate, {rule}: {rule} stays on: {ALWAYS_ON[rule]}"
    )


def test_a_misspelt_name_is_refused_with_those_that_there_are() -> None:
    with pytest.raises(
        ParameterError, match=r"stear_lead is no rule that can be off; there are .* steer_lead"
    ):
        SafetyParameters(disabled_rules="stear_lead")
    with pytest.raises(ParameterError, match=r"zzz is no rule that can be off; there are high_fre"):
        SafetyParameters(disabled_rules="zzz")
    with pytest.raises(ParameterError, match=r"cabin_required needs cabin_unsecured"):
        SafetyParameters(disabled_rules="cabin_unsecured", cabin_required=True)


def test_which_rules_are_off() -> None:
    assert SafetyParameters().rules_off == ()
    assert SafetyParameters(disabled_rules="steer_lead,rate  range").rules_off == (
        "range",
        "rate",
        "steer_lead",
    )
    assert SafetyParameters(enabled=False).rules_off == tuple(SWITCHABLE)
