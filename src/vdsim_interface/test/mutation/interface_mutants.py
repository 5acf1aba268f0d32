"""Mutation run on the interface: which small changes of its code does no test notice?

    pip install cosmic-ray        (into an environment of its own; it only makes the mutants)
    python src/vdsim_interface/test/mutation/interface_mutants.py ROOM [--workers 2 --part 0]
        [--module safety] [--sample 200 --seed 1 2] [--record]

ROOM is one of ROOMS: the safety stage, the acceleration loop, the guard. Each mutant is one fork of
a process that has the third-party modules loaded; its module is read from the mutated source, then
the tests of the room run until the first failure. `--sample` takes that many mutants at random for
each seed, the same ones for the same seed and size. `--record` writes the figures into
figures.json, from which docs/safety.md is made. argued.json says of each survivor that is known
why it changes no behaviour; the others are printed as NOT ARGUED, and then the run ends with 1. Of
a room that is explored no survivor is argued: it must be the same on the whole grid.
Ctrl-C ends a run early: its figures are those of the mutants that were tried.
What is no mutant by construction is left out before any is drawn: SENSELESS, and
limits_by_assignment.py.
"""

import argparse
import importlib.abc
import importlib.machinery
import importlib.util
import json
import os
import random
import re
import signal
import sys
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import limits_by_assignment

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[3]
CODE = ROOT / "src/vdsim_interface/vdsim_interface"
TESTS = ROOT / "src/vdsim_interface/test"
ARGUED = HERE / "argued.json"
FIGURES = HERE / "figures.json"
SAME_ON_GRIDS = "its packets and states are the same on the whole grid"
LARGEST_SHARE = 0.02
"""Of survivors, all argued."""
TIMEOUT_S = 60
# Left out: operators that Python's types make senseless here (ordering of enumerations, identity
# of equal numbers, the `*` before keyword-only parameters, the `|` of types, the `strict` of a zip
# over lengths that are equal by type).
SENSELESS = re.compile(
    r"ReplaceBinaryOperator_(\w+_(Pow|Mod|FloorDiv|RShift|LShift|BitOr|BitAnd|BitXor)|BitOr_\w+)$"
    r"|ReplaceComparisonOperator_(Is|IsNot|Eq|NotEq|In|NotIn)_(Lt|LtE|Gt|GtE)$"
    r"|ReplaceComparisonOperator_(Is|IsNot|Lt|LtE|Gt|GtE)_(Eq|NotEq)$"
    r"|ReplaceComparisonOperator_(Lt|LtE|Gt|GtE)_(Is|IsNot)$"
    r"|ReplaceComparisonOperator_(Eq_Is|NotEq_IsNot)$"
    r"|Invert"
)
KEYWORD_ONLY = "*,"
SAME_LENGTH = "strict=True)"


class Room(NamedTuple):
    """A folder of the code with the folder of its tests.

    `untouched`: tables of parameters, and what is not part of the room's subject. `slow`: tests
    that search at random, so that the others find what they find. `last`: tests with sockets or
    processes, which run where the others pass. `explored`: a survivor is accepted only where it
    gives the same for every packet of the room's grids (vdsim_interface_kit/exploration).
    """

    folder: str
    untouched: frozenset[str]
    slow: frozenset[str] = frozenset()
    last: frozenset[str] = frozenset()
    explored: bool = False


ROOMS = {
    "safety": Room("safety", frozenset({"parameters.py"}), frozenset({"test_stateful.py"})),
    "acceleration": Room("longitudinal", frozenset({"parameters.py"})),
    "gate": Room("gate", frozenset(), explored=True),
    # The others are shells round sockets and processes, and the shell's half.
    "guard": Room(
        "guard",
        frozenset(
            {
                "parameters.py",
                "front.py",
                "link.py",
                "local_socket.py",
                "mirror.py",
                "process.py",
                "realtime.py",
            }
        ),
        last=frozenset({"test_guard_loop.py", "test_guard_realtime.py"}),
    ),
}


