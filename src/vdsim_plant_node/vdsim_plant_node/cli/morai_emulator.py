"""`morai_emulator`: the simulator's side of every MORAI SIM: Drive UDP message.

Our plant is the ego vehicle, with a little scripted traffic. Exit codes: 0 stopped by a signal or
after --duration, 1 the network could not be had, 2 wrong options or settings.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from vdsim_plant.realtime.pacing import PacedLoop, Pacer
from vdsim_protocol.cli.log_lines import LogLines
from vdsim_protocol.morai import RELEASES, release_text

from vdsim_plant_node.cli.running import StopSignal, checked_duration, ending
from vdsim_plant_node.live.early_exit import interruptibly
from vdsim_plant_node.morai.emulator import Emulator, Sockets
from vdsim_plant_node.morai.settings import EmulatorSettings, load_settings
from vdsim_plant_node.morai.world import PERIOD_S

PROGRAM = "morai_emulator"
ROS_ARGUMENTS = "--ros-args"
"""What launch files append for nodes; this program is not one and ignores the rest."""


def parser() -> argparse.ArgumentParser:
    """The command line."""
    command_line = argparse.ArgumentParser(
        prog=PROGRAM,
        description=__doc__.splitlines()[0],
        epilog="releases (inferred: no public source states it):\n" + release_text(),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = command_line.add_argument
    add("--scene", type=Path, metavar="FILE", help="YAML file: ports, boxes, and what is below")
    add("--vehicle", help="vehicle preset or file")
    add("--mu", type=float, help="friction of the road")
    add("--host", help="address on which commands are received")
    add("--to", help="address to which messages go")
    add("--control-port", type=int, dest="control_port", help="UDP port of Ego Ctrl Cmd")
    add("--status-port", type=int, dest="status_port", help="to which Ego Vehicle Status goes")
    add("--release", metavar="|".join(RELEASES), help="of the simulator: see below; default 21")
    add("--generation", type=int, help="of Ego Vehicle Status, 1 to 5, not the release's")
    add(
        "--steer-positive",
        dest="steer_positive",
        metavar="left|right",
        help="side of positive steering, not the release's",
    )
    add(
        "--steer-reported-positive",
        dest="steer_reported_positive",
        metavar="left|right",
        help="side of a positive wheel angle in the status, not the commands'",
    )
    add("--duration", type=float, help="stop after this time [s]")
    return command_line


def main(arguments: Sequence[str] | None = None) -> int:
    """Run until a signal comes."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    if ROS_ARGUMENTS in given:
        given = given[: given.index(ROS_ARGUMENTS)]
    options = vars(parser().parse_args(given))
    scene, asked_s = options.pop("scene"), options.pop("duration")

    def emulate() -> int:
        duration_s = checked_duration(asked_s)
        return run(load_settings(scene, options), duration_s)

    return ending(PROGRAM, emulate)


def run(settings: EmulatorSettings, duration_s: float | None = None) -> int:
    """Emulate until SIGINT, SIGTERM or the end of the duration."""
    with ExitStack() as opened:
        sockets = Sockets(settings)
        opened.callback(sockets.close)
        log = LogLines(PROGRAM)
        opened.callback(log.close)
        emulator = interruptibly(lambda: Emulator(settings, sockets, log))
        opened.callback(emulator.end)
        ports = settings.ports
        log(
            f"release {settings.release}, {settings.vehicle}: "
            f"Ego Ctrl Cmd at {settings.host}:{ports.control}, "
            f"Ego Vehicle Status at {1.0 / PERIOD_S:g} Hz to {settings.to}:{ports.status}"
        )
        runner = PacedLoop(Pacer(PERIOD_S), clock=time.monotonic, sleep=time.sleep)
        stop = StopSignal()
        stop.end_after(duration_s)
        runner.run(emulator.tick, stop)
    return 0


if __name__ == "__main__":
    sys.exit(main())
