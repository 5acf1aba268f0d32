"""The injectors of the campaign on virtual time: a function for each, by the same name.

A function begins the fault; where it does not end by itself, it returns what ends it. Without a
twin are those that need what the simulator has not (boundaries.py).
"""

from __future__ import annotations

import dataclasses
import itertools
import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from vdsim_interface.values import Command, HighLevelCommand
from vdsim_interface.values.state_message import StateMessage
from vdsim_protocol.faults import LinkFaults
from vdsim_simulate.car import STRANGER_ADDRESS
from vdsim_simulate.network import Link
from vdsim_simulate.senders import repeat
from vdsim_simulate.wiring.composition import NO_MEMORY

from vdsim_campaign.bounds import SPEED_MPS
from vdsim_campaign.cells import OfCell
from vdsim_campaign.faults import PROCESSES
from vdsim_campaign.lies import LIES
from vdsim_campaign.virtual.world import TappedWorld
from vdsim_campaign.wire_tap import COMMAND, PERFECT
from vdsim_protocol import vds1

End = Callable[[], None]


@dataclass
class VirtualTrial(OfCell):
    """A cell that runs. `injected`: how often the fault was injected, where that is counted."""

    world: TappedWorld
    curvature_1pm: float
    injected: int = 0

    def repeated(self, work: End, rate_hz: float) -> None:
        """Repeat some work while the fault lasts; `injected` counts how often."""

        def counted() -> None:
            work()
            self.injected += 1

        repeat(self.world.agenda, 1.0 / rate_hz, self.cell.lasts_s, counted)


def _nothing_to_end() -> None:
    """It ends by itself."""


# ---- link ----------------------------------------------------------------------------------------


def link(trial: VirtualTrial) -> End:
    """Faults of the link in one direction, or in both."""
    values = {k: float(v) for k, v in trial.cell.values.items() if k != "direction"}
    chosen, world = trial.word("direction"), trial.world
    links = {COMMAND: world.command_link, "state": world.state_link}
    hit = list(links.values()) if chosen == "both" else [links[chosen]]
    return _harm(hit, LinkFaults(**values))  # type: ignore[arg-type]


def _harm(links: list[Link], faults: LinkFaults) -> End:
    for each in links:
        each.set_faults(faults)

    def end() -> None:
        for each in links:
            each.set_faults(PERFECT)

    return end


def command_stamps(trial: VirtualTrial) -> End:
    """The stack's clock is wrong."""
    planner, offset_s = trial.world.planner, trial.value("offset_s")
    planner.says = lambda command: command._replace(stamp_s=command.stamp_s + offset_s)

    def end() -> None:
        planner.says = None

    return end


# ---- processes -----------------------------------------------------------------------------------


def kill(trial: VirtualTrial) -> End:
    """End the process; start it again at the end."""
    return _end(trial, "")


def terminate(trial: VirtualTrial) -> End:
    """End the process by SIGTERM; start it again at the end."""
    return _end(trial, NO_MEMORY)


def _end(trial: VirtualTrial, how: str) -> End:
    world, role = trial.world, trial.cell.process
    world.end(role, how)
    return lambda: world.start(role)


def freeze(trial: VirtualTrial) -> End:
    """SIGSTOP, and SIGCONT at the end."""
    world = trial.world
    world.stall(world.process_of(trial.cell.process), trial.cell.lasts_s)
    return _nothing_to_end


def restart_all(trial: VirtualTrial) -> End:
    """Kill everything in one order, start it in another."""
    world, draws = trial.world, trial.random
    deciding = {"processes": PROCESSES["processes"], "guarded": PROCESSES["guarded"]}
    roles = ["plant", *deciding.get(trial.cell.composition, ("vehicle_interface",))]
    for role in draws.sample(roles, len(roles)):
        world.end(role, "")

    def start() -> None:
        for role in draws.sample(roles, len(roles)):
            world.start(role)

    return start


def planner_silent(trial: VirtualTrial) -> End:
    """The stack publishes nothing."""
    planner = trial.world.planner
    planner.is_silent = True

    def end() -> None:
        planner.is_silent = False

    return end


def planner_slow(trial: VirtualTrial) -> End:
    """The stack publishes seldom."""
    world = trial.world
    end = planner_silent(trial)

    def once() -> None:
        world.planner.is_silent = False
        world.planner.period(world.agenda.now)
        world.planner.is_silent = True

    repeat(world.agenda, trial.value("period_s"), trial.cell.lasts_s, once)
    return end


# ---- floods --------------------------------------------------------------------------------------


