"""ForeignVehicle: an FMU behind the interface of `Vehicle`, for sessions and servers."""

from __future__ import annotations

import math
import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from vdsim_plant.fmu.variables import WHEELS
from vdsim_plant.fmu_import.library_process import LibraryProcess
from vdsim_plant.fmu_import.names import Link, links_of
from vdsim_plant.fmu_import.opened_fmu import open_fmu
from vdsim_plant.ground import Ground
from vdsim_plant.kernel import layout as at
from vdsim_plant.motion import NO_WIND, InitialState, PedalInput, WheelTorques, Wind
from vdsim_plant.parameters import ParameterError, VehicleParameters
from vdsim_plant.vehicle import Vehicle

_SIZE = struct.Struct("<Q")
# Besides the place of the observation: where the core has it.
_IN_THE_CORE = {
    **{"x_m": at.X, "y_m": at.Y, "yaw_rad": at.YAW, "vx_mps": at.VX, "vy_mps": at.VY},
    **{"yaw_rate_radps": at.YAW_RATE, "ax_mps2": at.AX, "ay_mps2": at.AY},
}
_OF_A_WHEEL = {
    **{"tire_fx_n": at.FX, "tire_fy_n": at.FY, "tire_fz_n": at.FZ, "wheel_mu": at.MU},
    **{"slip_ratio": at.SLIP_X, "wheel_spin_radps": at.SPIN},
}


