"""autoware_simulator.launch.py: Autoware drives by its topics; a wrong value starts nothing."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

import pytest
from autoware_vehicle_msgs.msg import ControlModeReport
from geometry_msgs.msg import PoseWithCovarianceStamped
from nav_msgs.msg import Odometry
from vdsim_kit.autoware import DRIVE, PARK, Autoware
from vdsim_kit.endpoints import refused_in
from vdsim_kit.launched import Launched, launch_briefly
from vdsim_kit.ports import free_ports

INFO = (
    "/**: {ros__parameters: {wheel_radius: 0.35, wheel_base: 2.79, wheel_tread: 1.64, "
    "front_overhang: 1.0, rear_overhang: 1.1, left_overhang: 0.128, right_overhang: 0.128, "
    "vehicle_height: 2.5, max_steer_angle: 0.70}}"
)
MAP = "default,0.0,20.0\n-4,-4,-4\n0,0,0\n4,2,2\n"
MODEL = """/**:
  ros__parameters:
    vehicle_model_type: DELAY_STEER_MAP_ACC_GEARED
    origin_frame_id: map
    timer_sampling_time_ms: 25
    acceleration_map_path: $(env MAP_FOLDER)/acceleration_map.csv
    x_stddev: 0.0001
    of_another_version: 1.0
"""


class Planner(Autoware):
    """With what a planner uses of the simulator."""

    def __init__(self) -> None:
        super().__init__()
        self.pose: Odometry | None = None
        self._node.create_subscription(Odometry, "/localization/kinematic_state", self._on_pose, 1)
        self._initial = self._node.create_publisher(PoseWithCovarianceStamped, "/initialpose", 1)

    def _on_pose(self, message: Odometry) -> None:
        self.pose = message

    def is_at(self, x_m: float, y_m: float) -> bool:
        """Publish the pose until the car is there."""
        message = PoseWithCovarianceStamped()
        message.header.frame_id = "map"
        position = message.pose.pose.position
        position.x, position.y, position.z = x_m, y_m, 7.0
        message.pose.pose.orientation.w = 1.0
        self._initial.publish(message)
        if self.pose is None:
            return False
        at = self.pose.pose.pose.position
        return math.hypot(at.x - x_m, at.y - y_m) < 0.1


@pytest.fixture(params=["process", "udp"])
def launched(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[str, Launched]]:
    link = str(request.param)
    given: dict[str, object] = {"link": link}
    if link == "udp":
        command_port, state_port = free_ports(2)
        given |= {"plant_port": command_port, "state_port": state_port, "dashboard": "off"}
    else:
        given |= {"simulator_model_param_file": tmp_path / "model.yaml"}
        (tmp_path / "model.yaml").write_text(MODEL, encoding="utf-8")
        (tmp_path / "acceleration_map.csv").write_text(MAP, encoding="utf-8")
    (tmp_path / "info.yaml").write_text(INFO, encoding="utf-8")
    launch = Launched(
        tmp_path,
        "autoware_simulator",
        package="vdsim_autoware",
        more_environment={"MAP_FOLDER": str(tmp_path)},
        vehicle_info_param_file=tmp_path / "info.yaml",
        **given,
    )
    yield link, launch
    assert launch.end() == 0


def test_autowares_client_puts_the_car_and_drives_it(launched: tuple[str, Launched]) -> None:
    link, launch = launched
    planner = Planner()
    try:
        planner.wait(lambda: planner.is_at(100.0, 50.0), "the car at the initial pose")
        planner.wait(lambda: planner.reported_gear == PARK, "gear PARK")
        planner.gear = DRIVE
        planner.wait(lambda: planner.reported_gear == DRIVE, "gear DRIVE")
        planner.drive(4.0, 4.0, 0.1)
        planner.wait(lambda: planner.velocity > 2.0, "the car drives")
        planner.wait(lambda: planner.heading_rad > 0.1, "the car turns to the left")
        planner.drive(0.0, -2.0, 0.1)
        planner.wait(lambda: abs(planner.velocity) < 0.01, "the car stands")
        planner.wait(lambda: planner.mode == ControlModeReport.AUTONOMOUS, "the mode")
        assert not refused_in(planner.node)
        assert planner.pose is not None
        frames = planner.pose.header.frame_id, planner.pose.child_frame_id
        assert frames == ("map", "base_link")
        if link == "process":
            assert planner.pose.pose.pose.position.z == pytest.approx(7.0)
            assert "of_another_version=1.0: this node has no such parameter" in launch.output
            [publisher] = planner.endpoints("/vehicle/status/gear_status")
            assert publisher.node_name == "simple_planning_simulator"
    finally:
        planner.close()


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["vehicle_model_type:=WARP"], "Valid options are: ['file', 'IDEAL_STEER_VEL'"),
        (
            ["vehicle_model_type:=ACTUATION_CMD"],
            "accel_map_path=: ACTUATION_CMD needs a CSV file",
        ),
        (["vehicle_info_param_file:=/no.yaml"], "there is no such file"),
        (
            ["link:=udp", "vehicle_model_type:=IDEAL_STEER_ACC"],
            "link:=udp vehicle_model_type:=IDEAL_STEER_ACC: must be vdsim_l2",
        ),
        (["friction:=-1"], "must be >= 0.01"),
        (
            ["link:=udp", "adapter:=inside", "composition:=processes"],
            "adapter:=inside composition:=processes: needs composition:=single",
        ),
    ],
)
def test_a_wrong_argument_starts_nothing(words: list[str], text: str) -> None:
    done = launch_briefly("autoware_simulator", *words, package="vdsim_autoware")
    assert done.returncode == 1
    assert text in done.stdout + done.stderr
    assert "process started" not in done.stdout + done.stderr
