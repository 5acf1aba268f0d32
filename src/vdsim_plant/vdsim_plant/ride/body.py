"""The body on its springs: the equations of level l3, for one car and for the lanes of a block.

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

Number k of a car stands at k * wide + lane: a car alone is lane 0 of a width of 1. ride/single.py
and ride/block.py call these functions in the same order, so that both have the same bits. They
return what the caller writes: a loop over lanes that calls what writes gets no vectors.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vdsim_plant.compiled.inlining import compiled_form, inlined
from vdsim_plant.ground import heights
from vdsim_plant.kernel import layout as at
from vdsim_plant.kernel.equations import clamp, settled
from vdsim_plant.kernel.polynomials import angle_of, sine_and_cosine
from vdsim_plant.ride import layout as l3

Buffer = NDArray[np.float64]

height_at = compiled_form(heights.height_at)

MOST_ANGLE_RAD = 0.6  # of the body: beyond it the car would lie on its side
MOST_TRAVEL_M = 0.5  # of a wheel against the body's rest height, and of the body against the road
MOST_RATE = 20.0  # [m/s, rad/s]


@inlined
def road_heights(car: Buffer, surface: Buffer) -> None:
    """Height and rise of the road under each contact point of one car."""
    s, c = sine_and_cosine(car[at.YAW])
    for i in range(4):
        x, y = contact_point(car, i, s, c, 0, 1)
        car[l3.ROAD_Z + i], car[l3.ROAD_X + i], car[l3.ROAD_Y + i] = height_at(x, y, surface)


@inlined
def contact_point(
    car: Buffer, i: int, s: float, c: float, lane: int, wide: int
) -> tuple[float, float]:
    """Return where a wheel stands in the world; s, c of the heading."""
    arm_x = car[(at.ARM_X + i) * wide + lane]
    arm_y = car[(at.ARM_Y + i) * wide + lane]
    ahead = c * arm_x - s * arm_y
    left = s * arm_x + c * arm_y
    return car[at.X * wide + lane] + ahead, car[at.Y * wide + lane] + left


@inlined
def tyre_load(car: Buffer, i: int, lane: int, wide: int) -> float:
    """Return the load of a wheel from its tyre's spring; one in the air carries nothing [N]."""
    press = car[(l3.ROAD_Z + i) * wide + lane] - car[(l3.WHEEL_Z + i) * wide + lane]
    static = car[(l3.STATIC + i) * wide + lane]
    load: float = static + car[(l3.TYRE_RATE + i) * wide + lane] * press
    return 0.0 if load < 0.0 else load


@inlined
def patches_aside(car: Buffer, lane: int, wide: int) -> float:
    """Return how fast roll moves the contact patches to the left [m/s]."""
    front = car[l3.WHEEL_RATE * wide + lane] - car[(l3.WHEEL_RATE + 1) * wide + lane]
    rear = car[(l3.WHEEL_RATE + 2) * wide + lane] - car[(l3.WHEEL_RATE + 3) * wide + lane]
    per_front = car[l3.INVERSE_TRACK * wide + lane]
    per_rear = car[(l3.INVERSE_TRACK + 2) * wide + lane]
    axles = 0.5 * (front * per_front + rear * per_rear)
    rolls = car[l3.PATCH_ARM * wide + lane] * car[l3.ROLL_RATE * wide + lane]
    speed: float = rolls + car[l3.PATCH_RADIUS * wide + lane] * axles
    return speed


@inlined
def axle_moments(car: Buffer, lane: int, wide: int) -> tuple[float, float, float]:
    """Return (moment front, rear that the links pass to the wheels, rest of the roll moment) [N m].

    Positive lifts the left wheel. The rest is what differs from forces on both axles in
    proportion to their static loads, whose moment about the roll axis the caller forms.
    """
    of_fl = car[at.BODY_FY * wide + lane]
    of_fr = car[(at.BODY_FY + 1) * wide + lane]
    of_rl = car[(at.BODY_FY + 2) * wide + lane]
    of_rr = car[(at.BODY_FY + 3) * wide + lane]
    side = of_fl + of_fr + of_rl + of_rr
    leaned = car[l3.AXLE_ARM * wide + lane] * car[l3.ROLL_ACC * wide + lane]
    aside = side * car[at.INVERSE_MASS * wide + lane] + leaned
    front_link = (of_fl + of_fr) - car[l3.AXLE_MASS * wide + lane] * aside
    rear_link = (of_rl + of_rr) - car[(l3.AXLE_MASS + 1) * wide + lane] * aside
    bent_front = car[at.FZ * wide + lane] * of_fl + car[(at.FZ + 1) * wide + lane] * of_fr
    bent_rear = car[(at.FZ + 2) * wide + lane] * of_rl + car[(at.FZ + 3) * wide + lane] * of_rr
    front = front_link * car[l3.ROLL_CENTRE * wide + lane]
    rear = rear_link * car[(l3.ROLL_CENTRE + 1) * wide + lane]
    rest = (front_link + rear_link) * car[l3.AXIS_HEIGHT * wide + lane] - front - rear
    mass_front = car[l3.AXLE_MASS * wide + lane]
    mass_rear = car[(l3.AXLE_MASS + 1) * wide + lane]
    front += mass_front * aside * car[l3.AXLE_HEIGHT * wide + lane]
    rear += mass_rear * aside * car[(l3.AXLE_HEIGHT + 1) * wide + lane]
    compliance = car[l3.LATERAL_COMPLIANCE * wide + lane]
    return front + compliance * bent_front, rear + compliance * bent_rear, rest


