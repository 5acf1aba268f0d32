"""Replays the inputs that coverage-guided fuzzing found worth keeping, against every target."""

import sys
from pathlib import Path

import pytest

FUZZ = Path(__file__).parent / "fuzz"
sys.path.insert(0, str(FUZZ))
from targets import TARGETS  # noqa: E402

sys.path.remove(str(FUZZ))
CORPUS = {name: sorted((FUZZ / "corpus" / name).iterdir()) for name in TARGETS}


@pytest.mark.parametrize("name", TARGETS)
def test_corpus(name: str) -> None:
    assert CORPUS[name], f"{name} has no corpus"
    for file in CORPUS[name]:
        TARGETS[name](file.read_bytes())


def test_every_target_accepts_every_input() -> None:
    for files in CORPUS.values():
        for file in files:
            for target in TARGETS.values():
                target(file.read_bytes())
