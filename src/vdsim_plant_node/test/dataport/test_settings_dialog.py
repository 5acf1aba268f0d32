"""The settings dialog in a real browser: it starts another car, and the car behaves like it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from vdsim_kit.tools import has_tool
from vdsim_plant_node.settings.options import server_settings
from vdsim_plant_node_kit.runtime import PlainClient

if has_tool("chromium"):
    from vdsim_plant_node_kit.browser import Page, browser_page
    from vdsim_plant_node_kit.dataport import LivePort, live_port

    GRAVITY_MPS2 = 9.81
    DIALOG = "document.getElementById('settings')"

    @pytest.fixture(scope="module")
    def page() -> Iterator[Page]:
        with browser_page() as opened:
            opened.resize(1280, 860)
            yield opened

    @pytest.fixture
    def port(page: Page) -> Iterator[LivePort]:
        with live_port(cmd_timeout=2.0) as opened:
            yield opened
            page.open("about:blank")

    def open_dialog(page: Page, port: LivePort) -> None:
        page.complaints.clear()
        page.open(port.data_port.url)
        page.wait_for("Number(document.getElementById('time').innerText) > 0")
        page.evaluate("document.getElementById('settings-open').click()")
        page.wait_for(f"{DIALOG}.open && !!document.getElementById('set-vehicle')")

    def fill(page: Page, **values: object) -> None:
        """Put values into fields as a user does: `ground_split_y_m` is #set-ground-split-y_m."""
        for name, value in values.items():
            page.evaluate(
                f"(() => {{ const field = document.getElementById('set-{name}');"
                f"field.value = {json.dumps(str(value))};"
                "field.dispatchEvent(new Event('change', { bubbles: true })); })()"
            )

    def fill_ground(page: Page, **values: object) -> None:
        fill(page, **{f"ground-{name.replace('__', '-')}": each for name, each in values.items()})

    def start(page: Page) -> None:
        """Press Start and wait for the answer."""
        page.evaluate(f"{DIALOG}.querySelector('[type=submit]').click()")
        settled(page)

    def settled(page: Page) -> None:
        page.wait_for(
            f"!{DIALOG}.querySelector('form').inert && "
            f"!!({DIALOG}.querySelector('.done').innerText || "
            f"{DIALOG}.querySelector('.fault').innerText)",
            limit_s=180.0,
        )

    def fault(page: Page) -> str:
        return page.text("#settings .fault")

    def braking_distance(port: LivePort) -> float:
        """With the brakes locked, as far as from 20 m/s; the fail-safe may have braked before."""
        first = port.drive_until(lambda state: state["applied"], brake=1.0)
        state = port.drive_until(lambda state: abs(state["vx"]) < 0.05, brake=1.0)
        return float(state["x"] - first["x"]) * (20.0 / first["vx"]) ** 2

    def test_another_tyre_and_less_friction_brake_longer(page: Page, port: LivePort) -> None:
        open_dialog(page, port)
        distances = {}
        for mu in (0.3, 0.9):
            fill(page, vehicle="sport_rwd", tyre="mf96", mu=mu, vx0=20, level="l2")
            start(page)
            assert fault(page) == ""
            distances[mu] = braking_distance(port)
            shortest = 20.0**2 / (2.0 * mu * GRAVITY_MPS2)
            assert shortest < distances[mu] < 1.8 * shortest
        assert 2.5 < distances[0.3] / distances[0.9] < 3.5
        page.wait_for("document.getElementById('model').innerText.startsWith('sport_rwd')")
        settings = port.live.server.settings.vehicles[0]
        assert (settings.vehicle, settings.tyre, settings.mu) == ("sport_rwd", "mf96", 0.9)
        assert page.complaints == []

    @pytest.mark.parametrize(
        ("field", "value", "error"),
        [
            ("mu", "3", "mu=3.0: must be > 0 and <= 1.2"),
            ("mu", "wet", "mu='wet': must be a number"),
            ("vx0", "500", "vx0=500.0: must be >= -60 and <= 120 m/s"),
            ("charge", "1.5", "charge=1.5: must be >= 0 and <= 1"),
            ("seed", "0.5", "seed=0.5: must be a whole number"),
        ],
    )
    def test_a_wrong_value_shows_the_command_lines_error_at_its_field(
        page: Page, port: LivePort, field: str, value: str, error: str
    ) -> None:
        open_dialog(page, port)
        fill(page, **{field: value})
        start(page)
        assert page.text(f"#set-{field}-wrong") == error
        assert fault(page) == error, "announced"
        assert page.evaluate(f"document.getElementById('set-{field}').ariaInvalid") == "true"
        assert page.evaluate("document.activeElement.id") == f"set-{field}"
        assert port.live.server.vehicles[0].restarts == 0
        page.complaints.clear()  # the console shows the refused request
        fill(page, **{field: ""})
        start(page)
        assert fault(page) == ""
        assert page.text(f"#set-{field}-wrong") == ""
        assert port.live.server.vehicles[0].restarts == 1

    def test_a_ground_of_its_own(page: Page, port: LivePort) -> None:
        open_dialog(page, port)
        fill(page, ground="#own")
        assert page.evaluate("document.getElementById('set-mu').offsetParent === null")
        fill_ground(page, base_mu="0.8", slope_x="0.05", split__mu_left="0.2")
        start(page)
        wanted = "ground.split.mu_right: missing"
        assert page.text("[data-field='ground.split.mu_right'] > .wrong") == wanted
        fill_ground(
            page,
            split__mu_right="0.7",
            x_patches="60, 130, 0.5; 200 220 0.2",
            polygons="0 -3, 10 -3, 10 3: 0.3",
        )
        start(page)
        assert fault(page) == ""
        assert port.live.server.settings.vehicles[0].ground == {
            "base_mu": 0.8,
            "slope_x": 0.05,
            "split": {"mu_left": 0.2, "mu_right": 0.7},
            "x_patches": [[60, 130, 0.5], [200, 220, 0.2]],
            "polygons": [{"points_m": [[0, -3], [10, -3], [10, 3]], "mu": 0.3}],
        }
        page.evaluate("document.getElementById('settings-open').click()")
        strips = "document.getElementById('set-ground-x_patches').value"
        page.wait_for(f"{strips} === '60, 130, 0.5; 200, 220, 0.2'")
        patches = "document.getElementById('set-ground-polygons').value"
        assert page.evaluate(patches) == "0 -3, 10 -3, 10 3: 0.3"

    def test_saved_is_what_the_command_line_takes_and_can_be_loaded(
        page: Page, port: LivePort, tmp_path: Path
    ) -> None:
        open_dialog(page, port)
        page.evaluate(
            "(() => { const make = URL.createObjectURL; URL.createObjectURL = (blob) => "
            "{ blob.text().then((text) => { window.saved = text; }); return make(blob); };"
            "HTMLAnchorElement.prototype.click = function () { window.savedAs = this.download; };"
            "})()"
        )
        fill(page, vehicle="compact_fwd", tyre="mf96", mu="0.4", x0="3.5")
        page.evaluate(f"{DIALOG}.querySelector('[data-do=save]').click()")
        page.wait_for("!!window.saved")
        assert page.evaluate("window.savedAs") == "vdsim_vehicle_0.yaml"
        assert port.live.server.vehicles[0].restarts == 0, "nothing is started"
        text = page.evaluate("window.saved")
        file = tmp_path / "car.yaml"
        file.write_text(text)
        (taken,) = server_settings({"config": str(file)}).vehicles
        assert (taken.vehicle, taken.tyre, taken.mu) == ("compact_fwd", "mf96", 0.4)
        assert taken.start.x_m == 3.5

        document = {**yaml.safe_load(text), "vehicle": "scale_car", "ground": {"slope_y": 0.02}}
        load(page, yaml.safe_dump(document))
        page.wait_for("document.getElementById('set-vehicle').value === 'scale_car'")
        assert page.evaluate("document.getElementById('set-ground-base_mu').value") == "0.4"
        start(page)
        assert fault(page) == ""
        settings = port.live.server.settings.vehicles[0]
        assert (settings.vehicle, settings.mu) == ("scale_car", None)
        assert settings.ground == {"base_mu": 0.4, "slope_y": 0.02}

        load(page, "mu: 7\n")
        page.wait_for(f"!!{DIALOG}.querySelector('.fault').innerText")
        assert fault(page) == "mu=7.0: must be > 0 and <= 1.2"

    def load(page: Page, text: str) -> None:
        """Choose a file of this text in the dialog."""
        page.evaluate(
            "(() => { const transfer = new DataTransfer();"
            f"transfer.items.add(new File([{json.dumps(text)}], 'car.yaml'));"
            f"const input = {DIALOG}.querySelector('[type=file]'); input.files = transfer.files;"
            "input.dispatchEvent(new Event('change')); })()"
        )

    def test_while_cmd_drives_the_dialog_shows_why_not(page: Page) -> None:
        client = PlainClient()
        with live_port(cmd_timeout=20.0, state_port=client.port) as port:
            client.server_port = port.live.port
            client.drive(lambda f: f.vx_mps > 0.2, throttle=0.5, brake=0.0)
            open_dialog(page, port)
            start(page)
            assert fault(page).startswith("CMD packets drive vehicle 0; they have priority")
            page.open("about:blank")
        client.close()

    def test_keys_in_the_dialog_do_not_drive(page: Page, port: LivePort) -> None:
        open_dialog(page, port)
        page.evaluate(f"{DIALOG}.querySelector('[type=submit]').focus()")
        for key in ("KeyW", "ArrowUp"):
            page.press(key)
            page.release(key)
        assert page.evaluate("document.getElementById('drive').ariaPressed") == "false"
        page.press("Escape")
        page.release("Escape")
        page.wait_for(f"!{DIALOG}.open && document.activeElement === document.body")
        page.hold_until("document.getElementById('drive').ariaPressed === 'true'", "KeyW")
        page.release("KeyW")

    def test_every_page_that_is_open_follows_a_restart(page: Page, port: LivePort) -> None:
        open_dialog(page, port)
        page.evaluate(f"{DIALOG}.close()")
        assert port.post("/api/start", {"vehicle": "compact_fwd", "level": "l1"}).status == 200
        page.wait_for("document.getElementById('model').innerText.startsWith('compact_fwd, l1')")
        assert page.complaints == []

    @pytest.mark.parametrize(("width", "height"), [(360, 740), (740, 360), (1280, 860)])
    def test_it_fits_every_screen_and_every_control_has_a_name(
        page: Page, port: LivePort, width: int, height: int
    ) -> None:
        page.resize(width, height)
        open_dialog(page, port)
        fill(page, ground="#own")
        assert page.evaluate(f"{DIALOG}.scrollWidth <= {DIALOG}.clientWidth")
        assert page.evaluate(f"{DIALOG}.getBoundingClientRect().right") <= width
        nameless = (
            f"[...{DIALOG}.querySelectorAll('button, select, input')].filter(e => "
            "!(e.innerText || '').trim() && !e.ariaLabel && !e.labels?.length)"
            ".map(e => e.outerHTML)"
        )
        assert page.evaluate(nameless) == []
        undescribed = (
            f"[...{DIALOG}.querySelectorAll('[aria-describedby]')].filter(e => "
            "e.getAttribute('aria-describedby').split(' ').some(id => "
            "!document.getElementById(id))).length"
        )
        assert page.evaluate(undescribed) == 0
        page.resize(1280, 860)
