"""The dashboard in a real browser, with a real server behind it."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from vdsim_kit.tools import has_tool
from vdsim_plant_node_kit.runtime import PlainClient

if has_tool("chromium"):
    from vdsim_plant_node_kit.browser import Page, browser_page
    from vdsim_plant_node_kit.dataport import LivePort, live_port

    # A browser without a graphics card, on a busy machine, is slower than any fail-safe.
    SLOW_S = 2.0
    LIMIT_S = 120.0
    LEVEL = "document.getElementById('status').dataset.level"
    TITLE = "document.getElementById('alarm-title').innerText"
    DRIVER = "document.getElementById('status').dataset.driver"

    @pytest.fixture(scope="module")
    def page() -> Iterator[Page]:
        with browser_page() as opened:
            opened.resize(1280, 860)
            yield opened

    @pytest.fixture
    def port(page: Page) -> Iterator[LivePort]:
        with live_port(cmd_timeout=SLOW_S, failsafe_brake=1.0) as opened:
            yield opened
            page.open("about:blank")

    def open_dashboard(page: Page, port: LivePort) -> None:
        page.complaints.clear()
        page.open(port.data_port.url)
        page.wait_for("Number(document.getElementById('time').innerText) > 0")

    def output(name: str) -> str:
        return f"Number(document.getElementById('{name}').innerText.replace('\u2212', '-'))"

    def test_the_car_moves_while_a_key_is_held_and_stops_after(page: Page, port: LivePort) -> None:
        open_dashboard(page, port)
        assert page.text("#driver") == "Waiting for commands"
        page.hold_until(f"{output('speed')} > 8 && {output('yaw')} > 2", "KeyW", "ArrowLeft")
        assert page.text("#driver") == "Driven from this page (HTTP)"
        assert page.evaluate("document.getElementById('drive').ariaPressed") == "true"
        assert port.live.snapshot().vehicles[0].output.motion.yaw_rate_radps > 0.0, "to the left"
        page.release("KeyW")
        page.release("ArrowLeft")
        page.hold_until(f"Math.abs({output('speed')}) < 0.1 && {output('brake')} > 90", "Space")
        page.release("Space")
        page.press("Escape")
        page.release("Escape")
        page.wait_for(f"{DRIVER} === 'failsafe' && {TITLE} === 'Parked'")
        assert page.evaluate(LEVEL) == "note", "a parked car needs nobody"
        assert page.text("[role=alert]") == ""
        assert page.complaints == []

    def test_letting_go_of_the_window_lets_go_of_the_car(page: Page, port: LivePort) -> None:
        open_dashboard(page, port)
        page.hold_until(f"{output('throttle')} > 50", "KeyW")
        page.evaluate("window.dispatchEvent(new Event('blur'))")
        page.wait_for(f"{output('throttle')} === 0")
        page.wait_for(f"{DRIVER} === 'failsafe'")
        page.release("KeyW")
        assert page.evaluate("document.getElementById('drive').ariaPressed") == "false"

    def test_the_link_alarm_comes_when_cmd_stops_and_goes_when_it_resumes(
        page: Page, port: LivePort
    ) -> None:
        open_dashboard(page, port)
        with Sender(port.live.port):
            page.wait_for(f"{DRIVER} === 'udp' && {LEVEL} === 'good'")
            page.wait_for(f"{output('speed')} > 2")
            page.wait_for("/CMD [1-9]\\d* Hz/.test(document.getElementById('summary').innerText)")
            assert "Driven over UDP (CMD)" in page.text("#status")
        # A server that stalls is an alarm, too, for as long as that lasts.
        page.wait_for(
            f"{LEVEL} === 'alarm' && {TITLE} === 'Commands have stopped' &&"
            " document.getElementById('alarm-text').innerText.includes('brake 1, steering held') &&"
            " document.querySelector('[role=alert]').innerText === 'Commands have stopped'"
        )
        with Sender(port.live.port):
            page.wait_for(f"{LEVEL} === 'good'")

    def test_the_keyboard_is_ignored_while_cmd_drives_and_the_page_shows_it(
        page: Page, port: LivePort
    ) -> None:
        open_dashboard(page, port)
        with Sender(port.live.port):
            page.wait_for(f"{DRIVER} === 'udp'")
            page.hold_until(f"{TITLE}.startsWith('Keyboard ignored')", "KeyW")
            assert "CMD packets drive vehicle 0" in page.text("#alarm-text")
            page.release("KeyW")
            page.press("Escape")
            page.release("Escape")

    def test_dropped_datagrams_are_shown_by_reason(page: Page, port: LivePort) -> None:
        open_dashboard(page, port)
        client = PlainClient(port.live.port)
        client.send_bytes(b"nonsense")
        client.close()
        page.evaluate("document.getElementById('link-card').open = true")
        page.wait_for("document.getElementById('rejects').innerText.startsWith('length')")
        texts = "document.getElementById('rejects').firstElementChild.title"
        assert page.evaluate(texts).startswith("no packet of this type")

    def test_pause_and_reset(page: Page, port: LivePort) -> None:
        open_dashboard(page, port)
        port.drive_until(lambda s: s["x"] > 1.0, throttle=1.0)
        page.wait_for(f"{output('x')} > 0.9")
        page.evaluate("document.getElementById('pause').click()")
        page.wait_for("document.getElementById('alarm-title').innerText === 'Paused'")
        assert port.live.server.paused
        page.evaluate("document.getElementById('reset').click()")
        page.wait_for(f"{output('x')} === 0 && {output('time')} === 0")
        page.evaluate("document.getElementById('pause').click()")
        page.wait_for(f"{output('time')} > 0.1")

    def test_a_lost_server_is_noticed(page: Page) -> None:
        with live_port() as port:
            open_dashboard(page, port)
        page.wait_for(f"{LEVEL} === 'alarm'")
        assert page.text("#alarm-title") == "No connection to the plant"
        page.open("about:blank")

    def test_several_vehicles_on_a_road_with_everything(page: Page, tmp_path: Path) -> None:
        fleet = road_and_fleet(tmp_path)
        with live_port(vehicles=str(fleet), cmd_timeout=None) as port:
            open_dashboard(page, port)
            assert "ioniq5_awd" in page.text("#model")
            choose = (
                "(() => { const list = document.getElementById('vehicle'); list.value = '2';"
                "list.dispatchEvent(new Event('change')); })()"
            )
            page.evaluate(choose)
            page.wait_for("document.getElementById('model').innerText.includes('compact_fwd')")
            page.wait_for(f"{output('y')} === 6")
            assert page.complaints == []
            page.open("about:blank")

    @pytest.mark.parametrize(
        ("width", "height"), [(360, 740), (667, 375), (844, 390), (768, 1024), (1280, 860)]
    )
    def test_it_fits_every_screen(page: Page, port: LivePort, width: int, height: int) -> None:
        page.resize(width, height)
        open_dashboard(page, port)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        cut = "[...document.querySelectorAll('button, output, dd')].filter(e => e.offsetParent && "
        cut += "e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e).display !== 'inline')"
        assert page.evaluate(f"{cut}.map(e => e.outerHTML)") == []
        page.resize(1280, 860)

    def test_touch_drives(page: Page, port: LivePort) -> None:
        page.resize(360, 740, phone=True)
        open_dashboard(page, port)
        pad = "document.querySelector('[data-hold=ArrowUp]')"
        assert page.evaluate(f"{pad}.getBoundingClientRect().height") >= 44

        def touch(kind: str) -> None:
            page.evaluate(f"{pad}.dispatchEvent(new PointerEvent('{kind}', {{bubbles: true}}))")

        end = time.monotonic() + LIMIT_S
        while not page.evaluate(f"{output('speed')} > 3"):
            assert time.monotonic() < end
            # Again where it has let go, as it does where a machine stalls.
            if page.evaluate("document.getElementById('drive').ariaPressed") != "true":
                touch("pointerup")
                touch("pointerdown")
            time.sleep(0.05)
        touch("pointerup")
        page.wait_for(f"{output('throttle')} === 0")
        page.resize(1280, 860)

    def test_dark_and_light_follow_the_system_until_the_user_chooses(
        page: Page, port: LivePort
    ) -> None:
        theme = "document.documentElement.dataset.theme"
        page.prefer(prefers_color_scheme="light")
        open_dashboard(page, port)
        assert page.evaluate(theme) == "light"
        page.prefer(prefers_color_scheme="dark")
        page.wait_for(f"{theme} === 'dark'")
        page.evaluate("document.getElementById('theme').click()")
        assert page.evaluate(theme) == "light"
        page.open(port.data_port.url)
        assert page.evaluate(theme) == "light", "remembered"
        page.evaluate("localStorage.clear()")

    @pytest.mark.parametrize("theme", ["dark", "light"])
    def test_text_stands_out_from_its_ground(page: Page, port: LivePort, theme: str) -> None:
        page.prefer(prefers_color_scheme=theme)
        open_dashboard(page, port)
        for text in ("text", "muted", "accent", "alarm", "warn"):
            for ground in ("card", "ground"):
                assert contrast(page, text, ground) >= 4.5, (text, ground)

    def test_everything_can_be_reached_and_named_without_a_mouse(
        page: Page, port: LivePort
    ) -> None:
        open_dashboard(page, port)
        reached = []
        for _ in range(9):
            page.press("Tab")
            page.release("Tab")
            reached.append(page.evaluate("document.activeElement.id"))
        bar = ["drive", "pause", "reset", "settings-open", "theme", "stop"]
        assert reached == [*bar, "zoom-in", "zoom-out", "view-3d"]
        nameless = (
            "[...document.querySelectorAll('button, select, canvas, svg, section')].filter(e => "
            "!(e.innerText || '').trim() && !e.ariaLabel && !e.labels?.length)"
            ".map(e => e.outerHTML)"
        )
        assert page.evaluate(nameless) == []
        outline = "getComputedStyle(document.activeElement).outlineStyle"
        assert page.evaluate(outline) == "solid", "focus is seen"

    def test_nothing_is_asked_of_any_other_host(page: Page, port: LivePort) -> None:
        open_dashboard(page, port)
        hosts = (
            "[...new Set(performance.getEntriesByType('resource').map(e => new URL(e.name).host))]"
        )
        assert page.evaluate(hosts) == [f"127.0.0.1:{port.number}"]

    CAR = {"maxSteer": 0.55, "wheelbase": 2.97}

    @pytest.mark.parametrize(
        ("held", "speed", "expected"),
        [
            (["go"], 0.0, {"gear": 1, "throttle": 1, "brake": 0, "steer": 0}),
            (["go"], 20.0, {"gear": 1, "throttle": 1, "brake": 0, "steer": 0}),
            (["back"], 20.0, {"gear": 1, "throttle": 0, "brake": 1, "steer": 0}),
            (["back"], 0.0, {"gear": -1, "throttle": 1, "brake": 0, "steer": 0}),
            (["go", "brake"], 5.0, {"gear": 1, "throttle": 0, "brake": 1, "steer": 0}),
            (["left"], 0.0, {"gear": 1, "throttle": 0, "brake": 0, "steer": 0.55}),
            (["right"], 0.0, {"gear": 1, "throttle": 0, "brake": 0, "steer": -0.55}),
            (["left", "right"], 0.0, {"gear": 1, "throttle": 0, "brake": 0, "steer": 0}),
            ([], 5.0, {"gear": 1, "throttle": 0, "brake": 0, "steer": 0}),
        ],
    )
    def test_what_held_keys_end_in(
        page: Page, port: LivePort, held: list[str], speed: float, expected: dict[str, float]
    ) -> None:
        assert held_for(page, port, held, speed, seconds=3.0) == pytest.approx(expected)

    def test_keys_steer_less_the_faster_the_car_and_move_pedals_smoothly(
        page: Page, port: LivePort
    ) -> None:
        fast = held_for(page, port, ["left"], 30.0, seconds=3.0)
        assert 0.01 < fast["steer"] < 0.05
        soon = held_for(page, port, ["go", "left"], 0.0, seconds=0.1)
        assert 0.1 < soon["throttle"] < 0.3
        assert 0.02 < soon["steer"] < 0.15

    def held_for(
        page: Page, port: LivePort, held: list[str], speed: float, *, seconds: float
    ) -> Any:
        """What the page's own driving core makes of keys held for a while."""
        page.open(port.data_port.url)
        situation = json.dumps({**CAR, "speed": speed})
        return page.evaluate(
            "import('/assets/driving.js').then(({ advance, RELEASED }) => { let command = RELEASED;"
            f"for (let i = 0; i < {round(seconds / 0.02)}; i++)"
            f" command = advance(command, new Set({json.dumps(held)}), 0.02, {situation});"
            "return command; })"
        )


