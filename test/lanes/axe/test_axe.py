"""axe-core looks at every state of the dashboard and finds nothing, in dark and in light."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from vdsim_plant.motion import PedalInput
from vdsim_plant_node.dataport.faults import FaultLog
from vdsim_plant_node.dataport.service import DataPortSocket, HttpService, listening_socket
from vdsim_plant_node.live.sessions import build_session
from vdsim_plant_node.replay.app import ReplayApp, ReplayedCar
from vdsim_plant_node.replay.chunks import ReplayChunks
from vdsim_plant_node.runs.run_table import PlayedTick
from vdsim_plant_node.settings.http_address import HttpAddress
from vdsim_plant_node.settings.server_settings import VehicleSettings, WorldOrigin
from vdsim_plant_node_kit.axe import axe_text, faults
from vdsim_plant_node_kit.browser import Page, browser_page
from vdsim_plant_node_kit.dataport import LivePort, live_port
from vdsim_plant_node_kit.interfaces import STACK_DRIVES, STOPPED, OneInterface
from vdsim_plant_node_kit.pads import Pads
from vdsim_plant_node_kit.runtime import PlainClient

PATIENT_S = 50.0
THEMES = ("dark", "light")


@pytest.fixture(scope="session")
def axe(tmp_path_factory: pytest.TempPathFactory) -> str:
    text: str = axe_text(tmp_path_factory.mktemp("axe"))
    return text


@pytest.fixture(scope="module")
def page() -> Iterator[Page]:
    with browser_page() as opened:
        yield opened


def open_page(page: Page, url: str, theme: str, *, width: int = 1280, height: int = 860) -> None:
    page.resize(width, height, phone=width < 900)
    page.prefer(prefers_color_scheme=theme)
    page.open(url)
    page.wait_for("document.getElementById('model').innerText !== ''")


def test_axe_finds_a_fault_that_is_there(page: Page, axe: str) -> None:
    page.open("about:blank")
    page.evaluate("document.body.innerHTML = '<button></button>'; 0")
    assert "button-name" in [rule for rule, _ in faults(page, axe)]


@pytest.fixture(scope="module")
def port() -> Iterator[LivePort]:
    with live_port(cmd_timeout=PATIENT_S) as opened:
        yield opened


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize(("width", "height"), [(1280, 860), (360, 740), (844, 390)])
def test_the_page_on_every_screen(
    page: Page, port: LivePort, axe: str, theme: str, width: int, height: int
) -> None:
    open_page(page, port.data_port.url, theme, width=width, height=height)
    assert faults(page, axe) == []


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize(("width", "height"), [(1280, 800), (1920, 1080), (390, 844), (844, 390)])
@pytest.mark.parametrize("is_stopped", [False, True])
def test_a_vehicle_interface_on_every_screen(
    page: Page, axe: str, theme: str, width: int, height: int, *, is_stopped: bool
) -> None:
    interface = OneInterface(control=STOPPED if is_stopped else STACK_DRIVES)
    with live_port(interface=interface, cmd_timeout=PATIENT_S) as port:
        open_page(page, port.data_port.url, theme, width=width, height=height)
        page.wait_for("document.getElementById('events').children.length > 0")
        page.evaluate("document.getElementById('link-card').open = true")
        assert faults(page, axe) == []
        page.open("about:blank")


@pytest.mark.parametrize("theme", THEMES)
def test_the_settings(page: Page, port: LivePort, axe: str, theme: str) -> None:
    open_page(page, port.data_port.url, theme)
    page.evaluate("document.getElementById('settings-open').click()")
    page.wait_for("document.querySelectorAll('#settings select').length > 1")
    assert faults(page, axe) == []


@pytest.mark.parametrize("theme", THEMES)
def test_an_alarm(page: Page, axe: str, theme: str) -> None:
    with live_port(cmd_timeout=0.5, vx0=20.0, failsafe_brake=0.0) as port:
        open_page(page, port.data_port.url, theme)
        port.post("/api/io", {"throttle": 0.1})
        page.wait_for("document.getElementById('status').dataset.level === 'alarm'")
        assert faults(page, axe) == []
        page.open("about:blank")


@pytest.mark.parametrize("theme", THEMES)
def test_driving_several_vehicles_through_an_interface(
    page: Page, axe: str, theme: str, tmp_path: Path
) -> None:
    file = tmp_path / "fleet.yaml"
    file.write_text(
        f"defaults: {{failsafe: {{timeout_s: {PATIENT_S}}}}}\n"
        "vehicles:\n  - {vehicle_id: 1}\n  - {vehicle_id: 2, start: {y_m: 6.0}}\n"
    )
    with live_port(joy=Pads(), vehicles=str(file), cmd_timeout=None) as port:
        open_page(page, port.data_port.url, theme)
        client = PlainClient(port.live.port)
        client.send(vehicle_id=1, version=5, throttle=0.0, brake=0.5)
        client.close()
        page.wait_for("document.getElementById('status').dataset.driver === 'udp'")
        page.evaluate("document.getElementById('drive').click()")
        page.wait_for("!document.getElementById('joy-keys').hidden")
        page.wait_for("document.querySelectorAll('.fleet tbody tr').length === 2")
        assert faults(page, axe) == []
        page.open("about:blank")


@pytest.mark.parametrize("theme", THEMES)
def test_a_replay(page: Page, axe: str, theme: str) -> None:
    settings = VehicleSettings()
    session = build_session(settings, substep_s=1e-3)
    session.set_input(PedalInput(throttle=0.4))
    chunks = ReplayChunks(0.01, {0: WorldOrigin()})
    for _ in range(1000):
        session.tick(0.01)
        chunks.take(PlayedTick(0, "commanded", session.output()))
    chunks.finish()

    def make_app(address: HttpAddress, log: FaultLog) -> ReplayApp:
        return ReplayApp(chunks, {0: ReplayedCar(settings, session)}, address, log)

    address = HttpAddress(port=0)
    service = HttpService(DataPortSocket(address, listening_socket(address)), make_app)
    open_page(page, service.url, theme)
    page.wait_for("document.getElementById('moment').max > 9")
    assert json.loads(page.evaluate("JSON.stringify(document.body.dataset.replay)")) == "true"
    assert faults(page, axe) == []
    page.open("about:blank")
    service.close()
