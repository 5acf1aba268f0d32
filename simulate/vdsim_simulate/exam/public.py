"""Thirty causes from public issue threads, translated to a car of ours. `source` is the thread.

No row of `vdsim_protocol.why` was written for one of them, and their first result stands in
docs/exam.md as it was. Whoever wrote them knew the code: that is not what an exam by others shows.
"""

from __future__ import annotations

from dataclasses import replace

from vdsim_interface.extras.doctor.snapshot import Network, Qos, Received
from vdsim_interface.values import VehicleCommand

from vdsim_simulate import faults
from vdsim_simulate.exam.graph import (
    ADAPTED,
    CLOCK,
    CONTROL_IN,
    GATE,
    INTERFACE,
    NAMESPACE,
    ODOM,
    PLANNER,
    PORTS_OF_7,
    STAMPED,
    TOPIC,
    TWIST,
    cut_off,
    ends,
    in_turn,
    no_car,
    publishes,
    received,
    simulated,
    source,
    stack,
    subscribes,
    without_source,
)
from vdsim_simulate.exam.question import DRIVE, Question, key
from vdsim_simulate.scene import Leg
from vdsim_simulate.world import World

_HUB = "https://github.com/"
_BEST_EFFORT = Qos(reliability="BEST_EFFORT")


def _accelerates(world: World) -> None:
    world.planner.says = lambda command: VehicleCommand(command.stamp_s, 0.5, 0.0)


def _stops_and_resets(world: World) -> None:
    world.people.emergency_stop()
    world.agenda.after(0.3, world.people.give_back)


def _stops_and_releases(world: World) -> None:
    world.people.emergency_stop()
    world.agenda.after(6.0, world.people.give_back)


