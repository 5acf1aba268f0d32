"""AssistParameters: which systems help the driver, and how they act."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from vdsim_plant.parameters.fields import check_fields, choice, real, require
from vdsim_plant.parameters.files import DATA_FOLDER, read_yaml, resolve
from vdsim_plant.parameters.mapping import from_mapping

NONE = "none"
ASSIST_FOLDER = DATA_FOLDER / "assist"
SWITCH = ("off", "on")
_SWITCHES = ("abs", "traction", "stability")


@dataclass(frozen=True, kw_only=True)
class AssistParameters:
    """Driver assistance of a car; each system is off unless it is switched on."""

    abs: str = choice("off", "antilock brakes: hold each wheel near its peak slip", SWITCH)
    traction: str = choice("off", "traction control: the same for what drives", SWITCH)
    stability: str = choice("off", "ESC: brake single wheels towards the wanted yaw rate", SWITCH)
    period_s: float = real(
        0.005, "time between two decisions", unit="s", at_least=0.0005, at_most=0.05
    )
    slip_share: float = real(
        1.0, "slip that is aimed at, of the slip at the tyre's peak", at_least=0.2, at_most=2.0
    )
    slip_time_s: float = real(
        0.03, "time constant towards that slip", unit="s", at_least=0.005, at_most=1.0
    )
    slowest_mps: float = real(
        1.5, "ABS is off below this speed of the wheel's contact", unit="m/s", at_least=0.0
    )
    wheel_brake_below_mps: float = real(
        15.0, "below it traction control brakes a spinning wheel for the other one", unit="m/s",
        at_least=0.0,
    )  # fmt: skip
    yaw_gain_per_s: float = real(
        8.0, "yaw acceleration per error of the yaw rate", unit="1/s", at_least=0.0, at_most=100.0
    )
    yaw_tolerance_radps: float = real(
        0.05, "error of the yaw rate that ESC leaves alone", unit="rad/s", at_least=0.0
    )
    yaw_lag_s: float = real(
        0.12, "time in which a car answers the steering", unit="s", at_least=0.0, at_most=1.0
    )
    yaw_build_up_s: float = real(
        0.0, "time over which ESC lets ABS brake the front wheels differently on split friction",
        unit="s", at_least=0.0, at_most=2.0,
    )  # fmt: skip
    grip_share: float = real(
        0.85, "share of the grip that the wanted yaw rate may use", above=0.0, at_most=1.0
    )
    slowest_yaw_mps: float = real(5.0, "ESC is off below this speed", unit="m/s", at_least=1.0)

    def __post_init__(self) -> None:
        check_fields(self)
        require(
            "on" in (self.abs, self.traction, self.stability),
            "abs",
            f"={self.abs}: abs, traction or stability must be on; none at all is assist={NONE}",
        )


def assist_names() -> tuple[str, ...]:
    """Return the names of the presets."""
    return tuple(sorted(path.stem for path in ASSIST_FOLDER.glob("*.yaml")))


def load_assist(name_or_path: str | Path) -> AssistParameters | None:
    """Load a preset (`abs`, `passenger_car`) or a YAML file; with `none` there is no assistance."""
    if name_or_path == NONE:
        return None
    path = resolve(name_or_path, ASSIST_FOLDER, (".yaml",), "assist", without_file=(NONE,))
    values: object = read_yaml(path)
    if isinstance(values, Mapping):  # YAML reads on and off as true and false
        words = {True: "on", False: "off"}
        values = {
            key: words[value] if key in _SWITCHES and isinstance(value, bool) else value
            for key, value in values.items()
        }
    return from_mapping(AssistParameters, values, source=path.name)
