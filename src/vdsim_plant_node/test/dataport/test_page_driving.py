"""Driving in a real browser: keys, a pad, through an interface, and when to let go."""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import partial

import pytest
from vdsim_kit.tools import has_tool
from vdsim_plant_node.dataport.joy import NOTHING_HELD
from vdsim_plant_node_kit.pads import Pads

if has_tool("chromium"):
    from vdsim_plant_node_kit.browser import Page, browser_page
    from vdsim_plant_node_kit.dataport import LivePort, live_port
    from vdsim_plant_node_kit.runtime import PlainClient

    PATIENT_S = 50.0
    """So that nothing but letting go ends a drive, however slow the machine."""
    TITLE = "document.getElementById('alarm-title').innerText"
    DRIVER = "document.getElementById('status').dataset.driver"
    DRIVING = "document.getElementById('drive').ariaPressed === 'true'"

    @pytest.fixture(scope="module")
    def page() -> Iterator[Page]:
        with browser_page() as opened:
            opened.resize(1280, 860)
            yield opened

    @pytest.fixture(scope="module")
    def port(page: Page) -> Iterator[LivePort]:
        with live_port(cmd_timeout=PATIENT_S, failsafe_brake=1.0) as opened:
            yield opened
            page.open("about:blank")

    def open_dashboard(page: Page, port: LivePort) -> None:
        port.post("/api/reset", {})
        page.complaints.clear()
        page.open(port.data_port.url)
        page.wait_for("Number(document.getElementById('time').innerText) > 0")

    def output(name: str) -> str:
        return f"Number(document.getElementById('{name}').innerText.replace('\u2212', '-'))"

    def test_space_brakes_wherever_the_focus_is_and_presses_a_button_else(
        page: Page, port: LivePort
    ) -> None:
        open_dashboard(page, port)
        page.evaluate("document.getElementById('drive').focus()")
        page.press("Space")
        page.release("Space")
        assert page.evaluate(DRIVING), "the button was pressed"
        page.hold_until(f"{output('speed')} > 5", "KeyW")
        assert page.evaluate("document.activeElement.id") == "drive"
        page.hold_until(f"{output('brake')} > 90 && {output('throttle')} === 0", "KeyW", "Space")
        page.release("Space")
        page.release("KeyW")
        page.evaluate("document.getElementById('settings-open').click()")
        page.wait_for(f"!({DRIVING})")
        page.evaluate("document.getElementById('settings').close()")

    def test_a_new_server_is_not_driven_by_keys_that_are_still_held(page: Page) -> None:
        with live_port(cmd_timeout=PATIENT_S) as first:
            open_dashboard(page, first)
            page.hold_until(f"{output('throttle')} > 50", "KeyW")
        page.wait_for(f"!({DRIVING}) && {DRIVER} === 'gone'")
        assert page.text("#driver") == "Not connected"
        with live_port(cmd_timeout=PATIENT_S, number=first.number) as again:
            page.wait_for(f"{DRIVER} === 'waiting'")
            page.press("KeyW", repeat=True)
            assert not page.evaluate(DRIVING)
            page.release("KeyW")
            page.hold_until(f"{output('throttle')} > 50", "KeyW")
            page.release("KeyW")
            page.press("Escape")
            page.release("Escape")
            again.watch_until(lambda state: state["driver"] == "failsafe" and not state["lost"])
            page.open("about:blank")

    PAD = (
        "(() => { const pad = { connected: true, mapping: 'standard', axes: [0, 0, 0, 0],"
        " buttons: Array.from({ length: 17 }, () => ({ pressed: false, value: 0 })) };"
        " navigator.getGamepads = () => [pad]; window.pad = pad;"
        " window.hold = (i, value) => { pad.buttons[i] = { pressed: value > 0, value }; };"
        " document.hasFocus = () => true;"
        " dispatchEvent(new Event('gamepadconnected')); })()"
    )
    LEFT_SHOULDER, LEFT_TRIGGER, RIGHT_TRIGGER, START = 4, 6, 7, 9

    def pad_until(page: Page, condition: str) -> None:
        """Hold the dead man until a condition is true; again where the page has let go."""
        end = time.monotonic() + 120.0
        while not page.evaluate(condition):
            assert time.monotonic() < end, condition
            if not page.evaluate(DRIVING):
                page.evaluate(f"hold({LEFT_SHOULDER}, 0)")
                page.wait_for("new Promise(done => setTimeout(done, 100, true))")
                page.evaluate(f"hold({LEFT_SHOULDER}, 1)")
            time.sleep(0.1)

    def test_a_pad_drives_without_a_driver_while_its_dead_man_is_held(
        page: Page, port: LivePort
    ) -> None:
        open_dashboard(page, port)
        page.evaluate(PAD)
        page.evaluate(f"hold({RIGHT_TRIGGER}, 0.5)")
        page.wait_for("new Promise(done => setTimeout(done, 300, true))")
        assert not page.evaluate(DRIVING), "the dead man is not held"
        page.evaluate("pad.axes[0] = -0.5")
        pad_until(page, f"{output('speed')} > 5 && {output('steer')} > 1")
        pad_until(page, f"{output('throttle')} === 50")
        page.evaluate(f"hold({LEFT_TRIGGER}, 1)")
        pad_until(page, f"{output('brake')} > 90")
        page.evaluate(f"hold({LEFT_SHOULDER}, 0)")
        page.wait_for(f"!({DRIVING}) && {DRIVER} === 'failsafe'")
        assert port.get("/api/state").json["lost"] is False
        assert page.complaints == []

    def test_through_an_interface_keys_and_pad_are_joy(page: Page) -> None:
        pads = Pads()
        with live_port(joy=pads, cmd_timeout=PATIENT_S) as port:
            open_dashboard(page, port)
            client = PlainClient(port.live.port)
            client.send(throttle=0.0, brake=0.5)
            client.close()
            page.wait_for(f"{DRIVER} === 'udp'")
            page.press("KeyW")
            page.press("KeyA")
            driving = partial(page.keep_holding, "KeyW", "KeyA")
            pads.wait_for(
                lambda held: held.axes[5] < -0.9 and held.axes[0] > 0.9 and held.buttons[9] == 1,
                driving,
            )
            page.hold_until(f"{TITLE} === 'Driving through the vehicle interface'", "KeyW", "KeyA")
            assert pads.samples[0][1] == NOTHING_HELD, "the dead man counts after a release"
            pads.wait_for(lambda held: held.buttons[6] == 1, driving)  # it stands: asks to engage
            page.press("Space")
            pads.wait_for(
                lambda held: held.axes[4] < -0.9 and held.axes[5] == 0.0,
                partial(page.keep_holding, "KeyW", "Space"),
            )
            page.release("Space")
            page.press("Backspace")
            pads.wait_for(
                lambda held: held.buttons[1] == 1 and held.buttons[9] == 0,
                partial(page.keep_holding, "KeyW", "Backspace"),
            )
            page.release("Backspace")
            page.press("KeyG")
            pads.wait_for(
                lambda held: held.buttons[6] == 1 and held.buttons[10] == 1,
                partial(page.keep_holding, "KeyW", "KeyG"),
            )
            page.wait_for(f"!({DRIVING})")
            for code in ("KeyG", "KeyW", "KeyA"):
                page.release(code)
            pads.wait_for(lambda held: held == NOTHING_HELD)
            page.evaluate(PAD)
            page.evaluate(f"hold({START}, 1)")
            pad_until(page, DRIVING)
            pads.wait_for(
                lambda held: held.buttons[6] == 1 and held.buttons[9] == 1,
                lambda: pad_until(page, DRIVING),
            )
            page.evaluate(f"hold({LEFT_SHOULDER}, 0)")  # the interface minds its dead man itself
            pads.wait_for(lambda held: held.buttons[6] == 1 and held.buttons[9] == 0)
            page.press("Escape")
            page.release("Escape")
            pads.wait_for(lambda held: held == NOTHING_HELD)
            assert page.complaints == []
            page.open("about:blank")

    def test_reverse_asks_for_the_gear_before_the_throttle(page: Page, port: LivePort) -> None:
        open_dashboard(page, port)
        samples = page.evaluate(
            "import('/assets/pad.js').then(({ KeysAsPad }) => { const keys = new KeysAsPad();"
            "const held = new Set(['back']); const taken = [];"
            "for (let i = 0; i < 60; i++)"
            " taken.push(keys.step(held, 0.02, { speed: 0, gear: i < 30 ? 1 : -1 }));"
            "return taken; })"
        )
        before, after = samples[:30], samples[30:]
        assert all(each["axes"][5] == 0.0 for each in before)
        assert any(each["buttons"][12] for each in before), "cross down: reverse"
        assert after[-1]["axes"][5] < -0.5
        assert not any(each["buttons"][12] for each in after)
