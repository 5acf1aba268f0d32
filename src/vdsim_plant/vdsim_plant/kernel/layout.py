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
FORCE_X = 6  # contact force of the last substep over mass, body frame [m/s2]
FORCE_Y = 7
YAW_ACC = 8  # its moment over the yaw inertia [rad/s2]
EXPECTED_X = 9  # FORCE_X and FORCE_Y of the next substep, as expected: they move its loads
EXPECTED_Y = 10
CHANGE_X = 11  # of FORCE_X, FORCE_Y and YAW_ACC in the last substep
CHANGE_Y = 12
YAW_CHANGE = 13
SUBSTEPS = 14  # substeps since the reset; time = SUBSTEPS * DT

# --- inputs, held over a call, with BRAKE below
STEER = 15  # road wheel angle [rad]
TORQUE = 16  # drive torque at each wheel, FL, FR, RL, RR [N m]; the motor's comes on top
THROTTLE = 20  # signed share of the motor's torque, -1 to 1 (reverse gear: below 0)
WIND_X = 21  # force of the wind at the centre of gravity, world frame [N]
WIND_Y = 22
WIND_MOMENT = 23  # and its moment about the vertical axis, to the left [N m]

# --- outputs of the last substep
AX = 24  # acceleration of the centre of gravity, body frame [m/s2]
AY = 25
COS_STEER = 26
SIN_STEER = 27

# --- where the friction under the wheels is known; work values, not state
SAME_FROM = 28  # while from <= X, YAW < to no wheel meets another friction; 0, 0: look it up
SAME_TO = 29
SAME_YAW_FROM = 30
SAME_YAW_TO = 31

# --- parameters of the car
DT = 32  # substep [s]
INVERSE_DT = 33
MASS = 34
INVERSE_MASS = 35
INVERSE_YAW_INERTIA = 36
GRAVITY_X = 37  # gravity in the road plane, world frame [m/s2]
GRAVITY_Y = 38
GRAVITY_N = 39  # into the road
STATIC_FRONT = 40  # share of the weight on the front axle
AXLE_TRANSFER = 41  # axle load per longitudinal FORCE_X [N s2/m]
WHEEL_TRANSFER_FRONT = 42  # wheel load per lateral FORCE_Y [N s2/m]
WHEEL_TRANSFER_REAR = 43
DRAG = 44  # air drag per speed squared [N s2/m2]
LIFT_FRONT = 45  # axle unloading per speed squared
LIFT_REAR = 46
ROLLING_RESISTANCE = 47
RADIUS = 48
SPIN_PER_SPEED = 49  # substep over rolling radius [s/m]: times a rate it is a change of spin
SPIN_MAX = 50  # [rad/s]
LOCK_FRONT = 51  # 1: locked differential
LOCK_REAR = 52
WHEELBASE = 53
CG_TO_REAR = 54
ROLL_PER_FORCE = 55  # [rad s2/m]
PITCH_PER_FORCE = 56
SLOPE_X = 57  # rise of the road along world x, metre per metre
SLOPE_Y = 58
REACH = 59  # no contact point is further from the centre of gravity [m]

# --- parameters of the tyre
SHAPE_X = 60
SHAPE_Y = 61
PEAK_X = 62  # B * peak slip; without curvature tan(pi / 2C)
PEAK_Y = 63
INVERSE_PEAK_X = 64
INVERSE_PEAK_Y = 65
SLOPE_PEAK = 66  # SHAPE_X times PEAK_X
CURVATURE_X = 67  # E
CURVATURE_Y = 68
GRIP_BASE = 69  # friction over that at the static load = GRIP_BASE - GRIP_LOSS * Fz
SLIP_FLOOR = 70  # [m/s]
STICK_LENGTH = 71  # deflection length of the standing tyre over DT [m/s]
LENGTH_X = 72  # relaxation lengths over DT [m/s]
LENGTH_Y = 73
STICK_DAMPING = 74  # [s/m]
INVERSE_STICK_SPEED_SQUARED = 75
INVERSE_MU_NOMINAL = 76  # stiffness over its nominal value = STIFFNESS_BASE + mu times this
STIFFNESS_BASE = 77
PEAK_PER_MU = 78  # highest |F| over mu Fz
STIFFNESS_PER_LOAD = 79  # largest force per slip and load

# --- parameters of the motor (pedal path)
MOTOR_SPLIT_FRONT = 80
MOTOR_GAIN_FRONT = 81  # wheel torque per motor torque at each front wheel
MOTOR_GAIN_REAR = 82
MOTOR_RATIO = 83
MOTOR_STEP_INVERSE = 84  # 1 / spacing of the torque table [s/rad]
MOTOR_TABLE = 85  # MOTOR_POINTS values, full-throttle torque over motor speed [N m]
MOTOR_POINTS = 33

