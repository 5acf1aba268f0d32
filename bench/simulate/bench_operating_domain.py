"""What friction and grade do to the promised stops: driven on virtual time, beside a formula.

./ws bench simulate/operating_domain [--page docs/safety-case.md]
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "simulate"))

from vdsim_simulate.operating_domain import EVENTS, SPEED_MPS, cells, table_row  # noqa: E402

BEGIN, END = "<!-- measured: operating domain -->\n", "<!-- end of measured -->"


def main() -> int:
    """Drive every cell; print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--page", type=Path, help="write the table into this page")
    options = parser.parse_args()
    head = ["grade", "friction"]
    for cause in EVENTS:
        head += [f"{cause} at {SPEED_MPS} m/s", "by the formula"]
    lines = [f"| {' | '.join(head)} |", "|" + "---|" * len(head)]
    print("\n".join(lines))
    for grade, mu in cells():
        lines.append(f"| {' | '.join(table_row(grade, mu))} |")
        print(lines[-1], flush=True)
    if options.page:
        before, _, rest = options.page.read_text(encoding="utf-8").partition(BEGIN)
        _, _, after = rest.partition(END)
        table = "\n".join(lines)
        options.page.write_text(f"{before}{BEGIN}{table}\n{END}{after}", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