def command_flood(trial: VirtualTrial) -> End:
    """The same command far too often."""
    command = HighLevelCommand(0.0, SPEED_MPS, trial.curvature_1pm)
    return _published(trial, command, trial.value("rate_hz"))


def _published(trial: VirtualTrial, command: Command, rate_hz: float) -> End:
    trial.repeated(lambda: trial.world.publish_command(command), rate_hz)
    return _nothing_to_end


def state_command_flood(trial: VirtualTrial) -> End:
    """State commands that change nothing but the lamps."""
    world, draws = trial.world, trial.random

    def send() -> None:
        message = StateMessage(headlight=draws.randrange(3), gear=0, mode=2)
        world.people.act("state command", lambda: world.interface.desk.state_message(message))

    trial.repeated(send, trial.value("rate_hz"))
    return _nothing_to_end


def engage_flood(trial: VirtualTrial) -> End:
    """Requests to engage while it is engaged."""
    trial.repeated(trial.world.ask_to_engage, trial.value("rate_hz"))
    return _nothing_to_end


def junk(trial: VirtualTrial) -> End:
    """Random bytes of all lengths, some with a true beginning, from a port of its own."""
    world, draws, to_plant = trial.world, trial.random, trial.word("port") == COMMAND
    heads = (b"", struct.pack("<IHH", vds1.MAGIC, 5, 1 if to_plant else 2))

    def send() -> None:
        data = draws.choice(heads) + draws.randbytes(draws.randrange(1, 600))
        if to_plant:
            world.car.arrive(data, STRANGER_ADDRESS)
        else:
            world.wire.arrive(data, STRANGER_ADDRESS)

    trial.repeated(send, trial.value("rate_hz"))
    return _nothing_to_end


# ---- strangers -----------------------------------------------------------------------------------


def stranger_commands(trial: VirtualTrial) -> End:
    """Full throttle and a turned wheel, valid in every byte, from another port."""
    world, draws = trial.world, trial.random
    numbers = iter(range(1 << 30, 1 << 31, 1 << 16))
    full = vds1.Command(0.4, 1.0, 0.0, 1, False)

    def send() -> None:
        stamp_s = draws.uniform(0.0, 1e6)
        data = vds1.encode_command(full, seq=next(numbers), timestamp_s=stamp_s, version=5)
        world.car.arrive(data, STRANGER_ADDRESS)

    trial.repeated(send, trial.value("rate_hz"))
    return _nothing_to_end


def stranger_in_silence(trial: VirtualTrial) -> End:
    """The same while nothing of the owner arrives."""
    end = _harm([trial.world.command_link], LinkFaults(loss=1.0))
    stranger_commands(trial)
    return end


def replay(trial: VirtualTrial) -> End:
    """Old packets of the interface, from another port."""
    world = trial.world
    packets = itertools.cycle([seen.data for seen in world.commands[-500:]])

    def send() -> None:
        world.car.arrive(next(packets), STRANGER_ADDRESS)

    trial.repeated(send, trial.value("rate_hz"))
    return _nothing_to_end


def forged_state(trial: VirtualTrial) -> End:
    """A car that stands, in valid packets far ahead, from another port."""
    world = trial.world
    packet = vds1.decode(world.latest_state)
    assert isinstance(packet, vds1.Packet)
    stands = dataclasses.replace(packet.body, vx_mps=0.0, wheel_spin_radps=(0.0,) * 4)
    numbers = itertools.count(packet.header.seq + 1000, 100)

    def send() -> None:
        stamp_s = packet.header.timestamp_s + 1.0
        data = vds1.encode_state(stands, seq=next(numbers), timestamp_s=stamp_s, version=5)
        world.wire.arrive(data, STRANGER_ADDRESS)

    trial.repeated(send, trial.value("rate_hz"))
    return _nothing_to_end


def second_publisher(trial: VirtualTrial) -> End:
    """Another publisher of the same topic that wants another speed."""
    return _published(trial, HighLevelCommand(0.0, trial.value("velocity_mps")), 50.0)


# ---- sensors -------------------------------------------------------------------------------------


def lie(trial: VirtualTrial) -> End:
    """STATE says what is not so."""
    world = trial.world
    world.alter = LIES[trial.word("lie")]()

    def end() -> None:
        world.alter = None

    return end


INJECTORS: Mapping[str, Callable[[VirtualTrial], End]] = MappingProxyType(
    {
        function.__name__: function
        for function in (
            link, command_stamps, kill, terminate, freeze, restart_all, planner_silent,
            planner_slow, command_flood, state_command_flood, engage_flood, junk,
            stranger_commands, stranger_in_silence, replay, forged_state, second_publisher, lie,
        )
    }
)  # fmt: skip
