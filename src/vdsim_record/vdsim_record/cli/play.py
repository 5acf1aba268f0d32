"""`vdsim_replay DRIVE.mcap`: run what entered the interface through the interface once more.

The recorded inputs go, in their recorded order and at their recorded times, into objects of the
installed version; every packet that they send is compared with the recorded one. Where one
differs, the first tick that does, what acts there now, and a table.

  --set NAME=VALUE   with another value of a parameter: the first tick that differs, why, a table
  --test FILE.py     write a test for pytest that holds this recording to its packets

Exit codes: 0 no bit differs (or, with --set, the comparison is printed), 1 some do, 2 wrong options
or no tape.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from vdsim_interface.guard.frames import Value
from vdsim_interface.guard.shapes import MalformedError
from vdsim_interface.parameters.fields import ParameterError
from vdsim_interface.parameters.flat import to_flat
from vdsim_interface.pipeline.parameters import InterfaceParameters
from vdsim_protocol.checked_file import FileError, parse_yaml

from vdsim_record.journal.folder import JournalBusyError, JournalFolder
from vdsim_record.mcap_file.finishing import finish
from vdsim_record.tape.comparing import Comparison, compare, compare_recorded
from vdsim_record.tape.playing import Playing
from vdsim_record.tape.recorded import NoTapeError, tapes_of

PROGRAM = "vdsim_replay"
_TEST = '''"""Made by vdsim_replay: a recorded drive must give the same packets."""

from pathlib import Path

from vdsim_record.cli.play import replayed

RECORDING = Path({path!r})


def test_the_recorded_drive_gives_the_same_packets() -> None:
    ticks, bits = replayed(RECORDING)
    assert ticks == {ticks}
    assert bits == 0
'''


def compared(path: Path) -> dict[str, Comparison]:
    """Play all tapes of a recording; return by tape what it sends otherwise than was recorded."""
    tapes = tapes_of(path).items()
    return {topic: compare_recorded(Playing(packets).ticks()) for topic, packets in tapes}


def replayed(path: Path) -> tuple[int, int]:
    """Play all tapes of a recording; return how many ticks it has and how many bits differ."""
    found = compared(path).values()
    return sum(each.ticks for each in found), sum(each.bits for each in found)


def parser() -> argparse.ArgumentParser:
    """The command line."""
    line = argparse.ArgumentParser(
        prog=PROGRAM, description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    line.add_argument("file", type=Path, metavar="DRIVE.mcap", help="a recording of record:=")
    line.add_argument("--set", action="append", default=[], metavar="NAME=VALUE")
    line.add_argument("--test", type=Path, metavar="FILE.py")
    return line


def main(arguments: Sequence[str] | None = None) -> int:
    """Play, and say what differs."""
    options = parser().parse_args(arguments)
    try:
        return _play(options.file, _changes(options.set), options.test)
    except (NoTapeError, FileError, OSError, ParameterError, MalformedError) as error:
        print(f"{PROGRAM}: {error}", file=sys.stderr)
    except JournalBusyError:
        print(f"{PROGRAM}: {options.file}: is still being recorded", file=sys.stderr)
    return 2


def _play(path: Path, changes: Mapping[str, Value], test: Path | None) -> int:
    journal = JournalFolder.of(path)
    if journal.path.is_dir():
        print(f"{PROGRAM}: {finish(journal)}")
    if changes:
        for topic, packets in tapes_of(path).items():
            one = compare(Playing(packets).ticks(), Playing(packets, changes).ticks())
            print(f"{PROGRAM}: {topic}: " + "\n".join(one.lines()))
        return 0
    found = compared(path)
    ticks = sum(each.ticks for each in found.values())
    bits = sum(each.bits for each in found.values())
    print(f"{PROGRAM}: {path}: {ticks} ticks, {bits} differing output bits")
    for topic, each in found.items():
        if each.bits:
            print(f"{PROGRAM}: {topic}: " + "\n".join(each.lines()))
    if test is not None:
        test.write_text(_TEST.format(path=str(path.resolve()), ticks=ticks), encoding="utf-8")
        print(f"{PROGRAM}: {test}: written; run it with pytest")
    return 1 if bits else 0


def _changes(words: Sequence[str]) -> dict[str, Value]:
    known, changes = to_flat(InterfaceParameters()), {}
    for word in words:
        name, _, text = word.partition("=")
        if name not in known:
            raise ParameterError(name, text, "is no parameter of the interface (docs/interface.md)")
        value = parse_yaml(text, source=f"--set {name}")
        is_whole = isinstance(known[name], float) and isinstance(value, int)
        changes[name] = float(value) if is_whole else value
    return changes


if __name__ == "__main__":
    sys.exit(main())
