"""The limits in force and where each comes from: the last source that sets one counts."""

from __future__ import annotations

from vdsim_interface.extras.explain.limits import CHANGED, DEFAULT, changed_n, limits, shown_value
from vdsim_interface.safety import SafetyParameters

NAME = "safety.lateral_accel_max_mps2"
RATES = "safety.steer_rate_max_radps"
DEFAULTS = (SafetyParameters(),)


def sources(*files: tuple[str, dict[str, object]], **running: object) -> dict[str, str]:
    named = {name.replace("__", "."): value for name, value in running.items()}
    return {each.name: each.source for each in limits(DEFAULTS, files, named)}


def test_without_a_file_every_limit_is_a_default() -> None:
    assert set(sources().values()) == {DEFAULT}
    assert NAME in sources()


def test_the_last_file_that_sets_a_limit_is_its_source() -> None:
    files = ("car.yaml", {NAME: 4.0}), ("mine.yaml", {NAME: 1.0}), ("late.yaml", {"rate_hz": 5.0})
    assert sources(*files)[NAME] == "mine.yaml"
    [found] = [each for each in limits(DEFAULTS, files, {}) if each.name == NAME]
    assert found.line == f"{NAME} = 1  (mine.yaml)"


def test_what_was_set_while_it_runs_is_told_from_what_the_file_says() -> None:
    file = ("mine.yaml", {NAME: 1})
    assert sources(file, safety__lateral_accel_max_mps2=1.0)[NAME] == "mine.yaml"
    assert sources(file, safety__lateral_accel_max_mps2=2.5)[NAME] == CHANGED


def test_a_list_is_the_same_as_a_tuple_of_its_values() -> None:
    default = SafetyParameters().steer_rate_max_radps
    assert sources(safety__steer_rate_max_radps=list(default))[RATES] == DEFAULT
    assert sources(safety__steer_rate_max_radps=[9.0])[RATES] == CHANGED


def test_what_is_no_limit_is_left_out() -> None:
    assert "rate_hz" not in sources(("mine.yaml", {"rate_hz": 5.0}), rate_hz=7.0)


def test_a_file_that_sets_the_default_changes_nothing() -> None:
    default = SafetyParameters().lateral_accel_max_mps2
    for value, others_n in ((default, 0), (default + 1.0, 1)):
        found = limits(DEFAULTS, [("shipped.yaml", {NAME: value})], {})
        assert changed_n(found, DEFAULTS) == others_n


def test_values_are_shown_as_in_a_file() -> None:
    shown = [shown_value(value) for value in (True, 2.0, [0.5, 1.0], "off")]
    assert shown == ["true", "2", "[0.5, 1]", "off"]
