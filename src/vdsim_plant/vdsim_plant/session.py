"""SimSession: the kernel of every run mode. One car, its energy and its layers, tick by tick.

    latched input -> actuator -> car on the road -> energy -> sensor -> output

No clock and no I/O, so the same object serves the real-time server, lockstep, external stepping
and scenario replay; several cars are several sessions.

Threads: one thread ticks. Others may call `set_input`, `state`, `measured_state` and `output` at
any time: inputs and ticks are values that are replaced as a whole, so that a reader never sees half
of a tick. An output costs more than a tick and is built only on request.
"""

from __future__ import annotations

import hashlib
import struct
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NoReturn

from vdsim_plant.actuator import ActuatorLayer, ActuatorParameters
from vdsim_plant.energy import EnergyStore
from vdsim_plant.kernel import layout as at
from vdsim_plant.motion import (
    NO_TORQUE,
    InitialState,
    PedalInput,
    VehicleMotion,
    WheelTorques,
)
from vdsim_plant.parameters import ParameterError, VehicleParameters, load_vehicle
from vdsim_plant.parameters.other_names import HasOtherNames
from vdsim_plant.plant_arguments import actuator_layer, loaded, refuse_unknown, sensor_layer
from vdsim_plant.sensor import (
    MEASURED_SIZE,
    MeasuredState,
    SensorLayer,
    SensorParameters,
    perfectly_measured,
    unpacked,
)
from vdsim_plant.vehicle import Buffer, Capture, Vehicle, check_pedals

AT_REST = PedalInput(steer_rad=0.0, throttle=0.0, brake=0.0, gear=1, handbrake=False)
_PEDALS = struct.Struct("<dddi?")
_TORQUES = struct.Struct("<?8d")
_INPUT_SIZE = _PEDALS.size + _TORQUES.size
_SNAPSHOT = struct.Struct("<8sQdIII")
_SNAPSHOT_MAGIC = b"session2"
_WHEELS = struct.Struct("=4d")
_DOUBLE = _WHEELS.size // 4


@dataclass(frozen=True)
class SessionOutput:
    """Everything about a car after a tick; `tick` and time count from the last reset."""

    tick: int
    time_s: float
    commanded: PedalInput
    """The input as it was latched."""
    realized: PedalInput
    """What the actuators made of it and the car was driven with."""
    motion: VehicleMotion
    """The true state."""
    measured: MeasuredState
    """The true state as the sensors report it; the same when there are none."""
    charge: float
    """What is left in battery or tank, 0 to 1; at 0 the motor gives nothing."""


@dataclass
class SessionFrame:
    """A tick as it was left: never changed again, apart from keeping its output once built."""

    tick: int
    commanded: PedalInput
    realized: PedalInput
    capture: Capture
    measured: MeasuredState | None
    """None where there are no sensors: then the truth is measured."""
    charge: float
    output: SessionOutput | None = None


