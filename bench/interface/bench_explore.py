"""The shipped SafetySide, explored exhaustively over finite alphabets of inputs.

Prints, for each view, how many states and transitions there are and whether every property holds;
ends with 1 when one does not, with the inputs that lead there.

    ./ws bench interface/explore [--view NAME] [--short] [--page docs/safety-case.md]
"""

import argparse
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "src" / "vdsim_interface"))

from vdsim_interface_kit.exploration.explore import Explored, Search  # noqa: E402
from vdsim_interface_kit.exploration.properties import PROPERTIES  # noqa: E402
from vdsim_interface_kit.exploration.views import VIEWS, View  # noqa: E402

STATES_MAX = 2_000_000
BEGIN, END = "<!-- measured: exploration -->\n", "<!-- end of measured -->"
HEAD = (
    "| view | inputs | states | transitions | longest way | violations |\n|---|---|---|---|---|---|"
)


def main() -> int:
    """Explore; print a line each and the sum."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--view", choices=[view.name for view in VIEWS], help="this one alone")
    parser.add_argument("--short", action="store_true", help="those of the quick suite")
    parser.add_argument("--page", help="write the table into this page")
    options = parser.parse_args()
    rows, states, transitions, found = [], 0, 0, 0
    for view in VIEWS:
        if (options.short and not view.short) or options.view not in (None, view.name):
            continue
        explored, line = explore(view)
        print(line, flush=True)
        rows.append(row(view, explored))
        states, transitions = states + explored.states, transitions + explored.transitions
        found += explored.violation is not None
    print(f"{states} states, {transitions} transitions, {len(PROPERTIES) + 1} properties")
    print(f"{found} views with a violation")
    if options.page:
        write(Path(options.page), rows, states, transitions)
    return 1 if found else 0


def explore(view: View) -> tuple[Explored, str]:
    """Explore one view; return what was found, and a line about it."""
    start_s = time.monotonic()
    search = Search(view.scene(), view.alphabet)
    explored = search.run(STATES_MAX)
    compared = search.check_merges()
    text = (
        f"{view.name}: {explored.states} states, {explored.transitions} transitions, "
        f"longest way {explored.depth}, {time.monotonic() - start_s:.0f} s, "
        f"{compared} of {explored.merges} merges compared"
    )
    return explored, text if explored.violation is None else f"{text}\n{explored.violation}"


def row(view: View, explored: Explored) -> str:
    """One line of the table."""
    violation = "none" if explored.violation is None else explored.violation.name
    cells = (view.name, len(view.alphabet), explored.states, explored.transitions, explored.depth)
    return f"| {' | '.join(map(str, cells))} | {violation} |"


def write(page: Path, rows: list[str], states: int, transitions: int) -> None:
    """Replace the measured part of a page."""
    before, _, rest = page.read_text(encoding="utf-8").partition(BEGIN)
    _, _, after = rest.partition(END)
    total = f"| all | | {states} | {transitions} | | |"
    table = "\n".join((HEAD, *rows, total))
    page.write_text(f"{before}{BEGIN}{table}\n{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
