"""A headless Chromium, driven by its DevTools protocol over a WebSocket."""

from __future__ import annotations

import asyncio
import base64
import json
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from aiohttp import ClientSession, ClientWebSocketResponse

_FLAGS = (
    *("--headless=new", "--no-sandbox", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
    *("--disable-dev-shm-usage", "--hide-scrollbars", "--remote-debugging-port=0"),
)
_WITHOUT_WEBGL = ("--disable-gpu", "--disable-3d-apis")
_WITH_WEBGL = ("--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist")
_START_LIMIT_S = 180.0
_ANSWER_LIMIT_S = 180.0
_WAIT_LIMIT_S = 120.0
_DRIVING = "document.getElementById('drive').ariaPressed === 'true'"
# What Chromium calls the keys that are no letters.
_KEYS = {
    "ArrowUp": ("ArrowUp", 38),
    "ArrowDown": ("ArrowDown", 40),
    "ArrowLeft": ("ArrowLeft", 37),
    "ArrowRight": ("ArrowRight", 39),
    "Space": (" ", 32),
    "Escape": ("Escape", 27),
    "Tab": ("Tab", 9),
    "Backspace": ("Backspace", 8),
}


class Page:
    """One tab."""

    def __init__(self, loop: asyncio.AbstractEventLoop, socket: ClientWebSocketResponse) -> None:
        self._loop = loop
        self._socket = socket
        self._number = 0
        self.complaints: list[str] = []
        """Exceptions and errors that the page's console has shown."""
        self.call("Page.enable")
        self.call("Runtime.enable")
        self.call("Log.enable")

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """One command of the protocol and its result."""
        return self._loop.run_until_complete(self._call(method, parameters))

    async def _call(self, method: str, parameters: dict[str, Any]) -> dict[str, Any]:
        self._number += 1
        await self._socket.send_str(
            json.dumps({"id": self._number, "method": method, "params": parameters})
        )
        while True:
            text = await asyncio.wait_for(self._socket.receive_str(), _ANSWER_LIMIT_S)
            message = json.loads(text)
            if message.get("id") == self._number:
                assert "error" not in message, f"{method}: {message['error']}"
                result: dict[str, Any] = message["result"]
                return result
            self._listen(message)

    def _listen(self, message: dict[str, Any]) -> None:
        if message.get("method") == "Runtime.exceptionThrown":
            self.complaints.append(json.dumps(message["params"]["exceptionDetails"])[:500])
        if message.get("method") == "Log.entryAdded":
            entry = message["params"]["entry"]
            if entry["level"] == "error":
                self.complaints.append(f"{entry['text']} {entry.get('url', '')}")

    def open(self, url: str) -> None:
        """Go to an address.

        What is evaluated before the new document is there reads the old one, which is complete.
        """
        document = self.call("Page.navigate", url=url).get("loaderId")  # none: the same one
        end = time.monotonic() + _WAIT_LIMIT_S
        while document not in (None, self._document()):
            assert time.monotonic() < end, f"not within {_WAIT_LIMIT_S} s: {url}"
            time.sleep(0.01)
        self.wait_for("document.readyState === 'complete'")

    def _document(self) -> Any:
        """Which document the page has."""
        return self.call("Page.getFrameTree")["frameTree"]["frame"]["loaderId"]

    def evaluate(self, expression: str) -> Any:
        """The value of a JavaScript expression; a promise is waited for."""
        result = self.call(
            "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True
        )
        assert "exceptionDetails" not in result, result["exceptionDetails"]
        return result["result"].get("value")

    def text(self, selector: str) -> str:
        """The visible text of the first element that a selector finds."""
        found: str = self.evaluate(f"document.querySelector({json.dumps(selector)}).innerText")
        return found

    def number(self, selector: str) -> float:
        """The number that an element shows."""
        return float(self.text(selector).replace("\u2212", "-"))

    def wait_for(self, condition: str, limit_s: float = _WAIT_LIMIT_S) -> None:
        """Wait until a JavaScript expression is true."""
        end = time.monotonic() + limit_s
        while not self.evaluate(condition):
            assert time.monotonic() < end, f"not within {limit_s} s: {condition}"
            time.sleep(0.05)

    def press(self, code: str, *, repeat: bool = False) -> None:
        """Push a key down and keep it there; `repeat`: it has been there for a while."""
        self.call("Input.dispatchKeyEvent", type="rawKeyDown", autoRepeat=repeat, **_key(code))

    def release(self, code: str) -> None:
        """Let a key go."""
        self.call("Input.dispatchKeyEvent", type="keyUp", **_key(code))

    def keep_holding(self, *codes: str) -> None:
        """Press keys again when the dashboard has let go: it does where a machine stalls."""
        if not self.evaluate(_DRIVING):
            for code in codes:
                self.release(code)
                self.press(code)

    def hold_until(self, condition: str, *codes: str) -> None:
        """Hold keys of the dashboard until a JavaScript expression is true."""
        end = time.monotonic() + _WAIT_LIMIT_S
        for code in codes:
            self.press(code)
        while not self.evaluate(condition):
            assert time.monotonic() < end, f"not within {_WAIT_LIMIT_S} s: {condition}"
            self.keep_holding(*codes)
            time.sleep(0.05)

    def mouse(self, kind: str, x: float, y: float, **more: Any) -> None:
        """One event of the mouse: mousePressed, mouseMoved, mouseReleased, mouseWheel."""
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def resize(self, width: int, height: int, *, scale: float = 1.0, phone: bool = False) -> None:
        """Give the page the size of a screen."""
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width, height=height, deviceScaleFactor=scale, mobile=phone,
        )  # fmt: skip
        self.call("Emulation.setTouchEmulationEnabled", enabled=phone)

    def prefer(self, **features: str) -> None:
        """Set media features, such as `prefers_color_scheme="light"`."""
        wanted = [{"name": k.replace("_", "-"), "value": v} for k, v in features.items()]
        self.call("Emulation.setEmulatedMedia", features=wanted)

    def screenshot(self, path: Path, *, whole: bool = False) -> None:
        """Save what is to be seen as PNG; `whole`: also what is further down."""
        shot = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        path.write_bytes(base64.b64decode(shot["data"]))


