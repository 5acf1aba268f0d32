"""The car in Chromium has the plant's bits, keeps time, and a shared drive ends alike."""

from __future__ import annotations

import json
import math
import os
import shlex
import struct
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from vdsim_kit.docs import commands
from vdsim_plant.fmu.variables import variables_of
from vdsim_plant.motion import InitialState, PedalInput
from vdsim_plant.vehicle import Vehicle
from vdsim_plant_node_kit.axe import axe_text, faults
from vdsim_plant_node_kit.browser import Page, browser_page

from vdsim_plant import VDSimPlant

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tools"))

from browser_car.modules import ROADS, ground_of, vehicle_of  # noqa: E402 - after its path
from browser_car.page import scripts  # noqa: E402

MOST_BYTES = 6_000_000
SUBSTEPS = 10_000
PERIOD_S = 0.02
STATES = ("x_m", "y_m", "yaw_rad", "vx_mps", "vy_mps", "yaw_rate_radps")
OPENED = "import('vdsim/main.js').then(({ opened }) => {"


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the command of the page writes."""
    (command,) = commands(ROOT / "docs" / "dashboard.md", lane="browser")
    ws, name, argument = shlex.split(command.text)
    assert (ws, name) == ("./ws", "browser_car")
    out = tmp_path_factory.mktemp("browser car") / argument
    path = os.pathsep.join([str(ROOT / "tools"), os.environ["PYTHONPATH"]])
    done = subprocess.run(
        [sys.executable, "-m", "browser_car.build", str(out)],
        env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"{out}: ")
    return out


@pytest.fixture(scope="module")
def page(file: Path) -> Iterator[Page]:
    with browser_page(webgl=True) as opened:
        opened.resize(1280, 800)
        show(opened, file)
        opened.wait_for("document.getElementById('view') !== null")
        yield opened
        assert not opened.complaints


def show(page: Page, file: Path, fragment: str = "") -> None:
    """Open the page anew: a change of the fragment alone would load nothing."""
    page.open("about:blank")
    page.open(f"{file.as_uri()}{fragment}")
    page.wait_for(f"{OPENED} return opened.drive.plant !== null }})")


def bits(values: list[float]) -> list[str]:
    return [struct.pack(">d", value).hex() for value in values]


def in_page(page: Page, choice: str, setup: str, steps: str) -> dict[str, str]:
    """Bits of every output of a car of its own, after JavaScript has driven it."""
    text = (
        "import('vdsim/main.js').then(async ({ opened: { data, moduleOf, Plant } }) => {"
        f"const module = await moduleOf(data.modules[{json.dumps(choice)}]);"
        "const plant = new Plant(module, data.variables);"
        f"plant.start({setup}); {steps}"
        "const bits = (value) => { const view = new DataView(new ArrayBuffer(8));"
        "view.setFloat64(0, value); return view.getBigUint64(0).toString(16).padStart(16, '0'); };"
        "return Object.fromEntries(Object.keys(data.variables)"
        ".map((name) => [name, bits(plant.get(name))]));"
        "})"
    )
    found: dict[str, str] = page.evaluate(text)
    return found


def outputs(vehicle: Vehicle) -> dict[str, str]:
    names = [item.name for item in variables_of(vehicle) if item.causality == "output"]
    names.remove("steer_applied_rad")
    numbers = vehicle.observed()
    return dict(zip(names, bits(numbers[:11] + numbers[12:]), strict=True))


def test_the_six_states_are_vdsimplants_bits_after_ten_thousand_substeps(page: Page) -> None:
    plant = VDSimPlant("ioniq5_awd", control_dt=PERIOD_S)
    plant.reset((0.0, 0.0, 0.0, 20.0, 0.0, 0.0))
    for k in range(SUBSTEPS // 40):
        plant.step([0.05, -3000.0 if k > 100 else 500.0])
    wanted = bits([getattr(plant.motion(), name) for name in STATES])
    found = in_page(
        page, "ioniq5_awd,mf96,", "{ start_vx_mps: 20 }",
        "plant.set('steer_rad', 0.05);"
        "for (let k = 0; k < 250; k++) {"
        "plant.set('force_n', k > 100 ? -3000 : 500); plant.step(40); }",
    )  # fmt: skip
    assert [found[name] for name in STATES] == wanted
    assert plant.motion().vx_mps < 19.0
    assert abs(plant.motion().yaw_rad) > 0.3


@pytest.mark.parametrize(
    ("car", "tyre", "road"),
    [
        *(("ioniq5_awd", "mf96", road) for road in ROADS),
        ("ioniq5_awd", "road_235_55r19", "dry"),
        ("compact_fwd", "mf96", "snow"),
        ("compact_fwd", "road_235_55r19", "split"),
        ("sport_rwd", "mf96", "patch"),
        ("sport_rwd", "road_235_55r19", "ice"),
        ("scale_car", "mf96", "wet"),
    ],
)
def test_every_output_by_pedals_on_every_road(page: Page, car: str, tyre: str, road: str) -> None:
    vehicle = vehicle_of(car, tyre, ROADS[road])
    vehicle.reset(InitialState())
    for k in range(SUBSTEPS // 40):
        steer, brakes = 0.1 * math.floor(k / 50) - 0.2, k >= 200
        throttle, brake = (0.0, 0.75) if brakes else (0.5, 0.0)
        vehicle.step_pedals(PedalInput(steer, throttle, brake), PERIOD_S)
    mu = ground_of(ROADS[road]).base_mu
    setup = "{}" if ROADS[road].ground else f"{{ base_mu: {mu} }}"
    found = in_page(
        page, f"{car},{tyre},{ROADS[road].ground}", setup,
        f"for (let k = 0; k < {SUBSTEPS // 40}; k++) {{ const brakes = k >= 200;"
        "plant.drive({ steer: 0.1 * Math.floor(k / 50) - 0.2, throttle: brakes ? 0 : 0.5,"
        "brake: brakes ? 0.75 : 0, gear: 1 }, 40); }",
    )  # fmt: skip
    wanted = outputs(vehicle)
    assert {name: found[name] for name in wanted} == wanted
    assert vehicle.motion().x_m > 1.0


def test_it_drives_by_keys_and_a_link_replays_to_the_same_bits(page: Page, file: Path) -> None:
    show(page, file)
    page.evaluate("document.activeElement.blur()")
    page.press("KeyW")
    page.wait_for("parseFloat(document.getElementById('speed').textContent) > 25")
    page.press("KeyA")
    page.wait_for(f"{OPENED} return Math.abs(opened.drive.state.yaw) > 0.4 }})")
    page.release("KeyW")
    page.release("KeyA")
    link = page.evaluate(f"{OPENED} return opened.share() }})")
    fragment = link.partition("#")[2]
    assert len(fragment) < 8192
    show(page, file, f"#{fragment}")
    assert page.text("#said") == "Replaying the drive of the link"
    wait_for_said(page, "Replayed")
    assert page.text("#said") == "Replayed to the same bits; drive on from here"
    # The independent check: the library drives the bytes of the link to the same place.
    tape = page.evaluate(
        f"{OPENED} const {{ drive }} = opened;"
        "return [...drive.tape.bytes.slice(0, 2 * drive.replayed)] })"
    )
    assert len(fragment.split(".")[4]) == 16
    assert_the_library_gets_there(page, tape, fragment)


def wait_for_said(page: Page, beginning: str) -> None:
    start = json.dumps(beginning)
    page.wait_for(f"document.getElementById('said').textContent.startsWith({start})")


def assert_the_library_gets_there(page: Page, tape: list[int], fragment: str) -> None:
    periods = len(tape) // 2
    car, tyre, road = fragment.split(".")[1:4]
    vehicle = vehicle_of(car, tyre, ROADS[road])
    vehicle.reset(InitialState())
    limit = vehicle.parameters.steering.max_angle_rad
    for k in range(periods):
        wheel, pedal = tape[2 * k], tape[2 * k + 1]
        wheel = wheel - 256 if wheel > 127 else wheel
        share = (pedal & 31) / 31
        brakes = bool(pedal & 32)
        vehicle.step_pedals(
            PedalInput(
                wheel * abs(wheel) / 127**2 * limit,
                0.0 if brakes else share,
                share if brakes else 0.0,
                (pedal >> 6) - 1,
            ),
            PERIOD_S,
        )
    found = in_page(
        page, f"{car},{tyre},{ROADS[road].ground}", f"{{ base_mu: {ROADS[road].base_mu} }}",
        "const { opened: { drive } } = await import('vdsim/main.js');"
        f"for (let k = 0; k < {periods}; k++) plant.drive(drive.tape.command(k, {limit}), 40);",
    )  # fmt: skip
    wanted = outputs(vehicle)
    assert {name: found[name] for name in wanted} == wanted
    assert vehicle.motion().x_m > 5.0


PAD = (
    "(() => { const pad = { connected: true, mapping: 'standard', axes: [0, 0, 0, 0],"
    " buttons: Array.from({ length: 17 }, () => ({ pressed: false, value: 0 })) };"
    " navigator.getGamepads = () => [null, pad]; window.pad = pad;"
    " window.hold = (i, value) => { pad.buttons[i] = { pressed: value > 0, value }; }; })()"
)
LEFT_SHOULDER, LEFT_TRIGGER, RIGHT_TRIGGER = 4, 6, 7


def show_stopped(page: Page, file: Path) -> None:
    """Open the page again; from here on its time passes in `after` alone."""
    show(page, file)
    page.evaluate(
        "window.requestAnimationFrame = () => 0; window.now = 1e7;"
        "import('vdsim/main.js').then(({ opened }) => { window.opened = opened; })"
    )


def after(page: Page, seconds: float) -> dict[str, float]:
    """Return the car's state after some seconds of the page's time."""
    state: dict[str, float] = page.evaluate(
        f"now += {1e3 * seconds}; opened.advanceTo({seconds}, now);"
        "(({ vx, yaw, throttle, brake, gear, steer }) => ({ vx, yaw, throttle, brake, gear,"
        " steer }))(opened.drive.state)"
    )
    return state


def test_a_gamepad_drives_while_its_left_shoulder_button_is_held(page: Page, file: Path) -> None:
    show_stopped(page, file)
    page.evaluate(PAD)
    page.evaluate(f"hold({RIGHT_TRIGGER}, 0.5)")
    stands = after(page, 1.0)
    assert (stands["throttle"], abs(stands["vx"]) < 0.01) == (0.0, True), "nobody holds the button"
    page.evaluate(f"hold({LEFT_SHOULDER}, 1)")
    drives = after(page, 3.0)
    assert drives["throttle"] == pytest.approx(0.5, abs=0.02)  # a link has 31 steps of it
    assert drives["vx"] > 3.0
    page.evaluate("pad.axes[0] = -1")  # to the left
    assert after(page, 1.0)["yaw"] > 0.1
    page.evaluate(f"pad.axes[0] = 0; hold({RIGHT_TRIGGER}, 0); hold({LEFT_TRIGGER}, 1)")
    brakes = after(page, 0.5)
    assert (brakes["throttle"], brakes["brake"]) == (0.0, 1.0)
    page.evaluate(f"hold({LEFT_SHOULDER}, 0)")
    assert after(page, 1.0)["brake"] == 0.0, "the button is not held any more"


def test_fingers_on_the_pads_drive_a_phone(page: Page, file: Path) -> None:
    page.resize(390, 844, phone=True)
    show_stopped(page, file)
    touch(page, "touchStart", "ArrowUp")
    assert after(page, 3.0)["vx"] > 3.0
    touch(page, "touchStart", "ArrowUp", "ArrowLeft")  # a second finger
    assert after(page, 1.0)["yaw"] > 0.1
    touch(page, "touchEnd")
    released = after(page, 2.0)
    assert (released["throttle"], released["brake"]) == (0.0, 0.0)
    assert released["steer"] == pytest.approx(0.0, abs=0.01)
    page.resize(1280, 800)


def touch(page: Page, kind: str, *codes: str) -> None:
    """Put a finger on each of these pads, or lift all."""
    points = []
    for finger, code in enumerate(codes):
        x, y = page.evaluate(
            f"(() => {{ const r = document.querySelector('[data-hold={code}]')"
            ".getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; })()"
        )
        points.append({"x": x, "y": y, "id": finger})
    page.call("Input.dispatchTouchEvent", type=kind, touchPoints=points)


def test_a_minute_of_the_wildest_driving_fits_into_a_link(page: Page) -> None:
    fragment = page.evaluate(
        "import('vdsim/tape.js').then(async ({ Tape, LONGEST, linkOf, driveOf }) => {"
        "let seed = 1; const byte = () => (seed = (seed * 48271) % 2147483647) % 256;"
        "const tape = new Tape();"
        "while (!tape.isFull) tape.add([byte(), byte() % 192]);"
        "const choice = { car: 'compact_fwd', tyre: 'road_235_55r19', road: 'patch' };"
        "const link = await linkOf({ ...choice, digest: '0123456789abcdef', tape });"
        "const back = await driveOf(link);"
        "return [link.length, tape.length, String(back.tape.bytes) === String(tape.bytes)]; })"
    )
    assert fragment[1:] == [3000, True]
    assert fragment[0] <= 8192


@pytest.mark.parametrize(
    "fragment",
    [
        *("1.ioniq5_awd.mf96.dry.0.r____", "1.ioniq5_awd.mf96.dry.0.zAAAA"),
        *("1.nothing.mf96.dry.0.rAAAAAA", "1.ioniq5_awd.mf96.dry.0.rAAAA", "2.x", "1.a"),
    ],
)
def test_a_damaged_link_is_named_and_the_car_drives(page: Page, file: Path, fragment: str) -> None:
    show(page, file, f"#{fragment}")
    wait_for_said(page, "The link cannot be replayed: ")
    page.wait_for(f"{OPENED} return opened.drive.period > 5 }})")


def test_another_end_than_the_links_is_told(page: Page, file: Path) -> None:
    show(page, file, "#1.ioniq5_awd.mf96.dry.0123456789abcdef.rAJ8AnwCf")
    wait_for_said(page, "The replay ended in other bits")


def test_the_car_keeps_time_at_twenty_frames_a_second(page: Page, file: Path) -> None:
    """Frames that come every 50 ms of the page's clock, a hundred of them."""
    show(page, file)
    late = page.evaluate(
        "import('vdsim/main.js').then(({ opened: { drive, advanceTo } }) => {"
        "const start = drive.state.t;"
        "for (let ms = 50; ms <= 5000; ms += 50) advanceTo(0.05, ms);"
        "return drive.state.t - start; })"
    )
    assert late == pytest.approx(5.0, abs=PERIOD_S + 1e-9)


