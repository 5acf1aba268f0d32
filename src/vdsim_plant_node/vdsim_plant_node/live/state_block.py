"""STATE straight from the numeric core's buffer: the numbers in wire order, without objects.

Gives the same bytes as `wire_state.state_of`, which says what each number means; a test compares
them. A server with many vehicles does this once a vehicle and tick, so numbers are gathered and
put in groups. It is not compiled: the server would then load the compiler at every start.
"""

from __future__ import annotations

import math
import struct

import numpy as np
from vdsim_plant.kernel import layout as at
from vdsim_plant.session import SessionFrame
from vdsim_plant.vehicle import Buffer, Vehicle

from vdsim_plant_node.live.wire_state import normalized_angle
from vdsim_plant_node.settings.server_settings import WorldOrigin
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
_POSITION, _YAW, _UNMODELLED, _RACK = 0, 5, 8, 24
_COMPRESSION, _MEASURED, _MEASURED_POSITION, _PEDALS = 33, 37, 41, 51
_ONE, _TWO, _THREE, _FOUR = (struct.Struct(f"={count}d") for count in (1, 2, 3, 4))
_DOUBLE = _ONE.size
# Numbers of each version.
COUNTS = {
    version: (vds1.datagram_size(vds1.MessageType.STATE, version) - 28) // 8
    for version in vds1.VERSIONS
}


class StateBlock:
    """The numbers of one vehicle's STATE, filled in place."""

    def __init__(self, vehicle: Vehicle, origin: WorldOrigin) -> None:
        parameters, ground = vehicle.parameters, vehicle.ground
        body, suspension = parameters.body, parameters.suspension
        self._origin = (origin.x_m, origin.y_m, origin.z_m)
        self._slope = (ground.slope_x, ground.slope_y)
        self._rise = math.sqrt(1.0 + ground.slope_x**2 + ground.slope_y**2)
        self._trail_m = parameters.steering.mechanical_trail_m
        self._static_n = parameters.static_wheel_loads_n()
        front = 2.0 * suspension.roll_stiffness_front_nm_per_rad / body.track_front_m**2
        rear = 2.0 * suspension.roll_stiffness_rear_nm_per_rad / body.track_rear_m**2
        self._rates = (front, rear)
        self._sources = np.array(_SOURCES)
        self._values: Buffer = np.zeros(len(_SOURCES))
        self._bytes = self._values.data.cast("B")
        self._parts = {version: self._values[:count] for version, count in COUNTS.items()}

    def fill(self, frame: SessionFrame) -> float:
        """Take over a tick; returns its simulation time [s]."""
        car, throttle, brake = frame.capture
        values = self._values
        car.take(self._sources, out=values, mode="clip")  # the mode that needs no copy
        self._fill_position(car.data)
        self._fill_loads(car.data)
        _THREE.pack_into(self._bytes, _DOUBLE * _UNMODELLED, 0.0, 0.0, 0.0)
        _TWO.pack_into(self._bytes, _DOUBLE * _PEDALS, throttle, brake)
        yaw_rad = values.item(_YAW)
        if not -math.pi < yaw_rad <= math.pi:
            values[_YAW] = normalized_angle(yaw_rad)
        measured = frame.measured
        if measured is not None:
            values[_MEASURED : _MEASURED + 6] = (
                measured.ax_mps2,
                measured.ay_mps2,
                measured.yaw_rate_radps,
                measured.steer_rad,
                measured.gnss_x_m + self._origin[0],
                measured.gnss_y_m + self._origin[1],
            )
        return car.item(at.OBSERVED_TIME)

    def _fill_position(self, car: memoryview) -> None:
        x, y = _TWO.unpack_from(car, _DOUBLE * at.X)
        slope_x, slope_y = self._slope
        x0, y0, z0 = self._origin
        z = (x * slope_x + y * slope_y) / self._rise
        _THREE.pack_into(self._bytes, _DOUBLE * _POSITION, x + x0, y + y0, z + z0)
        _TWO.pack_into(self._bytes, _DOUBLE * _MEASURED_POSITION, x + x0, y + y0)

    def _fill_loads(self, car: memoryview) -> None:
        """Rack torque from both front side forces, spring compression from the wheel loads."""
        left, right = _TWO.unpack_from(car, _DOUBLE * at.FY)
        _ONE.pack_into(self._bytes, _DOUBLE * _RACK, -self._trail_m * (left + right))
        fl, fr, rl, rr = _FOUR.unpack_from(car, _DOUBLE * at.FZ)
        static_fl, static_fr, static_rl, static_rr = self._static_n
        front, rear = self._rates
        _FOUR.pack_into(
            self._bytes,
            _DOUBLE * _COMPRESSION,
            (fl - static_fl) / front,
            (fr - static_fr) / front,
            (rl - static_rl) / rear,
            (rr - static_rr) / rear,
        )

    def datagram(self, time_s: float, *, seq: int, version: int, vehicle_id: int) -> bytes:
        """The STATE packet of what was filled in."""
        return vds1.encode_state_values(
            self._parts[version],
            seq=seq,
            timestamp_s=time_s,
            version=version,
            vehicle_id=vehicle_id,
        )
