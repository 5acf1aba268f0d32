"""Where the assistance of a car has its numbers: the last SIZE ones of the car, or of a block.

They are counted from where these begin. The parameters are those of AssistParameters, or follow
from them and the car; what is held comes before the assistance, and is the same after it.
"""

from __future__ import annotations

ABS = 0  # 1: on
TRACTION = 1
STABILITY = 2
SLIP_SHARE = 3
SLOWEST = 4  # [m/s]
WHEEL_BRAKE_BELOW = 5  # [m/s]
YAW_MOMENT = 6  # per error of the yaw rate [N m s/rad]
YAW_TOLERANCE = 7  # [rad/s]
YAW_LAG = 8  # [s]
BUILD_UP = 9  # [s]
GRIP_SHARE = 10
SLOWEST_YAW = 11  # [m/s]
UNDERSTEER = 12  # wheel angle per lateral acceleration, times the wheelbase [s2/m]
HALF_TRACK = 13  # front and rear [m]
GAIN = 15  # torque per error of the rim speed, each wheel [N m s/m]

HELD = 19  # TORQUE, THROTTLE and BRAKE as they were given
MOTOR = 28  # what the motor gives each wheel [N m]
SPEED = 32  # of each contact [m/s]
RIM = 36  # [m/s]
SLIP = 40  # along, that is aimed at

SHARE = 44  # of the motor's torque that a wheel takes without slipping more

MEMORY = 48  # state: what follows
LET_THROUGH = 48  # share of the front brakes' difference that is let through
WANTED = 49  # yaw rate, as fast as a car can answer [rad/s]
SIZE = 50
