"""From a command to the bus: at most one cycle of its message and 1 ms, whenever it comes."""

import math
from pathlib import Path

import pytest
import vdsim_can_kit
from vdsim_can.car import CarFile
from vdsim_can.car.reading import load_car
from vdsim_can.fields.decoding import FieldDecoder
from vdsim_can.platform.limiter import ANGLE
from vdsim_can.traffic.wire_message import WireMessage
from vdsim_can_kit.dbw_car import dbw_car
from vdsim_can_kit.world import PERIOD_S, World
from vdsim_interface.values import HighLevelCommand, Mode

VAN = Path(vdsim_can_kit.__file__).with_name("van.yaml")


@pytest.mark.parametrize("car", [dbw_car(), load_car(VAN)], ids=lambda car: str(car.name))
@pytest.mark.parametrize("after_ms", [0.1, 2.5, 5.0, 9.9])
@pytest.mark.parametrize("periods", [200, 201])
def test_a_command_is_on_the_bus_within_its_cycle(
    car: CarFile, after_ms: float, periods: int
) -> None:
    """The stack turns the wheel once, some time after a tick; the next frame that steers has it."""
    world = World(car=car)
    row = next(each for each in car.commands if each.field == ANGLE)
    wire, decoder = WireMessage(car, car.send[row.signal.message]), FieldDecoder(car, row)

    def angle_rad() -> float:
        """What this period's frame carries; nan for none."""
        for _, frame in world.sent:
            if frame.can_id == wire.message.can_id:
                value = decoder.value(wire.unpack(frame.data)[row.signal.signal])
                assert isinstance(value, float)
                return value
        return math.nan

    for _ in range(periods):
        world.period()
    assert world.mode is Mode.AUTONOMOUS
    straight_rad = angle_rad()
    while math.isnan(straight_rad):
        world.period()
        straight_rad = angle_rad()
    commanded_s = world.now + 1e-3 * after_ms
    world.stack_lives = False
    world.pipeline.on_command(HighLevelCommand(commanded_s, 5.0, 0.05), commanded_s)
    for _ in range(10):
        world.period()
        now_rad = angle_rad()
        if not math.isnan(now_rad) and now_rad > straight_rad + 1e-4:
            break
    cycle_s = 1e-3 * wire.row.cycle_ms
    assert world.now - commanded_s <= max(cycle_s, PERIOD_S) + 0.001
