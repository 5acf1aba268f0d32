"""`./ws exam`: does `vdsim_why` name the right cause? Prints the marks of the planted causes.

./ws exam                  every planted cause, pairs at once, healthy minutes, the time to answer
./ws exam --only NAME ...  these questions alone, with what was answered
./ws exam --public         the thirty causes from public threads
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Sequence

from vdsim_simulate.exam.drive import DRIVE_QUESTIONS
from vdsim_simulate.exam.graph import GRAPH_QUESTIONS
from vdsim_simulate.exam.marks import Mark, Marked, mark
from vdsim_simulate.exam.public import PUBLIC_QUESTIONS
from vdsim_simulate.exam.question import Question
from vdsim_simulate.exam.ros.watching import doctor_answers

QUESTIONS = (*DRIVE_QUESTIONS, *GRAPH_QUESTIONS)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run; 0 when no answer is wrong and the share of right ones is reached."""
    options = _options(arguments)
    if options.public:
        return _report(marks_of(PUBLIC_QUESTIONS), goal=27)
    if options.only:
        known = {each.name: each for each in (*QUESTIONS, *PUBLIC_QUESTIONS)}
        unknown = [name for name in options.only if name not in known]
        if unknown:
            print(f"exam: only={unknown[0]}: must be one of {', '.join(known)}", file=sys.stderr)
            return 2
        chosen = [known[name] for name in options.only]
        return _report(marks_of(chosen), goal=len(chosen), tells_all=True)
    return _report(marks_of(QUESTIONS), goal=_goal(len(QUESTIONS)))


def marks_of(questions: Sequence[Question]) -> list[Marked]:
    """Answer and mark each question."""
    found = []
    for each in questions:
        answers = doctor_answers(each)
        found.append(Marked(each.name, mark(each.key, answers), answers[0]))
    return found


def _goal(count: int) -> int:
    """57 of 60."""
    return -(-count * 57 // 60)


def _report(marked: Sequence[Marked], *, goal: int, tells_all: bool = False) -> int:
    for each in marked:
        if tells_all or each.mark is not Mark.RIGHT:
            print(f"{each.name}: {each.mark.value}: {each.answer.cause}")
            for line in each.answer.lines:
                print(f"    {line}")
    counts = Counter(each.mark for each in marked)
    right, wrong = counts[Mark.RIGHT], counts[Mark.WRONG]
    print(
        f"planted causes: right cause first in {right} of {len(marked)} (goal {goal}), "
        f'"not known" in {counts[Mark.UNKNOWN]}, wrong in {wrong} (goal 0)'
    )
    return 0 if right >= goal and not wrong else 1


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    line = argparse.ArgumentParser(
        prog="./ws exam", description=(__doc__ or "").partition("\n\n")[0]
    )
    line.add_argument("--only", nargs="+", metavar="NAME", help="these questions alone")
    line.add_argument("--public", action="store_true", help="the causes from public threads")
    return line.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
