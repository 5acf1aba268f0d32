"""Additions to the car: its wire, its quantities, what is learnt of it, and its page."""

from __future__ import annotations

from vdsim_kit.additions import INTERFACE, Addition, Put

_PROTOCOL = "src/vdsim_protocol/vdsim_protocol"
_MESSAGES = f"{_PROTOCOL}/vds1/messages.py"
_TABLES = "src/vdsim_protocol/test/test_vds1_tables.py"
_PLANT = "src/vdsim_plant/vdsim_plant"
_NODE = "src/vdsim_plant_node/vdsim_plant_node"
_NODE_TESTS = "src/vdsim_plant_node/test"
_SENSOR = f"{_PLANT}/sensor.py"
_LANES = f"{_PLANT}/batch/sensor_lanes.py"
_PRESET = f"{_PLANT}/data/sensors/automated.yaml"
_RUN_TABLE = f"{_NODE}/runs/run_table.py"
_IDENTIFY = f"{_PLANT}/study/identify"
_SWEEP = f"{_PLANT}/study/sweep"
_WEB = f"{_NODE}/dataport/web"
_PAGE_TESTS = f"{_NODE_TESTS}/dataport/test_page_interface.py"
_VIEW_TESTS = f"{_NODE_TESTS}/dataport/test_view3d.py"
_STATE_TESTS = f"{_NODE_TESTS}/dataport/test_interface_state.py"
_CHOICES_TESTS = f"{_NODE_TESTS}/settings/test_choices.py"

_BEND = """
from vdsim_plant.motion import InitialState
from vdsim_plant.vehicle import Vehicle
from vdsim_plant_node.runs.run_table import COLUMNS

car = Vehicle("sport_rwd")
car.reset(InitialState(vx_mps=20.0))
car.step_force(0.05, 0.0, 0.5)
motion = car.motion()
assert motion.curvature_1pm == motion.yaw_rate_radps / motion.vx_mps > 0.001
assert "curvature_1pm" in COLUMNS
"""
_LIFT = """
from vdsim_plant.parameters import load_tyre, load_vehicle
from vdsim_plant.study.identify.unknowns import Start, car_of

start = Start(vehicle=load_vehicle("sport_rwd"), tyre=load_tyre("mf96"), mu=0.9)
key = "aero.lift_coefficient_rear"
values = start.values()
assert values[key] == start.vehicle.aero.lift_coefficient_rear
found, _ = car_of(start, {**values, key: -0.4})
assert found.aero.lift_coefficient_rear == -0.4
"""
_ROLL = """
import numpy as np
from vdsim_plant.batch.sensor_lanes import SEEN, SensorLanes, measured_from
from vdsim_plant.sensor import ChannelNoise, SensorLayer, SensorParameters
from vdsim_plant_kit.motion import motion

noisy = SensorParameters(roll=ChannelNoise(noise_std=0.1), vx=ChannelNoise(noise_std=0.2))
cars, now, seen = np.zeros(1, dtype=int), np.zeros(1), np.zeros((len(SEEN), 1))
lanes = SensorLanes([noisy], cars, [5])
lanes.begin(cars, seen, now)
many, one = measured_from(lanes.values), SensorLayer(noisy, seed=5).measure(motion())
assert many.roll_rad[0] == one.roll_rad != 0.0
assert many.vx_mps[0] == one.vx_mps != 0.0
"""
_PACKETS = """
from vdsim_interface.parameters.vehicle import VehicleGeometry
from vdsim_interface.platforms.spec import PlatformSetup
from vdsim_interface.platforms.vds1.parameters import Vds1Parameters
from vdsim_interface.platforms.vds1.platform import Vds1Platform
from vdsim_interface.values import Authority, BodyCommand, Gear, Mode, PlatformCommand
from vdsim_interface.values import VehicleCommand
from vdsim_plant_node.live.wire_state import pedals_of
from vdsim_protocol import vds1

setup = PlatformSetup(VehicleGeometry(), 0.01)
for version, gear, share in ((6, Gear.LOW, 0.5), (6, Gear.DRIVE, 1.0), (5, Gear.LOW, 1.0)):
    platform = Vds1Platform(Vds1Parameters(version=version), setup)
    command = PlatformCommand(
        Authority.COMMAND, Mode.AUTONOMOUS, VehicleCommand(0.0, 2.0), BodyCommand(gear=gear)
    )
    packet = vds1.decode(platform.encode(command, 1.0).datagrams[0].data)
    assert packet.header.version == version
    throttle = packet.body.throttle
    assert throttle > 0.0
    assert pedals_of(packet.body, 0.6).throttle == share * throttle, (version, gear)
"""
_THREADS = '''"""Runs the parts of a sweep on threads of this process."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import islice

from vdsim_plant.study.sweep.cases import Part
from vdsim_plant.study.sweep.parts import Finished, Runner, Work


def on_threads(workers: int) -> Runner:
    """Return what runs parts on threads, as many at once as there are."""

    def run(parts: Iterator[Part], work: Work) -> Iterator[Finished]:
        with ThreadPoolExecutor(workers) as pool:
            while some := list(islice(parts, workers)):
                yield from zip([part.number for part in some], pool.map(work, some), strict=True)

    return Runner(f"{workers} threads of this process", run)
'''
_SWEPT = """
from vdsim_plant.study.sweep.threads import on_threads
from types import SimpleNamespace

parts = [SimpleNamespace(number=number) for number in range(5)]
rows = dict(on_threads(2).run(iter(parts), lambda part: [{"case": part.number}]))
assert rows == {number: [{"case": number}] for number in range(5)}
"""
_HEADING = """// Where the car goes: an arrow along its velocity, as long as a second's way.

import { ArrowHelper, Vector3 } from "../vendor/three.module.min.js";

const SLOWEST_MPS = 0.1;

export class Course {
  constructor(root, colour) {
    this.arrow = new ArrowHelper(new Vector3(1, 0, 0), new Vector3(0, 0, 0.05), 1, colour);
    root.add(this.arrow);
  }

  show({ vx, vy, yaw }) {
    const speed = Math.hypot(vx, vy);
    this.arrow.visible = speed > SLOWEST_MPS;
    if (!this.arrow.visible) return;
    const angle = yaw + Math.atan2(vy, vx);
    this.arrow.setDirection(new Vector3(Math.cos(angle), Math.sin(angle), 0));
    this.arrow.setLength(speed);
  }
}
"""