class ForeignVehicle(Vehicle):
    """A car whose motion an FMU computes; its limits and its size are those of `parameters`.

    What the FMU does not say is derived: loads are the static ones, wheels roll without slip,
    forces and accelerations are 0. Torques at the wheels and the motor's limit are not used.
    """

    def __init__(
        self,
        fmu: Path,
        names: Mapping[str, Any],
        parameters: VehicleParameters,
        ground: Ground | None = None,
        *,
        substep_s: float = 5e-4,
    ) -> None:
        """`names`: our name -> the FMU's variable, where they differ (names.py)."""
        self._binding: LibraryProcess | None = None
        self._links: dict[str, Link] = {}
        self._given: dict[str, float] = {}
        self._started = False
        super().__init__(parameters, None, ground, substep_s=substep_s, allow_coarse_substep=True)
        self._opened = open_fmu(fmu)
        self._links = links_of(self._opened, self, names)
        self._outputs = [k for k in self._links.values() if k.ours.causality == "output"]
        self._binding = LibraryProcess(self._opened)
        self._run = self._run_foreign
        self.reset(InitialState())

    def step_pedals(self, pedals: PedalInput, duration_s: float) -> None:
        """Do as `Vehicle`; the FMU is given the pedals themselves."""
        if pedals.torques is not None:
            raise ParameterError("torques", "an imported car takes none")
        self._given = {
            "throttle": min(max(pedals.throttle, 0.0), 1.0),
            "brake": min(max(pedals.brake, 0.0), 1.0),
            "gear": float(pedals.gear),
            "handbrake": float(pedals.handbrake),
        }
        super().step_pedals(pedals, duration_s)

    def hold_force(
        self,
        steer_rad: float,
        fx_total_n: float,
        substeps: int,
        torques: WheelTorques | None = None,
        wind: Wind = NO_WIND,
    ) -> None:
        """Do as `Vehicle`, with an FMU that has a force intent."""
        if wind != NO_WIND:
            raise ParameterError("wind", "an imported car takes none")
        if "force_n" not in self._links or torques is not None:
            raise ParameterError("force_n", "the imported car takes pedals")
        self._given = {"throttle": 0.0, "brake": 0.0, "force_n": fx_total_n}
        super().hold_force(steer_rad, fx_total_n, substeps)

    def snapshot(self) -> bytes:
        """Do as `Vehicle`; with the FMU's own state where it can be kept."""
        kept = b""
        if self._binding is not None and self._opened.keeps_state:
            kept = self._binding.state()
        return _SIZE.pack(len(kept)) + kept + super().snapshot()

    def restore(self, snapshot: bytes) -> None:
        """Do as `Vehicle`, where the FMU's state can be kept."""
        if self._binding is None or not self._opened.keeps_state:
            raise ParameterError("snapshot", "the FMU cannot take up a state")
        if len(snapshot) < _SIZE.size:
            raise ParameterError("snapshot", f"has {len(snapshot)} bytes: not of such a car")
        end = _SIZE.size + _SIZE.unpack_from(snapshot)[0]
        before = super().snapshot()
        super().restore(snapshot[end:])
        try:
            self._binding.restore(snapshot[_SIZE.size : end])
        except ParameterError:
            super().restore(before)
            raise

    def close(self) -> None:
        """Free the FMU's instance."""
        if self._binding is not None:
            self._binding.close()

    def _look_ahead(self) -> None:
        """Start the FMU where the car was reset to, as far as it has parameters for that."""
        if self._binding is None:  # the FMU is not there yet: still being constructed
            super()._look_ahead()
            return
        if self._started:
            self._binding.reset()
        start = {
            f"start_{name}": float(self._car[place])
            for name, place in _IN_THE_CORE.items()
            if place <= at.YAW_RATE
        }
        start["base_mu"] = self.ground.base_mu
        self._started = True
        self._binding.start(self._foreign(start))
        self._observe()

    def _run_foreign(self, substeps: int) -> None:
        """Step the FMU as the compiled loop would step the car."""
        assert self._binding is not None
        if substeps:
            inputs = {**self._given, "steer_rad": float(self._car[at.STEER])}
            self._binding.set(self._foreign(inputs))
            now_s = float(self._car[at.SUBSTEPS]) * self.substep_s
            self._binding.step(now_s, substeps * self.substep_s)
            self._car[at.SUBSTEPS] += substeps
        self._observe()

    def _foreign(self, values: Mapping[str, float]) -> list[tuple[Any, float]]:
        linked = [(self._links.get(name), value) for name, value in values.items()]
        return [(link.theirs, value * link.scale) for link, value in linked if link is not None]

    def _observe(self) -> None:
        """Write what the FMU says to where the core has it, and derive the rest."""
        assert self._binding is not None
        values = self._binding.get([link.theirs for link in self._outputs])
        found = {
            link.ours.name: value / link.scale
            for link, value in zip(self._outputs, values, strict=True)
        }
        wrong = [name for name, value in found.items() if not math.isfinite(value)]
        if wrong:
            raise ParameterError(
                "fmu", f"={self._opened.source}: {wrong[0]}={found[wrong[0]]}: must be finite"
            )
        self._write_derived(found)
        car = self._car
        for name, value in found.items():
            car[_observed_place(self._links[name])] = value
            if name in _IN_THE_CORE:
                car[_IN_THE_CORE[name]] = value
        car[at.OBSERVED_TIME] = car[at.SUBSTEPS] * car[at.DT]
        self._write_wheels(found)

    def _write_derived(self, found: Mapping[str, float]) -> None:
        """What an FMU need not say; what it says replaces this."""
        car, vx, vy = self._car, found["vx_mps"], found["vy_mps"]
        standing = abs(vx) + abs(vy) < 1e-6
        car[at.OBSERVED_BETA] = 0.0 if standing else math.atan2(vy, abs(vx))
        loads = self.parameters.static_wheel_loads_n()
        for i in range(4):
            car[at.FZ + i] = loads[i]
            car[at.MU + i] = self.ground.base_mu
            rim = vx - found["yaw_rate_radps"] * car[at.ARM_Y + i]
            car[at.SPIN + i] = rim / car[at.RADIUS]
            car[at.FX + i] = car[at.FY + i] = car[at.SLIP_X + i] = 0.0

    def _write_wheels(self, found: Mapping[str, float]) -> None:
        car = self._car
        for i, wheel in enumerate(WHEELS):
            for name, place in _OF_A_WHEEL.items():
                value = found.get(f"{name}_{wheel}")
                if value is not None:
                    car[place + i] = value
            first = at.OBSERVED_WHEELS + at.OBSERVED_PER_WHEEL * i
            for offset, place in enumerate((at.FX, at.FY, at.FZ)):
                car[first + offset] = car[place + i]
            car[first + 4] = car[at.SLIP_X + i]
            car[first + 5] = car[at.MU + i]
            if f"mu_peak_{wheel}" not in found:
                car[first + 6] = car[at.MU + i]
            car[first + 7] = car[at.SPIN + i]
            angle = float(car[at.STEER]) if i < 2 else 0.0
            c, s = math.cos(angle), math.sin(angle)
            fx, fy = car[at.FX + i], car[at.FY + i]
            car[at.BODY_FX + i], car[at.BODY_FY + i] = c * fx - s * fy, s * fx + c * fy


def _observed_place(link: Link) -> int:
    return int(link.ours.place.removeprefix("VD_CAR + "))
