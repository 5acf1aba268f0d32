"""Names that a component does not have: an error in its own groups, a warning elsewhere."""

import pytest
from vdsim_interface.parameters.fields import ParameterError
from vdsim_interface.parameters.unknown import check_unknown
from vdsim_protocol.parameter_names import no_such_parameter

KNOWN = ("rate_hz", "safety.accel_max_mps2", "safety.decel_max_mps2", "vehicle.wheelbase_m")


@pytest.mark.parametrize(
    ("name", "error"),
    [
        (
            "safety.acel_max_mps2",
            "safety.acel_max_mps2=1.5: no such parameter; did you mean safety.accel_max_mps2?",
        ),
        ("safety.x", "safety.x=1.5: no such parameter"),
        ("vehicle.wheel.base", "vehicle.wheel.base=1.5: no such parameter"),
    ],
)
def test_in_a_group_of_its_own_an_unknown_name_is_an_error(name: str, error: str) -> None:
    with pytest.raises(ParameterError) as raised:
        check_unknown({"rate_hz": 50.0, name: 1.5}, KNOWN)
    assert str(raised.value).startswith(error)


@pytest.mark.parametrize(
    ("name", "warning"),
    [
        ("rate_hs", "rate_hs=7: this node has no such parameter; ignored; did you mean rate_hz?"),
        ("planner.horizon", "planner.horizon=7: this node has no such parameter; ignored"),
        ("mu", "mu=7: this node has no such parameter; ignored"),
        ("safety", "safety=7: this node has no such parameter; ignored"),
    ],
)
def test_any_other_unknown_name_is_a_warning(name: str, warning: str) -> None:
    assert check_unknown({name: 7}, KNOWN) == (warning,)


@pytest.mark.parametrize(
    "name",
    [
        *("rate_hz", "safety.decel_max_mps2", "use_sim_time"),
        *("qos_overrides./tf.publisher.depth", "start_type_description_service", "vds1.version"),
    ],
)
def test_known_names_and_those_of_others_are_silent(name: str) -> None:
    assert check_unknown({name: 1}, KNOWN, {"vds1", "safety"}) == ()


def test_a_group_of_its_own_is_checked_even_where_others_have_it_too() -> None:
    with pytest.raises(ParameterError):
        check_unknown({"safety.x": 1}, KNOWN, {"safety"})


def test_the_reason_names_the_nearest() -> None:
    assert no_such_parameter("rate_h", KNOWN) == "no such parameter; did you mean rate_hz?"
    assert no_such_parameter("zzz", KNOWN) == "no such parameter"
