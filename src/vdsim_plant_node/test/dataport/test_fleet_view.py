"""All vehicles on the page, and the page on a phone held sideways, in a real browser."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from vdsim_kit.tools import has_tool
from vdsim_plant.realtime.watched_session import Drive

if has_tool("chromium"):
    from vdsim_plant_node_kit.browser import Page, browser_page
    from vdsim_plant_node_kit.dataport import LivePort, live_port

    TITLE = "document.getElementById('alarm-title').innerText"
    MODEL = "document.getElementById('model').innerText"

    @pytest.fixture(scope="module")
    def page() -> Iterator[Page]:
        with browser_page() as opened:
            opened.resize(1280, 860)
            yield opened

    @pytest.fixture(scope="module")
    def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LivePort]:
        with live_port(vehicles=str(fleet(tmp_path_factory.mktemp("fleet")))) as opened:
            yield opened

    def cell(vehicle: int, name: str) -> str:
        row = f"[...document.querySelectorAll('.fleet tbody tr')][{vehicle - 1}]"
        return f"{row}?.querySelector('{name}').innerText"

    def test_all_vehicles_are_listed_with_driver_speed_and_alarm(
        page: Page, port: LivePort
    ) -> None:
        page.open(port.data_port.url)
        page.wait_for(f"{cell(3, '.by')} === 'waits'")
        assert page.evaluate(cell(2, "button")) == "2 compact_fwd"
        drive(port, 3)
        page.wait_for(f"{cell(3, '.state')} === 'commands stopped'")
        page.wait_for(f"{TITLE} === 'Vehicle 3: commands have stopped'")
        assert page.text("[role=alert]") == "Vehicle 3: commands have stopped"
        port.post("/api/reset", {"vehicle": 3})
        page.wait_for(f"{cell(3, '.by')} === 'waits' && {TITLE} !== ''")
        page.wait_for(f"!{TITLE}.startsWith('Vehicle 3')")
        page.evaluate("[...document.querySelectorAll('.fleet button')][1].click()")
        page.wait_for(f"{MODEL}.includes('compact_fwd')")
        assert page.evaluate("document.getElementById('vehicle').value") == "2"
        pressed = "[...document.querySelectorAll('.fleet button')].map(e => e.ariaPressed)"
        page.wait_for(f"String({pressed}) === 'false,true,false'")
        assert page.complaints == []

    def test_a_click_on_a_car_puts_it_on_display(page: Page, port: LivePort) -> None:
        page.open(port.data_port.url)
        page.wait_for(f"{MODEL}.includes('ioniq5_awd')")
        page.evaluate("document.getElementById('zoom-all').click()")
        page.wait_for("document.getElementById('zoom-all').ariaPressed === 'true'")
        # The three stand at y = 0, 6 and 12 m: the middle one in the middle of the map.
        box = page.evaluate(
            "(() => { const box = document.getElementById('map').getBoundingClientRect();"
            "return [box.x + box.width / 2, box.y + box.height / 2]; })()"
        )
        end = time.monotonic() + 60.0
        while not page.evaluate(f"{MODEL}.includes('compact_fwd')"):  # until they are drawn
            assert time.monotonic() < end
            for kind in ("mousePressed", "mouseReleased"):
                page.mouse(kind, box[0], box[1], button="left", clickCount=1)
            time.sleep(0.1)
        assert page.complaints == []

    @pytest.mark.parametrize(("width", "height"), [(667, 375), (844, 390)])
    def test_on_a_phone_held_sideways_car_speed_and_pads_are_seen(
        page: Page, port: LivePort, width: int, height: int
    ) -> None:
        page.resize(width, height, phone=True)
        page.open(port.data_port.url)
        page.wait_for(f"{MODEL} !== ''")
        boxes: Any = page.evaluate(
            "Object.fromEntries(Object.entries({ map: '#map', speed: '#pose-speed',"
            " left: '[data-hold=ArrowLeft]', right: '[data-hold=ArrowUp]' }).map(([name, at]) =>"
            " { const b = document.querySelector(at).getBoundingClientRect();"
            " return [name, [b.left, b.top, b.right, b.bottom]]; }))"
        )
        car = ((boxes["map"][0] + boxes["map"][2]) / 2, (boxes["map"][1] + boxes["map"][3]) / 2)
        for name in ("speed", "left", "right"):
            left, top, right, bottom = boxes[name]
            assert 0 <= left < right <= width, name
            assert 0 <= top < bottom <= height, name
            margin = 60  # of the car that is drawn in the middle
            beside = car[0] < left - margin or car[0] > right + margin
            assert beside or car[1] < top - margin or car[1] > bottom + margin, name
        assert boxes["map"][3] <= height + 1
        assert boxes["map"][3] - boxes["map"][1] >= 0.7 * height
        page.resize(1280, 860)


def drive(port: Any, vehicle: int) -> None:
    """Set a vehicle in motion by single commands, until they stop by themselves in motion."""

    def is_lost() -> bool:
        shown = port.live.server.vehicle(vehicle)
        return bool(shown.drive is Drive.FAILSAFE and shown.lost)

    while not is_lost():
        port.drive_until(lambda state: state["vx"] > 1.0, vehicle=vehicle, throttle=0.5)
        port.watch_until(lambda state: state["driver"] == "failsafe", vehicle=vehicle)


def fleet(folder: Path) -> Path:
    """Three vehicles beside each other."""
    file = folder / "fleet.yaml"
    file.write_text(
        "vehicles:\n"
        "  - {vehicle_id: 1}\n"
        "  - {vehicle_id: 2, vehicle: compact_fwd, start: {y_m: 6.0}}\n"
        "  - {vehicle_id: 3, start: {y_m: 12.0}}\n"
    )
    return file
