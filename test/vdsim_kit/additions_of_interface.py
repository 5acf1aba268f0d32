"""Additions round the core of the interface: platforms, sensors, programs, topics."""

from __future__ import annotations

from vdsim_interface_kit.documented_platform import FILES
from vdsim_interface_kit.documented_platform import PAGE as PLATFORM_PAGE

from vdsim_kit.additions import INTERFACE, Addition, Put

_TESTS = "src/vdsim_interface/test"
_DOCTOR = f"{INTERFACE}/extras/doctor"
_DOCTOR_TESTS = f"{_TESTS}/extras/doctor/test_live_doctor.py"
_CHECKS = f"{INTERFACE}/plausibility/checks.py"
_WATCH_TESTS = f"{_TESTS}/plausibility/test_plausibility_watch.py"
_LIES = "test/vdsim_kit/lies.py"
_SAFETY = f"{INTERFACE}/safety"
_RULE_TESTS = f"{_TESTS}/safety/test_safety_rules.py"
_REPORTS = f"{_TESTS}/pipeline/test_reports.py"
_SENSOR_TESTS = f"{_TESTS}/sensors/test_standard_sensors.py"
_ENDPOINTS = "tools/workspace/secure/endpoints.json"
_PROCESSES = "tools/generate/safety_case/processes.py"
_SIGNALS = "tools/generate/safety_case/signals.py"
_SETUP = "src/vdsim_interface/setup.py"
_LAUNCH = "src/vdsim_interface/launch/vdsim.launch.py"
_OWN = "own_platforms/radio_car"
_PLATFORM = {
    name: text.replace("my_car", "radio_car").replace("MyCar", "RadioCar")
    for name, text in FILES.findall(PLATFORM_PAGE.read_text(encoding="utf-8"))
}
_NOTED = """
from importlib.util import module_from_spec, spec_from_file_location

spec = spec_from_file_location("started", "src/vdsim_interface/launch/vdsim.launch.py")
module = module_from_spec(spec)
spec.loader.exec_module(module)
_, _, check = module.ARGUMENTS["note"]
assert check("x" * 81) == "must have at most 80 characters"
assert not check("a drive in the rain")
described = module.generate_launch_description()
assert "note" in {argument.name for argument in described.get_launch_arguments()}
"""
_SPEEDS = '''"""`vdsim_speeds`: the speeds that mean that the car stands, creeps or moves."""

from __future__ import annotations

import sys

from vdsim_protocol.cli.closed_pipe import ends_with_its_reader

from vdsim_interface.values import speeds


@ends_with_its_reader
def main() -> int:
    """Print one line for each speed."""
    named = {name: value for name, value in vars(speeds).items() if name.endswith("_MPS")}
    for name, value in sorted(named.items(), key=lambda each: each[1]):
        print(f"{value:5.2f} m/s  {name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
'''
_SPEEDOMETER = '''"""ROS node speedometer: the speed of the vehicle as a number [km/h]."""

from __future__ import annotations

import sys

from rclpy.node import Node
from std_msgs.msg import Float64

from vdsim_interface.extras.ros.fixed_parameters import seal
from vdsim_interface.ros import topics
from vdsim_interface.ros.node_main import run
from vdsim_interface.ros.process.checked_node import CheckedNode
from vdsim_msgs.msg import VehicleOdometry


class Speedometer(CheckedNode, Node):
    """Shows the speed."""

    def __init__(self) -> None:
        super().__init__("speedometer")
        seal(self)
        self._speed = self.create_publisher(Float64, "speed_kmh", topics.SENSOR_QOS)
        self.create_subscription(
            VehicleOdometry, topics.ODOMETRY, self._on_odometry, topics.SENSOR_QOS
        )

    def _on_odometry(self, message: VehicleOdometry) -> None:
        self._speed.publish(Float64(data=3.6 * message.velocity_mps))


def main(arguments: list[str] | None = None) -> int:
    """Entry point."""
    return run("speedometer", lambda: [Speedometer()], arguments)


if __name__ == "__main__":
    sys.exit(main())
'''
_TWIST_TEST = '''"""The topic twist."""

from __future__ import annotations

from typing import Any

from geometry_msgs.msg import TwistStamped
from vdsim_interface.nodes.vehicle_interface import VehicleInterface
from vdsim_interface.ros import topics
from vdsim_interface.ros.ros_time import SimulatedTime
from vdsim_interface_kit.teleop_ros import Lab
from vdsim_kit.endpoints import unlisted


def test_the_motion_is_published_and_the_topic_is_in_the_table() -> None:
    lab = Lab("-r", "__ns:=/car", "-p", "platform:=fake")
    try:
        node: Any = lab.add(VehicleInterface())
        now = 1000.0
        node.now = lambda: now
        node.ros_time = SimulatedTime()
        node.start()
        lab.listen(TwistStamped, topics.TWIST, topics.SENSOR_QOS)
        heard = lab.heard[topics.TWIST]

        def has_heard() -> bool:
            nonlocal now
            now += 0.01
            node.poll(now)
            return bool(heard)

        lab.until(has_heard, "a twist")
        assert heard[-1].header.frame_id == "base_link"
        assert not unlisted(lab.probe, "vehicle_interface", "/car")
    finally:
        lab.close()
'''