OF_CAR = (
    Addition(
        "a STATE field of VDS1",
        (
            Put(_MESSAGES, ")\nFIRST_VERSION_WITH_VEHICLE_ID", ", 6"),
            Put(
                _MESSAGES,
                "\n\nBody: TypeAlias = ",
                "    sideslip_rad: Annotated[\n        float,\n"
                '        Wire(448, "d", "rad", "sideslip angle", since=6, wire_name="beta"),\n'
                "    ] = NAN\n",
            ),
            Put(_MESSAGES, '}\n"""Documented size of the whole STATE', ", 6: 460"),
            Put(
                f"{_NODE}/live/state_fields.py",
                "}\n\nPOSITIONS = ",
                '    "sideslip_rad": _one("motion.beta_rad", at.OBSERVED_BETA),\n',
            ),
            Put(_TABLES, "}\nCMD_ENDS", '    "beta": 448,\n'),
            Put(_TABLES, "}\n\n\ndef test_header_offsets", ", 6: 456"),
        ),
        {"docs/vds1.md": "sideslip_rad", "src/vdsim_msgs/msg/VdsState.msg": "sideslip_rad"},
        (_TABLES, f"{_NODE_TESTS}/live/test_state_block.py"),
        (f"{_NODE}/live/state_block.py",),
    ),
    Addition(
        "a CMD field of VDS1",
        (
            Put(
                _MESSAGES,
                "\n\nclass CommandValues(NamedTuple):",
                "    low_range: Annotated[\n        float,\n"
                '        Wire(72, "d", "1", "share of the throttle that is left out", since=6),\n'
                "    ] = NAN\n",
            ),
            Put(
                _MESSAGES,
                "\n\n@dataclass(frozen=True, slots=True)\nclass State:",
                "    low_range: float = NAN\n",
            ),
            Put(
                _MESSAGES,
                "),\n    MessageType.STATE: _layouts(State",
                " | {6: COMMAND_SIZE + 8}",
            ),
            Put(
                f"{INTERFACE}/platforms/vds1/platform.py",
                "),\n        )\n        sent = record(WireCommand",
                ", 0.5 if selected is Gear.LOW else 0.0",
            ),
            Put(
                f"{_NODE}/live/wire_state.py",
                ",\n        brake=command.brake,\n        gear=int(command.gear)",
                " * (1.0 - command.low_range if command.low_range > 0.0 else 1.0)",
            ),
            Put(_TABLES, "}\nSTATE = {", '    "low_range": 72,\n'),
            Put(_TABLES, "}\nSTATE_ENDS", ", 6: 80"),
        ),
        {"docs/vds1.md": "low_range"},
        (_TABLES,),
        (),
        (("-c", _PACKETS),),
    ),
    Addition(
        "a quantity of the car",
        (
            Put(
                f"{_PLANT}/motion.py",
                "    ax_mps2: float\n    ay_mps2: float\n    beta_rad",
                "    curvature_1pm: float\n",
            ),
            Put(
                f"{_PLANT}/motion_reading.py",
                "            ax_mps2=v[at.AX],\n",
                "            curvature_1pm=v[at.YAW_RATE] / v[at.VX] if v[at.VX] > 0.1 else 0.0,\n",
            ),
            Put(_RUN_TABLE, '"throttle_applied", "brake_applied"', '"curvature_1pm", '),
        ),
        {},
        (),
        (),
        (("-c", _BEND),),
    ),
    Addition(
        "a variable of an FMU",
        (
            Put(
                f"{_PLANT}/fmu/variables.py",
                "    for i, wheel in enumerate(WHEELS):\n        first = at.OBSERVED_WHEELS",
                '    yield _output("wheel_radius_m", "radius of the wheels", "m", at.RADIUS)\n',
            ),
        ),
        {"docs/fmu.md": "radius of the wheels"},
        (
            "src/vdsim_plant/test/fmu/test_fmu_export.py::"
            "test_the_wheels_outputs_are_in_the_order_of_the_observation",
        ),
        (f"{_PLANT}/data/fmi/vdsim_car.c", "test/lanes/fmu"),
    ),
    Addition(
        "a channel of the sensors",
        (
            Put(
                _SENSOR,
                "    imu_gravity: str = choice(",
                "    roll: ChannelNoise = field(default_factory=ChannelNoise)\n",
            ),
            Put(
                _SENSOR,
                "\n    def packed(self) -> bytes:",
                "    roll_rad: float = 0.0\n",
            ),
            Put(
                _SENSOR,
                "        )\n\n\ndef unpacked",
                "            self.roll_rad,\n",
            ),
            Put(
                _SENSOR,
                "    )\n\n\ndef perfectly_measured",
                "        roll_rad=values[13],\n",
            ),
            Put(_SENSOR, ")\nCHANNEL_NAMES = (", ', "roll"'),
            Put(_SENSOR, "    )\n\n\nclass _Channel:", "        motion.roll_rad,\n"),
            Put(
                _LANES,
                ')\n"""The fields of a car that its sensors measure',
                "    at.OBSERVED_ROLL,\n",
            ),
            Put(
                _LANES,
                "\n\ndef measured_from(values: Array)",
                "    roll_rad: Array\n",
            ),
            Put(_LANES, "    )\n\n\nclass SensorLanes", "        roll_rad=own[13],\n"),
            Put(_SENSOR, '"imu_gravity")\n', '"roll", '),
            Put(_PRESET, "imu_gravity: included", "roll: {noise_std: 0.002}\n"),
            Put(_PRESET, "imu_gravity: assumed", "roll: assumed, "),
        ),
        {"docs/vehicle-files.md": "`roll.noise_std`"},
        ("src/vdsim_plant/test/test_sensor.py",),
        (),
        (("-c", _ROLL),),
    ),
    Addition(
        "a parameter that a log can tell",
        (
            Put(
                f"{_IDENTIFY}/candidates.py",
                '    Unknown(key="wheels.radius_m"',
                '    _refined("aero.lift_coefficient_rear", "bends at the limit, fast", 0.3, '
                "(-3.0, 1.0)),\n",
            ),
            Put(
                f"{_IDENTIFY}/unknowns.py",
                'drag_coefficient=values["aero.drag_coefficient"])',
                'lift_coefficient_rear=values["aero.lift_coefficient_rear"], ',
            ),
            Put(
                "docs/identify.md",
                "| full-throttle torque over speed",
                "| lift at the rear axle | bends at the limit, fast |\n",
            ),
        ),
        {},
        (),
        (f"{_IDENTIFY}/channels.py", f"{_IDENTIFY}/simulation.py"),
        (("-c", _LIFT),),
    ),
    Addition(
        "what runs the parts of a sweep",
        (
            Put(f"{_SWEEP}/threads.py", "", _THREADS),
            Put(
                f"{_PLANT}/cli/sweep.py",
                "from vdsim_plant.study.sweep.files import",
                "from vdsim_plant.study.sweep import threads\n",
            ),
            Put(
                f"{_PLANT}/cli/sweep.py",
                "    if workers and scheduler is not None",
                '    if workers and scheduler == "threads":\n'
                "        return nullcontext(threads.on_threads(workers))\n",
            ),
            Put(
                "docs/sweep.md",
                "| a Dask cluster elsewhere |",
                "| threads | `--scheduler threads` | `run by 2 threads of this process` |\n",
            ),
        ),
        {},
        (),
        tuple(f"{_SWEEP}/{name}.py" for name in ("parts", "pool", "cluster", "threads")),
        (("-c", _SWEPT),),
    ),
    Addition(
        "a dashboard chart",
        (
            Put(
                f"{_WEB}/charts.js",
                '  { title: "Grip in use"',
                '  { title: "Sideslip", unit: "°", floor: -2, ceiling: 2, lines: '
                '[line("", "accent", (s) => s.beta * DEGREE, one)] },\n',
            ),
            Put(
                _PAGE_TESTS,
                "    def test_while_a_stop_is_latched_its_release_is_offered_alone(",
                "    def test_the_sideslip_has_a_chart(shown: Page) -> None:\n"
                "        shown.wait_for(\n"
                "            \"[...document.querySelectorAll('.chart h2')].some(\"\n"
                "            \"(head) => head.textContent === 'Sideslip [°]')\"\n        )\n"
                "        assert shown.complaints == []\n\n",
            ),
        ),
        {},
        (f"{_PAGE_TESTS}::test_the_sideslip_has_a_chart",),
        (f"{_NODE}/dataport/json_views.py", _PAGE_TESTS),
    ),
    Addition(
        "what the page shows of the interface",
        (
            Put(
                f"{_PROTOCOL}/why/heard.py",
                "\n\nclass InControl(NamedTuple):",
                '    rules_off: tuple[str, ...] = ()\n    """The rules that are switched off."""\n',
            ),
            Put(
                f"{_PROTOCOL}/why/heard.py",
                '            "source": evidence.source,\n',
                '            "rules_off": list(self._status.rules_off) if self._status else [],\n',
            ),
            Put(
                f"{_PROTOCOL}/why/messages.py",
                "    )\n\n\ndef in_control_of(",
                "        rules_off=tuple(message.disabled_rules),\n",
            ),
            Put(
                f"{_WEB}/interface_card.js",
                "    const refused = view.refused",
                "    if (view.rules_off.length) {\n"
                '      const off = view.rules_off.map((name) => name.replaceAll("_", " "));\n'
                '      find("interface-mode").textContent += `; off: ${off.join(", ")}`;\n    }\n',
            ),
            Put(
                _STATE_TESTS,
                "def test_the_timeline_is_bounded() -> None:\n",
                "def test_the_rules_that_are_off_are_shown() -> None:\n"
                '    view = heard(WELL._replace(rules_off=("rate",))).view(0.1)\n'
                "    assert view is not None\n"
                '    assert view["rules_off"] == ["rate"]\n\n\n',
            ),
            Put(
                _PAGE_TESTS,
                "    def test_the_sideslip_has_a_chart(",
                "    def test_the_rules_that_are_off_stand_beside_the_mode(\n"
                "        shown: Page, interface: OneInterface\n    ) -> None:\n"
                '        interface.status = WELL._replace(rules_off=("lateral_accel",))\n'
                "        shown.wait_for(\n"
                "            \"document.getElementById('interface-mode').textContent\"\n"
                "            \" === 'Autonomous; off: lateral accel'\"\n        )\n\n",
            ),
            Put(
                "docs/data-port.md",
                "The event `path` holds",
                "`rules_off` names the rules that are switched off.\n",
            ),
        ),
        {},
        (
            f"{_STATE_TESTS}::test_the_rules_that_are_off_are_shown",
            f"{_PAGE_TESTS}::test_the_rules_that_are_off_stand_beside_the_mode",
        ),
        (f"{_NODE}/ros/interface_link.py",),
    ),
    Addition(
        "a setting of the dashboard's dialog",
        (
            Put(f"{_NODE}/settings/choices.py", '),\n    *("actuator", "assist"', ', "vy0"'),
            Put(f"{_WEB}/settings.js", ']],\n  ["Actuators and sensors"', ', "vy0"'),
            Put(f"{_WEB}/settings.js", ' actuator: "Actuators"', ' vy0: "Speed to the left",'),
            Put("docs/data-port.md", ", `actuator`, `sensor`, `seed`,\n", ", `vy0`"),
            Put(
                _CHOICES_TESTS,
                '        {"x0": float("inf")},\n',
                '        {"vy0": 500.0},\n',
            ),
        ),
        {},
        (
            f"{_CHOICES_TESTS}::test_a_wrong_value_is_refused_in_the_words_of_the_command_line",
            f"{_CHOICES_TESTS}::test_everything_that_can_be_chosen_is_described",
        ),
        (f"{_NODE}/settings/options.py",),
    ),
    Addition(
        "a part of the 3D view",
        (
            Put(f"{_WEB}/view3d/course.js", "", _HEADING),
            Put(
                f"{_WEB}/view3d/car.js",
                'import { Forces } from "./forces.js";\n',
                'import { Course } from "./course.js";\n',
            ),
            Put(
                f"{_WEB}/view3d/car.js",
                "    this.forces = new Forces(shape);\n",
                "    this.course = new Course(this.root, colour.accent);\n",
            ),
            Put(
                f"{_WEB}/view3d/car.js",
                "    this.forces.show(state);\n",
                "    this.course.show(state);\n",
            ),
            Put(
                _VIEW_TESTS,
                "    def test_the_wheels_stand_on_the_road_and_the_body_follows_the_slope(",
                "    def test_an_arrow_is_as_long_as_the_way_of_a_second(\n"
                "        page: Page, port: LivePort\n    ) -> None:\n"
                "        open_view(page, port)\n"
                '        port.drive_until(lambda s: s["vx"] > 3.0, throttle=0.8)\n'
                "        state = halted(page, port)\n"
                '        arrow = "view.car.course.arrow"\n'
                '        found = ask(page, f"{arrow}.line.scale.y + {arrow}.cone.scale.y")\n'
                '        assert found == pytest.approx(math.hypot(state["vx"], state["vy"]))\n'
                "        assert page.complaints == []\n\n",
            ),
        ),
        {},
        (f"{_VIEW_TESTS}::test_an_arrow_is_as_long_as_the_way_of_a_second",),
        (f"{_NODE}/dataport/json_views.py",),
    ),
)
