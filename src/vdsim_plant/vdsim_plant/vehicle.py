"""Vehicle: one car that can be stepped. No clock, no I/O; the same inputs give the same bits."""

from __future__ import annotations

import hashlib
import math
import struct
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vdsim_plant.assembly import LEVELS, build_car
from vdsim_plant.assist.layer import MEMORY, AssistedRun, with_assistance
from vdsim_plant.assist.parameters import AssistParameters
from vdsim_plant.car.inputs import GEARS, STATE_LIMITS, check_pedals, check_start, with_torques
from vdsim_plant.car.loop_choice import loop_for
from vdsim_plant.car.ride_reading import RideReader
from vdsim_plant.car.snapshots import MODEL_VERSION, packed, unpacked
from vdsim_plant.ground import Ground, compile_ground, flat
from vdsim_plant.ground.heights import compile_heights
from vdsim_plant.kernel import layout as at
from vdsim_plant.kernel.motor_limit import limited_drive, most_torque
from vdsim_plant.linear.layout import STATES
from vdsim_plant.motion import (
    NO_TORQUE,
    NO_WIND,
    InitialState,
    PedalInput,
    VehicleMotion,
    Wheels,
    WheelTorques,
    Wind,
)
from vdsim_plant.motion_reading import MotionReader
from vdsim_plant.parameters import (
    GRAVITY_MPS2,
    ParameterError,
    TyreParameters,
    VehicleParameters,
    load_tyre,
    load_vehicle,
)
from vdsim_plant.parameters.entries import checked_truth
from vdsim_plant.parameters.substep import check_substep, warn_of_substep
from vdsim_plant.ride import layout as l3
from vdsim_plant.ride.assembly import place

__all__ = [
    "GEARS",
    "LEVELS",
    "MODEL_VERSION",
    "STATE_LIMITS",
    "InitialState",
    "PedalInput",
    "Vehicle",
    "VehicleMotion",
    "Wheels",
    "check_pedals",
    "loop_for",
]

FORCE_LIMIT_G = 20.0  # a force intent beyond 20 times the weight is cut there
Buffer = NDArray[np.float64]
Capture = tuple[Buffer, float, float]
_STATE = list(at.STATE)
_RIDE_STATE = [*at.STATE, *l3.STATE]

_INPUTS = struct.Struct("9d")
_INPUTS_AT = 8 * at.STEER
_BRAKES = struct.Struct("4d")
_BRAKES_AT = 8 * at.BRAKE