OF_INTERFACE = (
    Addition(
        "a sentence of the doctor",
        (
            Put(
                f"{_DOCTOR}/drive_checks.py",
                "def _other_gear_topic(",
                "def nameless_sender(snapshot: Snapshot) -> list[Finding]:\n"
                '    """A program without a ROS name commands: nobody can ask it."""\n'
                "    return [\n"
                "        Finding(\n"
                '            "no_name",\n            Severity.INFO,\n'
                '            f"{end.label} publishes {topic}",\n'
                '            "let a node publish it, which `ros2 node list` shows",\n        )\n'
                "        for topic in sorted({end.topic for end in snapshot.inputs})\n"
                "        for end in snapshot.ends(Side.PUBLISHER, topic)\n"
                "        if not end.node\n    ]\n\n\n",
            ),
            Put(
                f"{_DOCTOR}/examine.py",
                "    drive_checks.no_gear,\n",
                "    drive_checks.nameless_sender,\n",
            ),
            Put(
                _DOCTOR_TESTS,
                '    "reliability": (\n',
                '    "nameless": (\n        with_source(node=""),\n        "no_name",\n'
                '        f"without a ROS name publishes {TOPIC}: let a node publish it",\n'
                "    ),\n",
            ),
        ),
        {},
        (_DOCTOR_TESTS,),
    ),
    Addition(
        "a plausibility check",
        (
            Put(
                _CHECKS,
                "# ---- yaw ---",
                "def side_speed_out_of_range(window: Window) -> str:\n"
                '    """No car slides faster than any car drives."""\n'
                "    side_mps = window.new.report.lateral_velocity_mps\n"
                "    is_possible = abs(side_mps) <= FASTEST_MPS\n"
                '    return "" if is_possible else f"side speed {side_mps:.4g} m/s"\n\n\n',
            ),
            Put(
                _CHECKS,
                '    Check(\n        name="speed_position",\n',
                '    Check(\n        name="side_speed",\n'
                '        compares="speed to the side against any road vehicle",\n'
                '        limit="100 m/s",\n        signals=("lateral_velocity",),\n'
                "        hold_s=0.2,\n        detects_s=0.45,\n"
                "        judge=side_speed_out_of_range,\n    ),\n",
            ),
            Put(
                _WATCH_TESTS,
                '    "speed_position": lambda report',
                '    "side_speed": lambda report: {"lateral_velocity_mps": 500.0},\n',
            ),
            Put(
                _LIES,
                '    Lie("position: stands still"',
                '    Lie(\n        "side speed: 500 m/s",\n        "cruise",\n'
                '        found("side_speed"),\n        True,\n'
                '        steadily(lambda report: {"lateral_velocity_mps": 500.0}),\n    ),\n',
            ),
        ),
        {"docs/plausibility.md": "`side_speed`"},
        (
            _WATCH_TESTS,
            "test/test_plausibility.py::test_a_lie_is_found_in_time[side speed: 500 m/s]",
        ),
    ),
    Addition(
        "a platform",
        tuple(Put(f"{_OWN}/{name}", "", text) for name, text in _PLATFORM.items()),
        {},
        (),
        tuple(f"{_OWN}/{name}" for name in _PLATFORM),
        (("-m", "vdsim_interface.extras.cli.platform", "check", "own_platforms"),),
    ),
    Addition(
        "a command line",
        (
            Put(f"{INTERFACE}/extras/cli/speeds.py", "", _SPEEDS),
            Put(
                _SETUP,
                '            "vdsim_why = vdsim',
                '            "vdsim_speeds = vdsim_interface.extras.cli.speeds:main",\n',
            ),
        ),
        {"test/data/promises.txt": "run vdsim_interface vdsim_speeds"},
        (
            "test/test_promises.py",
            "test/test_every_node.py::test_the_table_has_every_program_with_a_node",
        ),
        ("src/vdsim_plant_node/vdsim_plant_node/cli/entry_points.py",),
        (("-m", "vdsim_interface.extras.cli.speeds"),),
    ),
    Addition(
        "a message, a packet field, a parameter of safety or a process",
        (
            Put(_PROCESSES, "vdsim_why vdsim_status", "vdsim_speeds "),
            Put(_SIGNALS, 'CMD.gear CMD.handbrake",\n', "CMD.low_range "),
            Put(_SIGNALS, 'STATE.tire_fx_n STATE.tire_fy_n",\n', "STATE.sideslip_rad "),
        ),
        {"docs/safety-case.md": "`STATE.sideslip_rad`"},
        ("test/test_safety_case.py::test_nothing_is_left_out",),
    ),
    Addition(
        "a launch argument",
        (
            Put(
                _LAUNCH,
                "OWN_ARGUMENTS = {\n",
                "def a_note(text: str) -> str:\n"
                '    """A line for the log."""\n'
                '    return "" if len(text) <= 80 else "must have at most 80 characters"\n\n\n',
            ),
            Put(
                _LAUNCH,
                '    "event_log": (\n',
                '    "note": ("", "a line that the log of the launch begins with", a_note),\n',
            ),
            Put(
                _LAUNCH,
                "    return [*warnings, *event_log(given)",
                '    if given["note"]:\n'
                '        warnings = [LogInfo(msg=given["note"]), *warnings]\n',
            ),
            Put(
                "docs/interface.md",
                "| `params_file:=` |",
                "| `note:=` | the log's first line |\n",
            ),
            Put(
                "test/test_launch_arguments.py",
                '    ("vdsim", "components:=nosuch"',
                f'    ("vdsim", "note:={"x" * 81}", "must have at most 80 characters"),\n',
            ),
        ),
        {"test/data/promises.txt": "launch vdsim_interface vdsim.launch.py note"},
        ("test/test_promises.py",),
        (f"{INTERFACE}/ros/launching",),
        (("-c", _NOTED),),
    ),
    Addition(
        "a cause of a stop",
        (
            Put(
                f"{_SAFETY}/rule_context.py",
                "from vdsim_interface.values import NO_STOPS, Gear, Stop\n",
                "from vdsim_interface.values.speeds import AGAINST_GEAR_MPS\n",
            ),
            Put(f"{_SAFETY}/rule_context.py", "\n\nSTOPPING = ", "    WRONG_WAY = 4096\n"),
            Put(
                f"{_SAFETY}/rule_context.py",
                '\n"""The situations in which a stop may stand',
                " + 4096",
            ),
            Put(
                f"{_SAFETY}/rule_context.py",
                "    def special(self) -> int:\n",
                "    @property\n    def wrong_way(self) -> bool:\n"
                '        """The car moves backwards in DRIVE."""\n'
                "        return self.gear is Gear.DRIVE and self.speed_mps < -AGAINST_GEAR_MPS\n\n",
            ),
            Put(
                f"{_SAFETY}/rule_context.py",
                "            + 2048 * (self.emergency is not None)\n",
                "            + 4096 * self.wrong_way\n",
            ),
            Put(
                f"{_SAFETY}/stops.py",
                "    )\n    stops = tuple(Stop(",
                "        (context.wrong_way, notice_kinds.WRONG_WAY, Until.CLEARED),\n",
            ),
            Put(
                f"{_SAFETY}/rules.py",
                "    Rule(\n        notice_kinds.INPUT_LOST,\n",
                "    Rule(\n        notice_kinds.WRONG_WAY,\n        stopped,\n"
                "        only_when=Special.WRONG_WAY,\n"
                '        stays="nobody asks for that motion",\n    ),\n',
            ),
            Put(
                f"{INTERFACE}/values/notice_kinds.py",
                "LINK_RESTORED = ",
                'WRONG_WAY = NoticeKind("wrong_way", _ERROR, "the car moves backwards in DRIVE")\n',
            ),
            Put(
                _RULE_TESTS,
                '        "input_lost",\n        "emergency",\n        "range",\n',
                '        "wrong_way",\n',
            ),
            Put(
                _RULE_TESTS,
                '        "input_lost",\n        "emergency",\n    ]\n',
                '        "wrong_way",\n',
            ),
            Put(
                _RULE_TESTS,
                "    (Special.INPUT_LOST, {",
                '    (Special.WRONG_WAY, {"speed_mps": -3.0}),\n',
            ),
            Put(
                _RULE_TESTS,
                "    # range\n",
                "    (  # its sender steers\n        rules.stopped,\n        ASK,\n"
                "        stopping(speed_mps=-3.0, **prev(-1.0)),\n"
                "        MotionCommand(-1.025, 0.1, 0.05),\n    ),\n",
            ),
            Put(
                _REPORTS,
                "def link_timeout() -> Drive:\n",
                "def wrong_way() -> Drive:\n"
                '    drive = Drive("vehicle").engaged()\n'
                "    request(drive, gear=Gear.DRIVE)\n    drive.run(1.0, GO)\n"
                '    drive.platform.altered = {"velocity_mps": -2.0}\n'
                "    drive.run(0.1, GO)\n    return drive\n\n\n",
            ),
            Put(_REPORTS, '    "input_lost": input_lost,\n', '    "wrong_way": wrong_way,\n'),
            Put(
                "docs/safety.md",
                "| `manual_block`, `command_timeout`, `link_timeout` |",
                "| `wrong_way` | the same as the next | the cause has gone | as commanded |\n",
            ),
        ),
        {"docs/safety.md": "the standing stops demands: the car moves backwards in DRIVE"},
        (_RULE_TESTS, f"{_REPORTS}::test_every_kind_is_issued[wrong_way]"),
    ),
    Addition(
        "a sensor",
        (
            Put(
                f"{INTERFACE}/values/vehicle.py",
                "\n\nclass Parked(NamedTuple):",
                '    outside_degc: float = math.nan\n    """Temperature of the air."""\n',
            ),
            Put(
                f"{INTERFACE}/sensors/declaration.py",
                ')\n"""Sensors of the interface',
                ', "outside"',
            ),
            Put(
                f"{INTERFACE}/platforms/vocabulary.py",
                '        "wheel_speeds",\n    }\n)\n"""Names of',
                '        "outside",\n',
            ),
            Put(
                f"{INTERFACE}/sensors/standard.py",
                "    )\n\n\n_WHEELS = ",
                '        Sensor("outside", "sensor_msgs/msg/Temperature", outside, rate_hz=1.0),\n',
            ),
            Put(
                f"{INTERFACE}/sensors/standard.py",
                "def battery(",
                "def outside(report: VehicleReport) -> Fields | None:\n"
                '    """Return the temperature of the air [degC]."""\n'
                "    degc = report.sensors.outside_degc\n"
                "    known = not math.isnan(degc)\n"
                '    return {"temperature": degc, "variance": 0.0} if known else None\n\n\n',
            ),
            Put(
                f"{INTERFACE}/extras/fake/__init__.py",
                "        },\n    ),\n    parameters=",
                '            "outside": Reported(Source.MODELLED),\n',
            ),
            Put(
                f"{INTERFACE}/extras/fake/platform.py",
                "                gnss_y_m=car.y_m,\n",
                "                outside_degc=20.0,\n",
            ),
            Put(
                "docs/sensors.md",
                "| `sensors/battery` |",
                "| `sensors/outside` | sensor_msgs/Temperature | of the air |\n",
            ),
            Put(_SENSOR_TESTS, " = standard_sensors(SEOUL, 0.5)\n", ", OUTSIDE"),
            Put(
                _SENSOR_TESTS,
                "def test_a_fix_without_height_says_so(",
                "def test_the_temperature_is_that_of_the_air() -> None:\n"
                "    assert message(OUTSIDE, report(outside_degc=-3.0)).temperature == -3.0\n"
                '    assert reason(OUTSIDE, report()) == "no reading yet"\n\n\n',
            ),
            Put(
                f"{_TESTS}/platforms/test_capability_sources.py",
                '        ("fake", 0, {"command.wiper"',
                '        ("fake", 0, {"sensor.outside": MODELLED}),\n',
            ),
            Put(
                _ENDPOINTS,
                '   "stages/controlled_command",\n   "stages/filtered_command",\n'
                '   "stages/platform_report",\n   "stages/safe_command",\n   "state_report"',
                '   "sensors/outside",\n',
            ),
            Put(
                _ENDPOINTS,
                '   "stages/platform_report",\n   "state_report",\n',
                '   "sensors/outside",\n',
            ),
        ),
        {"docs/sensors.md": "| `outside` |"},
        (
            f"{_SENSOR_TESTS}::test_the_temperature_is_that_of_the_air",
            f"{_TESTS}/platforms/test_capability_sources.py",
        ),
        (f"{INTERFACE}/extras/fake/__init__.py", f"{INTERFACE}/extras/fake/platform.py"),
    ),
    Addition(
        "a topic of the interface",
        (
            Put(f"{INTERFACE}/ros/topics.py", 'IMU = "imu"\n', 'TWIST = "twist"\n'),
            Put(
                f"{INTERFACE}/ros/topics.py", "        EMERGENCY_STOP,\n    }\n", "        TWIST,\n"
            ),
            Put(
                f"{INTERFACE}/ros/messages/conversions.py",
                "Quaternion, TransformStamped\nfrom nav_msgs",
                "TwistStamped, ",
            ),
            Put(
                f"{INTERFACE}/ros/messages/conversions.py",
                "def transform_message(",
                "def twist_message(\n"
                "    report: VehicleReport, frame: str, stamp: ToStamp = time_message\n"
                ") -> TwistStamped:\n"
                '    """Speed along the body and yaw rate (ISO 8855)."""\n'
                "    message = TwistStamped()\n"
                "    message.header.stamp, message.header.frame_id = stamp(report.stamp_s), frame\n"
                "    message.twist.linear.x = report.velocity_mps\n"
                "    message.twist.angular.z = report.yaw_rate_radps\n"
                "    return message\n\n\n",
            ),
            Put(
                f"{INTERFACE}/ros/publishers/vehicle.py",
                "from nav_msgs.msg import",
                "from geometry_msgs.msg import TwistStamped\n",
            ),
            Put(
                f"{INTERFACE}/ros/publishers/vehicle.py",
                "        self._nav = node.create",
                "        self._twist = node.create_checked_publisher(\n"
                "            TwistStamped, topics.TWIST, topics.SENSOR_QOS\n        )\n",
            ),
            Put(
                f"{INTERFACE}/ros/publishers/vehicle.py",
                '        if self._subscribed["nav"] or',
                "        frame = self._output.frames[1]\n"
                "        self._twist.publish(conversions.twist_message(report, frame, stamp))\n",
            ),
            Put(
                "docs/interface.md",
                "| `imu` | sensor_msgs/Imu |",
                "| `twist` | geometry_msgs/TwistStamped | speed, yaw rate |\n",
            ),
            Put(_ENDPOINTS, '   "vehicle_interface/transition_event"\n', '   "twist",\n'),
            Put(_ENDPOINTS, '   "vds_state"\n', '   "twist",\n'),
            Put(f"{_TESTS}/nodes/test_twist_topic.py", "", _TWIST_TEST),
        ),
        {},
        (f"{_TESTS}/nodes/test_twist_topic.py",),
        (f"{_TESTS}/nodes/test_twist_topic.py", "test/test_every_node.py"),
    ),
    Addition(
        "a program with a node",
        (
            Put(f"{INTERFACE}/extras/teleop/nodes/speedometer.py", "", _SPEEDOMETER),
            Put(
                f"{INTERFACE}/extras/cli/entry_points.py",
                "def twist_adapter() -> int:\n",
                "def speedometer() -> int:\n"
                '    """`speedometer`."""\n'
                '    return start_node("vdsim_interface.extras.teleop.nodes.speedometer")\n\n\n',
            ),
            Put(
                _SETUP,
                '            "twist_adapter = ',
                '            "speedometer = '
                'vdsim_interface.extras.cli.entry_points:speedometer",\n',
            ),
            Put(
                "tools/generate/threats/rows.py",
                '            "vdsim_interface/extras/redundancy/ros/switcher",\n',
                '            "vdsim_interface/extras/teleop/nodes/speedometer",\n',
            ),
            Put(
                "tools/generate/open_services.py",
                '    Row("twist_adapter", True',
                '    Row("speedometer", True, "it commands nothing", {"speedometer": ()}),\n',
            ),
            Put(
                _ENDPOINTS,
                ' "twist_adapter": {',
                ' "speedometer": {\n  "calls": [],\n  "offers": [\n'
                + "".join(
                    f'   "speedometer/{name}"{"," if name[-1] != "y" else ""}\n'
                    for name in (
                        *("describe_parameters", "get_parameter_types", "get_parameters"),
                        *("list_parameters", "set_parameters", "set_parameters_atomically"),
                    )
                )
                + '  ],\n  "publishes": [\n   "/parameter_events",\n   "/rosout",\n'
                '   "speed_kmh"\n  ],\n  "subscribes": [\n   "odometry"\n  ]\n },\n',
            ),
            Put(
                _PROCESSES,
                '"simulated_localization"',
                '"speedometer",\n        "any",\n'
                '        "none: it shows the speed, no drive depends on it",\n    ),\n'
                "    Row(\n        ",
            ),
        ),
        {
            "docs/guard.md": "`speedometer`",
            "test/data/promises.txt": "run vdsim_interface speedometer",
        },
        (
            "test/test_every_node.py::test_the_table_has_every_program_with_a_node",
            "test/test_every_node.py::"
            "test_a_program_offers_what_the_table_says_and_survives_a_stranger[speedometer]",
        ),
        (f"{INTERFACE}/ros/process/checked_node.py", "test/test_every_node.py"),
    ),
)
