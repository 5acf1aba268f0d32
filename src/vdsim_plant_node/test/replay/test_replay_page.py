"""A recorded run in a real browser, served by `vdsim_replay --http`."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from vdsim_kit.tools import has_tool
from vdsim_plant.motion import PedalInput
from vdsim_plant_node.live.recording_session import open_recording
from vdsim_plant_node_kit.runtime import PlainClient, lockstep_server

TICKS_PER_S = 200


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """20 s: throttle to the left, brake, and a reset after 15 s."""
    path = tmp_path_factory.mktemp("run") / "run.vds"
    client = PlainClient()
    server = lockstep_server(client, record=str(path), cmd_timeout=60.0)
    recording = open_recording(server)
    assert recording is not None
    server.drive(0, PedalInput(steer_rad=0.05, throttle=0.4))
    server.advance(8 * TICKS_PER_S)
    server.drive(0, PedalInput(steer_rad=0.05, throttle=0.0, brake=0.6))
    server.advance(7 * TICKS_PER_S)
    server.reset(0)
    server.advance(5 * TICKS_PER_S)
    recording.close()
    server.close()
    client.close()
    return path


@pytest.fixture(scope="module")
def url(run: Path) -> Iterator[str]:
    command = [sys.executable, "-u", "-m", "vdsim_plant_node.cli.replay", str(run)]
    process = subprocess.Popen(
        [*command, "--http", "127.0.0.1:0"],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip
    assert process.stdout is not None
    lines = ""
    for line in process.stdout:
        lines += line
        if found := re.search(r"replay at (http://\S+)", line):
            break
    else:
        raise AssertionError(lines)
    assert "reproduced bit for bit" in lines
    yield found[1]
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=60.0)
    assert process.returncode == 0, lines + out


def test_the_run_is_described_and_strangers_are_not_let_in(url: str) -> None:
    with urllib.request.urlopen(f"{url}api/vehicles", timeout=60.0) as answer:
        described = json.load(answer)
    assert described["replay"]["duration"] == pytest.approx(20.0, abs=0.05)
    assert described["vehicles"][0]["name"] == "ioniq5_awd"
    for path, status in (
        ("api/replay?chunk=99", 400),
        ("api/replay?chunk=-1", 400),
        ("api/replay?chunk=x", 400),
        ("api/replay?vehicle=9", 404),
        ("api/io", 404),
    ):
        with pytest.raises(urllib.error.HTTPError) as caught:
            urllib.request.urlopen(url + path, timeout=60.0)
        assert caught.value.code == status
        assert json.load(caught.value)["error"]
    foreign = urllib.request.Request(url, headers={"Host": "evil.example"})
    with pytest.raises(urllib.error.HTTPError):
        urllib.request.urlopen(foreign, timeout=60.0)


if has_tool("chromium"):
    from vdsim_plant_node_kit.browser import Page, browser_page

    def output(name: str) -> str:
        return f"Number(document.getElementById('{name}').innerText.replace('\u2212', '-'))"

    def go_to(page: Page, moment: float) -> None:
        page.evaluate(
            "(() => { const slider = document.getElementById('moment');"
            f"slider.value = {moment}; slider.dispatchEvent(new Event('input')); }})()"
        )

    @pytest.fixture(scope="module")
    def page() -> Iterator[Page]:
        with browser_page() as opened:
            opened.resize(1280, 860)
            yield opened

    def test_a_slider_goes_to_any_moment_of_the_run(page: Page, url: str) -> None:
        page.complaints.clear()
        page.open(url)
        page.wait_for("document.getElementById('moment').max > 19")
        assert page.text("#moment-end") == "20.0"
        go_to(page, 8.0)
        page.wait_for(f"{output('speed')} > 20 && {output('throttle')} === 40")
        assert page.text("#driver") == "Driven by commands"
        go_to(page, 14.5)
        page.wait_for(f"Math.abs({output('speed')}) < 0.5 && {output('brake')} === 60")
        go_to(page, 4.0)
        page.wait_for(f"{output('throttle')} === 40 && {output('speed')} > 2")
        go_to(page, 17.0)
        page.wait_for("document.getElementById('driver').innerText === 'Waiting for commands'")
        shown = "['drive', 'pause', 'reset', 'settings-open'].filter(id =>"
        shown += " document.getElementById(id).offsetParent)"
        assert page.evaluate(shown) == [], "there is nothing to drive"
        assert page.complaints == []

    def test_it_plays_pauses_and_is_worked_by_keys(page: Page, url: str) -> None:
        page.complaints.clear()
        page.open(url)
        page.wait_for("document.getElementById('moment').max > 19")
        page.evaluate("document.getElementById('play').click()")
        page.wait_for(f"{output('moment-text')} > 1 && {output('speed')} > 1")
        page.evaluate("document.getElementById('play').click()")
        assert page.text("#play") == "Play"
        before = page.evaluate(output("moment-text"))
        page.evaluate("document.getElementById('moment').focus()")
        page.press("ArrowRight")
        page.release("ArrowRight")
        page.wait_for(f"Math.abs({output('moment-text')} - {before} - 1) < 0.2")
        go_to(page, 19.9)
        page.evaluate("document.getElementById('play').click()")
        page.wait_for("document.getElementById('play').innerText === 'Play'")  # its end
        assert page.evaluate(output("moment-text")) == pytest.approx(20.0, abs=0.1)
        assert page.complaints == []
