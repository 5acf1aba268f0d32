"""`vdsim_manoeuvre`: drives a standard manoeuvre, prints its metrics, saves a plot and the data."""

from __future__ import annotations

import argparse
import importlib.util
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from vdsim_plant.cli.console import finish
from vdsim_plant.parameters import ParameterError
from vdsim_plant.parameters.checked_file import is_folder
from vdsim_plant.study.manoeuvres.catalogue import MANOEUVRES, Manoeuvre, metrics, trace_of_result
from vdsim_plant.study.manoeuvres.panels import save_figure
from vdsim_plant.study.manoeuvres.sine_with_dwell import every_car_table

_HELP = {
    "speed_mps": ("--speed", "speed at the start [m/s]"),
    "force_n": ("--force", "constant brake force [N] instead of braking at the limit"),
    "lateral_acceleration_mps2": ("--ay", "steady lateral acceleration of the step [m/s2]"),
    "radius_m": ("--radius", "radius of the circle [m]"),
    "track": ("--track", "3888-1 or 3888-2"),
    "calmness_m_per_rad": ("--calmness", "one driver instead of the best of several [m/rad]"),
    "assist": ("--assist", "preset or path of ABS, traction control and ESC; default: none"),
    "resolution_mps": ("--resolution", "resolution of the search [m/s]"),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return 0, or 2 after one line about what is wrong."""
    options = vars(_parser().parse_args(arguments))
    return finish("vdsim_manoeuvre", lambda: _run(options))


def _run(options: dict[str, Any]) -> None:
    manoeuvre = MANOEUVRES[options.pop("manoeuvre")]
    plot, csv = options.pop("plot"), options.pop("csv")
    if options.pop("every_car", False):
        print(every_car_table(0.9 if options["mu"] is None else options["mu"]))
        return
    _check_folders(plot, csv)
    if plot is not None and importlib.util.find_spec("matplotlib") is None:
        raise ParameterError("--plot", "needs matplotlib: pip install matplotlib")
    given = {key: value for key, value in options.items() if value is not None}
    result = manoeuvre.run(**given)
    print(table(result))
    _save(manoeuvre, result, plot, csv)


def table(result: Any) -> str:
    """Return the metrics as text for people; the unit ends each name."""
    rows = metrics(result)
    return "\n".join(f"  {name:40}{_shown(value)}" for name, value in rows.items())


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="vdsim_manoeuvre", description=__doc__)
    commands = parser.add_subparsers(dest="manoeuvre", required=True, metavar="NAME")
    for name, manoeuvre in MANOEUVRES.items():
        command = commands.add_parser(name, help=manoeuvre.about, description=manoeuvre.about)
        command.add_argument("--vehicle", default="ioniq5_awd", help="preset name or path")
        command.add_argument("--tyre", help="preset name or path; default: the vehicle's own")
        command.add_argument("--mu", type=float, help="friction of the road (0.9)")
        command.add_argument("--plot", type=Path, help="save the plot here (png, svg, pdf)")
        command.add_argument("--csv", type=Path, help="save the drive here")
        for key, kind in manoeuvre.options:
            flag, text = _HELP[key]
            command.add_argument(flag, dest=key, type=kind, help=text)
        if name == "sine_with_dwell":
            text = "a table of every shipped car, without and with assistance, instead of one drive"
            command.add_argument("--every-car", action="store_true", help=text)
    return parser


def _check_folders(*paths: Path | None) -> None:
    """Refuse a file that cannot be written before the drive, not after it."""
    for path in paths:
        if path is not None and not is_folder(path.parent):
            raise ParameterError(str(path), "its folder does not exist")


def _save(manoeuvre: Manoeuvre, result: Any, plot: Path | None, csv: Path | None) -> None:
    try:
        if plot is not None:
            save_figure(manoeuvre.plot(result), plot)
        if csv is not None:
            trace_of_result(result).save_csv(csv)
    except (OSError, ValueError) as error:
        raise ParameterError("output", f"cannot be written: {error}") from None


def _shown(value: float | int | bool | str) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.5g}" if isinstance(value, float) else str(value)