class Sender:
    """Sends CMD at 50 Hz while it is open."""

    def __init__(self, server_port: int) -> None:
        self._client = PlainClient(server_port)
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._send)

    def _send(self) -> None:
        while not self._stopping.is_set():
            self._client.send(throttle=0.3, brake=0.0)
            time.sleep(0.02)

    def __enter__(self) -> Sender:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopping.set()
        self._thread.join()
        self._client.close()


def road_and_fleet(folder: Path) -> Path:
    """A fleet file of two vehicles on a road that has every kind of friction patch."""
    (folder / "grid.csv").write_text("0.5,0.6\n,0.4\n")
    (folder / "road.yaml").write_text(
        "base_mu: 0.9\n"
        "split: {mu_left: 0.8, mu_right: 0.4, y_m: -3.0}\n"
        "grid: {csv: grid.csv, cell_m: 4.0, x0_m: 5.0, y0_m: 5.0}\n"
        "x_patches: [[10, 20, 0.3]]\n"
        "polygons: [{points_m: [[0, 4], [5, 4], [5, 9]], mu: 0.2}]\n"
    )
    fleet = folder / "fleet.yaml"
    fleet.write_text(
        f"defaults: {{ground: {folder / 'road.yaml'}}}\n"
        "vehicles:\n"
        "  - {vehicle_id: 1}\n"
        "  - {vehicle_id: 2, vehicle: compact_fwd, start: {y_m: 6.0}}\n"
    )
    return fleet


def contrast(page: Any, text: str, ground: str) -> float:
    """Contrast ratio of two colours of the style sheet, after WCAG 2."""
    lights = []
    for name in (text, ground):
        value: str = page.evaluate(
            f"getComputedStyle(document.documentElement).getPropertyValue('--{name}').trim()"
        )
        parts = [int(value[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        lights.append(0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2])
    return (max(lights) + 0.05) / (min(lights) + 0.05)
