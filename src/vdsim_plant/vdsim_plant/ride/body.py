"""The body on its springs: the equations of level l3, for one car.

Theory of operation
-------------------
Degrees of freedom. Those of level l2 (x, y, yaw, four wheel spins), and heave, roll and pitch of
the sprung mass and the height of each wheel: 14. The planar motion is that of the whole car's
centre of gravity, by the equations of level l2: the contact forces move the whole mass.

Roll. The body rolls about an axis through both roll centres. Its centre of gravity moves aside
by h sin(roll) against the axles, so with m = ms + mu

    (Ix + ms h^2 (1 - ms/m)) roll'' = ms h Fy/m + ms g h roll - moment of springs, dampers, bars

and the axles with the contact patches move by (ms/m) h roll' against the common centre of
gravity: this is what a tyre sees of roll. The force that an axle passes to the body acts at its
roll centre; what it is short of the height of the body's centre of gravity comes as load by the
links at once, the rest through the springs.

Pitch. Drive and brake forces act on the body with the whole height of the centre of gravity:
the suspensions have no anti-dive. Pitch does not move the axles fore and aft.

Wheels. Each is a mass between the spring of its suspension and the spring of its tyre, which
pushes and never pulls: a wheel may lift off. A solid axle of the inertia mu (T/2)^2 is the same.

Time. Rates first, then places (semi-implicit), in PARTS equal parts of a substep, so that the
fastest of the motions stays resolved whatever the substep (`ride/assembly.py`).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vdsim_plant.compiled.inlining import compiled_form, inlined
from vdsim_plant.ground import heights
from vdsim_plant.kernel import layout as at
from vdsim_plant.kernel.equations import clamp, settled
from vdsim_plant.kernel.polynomials import angle_of, sine_and_cosine
from vdsim_plant.kernel.stages import move_body
from vdsim_plant.ride import layout as l3

Buffer = NDArray[np.float64]

height_at = compiled_form(heights.height_at)

MOST_ANGLE_RAD = 0.6  # of the body: beyond it the car would lie on its side
MOST_TRAVEL_M = 0.5  # of a wheel against the body's rest height, and of the body against the road
MOST_RATE = 20.0  # [m/s, rad/s]


@inlined
def road_heights(car: Buffer, surface: Buffer) -> None:
    """Height and rise of the road under each contact point."""
    s, c = sine_and_cosine(car[at.YAW])
    for i in range(4):
        ahead = c * car[at.ARM_X + i] - s * car[at.ARM_Y + i]
        left = s * car[at.ARM_X + i] + c * car[at.ARM_Y + i]
        car[l3.ROAD_Z + i], car[l3.ROAD_X + i], car[l3.ROAD_Y + i] = height_at(
            car[at.X] + ahead, car[at.Y] + left, surface
        )


@inlined
def tyre_loads(car: Buffer) -> None:
    """Wheel loads from the tyres' springs; a wheel in the air carries nothing."""
    for i in range(4):
        press = car[l3.ROAD_Z + i] - car[l3.WHEEL_Z + i]
        load = car[l3.STATIC + i] + car[l3.TYRE_RATE + i] * press
        car[at.FZ + i] = 0.0 if load < 0.0 else load


@inlined
def patches_aside(car: Buffer) -> float:
    """Return how fast roll moves the contact patches to the left [m/s]."""
    front = car[l3.WHEEL_RATE] - car[l3.WHEEL_RATE + 1]
    rear = car[l3.WHEEL_RATE + 2] - car[l3.WHEEL_RATE + 3]
    axles = 0.5 * (front * car[l3.INVERSE_TRACK] + rear * car[l3.INVERSE_TRACK + 2])
    speed: float = car[l3.PATCH_ARM] * car[l3.ROLL_RATE] + car[l3.PATCH_RADIUS] * axles
    return speed


