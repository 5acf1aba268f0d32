"""`vdsim_vehicle`: checks a vehicle file, lists presets and keys, converts files of VDSim."""

from __future__ import annotations

import argparse
import math
from collections.abc import Sequence

from vdsim_plant.actuator import ActuatorParameters
from vdsim_plant.assist import AssistParameters
from vdsim_plant.cli import import_files
from vdsim_plant.cli.console import finish
from vdsim_plant.parameters import (
    TyreParameters,
    VehicleParameters,
    load_tyre,
    load_vehicle,
    tyre_names,
    vehicle_names,
)
from vdsim_plant.parameters.reference import reference_table
from vdsim_plant.sensor import SensorParameters
from vdsim_plant.vehicle_characteristics import (
    TURN_MPS2,
    VehicleCharacteristics,
    YawMode,
    characteristics_of,
)

FILE_KINDS = {
    "vehicle": VehicleParameters,
    "tyre": TyreParameters,
    "actuator": ActuatorParameters,
    "sensor": SensorParameters,
    "assist": AssistParameters,
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return 0, or 2 after one line about what is wrong."""
    parser = argparse.ArgumentParser(prog="vdsim_vehicle", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    check = commands.add_parser("check", help="check a vehicle and print derived figures")
    check.add_argument("vehicle", help="preset name or path of a vehicle file")
    check.add_argument("--tyre", help="preset name or path; default: the vehicle's own")
    commands.add_parser("list", help="list the presets")
    keys = commands.add_parser("keys", help="print every key of a file: unit, limits, meaning")
    keys.add_argument("kind", choices=FILE_KINDS, help="kind of file")
    conversion = commands.add_parser("import", help="convert a vehicle or tyre file of VDSim")
    import_files.add_arguments(conversion)
    options = parser.parse_args(arguments)
    return finish("vdsim_vehicle", lambda: print(_answer(options)))


def _answer(options: argparse.Namespace) -> str:
    if options.command == "list":
        return listing()
    if options.command == "import":
        return import_files.import_files(options)
    if options.command == "keys":
        return reference_table(FILE_KINDS[options.kind])
    vehicle = load_vehicle(options.vehicle)
    tyre = load_tyre(options.tyre or vehicle.axles.tyre)
    return report(vehicle, tyre, characteristics_of(vehicle, tyre))


def listing() -> str:
    """Return the presets with their descriptions."""
    lines = ["vehicles"]
    lines += [f"  {name:18} {load_vehicle(name).description}" for name in vehicle_names()]
    lines += ["tyres"]
    lines += [f"  {name:18} {load_tyre(name).description}" for name in tyre_names()]
    return "\n".join(lines)


def report(
    vehicle: VehicleParameters, tyre: TyreParameters, figures: VehicleCharacteristics
) -> str:
    """Return the figures as text for people."""
    f = figures
    rows = [
        ("mass, wheelbase", f"{vehicle.body.mass_kg:g} kg, {f.wheelbase_m:.3f} m"),
        ("weight on the front axle", f"{100 * f.front_weight_share:.1f} %"),
        ("wheel loads FL FR RL RR", " ".join(f"{load:.0f}" for load in f.wheel_loads_n) + " N"),
        (
            "axle stiffness front, rear",
            f"{_short(f.stiffness_front_n_per_rad)}, {_short(f.stiffness_rear_n_per_rad)} N/rad",
        ),
        ("wheel radius", _radius(vehicle, tyre)),
        ("understeer gradient", _gradient(f.understeer_gradient_rad_s2_per_m)),
        (f"understeer at {TURN_MPS2:g} m/s2", _gradient(f.turning_understeer_rad_s2_per_m)),
        ("", _special_speed(f)),
        *((f"yaw at {mode.speed_mps:g} m/s", _mode(mode)) for mode in f.yaw_modes),
        ("roll", f"{_degrees(f.roll_per_g_rad)} per g, {f.roll_frequency_hz:.2f} Hz"),
        ("pitch", f"{_degrees(f.pitch_per_g_rad)} per g, {f.pitch_frequency_hz:.2f} Hz"),
        ("rollover threshold", f"{f.rollover_threshold_g:.2f} g (rigid car)"),
        ("full throttle", f"{_short(f.drive_force_n)} N, {f.drive_power_w / 1e3:.3g} kW"),
        (
            "full brake",
            f"{_short(f.brake_force_n)} N, {f.brake_force_n / vehicle.body.mass_kg:.1f} m/s2 "
            "before the tyres' limit",
        ),
    ]
    head = f"{vehicle.name}: {vehicle.description}\ntyre {tyre.name}: {tyre.description}\n"
    return head + "\n".join(f"  {name:28}{text}" for name, text in rows) + "\nno faults found"


def _radius(vehicle: VehicleParameters, tyre: TyreParameters) -> str:
    rolling = f"{vehicle.wheels.radius_m:g} m rolling"
    return rolling if tyre.tir is None else f"{rolling}, tyre {tyre.tir.unloaded_radius_m:g} m free"


def _short(value: float) -> str:
    return f"{value:.4g}" if value < 1e4 else f"{value:.0f}"


def _degrees(angle_rad: float) -> str:
    return f"{math.degrees(angle_rad):.2f} deg"


def _gradient(gradient: float) -> str:
    kind = "understeer" if gradient > 0.0 else "oversteer" if gradient < 0.0 else "neutral"
    return f"{gradient:+.3e} rad s2/m = {_degrees(gradient * 9.80665)} per g ({kind})"


def _special_speed(figures: VehicleCharacteristics) -> str:
    if math.isfinite(figures.critical_speed_mps):
        return f"critical speed {figures.critical_speed_mps:.1f} m/s: unstable above it"
    if math.isfinite(figures.characteristic_speed_mps):
        return f"characteristic speed {figures.characteristic_speed_mps:.1f} m/s"
    return "neutral at every speed"


def _mode(mode: YawMode) -> str:
    if not mode.stable:
        return "unstable"
    return f"{mode.frequency_hz:.2f} Hz, damping {mode.damping:.2f}"
