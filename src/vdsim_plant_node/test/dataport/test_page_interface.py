"""The vehicle interface on the page, in a real browser: who drives, why, and the emergency stop."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Iterator

import pytest
from vdsim_kit.tools import has_tool
from vdsim_plant_node.interface.path import planned
from vdsim_plant_node_kit.interfaces import STACK_DRIVES, STOPPED, WELL, OneInterface
from vdsim_protocol.why import Control, ModeEnd, Rule, Source
from vdsim_protocol.why.heard import Body
from vdsim_protocol.why.steps import Stage, Way

if has_tool("chromium"):
    from vdsim_plant_node_kit.browser import Page, browser_page
    from vdsim_plant_node_kit.dataport import LivePort, live_port

    PATIENT_S = 50.0
    LIMIT_S = 120.0
    DRIVER = "document.getElementById('driver').innerText"
    DRIVING = "document.getElementById('drive').ariaPressed === 'true'"
    SIZES = {"laptop": (1280, 800, False), "phone": (390, 844, True), "sideways": (844, 390, True)}

    @pytest.fixture(scope="module")
    def page() -> Iterator[Page]:
        with browser_page() as opened:
            yield opened

    @pytest.fixture
    def interface() -> OneInterface:
        return OneInterface()

    @pytest.fixture
    def port(page: Page, interface: OneInterface) -> Iterator[LivePort]:
        """One for each test: what the page of the last one still sends reaches no other."""
        with live_port(interface=interface, cmd_timeout=PATIENT_S) as opened:
            yield opened
            page.open("about:blank")

    @pytest.fixture
    def shown(page: Page, port: LivePort) -> Page:
        """The dashboard, at the size of a laptop, while autonomy drives."""
        page.complaints.clear()
        resize(page, "laptop")
        page.open(port.data_port.url)
        page.wait_for(f"{DRIVER} === 'Autonomy drives'")
        return page

    def resize(page: Page, name: str) -> None:
        width, height, phone = SIZES[name]
        page.resize(width, height, phone=phone)

    def wait_until(condition: Callable[[], bool]) -> None:
        end = time.monotonic() + LIMIT_S
        while not condition():
            assert time.monotonic() < end
            time.sleep(0.02)

    def is_on_screen(page: Page, selector: str) -> bool:
        """Whether an element is whole within the window, without scrolling."""
        found: bool = page.evaluate(
            f"[...document.querySelectorAll({json.dumps(selector)})].some(at => {{"
            " const box = at.getBoundingClientRect(); return box.width > 0 && box.left >= 0"
            " && box.top >= 0 && box.right <= innerWidth && box.bottom <= innerHeight; })"
        )
        return found

    CAUSES = {
        "Emergency stop": (WELL, STOPPED),
        "Not engaged": (WELL._replace(mode="MANUAL"), STACK_DRIVES),
        "Refused": (
            WELL._replace(mode="MANUAL", refused=ModeEnd("engage refused: a door is open", 1.0)),
            STACK_DRIVES,
        ),
        "No command": (WELL._replace(mode="MANUAL", command_age_s=None), STACK_DRIVES),
        "Vehicle not heard": (
            WELL._replace(is_link_well=False, link_reason="no report for 0.4 s"),
            STACK_DRIVES,
        ),
        "Cabin open": (
            WELL._replace(active=(Rule("cabin_unsecured", "a door is open"),)),
            STACK_DRIVES,
        ),
        "Commands stopped": (
            WELL._replace(command_age_s=0.8, is_command_stale=True),
            STACK_DRIVES,
        ),
        "No driving gear": (
            WELL._replace(active=(Rule("gear_no_drive", "the gear is PARK"),)),
            STACK_DRIVES,
        ),
        "Locked": (WELL, STACK_DRIVES._replace(locks=("stop_all",))),
        "gamepad drives": (
            WELL,
            STACK_DRIVES._replace(
                source="gamepad", reason="gamepad took over", sources=(Source("autonomy", 0.1),)
            ),
        ),
    }

    def test_ten_causes_are_named_with_what_to_do_without_scrolling(
        shown: Page, interface: OneInterface
    ) -> None:
        for title, (status, control) in CAUSES.items():
            interface.status, interface.control = status, control
            shown.wait_for(f"{DRIVER} === {json.dumps(title)}")
            for size in ("laptop", "phone"):
                resize(shown, size)
                for part in ("#driver", "#alarm-text", "#action", "[data-stop]"):
                    assert is_on_screen(shown, part), (title, size, part)
                assert shown.text("#action-text"), (title, size)
        assert shown.complaints == []

    def test_a_latched_stop_is_never_shown_as_well(shown: Page, interface: OneInterface) -> None:
        interface.control = STOPPED
        shown.wait_for(f"{DRIVER} === 'Emergency stop'")
        assert shown.evaluate("document.getElementById('status').dataset.level") == "alarm"
        assert shown.evaluate("document.getElementById('status').dataset.why") == "alarm"
        assert "is latched" in shown.text("#alarm-text")
        assert "Give back" in shown.text("#action-text")
        assert shown.text("#give-back") == "Release the stop"

    @pytest.mark.parametrize("hold_ms", [0, 10])
    def test_who_only_watches_stops_by_a_tap_of_backspace(
        shown: Page, interface: OneInterface, hold_ms: int
    ) -> None:
        shown.press("Backspace")
        time.sleep(hold_ms / 1000)
        shown.release("Backspace")
        wait_until(lambda: interface.stops_n > 0)
        shown.wait_for(f"{DRIVER} === 'Emergency stop'")
        assert not shown.evaluate(DRIVING)

    @pytest.mark.parametrize("size", SIZES)
    def test_the_button_is_on_the_first_screen_and_stops(
        shown: Page, interface: OneInterface, size: str
    ) -> None:
        resize(shown, size)
        assert is_on_screen(shown, "[data-stop]")
        x, y = shown.evaluate(
            "(() => { const at = [...document.querySelectorAll('[data-stop]')].find(each =>"
            " each.getBoundingClientRect().width > 0); const box = at.getBoundingClientRect();"
            " return [box.x + box.width / 2, box.y + box.height / 2]; })()"
        )
        shown.mouse("mousePressed", x, y, button="left", clickCount=1)
        wait_until(lambda: interface.stops_n > 0)
        shown.mouse("mouseReleased", x, y, button="left", clickCount=1)
        shown.wait_for(f"{DRIVER} === 'Emergency stop'")

    def test_the_button_is_worked_by_a_key_too(shown: Page, interface: OneInterface) -> None:
        shown.evaluate("document.querySelector('.bar [data-stop]').focus()")
        shown.press("Space")
        shown.release("Space")
        wait_until(lambda: interface.stops_n > 0)

    def test_a_stop_is_sent_again_until_the_interface_confirms_it(
        shown: Page, interface: OneInterface
    ) -> None:
        interface.confirms = False
        shown.evaluate(
            "window.real = window.fetch; window.sent = 0;"
            " window.fetch = (...all) => { window.sent++; return window.real(...all); }; 0"
        )
        shown.press("Backspace")
        shown.release("Backspace")
        wait_until(lambda: interface.stops_n >= 4)
        title = "document.getElementById('alarm-title').innerText"
        shown.wait_for(f"{title} === 'The emergency stop is not confirmed'")
        interface.confirms = True
        shown.wait_for(f"{title} === '' && {DRIVER} === 'Emergency stop'")
        sent = shown.evaluate("window.sent")
        shown.wait_for("new Promise(done => setTimeout(done, 500, true))")
        assert shown.evaluate("window.sent") == sent, "it was confirmed"

    def test_a_stop_that_the_plant_does_not_take_is_sent_again(
        shown: Page, interface: OneInterface
    ) -> None:
        shown.evaluate(
            "window.real = window.fetch; window.lost = 0;"
            " window.fetch = (...all) => window.lost++ < 3 ? Promise.reject(new Error('lost'))"
            " : window.real(...all); 0"
        )
        shown.press("Backspace")
        shown.release("Backspace")
        wait_until(lambda: interface.stops_n > 0)
        shown.wait_for(f"{DRIVER} === 'Emergency stop'")

    def test_who_drives_and_stops_has_let_go(shown: Page, interface: OneInterface) -> None:
        shown.hold_until(DRIVING, "KeyW")
        shown.press("Backspace")
        wait_until(lambda: interface.stops_n > 0)
        assert not shown.evaluate(DRIVING)
        shown.release("Backspace")
        shown.release("KeyW")

    def test_backspace_edits_in_a_text_field_and_stops_elsewhere_in_the_dialog(
        shown: Page, interface: OneInterface
    ) -> None:
        shown.evaluate("document.getElementById('settings-open').click()")
        shown.wait_for("document.querySelectorAll('#settings select').length > 1")
        shown.evaluate(
            "(() => { const at = document.querySelector('#settings input[type=text]');"
            " at.value = '123'; at.focus(); at.setSelectionRange(3, 3); })()"
        )
        shown.press("Backspace")
        shown.release("Backspace")
        shown.wait_for("document.activeElement.value === '12'")
        assert interface.stops_n == 0
        shown.evaluate("document.querySelector('#settings button').focus()")
        shown.press("Backspace")
        shown.release("Backspace")
        wait_until(lambda: interface.stops_n > 0)
        assert is_on_screen(shown, "#settings [data-stop]")
        shown.evaluate("document.getElementById('settings').close()")

    def test_each_button_asks_for_its_request_and_a_refusal_is_shown(
        shown: Page, interface: OneInterface
    ) -> None:
        assert not shown.evaluate("document.getElementById('disengage').hidden")
        shown.evaluate("document.getElementById('disengage').click()")
        wait_until(lambda: interface.requests == ["disengage"])
        interface.status = WELL._replace(mode="DISENGAGED")
        shown.wait_for("!document.getElementById('engage').hidden")
        interface.answer = (False, "engage refused: a door is open")
        shown.evaluate("document.getElementById('engage').click()")
        wait_until(lambda: interface.requests == ["disengage", "engage"])
        shown.wait_for("document.getElementById('alarm-text').innerText.includes('a door is open')")
        interface.control = STOPPED
        shown.wait_for("!document.getElementById('give-back').hidden")
        shown.press("KeyG")
        shown.release("KeyG")
        wait_until(lambda: interface.requests == ["disengage", "engage", "give_back"])

    def test_the_card_shows_the_timeline_and_who_is_in_control(
        shown: Page, interface: OneInterface
    ) -> None:
        interface.control = STACK_DRIVES._replace(
            control=Control.SOURCE, source="gamepad", reason="gamepad took over from autonomy"
        )
        shown.wait_for("document.getElementById('interface-driver').innerText === 'gamepad'")
        shown.wait_for(
            "document.getElementById('events').innerText.includes('gamepad took over from')"
        )
        assert shown.text("#interface-mode") == "Autonomous"

    def test_the_table_has_the_commands_way_and_what_changed_it(
        shown: Page, interface: OneInterface
    ) -> None:
        assert shown.text("#no-way") == "No command is on its way."
        interface.way = Way(
            stages=(
                ("requested", Stage(velocity_mps=10.0, curvature_1pm=0.05)),
                ("limited", Stage(velocity_mps=5.0, wheel_angle_rad=math.radians(3.0))),
                ("sent", Stage(throttle=0.25, brake=0.0, wheel_angle_rad=math.radians(2.5))),
                ("applied", Stage(throttle=0.2, brake=0.0)),
            ),
            reasons=("velocity_mps 10 -> 5 by speed_limit",),
            blocked="",
        )
        shown.wait_for("!document.getElementById('way').hidden")
        rows = shown.evaluate(
            "[...document.querySelectorAll('#way tbody tr')].filter(row => !row.hidden)"
            ".map(row => [...row.cells].slice(1).map(cell => cell.innerText))"
        )
        assert rows == [
            ["36.0", "18.0", "\u2013", "\u2013"],
            ["0.050", "\u2013", "\u2013", "\u2013"],
            ["\u2013", "3.0", "2.5", "\u2013"],
            ["\u2013", "\u2013", "25", "20"],
            ["\u2013", "\u2013", "0", "0"],
        ]
        assert shown.text("#reasons") == "speed 36.00 to 18.00 km/h (speed limit)"

    def test_park_hand_brake_and_lamps_are_shown(shown: Page, interface: OneInterface) -> None:
        gear = "document.querySelector('.gears .on').dataset.gear"
        lamps = "[...document.querySelectorAll('#tells li')].map(each => each.innerText).join()"
        dark = Body("PARK", True, "OFF", "OFF", "OFF", has_horn=False)
        interface.body = dark
        shown.wait_for(f"{gear} === 'PARK' && {lamps} === 'Hand brake'")
        assert is_on_screen(shown, ".gears .on")
        interface.body = Body("DRIVE", False, "LEFT", "HIGH", "LOW", has_horn=True)
        shown.wait_for(f"{gear} === 'DRIVE' && {lamps} === 'Left,High beam,Wipers,Horn'")
        interface.body = dark._replace(blinker="HAZARD", headlight="ON")
        shown.wait_for(f"{gear} === 'PARK' && {lamps} === 'Hand brake,Hazard,Lights'")

    PURPLE = (
        "(() => { const at = document.getElementById('map');"
        " const all = at.getContext('2d').getImageData(0, 0, at.width, at.height).data;"
        " let count = 0; for (let i = 0; i < all.length; i += 4)"
        " if (all[i + 2] - all[i + 1] > 50 && all[i] - all[i + 1] > 20) count++;"
        " return count; })()"
    )
    STRAIGHT_ON = tuple((0.5 * n, 0.0) for n in range(61))

    def test_the_planned_path_is_drawn_until_nobody_publishes_it(
        shown: Page, interface: OneInterface
    ) -> None:
        assert shown.evaluate("document.getElementById('plan-row').hidden")
        assert shown.evaluate(PURPLE) == 0
        interface.planned = planned("map", STRAIGHT_ON)
        shown.wait_for("document.getElementById('interface-plan').innerText === '30 m'")
        shown.wait_for(f"{PURPLE} > 100")
        interface.planned = None
        shown.wait_for(f"document.getElementById('plan-row').hidden && {PURPLE} === 0")

    def test_a_path_in_another_frame_is_named_and_not_drawn(
        shown: Page, interface: OneInterface
    ) -> None:
        interface.planned = planned("base_link", STRAIGHT_ON)
        shown.wait_for(
            "document.getElementById('interface-plan').innerText ==="
            " 'in frame base_link, not in map: not drawn'"
        )
        assert shown.evaluate(PURPLE) == 0

    def test_without_an_interface_the_page_is_as_it_was(
        shown: Page, interface: OneInterface
    ) -> None:
        interface.is_present = False
        shown.wait_for("document.getElementById('interface').hidden")
        shown.wait_for(f"['Waiting for commands', 'Fail-safe active'].includes({DRIVER})")
        assert shown.evaluate("document.getElementById('requests').hidden")
        assert is_on_screen(shown, "[data-stop]")

    def test_a_reason_is_put_in_words(shown: Page) -> None:
        reasons = [
            "long_accel_mps2 3 -> 2.5 by rate",
            "velocity_mps 10 -> 5 by lateral_accel",
            "front_wheel_angle_rad 0.08971 -> 0.08972 by curvature_trim",
            "gear 0 -> 2 by gear_stop",
            "something else",
        ]
        words = shown.evaluate(
            "import('/assets/interface_card.js').then(({ words }) =>"
            f" {json.dumps(reasons)}.map(words))"
        )
        assert words == [
            "acceleration 3.00 to 2.50 m/s\u00b2 (rate)",
            "speed 36.00 to 18.00 km/h (lateral accel)",
            "wheel angle 5.140 to 5.141\u00b0 (curvature trim)",
            "gear DRIVE to PARK (gear stop)",
            "something else",
        ]

    @pytest.mark.parametrize(("width", "height"), [(1280, 800), (1920, 1080)])
    def test_the_charts_leave_no_hole_in_their_last_row(
        shown: Page, width: int, height: int
    ) -> None:
        shown.resize(width, height)
        shown.wait_for(
            "Math.abs(document.querySelector('.chart:last-child').getBoundingClientRect().right"
            " - document.getElementById('charts').getBoundingClientRect().right) < 1"
        )

    def test_while_a_stop_is_latched_its_release_is_offered_alone(
        shown: Page, interface: OneInterface
    ) -> None:
        interface.control = STOPPED
        shown.wait_for("!document.getElementById('give-back').hidden")
        offered = shown.evaluate(
            "[...document.querySelectorAll('#requests button:not([hidden])')]"
            ".map(each => each.textContent)"
        )
        assert offered == ["Release the stop"]

    def test_a_page_whose_first_request_is_lost_asks_again(page: Page, port: LivePort) -> None:
        lossy = page.call(
            "Page.addScriptToEvaluateOnNewDocument",
            source="const real = window.fetch; let lost = 0;"
            " window.fetch = (...all) => lost++ < 2 ? Promise.reject(new Error('lost'))"
            " : real(...all);",
        )
        page.open(port.data_port.url)
        page.call("Page.removeScriptToEvaluateOnNewDocument", **lossy)
        page.wait_for(f"{DRIVER} === 'Autonomy drives'")

    def test_a_canvas_that_is_too_low_draws_nothing_and_fails_at_nothing(shown: Page) -> None:
        shown.evaluate("document.getElementById('gg').style.cssText = 'height: 6px; flex: none'")
        shown.evaluate("window.dispatchEvent(new Event('resize'))")
        shown.wait_for("new Promise(done => setTimeout(done, 300, true))")
        assert shown.complaints == []