@inlined
def axle_moments(car: Buffer) -> tuple[float, float, float]:
    """Return (moment front, rear that the links pass to the wheels, rest of the roll moment) [N m].

    Positive lifts the left wheel. The rest is what differs from forces on both axles in
    proportion to their static loads, whose moment about the roll axis the caller forms.
    """
    side = car[at.BODY_FY] + car[at.BODY_FY + 1] + car[at.BODY_FY + 2] + car[at.BODY_FY + 3]
    aside = side * car[at.INVERSE_MASS] + car[l3.AXLE_ARM] * car[l3.ROLL_ACC]
    front_force = car[at.BODY_FY] + car[at.BODY_FY + 1]
    rear_force = car[at.BODY_FY + 2] + car[at.BODY_FY + 3]
    front_link = front_force - car[l3.AXLE_MASS] * aside
    rear_link = rear_force - car[l3.AXLE_MASS + 1] * aside
    bent_front = car[at.FZ] * car[at.BODY_FY] + car[at.FZ + 1] * car[at.BODY_FY + 1]
    bent_rear = car[at.FZ + 2] * car[at.BODY_FY + 2] + car[at.FZ + 3] * car[at.BODY_FY + 3]
    front = front_link * car[l3.ROLL_CENTRE]
    rear = rear_link * car[l3.ROLL_CENTRE + 1]
    rest = (front_link + rear_link) * car[l3.AXIS_HEIGHT] - front - rear
    front += car[l3.AXLE_MASS] * aside * car[l3.AXLE_HEIGHT]
    rear += car[l3.AXLE_MASS + 1] * aside * car[l3.AXLE_HEIGHT + 1]
    compliance = car[l3.LATERAL_COMPLIANCE]
    return front + compliance * bent_front, rear + compliance * bent_rear, rest


@inlined
def move_suspension(car: Buffer) -> None:
    """Advance body and wheels on their springs by one substep, contact forces held."""
    front, rear, rest = axle_moments(car)
    along = (car[at.BODY_FX] + car[at.BODY_FX + 1]) + (car[at.BODY_FX + 2] + car[at.BODY_FX + 3])
    side = (car[at.BODY_FY] + car[at.BODY_FY + 1]) + (car[at.BODY_FY + 2] + car[at.BODY_FY + 3])
    leans = car[l3.ROLL_ARM] * side * car[at.INVERSE_MASS] + rest
    dives = -car[l3.PITCH_ARM] * along * car[at.INVERSE_MASS]
    weight = car[l3.ROLL_ARM] * car[at.GRAVITY_N]
    speed_squared = car[at.VX] * car[at.VX] + car[at.VY] * car[at.VY]
    lift_front = car[at.LIFT_FRONT] * speed_squared
    lift_rear = car[at.LIFT_REAR] * speed_squared
    lifts = lift_front + lift_rear
    dives -= lift_front * car[l3.CORNER_X] + lift_rear * car[l3.CORNER_X + 2]
    dt = car[at.DT] * car[l3.INVERSE_PARTS]
    parts = int(car[l3.PARTS])
    heave = car[l3.HEAVE]
    roll = car[l3.ROLL]
    pitch = car[l3.PITCH]
    heave_rate = car[l3.HEAVE_RATE]
    roll_rate = car[l3.ROLL_RATE]
    pitch_rate = car[l3.PITCH_RATE]
    roll_acc = 0.0
    for _ in range(parts):
        up = lifts
        rolls = leans + weight * roll
        pitches = dives
        for i in range(4):
            axle = i - i % 2
            x = car[l3.CORNER_X + i]
            y = car[l3.CORNER_Y + i]
            bump = car[l3.WHEEL_Z + i] - (heave + y * roll - x * pitch)
            rate = car[l3.WHEEL_RATE + i] - (heave_rate + y * roll_rate - x * pitch_rate)
            tilt = (car[l3.WHEEL_Z + axle] - car[l3.WHEEL_Z + axle + 1]) * car[l3.INVERSE_TRACK + i]
            force = car[l3.SPRING + i] * bump + car[l3.DAMPER + i] * rate
            pressed = bump - car[l3.BUMP_TRAVEL + i]
            force += car[l3.BUMP_STOP + i] * (0.0 if pressed < 0.0 else pressed)
            force -= car[at.SIDE + i] * car[l3.ANTI_ROLL + i] * (roll - tilt)
            up += force
            rolls += y * force
            pitches -= x * force
            load = car[l3.STATIC + i]
            load += car[l3.TYRE_RATE + i] * (car[l3.ROAD_Z + i] - car[l3.WHEEL_Z + i])
            load = 0.0 if load < 0.0 else load
            links = (front if i < 2 else rear) * car[l3.INVERSE_TRACK + i] * car[at.SIDE + i]
            push = (load - car[l3.STATIC + i]) - force + links
            car[l3.WHEEL_ACC + i] = push * car[l3.INVERSE_UNSPRUNG + i]
        for i in range(4):
            rate = car[l3.WHEEL_RATE + i] + dt * car[l3.WHEEL_ACC + i]
            rate = settled(clamp(rate, -MOST_RATE, MOST_RATE))
            place = car[l3.WHEEL_Z + i] + dt * rate
            low = car[l3.ROAD_Z + i] - MOST_TRAVEL_M
            car[l3.WHEEL_RATE + i] = rate
            car[l3.WHEEL_Z + i] = settled(clamp(place, low, low + 4.0 * MOST_TRAVEL_M))
        roll_acc = rolls * car[l3.INVERSE_ROLL_INERTIA]
        heave_rate += dt * up * car[l3.INVERSE_SPRUNG_MASS]
        roll_rate += dt * roll_acc
        pitch_rate += dt * pitches * car[l3.INVERSE_PITCH_INERTIA]
        heave_rate = settled(clamp(heave_rate, -MOST_RATE, MOST_RATE))
        roll_rate = settled(clamp(roll_rate, -MOST_RATE, MOST_RATE))
        pitch_rate = settled(clamp(pitch_rate, -MOST_RATE, MOST_RATE))
        heave = settled(heave + dt * heave_rate)
        roll = settled(clamp(roll + dt * roll_rate, -MOST_ANGLE_RAD, MOST_ANGLE_RAD))
        pitch = settled(clamp(pitch + dt * pitch_rate, -MOST_ANGLE_RAD, MOST_ANGLE_RAD))
    car[l3.HEAVE] = heave
    car[l3.ROLL] = roll
    car[l3.PITCH] = pitch
    car[l3.HEAVE_RATE] = heave_rate
    car[l3.ROLL_RATE] = roll_rate
    car[l3.PITCH_RATE] = pitch_rate
    car[l3.ROLL_ACC] = roll_acc


