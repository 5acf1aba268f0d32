"""`vdsim_realtime`: a car that drives by itself in real time, on the VDS1 protocol.

Exit codes: 0 stopped by a signal or after --duration, 1 the network or a file could not be had, or
a recording ended early, 2 wrong options or parameters.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

from vdsim_protocol.cli.log_lines import LogLines

from vdsim_plant_node.cli.running import StopSignal, checked_duration, ending
from vdsim_plant_node.cli.world_file import load_world
from vdsim_plant_node.dataport.service import claim_data_port, serve_data_port
from vdsim_plant_node.live.early_exit import interruptibly
from vdsim_plant_node.live.realtime_hints import (
    settle_garbage_collector,
    sharpen_timers,
    use_fifo_scheduling,
)
from vdsim_plant_node.live.recording_session import open_recording
from vdsim_plant_node.live.server import PlantServer
from vdsim_plant_node.live.sessions import build_wire_vehicles
from vdsim_plant_node.live.udp_sockets import close_sockets, open_sockets
from vdsim_plant_node.settings.options import add_options, server_settings
from vdsim_plant_node.settings.server_settings import ServerSettings
from vdsim_plant_node.settings.warnings import warnings_of

PROGRAM = "vdsim_realtime"


def parser() -> argparse.ArgumentParser:
    """The command line."""
    command_line = argparse.ArgumentParser(prog=PROGRAM, description=__doc__.splitlines()[0])
    command_line.add_argument("vehicle", nargs="?", help="vehicle preset or file")
    command_line.add_argument("tyre", nargs="?", help="tyre preset or file; 'vehicle': its own")
    add_options(command_line)
    command_line.add_argument(
        "--scene", metavar="WORLD", help="world file of VDSim: its vehicles, road and rate"
    )
    command_line.add_argument("--duration", type=float, help="stop after this time [s]")
    return command_line


def main(arguments: Sequence[str] | None = None) -> int:
    """Run until a signal comes."""
    options = parser().parse_args(arguments)

    def serve() -> int:
        duration_s = checked_duration(options.duration)
        given = vars(options)
        scene = given.pop("scene")
        if scene is None:
            return run(server_settings(given), duration_s)
        with TemporaryDirectory(prefix="vdsim_world_") as folder:
            world = load_world(Path(scene), Path(folder))
            for note in world.notes:
                print(f"{PROGRAM}: note: {note}", file=sys.stderr)
            named = {name: value for name, value in given.items() if value is not None}
            return run(server_settings({**world.options, **named}), duration_s)

    return ending(PROGRAM, serve)


def run(settings: ServerSettings, duration_s: float | None = None) -> int:
    """Serve the vehicles of the settings until SIGINT, SIGTERM or the end of the duration."""
    with ExitStack() as opened:
        log = LogLines(PROGRAM)
        opened.callback(log.close)
        # Every port is claimed before the cars are built: the first time that compiles the core.
        sockets = open_sockets(settings)
        opened.callback(close_sockets, sockets)
        claimed = claim_data_port(settings, log)
        if claimed is not None:
            opened.callback(claimed.socket.close)
        vehicles = interruptibly(lambda: build_wire_vehicles(settings))
        server = PlantServer(settings, vehicles, sockets=sockets, log=log)
        stop = StopSignal()
        recording = open_recording(server)
        if recording is not None:
            opened.callback(recording.close)
        for line in server.describe():
            log(line)
        for line in warnings_of(settings):
            log(f"WARNING: {line}")
        data_port = serve_data_port(server, claimed, log=log)
        if data_port is not None:
            opened.callback(data_port.close)
        sharpen_timers()
        if settings.precise and not use_fifo_scheduling():
            log("real-time scheduling is not permitted; --precise spins without it")
        settle_garbage_collector()
        stop.end_after(duration_s)
        server.serve(stop)
        if recording is not None:
            recording.close()
        _sum_up(server, log)
        if recording is None or recording.failure is None:
            return 0
        log(f"the recording ended early: {recording.failure}")
        return 1


def _sum_up(server: PlantServer, log: Callable[[str], None]) -> None:
    pacing = server.snapshot().pacing
    log(
        f"stopped after {pacing.ticks} ticks; lateness p50 {pacing.lateness_p50_s * 1e6:.0f} us, "
        f"p99 {pacing.lateness_p99_s * 1e6:.0f} us, max {pacing.lateness_max_s * 1e3:.1f} ms; "
        f"{pacing.overruns} overruns, {pacing.skipped_ticks} ticks skipped"
    )


if __name__ == "__main__":
    sys.exit(main())
