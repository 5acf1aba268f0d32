"""Turns checked parameters into the numbers of level l3 (ride/layout.py).

What a vehicle file leaves out follows from its group `suspension`, whose stiffnesses are those that
the body feels, tyres included: spring and tyre of a corner are in series, and the anti-roll bar is
what the springs leave of the roll stiffness (below 0 where they are too stiff for it). So the
steady roll and pitch moments are those of level l2.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from vdsim_plant.ground.heights import height_at
from vdsim_plant.kernel import layout as at
from vdsim_plant.parameters import GRAVITY_MPS2, ParameterError, VehicleParameters
from vdsim_plant.parameters.ride import RideParameters
from vdsim_plant.ride import layout as l3

UNSPRUNG_SHARE = 0.055  # of the car's mass, each axle
DAMPING_RATIO = 0.3  # of the body on one spring
TYRE_DEFLECTION = 0.07  # of a standing tyre, in rolling radii
STIFFEST_SPRING = 0.8  # of a tyre, felt by the body
PART = 0.15  # largest part of a substep times the fastest motion's frequency
MOST_PARTS = 1000

Array = NDArray[np.float64]


def completed(vehicle: VehicleParameters) -> RideParameters:
    """Return the ride parameters of a car, with nothing left to derive."""
    ride, body = vehicle.ride, vehicle.body
    wheelbase = body.wheelbase_m
    fronts, rears = vehicle.static_wheel_loads_n()[::2]
    mean_load = 0.5 * (fronts + rears)
    tyre = mean_load / (TYRE_DEFLECTION * vehicle.wheels.radius_m)
    tyre_front = ride.tyre_rate_front_n_per_m or tyre
    tyre_rear = ride.tyre_rate_rear_n_per_m or tyre
    # Uncoupled heave and pitch: felt stiffness times distance is the same in front and at the back.
    felt = vehicle.suspension.pitch_stiffness_nm_per_rad / (
        2.0 * body.cg_to_front_axle_m * body.cg_to_rear_axle_m * wheelbase
    )
    spring_front = ride.spring_front_n_per_m or _spring(felt * body.cg_to_rear_axle_m, tyre_front)
    spring_rear = ride.spring_rear_n_per_m or _spring(felt * body.cg_to_front_axle_m, tyre_rear)
    mass_front = ride.unsprung_mass_front_kg or UNSPRUNG_SHARE * body.mass_kg
    mass_rear = ride.unsprung_mass_rear_kg or UNSPRUNG_SHARE * body.mass_kg
    sprung = body.mass_kg - mass_front - mass_rear
    if sprung <= 0.0:
        problem = f"={mass_front:g}: both axles must be lighter than the car ({body.mass_kg:g} kg)"
        raise ParameterError("ride.unsprung_mass_front_kg", problem)
    wheel_height = vehicle.wheels.radius_m
    total = body.mass_kg * body.cg_height_m - (mass_front + mass_rear) * wheel_height
    height = ride.sprung_cg_height_m or max(total / sprung, 0.0)
    axles = 0.25 * (mass_front * body.track_front_m**2 + mass_rear * body.track_rear_m**2)
    ends = mass_front * body.cg_to_front_axle_m**2 + mass_rear * body.cg_to_rear_axle_m**2
    share_front = body.cg_to_rear_axle_m / wheelbase
    corner_front = 0.5 * sprung * share_front
    corner_rear = 0.5 * sprung * (1.0 - share_front)
    return replace(
        ride,
        unsprung_mass_front_kg=mass_front,
        unsprung_mass_rear_kg=mass_rear,
        sprung_roll_inertia_kgm2=ride.sprung_roll_inertia_kgm2
        or max(body.roll_inertia_kgm2 - axles, 0.5 * body.roll_inertia_kgm2),
        sprung_pitch_inertia_kgm2=ride.sprung_pitch_inertia_kgm2
        or max(body.pitch_inertia_kgm2 - ends, 0.5 * body.pitch_inertia_kgm2),
        sprung_cg_height_m=height,
        spring_front_n_per_m=spring_front,
        spring_rear_n_per_m=spring_rear,
        damper_front_ns_per_m=ride.damper_front_ns_per_m
        or 2.0 * DAMPING_RATIO * math.sqrt(spring_front * corner_front),
        damper_rear_ns_per_m=ride.damper_rear_ns_per_m
        or 2.0 * DAMPING_RATIO * math.sqrt(spring_rear * corner_rear),
        tyre_rate_front_n_per_m=tyre_front,
        tyre_rate_rear_n_per_m=tyre_rear,
    )


def _spring(felt: float, tyre: float) -> float:
    """Return the spring that in series with the tyre is as stiff as felt."""
    felt = min(felt, STIFFEST_SPRING * tyre)
    return felt * tyre / (tyre - felt)


def anti_roll_nm_per_rad(vehicle: VehicleParameters) -> tuple[float, float]:
    """Return what the anti-roll bars give to reach the axles' roll stiffnesses [N m/rad]."""
    ride, body, suspension = completed(vehicle), vehicle.body, vehicle.suspension
    given = (
        (suspension.roll_stiffness_front_nm_per_rad, ride.tyre_rate_front_n_per_m,
         ride.spring_front_n_per_m, body.track_front_m),
        (suspension.roll_stiffness_rear_nm_per_rad, ride.tyre_rate_rear_n_per_m,
         ride.spring_rear_n_per_m, body.track_rear_m),
    )  # fmt: skip
    bars = [_bar(*axle) for axle in given]
    return bars[0], bars[1]