@inlined
def move_car(car: Buffer) -> None:
    """Move the suspension, then the car in the plane of the road, pushed by the road's rise."""
    move_suspension(car)
    x, y = road_push(car)
    gravity_x = car[at.GRAVITY_X]
    gravity_y = car[at.GRAVITY_Y]
    car[at.GRAVITY_X] = gravity_x + x
    car[at.GRAVITY_Y] = gravity_y + y
    move_body(car)
    car[at.GRAVITY_X] = gravity_x
    car[at.GRAVITY_Y] = gravity_y


@inlined
def road_push(car: Buffer) -> tuple[float, float]:
    """Return the acceleration along world x and y that the road's rise gives by the loads."""
    x = 0.0
    y = 0.0
    for i in range(4):
        x -= car[at.FZ + i] * car[l3.ROAD_X + i]
        y -= car[at.FZ + i] * car[l3.ROAD_Y + i]
    return x * car[at.INVERSE_MASS], y * car[at.INVERSE_MASS]


@inlined
def observe_body(car: Buffer) -> None:
    """Write the body's own angles over the quasi-static ones."""
    s, c = sine_and_cosine(car[at.YAW])
    rise_left = car[at.SLOPE_Y] * c - car[at.SLOPE_X] * s
    rise_ahead = car[at.SLOPE_X] * c + car[at.SLOPE_Y] * s
    car[at.OBSERVED_ROLL] = car[l3.ROLL] + angle_of(rise_left, 1.0)
    car[at.OBSERVED_PITCH] = car[l3.PITCH] - angle_of(rise_ahead, 1.0)
