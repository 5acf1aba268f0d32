"""A recording on the replay page of the dashboard, moment by moment, as pictures of a film."""

from __future__ import annotations

import io
import re
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from PIL import Image
from vdsim_plant_node_kit.browser import Page, browser_page

WIDTH, HEIGHT = 1440, 760
_SHOWN_WIDTH = 900
_WARM_UP = 20


def frames(run: Path, duration_s: float, rate_hz: float, folder: Path) -> list[Image.Image]:
    """The page at each moment of the run."""
    server = subprocess.Popen(
        [sys.executable, "-u", "-m", "vdsim_plant_node.cli.replay", run, "--http", "127.0.0.1:0"],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip
    try:
        url = _address(server)
        with browser_page(webgl=True) as page:
            page.resize(WIDTH, HEIGHT)
            page.prefer(prefers_color_scheme="dark")
            page.open(url)
            page.wait_for(f"document.getElementById('moment').max > {duration_s - 0.5}")
            page.evaluate("document.getElementById('view-3d').click()")
            page.wait_for("document.getElementById('view') !== null")
            count = int(duration_s * rate_hz)
            for n in range(_WARM_UP):  # until the 3D view's parts are loaded
                _picture(page, n / rate_hz, folder)
            return [_picture(page, n / rate_hz, folder) for n in range(count)]
    finally:
        server.send_signal(signal.SIGINT)
        server.wait(60.0)


def _address(server: subprocess.Popen[str]) -> str:
    assert server.stdout is not None
    text = ""
    for line in server.stdout:
        text += line
        if found := re.search(r"replay at (http://\S+)", line):
            return found[1]
    raise RuntimeError(text)


def _picture(page: Page, moment_s: float, folder: Path) -> Image.Image:
    page.evaluate(
        "new Promise((done) => { const slider = document.getElementById('moment');"
        f"slider.value = {moment_s}; slider.dispatchEvent(new Event('input'));"
        # Two frames after the states have come, they are drawn.
        "const drawn = () => requestAnimationFrame(() => requestAnimationFrame(() => done(0)));"
        "setTimeout(drawn, 60); })"
    )
    path = folder / "frame.png"
    page.screenshot(path)
    with Image.open(io.BytesIO(path.read_bytes())) as shot:
        height = round(_SHOWN_WIDTH * HEIGHT / WIDTH)
        small: Image.Image = shot.convert("RGB").resize(
            (_SHOWN_WIDTH, height), Image.Resampling.LANCZOS
        )
        return small


def write_film(pictures: Sequence[Image.Image], out: Path, rate_hz: float) -> None:
    """Write the pictures as one moving picture that begins again at its end."""
    first, *others = pictures
    first.save(
        out, save_all=True, append_images=others, duration=round(1000.0 / rate_hz), loop=0,
        quality=60, method=4,
    )  # fmt: skip
