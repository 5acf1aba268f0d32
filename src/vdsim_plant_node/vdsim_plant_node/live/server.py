"""The plant server: vehicles, their ports and one tick that serves them all, in one thread.

A tick runs what other threads asked for, reads what has arrived, advances every vehicle and sends
STATE. `serve` paces it by the wall clock. `advance` runs it in lockstep: there the time of
watchdogs and links is simulation time, so that the same commands between the same ticks give the
same states.

The interface for viewers of the server (data port, ROS node): `subscribe` delivers read-only
snapshots, `latch_input` drives a vehicle, `call` runs anything else on the server's thread.
"""

from __future__ import annotations

import hashlib
import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, replace
from typing import TypeVar

from vdsim_plant.motion import InitialState, PedalInput
from vdsim_plant.parameters import ParameterError
from vdsim_plant.realtime.pacing import PRECISE_SPIN_S, PacedLoop, Pacer, PacingReport
from vdsim_plant.realtime.watched_session import Drive

from vdsim_plant_node.live.snapshots import ServerSnapshot, VehicleSnapshot
from vdsim_plant_node.live.udp_port import UdpPort
from vdsim_plant_node.live.udp_sockets import PortSocket, open_sockets
from vdsim_plant_node.live.wire_state import checked_pedals
from vdsim_plant_node.live.wire_vehicle import PreparedCar, WireVehicle
from vdsim_plant_node.runs.recording_status import RecordingStatus
from vdsim_plant_node.runs.recording_writer import RecordingWriter
from vdsim_plant_node.settings.server_settings import ServerSettings

Result = TypeVar("Result")
_BETWEEN_NOTES_S = 1.0


@dataclass
class Subscription:
    """Delivers snapshots until it is cancelled."""

    every_ticks: int
    deliver: Callable[[ServerSnapshot], None]
    cancelled: bool = False

    def cancel(self) -> None:
        """No snapshot is delivered after the present tick."""
        self.cancelled = True