class Vehicle:
    """One car of a level of detail on a road.

    `level`: "l2" seven degrees of freedom; "l3" these, the body on springs and the wheels' own
    heights, fourteen; "l1" the same car as "l2" without width and height, that is a dynamic
    bicycle; "kinematic" no tyre slip. `substep_s`: fixed step of the integration; above
    1 ms it warns, above 2 ms it needs `allow_coarse_substep`.
    Steering beyond the car's limit is cut to it. A brake opposes the wheels' turning, forwards
    and in reverse alike, and holds them at standstill; it never drives. `limit_to_motor`: forces
    and torques that are asked of the wheels are reduced to what the motor gives at the speed at
    which they begin to be held; without it they know no motor. `assist`: ABS, traction control
    and ESC between what is held and the wheels.
    """

    def __init__(
        self,
        parameters: VehicleParameters | str = "ioniq5_awd",
        tyre: TyreParameters | str | None = None,
        ground: Ground | None = None,
        *,
        level: str = "l2",
        substep_s: float = 5e-4,
        limit_to_motor: bool = False,
        assist: AssistParameters | None = None,
        allow_coarse_substep: bool = False,
    ) -> None:
        level = level.lower() if isinstance(level, str) else level
        if level not in LEVELS:
            raise ParameterError("level", f"={level!r}: must be one of {', '.join(LEVELS)}")
        allow = "" if allow_coarse_substep else "allow_coarse_substep=True"
        check_substep("substep_s", substep_s, allow=allow)
        if not allow_coarse_substep:
            warn_of_substep("substep_s", substep_s)
        self.parameters = load_vehicle(parameters) if isinstance(parameters, str) else parameters
        if tyre is None or isinstance(tyre, str):
            tyre = load_tyre(self.parameters.axles.tyre if tyre is None else tyre)
        self.tyre = tyre
        self.ground = flat() if ground is None else ground
        self.level = level
        self.substep_s = substep_s
        self.limit_to_motor = checked_truth("limit_to_motor", limit_to_motor)
        self.has_ride = level == "l3"
        self.bends = level != "kinematic" and any(self.parameters.suspension.bends)
        if self.ground.heights is not None and not self.has_ride:
            raise ParameterError("heights", f"need level=l3, not level={level}")
        self._ground = compile_ground(self.ground)
        if assist is not None and level == "kinematic":
            raise ParameterError("assist", "needs level l1, l2 or l3: level=kinematic has no slip")
        self.assist = assist
        self._surface = compile_heights(self.ground.heights)
        self._car = build_car(self.parameters, self.tyre, self.ground, level, substep_s)
        if self.has_ride:
            self._car[l3.SURFACE] = self._ground.size
        if assist is not None:
            self._car = with_assistance(self._car, assist, self.parameters)
        self._bytes = self._car.data.cast("B")
        self._observed = self._car[at.OBSERVED : at.SIZE]
        reader = RideReader if self.has_ride else MotionReader
        self._reader = reader(self.parameters, self.ground)
        self.identity = self._digest()
        self._max_steer = self.parameters.steering.max_angle_rad
        self._drive_split_front = self.parameters.drivetrain.drive_split_front
        self._brake_split_front = self.parameters.brakes.brake_split_front
        self._torque_per_force = 0.5 * self.parameters.wheels.radius_m
        self._max_force = FORCE_LIMIT_G * GRAVITY_MPS2 * self.parameters.body.mass_kg
        self._pedals = (0.0, 0.0)
        self._run = self._kernel()
        self._assisted: AssistedRun | None = None
        if assist is not None:
            self._assisted = AssistedRun(assist, self._car, self._run)
            self._run = self._assisted
        self.reset(InitialState())

    def __repr__(self) -> str:
        """Return the car, its tyre, its level and the substep [s]."""
        return (
            f"Vehicle({self.parameters.name!r}, {self.tyre.name!r}, level={self.level!r}, "
            f"substep_s={self.substep_s:g})"
        )

    def reset(self, state: InitialState) -> None:
        """Put the car into a state at time 0, its wheels rolling without slip."""
        check_start(state)
        car = self._car
        car[list(at.STATE)] = 0.0
        car[at.STEER : at.DT] = 0.0
        car[at.BRAKE : at.BRAKE + 4] = 0.0
        car[at.X], car[at.Y], car[at.YAW] = state.x_m, state.y_m, state.yaw_rad
        car[at.VX], car[at.VY] = state.vx_mps, state.vy_mps
        car[at.YAW_RATE] = state.yaw_rate_radps
        arm = car[at.ARM_Y : at.ARM_Y + 4]
        car[at.SPIN : at.SPIN + 4] = (state.vx_mps - state.yaw_rate_radps * arm) / car[at.RADIUS]
        if self.has_ride:
            place(car, self._surface)
        if self._assisted is not None:
            self._assisted.reset()
        self._pedals = (0.0, 0.0)
        self._look_ahead()

    def tilt(self, slope_x: float, slope_y: float) -> None:
        """Let gravity pull as on a road with this rise along +x and +y from the next step on.

        Friction, loads and the reported height stay those of the ground; `reset` keeps the tilt.
        """
        if not (abs(slope_x) <= 1.0 and abs(slope_y) <= 1.0):
            raise ParameterError("tilt", f"=({slope_x:g}, {slope_y:g}): must be -1 to 1 (rise/run)")
        along_road = GRAVITY_MPS2 / math.sqrt(1.0 + slope_x**2 + slope_y**2)
        self._car[at.GRAVITY_X] = -along_road * slope_x
        self._car[at.GRAVITY_Y] = -along_road * slope_y

    def step_force(
        self,
        steer_rad: float,
        fx_total_n: float,
        duration_s: float,
        torques: WheelTorques | None = None,
        wind: Wind = NO_WIND,
    ) -> None:
        """Hold a wheel angle [rad] and a total force intent [N] for a while.

        The intent becomes torque at the wheels: drive torque split by `drive_split_front` where it
        is positive, brake torque split by `brake_split_front` where it is negative. `torques` come
        on top of it, and `wind` pushes meanwhile.
        """
        if not (math.isfinite(steer_rad) and math.isfinite(fx_total_n)):
            raise ParameterError("step_force", f"=({steer_rad}, {fx_total_n}): must be finite")
        self.hold_force(steer_rad, fx_total_n, self._substeps(duration_s), torques, wind)

    def hold_force(
        self,
        steer_rad: float,
        fx_total_n: float,
        substeps: int,
        torques: WheelTorques | None = None,
        wind: Wind = NO_WIND,
    ) -> None:
        """Do as `step_force`, for a number of substeps and unchecked: the caller has checked.

        `wind`: force and moment that push meanwhile.
        """
        limit = self._max_force
        torque = self._torque_per_force * min(max(fx_total_n, -limit), limit)
        steer = min(max(steer_rad, -self._max_steer), self._max_steer)
        if torque >= 0.0:
            front = torque * self._drive_split_front
            rear = torque - front
            self._hold(steer, (front, front, rear, rear), 0.0, NO_TORQUE, torques, wind)
        else:
            front = -torque * self._brake_split_front
            rear = -torque - front
            self._hold(steer, NO_TORQUE, 0.0, (front, front, rear, rear), torques, wind)
        self._run(substeps)

    def step_pedals(self, pedals: PedalInput, duration_s: float) -> None:
        """Hold pedals, gear, wheel angle and torques for a while. Pedals beyond 0 to 1 are cut."""
        check_pedals(pedals)
        throttle = min(max(pedals.throttle, 0.0), 1.0)
        brake = min(max(pedals.brake, 0.0), 1.0)
        brakes = self.parameters.brakes
        front = 0.5 * brake * brakes.max_torque_nm * brakes.front_share
        rear = 0.5 * brake * brakes.max_torque_nm * (1.0 - brakes.front_share)
        if pedals.handbrake:
            rear += 0.5 * brakes.handbrake_torque_nm
        steer = min(max(pedals.steer_rad, -self._max_steer), self._max_steer)
        four = (front, front, rear, rear)
        self._hold(steer, NO_TORQUE, throttle * pedals.gear, four, pedals.torques)
        self._pedals = (throttle, brake)
        self._advance(self._substeps(duration_s))

    def motion(self) -> VehicleMotion:
        """Return the true state after the last step, or after the reset."""
        return self._reader.read(self._car, *self._pedals)

    def speed_mps(self) -> float:
        """Return the speed over the ground [m/s]."""
        return math.hypot(self._car.item(at.VX), self._car.item(at.VY))

    def capture(self) -> Capture:
        """Return a copy of the core's numbers and the pedals: what `motion_of` reads, any time."""
        return (self._car.copy(), *self._pedals)

    def motion_of(self, capture: Capture) -> VehicleMotion:
        """Return the motion at the time of a capture."""
        return self._reader.read(*capture)

    def state_of(self, capture: Capture) -> Buffer:
        """Return the numbers of a capture that are state: what continues the motion."""
        car = capture[0]
        state: Buffer = car[_RIDE_STATE if self.has_ride else _STATE]
        return state if self.assist is None else np.append(state, car[-MEMORY:])

    def observed(self) -> list[float]:
        """Return what an observation shows, in the order of kernel/layout.py from OBSERVED on."""
        numbers: list[float] = self._observed.tolist()
        return numbers

    def state_numbers(self) -> Buffer:
        """Return what a linearisation calls the state, in the order of `ALL_STATES`."""
        numbers: Buffer = self._car[list(STATES)]
        return numbers

    def change_state(self, index: int, by: float) -> None:
        """Add to one of the state's numbers."""
        self._car[STATES[index]] += by

    def core_arrays(self) -> tuple[Buffer, Buffer]:
        """Return copies of the road's and the car's arrays, for a batch of such cars.

        Heights stand behind the road's friction, from the car's number l3.SURFACE on.
        """
        if self.has_ride:
            return np.concatenate((self._ground, self._surface)), self._car.copy()
        return self._ground.copy(), self._car.copy()

    @property
    def surface(self) -> Buffer | None:
        """The heights of the road as the core reads them; None where it is a plane."""
        return None if self.ground.heights is None else self._surface

    def force_limits(self) -> tuple[float, float, float]:
        """Return (steer limit [rad], force limit [N], wheel torque per force [m])."""
        return self._max_steer, self._max_force, self._torque_per_force

    def most_wheel_torque_nm(self) -> float:
        """Return where the torque at a wheel is cut: it would push with the force limit alone."""
        return self._max_force * self.parameters.wheels.radius_m

    def most_drive_torque_nm(self) -> float:
        """Return what the motor gives the wheels together at the present speed [N m]."""
        return float(most_torque(self._car))

    def front_shares(self) -> tuple[float, float]:
        """Return the front axle's share of a driving and of a braking force intent."""
        return self._drive_split_front, self._brake_split_front

    def snapshot(self) -> bytes:
        """Return the whole state; `restore` continues from it to the bit."""
        return packed(self.identity, self._pedals, self._car)

    def restore(self, snapshot: bytes) -> None:
        """Take up the state of a snapshot of a car with the same parameters and road."""
        self._pedals = unpacked(snapshot, self.identity, self._car)

    def is_like(self, other: Vehicle) -> bool:
        """Whether both are the same car on the same road, their substeps aside."""
        return self._kind() == other._kind()

    def __reduce__(self) -> tuple[Any, ...]:
        made_of = (self.parameters, self.tyre, self.ground, self.level, self.substep_s)
        return _rebuilt, (*made_of, self.limit_to_motor, self.assist, self.snapshot())

    def _kind(self) -> tuple[object, ...]:
        tir = b"" if self.tyre.tir is None else self.tyre.tir.as_array().tobytes()
        known = (self.parameters, repr(self.tyre), tir, self._ground.tobytes(), self.level)
        slope = (self.ground.slope_x, self.ground.slope_y)
        return (*known, slope, bool(self.limit_to_motor), self.assist, self._surface.tobytes())

    def _hold(
        self,
        steer_rad: float,
        drive: Wheels,
        throttle: float,
        brake: Wheels,
        torques: WheelTorques | None,
        wind: Wind = NO_WIND,
    ) -> None:
        """Write the held inputs: STEER to WIND_MOMENT of the layout, and BRAKE."""
        if torques is not None:
            drive, brake = with_torques(drive, brake, torques, self.most_wheel_torque_nm())
        if self.limit_to_motor:
            drive = self._motor_gives(drive)
        _INPUTS.pack_into(self._bytes, _INPUTS_AT, steer_rad, *drive, throttle, *wind)
        _BRAKES.pack_into(self._bytes, _BRAKES_AT, *brake)

    def _motor_gives(self, drive: Wheels) -> Wheels:
        limited = limited_drive(self._car, np.array(drive)).tolist()
        return (limited[0], limited[1], limited[2], limited[3])

    def _substeps(self, duration_s: float) -> int:
        count = round(duration_s / self.substep_s) if math.isfinite(duration_s) else 0
        if count < 1 or abs(count * self.substep_s - duration_s) > 1e-9 * max(duration_s, 1.0):
            raise ParameterError(
                "duration_s",
                f"={duration_s:g}: must be a whole number of substeps of {self.substep_s:g} s",
            )
        return count

    def _advance(self, substeps: int) -> None:
        self._run(substeps)

    def _kernel(self) -> Callable[[int], None]:
        """Return the compiled loop for this level and tyre, on this car and road."""
        loop = loop_for(self.level, self.tyre, self.ground)
        buffers = [self._car, self._ground]
        if self.has_ride:
            buffers.append(self._surface)
        return loop.on(*buffers)

    def _look_ahead(self) -> None:
        """Fill the outputs after a reset with what the first substep is going to use."""
        start = self._car.copy()
        self._run(1)
        for first, last in ((at.AX, at.DT), (at.FX, at.ARM_X)):
            start[first:last] = self._car[first:last]
        self._car[:] = start
        self._run(0)

    def _digest(self) -> bytes:
        """Return a fingerprint of everything that is not state."""
        fixed = np.delete(self._car, [*at.STATE, *range(at.STEER, at.DT)])
        digest = hashlib.blake2b(fixed.tobytes(), digest_size=16)
        digest.update(repr(self.parameters).encode())  # pedals and limits are not in the arrays
        digest.update(self._ground.tobytes())
        if self.has_ride:
            digest.update(self._surface.tobytes())
        digest.update(self.level.encode())
        digest.update(b"limit_to_motor" if self.limit_to_motor else b"")
        digest.update(repr(self.assist).encode() if self.assist is not None else b"")
        if self.tyre.tir is not None:
            digest.update(self.tyre.tir.as_array().tobytes())
        return digest.digest()


def _rebuilt(
    parameters: VehicleParameters,
    tyre: TyreParameters,
    ground: Ground,
    level: str,
    substep_s: float,
    limit_to_motor: bool,
    assist: AssistParameters | None,
    snapshot: bytes,
) -> Vehicle:
    """Return the car that was pickled or copied."""
    vehicle = Vehicle(
        parameters,
        tyre,
        ground,
        level=level,
        substep_s=substep_s,
        limit_to_motor=limit_to_motor,
        assist=assist,
        allow_coarse_substep=True,
    )
    vehicle.restore(snapshot)
    return vehicle
