"""Where each number of a car lives in the flat float64 buffer of the numeric core.

A car is SIZE numbers: first one per car, then four (FL, FR, RL, RR) per wheel quantity. A block of
W cars interleaves them: number k of car l stands at k * W + l, so that W = 1 is one car with its
wheels side by side and W = 16 is sixteen cars side by side. Everything is plain module constants,
because the compiler must see them as such. Frames: ISO 8855 (x forward, y left, z up).
"""

from __future__ import annotations

LANES = 16  # cars side by side in a block: a substep needs no more than the first-level cache

# --- state of the car; the wheels add SPIN and STRETCH, and AX is fed back too
X = 0  # world position of the centre of gravity [m]
Y = 1
YAW = 2  # [rad], not wrapped
VX = 3  # velocity in the body frame [m/s]
VY = 4
YAW_RATE = 5  # [rad/s]
FORCE_X = 6  # contact force of the last substep over mass, body frame [m/s2]: moves the loads
FORCE_Y = 7
SUBSTEPS = 8  # substeps since the reset; time = SUBSTEPS * DT

# --- inputs, held over a call
STEER = 9  # road wheel angle [rad]
DRIVE_FRONT = 10  # drive torque at each front wheel [N m]
DRIVE_REAR = 11
BRAKE_FRONT = 12  # brake torque at each front wheel [N m], >= 0
BRAKE_REAR = 13
THROTTLE = 14  # signed share of the motor's torque, -1 to 1 (reverse gear: below 0)

# --- outputs of the last substep
AX = 15  # acceleration of the centre of gravity, body frame [m/s2]
AY = 16
RESISTANCE = 17  # rolling drag that acted at the body, along -x [N]
COS_STEER = 18
SIN_STEER = 19

# --- where the friction under the wheels is known; work values, not state
SAME_FROM = 20  # while from <= X, YAW < to no wheel meets another friction; 0, 0: look it up
SAME_TO = 21
SAME_YAW_FROM = 22
SAME_YAW_TO = 23

# --- parameters of the car
DT = 24  # substep [s]
INVERSE_DT = 25
MASS = 26
INVERSE_MASS = 27
INVERSE_YAW_INERTIA = 28
GRAVITY_X = 29  # gravity in the road plane, world frame [m/s2]
GRAVITY_Y = 30
GRAVITY_N = 31  # into the road
STATIC_FRONT = 32  # share of the weight on the front axle
AXLE_TRANSFER = 33  # axle load per longitudinal FORCE_X [N s2/m]
WHEEL_TRANSFER_FRONT = 34  # wheel load per lateral FORCE_Y [N s2/m]
WHEEL_TRANSFER_REAR = 35
DRAG = 36  # air drag per speed squared [N s2/m2]
LIFT_FRONT = 37  # axle unloading per speed squared
LIFT_REAR = 38
ROLLING_RESISTANCE = 39
RADIUS = 40
SPIN_MAX = 41  # [rad/s]
LOCK_FRONT = 42  # 1: locked differential
LOCK_REAR = 43
WHEELBASE = 44
CG_TO_REAR = 45
ROLL_PER_FORCE = 46  # [rad s2/m]
PITCH_PER_FORCE = 47
SLOPE_X = 48  # rise of the road along world x, metre per metre
SLOPE_Y = 49
REACH = 50  # no contact point is further from the centre of gravity [m]

# --- parameters of the tyre
SHAPE_X = 51
SHAPE_Y = 52
PEAK_X = 53  # B * peak slip = tan(pi / 2C)
PEAK_Y = 54
INVERSE_PEAK_X = 55
INVERSE_PEAK_Y = 56
SLIP_FLOOR = 57  # [m/s]
STICK_LENGTH = 58  # deflection length of the standing tyre over DT [m/s]
LENGTH_X = 59  # relaxation lengths over DT [m/s]
LENGTH_Y = 60
STICK_DAMPING = 61  # [s/m]
INVERSE_STICK_SPEED_SQUARED = 62
INVERSE_MU_NOMINAL = 63  # stiffness over its nominal value = STIFFNESS_BASE + mu times this
STIFFNESS_BASE = 64
PEAK_PER_MU = 65  # highest |F| over mu Fz
STIFFNESS_PER_LOAD = 66  # largest force per slip and load

# --- parameters of the motor (pedal path)
MOTOR_SPLIT_FRONT = 67
MOTOR_GAIN_FRONT = 68  # wheel torque per motor torque at each front wheel
MOTOR_GAIN_REAR = 69
MOTOR_RATIO = 70
MOTOR_STEP_INVERSE = 71  # 1 / spacing of the torque table [s/rad]
MOTOR_TABLE = 72  # MOTOR_POINTS values, full-throttle torque over motor speed [N m]
MOTOR_POINTS = 33

# --- four numbers each, FL, FR, RL, RR
WHEELS = MOTOR_TABLE + MOTOR_POINTS
SPIN = WHEELS  # [rad/s]
STRETCH_X = WHEELS + 4  # transient slip of the contact patch, state
STRETCH_Y = WHEELS + 8
FX = WHEELS + 12  # contact force, wheel frame [N]
FY = WHEELS + 16
FZ = WHEELS + 20  # [N]
MU = WHEELS + 24
SLIP_X = WHEELS + 28  # slip ratio that the force law used
SLIP_Y = WHEELS + 32  # minus the tangent of the slip angle that the force law used
COS = WHEELS + 36  # of the wheel's steer angle
SIN = WHEELS + 40
DRIVE = WHEELS + 44  # torque inputs spread over the wheels [N m]
BRAKE = WHEELS + 48
BODY_FX = WHEELS + 52  # contact force, body frame [N]
BODY_FY = WHEELS + 56
MOMENT = WHEELS + 60  # its moment about the centre of gravity [N m]
SPIN_TOP = WHEELS + 64  # numerator and denominator of the implicit spin update
SPIN_BOTTOM = WHEELS + 68
ARM_X = WHEELS + 72  # contact point from the centre of gravity [m]
ARM_Y = WHEELS + 76
INERTIA = WHEELS + 80  # spin inertia [kg m2]
INVERSE_KAPPA_PEAK = WHEELS + 84
INVERSE_ALPHA_PEAK = WHEELS + 88  # of tan(alpha)
SIDE = WHEELS + 92  # +1 left, -1 right

# --- what an observation shows, in its order; written once a call
OBSERVED = WHEELS + 96
OBSERVED_BETA = OBSERVED + 8  # after x, y, yaw, vx, vy, yaw rate, ax, ay
OBSERVED_ROLL = OBSERVED + 9
OBSERVED_PITCH = OBSERVED + 10
OBSERVED_TIME = OBSERVED + 11
OBSERVED_WHEELS = OBSERVED + 12  # a wheel: Fx, Fy, Fz, alpha, kappa, mu, mu_peak, spin
OBSERVED_PER_WHEEL = 8
SIZE = OBSERVED_WHEELS + 4 * OBSERVED_PER_WHEEL

STATE = (*range(X, SUBSTEPS + 1), *range(SPIN, FX))