PUBLIC_QUESTIONS: tuple[Question, ...] = (
    Question(
        name="auto_button_inactive",
        text="the button AUTO is inactive: the stack's perception is not ready",
        key=key("mode_not_available", says="available"),
        change=in_turn(simulated(GATE), stack(is_autonomous_available=False)),
        is_doctored=True,
        source=f"{_HUB}pixmoving-moveit/pix_driver/issues/13",
    ),
    cut_off(
        name="publisher_without_subscriber",
        text="cmd_vel has a publisher and no subscriber",
        key=key("other_name", "nobody_listens", says="/cmd_vel"),
        change=in_turn(without_source, ends(publishes("/teleop", "/cmd_vel", TWIST))),
        source=f"{_HUB}Atharva-05/unitree_ros2_sim/issues/3",
    ),
    cut_off(
        name="teleop_topic",
        text="the teleoperation publishes another topic than the robot's",
        key=key("other_name", says="teleop_vel"),
        change=in_turn(without_source, ADAPTED, ends(publishes("/teleop", "/teleop_vel", STAMPED))),
        source=f"{_HUB}qaz9517532846/zm_robot/issues/2",
    ),
    cut_off(
        name="mux_input",
        text="the base takes the mux's output, and cmd_vel is published",
        key=key("other_name", says="/cmd_vel_mux/input/teleop"),
        change=in_turn(
            without_source,
            ends(
                subscribes(f"{NAMESPACE}/twist_adapter", "/cmd_vel_mux/input/teleop", STAMPED),
                publishes(f"{NAMESPACE}/twist_adapter", TOPIC),
                publishes("/teleop", "/cmd_vel", STAMPED),
            ),
        ),
        source=f"{_HUB}jsk-enshu/robot-programming/issues/317",
    ),
    Question(
        name="robot_address",
        text="the robot is in another network than the address says",
        key=key("link", says="report"),
        act=lambda world: setattr(world.state_link, "is_cut", True),
        planted_s=0.0,
        source=f"{_HUB}abizovnuralem/go2_ros2_sdk/issues/124",
    ),
    cut_off(
        name="namespace_of_the_robot",
        text="the robot's command topic is below a namespace",
        key=key("other_name", says="/pedbot/control/high_level_command"),
        change=source(topic="/pedbot/control/high_level_command"),
        source=f"{_HUB}srl-freiburg/pedsim_ros/issues/65",
    ),
    cut_off(
        name="nav2_stamped",
        text="Nav2 publishes TwistStamped since Jazzy, and the robot takes Twist",
        key=key("other_type", says="TwistStamped"),
        change=in_turn(
            without_source,
            ends(
                subscribes(f"{NAMESPACE}/twist_adapter", "/cmd_vel", TWIST),
                publishes(f"{NAMESPACE}/twist_adapter", TOPIC),
                publishes("/controller_server", "/cmd_vel", STAMPED),
            ),
        ),
        source=f"{_HUB}turtlebot/turtlebot4/issues/504",
    ),
    cut_off(
        name="bridge_unstamped",
        text="the bridge takes Twist, and Nav2's default is stamped",
        key=key("other_type", says="expects"),
        change=in_turn(
            without_source,
            ends(
                subscribes(f"{NAMESPACE}/twist_adapter", "/cmd_vel_nav", TWIST),
                publishes(f"{NAMESPACE}/twist_adapter", TOPIC),
                publishes("/nav2", "/cmd_vel_nav", STAMPED),
            ),
        ),
        source=f"{_HUB}open-vehicle-control-system/ovcs/pull/47",
    ),
    cut_off(
        name="keyboard_best_effort",
        text="the keyboard's publisher is best effort",
        key=key("qos", says="reliab"),
        change=source(qos=_BEST_EFFORT),
        source=f"{_HUB}ros2/teleop_twist_keyboard/issues/16",
    ),
    cut_off(
        name="joystick_best_effort",
        text="the joystick's publisher and the controller differ in reliability",
        key=key("qos", says="RELIABLE"),
        change=in_turn(
            without_source, ADAPTED, ends(publishes("/joy", "/cmd_vel", STAMPED, _BEST_EFFORT))
        ),
        source=f"{_HUB}ros2/teleop_twist_joy/pull/64",
    ),
    cut_off(
        name="odometry_durability",
        text="the stack waits for odometry with another durability, and sends nothing",
        key=key("qos", says="odom"),
        change=ends(
            subscribes("/mission", f"{NAMESPACE}/odom", ODOM, Qos(durability="TRANSIENT_LOCAL"))
        ),
        source=f"{_HUB}ros-controls/ros2_controllers/issues/1284",
    ),
    Question(
        name="sim_time_without_clock",
        text="use_sim_time is set, and nothing publishes /clock",
        key=key("no_clock", says="use_sim_time"),
        change=ends(subscribes(INTERFACE, "/clock", CLOCK)),
        source=f"{_HUB}ros/joint_state_publisher/issues/103",
    ),
    Question(
        name="sim_time_zero",
        text="the simulated time is always zero",
        key=key("no_clock", says="stands"),
        change=ends(subscribes(INTERFACE, "/clock", CLOCK), subscribes(PLANNER, "/clock", CLOCK)),
        source=f"{_HUB}ros2/rclcpp/issues/940",
    ),
    Question(
        name="sim_time_of_one",
        text="the simulation publishes /clock, and use_sim_time was set to false for the stack",
        key=key("mixed_clocks", says="use_sim_time"),
        change=ends(publishes("/sim", "/clock", CLOCK), subscribes(INTERFACE, "/clock", CLOCK)),
        source=f"{_HUB}open-rmf/rmf-web/issues/642",
    ),
    Question(
        name="engage_panel",
        text="the panel's engage does nothing: the stack waits for its map and route",
        key=key("mode_not_available", says="diagnostics"),
        change=in_turn(simulated(GATE), stack(is_autonomous_available=False)),
        is_doctored=True,
        source=f"{_HUB}autowarefoundation/autoware_universe/issues/1168",
    ),
    Question(
        name="heartbeat_missing",
        text="the gate waits for the heartbeat of an external stop, and publishes nothing",
        key=key("silent_publisher", says=CONTROL_IN),
        change=simulated(GATE, seen=(Received(topic=CONTROL_IN, count=0, window_s=2.0),)),
        is_doctored=True,
        source=f"{_HUB}autowarefoundation/autoware_launch/pull/119",
    ),
    Question(
        name="set_stop",
        text="somebody called set_stop: the gate asks for standstill",
        key=key("asks_for_rest", says="standstill"),
        scene=replace(DRIVE, legs=(Leg(0.0, 0.0),)),
        source=f"{_HUB}autowarefoundation/autoware_universe/pull/10917",
    ),
    Question(
        name="topic_pub_once_a_second",
        text="the commands come once a second, the default of `ros2 topic pub`",
        key=key("slow", says="Hz"),
        change=received(count=2),
        source=f"{_HUB}Unitree-Go2-Robot/go2_robot/issues/18",
    ),
    Question(
        name="app_sends_zeros",
        text="an app goes on to send zeros beside the stack",
        key=key("two_publishers", says="/ros_mobile"),
        change=ends(publishes("/ros_mobile", TOPIC)),
        source=f"{_HUB}ROS-Mobile/ROS-Mobile-Android/issues/34",
    ),
    Question(
        name="steering_window",
        text="a window for steering sends velocities and keeps control of the mux",
        key=key("person_drives", says="remote"),
        act=lambda world: faults.somebody_drives(world, "remote", 100.0),
        source=f"{_HUB}ros-visualization/rqt_common_plugins/issues/180",
    ),
    Question(
        name="teleop_beside_navigation",
        text="the teleoperation publishes all the time, so that navigation has no control",
        key=key("person_drives", says="gamepad"),
        act=lambda world: faults.somebody_drives(world, "gamepad", 100.0),
        source=f"{_HUB}turtlebot/turtlebot/issues/105",
    ),
    Question(
        name="joystick_zeros",
        text="the joystick's node sends zeros at the same time as navigation",
        key=key("two_publishers", says="/turtlebot_joy"),
        change=ends(publishes("/turtlebot_joy", TOPIC)),
        source=f"{_HUB}turtlebot/turtlebot_apps/issues/71",
    ),
    cut_off(
        name="two_terminals",
        text="two terminals have different domains",
        key=key("other_domain", says="ROS_DOMAIN_ID"),
        change=in_turn(
            without_source, lambda graph: replace(graph, network=Network(udp_ports=PORTS_OF_7))
        ),
        source=f"{_HUB}ApolloAuto/apollo-platform/issues/33",
    ),
    Question(
        name="simulator_domain",
        text="the simulator's default domain is another one",
        key=key("no_interface", says="domain 7"),
        change=no_car(udp_ports=PORTS_OF_7),
        is_doctored=True,
        source=f"{_HUB}unitreerobotics/unitree_mujoco/issues/61",
    ),
    cut_off(
        name="wrong_remapping",
        text="a remapping in the launch file has no effect",
        key=key("other_name", says="/vehicle/high_level_command"),
        change=source(topic="/cmd_mux/high_level_command"),
        source=f"{_HUB}aliasrobotics/RVD/issues/582",
    ),
    Question(
        name="reset_says_success",
        text="the reset was asked for at once, and the emergency stop is still latched",
        key=key("emergency_stop", says="stands"),
        act=_stops_and_resets,
        source=f"{_HUB}Yaskawa-Global/motoros2/issues/444",
    ),
    Question(
        name="manual_initialise",
        text="after the release of the stop an act of a person is needed",
        key=key("released", "give_back", "not_engaged", says="emergency stop"),
        act=_stops_and_releases,
        asked_s=16.0,
        source=f"{_HUB}UbiquityRobotics/magni_robot/issues/81",
    ),
    Question(
        name="foot_on_the_brake",
        text="somebody enables while the driver overrides",
        key=key("refused", "driver_override", says="driver|override"),
        act=lambda world: world.people.switch(is_on=True),
        planted_s=0.1,
        source=f"{_HUB}astuff/pacmod_game_control/issues/113",
    ),
    Question(
        name="acceleration_not_taken",
        text="the stack sends accelerations, and the simulator takes speeds",
        key=key("wrong_level", says="vehicle_command"),
        act=_accelerates,
        asked_s=9.0,
        source=f"{_HUB}yuwwang123/LearningMPC/issues/5",
    ),
    Question(
        name="how_to_engage",
        text="every module runs, and nobody has pressed start",
        key=key("not_engaged", says="engage"),
        engages_s=None,
        source=f"{_HUB}ApolloAuto/apollo/issues/5092",
    ),
)
