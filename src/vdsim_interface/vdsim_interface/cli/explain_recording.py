"""`vdsim_explain`: why did the car not do what I asked? Reads a recording of command traces.

vdsim_explain drive.jsonl              the story: who drove, which rule changed what, when
vdsim_explain drive.jsonl --at 12.5    one command's way through all stages
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from vdsim_interface.trace.explain import explain_at, story
from vdsim_interface.trace.jsonl import RecordError, from_lines
from vdsim_interface.trace.trace import CommandTrace


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return 0, or 2 after one line about what is wrong."""
    parser = argparse.ArgumentParser(
        prog="vdsim_explain", description="why did the car not do what I asked?"
    )
    parser.add_argument("recording", help="file of command traces, one JSON object a line; - stdin")
    parser.add_argument("--at", type=float, help="explain the command at this time [s]")
    parser.add_argument(
        "--least", type=float, default=0.0, help="leave out what took less time [s]"
    )
    options = parser.parse_args(arguments)
    try:
        traces = read(options.recording)
    except (OSError, RecordError) as error:
        print(f"vdsim_explain: {error}", file=sys.stderr)
        return 2
    if not traces:
        print(f"vdsim_explain: {options.recording}: holds no command trace", file=sys.stderr)
        return 2
    if options.at is None:
        lines = list(story(traces, options.least))
    else:
        lines = list(explain_at(traces, options.at))
    print("\n".join(lines))
    return 0


def read(name: str) -> list[CommandTrace]:
    """Read a recording from a file, or from stdin for `-`."""
    if name == "-":
        return list(from_lines(sys.stdin))
    with Path(name).open(encoding="utf-8") as file:
        return list(from_lines(file))


if __name__ == "__main__":
    sys.exit(main())
