"""Platform `wheel_motor_car`: the simulated car in the interface's own process, no wire.

    ros2 launch vdsim_interface vdsim.launch.py platform:=wheel_motor_car \
        platform_path:=examples/platforms

Each wheel has a motor. What a wire has no field for is an auxiliary control here: a torque at each
wheel, `wheel_torque_fl_nm` to `wheel_torque_rr_nm`.
"""

from vdsim_interface.platforms.spec import Capabilities, PlatformSpec

from .platform import AUXILIARY, GEARS, WheelMotorCar, WheelMotorParameters

SPEC = PlatformSpec(
    name="wheel_motor_car",
    doc="the simulated car in the same process, with a motor at each wheel",
    capabilities=Capabilities(
        commands=frozenset({"gear", "hand_brake"}),
        reports=frozenset({"gear", "hand_brake"}),
        auxiliary=AUXILIARY,
        slope_from="pitch",
        pedals_overlap=True,
        signals=frozenset(
            {"position", "heading", "lateral_velocity", "yaw_rate", "acceleration", "wheel_speeds"}
        ),
    ),
    parameters=WheelMotorParameters,
    create=WheelMotorCar,
    gears=GEARS,
)