# --- steer of the axles by roll and side force (kernel/bends.py); 1: there is some
BENDS = MOTOR_TABLE + MOTOR_POINTS
BEND_TABLES = BENDS + 1  # front over roll, over side force; rear over roll, over side force
BEND_KINKS = 4
BEND_TABLE = 1 + 2 * BEND_KINKS  # slope at 0; then where it changes, and by how much

# --- four numbers each, FL, FR, RL, RR
WHEELS = BEND_TABLES + 4 * BEND_TABLE
SPIN = WHEELS  # [rad/s]
STRETCH_X = WHEELS + 4  # transient slip of the contact patch, state
STRETCH_Y = WHEELS + 8
FX = WHEELS + 12  # contact force, wheel frame [N]
FY = WHEELS + 16
FZ = WHEELS + 20  # [N]
MU = WHEELS + 24
STANDING_LENGTH = WHEELS + 28  # STICK_LENGTH and STICK_DAMPING on that friction
STANDING_DAMPING = WHEELS + 32
SLIP_X = WHEELS + 36  # slip ratio that the force law used
SLIP_Y = WHEELS + 40  # minus the tangent of the slip angle that the force law used
COS = WHEELS + 44  # of the wheel's steer angle
SIN = WHEELS + 48
DRIVE = WHEELS + 52  # TORQUE and what the motor gives [N m]
BRAKE = WHEELS + 56  # brake torque [N m], >= 0; an input
BODY_FX = WHEELS + 60  # contact force, body frame [N]
BODY_FY = WHEELS + 64
MOMENT = WHEELS + 68  # its moment about the centre of gravity [N m]
FREE_SPIN = WHEELS + 72  # new spin without brake [rad/s]
SPIN_GAIN = WHEELS + 76  # change of the new spin per torque [rad/(s N m)]
SPIN_HOLD = WHEELS + 80  # torque that opposes the wheel's turning: brake, rolling resistance

# ... and from one loop of a block to the next
ALONG = WHEELS + 84  # speed of the contact point in the wheel's frame [m/s]
ACROSS = WHEELS + 88
STICK = WHEELS + 92  # weight of the standing patch, 0 to 1
LAG_X = WHEELS + 96  # length of the patch over the substep [m/s]
LAG_Y = WHEELS + 100
GAIN_X = WHEELS + 104  # slip per sliding speed [s/m]
GAIN_Y = WHEELS + 108
RHO = WHEELS + 112  # slip in units of the peak slip
INVERSE_RHO = WHEELS + 116
X_SHARE = WHEELS + 120  # share of the slip along in it, squared
ANGLE_X = WHEELS + 124  # what the curve along is the sine of [rad]
ANGLE_Y = WHEELS + 128
SLOPE = WHEELS + 132  # share of a time constant of the spin that a substep takes, a fraction
SLOPE_UNIT = WHEELS + 136
BALANCE = WHEELS + 140  # how far the balance of the spin moves in a substep [rad/s]

# ... parameters
ARM_X = WHEELS + 144  # contact point from the centre of gravity [m]
ARM_Y = WHEELS + 148
SPIN_PER_TORQUE = WHEELS + 152  # substep over spin inertia [rad/(s N m)]
SPIN_PER_SLOPE = WHEELS + 156  # share of a time constant per force over rim speed [m/(N s)]
INVERSE_KAPPA_PEAK = WHEELS + 160
INVERSE_ALPHA_PEAK = WHEELS + 164  # of tan(alpha); see STIFFNESS_LOSS
SIDE = WHEELS + 168  # +1 left, -1 right
GRIP_LOSS = WHEELS + 172  # [1/N]
STIFFNESS_LOSS = WHEELS + 176  # of INVERSE_ALPHA_PEAK, over the squared load [1/N2]

# --- what an observation shows, in its order; written once a call
OBSERVED = WHEELS + 180
OBSERVED_BETA = OBSERVED + 8  # after x, y, yaw, vx, vy, yaw rate, ax, ay
OBSERVED_ROLL = OBSERVED + 9
OBSERVED_PITCH = OBSERVED + 10
OBSERVED_TIME = OBSERVED + 11
OBSERVED_WHEELS = OBSERVED + 12  # a wheel: Fx, Fy, Fz, alpha, kappa, mu, mu_peak, spin
OBSERVED_PEAKS = 8  # in a wheel, after these: alpha_peak, kappa_peak, constant but for a tyre file
OBSERVED_PER_WHEEL = 10
SIZE = OBSERVED_WHEELS + 4 * OBSERVED_PER_WHEEL

WHEEL_NAMES = ("FL", "FR", "RL", "RR")
STATE = (*range(X, SUBSTEPS + 1), *range(SPIN, FX))
