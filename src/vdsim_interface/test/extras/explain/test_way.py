"""The way of a command in a terminal: every bound is a parameter, and says who set it."""

from __future__ import annotations

from vdsim_interface.extras.explain import limits
from vdsim_interface.extras.explain.limits import Limit
from vdsim_interface.extras.explain.way import step_lines
from vdsim_interface.parameters.flat import to_flat
from vdsim_interface.safety.rules import NOTICE_KINDS
from vdsim_protocol.why import Evidence
from vdsim_protocol.why.steps import BOUNDS, Changed, Step

LATERAL = "safety.lateral_accel_max_mps2"


def test_every_bound_is_a_parameter_and_every_rule_is_one() -> None:
    known = {name for part in limits.BOUNDS for name in to_flat(part)}
    assert {name for names in BOUNDS.values() for name in names} <= known
    assert {rule for rule, _ in BOUNDS} <= {str(kind) for kind in NOTICE_KINDS}


def test_a_bound_that_no_running_interface_changes_is_set_in_a_file() -> None:
    name = "vehicle.front_wheel_angle_max_rad"
    change = Changed("x", "range", None, (name,))
    lines = step_lines(Evidence(), (Step("limited", "", (change,)),), {})
    assert lines[-1] == (
        "    to change it, set it in the parameter file, and start the interface again"
    )


def test_a_change_names_its_bound_who_set_it_and_the_command() -> None:
    change = Changed("wheel angle 0.5 -> 0.2", "lateral_accel", 3.0, (LATERAL,))
    way = (Step("requested", "speed 12 m/s", ()), Step("limited", "wheel angle 0.2 rad", (change,)))
    limit = Limit(LATERAL, 2.5, "my_limits.yaml")
    assert step_lines(Evidence(namespace="/car"), way, {LATERAL: limit}) == [
        "requested: speed 12 m/s",
        "limited: wheel angle 0.2 rad",
        "  wheel angle 0.5 -> 0.2 by the rule lateral_accel, for 3.0 s",
        f"    bound {LATERAL} = 2.5  (my_limits.yaml)",
        f"    to change it, disengage, then: ros2 param set /car/vehicle_interface {LATERAL} VALUE",
    ]


def test_a_bound_is_set_on_the_node_that_publishes_the_status() -> None:
    change = Changed("x", "lateral_accel", None, (LATERAL,))
    evidence = Evidence(namespace="/car", node="/car/safety_state_machine")
    lines = step_lines(evidence, (Step("limited", "", (change,)),), {})
    assert lines[-1].endswith(f"ros2 param set /car/safety_state_machine {LATERAL} VALUE")


def test_a_bound_whose_value_is_not_known_is_named_all_the_same() -> None:
    change = Changed("x", "lateral_accel", None, (LATERAL,))
    lines = step_lines(Evidence(), (Step("limited", "", (change,)),), {})
    assert lines[:3] == ["limited:", "  x by the rule lateral_accel", f"    bound {LATERAL}"]