class SimSession(HasOtherNames):
    """A car that ticks. Starts at `initial`; `reset` goes back there.

    Without actuators or sensors, what is commanded is realized and the truth is measured.
    """

    def __init__(
        self,
        vehicle: Vehicle | VehicleParameters | str | Path = "ioniq5_awd",
        *,
        initial: InitialState | None = None,
        actuators: ActuatorLayer | ActuatorParameters | str | Path | None = None,
        sensors: SensorLayer | SensorParameters | str | Path | None = None,
        seed: int = 0,
        charge: float = 1.0,
        **unknown: NoReturn,
    ) -> None:
        """`vehicle`: a car as it is (`Vehicle`: its road, level, tyre, assistance), or its name.

        `vehicle`, `actuators` and `sensors` are presets, paths or parameters, as VDSimPlant takes
        them; `seed`: of the noise of sensors that are given so.
        """
        refuse_unknown(unknown, SimSession.__init__)
        if not isinstance(vehicle, Vehicle):
            vehicle = Vehicle(loaded("vehicle", vehicle, VehicleParameters, load_vehicle))
        if actuators is not None and not isinstance(actuators, ActuatorLayer):
            actuators = actuator_layer(actuators)
        if sensors is not None and not isinstance(sensors, SensorLayer):
            sensors = sensor_layer(sensors, seed)
        self._vehicle = vehicle
        self._actuator = actuators
        self._sensor = sensors
        self._initial = InitialState() if initial is None else initial
        self._initial_charge = charge
        self._energy = EnergyStore(vehicle.parameters.energy, charge)
        self._latched = AT_REST
        self.reset()

    def __repr__(self) -> str:
        """Return the car and the tick."""
        return f"SimSession({self._vehicle!r}, tick={self._tick})"

    @property
    def name(self) -> str:
        """Name of the vehicle."""
        return self._vehicle.parameters.name

    @property
    def vehicle(self) -> Vehicle:
        """The car itself, for readers of frames."""
        return self._vehicle

    @property
    def max_steer_rad(self) -> float:
        """Largest road wheel angle [rad]."""
        return self._vehicle.parameters.steering.max_angle_rad

    @property
    def initial(self) -> InitialState:
        """Where a reset without argument goes."""
        return self._initial

    def reset(self, initial: InitialState | None = None) -> None:
        """Put the car into a state at time 0, with the charge it started with; keeps the input."""
        self._vehicle.reset(self._initial if initial is None else initial)
        self._energy.level = self._initial_charge
        if self._actuator is not None:
            self._actuator.reset()
        if self._sensor is not None:
            self._sensor.reset()
        self._tick = 0
        self._frame = self._framed(self._latched, AT_REST, self._vehicle.capture())

    def set_input(self, pedals: PedalInput) -> None:
        """Latch an input; every tick uses the last one (zero-order hold).

        One that no car can be driven with raises a ParameterError here, where it comes from, and
        changes nothing: the thread that ticks goes on with the last one.
        """
        check_pedals(pedals)
        self._latched = pedals

    def tick(self, duration_s: float) -> None:
        """Advance by a whole number of the vehicle's substeps."""
        commanded = self._latched
        actuator = self._actuator
        realized = commanded
        if actuator is not None:
            realized = actuator.realize_pedals(commanded, duration_s, self._vehicle.speed_mps())
        if realized.throttle > 0.0 and self._energy.empty:
            realized = replace(realized, throttle=0.0)
        if realized.torques is not None and self._energy.empty:
            realized = replace(realized, torques=realized.torques.without_drive())
        self._vehicle.step_pedals(realized, duration_s)
        self._tick += 1
        capture = self._vehicle.capture()
        self._energy.advance(drive_power_w(capture[0]), duration_s)
        self._frame = self._framed(commanded, realized, capture)

    def state(self) -> VehicleMotion:
        """The true state after the last tick."""
        return self.output().motion

    def measured_state(self) -> MeasuredState:
        """The state as the sensors report it."""
        return self.output().measured

    def output(self) -> SessionOutput:
        """Everything about the last tick; built when first asked for."""
        frame = self._frame
        if frame.output is None:
            frame.output = self._built(frame)
        return frame.output

    def frame(self) -> SessionFrame:
        """The last tick as the numeric core left it, for readers that want few numbers fast."""
        return self._frame

    def snapshot(self) -> bytes:
        """The whole state; `restore` continues from it to the bit."""
        output = self.output()
        pieces = [
            self._vehicle.snapshot(),
            self._actuator.snapshot() if self._actuator is not None else b"",
            self._sensor.snapshot() if self._sensor is not None else b"",
        ]
        sizes = map(len, pieces)
        return b"".join(
            (
                _SNAPSHOT.pack(_SNAPSHOT_MAGIC, self._tick, self._energy.level, *sizes),
                _packed_input(self._latched),
                _packed_input(output.realized),
                output.measured.packed(),
                *pieces,
            )
        )

    def restore(self, snapshot: bytes) -> None:
        """Continue from the snapshot of the same car, layers and road."""
        wrong = ParameterError("snapshot", f"has {len(snapshot)} bytes: not of such a session")
        if len(snapshot) < _PIECES_AT or not snapshot.startswith(_SNAPSHOT_MAGIC):
            raise wrong
        _, tick, charge, *sizes = _SNAPSHOT.unpack_from(snapshot)
        layers = (True, self._actuator is not None, self._sensor is not None)
        if len(snapshot) != _PIECES_AT + sum(sizes) or layers != tuple(map(bool, sizes)):
            raise wrong
        sensor_at = len(snapshot) - sizes[2]
        actuator_at = sensor_at - sizes[1]
        self._vehicle.restore(snapshot[_PIECES_AT:actuator_at])
        if self._actuator is not None:
            self._actuator.restore(snapshot[actuator_at:sensor_at])
        if self._sensor is not None:
            self._sensor.restore(snapshot[sensor_at:])
        self._tick, self._energy.level = tick, charge
        self._latched = _unpacked_input(snapshot, _SNAPSHOT.size)
        realized = _unpacked_input(snapshot, _SNAPSHOT.size + _INPUT_SIZE)
        measured = None
        if self._sensor is not None:
            measured = unpacked(snapshot, _PIECES_AT - MEASURED_SIZE)
        self._frame = SessionFrame(
            tick=tick,
            commanded=self._latched,
            realized=realized,
            capture=self._vehicle.capture(),
            measured=measured,
            charge=charge,
        )

    def state_hash(self) -> str:
        """SHA-256 of the state: equal after equal inputs, in every run and process.

        What the numeric core merely keeps to be fast is not state and does not count.
        """
        frame = self._frame
        _, throttle, brake = frame.capture
        digest = hashlib.sha256(self._vehicle.state_of(frame.capture).tobytes())
        digest.update(struct.pack("<Qddd", frame.tick, frame.charge, throttle, brake))
        digest.update(_pack(self._latched))
        if self._latched.torques is not None:
            digest.update(_pack_torques(self._latched.torques))
        digest.update(b"" if self._actuator is None else self._actuator.snapshot())
        digest.update(b"" if self._sensor is None else self._sensor.snapshot())
        return digest.hexdigest()

    def fingerprint(self) -> str:
        """SHA-256 of everything that is not state: equal cars, roads, layers and starts."""
        vehicle, actuator, sensor = self._vehicle, self._actuator, self._sensor
        parts = (
            vehicle.parameters,
            vehicle.tyre,
            vehicle.ground,
            vehicle.level,
            vehicle.substep_s,
            self._initial,
            self._initial_charge,
            None if actuator is None else actuator.parameters,
            None if sensor is None else (sensor.parameters, sensor.seed),
        )
        # What came later must not change the fingerprint of cars without it.
        assist = "" if vehicle.assist is None else repr(vehicle.assist)
        return hashlib.sha256((repr(parts) + assist).encode()).hexdigest()

    def _framed(
        self, commanded: PedalInput, realized: PedalInput, capture: Capture
    ) -> SessionFrame:
        """The present tick; sensors measure every one, read or not."""
        frame = SessionFrame(
            tick=self._tick,
            commanded=commanded,
            realized=realized,
            capture=capture,
            measured=None,
            charge=self._energy.level,
        )
        if self._sensor is not None:
            frame.measured = self._sensor.measure(self._vehicle.motion_of(capture))
        return frame

    def _built(self, frame: SessionFrame) -> SessionOutput:
        motion = self._vehicle.motion_of(frame.capture)
        return SessionOutput(
            tick=frame.tick,
            time_s=motion.time_s,
            commanded=frame.commanded,
            realized=frame.realized,
            motion=motion,
            measured=frame.measured or perfectly_measured(motion),
            charge=frame.charge,
        )


