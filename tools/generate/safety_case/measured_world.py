"""For how long a promise of the wire and of the car is broken: the simulator's world.

The whole interface, its wire, the plant server and the car, on virtual time (docs/simulate.md).
"""

from __future__ import annotations

from vdsim_campaign.cells import cells_named
from vdsim_campaign.virtual.session import run
from vdsim_interface.arbitration.interface_parameters import STACK
from vdsim_simulate.car import TICK_S
from vdsim_simulate.oracles.promises import LOCKED
from vdsim_simulate.record import EMERGENCY
from vdsim_simulate.runs import run_scene
from vdsim_simulate.scene import Event, Leg, Scene

PERIOD_S = 0.01
SEED = 1
BEGINS_S, DRIVES_S = 2.0, 3.0
GAMEPAD = "gamepad"


def _measured(cell_name: str, requirement: str) -> float:
    [cell] = cells_named([cell_name], SEED)
    [found] = [each for each in run(cell).findings if each.requirement == requirement]
    return found.measured


def interface_falls_silent() -> float:
    """No packet reaches the vehicle: until its throttle is 0."""
    return _measured("command_link_silent.single", "brakes in time")


def stranger_drives() -> float:
    """Full throttle from another port: for as many periods as one of its packets was applied."""
    packets = _measured("second_command_sender.single", "no packet applied that was not sent")
    return packets * PERIOD_S


def wheel_locks() -> float:
    """An emergency stop on friction 0.3: for how long a wheel is locked while the car moves."""
    record = run_scene(
        Scene(
            car="ioniq5_awd", mu=0.3, actuator="passenger_car", start_mps=8.0,
            legs=(Leg(0.0, 8.0),), events=(Event(BEGINS_S, "emergency_stop"),),
            heals_s=9.0, ends_s=9.0,
        )
    )  # fmt: skip
    [stops_s] = record.times(EMERGENCY)
    moving = [car for car in record.car if car.time_s >= stops_s and car.vx_mps > 1.0]
    assert moving, "it stops from 8 m/s"
    return TICK_S * sum(car.slip > LOCKED for car in moving)


def stack_commands_beside_a_person() -> float:
    """A person drives by gamepad: for as many periods as a command of the stack is passed on."""
    record = run_scene(
        Scene(
            start_mps=3.0, legs=(Leg(0.0, 5.0),), heals_s=9.0, ends_s=9.0,
            events=(Event(BEGINS_S, "somebody_drives", {"source": GAMEPAD, "for_s": DRIVES_S}),),
        )
    )  # fmt: skip
    begins_s = min(each.time_s for each in record.commanded if each.who == GAMEPAD)
    ends_s = max(each.time_s for each in record.commanded if each.who == GAMEPAD)
    assert ends_s - begins_s > 0.9 * DRIVES_S, "the person drives"
    beside = [each for each in record.commanded if begins_s < each.time_s < ends_s]
    return PERIOD_S * sum(each.who == STACK for each in beside)
