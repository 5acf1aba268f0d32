"""`./ws attack`: attack a driving stack for some minutes, and print what fell.

./ws attack --minutes 30
./ws attack --kind files --minutes 5 --seed 7
./ws attack --kind kills --minutes 60 --composition single

Bounded by its time, on loopback, in a ROS domain and with ports of its own: it sends nothing to
anything else. Exit code 1 when anything fell.
"""

from __future__ import annotations

import argparse
import fcntl
import json
import os
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from vdsim_kit.domains import hold_domain
from vdsim_kit.ports import reserve_contract_ports

from vdsim_campaign.attack.row import Row, table

Attack = Callable[..., Row]
COMPOSITIONS = ("guarded", "single", "container", "processes")
STORED = Path(__file__).resolve().parents[3] / "tools/generate/threats/attacks.json"
FILES, START = "files", "start"
_SHOWN = 20
"""Lines of what fell that are printed of one kind."""
KINDS = {
    "messages": "ROS messages and requests of any content",
    "parameters": "requests to set parameters",
    "plant-datagrams": "UDP datagrams at the plant",
    "interface-datagrams": "UDP datagrams at the interface",
    "http": "HTTP requests",
    "websocket": "WebSocket frames",
    "guard": "packets at the guard's socket",
    FILES: "fuzzed files at every reader",
    "floods": "many datagrams a second, beside the same time without",
    "life": "memory and descriptors with 30 viewers",
    "kills": "kill -9 and SIGSTOP of every process",
}


def parser() -> argparse.ArgumentParser:
    """The command line."""
    command_line = argparse.ArgumentParser(prog="./ws attack", description=__doc__.split("\n")[0])
    add = command_line.add_argument
    add("--minutes", type=float, default=30.0, help="of all kinds together")
    add("--kind", action="append", default=[], choices=sorted(KINDS), help="all, unless named")
    add("--seed", type=int, default=1)
    add("--composition", choices=COMPOSITIONS, default="guarded")
    add("--files", type=int, default=100, help="fuzzed files a reader and round")
    add("--rate", type=float, default=50_000.0, help="of floods [datagrams/s]")
    add("--flood-s", type=float, default=0.0, help="of each flood [s]; 0: what the time allows")
    add("--stop-s", type=float, default=60.0, help="longest SIGSTOP [s]")
    add("--tries", type=int, default=0, help="of kills; 0: what the time allows")
    add("--first-try", type=int, default=0, help="of kills: the number of one to repeat")
    add("--store", action="store_true", help="for docs/attack.md")
    return command_line


def main() -> int:
    """Run; 0 when nothing fell."""
    options = parser().parse_args()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    os.environ["ROS_AUTOMATIC_DISCOVERY_RANGE"] = "LOCALHOST"
    chosen = [kind for kind in KINDS if kind in (options.kind or KINDS)]
    each_s = 60.0 * options.minutes / len(chosen)
    load = os.getloadavg()[0]
    by_kind = _run(chosen, each_s, options)
    rows = list(by_kind.values())
    text = table(rows)
    print(text)
    fell_n = sum(len(row.fell) for row in rows)
    print(f"{sum(row.tried for row in rows)} tried, {fell_n} fell")
    if options.store:
        of = "" if options.composition == COMPOSITIONS[0] else f" {options.composition}"
        how = f"load of the machine {load:.0f} to {os.getloadavg()[0]:.0f}"
        _store({f"{kind}{of}": row for kind, row in by_kind.items() if kind != START}, how)
    return int(fell_n > 0)


def _store(rows: dict[str, Row], how: str) -> None:
    """Replace the stored figures of the kinds that have run; runs at once wait for each other."""
    folder = os.open(STORED.parent, os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        _replace(rows, how)
    finally:
        os.close(folder)


def _replace(rows: dict[str, Row], how: str) -> None:
    known = json.loads(STORED.read_text(encoding="utf-8")) if STORED.is_file() else {}
    kinds, figures = known.get("kinds", {}), known.get("figures", {})
    for kind, row in rows.items():
        kinds[kind] = [row.tried, len(row.fell)]
        figures[kind] = [row.kind, "; ".join([*row.notes, how])]
    content = {"kinds": kinds, "figures": figures}
    STORED.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def _run(chosen: list[str], each_s: float, options: argparse.Namespace) -> dict[str, Row]:
    rows: dict[str, Row] = {}

    def until() -> Callable[[], bool]:
        end_s = time.monotonic() + each_s
        return lambda: time.monotonic() >= end_s

    def done(kind: str, row: Row) -> None:
        rows[kind] = row
        print(f"{row.kind}: {row.tried} tried, {len(row.fell)} fell", flush=True)
        for line in row.fell[:_SHOWN]:
            print(f"    fell: {line}", flush=True)

    if FILES in chosen:
        from vdsim_campaign.attack.files import files

        done(FILES, files(options.seed, options.files, until()))
    rest = [kind for kind in chosen if kind != FILES]
    if not rest:
        return rows
    reserve_contract_ports()
    from vdsim_campaign.attack.judging import last_lines
    from vdsim_campaign.attack.rig import RECOVERY_S, Rig

    attacks = _attacks(options, each_s)
    with hold_domain() as domain, tempfile.TemporaryDirectory(prefix="vdsim_attack_") as folder:
        os.environ["ROS_DOMAIN_ID"] = str(domain.number)
        rig = Rig(Path(folder), options.composition)
        try:
            if rig.recover(3 * RECOVERY_S) < 0.0:
                why = f"the car does not drive: {last_lines(rig)}"
                done(START, Row("the drive before any attack", 1, [why]))
                return rows
            for kind in rest:
                done(kind, attacks[kind](rig, until()))
        finally:
            left = rig.close()
        done("end", Row("the end of the launch", 1, left))
    return rows


def _attacks(options: argparse.Namespace, each_s: float) -> dict[str, Attack]:
    from vdsim_campaign.attack import ros_requests, web
    from vdsim_campaign.attack.datagrams import datagrams_at
    from vdsim_campaign.attack.floods import KINDS as FLOODS
    from vdsim_campaign.attack.floods import floods
    from vdsim_campaign.attack.guard_socket import guard_socket
    from vdsim_campaign.attack.kills import kills
    from vdsim_campaign.attack.life import life

    seed = options.seed
    flood_s = options.flood_s or max(2.0, each_s / (2 * len(FLOODS) + 2))
    return {
        "messages": ros_requests.messages(seed),
        "parameters": ros_requests.parameters(seed),
        "plant-datagrams": datagrams_at("plant", seed),
        "interface-datagrams": datagrams_at("interface", seed),
        "http": web.http(seed),
        "websocket": web.websocket(seed),
        "guard": guard_socket(seed),
        "floods": floods(options.rate, flood_s),
        "life": life(each_s),
        "kills": kills(seed, options.stop_s, options.tries, options.first_try),
    }


if __name__ == "__main__":
    sys.exit(main())
