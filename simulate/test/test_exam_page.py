"""Causes of the exam on the page, in a real browser: the line that names each, and what to do.

    drive on virtual time -> shipped publishers -> Heard -> the plant's stream -> Chromium

Virtual time stands still while the browser draws, so no figure here depends on the machine.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from vdsim_kit.tools import has_tool
from vdsim_protocol.why.heard import Json
from vdsim_simulate.exam.drive import DRIVE_QUESTIONS
from vdsim_simulate.exam.marks import fits
from vdsim_simulate.exam.question import Question
from vdsim_simulate.exam.ros.watching import Watch, page_answer, room_of

if has_tool("chromium"):
    from vdsim_plant_node.dataport.stream import INTERFACE_RATE_HZ
    from vdsim_plant_node_kit.browser import Page, browser_page
    from vdsim_plant_node_kit.dataport import LivePort, live_port

    LIMIT_S = 1.0
    STEP_S = 0.05
    PATIENT_S = 50.0
    SIZES = {"laptop": (1280, 800, False), "phone": (390, 844, True)}
    CAUSES = (
        *("emergency_stop", "locked", "door_opens", "gamepad_drives", "disengaged"),
        *("planner_silent", "planner_not_finite", "wrong_level", "state_link_lost"),
        "plant_paused",
    )
    BY_NAME = {each.name: each for each in DRIVE_QUESTIONS}
    LINE = ("driver", "alarm-text", "action-text")

    class Frozen:
        """The interface of a drive on virtual time, as it was at one moment."""

        def __init__(self) -> None:
            self.now: Json | None = None

        def take(self, watch: Watch) -> None:
            """Look at a drive."""
            evidence = watch.evidence()
            self.now = watch.heard.view(
                watch.now, speed_mps=evidence.speed_mps, is_paused=evidence.is_plant_paused
            )

        def view(self, vehicle_id: int) -> Json | None:
            return self.now

        def path(self, vehicle_id: int) -> None:
            return None

        def is_heard(self, vehicle_id: int) -> bool:
            return self.now is not None

        def stop(self, vehicle_id: int) -> bool:
            return False

        def request(
            self, vehicle_id: int, wanted: str, answered: Callable[[bool, str], None]
        ) -> None:
            answered(False, "a drive of the exam")

    @pytest.fixture(scope="module")
    def page() -> Iterator[Page]:
        with browser_page() as opened:
            yield opened

    @pytest.fixture(scope="module")
    def frozen() -> Frozen:
        return Frozen()

    @pytest.fixture(scope="module")
    def port(page: Page, frozen: Frozen) -> Iterator[LivePort]:
        with live_port(interface=frozen, cmd_timeout=PATIENT_S) as opened:
            page.open(opened.data_port.url)
            yield opened
            page.open("about:blank")

    def shown_line(page: Page) -> list[str]:
        """The texts of the line, as they are on the page."""
        ids = json.dumps(LINE)
        found: list[str] = page.evaluate(
            f"{ids}.map(id => document.getElementById(id).textContent)"
        )
        return found

    def line_of(why: Json) -> list[str]:
        """What these texts must be."""
        sentence = why["sentence"]
        return [why["title"], f"{sentence[0].upper()}{sentence[1:]}.", f"{why['action']}."]

    def hidden_parts(page: Page) -> Any:
        """Which parts of the line are not whole and on top within the window, unscrolled."""
        return page.evaluate(
            f"{json.dumps(LINE)}.filter(id => {{ const at = document.getElementById(id);"
            " return scrollY !== 0 || [...at.getClientRects()].some(box => box.width === 0"
            " || box.left < 0 || box.top < 0 || box.right > innerWidth"
            " || box.bottom > innerHeight || !at.parentElement.contains(document"
            ".elementFromPoint((box.left + box.right) / 2, (box.top + box.bottom) / 2))); })"
        )

    def named_after_s(question: Question, watch: Watch, until: Callable[[float], None]) -> float:
        """From when a cause is planted until the interface's view names it [s, virtual]."""
        steps = round((question.asked_s - question.planted_s) / STEP_S)
        for n in range(1, steps + 1):
            until(question.planted_s + n * STEP_S)
            if fits(question.key, page_answer(watch)):
                return n * STEP_S
        raise AssertionError(f"{question.name}: not named until {question.asked_s} s")

    def test_there_are_ten_causes() -> None:
        assert len({*CAUSES}) == 10

    @pytest.mark.parametrize("name", CAUSES)
    def test_a_planted_cause_and_its_action_are_on_the_first_screen_within_a_second(
        page: Page, port: LivePort, frozen: Frozen, name: str
    ) -> None:
        question = BY_NAME[name]
        room, watch = room_of(question)
        room.agenda.run_until(question.planted_s - STEP_S)
        frozen.take(watch)
        assert frozen.now is not None
        before = frozen.now["why"]
        assert not fits(question.key, page_answer(watch)), "it is not planted yet"
        page.wait_for(f"document.getElementById('driver').textContent === '{before['title']}'")
        after_s = named_after_s(question, watch, room.agenda.run_until)
        # The page is told this at the stream's next event, which may be a whole period away.
        assert after_s + 1.0 / INTERFACE_RATE_HZ <= LIMIT_S
        frozen.take(watch)
        wanted = line_of(frozen.now["why"])
        page.wait_for(
            f"JSON.stringify({json.dumps(LINE)}.map(id => document.getElementById(id).textContent))"
            f" === JSON.stringify({json.dumps(wanted)})"
        )
        for width, height, phone in SIZES.values():
            page.resize(width, height, phone=phone)
            assert hidden_parts(page) == []
            assert shown_line(page) == wanted
