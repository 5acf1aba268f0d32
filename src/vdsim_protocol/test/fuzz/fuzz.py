"""Coverage-guided fuzzing of one target with atheris (pip install atheris).

    python fuzz.py TARGET CORPUS_FOLDER [-runs=1000000] [-max_total_time=600]

Run it from anywhere; arguments after the target go to libFuzzer. The committed corpus in corpus/
is replayed by test_fuzz_corpus.py.
"""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent


def main() -> None:
    """Fuzz the target named on the command line."""
    sys.path[:0] = [str(HERE), str(HERE.parents[1])]
    import atheris

    with atheris.instrument_imports(include=["vdsim_protocol"]):
        from targets import TARGETS
    if len(sys.argv) < 2 or sys.argv[1] not in TARGETS:
        raise SystemExit(f"TARGET: must be one of {', '.join(TARGETS)}")
    target = TARGETS[sys.argv[1]]
    atheris.Setup([sys.argv[0], *sys.argv[2:]], target)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
