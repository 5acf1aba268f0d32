"""`vdsim_calibrate`: measurements of a vehicle -> its pedal map, with the error and a plot.

    vdsim_calibrate --vehicle ioniq5_awd -o ioniq5_awd.csv      sweeps the built-in plant
    vdsim_calibrate samples.csv -o my_car.csv                   reads a recording of any vehicle
    vdsim_calibrate --log log.csv -o my_car.csv                 from a bus whose speed has steps
    vdsim_calibrate --bends bends.csv --wheelbase 2.97          fits the understeer gradient
    vdsim_calibrate --server 127.0.0.1:7001 --wheelbase 2.97    drives bends on a VDS1 server first

The plant runs in processes of its own, `python -m vdsim_plant.cli.pedal_sweep` and `steer_sweep`,
and writes samples as text, in the form of a recording of a real car. Nothing of it is imported.
"""

import argparse
import math
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from vdsim_protocol.checked_file import FileError, read_text
from vdsim_protocol.vds1 import DEFAULT_STATE_PORT

from vdsim_interface.extras.calibration.bend_drive import BendDrive
from vdsim_interface.extras.calibration.cli.bend_session import drive_bends
from vdsim_interface.extras.calibration.cli.log_plot import plot_log
from vdsim_interface.extras.calibration.fit import Fit
from vdsim_interface.extras.calibration.log_maps import (
    Steps,
    autoware_files,
    log_summary,
    maps_of,
    parse_log,
)
from vdsim_interface.extras.calibration.samples import Samples, parse_samples
from vdsim_interface.extras.calibration.speeds import fit_up_to
from vdsim_interface.extras.calibration.understeer_fit import (
    HEADER,
    UndersteerError,
    UndersteerFit,
    fit_understeer,
)
from vdsim_interface.platforms.pedal_map import PedalMapError
from vdsim_interface.platforms.pedal_table import write_pedal_map

SWEEP = [sys.executable, "-m", "vdsim_plant.cli.pedal_sweep"]
STEER_SWEEP = [sys.executable, "-m", "vdsim_plant.cli.steer_sweep"]
BENDS_TOP_MPS = 25.0
"""Bends are driven up to this speed, or the top speed of the map where it is lower."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return 0, 2 after a line that names the error, 130 after Ctrl-C."""
    options = _parser().parse_args(arguments)
    try:
        if options.bends:
            bends = read_text(Path(options.bends)).splitlines()
            print(understeer_line(fit_understeer(bends, options.wheelbase)))
            return 0
        if options.server:
            print(understeer_line(fit_understeer(_drive(options))))
            return 0
        if not options.output:
            raise PedalMapError("output=: must be the CSV file to write")
        if options.log:
            print(f"{options.output}: {_from_log(options)}")
            return 0
        if options.vehicle:
            origin = f"plant {options.vehicle}"
            lines = _sweep(SWEEP, options.vehicle, options.top_speed)
        else:
            origin = Path(options.samples).name
            lines = read_text(Path(options.samples)).splitlines()
        samples = parse_samples(lines)
        fit = fit_up_to(samples, options.top_speed)
        text = write_pedal_map(fit.pedal_map, comment(origin, fit))
        Path(options.output).write_text(text, encoding="utf-8")
        if options.plot:
            plot_fit(samples, fit, origin, Path(options.plot))
        if options.vehicle:
            top_mps = min(options.top_speed, BENDS_TOP_MPS)
            print(understeer_line(fit_understeer(_sweep(STEER_SWEEP, options.vehicle, top_mps))))
    except (PedalMapError, UndersteerError, FileError, OSError) as error:
        print(f"vdsim_calibrate: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("vdsim_calibrate: interrupted", file=sys.stderr)
        return 130
    print(f"{options.output}: {summary(samples, fit)}")
    return 0


def _from_log(options: argparse.Namespace) -> str:
    """Fit the maps of a log and write them; return what was done, for people."""
    origin = Path(options.log).name
    columns = parse_log(read_text(Path(options.log)).splitlines())
    maps = maps_of(columns, Steps(options.speed_step, options.angle_step, options.delay))
    text = (
        f"Pedal map from {origin}, made by vdsim_calibrate --log: speed in steps of "
        f"{options.speed_step:g} km/h, {options.delay:g} s late.\n{log_summary(maps)}."
    )
    Path(options.output).write_text(write_pedal_map(maps.pedal_map, text), encoding="utf-8")
    if options.autoware:
        folder = Path(options.autoware)
        folder.mkdir(exist_ok=True)
        for name, table in autoware_files(maps).items():
            (folder / name).write_text(table, encoding="utf-8")
    if options.plot:
        plot_log(maps, origin, Path(options.plot))
    return log_summary(maps)


def _drive(options: argparse.Namespace) -> list[str]:
    """Drive bends on a server; return their rows, and write them if a file is named."""
    top_mps = min(options.top_speed, BENDS_TOP_MPS)
    drive = BendDrive(options.wheelbase, top_mps)
    rows = drive_bends(options.server, options.listen_port, drive, _print_row)
    if options.output:
        Path(options.output).write_text("\n".join(rows) + "\n", encoding="utf-8")
    return rows


def _print_row(row: str) -> None:
    """Show the progress of a drive, beside the result."""
    print(row, file=sys.stderr, flush=True)


def understeer_line(fit: UndersteerFit) -> str:
    """Return one line: the parameter and how well it fits."""
    return (
        f"vehicle.understeer_gradient_rad_s2pm: {fit.gradient_rad_s2pm:.5f}  "
        f"({fit.bends_n} bends, error of the curvature: rms {fit.rms_error:.1%})"
    )


def summary(samples: Samples, fit: Fit) -> str:
    """Return one line about the accuracy of the map."""
    return (
        f"pedals {fit.pedal_map.pedals[0]:g} to {fit.pedal_map.pedals[-1]:g}, "
        f"{len(samples.speed_mps)} samples, error on {fit.held_back_count} held back: "
        f"rms {fit.rms_error_mps2:.3f}, max {fit.max_error_mps2:.3f} m/s2; "
        f"straightened by at most {fit.straightened_mps2:.3f} m/s2"
    )


def comment(origin: str, fit: Fit) -> str:
    """Return the comment at the head of the CSV file."""
    return (
        f"Pedal map from {origin}, made by vdsim_calibrate.\n"
        f"Error on pedals that were held back: rms {fit.rms_error_mps2:.3f} m/s2, "
        f"max {fit.max_error_mps2:.3f} m/s2.\n"
        "pedal: -1 full brake, 0 coasting, 1 full throttle; "
        "accel_mps2 in the travel direction on level ground."
    )


def plot_fit(samples: Samples, fit: Fit, origin: str, path: Path) -> None:
    """Draw acceleration over speed, one curve per pedal position."""
    # Imported here: only --plot needs matplotlib.
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 6), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots()
    pedal_map = fit.pedal_map
    speeds = np.linspace(pedal_map.speeds_mps[0], pedal_map.speeds_mps[-1], 200)
    for pedal in pedal_map.pedals:
        shade = (0.8, 0.1, 0.1) if pedal < 0 else (0.1, 0.3, 0.8)
        curve = [pedal_map.accel(pedal, float(speed)) for speed in speeds]
        axes.plot(speeds, curve, color=shade if pedal else "black", linewidth=0.8)
    held_back = ~np.isin(samples.pedal, pedal_map.pedals)
    axes.plot(
        samples.speed_mps[held_back],
        samples.accel_mps2[held_back],
        ".",
        color="gray",
        markersize=1,
    )
    axes.set_xlabel("speed [m/s]")
    axes.set_ylabel("acceleration [m/s$^2$]")
    axes.set_title(
        f"{origin}: pedal map, rms {fit.rms_error_mps2:.3f} m/s$^2$ on held-back samples (gray)"
    )
    axes.grid(visible=True, linewidth=0.3)
    figure.savefig(path)