class PlantServer:
    """Vehicles on sockets. Make it, then either `serve` on one thread, or `advance`."""

    def __init__(
        self,
        settings: ServerSettings,
        vehicles: tuple[WireVehicle, ...],
        *,
        sockets: tuple[PortSocket, ...] | None = None,
        clock: Callable[[], float] = time.monotonic,
        log: Callable[[str], None] = lambda line: None,
    ) -> None:
        """Take the sockets, which it closes; without them open its own, or raise an OSError."""
        self.settings = settings
        self.vehicles = vehicles
        self._vehicles_by_id = {vehicle.vehicle_id: vehicle for vehicle in vehicles}
        self._clock = clock
        self._log = log
        self._ticks = 0
        self.restarts = 0
        """How often a vehicle has restarted as another car."""
        self._paused = False
        self._serving = False
        self._start_s = 0.0
        self.recording: RecordingWriter | None = None
        self._has_noted_recording = False
        self._lock = threading.RLock()
        self._requests: deque[Callable[[], None]] = deque()
        self._subscriptions: list[Subscription] = []
        self._next_note_s: dict[tuple[int, Drive], float] = {}
        self._drives = {vehicle.vehicle_id: Drive.WAITING for vehicle in vehicles}
        spin_s = PRECISE_SPIN_S if settings.precise else 0.0
        self._runner = PacedLoop(
            Pacer(settings.tick_s), clock=clock, sleep=time.sleep, spin_s=spin_s
        )
        self.ports = self._open_ports(open_sockets(settings) if sockets is None else sockets)

    def _open_ports(self, sockets: tuple[PortSocket, ...]) -> tuple[UdpPort, ...]:
        return tuple(
            UdpPort(self.settings, port.socket, [self._vehicles_by_id[n] for n in port.vehicle_ids])
            for port in sockets
        )

    # --- running

    def serve(self, stopped: Callable[[], bool]) -> None:
        """Tick by the wall clock on this thread until `stopped()`."""
        self._start_s = self._clock() - self._ticks * self.settings.tick_s
        self._serving = True
        try:
            self._runner.run(self._tick_at, stopped)
        finally:
            self._serving = False
            self._run_requests()

    def advance(self, ticks: int) -> None:
        """Lockstep: run ticks at once, in simulation time."""
        with self._lock:
            for _ in range(ticks):
                self._tick(self._ticks * self.settings.tick_s)

    def close(self) -> None:
        """Close the ports."""
        for port in self.ports:
            port.close()

    def _tick_at(self, clock_s: float) -> None:
        self._tick(clock_s - self._start_s)

    def _tick(self, now: float) -> None:
        if self._requests:
            self._run_requests()
        for port in self.ports:
            port.receive(now)
            if port.notes:
                self._log_notes(port)
        if self._paused:
            return
        for vehicle in self.vehicles:
            vehicle.tick(now)
            if vehicle.drive is not self._drives[vehicle.vehicle_id]:
                self._note_drive(vehicle, now)
        self._ticks += 1
        if self._ticks % self.settings.ticks_per_state == 0:
            for port in self.ports:
                port.send_states(now)
        if self._subscriptions:
            self._deliver()
        if self.recording is not None:
            self._watch_recording(self.recording, now)

    def _watch_recording(self, recording: RecordingWriter, now: float) -> None:
        """Begin the next file when one is full; log once when the recording has ended early."""
        if recording.is_full:
            recording.begin_next()
            for vehicle in self.vehicles:
                vehicle.record_to(recording, now)
        elif recording.failure is not None and not self._has_noted_recording:
            self._has_noted_recording = True
            self._log(f"the recording has ended early: {recording.failure}; the run goes on")

    def _log_notes(self, port: UdpPort) -> None:
        for line in port.notes:
            self._log(line)
        port.notes.clear()

    def _note_drive(self, vehicle: WireVehicle, now: float) -> None:
        """Log who drives now; at most one line a second for each vehicle and driver."""
        self._drives[vehicle.vehicle_id] = vehicle.drive
        note = (vehicle.vehicle_id, vehicle.drive)
        if now < self._next_note_s.get(note, now):
            return
        self._next_note_s[note] = now + _BETWEEN_NOTES_S
        words = {
            Drive.WAITING: "waiting for a command",
            Drive.COMMANDED: "driven by commands",
            Drive.FAILSAFE: f"fail-safe, {vehicle.settings.failsafe.describe()}",
        }
        self._log(f"vehicle {vehicle.vehicle_id}: {words[vehicle.drive]}")

    # --- for viewers of the server, from any thread

    def call(self, action: Callable[[PlantServer], Result]) -> Future[Result]:
        """Run `action(server)` on the server's thread before its next tick; when idle, here."""
        future: Future[Result] = Future()

        def run() -> None:
            if not future.set_running_or_notify_cancel():
                return  # the caller has given up
            try:
                future.set_result(action(self))
            except Exception as error:  # belongs to the caller, must not stop the ticks
                future.set_exception(error)

        self._requests.append(run)
        if not self._serving:
            self._run_requests()
        return future

    def subscribe(
        self, deliver: Callable[[ServerSnapshot], None], *, rate_hz: float
    ) -> Subscription:
        """Deliver snapshots at up to `rate_hz` on the server's thread; `deliver` must be quick.

        A subscriber that raises is cancelled.
        """
        every_ticks = max(1, round(self.settings.tick_hz / rate_hz))
        subscription = Subscription(every_ticks, deliver)
        self.call(lambda server: server._subscriptions.append(subscription))
        return subscription

    def latch_input(self, vehicle_id: int, pedals: PedalInput) -> Future[None]:
        """Drive a vehicle as a CMD would; its watchdog counts from here."""
        return self.call(lambda server: server.drive(vehicle_id, pedals))

    # --- on the server's thread (through `call` from others)

    def now(self) -> float:
        """Time of watchdogs, links and recordings since the start [s].

        That of the clock when serving, simulation time in lockstep.
        """
        if self._serving:
            return self._clock() - self._start_s
        return self._ticks * self.settings.tick_s

    def vehicle(self, vehicle_id: int) -> WireVehicle:
        """The vehicle of that number, or a ParameterError that names those there are."""
        vehicle = self._vehicles_by_id.get(vehicle_id)
        if vehicle is None:
            known = ", ".join(map(str, self._vehicles_by_id))
            raise ParameterError("vehicle_id", f"={vehicle_id}: must be one of {known}")
        return vehicle

    def drive(self, vehicle_id: int, pedals: PedalInput, *, timeout_s: float = 0.0) -> None:
        """Latch an input that did not come over the wire; a ParameterError names a wrong value.

        `timeout_s`: how long it holds, where that is more than the vehicle's own time-out.
        """
        vehicle = self.vehicle(vehicle_id)
        vehicle.on_local_input(checked_pedals(pedals), self.now(), timeout_s=timeout_s)

    def release(self, vehicle_id: int, *, on_purpose: bool) -> None:
        """Let go of a vehicle that such an input drives: the fail-safe begins at once."""
        self.vehicle(vehicle_id).release(self.now(), on_purpose=on_purpose)

    def reset(self, vehicle_id: int | None = None, initial: InitialState | None = None) -> None:
        """Set one vehicle, or all, to a state; by default each to its start."""
        vehicles = self.vehicles if vehicle_id is None else (self.vehicle(vehicle_id),)
        for vehicle in vehicles:
            vehicle.reset(initial, self.now())

    def restart(self, vehicle_id: int, car: PreparedCar) -> None:
        """Put another car in the place of a vehicle's; sockets, links and subscribers stay."""
        self.vehicle(vehicle_id).restart(car, self.now())
        self.restarts += 1
        vehicles = tuple(vehicle.settings for vehicle in self.vehicles)
        self.settings = replace(self.settings, vehicles=vehicles)
        for port in self.ports:
            port.take_over_limits()
        self._log(
            f"vehicle {vehicle_id}: restarted as {car.session.name} ({car.settings.level}), "
            f"tyre {car.session.vehicle.tyre.name}"
        )

    def state_hash(self) -> str:
        """SHA-256 over the state of every vehicle: equal after equal inputs."""
        hashes = (vehicle.session.state_hash() for vehicle in self.vehicles)
        return hashlib.sha256("".join(hashes).encode()).hexdigest()

    def describe(self) -> list[str]:
        """One line a vehicle: where it is driven from, where its STATE goes, its fail-safe."""
        rate_hz = self.settings.state_rate_hz
        lines = []
        for port in self.ports:
            ip, number = port.address
            for vehicle in port.vehicles:
                targets = port.destinations(vehicle.vehicle_id, self.now())
                where = [f"{target[0]}:{target[1]}" for some in targets.values() for target in some]
                name = f"{vehicle.session.name} ({vehicle.settings.level})"
                lines.append(
                    f"vehicle {vehicle.vehicle_id} {name}: CMD at {ip}:{number}, "
                    f"STATE at {rate_hz:g} Hz to "
                    f"{', '.join(where) or 'the senders of CMD'}; "
                    f"{vehicle.settings.failsafe.describe()}"
                )
        return lines

    @property
    def paused(self) -> bool:
        """Whether time is stopped."""
        return self._paused

    def pacing(self) -> PacingReport:
        """How well the ticks have kept their time."""
        return self._runner.pacer.report()

    def recording_status(self) -> RecordingStatus | None:
        """How the recording goes; None without one."""
        return None if self.recording is None else self.recording.status()

    def pause(self, paused: bool) -> None:
        """Stop or resume time. While it is stopped, CMD is still received and no STATE is sent."""
        self._paused = paused

    def snapshot(self) -> ServerSnapshot:
        """Everything about the server now."""
        now = self.now()
        return ServerSnapshot(
            time_s=now,
            ticks=self._ticks,
            paused=self._paused,
            vehicles=tuple(
                VehicleSnapshot(vehicle.output, vehicle.status(now)) for vehicle in self.vehicles
            ),
            ports=tuple(port.snapshot() for port in self.ports),
            pacing=self.pacing(),
            recording=self.recording_status(),
        )

    def _run_requests(self) -> None:
        with self._lock:
            while self._requests:
                self._requests.popleft()()

    def _deliver(self) -> None:
        snapshot: ServerSnapshot | None = None
        for subscription in tuple(self._subscriptions):
            if subscription.cancelled:
                self._subscriptions.remove(subscription)
            elif self._ticks % subscription.every_ticks == 0:
                snapshot = snapshot or self.snapshot()
                try:
                    subscription.deliver(snapshot)
                except Exception as error:  # a viewer must not stop the plant
                    subscription.cancel()
                    self._log(f"a subscriber failed and was cancelled: {error!r}")
