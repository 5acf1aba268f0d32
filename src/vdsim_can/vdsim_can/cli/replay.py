"""`vdsim_can replay LOG CAR`: send a recording's frames of the car again, in their own time.

Only messages that the car file receives are sent, so that the interface can be fed with a drive;
those that the interface sent are left out.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from vdsim_can.bus.channels import INTERFACE, PORT, channel_of
from vdsim_can.bus.opening import open_transport
from vdsim_can.bus.recording import RecordingError, recorded
from vdsim_can.car.reading import load_car
from vdsim_can.cli.verbs import Verbs
from vdsim_can.data import EXAMPLES, car_path
from vdsim_can.frame import packed


def add(verbs: Verbs) -> None:
    """Add the verb."""
    parser = verbs.add_parser("replay", help="send a recording's frames of the car again")
    parser.add_argument("log", type=Path, help=".log (candump), .asc or .blf")
    parser.add_argument("car", nargs="?", default=EXAMPLES[0], help="car file, or a shipped one")
    parser.add_argument("--interface", default=INTERFACE, choices=("socketcan", "udp_multicast"))
    parser.add_argument("--channels", default="", help="channel of each bus, as main=can0")
    parser.add_argument("--port", type=int, default=PORT, help="of udp_multicast")
    parser.add_argument("--speed", type=float, default=1.0, help="times real time; 0: at once")
    parser.set_defaults(verb=replay)


def replay(arguments: argparse.Namespace) -> int:
    """Send until the end of the recording or Ctrl-C."""
    car = load_car(car_path(arguments.car))
    buses = tuple(car.buses)
    known = {
        (row.bus, car.message(name).can_id, car.message(name).extended)
        for name, row in car.receive.items()
    }
    ports = {}
    sent_n = 0
    try:
        for name, bus in car.buses.items():
            channel = channel_of(arguments.channels, name)
            ports[name] = open_transport(arguments.interface, channel, arguments.port, fd=bus.fd)
        begin_s, first_s = time.monotonic(), None
        for stamp_s, bus_name, frame, _ in recorded(arguments.log, buses):
            if frame.error or (bus_name, frame.can_id, frame.extended) not in known:
                continue
            first_s = stamp_s if first_s is None else first_s
            if arguments.speed > 0.0:
                due_s = begin_s + (stamp_s - first_s) / arguments.speed
                time.sleep(max(0.0, due_s - time.monotonic()))
            ports[bus_name].sendto(packed(frame), (bus_name, 0))
            sent_n += 1
    except (OSError, ValueError, RecordingError) as error:
        print(f"vdsim_can: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        pass
    finally:
        for port in ports.values():
            port.close()
    print(f"{sent_n} frames of {car.name} sent")
    return 0 if sent_n else 1
