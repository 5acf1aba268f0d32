"""The 3D view in a real browser: the scene by numbers, against the states of a real server."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from vdsim_kit.tools import has_tool
from vdsim_plant_node.dataport.assets import VENDORED, load_assets

WHEELS = range(4)


def test_what_is_vendored_is_what_the_table_says() -> None:
    assets = load_assets()
    for entry in VENDORED:
        content = assets[entry.file].content
        assert hashlib.sha256(content).hexdigest() == entry.sha256, entry.file
    vendored = {name for name in assets if name.startswith("vendor/")}
    assert vendored == {entry.file for entry in VENDORED}
    library = assets["vendor/three.module.min.js"].content
    assert b"http://" not in library.split(b"*/", 1)[1][:2000]
    assert b'const t="170"' in library, "the release that the table names"


if has_tool("chromium"):
    from vdsim_plant_node_kit.browser import Page, browser_page
    from vdsim_plant_node_kit.dataport import LivePort, live_port

    VIEW = "import('/assets/view3d/view.js').then(({ opened: { view } }) => "

    @pytest.fixture(scope="module")
    def page() -> Iterator[Page]:
        with browser_page(webgl=True) as opened:
            opened.resize(1280, 860)
            yield opened

    @pytest.fixture
    def port(page: Page) -> Iterator[LivePort]:
        with live_port(cmd_timeout=2.0) as opened:
            yield opened
            page.open("about:blank")

    def ask(page: Page, expression: str) -> Any:
        """The value of an expression about the open `view`."""
        return page.evaluate(f"{VIEW}{expression})")

    def open_view(page: Page, port: LivePort) -> None:
        page.complaints.clear()
        page.open(port.data_port.url)
        page.wait_for("Number(document.getElementById('time').innerText) > 0")
        assert not page.evaluate(
            "performance.getEntriesByType('resource').some(e => e.name.includes('three'))"
        ), "a page without the view loads nothing of it"
        page.evaluate("document.getElementById('view-3d').click()")
        page.wait_for("!!document.getElementById('view') && document.getElementById('map').hidden")
        page.wait_for(f"{VIEW}view.frames > 2)")

    def halted(page: Page, port: LivePort) -> Any:
        """Time stands; the last state of the stream, once the view shows it."""
        port.post("/api/pause", {"paused": True})
        state = port.post("/api/io", {}).json
        page.wait_for(f"{VIEW}view.motion.shownS === {state['t']!r})")
        page.wait_for(f"{VIEW}(view.waited ??= view.frames, view.frames > view.waited + 2))")
        return state

    def test_the_scene_is_the_state_of_the_stream(page: Page, port: LivePort) -> None:
        open_view(page, port)
        port.drive_until(lambda s: s["vx"] > 8.0, throttle=0.8)
        port.drive_until(lambda s: abs(s["roll"]) > 0.005, throttle=0.5, steer=0.12)
        state = halted(page, port)
        pose = ask(page, "[...view.car.root.position.toArray()]")
        assert pose == [state["x"], state["y"], state["z"]]
        body = ask(page, "(({ x, y, z, order }) => [x, y, z, order])(view.car.body.rotation)")
        assert body[:3] == pytest.approx([state["roll"], state["pitch"], state["yaw"]], abs=1e-12)
        assert body[3] == "ZYX"
        steer = ask(page, "view.car.wheels.map(({ wheel }) => wheel.rotation.z)")
        assert steer == [state["steer"], state["steer"], 0, 0]
        assert abs(state["steer"]) > 0.1
        scale = ask(page, "view.car.forces.perNewton")
        circles = ask(page, "view.car.forces.wheels.map(({ limit }) => limit.scale.x)")
        arrows = ask(
            page,
            "view.car.forces.wheels.map(({ given: { direction: d, shaft, head } }) => "
            "[d.x, d.y, d.z, shaft.scale.y + head.scale.y])",
        )
        loads = ask(
            page,
            "view.car.forces.wheels.map(({ load: { shaft, head } }) => "
            "shaft.scale.y + head.scale.y)",
        )
        for i in WHEELS:
            force = math.hypot(state["Fx"][i], state["Fy"][i])
            assert circles[i] == pytest.approx(state["mu"][i] * state["Fz"][i] * scale)
            assert arrows[i] == pytest.approx(
                [state["Fx"][i] / force, state["Fy"][i] / force, 0.0, force * scale]
            )
            assert arrows[i][3] / circles[i] == pytest.approx(state["grip"][i])
            assert loads[i] == pytest.approx(state["Fz"][i] * scale)
        assert page.complaints == []

    def test_the_wheels_stand_on_the_road_and_the_body_follows_the_slope(page: Page) -> None:
        with live_port(ground="hill_8_percent", vx0=4.0, x0=30.0, yaw0=0.4) as port:
            open_view(page, port)
            # A car that brakes dips its nose.
            port.drive_until(lambda s: abs(s["vx"]) < 1e-3, brake=0.6)
            state = halted(page, port)
            plane = port.get("/api/road").json["plane"]
            centres = ask(
                page,
                "(view.scene.updateMatrixWorld(true), view.car.wheels.map(({ spun }) => "
                "{ const m = spun.matrixWorld.elements; return [m[12], m[13], m[14]]; }))",
            )
            radius = port.get("/api/vehicles").json["vehicles"][0]["shape"]["wheel_radius"]
            normal = math.sqrt(1.0 + plane["gx"] ** 2 + plane["gy"] ** 2)
            for x, y, z in centres:
                above = (z - plane["gx"] * x - plane["gy"] * y - plane["z0"]) / normal
                assert above == pytest.approx(radius, abs=1e-3)
            corner = ask(page, "view.car.wheels.map(({ wheel }) => wheel.position.toArray())")
            assert [math.copysign(1, x) for x, _, _ in corner] == [1, 1, -1, -1]
            assert [math.copysign(1, y) for _, y, _ in corner] == [1, -1, 1, -1]
            nose = ask(page, "[...view.car.body.matrixWorld.elements].slice(0, 3)")
            assert nose[:2] == pytest.approx([math.cos(0.4), math.sin(0.4)], abs=0.01)
            assert nose[2] == pytest.approx(0.08 * math.cos(0.4), abs=0.01), "uphill, nose up"
            assert state["z"] == pytest.approx(plane["gx"] * state["x"] + plane["z0"], abs=1e-9)
            page.open("about:blank")

    def test_the_road_is_painted_where_friction_differs(page: Page, tmp_path: Path) -> None:
        (tmp_path / "grid.csv").write_text("0.5,0.6\n,0.4\n")
        (tmp_path / "road.yaml").write_text(
            "base_mu: 0.9\nslope_y: -0.02\n"
            "split: {mu_left: 0.8, mu_right: 0.4, y_m: -3.0}\n"
            "grid: {csv: grid.csv, cell_m: 4.0, x0_m: 5.0, y0_m: 5.0}\n"
            "x_patches: [[10, 20, 0.3]]\n"
            "polygons: [{points_m: [[0, 4], [5, 4], [5, 9]], mu: 0.2}]\n"
        )
        with live_port(ground=str(tmp_path / "road.yaml"), origin_x=500000.0) as port:
            open_view(page, port)
            layers = ask(
                page,
                "view.ground.root.children.slice(1).map(({ geometry, userData, renderOrder }) => {"
                "geometry.computeBoundingBox(); const { min, max } = geometry.boundingBox;"
                "const at = view.ground.root.position; return [userData.mu, renderOrder, "
                "min.x + at.x, max.x + at.x, min.y + at.y, max.y + at.y]; })",
            )
            assert [layer[0] for layer in layers] == [0.8, 0.4, None, 0.3, 0.2]
            assert [layer[1] for layer in layers] == [1, 2, 3, 4, 5], "painted in this order"
            assert layers[0][4] == pytest.approx(-3.0, abs=1e-3)
            assert layers[1][5] == pytest.approx(-3.0, abs=1e-3)
            cells, strip, patch = layers[2:]
            assert cells[2:] == pytest.approx([500005.0, 500013.0, 5.0, 13.0], abs=1e-3)
            assert strip[2:4] == pytest.approx([500010.0, 500020.0], abs=1e-3)
            assert patch[2:] == pytest.approx([500000.0, 500005.0, 4.0, 9.0], abs=1e-3)
            heights = ask(page, "[view.ground.height(500000, 0), view.ground.height(500000, 10)]")
            assert heights == pytest.approx([0.0, -0.2], abs=1e-3)
            assert page.complaints == []
            page.open("about:blank")

    def test_cameras_follow_look_down_and_go_round(
        page: Page, port: LivePort, tmp_path: Path
    ) -> None:
        open_view(page, port)
        page.evaluate("document.querySelector('[data-camera=top]').click()")
        page.wait_for(f"{VIEW}view.camera.up.y === 1)")
        east, north, up = ask(page, "view.camera.position.toArray()")
        state = halted(page, port)
        assert (east, north) == pytest.approx((state["x"], state["y"]), abs=0.5)
        assert up > 10.0
        box = page.evaluate(
            "(({ x, y }) => [x, y])(document.getElementById('view').getClientRects()[0])"
        )
        x, y = box[0] + 200, box[1] + 200
        page.mouse("mousePressed", x, y, button="left", clickCount=1)
        page.mouse("mouseMoved", x + 60, y - 40, button="left", buttons=1)
        page.mouse("mouseReleased", x + 60, y - 40, button="left", clickCount=1)
        page.wait_for("document.querySelector('[data-camera=orbit]').ariaPressed === 'true'")
        near = "view.camera.position.distanceTo(view.car.root.position)"
        page.wait_for(f"{VIEW}view.camera.up.z === 1)")
        before = ask(page, near)
        page.mouse("mouseWheel", x, y, deltaX=0, deltaY=240)
        page.wait_for(f"{VIEW}{near} > 1.1 * {before})")
        page.evaluate("document.querySelector('[data-camera=chase]').click()")
        page.wait_for(f"{VIEW}view.camera.position.x < view.car.root.position.x - 2)")
        page.screenshot(tmp_path / "chase.png")
        assert (tmp_path / "chase.png").stat().st_size > 20_000
        page.evaluate("document.getElementById('view-3d').click()")
        page.wait_for("!document.getElementById('map').hidden && !document.getElementById('view')")
        assert page.complaints == []

    def test_another_car_is_drawn_after_a_restart(page: Page, port: LivePort) -> None:
        open_view(page, port)
        length = ask(page, "view.car.shape.length")
        other = {"vehicle": "scale_car", "ground": {"base_mu": 0.5, "x_patches": [[5, 9, 0.2]]}}
        assert port.post("/api/start", other).status == 200
        page.wait_for(f"{VIEW}view.car.shape.length < {length} / 2)")
        page.wait_for(f"{VIEW}view.ground.root.children.length === 2)")
        page.wait_for("document.getElementById('model').innerText.startsWith('scale_car')")
        assert page.complaints == []

    def test_the_other_vehicles_stand_where_the_stream_has_them(page: Page, tmp_path: Path) -> None:
        fleet = tmp_path / "fleet.yaml"
        fleet.write_text("vehicles:\n  - {vehicle_id: 1}\n  - {vehicle_id: 2, start: {y_m: 6.0}}\n")
        with live_port(vehicles=str(fleet), cmd_timeout=None) as port:
            open_view(page, port)
            page.wait_for(f"{VIEW}view.others.size === 1)")
            place = "view.others.get('2').position.toArray()"
            assert ask(page, place) == pytest.approx([0.0, 6.0, 0.0], abs=0.01)
            length = "view.others.get('2').userData.shape.length"
            before = ask(page, length)
            other = {"vehicle": "scale_car", "x0": 9.0}
            assert port.post("/api/start?vehicle=2", other).status == 200
            page.wait_for(f"{VIEW}{length} < {before} / 2)")
            page.wait_for(f"{VIEW}Math.abs(view.others.get('2').position.x - 9) < 0.01)")
            assert page.complaints == []
            page.open("about:blank")

    def test_the_view_that_loses_its_graphics_gives_the_map_back(
        page: Page, port: LivePort
    ) -> None:
        open_view(page, port)
        ask(page, "view.renderer.forceContextLoss()")
        page.wait_for("!document.getElementById('map').hidden")
        assert "needs WebGL" in page.text("#no-view")

    def test_without_webgl_a_sentence_and_the_map(port: LivePort) -> None:
        with browser_page() as plain:
            plain.open(port.data_port.url)
            plain.wait_for("Number(document.getElementById('time').innerText) > 0")
            plain.evaluate("document.getElementById('view-3d').click()")
            plain.wait_for("!document.getElementById('no-view').hidden")
            assert "The map shows the same drive." in plain.text("#no-view")
            assert not plain.evaluate("document.getElementById('map').hidden")
            assert plain.evaluate("document.getElementById('view-3d').ariaPressed") == "false"

    def test_a_phone_held_sideways_has_room_for_the_view(page: Page, port: LivePort) -> None:
        page.resize(740, 360, phone=True)
        open_view(page, port)
        page.wait_for(f"{VIEW}view.canvas.clientHeight > 200)")
        assert page.evaluate("document.documentElement.scrollWidth") <= 740
        inside = (
            "[...document.querySelectorAll('.views button')].every(e => "
            "e.getBoundingClientRect().right < document.getElementById('zoom-in')"
            ".getBoundingClientRect().left)"
        )
        assert page.evaluate(inside)
        page.resize(1280, 860)

    def motion(page: Page, port: LivePort, script: str) -> Any:
        """What a script does with the pure part of the view."""
        page.open(port.data_port.url)
        car = {
            **{"x": 0, "y": 0, "z": 0, "roll": 0, "pitch": 0, "yaw": 0, "steer": 0, "restarts": 0},
            **{"vx": 0, "vy": 0, "spin": [30, 30, 20, 20]},
            **{name: [0, 0, 0, 0] for name in ("Fx", "Fy", "Fz", "mu", "grip")},
        }
        return page.evaluate(
            "import('/assets/view3d/motion.js').then(({ Motion, between }) => {"
            f"const car = {json.dumps(car)}; const motion = new Motion(); {script} }})"
        )

    def test_wheels_turn_as_far_as_they_roll(page: Page, port: LivePort) -> None:
        angles = motion(
            page, port,
            "for (let i = 0; i <= 60; i++) { const now = 1000 + i * 1000 / 30;"
            "motion.add({ ...car, t: i / 30 }, now); motion.at(now); }"
            "motion.at(4000); return motion.angles;",
        )  # fmt: skip
        full = 2.0 * math.pi
        assert angles == pytest.approx([spin * 2.0 % full for spin in (30, 30, 20, 20)], abs=1e-9)

    def test_between_two_states_the_car_is_between_them(page: Page, port: LivePort) -> None:
        found = motion(
            page, port,
            "const states = [{ ...car, t: 1, x: 2, yaw: 3.1 }, { ...car, t: 2, x: 6, yaw: -3.1 }];"
            "return [0.5, 1, 1.25, 2, 9].map((t) => between(states, t)).map((s) => [s.x, s.yaw]);",
        )  # fmt: skip
        turn = 2.0 * (math.pi - 3.1)
        expected = [[2, 3.1], [2, 3.1], [3, 3.1 + 0.25 * turn], [6, -3.1], [6, -3.1]]
        for shown, wanted in zip(found, expected, strict=True):
            assert shown == pytest.approx(wanted)

    def test_time_that_jumps_back_or_another_car_clears_what_was_shown(
        page: Page, port: LivePort
    ) -> None:
        script = (
            "motion.add({ ...car, t: 5, x: 9 }, 0); motion.add({ ...car, t: 6, x: 9 }, 1000);"
            "motion.at(1000); motion.add({ ...car, t: %s, x: 1, restarts: %d }, 1033);"
            "return [motion.states.length, motion.at(1033).x, motion.angles];"
        )
        for t, restarts in ((0.1, 0), (6.1, 1)):
            assert motion(page, port, script % (t, restarts)) == [1, 1, [0, 0, 0, 0]]
