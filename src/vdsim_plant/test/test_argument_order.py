"""VDSim's own class has another order of its arguments; the order of the contract stays."""

from __future__ import annotations

import copy

import pytest
from vdsim_plant.parameters import ParameterError

from vdsim_plant import VDSimPlant

THEIRS = "(config, friction_map, friction_map_2d, base_mu, control_dt, substep_dt, level)"


def test_the_four_arguments_of_the_contract_stay_at_their_places() -> None:
    plant = VDSimPlant("ioniq5_awd", [(20.0, 40.0, 0.5)], 0.8, 0.02)
    assert plant.control_dt == 0.02
    assert VDSimPlant("ioniq5_awd", None, 0.8, 0.2).control_dt == 0.2
    assert type(copy.deepcopy(plant)) is VDSimPlant


@pytest.mark.parametrize(
    ("arguments", "place"),
    [
        (("ioniq5_awd", None, None), "third argument=None: must be base_mu"),
        (("ioniq5_awd", None, None, 0.5), "third argument=None: must be base_mu"),
        (("ioniq5_awd", None, []), "third argument=[]: must be base_mu"),
        (("ioniq5_awd", None, 0.9, 0.5), "fourth argument=0.5: must be control_dt of at most 0.2"),
    ],
)
def test_the_order_of_vdsim_is_refused_with_its_signature(
    arguments: tuple[object, ...], place: str
) -> None:
    with pytest.raises(ParameterError) as caught:
        VDSimPlant(*arguments)  # type: ignore[arg-type]
    assert str(caught.value).startswith(place)
    assert THEIRS in str(caught.value)


def test_by_name_everything_is_as_before() -> None:
    assert VDSimPlant("ioniq5_awd", base_mu=None, control_dt=0.5).control_dt == 0.5
