"""`vdsim_identify`: finds the car that drove a log, with intervals and what the log cannot tell.

    vdsim_identify drive.csv --start ioniq5_awd --out my_car

Logs are CSV tables (`--channels` lists the columns), MATLAB files (.mat), CAN logs (candump's .log
with --dbc; with vdsim_can and --car also .asc, .blf and .mf4), MCAP recordings of ROS 2, tables of
vdsim_replay, and with vdsim_plant_node its recordings (.vds).
"""

from __future__ import annotations

import argparse
import importlib.util
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from vdsim_plant.assembly import roll_per_ay
from vdsim_plant.cli.console import finish
from vdsim_plant.parameters import (
    GRAVITY_MPS2,
    ParameterError,
    VehicleParameters,
    load_tyre,
    load_vehicle,
)
from vdsim_plant.parameters.files import VEHICLE_FOLDER, read_yaml, resolve
from vdsim_plant.parameters.provenance import provenance_of
from vdsim_plant.study.identify.channels import CHANNELS
from vdsim_plant.study.identify.drive_log import DriveLog, joined, with_bank
from vdsim_plant.study.identify.identification import IdentifiedCar, identify
from vdsim_plant.study.identify.log_formats.log_files import read_log
from vdsim_plant.study.identify.maps import accel_map, brake_map, steer_map
from vdsim_plant.study.identify.next_drives import Advice, advise
from vdsim_plant.study.identify.prediction import (
    Predicted,
    predict,
    prediction_figure,
    prediction_lines,
)
from vdsim_plant.study.identify.problem import DEFAULT_SEGMENT_S
from vdsim_plant.study.identify.report import (
    FIT_PICTURE,
    PARAMETERS_PICTURE,
    advice_lines,
    fit_figure,
    page,
    parameters_figure,
    table,
    unexplained_lines,
)
from vdsim_plant.study.identify.written import car_files
from vdsim_plant.study.manoeuvres.panels import save_figure

