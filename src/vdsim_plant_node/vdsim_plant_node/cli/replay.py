"""`vdsim_replay`: play a scenario, or play a recording of a live run again and compare.

FILE.yaml  a scenario      FILE.csv  commands over time      FILE.vds  a recording
FILE.mcap  what entered the interface, through the interface once more (vdsim_record)
FILE.vds --mcap OUT.mcap  the recording as MCAP, in the schemas of ROS 2 (vdsim_record)
finish DIR  complete recordings in MCAP whose processes have all ended (vdsim_record)
events FILE  check an event log and export it (vdsim_interface)

Exit codes: 0 done (and, for a recording, every state reproduced), 1 a recorded state was not
reproduced or a file could not be had, 2 wrong options, scenario or recording.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from importlib.metadata import entry_points
from pathlib import Path

from vdsim_plant.parameters import ParameterError
from vdsim_plant.parameters.substep import substep_warning
from vdsim_plant.realtime.pacing import Pacer
from vdsim_plant.session import SimSession

from vdsim_plant_node.cli.progress import with_progress
from vdsim_plant_node.cli.replay_page import ReplayPage
from vdsim_plant_node.cli.running import ending, require_matplotlib
from vdsim_plant_node.runs.recording import RecordingError
from vdsim_plant_node.runs.run_table import PlayedTick, RunTableWriter, tables_of_ticks
from vdsim_plant_node.scenario.player import ScenarioPlayer
from vdsim_plant_node.scenario.reader import load_scenario, with_seed
from vdsim_plant_node.scenario.recorded import RecordedRun, Verdict
from vdsim_plant_node.scenario.state_stream import StateStream
from vdsim_plant_node.settings.options import VEHICLE_OPTIONS, add_options, vehicle_values
from vdsim_plant_node.settings.server_settings import Endpoint, VehicleSettings

PROGRAM = "vdsim_replay"
MCAP, CONVERT, BY_NAME = "mcap", "convert", ("finish", "events")
ELSEWHERE = "vdsim_plant_node.replay"
"""Entry points of another package, by name: each gets the words of the command line."""


def parser() -> argparse.ArgumentParser:
    """The command line."""
    command_line = argparse.ArgumentParser(
        prog=PROGRAM,
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command_line.add_argument("file", type=Path, help="scenario, commands or recording")
    command_line.add_argument("--out", type=Path, help="write every tick to this CSV")
    command_line.add_argument("--plot", type=Path, help="draw the run to this picture")
    command_line.add_argument("--realtime", action="store_true", help="at the speed of the clock")
    command_line.add_argument("--state-to", help="send STATE to this IP:PORT on the way")
    command_line.add_argument(
        "--http", help="then show the run in the browser at this HOST:PORT, with a time slider"
    )
    command_line.add_argument("--http-token", help="needed where HOST is not this machine alone")
    command_line.add_argument("--vehicle", help="another vehicle than the scenario's")
    command_line.add_argument("--tyre", help="another tyre than the scenario's")
    command_line.add_argument(
        "--allow-coarse-substep",
        action="store_true",
        help="play a recording of a run whose solver's step was above 2 ms",
    )
    add_options(command_line, VEHICLE_OPTIONS)
    return command_line


def main(arguments: Sequence[str] | None = None) -> int:
    """Play the file."""
    words = sys.argv[1:] if arguments is None else list(arguments)
    if name := _of_another_package(words):
        return _run_elsewhere(name, words)
    options = parser().parse_args(words)
    play = _play_recording if options.file.suffix.lower() == ".vds" else _play_scenario
    return ending(PROGRAM, lambda: play(options), (ParameterError, RecordingError))


def _of_another_package(words: Sequence[str]) -> str:
    """Name what another package does; empty for what is done here."""
    if words and words[0] in BY_NAME:
        return words[0]
    if any(word.partition("=")[0] == f"--{MCAP}" for word in words):
        return CONVERT
    return MCAP if any(word.endswith(f".{MCAP}") for word in words) else ""


def _run_elsewhere(name: str, words: Sequence[str]) -> int:
    found = [each for each in entry_points(group=ELSEWHERE) if each.name == name]
    try:
        program = found[0].load()
    except (IndexError, ModuleNotFoundError) as error:
        missing = getattr(error, "name", None) or "vdsim_record"
        print(f"{PROGRAM}: {name}: needs the package {missing}: not installed", file=sys.stderr)
        return 1
    return int(program(words))


def _play_scenario(options: argparse.Namespace) -> int:
    scenario = load_scenario(options.file, vehicle_values(vars(options)))
    if options.seed is not None:
        scenario = with_seed(scenario, options.seed)
    player = ScenarioPlayer(scenario)
    car = (scenario.vehicle, player.vehicle.session)
    cars = {scenario.vehicle.vehicle_id: car}
    with _Outputs(options, scenario.timing.tick_s, cars) as outputs:
        outputs.take(player.start())
        for played in _timed(options, player, scenario.timing.tick_s, player.ticks):
            outputs.take(played)
    counters = player.receiver.counters()
    print(
        f"{PROGRAM}: {player.vehicle.output.time_s:g} s in {player.ticks} ticks; "
        f"{counters.accepted} commands taken, {counters.rejected_total} dropped; "
        f"state {player.vehicle.session.state_hash()[:16]}"
    )
    outputs.serve()
    return 0


def _play_recording(options: argparse.Namespace) -> int:
    given = vehicle_values(vars(options))
    if given:
        raise ParameterError(next(iter(given)), "cannot be changed for a recording")
    run = RecordedRun(options.file, allow_coarse_substep=options.allow_coarse_substep)
    if line := substep_warning("substep_s", run.substep_s):
        print(f"{PROGRAM}: {options.file}: {line}", file=sys.stderr)
    with _Outputs(options, run.tick_s, run.vehicles) as outputs:
        for played in run.start():
            outputs.take(played)
        for played in _timed(options, run, run.tick_s, run.ticks):
            outputs.take(played)
    code = _say_verdict(run, run.verdict)
    outputs.serve()
    return code


def _say_verdict(run: RecordedRun, verdict: Verdict) -> int:
    if run.reader.truncated:
        print(f"{PROGRAM}: {run.path}: ends inside a record; played up to there")
    if verdict.same:
        print(f"{PROGRAM}: all {verdict.states} recorded states reproduced bit for bit")
        return 0
    if verdict.first is None:
        print(f"{PROGRAM}: {run.path}: holds no states to compare with", file=sys.stderr)
        return 1
    first = verdict.first
    print(
        f"{PROGRAM}: {verdict.different} of {verdict.states} recorded states differ; first at tick "
        f"{first.tick} of vehicle {first.vehicle_id}: {', '.join(first.fields)}",
        file=sys.stderr,
    )
    return 1


def _timed(
    options: argparse.Namespace, ticks: Iterable[PlayedTick], tick_s: float, count: int
) -> Iterable[PlayedTick]:
    """The ticks at the asked speed, with a progress bar when that takes long."""
    return with_progress(_paced(ticks, tick_s) if options.realtime else ticks, count)


def _paced(ticks: Iterable[PlayedTick], tick_s: float) -> Iterator[PlayedTick]:
    """Give out the ticks of the first vehicle at the speed of the clock, the others' with them."""
    pacer = Pacer(tick_s)
    pacer.start(time.monotonic())
    due, leader = 0, None
    for played in ticks:
        leader = played.vehicle_id if leader is None else leader
        while played.vehicle_id == leader and due == 0:
            time.sleep(max(0.0, pacer.deadline() - time.monotonic()))
            due = pacer.due(time.monotonic())
        due -= played.vehicle_id == leader
        yield played


