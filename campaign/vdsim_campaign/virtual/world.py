"""The simulator's world with the campaign's tap: what passes the wire, and what is said."""

from __future__ import annotations

from typing import Any

import yaml
from vdsim_plant.ground import Ground
from vdsim_plant.motion import InitialState, PedalInput
from vdsim_simulate.agenda import Process
from vdsim_simulate.car import TICK_S, Car
from vdsim_simulate.scene import Scene
from vdsim_simulate.wiring.guarded import Guarded
from vdsim_simulate.wiring.processes import Processes
from vdsim_simulate.wiring.stage import Stage
from vdsim_simulate.world import REPEATS_S, World

from vdsim_campaign import checks
from vdsim_campaign.cells import Cell
from vdsim_campaign.counts import Counted
from vdsim_campaign.lies import Alter
from vdsim_campaign.roads import GROUNDS
from vdsim_campaign.wire_tap import Seen

NEVER_S = 1e9
COMPOSITION = {"container": "single"}
"""Where a composition of the campaign runs; a container's process has the node of `single`."""
MATCHES_S = 0.2
"""So long the topics of a process that has started need to find their other ends."""
_PROCESS = {
    "velocity_controller": "controller",
    "low_pass_filter": "filter",
    "platform_interface": "platform",
}
"""The simulator's names of the stages before and after the one that decides."""


class Applied:
    """A recorder of the plant that keeps the commands, and nothing else."""

    def __init__(self) -> None:
        self.datagrams: list[bytes] = []

    def command(self, vehicle_id: int, tick: int, time_s: float, datagram: bytes) -> None:
        """An accepted CMD as it was received."""
        del vehicle_id, tick, time_s
        self.datagrams.append(datagram)

    def state(self, vehicle_id: int, tick: int, time_s: float, datagram: bytes) -> None:
        """A STATE as it was sent."""

    def input(
        self, vehicle_id: int, tick: int, time_s: float, pedals: PedalInput, source: object
    ) -> None:
        """A newly latched input."""

    def reset(self, vehicle_id: int, tick: int, time_s: float, initial: InitialState) -> None:
        """The vehicle was put to an initial state."""

    def snapshot(self, vehicle_id: int, tick: int, time_s: float, snapshot: bytes) -> None:
        """The exact state of a session."""


