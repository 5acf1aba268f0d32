"""STATE straight from the numeric core's buffer: the numbers in wire order, without objects.

Gives the same bytes as `wire_state.state_of`, which says what each number means; a test compares
them. One server with many vehicles spends most of its time here.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from vdsim_plant.compiled import compiled
from vdsim_plant.kernel import layout as at
from vdsim_plant.session import SessionFrame
from vdsim_plant.vehicle import Buffer, Vehicle

from vdsim_plant_node.settings import WorldOrigin
from vdsim_plant_node.wire_state import normalized_angle
from vdsim_protocol import vds1


def _wheels(first: int, stride: int = 1) -> list[int]:
    return [first + stride * wheel for wheel in range(4)]


# Where each number of STATE stands in the buffer. Those marked * are computed and put over it.
_SOURCES = [
    *(at.X, at.Y, at.X),  # z *
    *(at.OBSERVED_ROLL, at.OBSERVED_PITCH, at.YAW),
    *(at.VX, at.VY, at.X),  # vz *
    *(at.X, at.X, at.YAW_RATE),  # roll and pitch rate *
    *(at.AX, at.AY),
    *_wheels(at.SPIN),
    *(at.STEER, at.RADIUS),
    *_wheels(at.FZ),
    at.X,  # rack torque *
    *_wheels(at.SLIP_X),
    *_wheels(at.OBSERVED_WHEELS + 3, at.OBSERVED_PER_WHEEL),
    *_wheels(at.FZ),  # suspension compression *
    *(at.AX, at.AY, at.YAW_RATE, at.STEER, at.X, at.Y),  # measured; * where there are sensors
    *_wheels(at.BODY_FX),
    *_wheels(at.BODY_FY),
    *(at.X, at.X),  # pedals *
]
_Z, _YAW, _VZ, _PITCH_RATE, _RACK = 2, 5, 8, 10, 24
_COMPRESSION, _MEASURED, _MEASURED_POSITION, _PEDALS = 33, 37, 41, 51
# Numbers of each version.
COUNTS = {
    version: (vds1.datagram_size(vds1.MessageType.STATE, version) - 28) // 8
    for version in vds1.VERSIONS
}


@compiled
def fill_values(
    car: Buffer, sources: NDArray[np.int64], constants: Buffer, pedals: Buffer, values: Buffer
) -> None:
    """Write the numbers of a STATE with perfect sensors; the yaw as it stands in the buffer.

    `constants`: slope x and y, rise, trail, origin x, y, z, then the static load of each wheel and
    the spring rate at each wheel.
    """
    for index in range(sources.shape[0]):
        values[index] = car[sources[index]]
    x, y = car[at.X], car[at.Y]
    z = (x * constants[0] + y * constants[1]) / constants[2]
    values[_Z] = z + constants[6]
    for index in range(_VZ, _PITCH_RATE + 1):
        values[index] = 0.0
    values[_RACK] = -constants[3] * (car[at.FY] + car[at.FY + 1])
    for wheel in range(4):
        load = car[at.FZ + wheel] - constants[7 + wheel]
        values[_COMPRESSION + wheel] = load / constants[11 + wheel]
    values[0] = values[_MEASURED_POSITION] = x + constants[4]
    values[1] = values[_MEASURED_POSITION + 1] = y + constants[5]
    values[_PEDALS], values[_PEDALS + 1] = pedals[0], pedals[1]


class StateBlock:
    """The numbers of one vehicle's STATE, filled in place."""

    def __init__(self, vehicle: Vehicle, origin: WorldOrigin) -> None:
        parameters, ground = vehicle.parameters, vehicle.ground
        body, suspension = parameters.body, parameters.suspension
        front = 2.0 * suspension.roll_stiffness_front_nm_per_rad / body.track_front_m**2
        rear = 2.0 * suspension.roll_stiffness_rear_nm_per_rad / body.track_rear_m**2
        self._origin = origin
        self._constants = np.array(
            [
                *(ground.slope_x, ground.slope_y),
                math.sqrt(1.0 + ground.slope_x**2 + ground.slope_y**2),
                parameters.steering.mechanical_trail_m,
                *(origin.x_m, origin.y_m, origin.z_m),
                *parameters.static_wheel_loads_n(),
                *(front, front, rear, rear),
            ]
        )
        self._sources = np.array(_SOURCES)
        self._pedals = np.zeros(2)
        self._values: Buffer = np.zeros(len(_SOURCES))
        self._parts = {version: self._values[:count] for version, count in COUNTS.items()}

    def fill(self, frame: SessionFrame) -> float:
        """Take over a tick; returns its simulation time [s]."""
        car, self._pedals[0], self._pedals[1] = frame.capture
        values = self._values
        fill_values(car, self._sources, self._constants, self._pedals, values)
        yaw_rad = float(values[_YAW])
        if not -math.pi < yaw_rad <= math.pi:
            values[_YAW] = normalized_angle(yaw_rad)
        measured = frame.measured
        if measured is not None:
            values[_MEASURED : _MEASURED + 6] = (
                measured.ax_mps2,
                measured.ay_mps2,
                measured.yaw_rate_radps,
                measured.steer_rad,
                measured.gnss_x_m + self._origin.x_m,
                measured.gnss_y_m + self._origin.y_m,
            )
        return float(car[at.OBSERVED_TIME])

    def datagram(self, time_s: float, *, seq: int, version: int, vehicle_id: int) -> bytes:
        """The STATE packet of what was filled in."""
        return vds1.encode_state_values(
            self._parts[version],
            seq=seq,
            timestamp_s=time_s,
            version=version,
            vehicle_id=vehicle_id,
        )