def _bar(felt: float, tyre: float, spring: float, track: float) -> float:
    on_tyres = 0.5 * tyre * track**2
    felt = min(felt, STIFFEST_SPRING * on_tyres)
    return felt * on_tyres / (on_tyres - felt) - 0.5 * spring * track**2


def with_ride(car: Array, vehicle: VehicleParameters) -> Array:
    """Return the buffer of a car of level l2 with the numbers of level l3 behind it."""
    ride, body = completed(vehicle), vehicle.body
    full = np.concatenate([car, np.zeros(l3.SIZE - at.SIZE)])
    sprung = body.mass_kg - ride.unsprung_mass_front_kg - ride.unsprung_mass_rear_kg
    share = body.cg_to_rear_axle_m / body.wheelbase_m
    suspension = vehicle.suspension
    centres = suspension.roll_centre_front_m, suspension.roll_centre_rear_m
    axis = share * centres[0] + (1.0 - share) * centres[1]
    arm = ride.sprung_cg_height_m - axis
    sprung_share = sprung / body.mass_kg
    roll_inertia = ride.sprung_roll_inertia_kgm2 + sprung * arm**2 * (1.0 - sprung_share)
    full[l3.INVERSE_SPRUNG_MASS] = 1.0 / sprung
    full[l3.INVERSE_ROLL_INERTIA] = 1.0 / roll_inertia
    full[l3.INVERSE_PITCH_INERTIA] = 1.0 / ride.sprung_pitch_inertia_kgm2
    full[l3.ROLL_ARM] = sprung * arm
    full[l3.AXLE_ARM] = sprung_share * arm
    full[l3.PATCH_ARM] = (sprung_share - (1.0 - ride.patch_roll_share)) * arm
    full[l3.PATCH_RADIUS] = (1.0 - ride.patch_roll_share) * vehicle.wheels.radius_m
    full[l3.AXIS_HEIGHT] = axis
    full[l3.PITCH_ARM] = body.mass_kg * body.cg_height_m
    full[l3.LATERAL_COMPLIANCE] = ride.lateral_compliance_m_per_n
    masses = ride.unsprung_mass_front_kg, ride.unsprung_mass_rear_kg
    full[l3.AXLE_MASS : l3.AXLE_MASS + 2] = masses
    full[l3.AXLE_HEIGHT : l3.AXLE_HEIGHT + 2] = vehicle.wheels.radius_m
    full[l3.ROLL_CENTRE : l3.ROLL_CENTRE + 2] = centres
    half_front, half_rear = 0.5 * body.track_front_m, 0.5 * body.track_rear_m
    bars = anti_roll_nm_per_rad(vehicle)
    _put_four(full, l3.CORNER_X, body.cg_to_front_axle_m, -body.cg_to_rear_axle_m)
    _put_four(full, l3.CORNER_Y, half_front, half_rear)
    full[l3.CORNER_Y : l3.CORNER_Y + 4] *= full[at.SIDE : at.SIDE + 4]
    _put_four(full, l3.SPRING, ride.spring_front_n_per_m, ride.spring_rear_n_per_m)
    _put_four(full, l3.DAMPER, ride.damper_front_ns_per_m, ride.damper_rear_ns_per_m)
    _put_four(full, l3.ANTI_ROLL, bars[0] / body.track_front_m, bars[1] / body.track_rear_m)
    _put_four(full, l3.TYRE_RATE, ride.tyre_rate_front_n_per_m, ride.tyre_rate_rear_n_per_m)
    _put_four(full, l3.INVERSE_UNSPRUNG, *(2.0 / mass for mass in masses))
    _put_four(full, l3.INVERSE_TRACK, 1.0 / body.track_front_m, 1.0 / body.track_rear_m)
    _put_four(full, l3.BUMP_STOP, ride.bump_stop_front_n_per_m, ride.bump_stop_rear_n_per_m)
    _put_four(full, l3.BUMP_TRAVEL, ride.bump_travel_front_m, ride.bump_travel_rear_m)
    static = np.array(vehicle.static_wheel_loads_n())
    full[l3.STATIC : l3.STATIC + 4] = static * (full[at.GRAVITY_N] / GRAVITY_MPS2)
    parts = _parts(full)
    full[l3.PARTS] = parts
    full[l3.INVERSE_PARTS] = 1.0 / parts
    return full