class _Outputs:
    """Where the ticks go: a table, a picture, a socket, a page, each when asked for."""

    def __init__(
        self,
        options: argparse.Namespace,
        tick_s: float,
        vehicles: Mapping[int, tuple[VehicleSettings, SimSession]],
    ) -> None:
        origins = {number: settings.origin for number, (settings, _) in vehicles.items()}
        self._page = ReplayPage.open(options.http, options.http_token, tick_s, vehicles)
        self._plot: Path | None = options.plot
        if self._plot is not None:
            require_matplotlib("--plot")
        self._title = options.file.name
        self._kept: list[PlayedTick] = []
        self._opened = ExitStack()
        self._table: RunTableWriter | None = None
        if options.out is not None:
            stream = options.out.open("w", encoding="utf-8", newline="")
            self._table = RunTableWriter(self._opened.enter_context(stream))
        self._states: StateStream | None = None
        if options.state_to is not None:
            target = Endpoint.parse("state_to", options.state_to)
            self._states = self._opened.enter_context(StateStream(target, origins))

    def take(self, played: PlayedTick) -> None:
        """Pass one tick on."""
        if self._table is not None:
            self._table.write(played)
        if self._states is not None:
            self._states.send(played)
        if self._plot is not None:
            self._kept.append(played)
        if self._page is not None:
            self._page.take(played)

    def serve(self) -> None:
        """Show the run in the browser until a signal comes, if that was asked for."""
        if self._page is not None:
            self._page.serve(lambda line: print(f"{PROGRAM}: {line}", flush=True))

    def __enter__(self) -> _Outputs:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._opened.close()
        if self._page is not None and kind is not None:
            self._page.close()
        if self._plot is not None and kind is None:
            from vdsim_plant_node.runs.plots import draw_runs  # only who draws waits for matplotlib

            draw_runs({self._title: tables_of_ticks(self._kept)}, self._plot)


if __name__ == "__main__":
    sys.exit(main())
