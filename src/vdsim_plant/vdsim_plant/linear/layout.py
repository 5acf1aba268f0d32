"""Where the derivatives and changes of a linearisation live: one buffer, after the car's own.

See kernel/layout.py for the car. A change is a row of WIDTH numbers, one for each direction; rows
come in the order of the names below, four for what each wheel has. All but the first two groups are
work values.
"""

from __future__ import annotations

from vdsim_plant.kernel import layout as at

WIDTH = 8  # directions side by side: one vector of the widest kind

# --- changes of the state, in the order of STATES
CHANGES = -(-at.SIZE // WIDTH) * WIDTH
X = CHANGES
Y = X + WIDTH
YAW = X + 2 * WIDTH
VX = X + 3 * WIDTH
VY = X + 4 * WIDTH
YAW_RATE = X + 5 * WIDTH
FORCE_X = X + 6 * WIDTH
FORCE_Y = X + 7 * WIDTH
YAW_ACC = X + 8 * WIDTH
EXPECTED_X = X + 9 * WIDTH
EXPECTED_Y = X + 10 * WIDTH
CHANGE_X = X + 11 * WIDTH
CHANGE_Y = X + 12 * WIDTH
YAW_CHANGE = X + 13 * WIDTH
AX = X + 14 * WIDTH
SPIN = X + 15 * WIDTH
STRETCH_X = SPIN + 4 * WIDTH
STRETCH_Y = STRETCH_X + 4 * WIDTH

# --- changes of the held input
COS = STRETCH_Y + 4 * WIDTH  # of the wheel's steer angle
SIN = COS + 4 * WIDTH
DRIVE = SIN + 4 * WIDTH
BRAKE = DRIVE + 4 * WIDTH

# --- from one stage to the next
LOAD = BRAKE + 4 * WIDTH
MU = LOAD + 4 * WIDTH
FREE_SPIN = MU + 4 * WIDTH
SPIN_GAIN = FREE_SPIN + 4 * WIDTH
SPIN_HOLD = SPIN_GAIN + 4 * WIDTH
BODY_FX = SPIN_HOLD + 4 * WIDTH
BODY_FY = BODY_FX + 4 * WIDTH
MOMENT = BODY_FY + 4 * WIDTH
ALONG = MOMENT + 4 * WIDTH
ACROSS = ALONG + 4 * WIDTH
FX = ACROSS + 4 * WIDTH  # in the wheel's frame
FY = FX + 4 * WIDTH
BALANCE = FY + 4 * WIDTH
SUM_X = BALANCE + WIDTH
SUM_Y = SUM_X + WIDTH
SUM_MOMENT = SUM_Y + WIDTH


# --- derivatives of the stages, as many as slopes.py finds
CONTACT_SLOPES = SUM_MOMENT + WIDTH
WHEEL_SLOPES = CONTACT_SLOPES + 4 * 10
ON_BODY_SLOPES = WHEEL_SLOPES + 4 * 54
BRAKED_SLOPES = ON_BODY_SLOPES + 4 * 12
JOINED_SLOPES = BRAKED_SLOPES + 4 * 3
LOADS_SLOPES = JOINED_SLOPES + 2 * 6
BODY_SLOPES = LOADS_SLOPES + 16
WORK_SIZE = BODY_SLOPES + 240

# Where the car's buffer has what a row changes.
STATES = (*range(at.X, at.YAW_CHANGE + 1), at.AX, *range(at.SPIN, at.FX))
STATE_NAMES = (
    *("X", "Y", "psi", "vx", "vy", "r"),
    *("force_x", "force_y", "yaw_acc", "expected_x", "expected_y"),
    *("change_x", "change_y", "yaw_change", "ax"),
    *(
        f"{kind}_{wheel}"
        for kind in ("omega", "stretch_x", "stretch_y")
        for wheel in at.WHEEL_NAMES
    ),
)
