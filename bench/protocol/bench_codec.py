"""The VDS1 codec against C, bare struct, ctypes and construct, all in one run.

    python bench/protocol/bench_codec.py [--rounds 15] [--packets 1000000]

Times vary with the machine, so the results are ratios: each is the median over rounds in which both
sides ran directly one after the other. Ends with 1 when a target is missed. C needs cc and zlib's
header, construct `pip install construct`; a missing one is omitted, with a message.
"""

from __future__ import annotations

import argparse
import gc
import statistics
import subprocess
import sys
import tempfile
import timeit
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent), str(HERE.parents[1] / "src" / "vdsim_protocol")]

import figures  # noqa: E402
from contenders import BARE, CONTENDERS, OPERATIONS, OURS, OURS_ARRAY, same_datagrams  # noqa: E402

from vdsim_protocol import vds1  # noqa: E402

LOOPS = 4000
C = "C with zlib"
CONSTRUCT = "construct, compiled"
# (contender, operation, baseline, largest ratio)
TARGETS = [
    (OURS, "CMD encode", BARE, 2.0),
    (OURS, "CMD decode", BARE, 2.0),
    (OURS, "STATE encode", BARE, 3.0),
    (OURS, "STATE decode", BARE, 3.0),
    (OURS_ARRAY, "STATE encode", BARE, 1.3),
    (OURS_ARRAY, "STATE decode", BARE, 1.3),
    *((OURS, operation, CONSTRUCT, 0.2) for operation in OPERATIONS),
]
LARGEST_GROWTH_BLOCKS = 64


def c_floor(folder: Path) -> dict[str, float] | None:
    """Nanoseconds per operation in C; None where it cannot be built."""
    program = folder / "codec_floor"
    source = HERE / "codec_floor.c"
    try:
        subprocess.run(
            ["cc", "-O2", str(source), "-lz", "-o", str(program)], check=True, capture_output=True
        )
    except (OSError, subprocess.CalledProcessError):
        return None
    output = subprocess.run([program, "300000"], check=True, capture_output=True, text=True).stdout
    return dict(zip(OPERATIONS, map(float, output.split()), strict=True))


def one_round() -> dict[tuple[str, str], float]:
    """Nanoseconds of every contender and operation, close together in time."""
    return {
        (name, operation): timeit.timeit(run, number=LOOPS) / LOOPS * 1e9
        for operation in OPERATIONS
        for name, contender in CONTENDERS.items()
        if (run := contender.get(operation)) is not None
    }


def ratio(rounds: list[dict[tuple[str, str], float]], name: str, operation: str, to: str) -> float:
    """Median over the rounds of one contender's time against another's."""
    return statistics.median(r[name, operation] / r[to, operation] for r in rounds)


def growth_of_blocks(packets: int) -> int:
    """Memory blocks gained over so many packets through sender, receiver and statistics."""
    from vdsim_protocol.link import LinkStatistics

    command = vds1.Command(0.1, 0.25, 0.0, 1, False)
    sender, receiver, statistics_ = vds1.Sender(), vds1.Receiver(vds1.Command), LinkStatistics()

    def run(count: int) -> None:
        for _ in range(count):
            now = sender.next_seq / 100.0
            datagram = sender.command(command, now)
            statistics_.observe(receiver.receive(datagram, ("127.0.0.1", 7001), now), now)

    run(20_000)  # fills the bounded windows first
    gc.collect()
    before = sys.getallocatedblocks()
    run(packets)
    gc.collect()
    return sys.getallocatedblocks() - before


def table(rounds: list[dict[tuple[str, str], float]], floor: dict[str, float] | None) -> None:
    """Microseconds, and in brackets the ratio to bare struct."""
    print(f"{'us per operation (x bare)':32}" + "".join(f"{op:>18}" for op in OPERATIONS))
    if floor is None:
        print(f"{C:32}  not measured: needs cc and zlib.h")
    else:
        bare = {op: statistics.median(r[BARE, op] for r in rounds) for op in OPERATIONS}
        cells = [f"{floor[op] / 1e3:.2f} ({floor[op] / bare[op]:.2f})" for op in OPERATIONS]
        print(f"{C:32}" + "".join(f"{cell:>18}" for cell in cells))
    for name, contender in CONTENDERS.items():
        if not contender:
            print(f"{name:32}  not measured: pip install construct")
            continue
        cells = []
        for op in OPERATIONS:
            if op not in contender:
                cells.append("-")
                continue
            median_us = statistics.median(r[name, op] for r in rounds) / 1e3
            cells.append(f"{median_us:.2f} ({ratio(rounds, name, op, BARE):.2f})")
        print(f"{name:32}" + "".join(f"{cell:>18}" for cell in cells))


def check(rounds: list[dict[tuple[str, str], float]], packets: int) -> bool:
    """Print every target with its reading; whether all were met."""
    is_good = True
    for name, operation, to, largest in TARGETS:
        if not CONTENDERS[to]:
            continue
        reading = ratio(rounds, name, operation, to)
        mine, theirs = ([r[each, operation] / 1e3 for r in rounds] for each in (name, to))
        figures.figure(f"{name}, {operation}", "us", mine, to, theirs)
        is_good &= reading <= largest
        verdict = "ok  " if reading <= largest else "MISS"
        print(f"{verdict} {name}, {operation}: {reading:.2f} x {to} (at most {largest})")
    if packets:
        growth = growth_of_blocks(packets)
        is_good &= growth <= LARGEST_GROWTH_BLOCKS
        verdict = "ok  " if growth <= LARGEST_GROWTH_BLOCKS else "MISS"
        print(
            f"{verdict} memory: {growth:+d} blocks over {packets} packets sent and received "
            f"(at most {LARGEST_GROWTH_BLOCKS})"
        )
    return is_good


def main() -> int:
    """Measure, print, judge."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--packets", type=int, default=1_000_000, help="0: skip the memory check")
    arguments = parser.parse_args()
    same_datagrams()
    with tempfile.TemporaryDirectory() as folder:
        floor = c_floor(Path(folder))
    one_round()
    rounds = [one_round() for _ in range(arguments.rounds)]
    table(rounds, floor)
    return 0 if check(rounds, arguments.packets) else 1


if __name__ == "__main__":
    sys.exit(main())