def _put_four(car: Array, first: int, front: float, rear: float) -> None:
    car[first : first + 4] = front, front, rear, rear


def _parts(car: Array) -> int:
    """Return into how many parts a substep has to go for the fastest motion."""

    def four(first: int) -> Array:
        values: Array = car[first : first + 4]
        return values

    track = 1.0 / four(l3.INVERSE_TRACK)
    rates = four(l3.SPRING) + four(l3.BUMP_STOP) + np.maximum(2.0 * four(l3.ANTI_ROLL) / track, 0.0)
    wheels = (rates + four(l3.TYRE_RATE)) * four(l3.INVERSE_UNSPRUNG)
    rolls = float(np.sum(rates * four(l3.CORNER_Y) ** 2)) * car[l3.INVERSE_ROLL_INERTIA]
    pitches = float(np.sum(rates * four(l3.CORNER_X) ** 2)) * car[l3.INVERSE_PITCH_INERTIA]
    heaves = float(np.sum(rates)) * car[l3.INVERSE_SPRUNG_MASS]
    fastest = math.sqrt(max(float(wheels.max()), rolls, pitches, heaves))
    damped = float((four(l3.DAMPER) * four(l3.INVERSE_UNSPRUNG)).max())
    parts = math.ceil(car.item(at.DT) * max(fastest, damped) / PART)
    return min(max(1, parts), MOST_PARTS)


def place(car: Array, surface: Array) -> None:
    """Put the car at rest on the road under it: wheels on the ground, the body over them."""
    car[l3.STATE.start : l3.PARTS] = 0.0
    c, s = math.cos(car[at.YAW]), math.sin(car[at.YAW])
    for i in range(4):
        arm_x, arm_y = car[at.ARM_X + i], car[at.ARM_Y + i]
        x = car[at.X] + c * arm_x - s * arm_y
        y = car[at.Y] + s * arm_x + c * arm_y
        car[l3.ROAD_Z + i], car[l3.ROAD_X + i], car[l3.ROAD_Y + i] = height_at(x, y, surface)
    road = car[l3.ROAD_Z : l3.ROAD_Z + 4].copy()
    car[l3.WHEEL_Z : l3.WHEEL_Z + 4] = road
    front, rear = 0.5 * (road[0] + road[1]), 0.5 * (road[2] + road[3])
    x_front, x_rear = car[l3.CORNER_X], car[l3.CORNER_X + 2]
    rise = (front - rear) / (x_front - x_rear)
    lean = car[l3.INVERSE_TRACK : l3.INVERSE_TRACK + 4 : 2] * (road[::2] - road[1::2])
    car[l3.HEAVE] = front - x_front * rise
    car[l3.PITCH] = -math.atan(rise)
    car[l3.ROLL] = math.atan(float(lean.mean()))
