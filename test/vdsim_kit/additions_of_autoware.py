"""Additions to what is of Autoware and of the other peers."""

from __future__ import annotations

from vdsim_kit.additions import Addition, Put

_AUTOWARE = "src/vdsim_autoware/vdsim_autoware"
_TESTS = "src/vdsim_autoware/test"
_ROS = f"{_AUTOWARE}/adapter/ros"
_NODE_TESTS = f"{_TESTS}/adapter/test_autoware_node.py"
_JUDGES = f"{_TESTS}/conformance/test_conformance_judges.py"
_MODEL = f"{_AUTOWARE}/model"
_DRIVES = f"{_TESTS}/test_planning_sequence.py"

OF_AUTOWARE = (
    Addition(
        "a command or status of Autoware",
        (
            Put(f"{_ROS}/topics.py", "\nOF_THE_STACK", 'ENGAGED = "/api/autoware/get/engage"\n'),
            Put(
                f"{_ROS}/messages.py",
                "    GearReport,\n    HazardLightsReport,\n    SteeringReport,",
                "    Engage,\n",
            ),
            Put(
                f"{_ROS}/messages.py",
                "def velocity_message(",
                "def engage_message(mode: ControlMode, stamp: Time) -> Engage:\n"
                '    """Whether Autoware drives."""\n'
                "    return Engage(stamp=stamp, engage=mode is ControlMode.AUTONOMOUS)\n\n\n",
            ),
            Put(
                f"{_ROS}/status.py",
                "    GearReport,\n    HazardLightsReport,\n    SteeringReport,",
                "    Engage,\n",
            ),
            Put(
                f"{_ROS}/status.py",
                "        self._doors = create(",
                "        self._engaged = create(Engage, names.ENGAGED, state)\n",
            ),
            Put(
                f"{_ROS}/status.py",
                "        if self._api is not None:\n            self._api.publish",
                "        self._engaged.publish(messages.engage_message(mode, stamp))\n",
            ),
            Put(
                _NODE_TESTS,
                "def test_every_status_stops_while_the_vehicle_does_not_report(",
                "def test_it_is_told_whether_autoware_drives(scene: Scene) -> None:\n"
                "    from autoware_vehicle_msgs.msg import Engage\n\n"
                "    scene.lab.listen(Engage, names.ENGAGED, names.STATE_QOS)\n"
                "    heard = scene.lab.heard[names.ENGAGED]\n"
                '    scene.until(lambda: heard and heard[-1].engage, "the engagement")\n\n\n',
            ),
            Put(
                "tools/workspace/secure/endpoints.json",
                '   "/control/control_mode_request_twin/answer",\n',
                '   "/api/autoware/get/engage",\n',
            ),
        ),
        {},
        (f"{_NODE_TESTS}::test_it_is_told_whether_autoware_drives",),
        (
            f"{_AUTOWARE}/adapter/enums.py",
            f"{_AUTOWARE}/adapter/adapter.py",
            "portable/interfaces",
            "test/data/autoware/types.json",
        ),
    ),
    Addition(
        "a requirement of Autoware's interface pages",
        (
            Put(
                f"{_AUTOWARE}/conformance/status_requirements.py",
                '    Requirement(\n        "VS-14"',
                "    Requirement(\n"
                '        "VS-15", _SPEED, MUST, "it falls below 0 in REVERSE", "a start",\n'
                '        keeps("drive.reverse", _SPEED, lambda i, _: i.values[0] < 0.3, "below"),\n'
                "    ),\n",
            ),
            Put(
                "src/vdsim_autoware/vdsim_autoware_kit/conformance_faults.py",
                '",\n    ("velocity_status: heading rate inverted",)',
                " VS-15",
            ),
        ),
        {"docs/autoware-conformance.md": "| VS-15 |"},
        (
            f"{_JUDGES}::test_a_planted_fault_is_found_and_named[velocity_status: no sign]",
            f"{_JUDGES}::test_a_sound_interface_has_no_fault[as the pages want it]",
            f"{_JUDGES}::test_every_requirement_is_broken_by_a_planted_fault",
        ),
        (f"{_AUTOWARE}/conformance/scenes.py",),
    ),
    Addition(
        "a vehicle model of the planning simulator",
        (
            Put(
                f"{_MODEL}/types.py",
                '    "vdsim_l2": Model(',
                '    "vdsim_bicycle": Model(Drive.ACCELERATION, level="l1"),\n',
            ),
            Put(_DRIVES, '"vdsim_l1", "vdsim_l2", "vdsim_l3"])\n', '"vdsim_bicycle", '),
            Put(
                "docs/autoware-reference.md",
                "| `vdsim_l1`, `vdsim_l2`, `vdsim_l3` |",
                "| `vdsim_bicycle` | as `vdsim_l1` | tyres |\n",
            ),
        ),
        {},
        (
            f"{_DRIVES}::test_the_car_goes_where_autowares_own_test_wants_it"
            "[vdsim_bicycle-forward left]",
        ),
        (f"{_MODEL}/parameters.py", f"{_MODEL}/dynamics.py", f"{_MODEL}/steering.py"),
    ),
    Addition(
        "a state of a peer: a release, a newer commit",
        (
            Put(
                f"{_AUTOWARE}/facts/autohyu.yaml",
                "",
                "- name: 2026-12\n  released: not read\n  sources:\n"
                "  - {repository: ailab-hanyang/AutoHYU-Control-Personality, "
                "commit: 0123456789abcdef0123456789abcdef01234567,\n"
                "     read: '2026-11-26', of: 'can_transmitter'}\n"
                "  steering_cubic: [-0.003527, -0.001528, 16.06, 0.0]\n"
                "  steering_speed_threshold_degps: 800\n  brake_cubic: not read\n",
            ),
        ),
        {"docs/autohyu.md": "2026-12"},
        (f"{_TESTS}/test_peer_facts.py",),
        (f"{_AUTOWARE}/facts/peer_facts.py",),
    ),
)