def _sweep(program: list[str], vehicle: str, top_speed_mps: float) -> list[str]:
    command = [*program, vehicle, "--top-speed", f"{top_speed_mps:g}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        last = done.stderr.strip().splitlines()[-1:] or ["no error message"]
        raise PedalMapError(f"sweep of vehicle={vehicle}: {last[0]}")
    return done.stdout.splitlines()


def _above_0(text: str) -> float:
    value = float(text)
    if not 0.0 < value <= 100.0:
        raise argparse.ArgumentTypeError(f"{text}: must be > 0 and <= 100")
    return value


def _delay(text: str) -> float:
    value = float(text)
    if not 0.0 <= value <= 1.0:
        raise argparse.ArgumentTypeError(f"{text}: must be >= 0 and <= 1 s")
    return value


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="vdsim_calibrate", description="make a pedal map from measurements of a vehicle"
    )
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("samples", nargs="?", help="CSV with speed_mps,pedal,accel_mps2")
    source.add_argument("--vehicle", help="vehicle of the built-in plant: preset name or file")
    source.add_argument(
        "--log", help="CSV with time_s,speed_kph,pedal[,wheel_angle_deg,asked_angle_deg]"
    )
    source.add_argument("--bends", help=f"CSV with {HEADER}: fit the understeer gradient only")
    source.add_argument(
        "--server",
        metavar="HOST:PORT",
        help="VDS1 server: drive steady bends there, then fit the understeer gradient",
    )
    parser.add_argument(
        "--wheelbase", type=float, default=math.nan, help="[m], of --bends and --server"
    )
    parser.add_argument(
        "--listen-port",
        type=int,
        default=DEFAULT_STATE_PORT,
        help=f"UDP port to which --server sends STATE, default {DEFAULT_STATE_PORT}",
    )
    parser.add_argument(
        "-o", "--output", default="", help="CSV file to write: the pedal map; the bends of --server"
    )
    log = parser.add_argument_group("of --log")
    log.add_argument("--autoware", metavar="DIR", help="folder for Autoware's three CSV files")
    log.add_argument("--speed-step", type=_above_0, default=1.0, help="[km/h], default 1")
    log.add_argument("--angle-step", type=_above_0, default=0.1, help="[deg], default 0.1")
    log.add_argument("--delay", type=_delay, default=0.05, help="[s] from car to log, default 0.05")
    parser.add_argument("--plot", help="plot to write (.png, .svg)")
    parser.add_argument("--top-speed", type=float, default=40.0, help="[m/s], default 40")
    return parser


if __name__ == "__main__":
    sys.exit(main())
