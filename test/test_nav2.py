"""A car for Nav2: its parameter files are those of the car, and a double of Nav2 reaches a goal."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from operator import attrgetter
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import yaml
from geometry_msgs.msg import Twist
from vdsim_autoware.facts.peer_facts import Release, peer
from vdsim_interface.extras.adapters.motion import MotionAdapter
from vdsim_interface.extras.adapters.nodes.twist_adapter import adapt
from vdsim_interface.extras.adapters.parameters import AdapterParameters
from vdsim_interface.values import Mode
from vdsim_kit.nav2_controller import Nav2Controller, Point
from vdsim_kit.plant_loop import PERIOD_S, PlantLoop, geometry_of
from vdsim_plant.parameters import load_vehicle

CONFIG = Path(__file__).resolve().parents[1] / "src/vdsim_interface/config"
CAR = "ioniq5_awd"


def nav2() -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load((CONFIG / "nav2.yaml").read_text(encoding="utf-8"))
    return loaded


# ---- the files -----------------------------------------------------------------------------------


def test_the_footprint_is_the_cars_seen_from_its_centre_of_gravity() -> None:
    body = load_vehicle(CAR).body
    front = body.cg_to_front_axle_m + body.front_overhang_m
    rear, side = front - body.length_m, 0.5 * body.width_m
    corners = [[front, side], [front, -side], [rear, -side], [rear, side]]
    for name in ("local_costmap", "global_costmap"):
        text = nav2()[name][name]["ros__parameters"]["footprint"]
        assert yaml.safe_load(text) == [pytest.approx(corner) for corner in corners]


def test_the_turning_radius_is_one_that_the_car_can_drive() -> None:
    least = 1.0 / AdapterParameters(vehicle=geometry_of(CAR)).curvature_max_1pm
    planner = nav2()["planner_server"]["ros__parameters"]["GridBased"]
    follow = nav2()["controller_server"]["ros__parameters"]["FollowPath"]
    radii = planner["minimum_turning_radius"], follow["AckermannConstraints"]["min_turning_r"]
    assert radii[0] == radii[1] == follow["Ackermann"]["min_turning_r"]
    assert 1.05 * least < radii[0] < 1.2 * least, "room for the controller to correct"
    assert follow["motion_model"] == "Ackermann"
    assert follow["wz_max"] == pytest.approx(follow["vx_max"] / radii[0], abs=0.01)


def test_nothing_of_it_asks_a_car_to_turn_on_the_spot() -> None:
    behaviours = nav2()["behavior_server"]["ros__parameters"]
    assert "spin" not in behaviours["behavior_plugins"]
    assert "Spin" not in str(behaviours)


def test_every_server_of_it_sends_what_the_launch_file_expects() -> None:
    for server in ("bt_navigator", "controller_server", "behavior_server", "velocity_smoother"):
        assert nav2()[server]["ros__parameters"]["enable_stamped_cmd_vel"] is True
    assert nav2()["collision_monitor"]["ros__parameters"]["cmd_vel_out_topic"] == "cmd_vel"


# ---- what was read of Nav2 -----------------------------------------------------------------------

RELEASES = peer("nav2").releases


def values_of(server: str) -> dict[str, Any]:
    found: dict[str, Any] = nav2()[server]["ros__parameters"]
    return found


def plugins(value: object) -> Iterator[str]:
    """Every type of a plug-in that a part of the file names."""
    if isinstance(value, dict):
        if isinstance(value.get("plugin"), str):
            yield value["plugin"]
        for each in value.values():
            yield from plugins(each)


@pytest.mark.parametrize("release", RELEASES, ids=lambda release: release.name)
def test_every_server_that_nav2_starts_has_the_plug_ins_without_which_nothing_starts(
    release: Release,
) -> None:
    assert set(nav2()) - {"local_costmap", "global_costmap"} <= set(
        release.facts["lifecycle_nodes"]
    )
    for server, name in release.facts["must_have_plugins"].items():
        for plugin in values_of(server)[name]:
            assert values_of(server)[plugin]["plugin"] in release.facts["plugins"]
    of_lyrical = {"mppi::AckermannMotionModel"}
    assert set(plugins(nav2())) <= set(release.facts["plugins"]) | of_lyrical


@pytest.mark.parametrize("release", RELEASES, ids=lambda release: release.name)
def test_no_tree_waits_for_the_server_that_turns_on_the_spot(release: Release) -> None:
    """A tree is loaded with its navigator, and fails where a server is missing."""
    navigator = values_of("bt_navigator")
    assert navigator["navigators"] == ["navigate_to_pose"]
    tree = Path(navigator["default_nav_to_pose_bt_xml"])
    assert str(tree.parent) == "$(find-pkg-share nav2_bt_navigator)/behavior_trees"
    assert tree.stem in release.facts["trees_without_spin"]
    assert release.facts["substitutes_in_parameter_file"]


@pytest.mark.parametrize("release", RELEASES, ids=lambda release: release.name)
def test_the_controller_has_critics_and_the_model_of_a_car(release: Release) -> None:
    follow = values_of("controller_server")["FollowPath"]
    assert follow["critics"], "without them every trajectory is as good as any other"
    assert set(follow["critics"]) <= set(release.facts["critics"])
    settings = {name for name in follow if name.endswith("Critic")}
    assert settings <= set(follow["critics"])
    model = release.facts["motion_model"]
    if "of" in model:
        assert follow["motion_model"] in model["of"]
        part, name = model["turning_radius"].split(".")
    else:
        part, name = follow["motion_model"], model["turning_radius"]
        assert follow[part]["plugin"] == model["plugin"]
    assert follow[part][name] > 0.0


@pytest.mark.parametrize("release", RELEASES, ids=lambda release: release.name)
def test_nav2s_launch_file_takes_the_arguments_that_ours_gives(release: Release) -> None:
    text = (CONFIG.parent / "launch/nav2.launch.py").read_text(encoding="utf-8")
    given = set(re.findall(r'^        "(\w+)": ', text, re.MULTILINE))
    assert {"params_file", "use_sim_time", "autostart"} == given
    assert given <= set(release.facts["launch_arguments"])


# ---- the model -----------------------------------------------------------------------------------


def test_the_model_has_the_cars_wheels_and_one_root() -> None:
    car = load_vehicle(CAR)
    root = ElementTree.parse(CONFIG / "nav2_ioniq5_awd.urdf").getroot()
    links = {link.attrib["name"] for link in root.iter("link")}
    joints = {joint.find("child").attrib["link"]: joint for joint in root.iter("joint")}  # type: ignore[union-attr]
    assert links - joints.keys() == {"base_link"}
    x, half = (car.body.cg_to_front_axle_m, -car.body.cg_to_rear_axle_m), 0.5 * 1.635
    for name, side in (("left", half), ("right", -half)):
        for axle, along in zip(("front", "rear"), x, strict=True):
            origin = joints[f"{axle}_{name}_wheel"].find("origin")
            assert origin is not None
            at = [float(value) for value in origin.attrib["xyz"].split()]
            height = car.wheels.radius_m - car.body.cg_height_m
            assert at == pytest.approx([along, side, height], abs=1e-3)


@pytest.mark.parametrize("name", ["nav2_twist_mux.yaml", "nav2_diagnostics.yaml"])
def test_the_other_files_have_parameters_of_one_node(name: str) -> None:
    [content] = yaml.safe_load((CONFIG / name).read_text(encoding="utf-8")).values()
    assert content["ros__parameters"]


# ---- a drive -------------------------------------------------------------------------------------


def bend(radius_m: float) -> list[Point]:
    """20 m straight on, a quarter circle to the left, 10 m straight on; a point every 0.1 m."""
    turn = 0.5 * math.pi * radius_m
    points = []
    for n in range(int((30.0 + turn) / 0.1)):
        s = 0.1 * n
        if s < 20.0:
            points.append((s, 0.0))
        elif s < 20.0 + turn:
            angle = (s - 20.0) / radius_m
            points.append((20.0 + radius_m * math.sin(angle), radius_m * (1.0 - math.cos(angle))))
        else:
            points.append((20.0 + radius_m, radius_m + s - 20.0 - turn))
    return points


@pytest.mark.parametrize("stamped", [True, False])
def test_a_double_of_nav2_drives_the_car_to_its_goal(stamped: bool) -> None:
    """Its messages, the adapter, the interface and the car; in virtual time."""
    radius = nav2()["planner_server"]["ros__parameters"]["GridBased"]["minimum_turning_radius"]
    path = bend(1.5 * radius)
    controller = Nav2Controller(path, stamped=stamped)
    adapter = MotionAdapter(AdapterParameters(vehicle=geometry_of(CAR), stamped=stamped))
    content_of = attrgetter("twist") if stamped else (lambda message: message)
    loop = PlantLoop(car=CAR)
    fastest = 0.0
    for _ in range(round(60.0 / PERIOD_S)):
        car = loop.samples[-1] if loop.samples else None
        at = (car.x_m, car.y_m, car.yaw_rad, car.vx_mps) if car else (0.0, 0.0, 0.0, 0.0)
        message = controller.command(loop.now, *at)
        adapted = adapt(adapter, content_of(message), loop.now) if message is not None else None
        assert adapted is None or not adapted.refusal
        loop.period(None if adapted is None else adapted.command)
        fastest = max(fastest, at[3])
        if controller.has_arrived and loop.now > 5.0 and abs(at[3]) < 0.01:
            break
    assert controller.has_arrived
    assert loop.pipeline.mode is Mode.AUTONOMOUS
    last = loop.samples[-1]
    assert math.dist((last.x_m, last.y_m), path[-1]) < 0.5
    assert last.yaw_rad == pytest.approx(0.5 * math.pi, abs=0.25)
    assert abs(last.vx_mps) < 0.02
    assert 2.5 < fastest < 3.2
    assert controller.farthest_off_m < 0.6


def test_a_spin_of_nav2_is_refused_and_the_car_stands() -> None:
    adapter = MotionAdapter(AdapterParameters(vehicle=geometry_of(CAR)))
    loop = PlantLoop(car=CAR)
    spin = Twist()
    spin.angular.z = 0.5
    for _ in range(200):
        adapted = adapt(adapter, spin, loop.now)
        assert "a car does not turn on the spot" in adapted.refusal
        loop.period(adapted.command)
    assert abs(loop.samples[-1].vx_mps) < 0.01
    assert abs(loop.samples[-1].yaw_rad) < 1e-3
