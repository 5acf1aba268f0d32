"""STATE straight from the numeric core's buffer: the numbers in wire order, without objects.

Where each number comes from is `state_fields`; a test compares the bytes with those of
`wire_state.state_of`. A server with many vehicles does this once a vehicle and tick, so numbers are
gathered and written in groups. It is not compiled: the server would then load the compiler at every
start.
"""

from __future__ import annotations

import math
import struct

import numpy as np
from vdsim_plant.kernel import layout as at
from vdsim_plant.session import SessionFrame
from vdsim_plant.vehicle import Buffer, Vehicle

from vdsim_plant_node.live.state_fields import COUNTS, POSITIONS, computed_numbers, core_places
from vdsim_plant_node.live.wire_state import normalized_angle
from vdsim_plant_node.settings.server_settings import WorldOrigin
from vdsim_protocol import vds1

_SOURCES = core_places()
_COMPUTED = computed_numbers()
_POSITION = POSITIONS["x_world_m"]
_YAW = POSITIONS["yaw_rad"]
_RATES = POSITIONS["vz_mps"]  # and roll and pitch rate
_RACK = POSITIONS["rack_torque_nm"]
_COMPRESSION = POSITIONS["susp_compression_m"]
_MEASURED = POSITIONS["m_ax_mps2"]
_MEASURED_POSITION = POSITIONS["m_gnss_x_m"]
_PEDALS = POSITIONS["throttle_applied"]
_ONE, _TWO, _THREE, _FOUR = (struct.Struct(f"={count}d") for count in (1, 2, 3, 4))
_DOUBLE = _ONE.size


class StateBlock:
    """The numbers of one vehicle's STATE, filled in place."""

    def __init__(self, vehicle: Vehicle, origin: WorldOrigin) -> None:
        parameters, ground = vehicle.parameters, vehicle.ground
        body, suspension = parameters.body, parameters.suspension
        self._vehicle = vehicle
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
        self._is_new = True

    def fill(self, frame: SessionFrame) -> float:
        """Take over a tick; returns its simulation time [s].

        Raises LayoutError at the first one when nothing computes a number that needs it.
        """
        car, throttle, brake = frame.capture
        values = self._values
        car.take(self._sources, out=values, mode="clip")  # the mode that needs no copy
        if self._is_new:
            values[list(_COMPUTED)] = math.nan
        self._fill_position(car.data)
        self._fill_loads(car.data)
        _THREE.pack_into(self._bytes, _DOUBLE * _RATES, 0.0, 0.0, 0.0)
        if self._vehicle.has_ride:
            self._fill_ride(frame)
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
        if self._is_new:
            self._is_new = False
            if missing := {_COMPUTED[n] for n in _COMPUTED if math.isnan(values.item(n))}:
                raise vds1.LayoutError(f"STATE: nothing computes {', '.join(sorted(missing))}")
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

    def _fill_ride(self, frame: SessionFrame) -> None:
        """What level l3 has a state for; its readers know where."""
        motion = self._vehicle.motion_of(frame.capture)
        values = self._values
        values[_POSITION + 2] = motion.z_m + self._origin[2]
        values[_RATES : _RATES + 3] = (
            motion.vz_mps,
            motion.roll_rate_radps,
            motion.pitch_rate_radps,
        )
        values[_COMPRESSION : _COMPRESSION + 4] = motion.suspension_compression_m

    def datagram(self, time_s: float, *, seq: int, version: int, vehicle_id: int) -> bytes:
        """The STATE packet of what was filled in."""
        return vds1.encode_state_values(
            self._parts[version],
            seq=seq,
            timestamp_s=time_s,
            version=version,
            vehicle_id=vehicle_id,
        )