class Mutant(NamedTuple):
    """One change of one module."""

    path: Path
    operator: str
    line: int
    before: str
    source: str

    @property
    def change(self) -> str:
        """What argued.json calls it: the module and its changed lines, wherever they are."""
        old, new = self.before.splitlines(), self.source.splitlines()
        first = next(i for i, (a, b) in enumerate(zip(old, new, strict=False)) if a != b)
        extra = len(new) - len(old)
        last = next(i for i in range(1, len(old) + 1) if old[-i] != new[-i])
        was = " ".join(line.strip() for line in old[first : len(old) - last + 1])
        now = " ".join(line.strip() for line in new[first : len(old) + extra - last + 1])
        return f"{self.path.name}: {was} => {now}"


class MutatedModule(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Gives one module from other source than its file's."""

    def __init__(self, mutant: Mutant) -> None:
        self._mutant = mutant
        self._name = f"vdsim_interface.{mutant.path.parent.name}.{mutant.path.stem}"

    def find_spec(
        self, name: str, path: Any, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if name != self._name:
            return None
        return importlib.util.spec_from_file_location(name, self._mutant.path, loader=self)

    def exec_module(self, module: ModuleType) -> None:
        exec(compile(self._mutant.source, str(self._mutant.path), "exec"), module.__dict__)


def mutants(room: Room, only: str | None) -> Iterator[Mutant]:
    """Make every mutant, one after the other."""
    from cosmic_ray.ast import ast_nodes, get_ast
    from cosmic_ray.mutating import mutate_code
    from cosmic_ray.plugins import get_operator, operator_names

    for path in sorted((CODE / room.folder).glob("*.py")):
        left_out = path.name == "__init__.py" or path.name in room.untouched
        if left_out or (only is not None and path.stem != only):
            continue
        source = path.read_text(encoding="utf-8")
        lines = source.splitlines()
        same_when_equal = limits_by_assignment.operators_at(source)
        nodes = list(ast_nodes(get_ast(source)))
        for name in sorted(operator_names()):
            if SENSELESS.search(name):
                continue
            kind = get_operator(name)
            if kind.arguments():  # wants to be told which variable to insert
                continue
            operator = kind()
            places = [start for node in nodes for start, _ in operator.mutation_positions(node)]
            for occurrence, start in enumerate(places):
                try:
                    changed = mutate_code(source, operator, occurrence)
                except AttributeError:  # its replacer of exceptions knows no dotted names
                    continue
                line = lines[start[0] - 1]
                marker = KEYWORD_ONLY in line and "BinaryOperator_Mul" in name
                marker |= SAME_LENGTH in line and "ReplaceTrueWithFalse" in name
                marker |= limits_by_assignment.moves_equality(name) and start in same_when_equal
                if changed is not None and changed != source and not marker:
                    yield Mutant(path, name, start[0], source, changed)


def chosen(room: Room, options: argparse.Namespace) -> tuple[list[Mutant], int]:
    """Return the mutants of this run (samples, a part) and how many there are in all."""
    every = list(mutants(room, options.module))
    sample = every
    if options.sample and options.sample < len(every):
        places = range(len(every))
        drawn = [random.Random(seed).sample(places, options.sample) for seed in options.seed]
        sample = [every[place] for place in dict.fromkeys(chain.from_iterable(drawn))]
    return sample[options.part :: options.workers], len(every)


def is_noticed(mutant: Mutant | None, room: Room) -> bool:
    """Run the tests on a mutant, or on the code as it is, in a fork; tell whether one failed."""
    child = os.fork()
    if child == 0:
        signal.setitimer(signal.ITIMER_PROF, TIMEOUT_S)  # CPU time: a busy machine is no mutant
        signal.alarm(10 * TIMEOUT_S)
        if mutant is None:  # it leaves the compiled modules for the others
            os._exit(run_tests(room, "stage"))
        sys.dont_write_bytecode = True
        silent = os.open(os.devnull, os.O_WRONLY)
        os.dup2(silent, 1)
        os.dup2(silent, 2)
        sys.meta_path.insert(0, MutatedModule(mutant))
        os._exit(run_tests(room, mutant.path.stem))
    _, status = os.waitpid(child, 0)
    return status != 0


def run_tests(room: Room, first: str) -> int:
    """Run the tests that are named after the module, and where they pass, the others."""
    import pytest

    folder = TESTS / room.folder
    names = sorted(path.name for path in folder.glob("test_*.py") if path.name not in room.slow)
    own = [name for name in names if first in name and name not in room.last]
    others = [name for name in names if name not in own and name not in room.last]
    # Nobody reads why a test fails: its asserts need not be rewritten, in each fork again.
    options = ["-x", "-q", "-p", "no:cacheprovider", "--assert=plain"]
    for group in (own, others, sorted(room.last)):
        code = int(pytest.main([*options, *(str(folder / name) for name in group)])) if group else 0
        if code:
            return code
    return 0


def differences(mutants: list[Mutant]) -> list[str]:
    """Return where each survivor gives something else on the whole grid of its room, or nothing.

    One fork looks for all of them, so that the grid's states are searched for once. This process
    must load none of the code: the forks that run tests read it from mutated source.
    """
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        try:
            with os.fdopen(writing, "w", encoding="utf-8") as told:
                json.dump([found_on_grids(mutant) for mutant in mutants], told)
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading, encoding="utf-8") as told:
        found: list[str] = json.load(told)
    os.waitpid(child, 0)
    return found


def found_on_grids(mutant: Mutant) -> str:
    """Compare the survivor with the shipped function."""
    from vdsim_interface_kit.exploration.gate_equal import difference as on_grids

    module = ModuleType(f"vdsim_interface.{mutant.path.parent.name}.{mutant.path.stem}")
    try:
        exec(compile(mutant.source, str(mutant.path), "exec"), module.__dict__)
        return on_grids(module.gate, short=False)
    except Exception as error:
        return f"it ends with an error: {error!r}"


def prepare() -> None:
    """Load what all mutants share."""
    os.chdir(ROOT)
    packages = ("vdsim_protocol", "vdsim_interface", "vdsim_plant")
    sys.path[:0] = [str(ROOT / "src" / name) for name in packages]
    for shared in ("hypothesis.stateful", "numpy", "transitions", "pytest"):
        importlib.import_module(shared)


def record(name: str, figures: dict[str, int]) -> None:
    """Keep the figures of a room for the page."""
    known = json.loads(FIGURES.read_text(encoding="utf-8")) if FIGURES.exists() else {}
    known[name] = figures
    FIGURES.write_text(json.dumps(known, indent=2, sort_keys=True) + "\n", encoding="utf-8")


def parsed() -> argparse.Namespace:
    """Return the options."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("room", choices=sorted(ROOMS))
    parser.add_argument("--module", help="only this module of the room, without .py")
    parser.add_argument("--part", type=int, default=0, help="which part of --workers this is")
    parser.add_argument("--workers", type=int, default=1, help="number of parts")
    parser.add_argument("--sample", type=int, default=0, help="that many at random; 0: all")
    parser.add_argument("--seed", type=int, nargs="+", default=[1], help="of each sample")
    parser.add_argument("--record", action="store_true", help="write figures.json")
    return parser.parse_args()


def main() -> int:
    """Run all mutants; print the survivors, and the sum."""
    options = parsed()
    prepare()
    room = ROOMS[options.room]
    if is_noticed(None, room):
        print("the tests fail without any mutant: nothing can be learnt from them here")
        return 1
    argued = json.loads(ARGUED.read_text(encoding="utf-8"))[options.room]
    sample, all_n = chosen(room, options)
    survivors: list[Mutant] = []
    ends: list[int] = []
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda number, frame: ends.append(number))
    for tried_n, mutant in enumerate(sample):
        if ends:
            sample = sample[:tried_n]
            break
        if not is_noticed(mutant, room):
            survivors.append(mutant)
            print(f"survives: {mutant.change}", flush=True)
    others = differences(survivors) if room.explored else [""] * len(survivors)
    unargued = 0
    for mutant, other in zip(survivors, others, strict=True):
        why = argued.get(mutant.change, "")
        if room.explored:
            why = "" if other else SAME_ON_GRIDS
            if other:
                print(f"    {other}", flush=True)
        unargued += not why
        print(f"{mutant.change}\n    line {mutant.line}: {why or 'NOT ARGUED'}", flush=True)
    survived = len(survivors)
    total = len(sample)
    of = f" (a sample of {all_n})" if total < all_n else ""
    print(f"{total} mutants{of}, {survived} survived, {unargued} not argued")
    if options.record:
        argued_n = survived - unargued
        figures = {"mutants": all_n, "tried": total, "survived": survived, "argued": argued_n}
        record(options.room, figures)
    return 1 if unargued or survived > LARGEST_SHARE * total else 0


if __name__ == "__main__":
    sys.exit(main())
