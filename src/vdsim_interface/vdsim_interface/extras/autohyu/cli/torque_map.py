"""`vdsim_torque_map`: torque maps for the AutoHYU bridge.

    vdsim_torque_map fit LOG.csv ... -o map.csv    from logs of a car at held throttle levels
    vdsim_torque_map VEHICLE                       of a car of the built-in plant, on stdout

`fit` prints how many points it read and left out, and the error on held-out points. It writes the
same text as comments into the map, with a checksum of logs and options: a second run with the same
ones leaves the map as it is. VEHICLE is read in a process of its own,
`python -m vdsim_plant.cli.torque_map`; nothing of the plant is imported.
"""

from __future__ import annotations

import argparse
import hashlib
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from vdsim_protocol.checked_file import FileError, read_bytes, read_text

from vdsim_interface.extras.autohyu.torque_log_fit import FitSettings, LogFit, fit_logs
from vdsim_interface.extras.autohyu.torque_log_report import Log, joined, plot_fit, report_lines
from vdsim_interface.extras.autohyu.torque_points import TorqueMapError, point_lines, read_points

MADE_OF, CONTENT = "# made of: ", "# content: "
REVISION = "1"
"""Raised when the same logs give another map."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return 0, or 2 after one line about what is wrong."""
    words = sys.argv[1:] if arguments is None else list(arguments)
    try:
        if words[:1] == ["fit"]:
            return _fit(_fit_parser().parse_args(words[1:]))
        return _of_vehicle(_parser().parse_args(words).vehicle)
    except (TorqueMapError, OSError) as error:
        print(f"vdsim_torque_map: {error}", file=sys.stderr)
        return 2


def _fit(options: argparse.Namespace) -> int:
    settings = _settings(options)
    output, files = Path(options.output), [Path(name) for name in options.logs]
    if output.resolve() in {file.resolve() for file in files}:
        raise TorqueMapError(f"output={output}: must be another file than the logs")
    made_of = _checksum(files, settings)
    if not options.plot and _is_made_of(output, made_of):
        print(f"{output}: up to date")
        return 0
    logs = [_log(file) for file in files]
    points = joined(logs)
    try:
        fit = fit_logs(points, settings)
    except TorqueMapError as error:
        raise TorqueMapError(f"{' '.join(options.logs)}: {error}") from None
    report = list(report_lines(logs, fit))
    _write(output, fit, report, made_of)
    if options.plot:
        try:
            plot_fit(points, fit, Path(options.plot))
        except ValueError as error:  # a format that does not exist
            raise TorqueMapError(f"plot={options.plot}: {error}") from None
    print("\n".join(report))
    print(f"{output}: {fit.torque_map.aps_percent.size} points")
    return 0


def _log(file: Path) -> Log:
    try:
        points, lines = read_points(file)
    except TorqueMapError as error:
        raise TorqueMapError(f"{file}: {error}") from None
    return Log(file.name, points, lines)


def _write(output: Path, fit: LogFit, report: list[str], made_of: str) -> None:
    made = fit.torque_map
    points = "\n".join(point_lines(made.torque_nm, made.speed_kph, made.aps_percent)) + "\n"
    head = ["# Torque map, made by vdsim_torque_map fit.", *(f"# {line}" for line in report)]
    content = hashlib.sha256(points.encode()).hexdigest()
    text = "\n".join([*head, f"{MADE_OF}{made_of}", f"{CONTENT}{content}"])
    output.write_text(f"{text}\n{points}", encoding="utf-8")


def _checksum(files: Sequence[Path], settings: FitSettings) -> str:
    """Return what the map depends on, as a checksum."""
    sums = [hashlib.sha256(_bytes(file)).hexdigest() for file in files]
    return hashlib.sha256(" ".join([REVISION, repr(settings), *sums]).encode()).hexdigest()


def _bytes(file: Path) -> bytes:
    try:
        return read_bytes(file)
    except FileError as fault:
        raise TorqueMapError(str(fault)) from None


def _is_made_of(output: Path, made_of: str) -> bool:
    """Whether a map is there, made of the same, and not edited since."""
    try:
        text = read_text(output)
    except FileError:
        return False
    head, found, rest = text.partition(CONTENT)
    content, _, points = rest.partition("\n")
    is_same = f"{MADE_OF}{made_of}\n" in head
    return bool(found) and is_same and hashlib.sha256(points.encode()).hexdigest() == content


def _of_vehicle(vehicle: str) -> int:
    command = [sys.executable, "-m", "vdsim_plant.cli.torque_map", vehicle]
    return subprocess.run(command, check=False).returncode


def _settings(options: argparse.Namespace) -> FitSettings:
    for name, top in (("torque_step", 1000.0), ("speed_step", 50.0), ("gap_speed", 400.0)):
        value = getattr(options, name)
        if not 0.0 < value <= top:
            raise TorqueMapError(f"{name.replace('_', '-')}={value:g}: must be > 0 and <= {top:g}")
    if not 0.0 < options.outlier <= 100.0:
        raise TorqueMapError(f"outlier={options.outlier:g}: must be > 0 and <= 100")
    return FitSettings(
        outlier_share=options.outlier / 100.0,
        gap_speed_kph=options.gap_speed,
        torque_step_nm=options.torque_step,
        speed_step_kph=options.speed_step,
    )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="vdsim_torque_map",
        description="Print the torque map of a car of the built-in plant.",
        epilog="vdsim_torque_map fit LOG.csv ... -o map.csv makes one from logs: fit --help",
    )
    parser.add_argument("vehicle", help="preset name or path of a vehicle file")
    return parser


def _fit_parser() -> argparse.ArgumentParser:
    default = FitSettings()
    parser = argparse.ArgumentParser(
        prog="vdsim_torque_map fit",
        description="Make a torque map from logs of a car at held throttle levels.",
    )
    parser.add_argument("logs", nargs="+", help="CSV with torque_Nm,speed_kph,throttle")
    parser.add_argument("-o", "--output", required=True, help="CSV file to write: the map")
    parser.add_argument("--plot", help="picture to write (.png, .svg)")
    parser.add_argument(
        "--outlier",
        type=float,
        default=100.0 * default.outlier_share,
        help="leave out a point this far from its neighbours [%% of the range of torque], 10",
    )
    parser.add_argument(
        "--gap-speed",
        type=float,
        default=default.gap_speed_kph,
        help="widest gap of a level [km/h], 10",
    )
    parser.add_argument(
        "--torque-step", type=float, default=default.torque_step_nm, help="of the map [N m], 10"
    )
    parser.add_argument(
        "--speed-step", type=float, default=default.speed_step_kph, help="of the map [km/h], 1"
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
