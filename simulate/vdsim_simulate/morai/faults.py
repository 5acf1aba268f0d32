"""What a person does at the simulator: its pause, its keyboard, a scenario that is loaded again."""

from __future__ import annotations

from vdsim_simulate.fault_table import fault
from vdsim_simulate.world import World

ON_MORAI = ("morai",)


@fault("the simulator is paused for {for_s:g} s", platforms=ON_MORAI, for_s=(0.1, 4.0))
def simulator_pauses(world: World, for_s: float) -> None:
    """Its time stands still, and it sends on."""
    car = world.morai_car
    car.pause(is_on=True)
    world.agenda.after(for_s, lambda: car.pause(is_on=False))


@fault("a person switches the simulator to its keyboard", platforms=ON_MORAI)
def keyboard_is_chosen(world: World) -> None:
    """Until a command for its other mode arrives; in autonomy that person has the car."""
    world.morai_car.choose_keyboard()


@fault("a person loads the scenario again", platforms=ON_MORAI)
def scenario_is_loaded(world: World) -> None:
    """The car is where it was at the start, parked, on the simulator's keyboard."""
    world.morai_car.load_scenario(world.note_loaded)