def _key(code: str) -> dict[str, Any]:
    key, number = _KEYS.get(code, (code[-1].lower(), ord(code[-1])))
    return {"code": code, "key": key, "windowsVirtualKeyCode": number}


@contextmanager
def browser_page(*, webgl: bool = False) -> Iterator[Page]:
    """A page of a new browser, which ends with it; WebGL is computed by the processor."""
    graphics = _WITH_WEBGL if webgl else _WITHOUT_WEBGL
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        process = subprocess.Popen(
            ["chromium", *_FLAGS, *graphics, f"--user-data-dir={folder}", "about:blank"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        loop = asyncio.new_event_loop()
        try:
            session = loop.run_until_complete(_session())
            try:
                port = _debugging_port(Path(folder), process)
                socket = loop.run_until_complete(_connect(session, port))
                yield Page(loop, socket)
                loop.run_until_complete(socket.close())
            finally:
                loop.run_until_complete(session.close())
        finally:
            loop.close()
            process.terminate()
            try:
                process.wait(timeout=60.0)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


async def _session() -> ClientSession:
    return ClientSession()


async def _connect(session: ClientSession, port: int) -> ClientWebSocketResponse:
    """Connect to the page, which may open some time after the port."""
    end = time.monotonic() + _START_LIMIT_S
    while True:
        async with session.get(f"http://127.0.0.1:{port}/json") as answer:
            tabs = await answer.json(content_type=None)
        for tab in tabs:
            if tab["type"] == "page":
                return await session.ws_connect(tab["webSocketDebuggerUrl"], max_msg_size=0)
        assert time.monotonic() < end, f"no page within {_START_LIMIT_S} s: {tabs}"
        await asyncio.sleep(0.05)


def _debugging_port(folder: Path, process: subprocess.Popen[bytes]) -> int:
    """The port that Chromium has chosen, once it has written it down."""
    file = folder / "DevToolsActivePort"
    end = time.monotonic() + _START_LIMIT_S
    while time.monotonic() < end:
        assert process.poll() is None, "the browser has ended"
        if file.exists() and "\n" in file.read_text():
            return int(file.read_text().splitlines()[0])
        time.sleep(0.05)
    raise AssertionError(f"the browser did not start within {_START_LIMIT_S} s")
