"""The interface as the planning simulator drives it: engaged at the start, with wide limits.

Autoware's planner and controllers have limits of their own, and its simulator none: what is in a
command reaches the car, as far as its motor, brakes and tyres allow. What stays: numbers that are
not finite, packets, time-outs, gears at speed, plausibility.
"""

from __future__ import annotations

from vdsim_interface.longitudinal.parameters import AccelerationParameters
from vdsim_interface.parameters.vehicle import VehicleGeometry
from vdsim_interface.pipeline.parameters import InterfaceParameters
from vdsim_interface.pipeline.pipeline import Pipeline
from vdsim_interface.platforms import vds1
from vdsim_interface.platforms.pedal_table import PRESETS
from vdsim_interface.platforms.spec import PlatformSetup
from vdsim_interface.platforms.vds1.parameters import Vds1Parameters
from vdsim_interface.safety.limits import IGNORED
from vdsim_interface.safety.parameters import SafetyParameters
from vdsim_protocol.checked_file import is_file

from vdsim_autoware.adapter import AutowareParameters
from vdsim_autoware.adapter.parameters import ACCELERATION, VELOCITY
from vdsim_autoware.adapter.vehicle_info import VehicleInfo
from vdsim_autoware.car import VERSION
from vdsim_autoware.model.parameters import SimulatorParameters
from vdsim_autoware.model.types import Drive, Model

PERIOD_S = 0.01
PLATFORM = "vds1"
LARGEST_ACCEL_MPS2 = 15.0
LARGEST_GAIN_1PS = 10.0
DEFAULT_MAP = "ioniq5_awd"


def geometry(info: VehicleInfo, limit_rad: float) -> VehicleGeometry:
    """Return the dimensions that the interface uses."""
    return VehicleGeometry(wheelbase_m=info.wheel_base, front_wheel_angle_max_rad=limit_rad)


def steering_limit_rad(parameters: SimulatorParameters, info: VehicleInfo) -> float:
    """Return the largest wheel angle: the model's limit, within the vehicle's."""
    return min(parameters.steer_lim, info.max_steer_angle)


def accel_limit_mps2(parameters: SimulatorParameters) -> float:
    """Return the largest acceleration in both directions."""
    return max(1.0, min(parameters.vel_rate_lim, LARGEST_ACCEL_MPS2))


def interface_parameters(
    parameters: SimulatorParameters, info: VehicleInfo, limit_rad: float
) -> InterfaceParameters:
    """Return the parameters of the pipeline."""
    limit = accel_limit_mps2(parameters)
    safety = SafetyParameters(
        auto_engage=True,
        rig="driverless",
        driver_override=IGNORED,
        engage_hold_off_s=0.0,
        accel_max_mps2=limit,
        decel_max_mps2=limit,
        stop_decel_mps2=min(2.5, limit),
        standstill_hold_mps2=min(2.0, limit),
        jerk_max_mps3=1000.0,
        brake_jerk_max_mps3=1000.0,
        lateral_accel_max_mps2=15.0,
        lateral_jerk_max_mps3=200.0,
        steer_rate_speeds_mps=(0.0,),
        steer_rate_max_radps=(10.0,),
        steer_lead_max_rad=3.0,
        disabled_rules="high_frequency",
        shift_time_s=0.0,
        auto_gear=False,
    )
    return InterfaceParameters(
        control_command="vehicle",
        platform=PLATFORM,
        rate_hz=1.0 / PERIOD_S,
        command_timeout_s=parameters.command_timeout_s,
        vehicle=geometry(info, limit_rad),
        safety=safety,
        acceleration=AccelerationParameters(rise_max_mps3=1000.0),
    )


def adapter_parameters(
    parameters: SimulatorParameters, model: Model, info: VehicleInfo, limit_rad: float
) -> AutowareParameters:
    """Return the parameters of the adapter: what of a command drives is the model's choice."""
    lag_s = 0.0 if model.is_ideal else parameters.vel_time_constant
    gain = LARGEST_GAIN_1PS if lag_s <= 0.0 else min(1.0 / lag_s, LARGEST_GAIN_1PS)
    return AutowareParameters(
        vehicle=geometry(info, limit_rad),
        longitudinal=VELOCITY if model.drive is Drive.VELOCITY else ACCELERATION,
        velocity_gain_1ps=gain,
        use_undefined_acceleration=True,
        accel_max_mps2=accel_limit_mps2(parameters),
        decel_max_mps2=accel_limit_mps2(parameters),
        command_timeout_s=parameters.command_timeout_s,
        manual_control=True,
        partial_modes=parameters.partial_modes,
        engage_at_rest=True,
        initial_engage_state=parameters.initial_engage_state,
        control_rate_min_hz=10.0,
    )


def pedal_map(vehicle: str) -> str:
    """Return the shipped pedal map of a car; that of the default car for one without."""
    return vehicle if is_file(PRESETS / f"{vehicle}.csv") else DEFAULT_MAP


def make_pipeline(parameters: InterfaceParameters, vehicle: str) -> Pipeline:
    """Return the pipeline of a car."""
    spec = vds1.SPEC
    own = Vds1Parameters(version=VERSION, pedal_map=pedal_map(vehicle))
    setup = PlatformSetup(parameters.vehicle, parameters.period_s)
    return Pipeline(parameters, spec.create(own, setup), spec.capabilities)
