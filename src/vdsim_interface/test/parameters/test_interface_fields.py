from dataclasses import dataclass
from typing import ClassVar

import pytest
from vdsim_interface.controller.parameters import ControllerParameters
from vdsim_interface.filter.parameters import AccelerationFilter
from vdsim_interface.parameters.fields import (
    ParameterError,
    Parameters,
    choice,
    flag,
    real,
    reals,
    text,
    whole,
)
from vdsim_interface.parameters.vehicle import VehicleGeometry
from vdsim_interface.pipeline.parameters import InterfaceParameters
from vdsim_interface.platforms.vds1.parameters import Vds1Parameters
from vdsim_interface.safety import SafetyParameters


@dataclass(frozen=True)
class Sample(Parameters):
    PREFIX: ClassVar[str] = "sample"

    gain: float = real(1.0, "a number", above=0, at_most=2)
    part: float = real(0.5, "a number", at_least=0, below=1)
    count: int = whole(3, "an integer", at_least=1)
    on: bool = flag(True, "a switch")
    kind: str = choice("a", "a word", ("a", "b"))
    name: str = text("x", "a text")
    table: tuple[float, ...] = reals((1.0, 2.0), "numbers", above=0)


@pytest.mark.parametrize(
    ("field", "value", "line"),
    [
        ("gain", 0.0, "sample.gain=0.0: must be > 0 and <= 2"),
        ("gain", 2.5, "sample.gain=2.5: must be > 0 and <= 2"),
        ("gain", float("nan"), "sample.gain=nan: must be > 0 and <= 2"),
        ("gain", float("inf"), "sample.gain=inf: must be > 0 and <= 2"),
        ("gain", "1", "sample.gain=1: must be a number"),
        ("gain", True, "sample.gain=True: must be a number"),
        ("part", 1.0, "sample.part=1.0: must be >= 0 and < 1"),
        ("count", 0, "sample.count=0: must be >= 1"),
        ("count", 1.5, "sample.count=1.5: must be an integer"),
        ("on", 1, "sample.on=1: must be true or false"),
        ("kind", "c", "sample.kind=c: must be one of a, b"),
        ("name", 3, "sample.name=3: must be a text"),
        ("table", 1.0, "sample.table=1.0: must be a list of numbers"),
        ("table", "12", "sample.table=12: must be a list of numbers"),
        ("table", (1.0, -1.0), "sample.table=-1.0: must be > 0"),
    ],
)
def test_a_wrong_value_gives_one_line_with_name_value_and_rule(
    field: str, value: object, line: str
) -> None:
    with pytest.raises(ParameterError) as caught:
        Sample(**{field: value})  # type: ignore[arg-type]
    assert str(caught.value) == line


def test_integers_pass_for_numbers_and_lists_for_tuples() -> None:
    made = Sample(gain=2, table=[1, 2.5])  # type: ignore[arg-type]
    assert made.gain == 2.0
    assert type(made.gain) is float
    assert made.table == (1.0, 2.5)


@pytest.mark.parametrize(
    ("make", "line"),
    [
        (lambda: SafetyParameters(accel_max_mps2=-1), "safety.accel_max_mps2=-1.0: must be >= 0.1"),
        (
            lambda: SafetyParameters(steer_rate_speeds_mps=(0.0, 5.0, 5.0, 9.0)),
            "safety.steer_rate_speeds_mps=(0.0, 5.0, 5.0, 9.0): must be a rising list",
        ),
        (
            lambda: SafetyParameters(steer_rate_speeds_mps=()),
            "safety.steer_rate_speeds_mps=(): must be a rising list",
        ),
        (
            lambda: SafetyParameters(steer_rate_max_radps=(1.0,)),
            "safety.steer_rate_max_radps=(1.0,): must have 4 values, one per speed",
        ),
        (
            lambda: SafetyParameters(gear_change_speed_mps=0.05),
            "safety.gear_change_speed_mps=0.05: must be >= safety.standstill_speed_mps (0.1)",
        ),
        (
            lambda: SafetyParameters(link_lost_s=0.05),
            "safety.link_lost_s=0.05: must be >= safety.report_timeout_s (0.1)",
        ),
        (
            lambda: SafetyParameters(stop_decel_mps2=7.0),
            "safety.stop_decel_mps2=7.0: must be <= safety.decel_max_mps2 (6)",
        ),
        (
            lambda: SafetyParameters(standstill_hold_mps2=7.0),
            "safety.standstill_hold_mps2=7.0: must be <= safety.decel_max_mps2 (6)",
        ),
        (
            lambda: ControllerParameters(accel_max_mps2=4.0),
            "controller.accel_max_mps2=4.0: must be <= controller.output_max_mps2 (3)",
        ),
        (
            lambda: ControllerParameters(decel_max_mps2=6.0),
            "controller.decel_max_mps2=6.0: must be <= controller.output_brake_max_mps2 (5)",
        ),
        (lambda: VehicleGeometry(wheelbase_m=0), "vehicle.wheelbase_m=0.0: must be >= 0.1"),
        (
            lambda: InterfaceParameters(controller=ControllerParameters(launch_accel_mps2=0.3)),
            "controller.launch_accel_mps2=0.3: must be > safety.auto_gear_deadzone_mps2 (0.3)",
        ),
        (
            lambda: InterfaceParameters(controller=ControllerParameters(standstill_speed_mps=0.2)),
            "controller.standstill_speed_mps=0.2: must be <= safety.standstill_speed_mps (0.1)",
        ),
        (
            lambda: InterfaceParameters(safety=SafetyParameters(standstill_speed_mps=0.05)),
            "controller.standstill_speed_mps=0.1: must be <= safety.standstill_speed_mps (0.05)",
        ),
        (
            lambda: InterfaceParameters(command_timeout_s=0.01),
            "command_timeout_s=0.01: must be >= two periods (0.02)",
        ),
        (
            lambda: InterfaceParameters(
                filter=InterfaceParameters().filter.__class__(
                    long_accel=AccelerationFilter(type="butterworth", cutoff_frequency_hz=50.0)
                )
            ),
            "filter.long_accel.cutoff_frequency_hz=50.0: must be < half of rate_hz (50)",
        ),
        (
            lambda: Vds1Parameters(vehicle_id=2, version=3),
            "vds1.vehicle_id=2: must be 0 below version 4",
        ),
    ],
)
def test_rules_across_fields(make: object, line: str) -> None:
    with pytest.raises(ParameterError) as caught:
        make()  # type: ignore[operator]
    assert str(caught.value).startswith(line)
