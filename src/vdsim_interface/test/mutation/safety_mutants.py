"""Mutation run on the safety stage: which small changes of its code does no test notice?

    pip install cosmic-ray        (into an environment of its own; it only makes the mutants)
    python src/vdsim_interface/test/mutation/safety_mutants.py [--workers 2] [--module safety]

Each mutant is one fork of a process that has the third-party modules loaded; its module is read
from the mutated source, then the tests of the safety stage run until the first failure. Nothing is
written but the list of survivors. docs/safety.md says why each of them changes no behaviour.
"""

import argparse
import importlib.abc
import importlib.machinery
import importlib.util
import json
import os
import re
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[4]
SAFETY = ROOT / "src/vdsim_interface/vdsim_interface/safety"
TESTS = ROOT / "src/vdsim_interface/test/safety"
SLOW = "test_stateful.py"
TIMEOUT_S = 60
# Left out: operators that Python's types make senseless here (ordering of enumerations, identity
# of equal numbers, the `*` before keyword-only parameters), and the table of parameters.
SENSELESS = re.compile(
    r"ReplaceBinaryOperator_(\w+_(Pow|Mod|FloorDiv|RShift|LShift|BitOr|BitAnd|BitXor)|BitOr_\w+)$"
    r"|ReplaceComparisonOperator_(Is|IsNot|Eq|NotEq|In|NotIn)_(Lt|LtE|Gt|GtE)$"
    r"|ReplaceComparisonOperator_(Is|IsNot|Lt|LtE|Gt|GtE)_(Eq|NotEq)$"
    r"|ReplaceComparisonOperator_(Lt|LtE|Gt|GtE)_(Is|IsNot)$"
    r"|ReplaceComparisonOperator_(Eq_Is|NotEq_IsNot)$"
    r"|Invert"
)
KEYWORD_ONLY = "*,"
UNTOUCHED = {"__init__.py", "parameters.py"}


class Mutant(NamedTuple):
    """One change of one module."""

    path: Path
    operator: str
    occurrence: int
    line: int
    source: str


class MutatedModule(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Gives one module from other source than its file's."""

    def __init__(self, mutant: Mutant) -> None:
        self._mutant = mutant
        self._name = f"vdsim_interface.safety.{mutant.path.stem}"

    def find_spec(
        self, name: str, path: Any, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if name != self._name:
            return None
        return importlib.util.spec_from_file_location(name, self._mutant.path, loader=self)

    def exec_module(self, module: ModuleType) -> None:
        exec(compile(self._mutant.source, str(self._mutant.path), "exec"), module.__dict__)


def mutants(only: str | None) -> Iterator[Mutant]:
    """Make every mutant, one after the other."""
    from cosmic_ray.ast import ast_nodes, get_ast
    from cosmic_ray.mutating import mutate_code
    from cosmic_ray.plugins import get_operator, operator_names

    for path in sorted(SAFETY.glob("*.py")):
        if path.name in UNTOUCHED or (only is not None and path.stem != only):
            continue
        source = path.read_text(encoding="utf-8")
        lines = source.splitlines()
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
                changed = mutate_code(source, operator, occurrence)
                marker = KEYWORD_ONLY in lines[start[0] - 1] and "BinaryOperator_Mul" in name
                if changed is not None and changed != source and not marker:
                    yield Mutant(path, name, occurrence, start[0], changed)


def is_noticed(mutant: Mutant | None) -> bool:
    """Run the tests on a mutant, or on the code as it is, in a fork; tell whether one failed."""
    child = os.fork()
    if child == 0:
        signal.setitimer(signal.ITIMER_PROF, TIMEOUT_S)  # CPU time: a busy machine is no mutant
        signal.alarm(10 * TIMEOUT_S)
        if mutant is None:
            os._exit(run_tests("stage"))
        silent = os.open(os.devnull, os.O_WRONLY)
        os.dup2(silent, 1)
        os.dup2(silent, 2)
        sys.meta_path.insert(0, MutatedModule(mutant))
        os._exit(run_tests(mutant.path.stem))
    _, status = os.waitpid(child, 0)
    return status != 0


def run_tests(first: str) -> int:
    """Run the tests of the module itself first, then the others."""
    import pytest

    names = sorted(path.name for path in TESTS.glob("test_*.py") if path.name != SLOW)
    own = [name for name in names if name == f"test_{first}.py"]
    ordered = own + [name for name in names if name not in own]
    files = [str(TESTS / name) for name in ordered]
    # hypothesis is loaded before pytest, once for all mutants.
    early = "ignore::pytest.PytestAssertRewriteWarning"
    return int(pytest.main(["-x", "-q", "-p", "no:cacheprovider", "-W", early, *files]))


def main() -> int:
    """Run all mutants; print the survivors as JSON lines, and the sum."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--module", help="only this module of safety/, without .py")
    parser.add_argument("--part", type=int, default=0, help="which part of --workers this is")
    parser.add_argument("--workers", type=int, default=1, help="number of parts")
    options = parser.parse_args()
    os.chdir(ROOT)
    sys.dont_write_bytecode = True
    packages = ("vdsim_protocol", "vdsim_interface")
    sys.path[:0] = [str(ROOT / "src" / name) for name in packages]
    for shared in ("hypothesis.stateful", "numpy", "transitions", "pytest"):
        importlib.import_module(shared)
    if is_noticed(None):
        print("the tests fail without any mutant: nothing can be learnt from them here")
        return 1
    total = survived = 0
    for number, mutant in enumerate(mutants(options.module)):
        if number % options.workers != options.part:
            continue
        total += 1
        if not is_noticed(mutant):
            survived += 1
            place = f"{mutant.path.name}:{mutant.line}"
            print(json.dumps([place, mutant.operator, mutant.occurrence]), flush=True)
    print(f"{total} mutants, {survived} survived")
    return 0


if __name__ == "__main__":
    sys.exit(main())
