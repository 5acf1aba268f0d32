"""A car's numbers in C: the arrays that the kernel reads, constants, the table of variables."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from importlib import import_module

from vdsim_plant.assembly import build_car
from vdsim_plant.car.loops import (
    advance,
    advance_full,
    advance_kinematic,
    advance_painted,
    advance_painted_full,
    advance_tir,
)
from vdsim_plant.fmu.c_types import array, number
from vdsim_plant.fmu.kernel_source import kernel_source
from vdsim_plant.fmu.variables import LARGEST, Variable
from vdsim_plant.ground import compile_ground
from vdsim_plant.ground.compilation import BASE_MU
from vdsim_plant.kernel import layout as at
from vdsim_plant.parameters import ParameterError
from vdsim_plant.vehicle import Vehicle, loop_for

_LOOPS = (
    *(advance, advance_painted, advance_tir, advance_kinematic),
    *(advance_full, advance_painted_full),
)
_PLACES = (
    *("VX", "YAW_RATE", "SUBSTEPS", "STEER", "TORQUE", "THROTTLE", "WIND_X", "AX", "DT", "RADIUS"),
    *("SPIN", "FX", "BRAKE", "ARM_X", "ARM_Y", "MOTOR_SPLIT_FRONT", "MOTOR_GAIN_FRONT"),
    *("MOTOR_GAIN_REAR", "MOTOR_RATIO", "MOTOR_STEP_INVERSE", "MOTOR_TABLE", "MOTOR_POINTS"),
)


def equations_text(vehicle: Vehicle) -> str:
    """Return vdsim_equations.h: the loop that this car runs on, and how it is called."""
    loop = loop_for(vehicle.level, vehicle.tyre, vehicle.ground)
    if loop not in _LOOPS:
        raise ParameterError("level", f"={vehicle.level!r}: has no FMU")
    function = getattr(import_module(loop.module), loop.name)
    call = f"name({function.__name__})(car, VD_CAR_SIZE, ground, VD_GROUND_SIZE, substeps)"
    body = kernel_source(function)
    return "\n".join(
        (
            "/* Made from the kernel's Python source; included twice by vdsim_kernel.c. */",
            "",
            "#undef VD_ADVANCE",
            "#define VD_ADVANCE(name, car, ground, substeps) \\",
            f"    {call}",
            "",
            body,
        )
    )


def tables_text(vehicle: Vehicle, variables: Sequence[Variable], token: str) -> str:
    """Return vdsim_tables.h."""
    car = build_car(
        vehicle.parameters, vehicle.tyre, vehicle.ground, vehicle.level, vehicle.substep_s
    )
    ground = compile_ground(vehicle.ground)
    lines = [
        f"/* {vehicle.parameters.name} on {vehicle.tyre.name}, level {vehicle.level}. */",
        "",
        "#ifndef VDSIM_TABLES_H\n#define VDSIM_TABLES_H\n",
        "#include <math.h>\n",
        f"#define VD_TOKEN {json.dumps(token)}",
        *(f"#define VD_{name} {text}" for name, text in _constants(vehicle)),
        f"#define VD_CAR_SIZE {car.size}",
        f"#define VD_GROUND_SIZE {ground.size}",
        f"#define VD_ANY {number(LARGEST)}",
        f"#define VD_VARIABLES {len(variables)}u",
        f"#define VD_AT_BASE_MU {BASE_MU}",
        *(f"#define VD_AT_{name} {getattr(at, name)}" for name in _PLACES),
        "",
        "typedef struct {\n    const char *name;\n    char type;\n    int place, settable;\n"
        "    double value, least, most;\n} vd_variable;\n",
        "extern const double vdsim_car[VD_CAR_SIZE];",
        "extern const double vdsim_ground[VD_GROUND_SIZE];",
        "extern const vd_variable vdsim_variables[VD_VARIABLES];",
        "",
        "#endif",
    ]
    return "\n".join(lines) + "\n"


def data_text(vehicle: Vehicle, variables: Sequence[Variable]) -> str:
    """Return vdsim_tables.c."""
    car = build_car(
        vehicle.parameters, vehicle.tyre, vehicle.ground, vehicle.level, vehicle.substep_s
    )
    rows = "\n".join(
        f"    {{{json.dumps(item.name)}, '{item.type}', {item.place}, {item.settable}, "
        f"{number(float(item.start or 0.0))}, {number(float(item.least))}, "
        f"{number(float(item.most))}}},"
        for item in variables
    )
    return "\n".join(
        (
            '#include "vdsim_car.h"\n',
            array("vdsim_car", car.tolist()),
            array("vdsim_ground", compile_ground(vehicle.ground).tolist()),
            f"const vd_variable vdsim_variables[VD_VARIABLES] = {{\n{rows}\n}};",
            "",
        )
    )


def digest_token(texts: Sequence[str]) -> str:
    """Return what identifies a car: the same for the same sources."""
    digest = hashlib.blake2b("\0".join(texts).encode(), digest_size=16).hexdigest()
    parts = (digest[:8], digest[8:12], digest[12:16], digest[16:20], digest[20:])
    return "{" + "-".join(parts) + "}"


def _constants(vehicle: Vehicle) -> list[tuple[str, str]]:
    most_steer, most_force, torque_per_force = vehicle.force_limits()
    drive_split, brake_split = vehicle.front_shares()
    brakes = vehicle.parameters.brakes
    values = (
        ("SUBSTEP", vehicle.substep_s),
        ("MOST_STEER", most_steer),
        ("MOST_FORCE", most_force),
        ("TORQUE_PER_FORCE", torque_per_force),
        ("MOST_WHEEL_TORQUE", vehicle.most_wheel_torque_nm()),
        ("DRIVE_SPLIT_FRONT", drive_split),
        ("BRAKE_SPLIT_FRONT", brake_split),
        ("MOST_BRAKE_TORQUE", brakes.max_torque_nm),
        ("BRAKE_FRONT_SHARE", brakes.front_share),
        ("HANDBRAKE_TORQUE", brakes.handbrake_torque_nm),
    )
    return [
        *((name, number(float(value))) for name, value in values),
        ("LIMIT_TO_MOTOR", str(int(vehicle.limit_to_motor))),
    ]
