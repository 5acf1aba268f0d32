"""A simulated world: the interface, the car, the stack and the people of one scene, in one thread.

Theory of operation. Every process is a `Process` of one agenda, with a clock of its own; links and
topics carry bytes and values between them. The objects inside are the shipped ones, created as the
shipped nodes create them. Nothing reads the machine's clock and every random number comes from the
scene's seed, so that a scene gives the same packets on every machine.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from functools import partial

from vdsim_interface.platforms.pedal_table import load_pedal_map
from vdsim_interface.values import Command, Notice, VehicleCommand

from vdsim_simulate import record as facts
from vdsim_simulate.agenda import Agenda, Clock, Process
from vdsim_simulate.bus.car import BusCar
from vdsim_simulate.bus.file_reading import FileReading
from vdsim_simulate.bus.reading import BusReading
from vdsim_simulate.car import INTERFACE_ADDRESS, TICK_S, Car, PacketReading, told_by
from vdsim_simulate.fault_table import FAULTS
from vdsim_simulate.held import held_n
from vdsim_simulate.morai.car import MoraiCar
from vdsim_simulate.morai.reading import MoraiReading, says_keyboard
from vdsim_simulate.network import HOP_S, Link
from vdsim_simulate.people import CABIN_PERIOD_S, People
from vdsim_simulate.record import Fact, Record
from vdsim_simulate.scene import ENGAGES_S, MOST_LATERAL_MPS2, Event, Leg, Scene, scene_error
from vdsim_simulate.stack import G_MPS2, PERIOD_S, Planner, wanted_of
from vdsim_simulate.wiring.composition import Composition, Wire
from vdsim_simulate.wiring.event_log import EventLog
from vdsim_simulate.wiring.guarded import Guarded
from vdsim_simulate.wiring.processes import Processes
from vdsim_simulate.wiring.shipped import can_car, interface_parameters
from vdsim_simulate.wiring.single import Single
from vdsim_simulate.wiring.tapes import Tapes
from vdsim_simulate.wiring.two_computers import TwoComputers

DRIFT_PPM = 100.0
PHASES = (
    *("handshake", "parking", "stands", "starts on a hill", "in a bend", "bend at the limit"),
    *("brakes hard", "brakes", "speeds up", "cruises"),
)
"""What the car does when a fault begins."""
HANDSHAKE_S = 1.0
HELD_PERIOD_S = 2.0
REPEATS_S = 0.1
"""So soon after its start a process hears again how doors and the switch are."""
GIVES_BACK_S = (4.0, 4.5, 4.6)
"""When a person gives control back, after the last fault has healed: it is refused while the car
moves; at rest one call resets an emergency stop, and the next one lets autonomy drive."""
RESUMES_S, STOPS_S = 6.0, 13.0
"""When the stack asks to drive, after the last fault has healed, and when to stand again."""
COMPOSITIONS: dict[str, type[Composition]] = {
    "single": Single,
    "guarded": Guarded,
    "processes": Processes,
    "two_computers": TwoComputers,
}
STANDS = Leg(0.0, 0.0, 1.0)


class World:
    """One scene, running. `record` is what comes of it."""

    def __init__(self, scene: Scene, tapes: Tapes | None = None) -> None:
        """`tapes`: where the processes write what enters them."""
        self.scene = scene
        self._tapes = tapes
        self.record = Record(scene)
        self.agenda = Agenda()
        self.draws = random.Random(f"world {scene.seed}")
        self.car_process = self._process("car")
        self.stack_process = self._process("stack")
        self._make_car()
        self._make_interface()
        self._make_stack()
        self._schedule()

    # ---- for faults ------------------------------------------------------------------------------

    def note(self, what: str, text: str = "", who: str = "") -> None:
        """Write down that something happened."""
        self.record.facts.append(Fact(self.agenda.now, what, text, who))

    def stall(self, process: Process, for_s: float) -> None:
        """Let a process not run for a while; one that has ended runs again when it is started."""
        process.stall(for_s)
        if not process.is_alive:
            return
        self.note(facts.STALLED, who=process.name)

        def note_that_it_runs() -> None:
            if process.is_running:
                self.note(facts.RUNS_AGAIN, who=process.name)

        self.agenda.at(process.wakes_s, note_that_it_runs)

    def note_loaded(self) -> None:
        """MORAI has put the car back to its start."""
        self.planner.heading_rad = 0.0
        self.note(facts.LOADED)

    def cut(self, link: Link, for_s: float) -> None:
        """Let nothing pass a link for a while."""
        link.is_cut = True
        self.note(facts.STATE_CUT if link is self.state_link else facts.COMMAND_CUT)

        def mend() -> None:
            link.is_cut = False
            if link is self.state_link:
                self.note(facts.STATE_PASSES)

        self.agenda.after(for_s, mend)

    def restart_safety(
        self,
        down_s: float,
        hears_s: float,
        heard_s: float,
        end: Callable[[], None] | None = None,
    ) -> None:
        """Kill the process that decides who drives, and start it again.

        While it is down another kill changes nothing.
        """
        interface = self.interface
        if not interface.safety.is_alive:
            return
        (end or interface.end_safety)()
        self.note(facts.KILLED, who=interface.safety.name)

        def start() -> None:
            self.note(facts.STARTED, "the process runs again", interface.safety.name)
            interface.restart_safety(hears_after_s=hears_s, is_heard_after_s=heard_s)
            self.agenda.after(REPEATS_S, self.people.repeat_inputs)

        self.agenda.after(down_s, start)

    # ---- running ---------------------------------------------------------------------------------

    def run(self) -> Record:
        """Run the whole scene."""
        try:
            self.agenda.run_until(self.scene.ends_s)
        except Exception as error:
            begun = [fact.text for fact in self.record.facts if fact.what == facts.FAULT]
            what = f"after {begun[-1]}" if begun else "without a fault"
            raise scene_error(self.scene, self.agenda.now, what, error) from error
        return self.record

    # ---- the parts -------------------------------------------------------------------------------

    def _clock(self) -> Clock:
        return Clock(
            self.agenda,
            origin_s=1000.0 + self.draws.uniform(0.0, 100.0),
            drift_ppm=self.draws.uniform(-DRIFT_PPM, DRIFT_PPM),
        )

    def _process(self, name: str) -> Process:
        draws = random.Random(f"{name} {self.scene.seed}")
        return Process(self.agenda, name, self._clock(), draws)

    def _phase_s(self, period_s: float) -> float:
        return self.draws.uniform(0.0, period_s)

    def _make_car(self) -> None:
        seed = self.scene.seed
        self.latest_state = b""
        self._was_paused = self._keyboard_arrives = False
        self._sent_s: dict[bytes, float] = {}
        self._number_of: dict[bytes, int] = {}
        self.state_link = Link(self.agenda, f"state {seed}", self._state_arrives)
        self.command_link = Link(self.agenda, f"command {seed}", self._command_arrives)
        self.reading = self._new_reading()
        self.car = self._new_car()
        self.car_process.every(TICK_S, self._phase_s(TICK_S), self._tick_car)

    def _new_reading(self) -> PacketReading | MoraiReading | BusReading | FileReading:
        scene = self.scene
        if scene.platform == "vds1":
            return PacketReading()
        if scene.platform == "morai":
            return MoraiReading(scene, load_pedal_map(scene.car))
        if scene.car_file:
            return FileReading(can_car(scene), load_pedal_map(scene.car))
        return BusReading()

    def _new_car(self) -> Car | BusCar | MoraiCar:
        if self.scene.platform == "vds1":
            return Car(self.scene, self._send_state)
        if self.scene.platform == "morai":
            return MoraiCar(self.scene, self._send_state)
        return BusCar(self.scene, self.state_link.send, self.car_process.clock.now)

    @property
    def bus_car(self) -> BusCar:
        """The car of the platform `can`."""
        assert isinstance(self.car, BusCar)
        return self.car

    @property
    def plant_car(self) -> Car:
        """The car of the platform `vds1`."""
        assert isinstance(self.car, Car)
        return self.car

    @property
    def morai_car(self) -> MoraiCar:
        """The car of the platform `morai`."""
        assert isinstance(self.car, MoraiCar)
        return self.car

    def _tick_car(self) -> None:
        self.car.tick()
        if isinstance(self.car, MoraiCar) and self._is_paused(self.car):
            return  # as of a car whose process does not run
        if isinstance(self.car, BusCar):
            driven = self.record.driven
            if not driven or driven[-1][1] is not self.car.is_driven:
                driven.append((self.agenda.now, self.car.is_driven))
        sample = self.car.sample(self.agenda.now)
        self.record.car.append(sample)
        self.planner.speed_mps = sample.vx_mps
        packets = self.record.packets
        self.planner.is_in_reverse = bool(packets) and packets[-1].gear < 0
        self.planner.heading_rad += TICK_S * sample.yaw_rate_radps

    def _is_paused(self, car: MoraiCar) -> bool:
        if car.is_paused is not self._was_paused:
            self._was_paused = car.is_paused
            self.note(facts.PAUSED if car.is_paused else facts.GOES_ON)
            self.note(facts.STALLED if car.is_paused else facts.RUNS_AGAIN, who="car")
        return car.is_paused

    def _send_state(self, data: bytes) -> None:
        self._sent_s[data] = self.agenda.now
        if self.scene.platform == "vds1":
            self.record.states.append(told_by(data, self.agenda.now))
        self.state_link.send(data)

    def _state_arrives(self, data: bytes) -> None:
        self.latest_state = data
        if self.scene.platform == "morai":
            self._keyboard_arrives = self._keyboard_arrives or says_keyboard(data)
        sent_s = self._sent_s.get(data)
        if sent_s is not None:
            self.record.heard.append((self.agenda.now, sent_s))
        elif self.scene.platform == "can":
            self.record.met.setdefault(data[:4], self.agenda.now)
        self.wire.arrive(data)

    def _command_arrives(self, data: bytes) -> None:
        number = self._number_of.get(data)
        if number is not None:
            self.record.received.append((self.agenda.now, number))
        if self.car.arrive(data, INTERFACE_ADDRESS):
            self.record.arrivals_s.append(self.agenda.now)

    def _make_interface(self) -> None:
        parameters = interface_parameters(self.scene)
        self.record.parameters = parameters
        events = EventLog(lambda: self.agenda.now)
        self.record.events, self.record.explained = events.lines, events.explained
        self.record.control, self.record.commanded = events.control, events.commanded
        self.wire = Wire(self.scene, parameters, self._sent, self._note_state, events, self._tapes)
        self.wire.on_hearing = self._note_hearing
        make = COMPOSITIONS[self.scene.composition]
        self.interface = make(self.agenda, self._clock(), self.wire, self.scene.seed)
        if isinstance(self.interface, TwoComputers):
            self.record.computers = self.interface.heard

    def _note_state(self, vehicle_time_s: float) -> None:
        self.note(facts.STATE)
        if self._keyboard_arrives:
            self._keyboard_arrives = False
            self._note_keyboard()
        self.record.used.append((self.agenda.now, vehicle_time_s))

    def _note_keyboard(self) -> None:
        """Who chooses MORAI's keyboard in autonomy takes the car, as by the driver's switch.

        Autonomy that has just begun may not have seen the simulator in its other mode yet.
        """
        shown, mode = self.record.shown, self.interface.shown_mode
        if mode in ("NOT_READY", "AUTONOMOUS"):
            self.note(facts.KEYBOARD)
        drives = bool(shown) and shown[-1][1] == "AUTONOMOUS" == mode
        if drives and self.agenda.now - shown[-1][0] > CABIN_PERIOD_S:
            self.note(facts.SWITCH_ON)
            self.note(facts.SWITCH_OFF)

    def _note_hearing(self, hears: bool) -> None:
        self.note(facts.HEARS if hears else facts.DEAF, who="interface")

    def _sent(self, datagrams: tuple[bytes, ...]) -> None:
        self.reading.read(datagrams, self.agenda.now, self.record)
        if self.scene.platform == "vds1":
            first = len(self.record.packets) - len(datagrams)
            self._number_of.update((data, first + n) for n, data in enumerate(datagrams))
        for data in datagrams:
            self.command_link.send(data)

    def _make_stack(self) -> None:
        self.planner = Planner(self.scene, self.publish_command)
        self.people = People(self.agenda, lambda: self.interface, self.note)
        self.stack_process.every(
            PERIOD_S, self._phase_s(PERIOD_S), lambda: self.planner.period(self.agenda.now)
        )

    def publish_command(self, command: Command) -> None:
        """A stack publishes a command."""
        self.agenda.after(HOP_S, partial(self._deliver_command, command))

    def _deliver_command(self, command: Command) -> None:
        # What is not a number is discarded, and the last good command ages.
        if self.interface.safety.is_running and all(map(math.isfinite, command[1:])):
            self.note(facts.COMMAND)
            if isinstance(command, VehicleCommand):
                self.record.asked.append((self.agenda.now, command.long_accel_mps2))
            self.record.wanted.append(wanted_of(command, self.agenda.now))
        for inbox in self.interface.commands:
            inbox.put(command)

    def _count_held(self) -> None:
        self.record.kept.append((self.agenda.now, held_n(*self.interface.roots)))

    def _watch_mode(self) -> None:
        record, decides = self.record, self.interface.safety
        self._note_change(record.shown, self.interface.shown_mode)
        self._note_change(
            record.statuses, self.interface.status().mode.name if decides.is_running else ""
        )
        for stage in self.interface.stages:
            if self._tell not in stage.listeners:
                stage.listeners.append(self._tell)
        report = self.interface.state_report()
        if report is not None:
            self._note_change(record.lamps, report.blinker.name)
            self.people.see(report)
        mux = self.interface.desk.intake.mux
        who = mux.in_control.name if mux.in_control and self.interface.desk.intake.watches else ""
        if who or record.drivers:
            self._note_change(record.drivers, who)

    def _note_change(self, changes: list[tuple[float, str]], now: str) -> None:
        """Add what is published now, where it is not what was published before."""
        if not changes or changes[-1][1] != now:
            changes.append((self.agenda.now, now))

    def _tell(self, notices: tuple[Notice, ...], now: float) -> None:
        del now  # of a process's clock
        told = ((self.agenda.now, str(notice.kind), notice.text) for notice in notices)
        self.record.told.extend(told)

    # ---- the scene -------------------------------------------------------------------------------

    def _schedule(self) -> None:
        at = self.agenda.at
        self.stack_process.every(CABIN_PERIOD_S, 0.0, self._watch_mode)
        self.stack_process.every(HELD_PERIOD_S, HELD_PERIOD_S, self._count_held)
        at(ENGAGES_S, lambda: self.people.change_mode(engage=True))
        for event in self.scene.events:
            if event.name not in FAULTS:
                raise ValueError(
                    f"fault {event.name}: is unknown; one of your own needs --with FILE"
                )
            at(event.at_s, partial(self._begin, event))
        heals_s = self.scene.heals_s
        at(heals_s, self._heal)
        for after_s in GIVES_BACK_S:
            at(heals_s + after_s, self.people.give_back)
        at(heals_s + 4.7, self.people.restore_body)
        at(heals_s + 5.0, lambda: self.people.change_mode(engage=True))
        at(heals_s + RESUMES_S, self._set_out)
        at(heals_s + STOPS_S, self._stop_again)

    def _begin(self, event: Event) -> None:
        row = FAULTS[event.name]
        self.record.reached.add((event.name, self._phase(), self.interface.shown_mode))
        self.note(facts.FAULT, row.sentence(event.values))
        row.begin(self, **event.values)

    def _phase(self) -> str:
        """What the car does now; before its first tick it stands."""
        record, scene = self.record, self.scene
        asked = record.times(facts.ENGAGE)
        is_asked = bool(asked) and self.agenda.now - asked[-1] < HANDSHAKE_S
        if is_asked and self.interface.shown_mode != "AUTONOMOUS":
            return "handshake"
        car = record.car[-1] if record.car else None
        if car is None or abs(car.vx_mps) < 0.1:
            return "parking" if record.packets and record.packets[-1].hand_brake else "stands"
        lateral_mps2 = abs(car.vx_mps * car.yaw_rate_radps)
        if lateral_mps2 > 0.75 * min(MOST_LATERAL_MPS2, scene.least_mu * 0.6 * G_MPS2):
            return "bend at the limit"
        if lateral_mps2 > 1.0:
            return "in a bend"
        gains_mps2 = math.copysign(1.0, car.vx_mps) * car.accel_mps2
        if gains_mps2 < -1.5:
            return "brakes hard" if gains_mps2 < -3.5 else "brakes"
        if abs(scene.grade) >= 0.1 and abs(car.vx_mps) < 1.5 and self.planner.leg.speed_mps:
            return "starts on a hill"
        return "speeds up" if gains_mps2 > 0.5 else "cruises"

    def _heal(self) -> None:
        self.note(facts.HEALED, "every fault has ended; the stack asks to stand")
        self.planner.follow(STANDS)

    def _set_out(self) -> None:
        speed_mps = self.scene.resumes_mps
        self.note(facts.DRIVES_NOW, f"a person has engaged; the stack asks for {speed_mps:g} m/s")
        self.planner.follow(Leg(0.0, speed_mps))

    def _stop_again(self) -> None:
        self.note(facts.STANDS_NOW, "the stack asks to stand again")
        self.planner.follow(Leg(0.0, 0.0))
