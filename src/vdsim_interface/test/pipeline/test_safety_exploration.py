"""The short exploration of SafetySide, and that a defect of each property is found."""

import pytest
from vdsim_interface_kit.exploration.defects import DEFECTS, Defect
from vdsim_interface_kit.exploration.explore import Search
from vdsim_interface_kit.exploration.properties import PROPERTIES
from vdsim_interface_kit.exploration.scene import INPUTS
from vdsim_interface_kit.exploration.views import VIEWS, View

SHORT = [view for view in VIEWS if view.short]
BY_NAME = {view.name: view for view in VIEWS}


@pytest.mark.parametrize("view", SHORT, ids=lambda view: view.name)
def test_every_property_holds_in_every_reachable_state(view: View) -> None:
    search = Search(view.scene(), view.alphabet)
    explored = search.run(states_max=60_000)
    print(f"{view.name}: {explored.states} states, {explored.transitions} transitions")
    assert explored.violation is None, str(explored.violation)
    assert all(explored.modes.values()), explored.modes
    assert search.check_merges() > 100


@pytest.mark.parametrize("defect", DEFECTS, ids=lambda defect: defect.name)
def test_a_seeded_defect_is_found(defect: Defect) -> None:
    view = BY_NAME[defect.view]
    alphabet = tuple(name for name in view.alphabet if name not in defect.without)
    assert len(alphabet) == len(view.alphabet) - len(defect.without)
    broken = tuple(item for item in PROPERTIES if item.name == defect.breaks)
    with defect.seeded():
        violation = Search(view.scene(), alphabet, broken).run(states_max=60_000).violation
    assert violation is not None
    assert violation.name == defect.breaks, str(violation)


def test_every_property_has_a_defect_and_every_input_a_view() -> None:
    names = {item.name for item in PROPERTIES} | {"no dead end"}
    assert {defect.breaks for defect in DEFECTS} == names
    assert {name for view in VIEWS for name in view.alphabet} == set(INPUTS)
