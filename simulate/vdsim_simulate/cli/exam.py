"""`./ws exam`: does `vdsim_why` name the right cause? Prints the marks of the planted causes.

./ws exam                  every planted cause, pairs at once, the time to answer, healthy minutes
./ws exam --minutes 10     the same with fewer healthy minutes
./ws exam --only NAME ...  these questions alone, with what was answered
./ws exam --recorded       every planted cause, pairs and healthy minutes, by recordings alone
./ws exam --public         the thirty causes from public threads
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

from vdsim_protocol.why import Answer

from vdsim_simulate.exam.drive import DRIVE_QUESTIONS
from vdsim_simulate.exam.graph import GRAPH_QUESTIONS
from vdsim_simulate.exam.marks import Mark, Marked, mark, names
from vdsim_simulate.exam.pairs import PAIRS, both, healthy
from vdsim_simulate.exam.public import PUBLIC_QUESTIONS
from vdsim_simulate.exam.question import Question
from vdsim_simulate.exam.ros.recorded import recorded_answers, recorded_names
from vdsim_simulate.exam.ros.watching import doctor_answers, latest_right_s, named_in

Asks = Callable[[Question], tuple[Answer, ...]]
QUESTIONS = (*DRIVE_QUESTIONS, *GRAPH_QUESTIONS)
PUBLIC_GOAL = 27
LATEST_S = 2.0
"""A cause that begins is named within this time [s]."""
PROMPT = frozenset(
    {
        *("disengaged", "driver_switch", "emergency_stop", "page_stops", "gamepad_stops", "locked"),
        *("door_opens", "gamepad_drives", "remote_drives", "page_drives", "planner_silent"),
        *("planner_not_finite", "planner_oscillates", "wrong_level", "state_link_lost"),
        *("command_link_silent", "both_links_silent", "state_damaged", "speed_reads_zero"),
        *("speed_reads_double", "plant_frozen", "plant_paused", "interface_frozen"),
        *("interface_killed", "clock_back", "clock_ahead", "memory_short"),
    }
)
"""Questions whose cause holds from the moment on at which it is planted."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run; 0 when no answer is wrong and every goal is reached."""
    options = _options(arguments)
    asks = from_recording if options.recorded else doctor_answers
    if options.public:
        return int(not marks_reached(marks_of(PUBLIC_QUESTIONS, asks), goal=PUBLIC_GOAL))
    if options.only:
        known = {each.name: each for each in (*QUESTIONS, *PUBLIC_QUESTIONS)}
        unknown = [name for name in options.only if name not in known]
        if unknown:
            print(f"exam: only={unknown[0]}: must be one of {', '.join(known)}", file=sys.stderr)
            return 2
        chosen = [known[name] for name in options.only]
        marked = marks_of(chosen, asks)
        return int(not marks_reached(marked, goal=len(chosen), tells_all=True))
    reached = [
        marks_reached(marks_of(QUESTIONS, asks), goal=_goal(len(QUESTIONS))),
        pairs_reached(asks),
        options.recorded or times_reached(),
        minutes_reached(options.minutes, is_recorded=options.recorded),
    ]
    return int(not all(reached))


def from_recording(question: Question) -> tuple[Answer, ...]:
    """What a recording of the question answers."""
    with tempfile.TemporaryDirectory() as folder:
        return recorded_answers(question, Path(folder))


def marks_of(questions: Sequence[Question], asks: Asks = doctor_answers) -> list[Marked]:
    """Answer and mark each question."""
    found = []
    for each in questions:
        answers = asks(each)
        found.append(Marked(each.name, mark(each.key, answers), answers[0]))
    return found


def _goal(count: int) -> int:
    """57 of 60."""
    return -(-count * 57 // 60)


def marks_reached(marked: Sequence[Marked], *, goal: int, tells_all: bool = False) -> bool:
    """Print the marks; whether the goal is reached and none is wrong."""
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
    return right >= goal and not wrong


def pairs_reached(asks: Asks = doctor_answers) -> bool:
    """Plant two causes at once; whether each time both are named."""
    known = {each.name: each for each in QUESTIONS}
    named_n = 0
    for one, other in PAIRS:
        answers = asks(both(known[one], known[other]))
        missing = [name for name in (one, other) if not names(known[name].key, answers)]
        named_n += not missing
        if missing:
            found = ", ".join(each.cause for each in answers)
            print(f"{one} and {other}: {' and '.join(missing)} not named among {found}")
    print(f"two causes at once: both named in {named_n} of {len(PAIRS)} (goal {len(PAIRS)})")
    return named_n == len(PAIRS)


def times_reached() -> bool:
    """How soon the page names a cause that begins in a drive; whether it is soon enough."""
    times_s = {each.name: latest_right_s(each) for each in DRIVE_QUESTIONS if each.name in PROMPT}
    slowest = max(times_s, key=lambda name: times_s[name])
    for name, time_s in times_s.items():
        if time_s > LATEST_S:
            print(f"{name}: named after {time_s:.1f} s")
    print(
        f"named by the page within {times_s[slowest]:.1f} s at most ({slowest}; {len(times_s)} "
        f"causes, goal {LATEST_S:g} s)"
    )
    return times_s[slowest] <= LATEST_S


def minutes_reached(minutes: int, *, is_recorded: bool = False) -> bool:
    """Drive for minutes in which nothing is wrong; whether nothing is named."""
    named_n = 0
    for seed in range(minutes):
        with tempfile.TemporaryDirectory() as folder:
            scene = healthy(seed)
            found = recorded_names(scene, Path(folder)) if is_recorded else named_in(scene)
        named_n += bool(found)
        for time_s, answer in found:
            print(f"healthy minute {seed}, {time_s:.1f} s: {answer.lines[0]}")
    print(f"healthy minutes in which a cause is named: {named_n} of {minutes} (goal 0)")
    return not named_n


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    line = argparse.ArgumentParser(
        prog="./ws exam", description=(__doc__ or "").partition("\n\n")[0]
    )
    line.add_argument("--only", nargs="+", metavar="NAME", help="these questions alone")
    line.add_argument("--minutes", type=int, default=200, help="healthy minutes (200)")
    line.add_argument("--recorded", action="store_true", help="asked of recordings, not live")
    line.add_argument("--public", action="store_true", help="the causes from public threads")
    return line.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