def test_a_frame_takes_little_of_the_processor(page: Page, file: Path) -> None:
    """Time of the page's own thread, not of the wall: other processes do not count."""
    show(page, file)
    page.wait_for("document.getElementById('view') !== null")
    page.call("Performance.enable", timeDomain="threadTicks")
    page.press("KeyW")
    page.press("KeyA")
    page.evaluate("window.requestAnimationFrame = () => 0; window.shown = 1e7; 0")
    page.evaluate("import('vdsim/main.js').then(({ opened }) => { window.opened = opened; })")
    samples: list[float] = []
    for _ in range(200):
        before = script_s(page)
        page.evaluate(
            "new Promise((done) => setTimeout(() => {"
            "shown += 1000 / 60; opened.work(1 / 60, shown); done(0); }, 0))"
        )
        samples.append(1e3 * (script_s(page) - before))
    page.release("KeyA")
    page.release("KeyW")
    moved_m = page.evaluate("Math.hypot(opened.drive.state.x, opened.drive.state.y)")
    samples.sort()
    p95 = samples[int(0.95 * len(samples))]
    print(f"script time of a frame: median {samples[len(samples) // 2]:.2f} ms, p95 {p95:.2f} ms")
    assert moved_m > 1.0
    assert p95 <= 6.0


def script_s(page: Page) -> float:
    found = page.call("Performance.getMetrics")["metrics"]
    return float(next(each["value"] for each in found if each["name"] == "ScriptDuration"))


def test_it_is_one_small_file_that_asks_no_other_machine(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    assert file.stat().st_size <= MOST_BYTES
    assert not any(load in text for load in ('src="http', 'href="http', "fetch(", "import("))
    dashboard = ROOT / "src" / "vdsim_plant_node" / "vdsim_plant_node" / "dataport" / "web"
    for name, script in scripts(dashboard, "main.js").items():
        assert 'from "./' not in script, name


@pytest.fixture(scope="module")
def axe(tmp_path_factory: pytest.TempPathFactory) -> str:
    text: str = axe_text(tmp_path_factory.mktemp("axe"))
    return text


@pytest.mark.parametrize("theme", ["dark", "light"])
@pytest.mark.parametrize(("width", "height"), [(1280, 800), (390, 844), (844, 390)])
def test_axe_finds_nothing(
    page: Page, file: Path, axe: str, theme: str, width: int, height: int
) -> None:
    page.resize(width, height, phone=width < 900)
    page.prefer(prefers_color_scheme=theme)
    show(page, file)
    page.evaluate("document.getElementById('share').click()")
    page.wait_for("!document.getElementById('link-row').hidden")
    found = faults(page, axe)
    page.resize(1280, 800)
    assert found == []
