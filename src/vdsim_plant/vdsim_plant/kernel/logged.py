"""Many cars driven by series of inputs: the loop of a fit to a log. Called through loops.py.

Each car of a block has a record of its own that says where in the series its drive begins. What the
log shows of it is written row by row; between two rows every substep takes inputs of its own.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from vdsim_plant.compiled.inlining import carray, inlined
from vdsim_plant.kernel import layout as at
from vdsim_plant.kernel.block import advance_blocks
from vdsim_plant.kernel.equations import clamp
from vdsim_plant.kernel.layout import LANES
from vdsim_plant.kernel.polynomials import sine_and_cosine

Buffer = NDArray[np.float64]

# --- a car's record
STEER_FROM = 0  # places in the series where the drive begins, below 0: none; wheel angle [rad],
THROTTLE_FROM = 1  # signed share of the motor's torque,
BRAKE_FROM = 2  # share of the brakes' torque;
TORQUE_FROM = 3  # torque at each wheel, FL, FR, RL, RR [N m], below 0 where it brakes
SPEED_FROM = 7  # speed [m/s] that wheel torques hold, whatever else drives
BANK_FROM = 8  # what gravity pulls to the left on a banked road [m/s2]
BRAKE_FULL = 9  # torque of the whole brake at each wheel, FL, FR, RL, RR [N m]
LOAD_PULL = 13  # of the loads' oscillator: its new rate by how far it is off [1/s], and of the old
LOAD_KEPT = 14  # rate what is left after a substep
ASIDE = 15  # how far the contact patches move to the left as the body rolls, over ay [s2]
CARRIED_X = 16  # the acceleration that the loads are of, body frame [m/s2],
CARRIED_Y = 17
CARRIED_RATE_X = 18  # and its rate [m/s3]
CARRIED_RATE_Y = 19
RECORD = 20

HELD_WITHIN_S = 0.1  # time constant of the held speed
HARDEST_MPS2 = 15.0  # that it takes

# --- what a row may show beyond the fields of the layout
MOTOR_FRONT = at.SIZE  # torque of the motor at each front wheel at this moment [N m]
MOTOR_REAR = at.SIZE + 1

_advance = inlined(advance_blocks)


def drive_blocks(
    blocks_at: Any,
    blocks_size: int,
    road_at: Any,
    road_size: int,
    starts_at: Any,
    starts_size: int,
    records_at: Any,
    records_size: int,
    series_at: Any,
    series_size: int,
    shown_at: Any,
    shown_size: int,
    seen_at: Any,
    seen_size: int,
    first: int,
    last: int,
    rows: int,
    substeps: int,
) -> None:
    """Drive the blocks [first, last) from the first row to the last, `substeps` between two.

    Roads and `starts` are those of `advance_blocks`. `records`: RECORD numbers x car; `shown`: what
    each row shows, fields of the layout; `seen`: shown x row x car, row 0 the initial state.
    """
    blocks = carray(blocks_at, (blocks_size,))
    records = carray(records_at, (records_size,))
    series = carray(series_at, (series_size,))
    shown = carray(shown_at, (shown_size,))
    seen = carray(seen_at, (seen_size,))
    size = at.SIZE * LANES
    cars = records_size // RECORD
    for k in range(first, last):
        block = blocks[k * size : (k + 1) * size]
        for row in range(rows):
            place = row * substeps
            for channel in range(shown_size):
                field = int(shown[channel])
                to = (channel * rows + row) * cars + k * LANES
                for lane in range(LANES):
                    if field >= at.SIZE:
                        value = _motor_now(block, records, series, cars, k, lane, place)
                        gain = at.MOTOR_GAIN_FRONT + (field - MOTOR_FRONT)
                        seen[to + lane] = value * block[gain * LANES + lane]
                    else:
                        seen[to + lane] = block[field * LANES + lane]
            if row < rows - 1:
                for substep in range(substeps):
                    _take_series(block, records, series, cars, k, place + substep)
                    _move_patches(block, records, cars, k, 1.0)
                    _advance(
                        blocks_at,
                        blocks_size,
                        road_at,
                        road_size,
                        starts_at,
                        starts_size,
                        k,
                        k + 1,
                        1,
                    )
                    _move_patches(block, records, cars, k, -1.0)
                    _carry_loads(block, records, cars, k)


@inlined
def _move_patches(block: Buffer, records: Buffer, cars: int, k: int, sign: float) -> None:
    """Let the tyres see the speed aside that rolling gives the contact patches; take it back."""
    for lane in range(LANES):
        car = k * LANES + lane
        aside = sign * records[ASIDE * cars + car] * records[CARRIED_RATE_Y * cars + car]
        block[at.VY * LANES + lane] += aside
        if sign < 0.0:  # what turned with it
            turned = aside * block[at.YAW_RATE * LANES + lane] * block[at.DT * LANES + lane]
            block[at.VX * LANES + lane] += turned


@inlined
def _carry_loads(block: Buffer, records: Buffer, cars: int, k: int) -> None:
    """Let the loads follow as those of a body that swings on springs do."""
    for lane in range(LANES):
        car = k * LANES + lane
        pull = records[LOAD_PULL * cars + car]
        kept = records[LOAD_KEPT * cars + car]
        for axis in range(2):
            field = (at.EXPECTED_X + axis) * LANES + lane
            place = (CARRIED_X + axis) * cars + car
            swing = (CARRIED_RATE_X + axis) * cars + car
            off = block[field] - records[place]
            rate = kept * records[swing] + pull * off
            carried = records[place] + block[at.DT * LANES + lane] * rate
            records[swing] = rate
            records[place] = carried
            block[field] = carried


@inlined
def _take_series(
    block: Buffer, records: Buffer, series: Buffer, cars: int, k: int, place: int
) -> None:
    """Write the inputs of a substep: of pedals and torques, or those that hold a speed."""
    for lane in range(LANES):
        car = k * LANES + lane
        block[at.STEER * LANES + lane] = _at(records, series, cars, STEER_FROM, car, place)
        throttle = _at(records, series, cars, THROTTLE_FROM, car, place)
        brake = _at(records, series, cars, BRAKE_FROM, car, place)
        torque = throttle * _most_torque(block, lane)
        for i in range(4):
            axle = at.MOTOR_GAIN_FRONT if i < 2 else at.MOTOR_GAIN_REAR
            wheel = _at(records, series, cars, TORQUE_FROM + i, car, place)
            drive = 0.0 if wheel < 0.0 else wheel
            block[(at.TORQUE + i) * LANES + lane] = torque * block[axle * LANES + lane] + drive
            full = records[(BRAKE_FULL + i) * cars + car]
            block[(at.BRAKE + i) * LANES + lane] = brake * full + (drive - wheel)
        if records[SPEED_FROM * cars + car] >= 0.0:
            _hold_speed(block, records, series, cars, k, lane, place)
        if records[BANK_FROM * cars + car] >= 0.0:
            pull = _at(records, series, cars, BANK_FROM, car, place)
            s, c = sine_and_cosine(block[at.YAW * LANES + lane])
            block[at.GRAVITY_X * LANES + lane] = -s * pull
            block[at.GRAVITY_Y * LANES + lane] = c * pull


@inlined
def _hold_speed(
    block: Buffer,
    records: Buffer,
    series: Buffer,
    cars: int,
    k: int,
    lane: int,
    place: int,
) -> None:
    """Drive by the motor's split, or brake by the brakes', so that the car has the speed asked."""
    car = k * LANES + lane
    now = _at(records, series, cars, SPEED_FROM, car, place)
    before = _at(records, series, cars, SPEED_FROM, car, place - 1 if place > 0 else 0)
    rate = (now - before) * block[at.INVERSE_DT * LANES + lane]
    asked = rate + (now - block[at.VX * LANES + lane]) / HELD_WITHIN_S
    asked = clamp(asked, -HARDEST_MPS2, HARDEST_MPS2)
    torque = asked * block[at.MASS * LANES + lane] * block[at.RADIUS * LANES + lane]
    split = block[at.MOTOR_SPLIT_FRONT * LANES + lane]
    whole = 0.0
    for i in range(4):
        whole += records[(BRAKE_FULL + i) * cars + car]
    for i in range(4):
        driven = 0.5 * (split if i < 2 else 1.0 - split)
        braked = records[(BRAKE_FULL + i) * cars + car] / whole
        block[(at.TORQUE + i) * LANES + lane] = torque * driven if torque > 0.0 else 0.0
        block[(at.BRAKE + i) * LANES + lane] = 0.0 if torque > 0.0 else -torque * braked


@inlined
def _motor_now(
    block: Buffer,
    records: Buffer,
    series: Buffer,
    cars: int,
    k: int,
    lane: int,
    place: int,
) -> float:
    """Return the motor's torque at the moment between two substeps [N m]."""
    car = k * LANES + lane
    before = _at(records, series, cars, THROTTLE_FROM, car, place - 1)
    after = _at(records, series, cars, THROTTLE_FROM, car, place)
    now: float = 0.5 * (before + after) * _most_torque(block, lane)
    return now


@inlined
def _at(records: Buffer, series: Buffer, cars: int, kind: int, car: int, place: int) -> float:
    start = int(records[kind * cars + car])
    value: float = series[start + place] if start >= 0 else 0.0
    return value


@inlined
def _most_torque(block: Buffer, lane: int) -> float:
    """Return the motor's torque at full throttle and the present speed, as `add_motor_torque`."""
    front = 0.5 * (block[at.SPIN * LANES + lane] + block[(at.SPIN + 1) * LANES + lane])
    rear = 0.5 * (block[(at.SPIN + 2) * LANES + lane] + block[(at.SPIN + 3) * LANES + lane])
    split = block[at.MOTOR_SPLIT_FRONT * LANES + lane]
    speed = abs(split * front + (1.0 - split) * rear) * block[at.MOTOR_RATIO * LANES + lane]
    place = speed * block[at.MOTOR_STEP_INVERSE * LANES + lane]
    place = clamp(place, 0.0, at.MOTOR_POINTS - 1.001)
    below = int(place)
    low = block[(at.MOTOR_TABLE + below) * LANES + lane]
    high = block[(at.MOTOR_TABLE + below + 1) * LANES + lane]
    torque: float = low + (place - below) * (high - low)
    return torque