PROGRAM = "vdsim_identify"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return 0, or 2 after one line about what is wrong."""
    options = _parser().parse_args(arguments)
    return finish(PROGRAM, lambda: _run(options))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=PROGRAM, description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("logs", nargs="*", type=Path, metavar="LOG", help=".csv, .mat, .log, .blf, .mcap or .vds")
    add("--start", default="ioniq5_awd", help="vehicle of the class: preset or file (ioniq5_awd)")
    add("--tyre", default="mf96", help="mf96 tyre to begin with: preset or file (mf96)")
    add("--mu", type=float, default=0.9, help="friction of the road to begin with (0.9)")
    add(
        "--known",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="a value that is measured, body.mass_kg=1480 for example",
    )
    add(
        "--field",
        action="append",
        default=[],
        metavar="CHANNEL=WHERE",
        help="where a log has a channel: NAME or NAME*FACTOR of a CSV or a MATLAB file, "
        "MESSAGE.SIGNAL of a CAN log, TOPIC:FIELD of an MCAP recording",
    )
    add("--dbc", type=Path, help="what the frames of a CAN log mean")
    add(
        "--car",
        default="",
        metavar="FILE",
        help="car file of vdsim_can, or a shipped one: what the frames of a CAN log mean, without "
        "--field",
    )
    add(
        "--held",
        choices=("wheel_torque", "none"),
        help="whether wheel torques of a row are in force until the next one; "
        "without it whichever explains the log better",
    )
    add(
        "--banked",
        action="store_true",
        help="the road is banked: take its bank from ay_mps2, straight on none",
    )
    add(
        "--predict",
        action="append",
        default=[],
        type=Path,
        metavar="LOG",
        help="a drive to predict open loop with the car that was found",
    )
    add("--out", type=Path, help="folder for the files of the car and the report")
    add("--name", default="identified", help="name of the car (identified)")
    add(
        "--segment",
        type=float,
        default=DEFAULT_SEGMENT_S,
        help="length of the pieces that are simulated [s] (10)",
    )
    add("--threads", type=int, default=os.cpu_count() or 1, help="cores to use")
    add(
        "--what-to-drive-next",
        action="store_true",
        help="which drives would tell what this log does not",
    )
    add("--channels", action="store_true", help="list the columns of a log and end")
    return parser


def _run(options: argparse.Namespace) -> None:
    if options.channels:
        for channel in CHANNELS.values():
            print(f"{channel.name:28}{channel.unit:10}{channel.meaning}")
        return
    if not options.logs:
        raise ParameterError("LOG", "must be one file or more")
    if not 1.0 <= options.segment <= 60.0:
        raise ParameterError("--segment", f"={options.segment:g}: must be 1 to 60 s")
    if not 0.05 <= options.mu <= 1.2:
        raise ParameterError("--mu", f"={options.mu:g}: must be 0.05 to 1.2")
    if options.threads < 1:
        raise ParameterError("--threads", f"={options.threads}: must be at least 1")
    known = _known(options.known)
    vehicle = load_vehicle(options.start)
    if options.out is not None:
        _made(options.out)
    if options.car and (options.field or options.dbc):
        raise ParameterError("--car", "must be without --field and --dbc, which say the same")

    def read(path: Path) -> DriveLog:
        return read_log(path, options.field, options.dbc, options.car)

    log = joined([read(path) for path in options.logs])
    others = [read(path) for path in options.predict]
    if options.banked:
        log = with_bank(log, roll_per_ay(vehicle) * GRAVITY_MPS2)
    print(f"{PROGRAM}: {log.duration_s:.0f} s at {1.0 / log.period_s:.0f} Hz", flush=True)
    car = identify(
        log,
        vehicle,
        load_tyre(options.tyre),
        mu=options.mu,
        known=known,
        segment_s=options.segment,
        threads=options.threads,
        held_torque=None if options.held is None else options.held == "wheel_torque",
        report=lambda line: print(f"  {line}", flush=True),
    )
    print("\n".join([*table(car), *unexplained_lines(car)]))
    if not car.converged:
        print(f"{PROGRAM}: NOT CONVERGED: discard all values; try --start, --known")
    predictions = [predict(car, other) for other in others]
    for path, prediction in zip(options.predict, predictions, strict=True):
        print("\n".join([f"Predicted: {path.name}", *prediction_lines(prediction)]))
    advice = advise(car) if options.what_to_drive_next else None
    if advice is not None:
        print("\n".join(["What to drive next", *advice_lines(advice)]))
    if options.out is not None:
        _write(options, car, advice)
        _write_predictions(options, predictions)


def _made(out: Path) -> None:
    """Make the folder before the fit, so that a wrong one does not cost a fit."""
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ParameterError("--out", f"={out}: cannot be a folder: {error.strerror}") from None


def _known(given: Sequence[str]) -> dict[str, float]:
    known = {}
    for text in given:
        key, _, number = text.partition("=")
        try:
            known[key] = float(number)
        except ValueError:
            raise ParameterError("--known", f"={text!r}: must be KEY=VALUE") from None
    return known


def _write(
    options: argparse.Namespace, car: IdentifiedCar, advice: Sequence[Advice] | None
) -> None:
    out: Path = options.out
    start = resolve(options.start, VEHICLE_FOLDER, (".yaml",), "start")
    before = provenance_of(VehicleParameters, read_yaml(start))
    files = car_files(car, name=options.name, before=before)
    files["accel_map.csv"] = accel_map(car.vehicle, car.tyre, car.mu)
    files["brake_map.csv"] = brake_map(car.vehicle, car.tyre, car.mu)
    files["steer_map.csv"] = steer_map(car.actuators)
    pictures = importlib.util.find_spec("matplotlib") is not None
    files["report.md"] = page(car, advice, pictures=pictures)
    try:
        for name, text in files.items():
            (out / name).write_text(text, encoding="utf-8")
        if pictures:
            save_figure(fit_figure(car.fit), out / FIT_PICTURE)
            save_figure(parameters_figure(car), out / PARAMETERS_PICTURE)
    except OSError as error:
        raise ParameterError("--out", f"cannot be written: {error.strerror}") from None
    more = "" if pictures else "; no pictures: pip install matplotlib"
    print(f"{PROGRAM}: {len(files)} files in {out}{more}")


def _write_predictions(
    options: argparse.Namespace, predictions: Sequence[Mapping[str, Predicted]]
) -> None:
    if importlib.util.find_spec("matplotlib") is None:
        return
    for path, prediction in zip(options.predict, predictions, strict=True):
        save_figure(prediction_figure(prediction), options.out / f"predicted_{path.stem}.png")


if __name__ == "__main__":
    raise SystemExit(main())