_PIECES_AT = _SNAPSHOT.size + 2 * _INPUT_SIZE + MEASURED_SIZE


def drive_power_w(car: Buffer) -> float:
    """Power that motor and brakes give the wheels [W]; negative when they are braked.

    It is what the wheels put on the road and what their rolling takes; their own inertia is left
    aside.
    Plain Python on unpacked numbers: a dozen of them do not justify a compiler at start-up.
    """
    numbers = car.data
    force_fl, force_fr, force_rl, force_rr = _WHEELS.unpack_from(numbers, _DOUBLE * at.FX)
    spin_fl, spin_fr, spin_rl, spin_rr = _WHEELS.unpack_from(numbers, _DOUBLE * at.SPIN)
    load_fl, load_fr, load_rl, load_rr = _WHEELS.unpack_from(numbers, _DOUBLE * at.FZ)
    torque_speed: float = force_fl * spin_fl + force_fr * spin_fr
    torque_speed = torque_speed + force_rl * spin_rl + force_rr * spin_rr
    rolled: float = load_fl * abs(spin_fl) + load_fr * abs(spin_fr)
    rolled = rolled + load_rl * abs(spin_rl) + load_rr * abs(spin_rr)
    return (torque_speed + car.item(at.ROLLING_RESISTANCE) * rolled) * car.item(at.RADIUS)


def _pack(pedals: PedalInput) -> bytes:
    return _PEDALS.pack(
        pedals.steer_rad, pedals.throttle, pedals.brake, pedals.gear, pedals.handbrake
    )


def _pack_torques(torques: WheelTorques | None) -> bytes:
    if torques is None:
        return _TORQUES.pack(False, *NO_TORQUE, *NO_TORQUE)
    return _TORQUES.pack(True, *torques.drive_nm, *torques.brake_nm)


def _packed_input(pedals: PedalInput) -> bytes:
    return _pack(pedals) + _pack_torques(pedals.torques)


def _unpacked_input(snapshot: bytes, offset: int) -> PedalInput:
    given, *numbers = _TORQUES.unpack_from(snapshot, offset + _PEDALS.size)
    drive, brake = tuple(numbers[:4]), tuple(numbers[4:])
    torques = WheelTorques(drive, brake) if given else None
    steer_rad, throttle, brake, gear, handbrake = _PEDALS.unpack_from(snapshot, offset)
    return PedalInput(
        steer_rad=steer_rad,
        throttle=throttle,
        brake=brake,
        gear=gear,
        handbrake=handbrake,
        torques=torques,
    )
