"""The page under the launch of the README, in a real browser: pause, reset, a command's way, gear.

The plant, the interface and the page are the shipped processes, and commands drive the car.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterator

import pytest
from vdsim_kit.launched import PATIENCE_S, Launched
from vdsim_kit.ports import free_ports
from vdsim_kit.tools import has_tool

if has_tool("chromium"):
    from vdsim_plant_node_kit.browser import Page, browser_page

    TOPIC, TYPE = "/page/high_level_command", "vdsim_msgs/msg/HighLevelControlCommand"
    COMMAND = "{velocity_mps: 5.0, curvature: 0.02}"
    DRIVES = "Number(document.getElementById('speed').innerText) > 15"
    TIME = "Number(document.getElementById('time').innerText)"
    PAUSED = "document.getElementById('pause').ariaPressed === 'true'"

    @pytest.fixture(scope="module")
    def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
        """The page while the car of the README drives."""
        command_port, state_port, http_port = free_ports(3)
        launch = Launched(
            tmp_path_factory.mktemp("launch"), "vdsim", namespace="page",
            plant_port=command_port, state_port=state_port, dashboard=f"127.0.0.1:{http_port}",
        )  # fmt: skip
        stack = subprocess.Popen(
            ["ros2", "topic", "pub", "-r", "20", TOPIC, TYPE, COMMAND],
            stdout=subprocess.DEVNULL,
        )
        try:
            launch.wait(lambda: f":{http_port}" in launch.output, "the page's address")
            with browser_page() as opened:
                opened.resize(1280, 800)
                opened.open(f"http://127.0.0.1:{http_port}/")
                opened.wait_for(DRIVES, PATIENCE_S)
                yield opened
                assert opened.complaints == []
        finally:
            stack.terminate()
            stack.wait(PATIENCE_S)
            launch.end()

    def test_the_way_of_the_command_is_in_the_table(page: Page) -> None:
        row = "[...document.querySelectorAll('#way tbody tr')].find(row => !row.hidden)"
        page.wait_for(f"({row} ?? {{innerText: ''}}).innerText.includes('18.0')")
        assert page.evaluate(f"{row}.cells[0].innerText") == "Speed km/h"
        assert page.evaluate(f"{row}.cells[1].innerText") == "18.0"
        sent = "[...document.querySelectorAll('#way tbody tr')].map(row => row.cells[3].innerText)"
        page.wait_for(f"{sent}.some(text => /\\d/.test(text))")
        page.wait_for("document.querySelector('.gears .on').dataset.gear === 'DRIVE'")

    def test_pause_stands_and_goes_on(page: Page) -> None:
        page.evaluate("document.getElementById('pause').click()")
        page.wait_for(f"{PAUSED} && /paused/i.test(document.getElementById('status').innerText)")
        at_s = page.evaluate(TIME)
        page.evaluate("new Promise(done => setTimeout(done, 300))")
        assert page.evaluate(TIME) == at_s
        page.evaluate("document.getElementById('pause').click()")
        page.wait_for(f"{TIME} > {at_s + 0.2}")

    def test_reset_puts_the_car_back_and_it_drives_again(page: Page) -> None:
        page.wait_for(f"{TIME} > 3")
        before_s = page.evaluate(TIME)
        page.evaluate("document.getElementById('reset').click()")
        page.wait_for(f"{TIME} < {before_s}")
        page.wait_for(DRIVES, PATIENCE_S)
