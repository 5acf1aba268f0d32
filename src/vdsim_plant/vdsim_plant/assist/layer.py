"""AssistedRun: runs a car's substeps and lets the assistance change the held torques in between.

    held inputs -> ESC: brake at one wheel, less drive -> traction control -> ABS -> wheels

Every `period_s` each system looks at the car as it is: speed of the contact points, wheel spins,
forces and the slip of the tyre's peak. Their only memory is the yaw rate that the driver wants, as
fast as a car can answer, and how far the front brakes may differ on split friction: the last two
numbers of the car's buffer, so that a snapshot holds them.
What they know of the tyre and of the road is true: a car has to estimate it.

Slip control. J dw/dt = drive - brake - R Fx for each wheel; the torque that takes the spin to the
one of the wanted slip with the time constant `slip_time_s` follows from it, and what is asked
beyond that is withheld. In a turn less slip along is wanted: both slips together stay at the peak.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from vdsim_plant.assist.parameters import AssistParameters
from vdsim_plant.kernel import layout as at
from vdsim_plant.kernel.motor_limit import most_torque
from vdsim_plant.parameters import GRAVITY_MPS2, VehicleParameters

Buffer = NDArray[np.float64]
_HELD = slice(at.STEER, at.THROTTLE + 1)
_BRAKES = slice(at.BRAKE, at.BRAKE + 4)
LEAST_ROOM = 0.3  # for slip along, of the peak slip, however hard the turn
LEAST_SLIP_SPEED_MPS = 2.0  # traction control allows the slip that it would at this speed
MEMORY = 2  # share of the front brakes' difference that is let through; wanted yaw rate [rad/s]
SPLIT_FROM = 0.1  # difference of force over load, left and right, that split friction makes
KEPT_UNTIL_RADPS = 0.3  # of error; ESC takes drive and brakes back in proportion to it


class AssistedRun:
    """In place of the loop over a car's substeps: the same call, with assistance."""

    def __init__(
        self,
        parameters: AssistParameters,
        vehicle: VehicleParameters,
        car: Buffer,
        run: Callable[[int], None],
    ) -> None:
        self._parameters = parameters
        self._car = car
        self._run = run
        self._part = max(1, round(parameters.period_s / car.item(at.DT)))
        wheels, body, axles = vehicle.wheels, vehicle.body, vehicle.axles
        self._inertia = (wheels.inertia_front_kgm2,) * 2 + (wheels.inertia_rear_kgm2,) * 2
        self._lag = parameters.yaw_lag_s
        self._half_track = (body.track_front_m / 2.0, body.track_rear_m / 2.0)
        self._yaw_inertia = body.yaw_inertia_kgm2
        front = axles.cornering_stiffness_front_n_per_rad
        rear = axles.cornering_stiffness_rear_n_per_rad
        lead = body.cg_to_rear_axle_m * rear - body.cg_to_front_axle_m * front
        # Wheel angle per lateral acceleration; a car that oversteers is asked for a neutral one.
        self._understeer = max(body.mass_kg * lead / (body.wheelbase_m * front * rear), 0.0)

    @staticmethod
    def with_memory(car: Buffer) -> Buffer:
        """Return the buffer of a car with the places that assistance needs behind it."""
        return np.append(car, (0.0,) * MEMORY)

    def reset(self) -> None:
        """Take the present yaw rate as the wanted one, and both sides as gripping alike."""
        self._car[-2] = 0.0
        self._car[-1] = self._car.item(at.YAW_RATE)

    def __call__(self, substeps: int) -> None:
        """Run, as the loop itself does; what is held is as before afterwards."""
        car = self._car
        held, brakes = car[_HELD].copy(), car[_BRAKES].copy()
        done = 0
        while done < substeps:
            part = min(self._part, substeps - done)
            self._decide(held.tolist(), brakes.tolist(), part * car.item(at.DT))
            self._run(part)
            done += part
        car[_HELD], car[_BRAKES] = held, brakes
        if substeps == 0:
            self._run(0)

    def _decide(self, held: list[float], brakes: list[float], part_s: float) -> None:
        """Write the torques for the coming substeps, which take `part_s`."""
        steer, *drive, throttle = held
        parameters = self._parameters
        motor = self._motor_torques(throttle)
        wheels = self._wheels(steer)
        released = (1.0, 1.0)
        pedal = brakes[:2]
        if parameters.stability == "on":
            kept, released = self._correct_yaw(self._wanted_yaw_rates(steer, part_s), brakes)
            throttle *= kept
            drive = [torque * kept if torque > 0.0 else torque for torque in drive]
            motor = [torque * kept for torque in motor]
        if parameters.traction == "on":
            throttle *= self._hold_back(wheels, drive, motor, brakes)
        if parameters.abs == "on":
            for i in range(4):
                # What drives is in the balance of the wheel as well.
                brakes[i] = self._braked(i, wheels[i], drive[i] + motor[i], brakes[i])
            # Both rear wheels as the one that grips less: the other keeps its side force.
            brakes[2] = brakes[3] = min(brakes[2:])
            self._build_up(brakes, pedal, part_s)
        brakes = [torque * released[i % 2] for i, torque in enumerate(brakes)]
        car = self._car
        car[at.TORQUE : at.TORQUE + 4] = drive
        car[at.THROTTLE] = throttle
        car[_BRAKES] = brakes

    def _motor_torques(self, throttle: float) -> list[float]:
        """Return what the motor gives each wheel at the present speed [N m]."""
        if throttle == 0.0:
            return [0.0] * 4
        car = self._car
        front, rear = car.item(at.MOTOR_GAIN_FRONT), car.item(at.MOTOR_GAIN_REAR)
        torque = throttle * float(most_torque(car)) / (2.0 * (front + rear))
        return [torque * front] * 2 + [torque * rear] * 2

    def _wheels(self, steer: float) -> list[tuple[float, float, float, float]]:
        """Return of each wheel (speed of the contact [m/s], rim speed, force along [N], slip)."""
        car = self._car
        vx, vy, rate = car[at.VX : at.YAW_RATE + 1].tolist()
        c, s = math.cos(steer), math.sin(steer)
        found = []
        for i in range(4):
            x = vx - rate * car.item(at.ARM_Y + i)
            y = vy + rate * car.item(at.ARM_X + i)
            speed = x * c + y * s if i < 2 else x
            peaks = at.OBSERVED_WHEELS + at.OBSERVED_PER_WHEEL * i + at.OBSERVED_PEAKS
            across = car.item(at.SLIP_Y + i) / math.tan(min(car.item(peaks), 1.5))
            room = math.sqrt(max(1.0 - across * across, LEAST_ROOM**2))
            slip = self._parameters.slip_share * min(car.item(peaks + 1), 1.0) * room
            rim = car.item(at.SPIN + i) * car.item(at.RADIUS)
            found.append((speed, rim, car.item(at.FX + i), min(slip, 0.9)))
        return found

    def _braked(
        self, i: int, wheel: tuple[float, float, float, float], drive: float, asked: float
    ) -> float:
        """Return the brake torque that keeps the wheel at the wanted slip."""
        speed, rim, force, slip = wheel
        if asked <= 0.0 or abs(speed) < self._parameters.slowest_mps:
            return asked
        ahead = 1.0 if speed > 0.0 else -1.0
        over = ahead * rim - (1.0 - slip) * abs(speed)
        most = ahead * (drive - self._car.item(at.RADIUS) * force) + self._gain(i) * over
        return min(asked, max(most, 0.0))

    def _hold_back(
        self,
        wheels: list[tuple[float, float, float, float]],
        drive: list[float],
        motor: list[float],
        brakes: list[float],
    ) -> float:
        """Reduce what drives a wheel beyond the wanted slip; return the share of the throttle.

        Torques of single wheels are reduced in `drive`. The motor has one torque for its wheels:
        at low speed the one that grips best decides, and the others are braked.
        """
        shares = [1.0] * 4
        for i in range(4):
            asked = drive[i] + motor[i]
            if asked == 0.0:
                continue
            speed, rim, force, slip = wheels[i]
            ahead = 1.0 if asked > 0.0 else -1.0
            most_slip = slip * max(abs(speed), LEAST_SLIP_SPEED_MPS)
            under = ahead * (speed - rim) + most_slip
            most = ahead * self._car.item(at.RADIUS) * force + self._gain(i) * under
            most = max(most, 0.0)
            if abs(asked) <= most:
                continue
            if motor[i] == 0.0:
                drive[i] = ahead * most
            else:
                shares[i] = min(max((ahead * most - drive[i]) / motor[i], 0.0), 1.0)
        driven = [i for i in range(4) if motor[i] != 0.0]
        if not driven:
            return 1.0
        slow = abs(self._car.item(at.VX)) < self._parameters.wheel_brake_below_mps
        kept = (max if slow else min)(shares[i] for i in driven)
        for i in driven:
            brakes[i] += max(kept - shares[i], 0.0) * abs(motor[i])
            motor[i] *= kept
        return kept

    def _correct_yaw(
        self, wanted: tuple[float, float], brakes: list[float]
    ) -> tuple[float, tuple[float, float]]:
        """Brake one wheel towards the wanted yaw rates [rad/s]; return what is kept.

        Oversteer: the outer front wheel; understeer: the inner rear one. What is kept of the drive,
        and of the brakes on the left and on the right: the wrong side is released.
        """
        car, parameters = self._car, self._parameters
        vx, rate = car.item(at.VX), car.item(at.YAW_RATE)
        if vx < parameters.slowest_yaw_mps:
            return 1.0, (1.0, 1.0)
        error = rate - min(max(rate, wanted[0]), wanted[1])
        over = abs(error) - parameters.yaw_tolerance_radps
        if over <= 0.0:
            return 1.0, (1.0, 1.0)
        turns_too_far = error * rate > 0.0
        left = error < 0.0  # a brake on the left turns the car to the left
        axle = 0 if turns_too_far else 1
        arm = self._half_track[axle]
        moment = self._yaw_inertia * parameters.yaw_gain_per_s * over
        brakes[2 * axle + (0 if left else 1)] += moment * car.item(at.RADIUS) / arm
        kept = max(1.0 - over / KEPT_UNTIL_RADPS, 0.0)
        return kept, (1.0, kept) if left else (kept, 1.0)

    def _wanted_yaw_rates(self, steer: float, part_s: float) -> tuple[float, float]:
        """Return the least and the largest yaw rate [rad/s] that the driver may mean.

        It is the one that the steering asks for, within the grip, with its lag. Where one side
        grips less, a driver steers against the moment of the other; that is no wish to turn, and
        anything from none to what the angle asks for elsewhere may be meant.
        """
        car = self._car
        vx = car.item(at.VX)
        wanted = car.item(at.YAW_RATE)
        if vx >= self._parameters.slowest_yaw_mps:
            wanted = vx * math.tan(steer) / (car.item(at.WHEELBASE) + self._understeer * vx * vx)
            grip = 0.25 * float(car[at.MU : at.MU + 4].sum())
            most = self._parameters.grip_share * grip * GRAVITY_MPS2 / vx
            wanted = min(max(wanted, -most), most)
        if self._lag > 0.0:
            wanted = car.item(-1) + (wanted - car.item(-1)) * -math.expm1(-part_s / self._lag)
        car[-1] = wanted
        if self._side_that_pulls() * wanted < 0.0:
            return min(wanted, 0.0), max(wanted, 0.0)
        return wanted, wanted

    def _build_up(self, brakes: list[float], pedal: list[float], part_s: float) -> None:
        """Let the front brakes come to differ slowly on split friction: a driver has to answer.

        `pedal`: what is asked of them [N m]. The share of the difference that is let through grows
        to 1 over `yaw_build_up_s`, and shrinks as fast where both sides grip alike.
        """
        car, over_s = self._car, self._parameters.yaw_build_up_s
        if over_s == 0.0 or self._parameters.stability != "on":
            return
        shares = [brakes[i] / max(car.item(at.FZ + i), 1.0) for i in (0, 1)]
        low = 0 if shares[0] < shares[1] else 1
        apart = (shares[1 - low] - shares[low]) / car.item(at.RADIUS)
        split = apart > SPLIT_FROM and brakes[low] < pedal[low]
        share = car.item(-2) + (part_s if split else -part_s) / over_s
        car[-2] = min(max(share, 0.0), 1.0)
        if split and car.item(at.VX) >= self._parameters.slowest_yaw_mps:
            brakes[1 - low] = brakes[low] + car.item(-2) * (brakes[1 - low] - brakes[low])

    def _side_that_pulls(self) -> float:
        """Return the sign of the yaw moment of the front wheels' forces on split friction, or 0.

        It shows in their forces along over their loads: in a turn on even friction ABS leaves both
        with the same share, and without ABS the inner wheel, towards which one steers, has more.
        """
        left, right = (
            self._car.item(at.FX + i) / max(self._car.item(at.FZ + i), 1.0) for i in (0, 1)
        )
        if abs(right - left) < SPLIT_FROM:
            return 0.0
        return math.copysign(1.0, right - left)

    def _gain(self, i: int) -> float:
        """Return torque per error of the rim speed [N m s/m]."""
        return self._inertia[i] / (self._car.item(at.RADIUS) * self._parameters.slip_time_s)