class TappedWorld(World):
    """A world that nothing is planned for: a cell says when something happens."""

    def __init__(self, cell: Cell) -> None:
        self.states: list[Seen] = []
        self.commands: list[Seen] = []
        self.applied = Applied()
        self.said: list[tuple[float, str]] = []
        self.modes: list[tuple[float, str]] = []
        self.alter: Alter | None = None
        self._heard: list[Stage] = []
        self._complained: set[str] = set()
        super().__init__(scene_of_cell(cell))
        self._tap_car()

    # ---- the wire --------------------------------------------------------------------------------

    def _new_car(self) -> Car:
        return Car(self.scene, self._state_leaves, log=self._plant_says)

    def _tap_car(self) -> None:
        self.plant_car.server.vehicles[0].record_to(self.applied, 0.0)  # type: ignore[arg-type]

    def _plant_says(self, line: str) -> None:
        self.said.append((self.agenda.now, f"plant: {line}"))

    def _state_leaves(self, data: bytes) -> None:
        self.states.append(Seen(self.agenda.now, data))
        self.state_link.send(data if self.alter is None else self.alter(data))

    def _sent(self, datagrams: tuple[bytes, ...]) -> None:
        self.commands += [Seen(self.agenda.now, data) for data in datagrams]
        super()._sent(datagrams)

    def counts(self) -> Counted:
        """What plant, interface and links have counted so far."""
        [port] = self.plant_car.server.snapshot().ports
        rejected = port.counters.rejected.items()
        return Counted(
            plant={f'vdsim_cmd_rejected_total{{reason="{r.value}"}}': n for r, n in rejected},
            interface=self._link_counts(),
            command_link=self.command_link.counters(),
            state_link=self.state_link.counters(),
            injected=0,
        )

    def _link_counts(self) -> dict[str, float]:
        found = self.interface.link_statistics()
        prefix = "rejected_"
        by_reason = {
            name.removeprefix(prefix): count
            for name, count in found.items()
            if name.startswith(prefix)
        }
        return {
            "duplicated": found.get("duplicates", 0.0),
            "rejected": sum(by_reason.values()),
            **by_reason,
        }

    # ---- what is said ----------------------------------------------------------------------------

    def listen(self) -> None:
        """Hear the mode, and every stage that runs, those that have just started, too."""
        mode = self.interface.shown_mode
        if not self.modes or self.modes[-1][1] != mode:
            self.modes.append((self.agenda.now, mode))
        for stage in self.interface.stages:
            if stage not in self._heard:
                self._heard.append(stage)
                self._keep(tuple(stage.told))
                stage.listeners.append(lambda notices, _: self._keep(notices))
        self._hear_complaints()

    def _hear_complaints(self) -> None:
        """Hear what status and diagnostics say, of which each text counts when it is new."""
        said = set(self.interface.complaints())
        self.said += [(self.agenda.now, text) for text in said - self._complained]
        self._complained = said

    def _keep(self, notices: tuple[Any, ...]) -> None:
        self.said += [(self.agenda.now, f"{each.kind}: {each.text}") for each in notices]

    def left_autonomy_since(self, time_s: float) -> bool:
        """Whether another mode than AUTONOMOUS was shown since then."""
        return any(since_s >= time_s and mode != "AUTONOMOUS" for since_s, mode in self.modes)

    # ---- processes -------------------------------------------------------------------------------

    def process_of(self, role: str) -> Process:
        """The process of a role of the campaign."""
        interface = self.interface
        if role == "plant":
            return self.car_process
        if isinstance(interface, Processes) and role in _PROCESS:
            front = {"controller": interface.front[0], "filter": interface.front[1]}
            return front.get(_PROCESS[role], interface.sender)
        if role == "vehicle_guard":
            return interface.sender
        return interface.safety

    def end(self, role: str, how: str) -> None:
        """End a process; with NO_MEMORY it sends its last, safe command, as at SIGTERM."""
        interface = self.interface
        if role == "plant":
            self.car_process.end()
        elif isinstance(interface, Processes) and role in _PROCESS:
            interface.end_other(_PROCESS[role], how)
        elif isinstance(interface, Guarded) and role == "vehicle_guard":
            interface.end_guard(how)
        elif how and not isinstance(interface, Guarded):
            interface.end_for_memory()
        else:
            interface.end_safety()

    def start(self, role: str) -> None:
        """Start a process again."""
        interface = self.interface
        if role == "plant":
            self._start_car()
        elif isinstance(interface, Processes) and role in _PROCESS:
            interface.restart_other(_PROCESS[role], lambda: MATCHES_S)
        elif isinstance(interface, Guarded) and role == "vehicle_guard":
            interface.restart_guard()
        else:
            interface.restart_safety(hears_after_s=MATCHES_S, is_heard_after_s=MATCHES_S)
            self.agenda.after(REPEATS_S, self.people.repeat_inputs)

    def _start_car(self) -> None:
        """Start another plant: its car stands where cars start."""
        self.car_process = self._process("car")
        self.car = self._new_car()
        self._tap_car()
        self.car_process.every(TICK_S, self._phase_s(TICK_S), self._tick_car)

    def ask_to_engage(self) -> None:
        """A person asks for autonomy, unless the process that decides is down."""
        if self.interface.safety.is_running:
            self.people.change_mode(engage=True)

    @property
    def speed_mps(self) -> float:
        """The speed that the plant reported last [m/s]."""
        return checks.speed_of(self.states[-1].data) if self.states else 0.0

    @property
    def reported_s(self) -> float:
        """When the plant reported last [s]."""
        return self.states[-1].time_s if self.states else -NEVER_S


def scene_of_cell(cell: Cell) -> Scene:
    """The road and the composition of a cell; nothing happens by itself."""
    ground: dict[str, Any] = yaml.safe_load(GROUNDS[cell.fault.road]) or {}
    split = ground.get("split", {})
    return Scene(
        seed=cell.draws("world").randrange(1 << 30),
        composition=COMPOSITION.get(cell.composition, cell.composition),
        mu=split.get("mu_right", ground.get("base_mu", Ground().base_mu)),
        mu_left=split.get("mu_left"),
        grade=ground.get("slope_x", 0.0),
        rig="driverless",
        heals_s=NEVER_S,
        ends_s=NEVER_S,
    )