@inlined
def push_of_forces(car: Buffer, lane: int, wide: int) -> tuple[float, float, float, float, float]:
    """Return LINK, front and rear, LEANS, DIVES and LIFTS; they are held over a substep."""
    front, rear, rest = axle_moments(car, lane, wide)
    inverse_mass = car[at.INVERSE_MASS * wide + lane]
    vx = car[at.VX * wide + lane]
    vy = car[at.VY * wide + lane]
    along = _sum(car, at.BODY_FX, lane, wide)
    side = _sum(car, at.BODY_FY, lane, wide)
    leans = car[l3.ROLL_ARM * wide + lane] * side * inverse_mass + rest
    dives = -car[l3.PITCH_ARM * wide + lane] * along * inverse_mass
    speed_squared = vx * vx + vy * vy
    lift_front = car[at.LIFT_FRONT * wide + lane] * speed_squared
    lift_rear = car[at.LIFT_REAR * wide + lane] * speed_squared
    lifts_front = lift_front * car[l3.CORNER_X * wide + lane]
    dives -= lifts_front + lift_rear * car[(l3.CORNER_X + 2) * wide + lane]
    return front, rear, leans, dives, lift_front + lift_rear


@inlined
def corner_force(car: Buffer, i: int, lane: int, wide: int) -> tuple[float, float]:
    """Return the force of spring, damper and bar on the body [N], the wheel's acceleration."""
    axle = i - i % 2
    x = car[(l3.CORNER_X + i) * wide + lane]
    y = car[(l3.CORNER_Y + i) * wide + lane]
    side = car[(at.SIDE + i) * wide + lane]
    inverse_track = car[(l3.INVERSE_TRACK + i) * wide + lane]
    wheel = car[(l3.WHEEL_Z + i) * wide + lane]
    roll = car[l3.ROLL * wide + lane]
    body = car[l3.HEAVE * wide + lane] + y * roll - x * car[l3.PITCH * wide + lane]
    body_rate = car[l3.HEAVE_RATE * wide + lane] + y * car[l3.ROLL_RATE * wide + lane]
    body_rate -= x * car[l3.PITCH_RATE * wide + lane]
    bump = wheel - body
    rate = car[(l3.WHEEL_RATE + i) * wide + lane] - body_rate
    left_z = car[(l3.WHEEL_Z + axle) * wide + lane]
    tilt = (left_z - car[(l3.WHEEL_Z + axle + 1) * wide + lane]) * inverse_track
    force = car[(l3.SPRING + i) * wide + lane] * bump
    force += car[(l3.DAMPER + i) * wide + lane] * rate
    pressed = bump - car[(l3.BUMP_TRAVEL + i) * wide + lane]
    force += car[(l3.BUMP_STOP + i) * wide + lane] * (0.0 if pressed < 0.0 else pressed)
    force -= side * car[(l3.ANTI_ROLL + i) * wide + lane] * (roll - tilt)
    static = car[(l3.STATIC + i) * wide + lane]
    press = car[(l3.ROAD_Z + i) * wide + lane] - wheel
    load = static + car[(l3.TYRE_RATE + i) * wide + lane] * press
    load = 0.0 if load < 0.0 else load
    links = car[(l3.LINK + i // 2) * wide + lane] * inverse_track * side
    push = (load - static) - force + links
    return force, push * car[(l3.INVERSE_UNSPRUNG + i) * wide + lane]


@inlined
def moved_wheel(car: Buffer, i: int, dt: float, lane: int, wide: int) -> tuple[float, float]:
    """Return the new rate and height of a wheel."""
    rate = car[(l3.WHEEL_RATE + i) * wide + lane]
    rate += dt * car[(l3.WHEEL_ACC + i) * wide + lane]
    rate = settled(clamp(rate, -MOST_RATE, MOST_RATE))
    place = car[(l3.WHEEL_Z + i) * wide + lane] + dt * rate
    low = car[(l3.ROAD_Z + i) * wide + lane] - MOST_TRAVEL_M
    return rate, settled(clamp(place, low, low + 4.0 * MOST_TRAVEL_M))


@inlined
def moved_body(
    car: Buffer, dt: float, lane: int, wide: int
) -> tuple[float, float, float, float, float, float, float]:
    """Return heave, roll, pitch, their rates and ROLL_ACC; as they were where `dt` is 0."""
    roll = car[l3.ROLL * wide + lane]
    weight = car[l3.ROLL_ARM * wide + lane] * car[at.GRAVITY_N * wide + lane]
    up = car[l3.LIFTS * wide + lane]
    rolls = car[l3.LEANS * wide + lane] + weight * roll
    pitches = car[l3.DIVES * wide + lane]
    # Written out: a loop over wheels inside that over lanes would leave that one without vectors.
    of_fl = car[l3.CORNER_FORCE * wide + lane]
    of_fr = car[(l3.CORNER_FORCE + 1) * wide + lane]
    of_rl = car[(l3.CORNER_FORCE + 2) * wide + lane]
    of_rr = car[(l3.CORNER_FORCE + 3) * wide + lane]
    up = up + of_fl + of_fr + of_rl + of_rr
    rolls += car[l3.CORNER_Y * wide + lane] * of_fl
    rolls += car[(l3.CORNER_Y + 1) * wide + lane] * of_fr
    rolls += car[(l3.CORNER_Y + 2) * wide + lane] * of_rl
    rolls += car[(l3.CORNER_Y + 3) * wide + lane] * of_rr
    pitches -= car[l3.CORNER_X * wide + lane] * of_fl
    pitches -= car[(l3.CORNER_X + 1) * wide + lane] * of_fr
    pitches -= car[(l3.CORNER_X + 2) * wide + lane] * of_rl
    pitches -= car[(l3.CORNER_X + 3) * wide + lane] * of_rr
    roll_acc = rolls * car[l3.INVERSE_ROLL_INERTIA * wide + lane]
    heave_rate = car[l3.HEAVE_RATE * wide + lane]
    heave_rate += dt * up * car[l3.INVERSE_SPRUNG_MASS * wide + lane]
    roll_rate = car[l3.ROLL_RATE * wide + lane] + dt * roll_acc
    pitch_rate = car[l3.PITCH_RATE * wide + lane]
    pitch_rate += dt * pitches * car[l3.INVERSE_PITCH_INERTIA * wide + lane]
    heave_rate = settled(clamp(heave_rate, -MOST_RATE, MOST_RATE))
    roll_rate = settled(clamp(roll_rate, -MOST_RATE, MOST_RATE))
    pitch_rate = settled(clamp(pitch_rate, -MOST_RATE, MOST_RATE))
    pitch = car[l3.PITCH * wide + lane] + dt * pitch_rate
    roll = clamp(roll + dt * roll_rate, -MOST_ANGLE_RAD, MOST_ANGLE_RAD)
    pitch = clamp(pitch, -MOST_ANGLE_RAD, MOST_ANGLE_RAD)
    before = car[l3.ROLL_ACC * wide + lane]
    return (
        settled(car[l3.HEAVE * wide + lane] + dt * heave_rate),
        settled(roll),
        settled(pitch),
        heave_rate,
        roll_rate,
        pitch_rate,
        roll_acc if dt > 0.0 else before,
    )


@inlined
def road_push(car: Buffer, lane: int, wide: int) -> tuple[float, float]:
    """Return the acceleration along world x and y that the road's rise gives by the loads."""
    inverse_mass = car[at.INVERSE_MASS * wide + lane]
    x = _pushed(car, l3.ROAD_X, lane, wide)
    y = _pushed(car, l3.ROAD_Y, lane, wide)
    return x * inverse_mass, y * inverse_mass


@inlined
def _pushed(car: Buffer, rise: int, lane: int, wide: int) -> float:
    """Return the force of the loads on a rise [N]."""
    force: float = 0.0 - car[at.FZ * wide + lane] * car[rise * wide + lane]
    force -= car[(at.FZ + 1) * wide + lane] * car[(rise + 1) * wide + lane]
    force -= car[(at.FZ + 2) * wide + lane] * car[(rise + 2) * wide + lane]
    force -= car[(at.FZ + 3) * wide + lane] * car[(rise + 3) * wide + lane]
    return force


@inlined
def observe_body(car: Buffer, lane: int, wide: int) -> None:
    """Write the body's own angles over the quasi-static ones."""
    s, c = sine_and_cosine(car[at.YAW * wide + lane])
    slope_x = car[at.SLOPE_X * wide + lane]
    slope_y = car[at.SLOPE_Y * wide + lane]
    rise_left = slope_y * c - slope_x * s
    rise_ahead = slope_x * c + slope_y * s
    car[at.OBSERVED_ROLL * wide + lane] = car[l3.ROLL * wide + lane] + angle_of(rise_left, 1.0)
    car[at.OBSERVED_PITCH * wide + lane] = car[l3.PITCH * wide + lane] - angle_of(rise_ahead, 1.0)


@inlined
def _sum(car: Buffer, field: int, lane: int, wide: int) -> float:
    """Sum over the wheels, left and right alike."""
    front: float = car[field * wide + lane] + car[(field + 1) * wide + lane]
    rear: float = car[(field + 2) * wide + lane] + car[(field + 3) * wide + lane]
    return front + rear
