"""Where each constant of the force law stands in the array that `law_constants` makes.

Plain integers at module level, because the compiler must see them as such. The names follow those
of the property file; a number that only ever occurs as a product of two of the file's is one
constant here, its scaling factor included.
"""

from __future__ import annotations

# --- load and friction
FNOMIN = 0  # nominal load [N]
LOAD_LEAST = 1  # the fitted loads [N]: beyond them forces go on in proportion to the load
LOAD_MOST = 2
INVERSE_FZ0 = 3  # 1 / (LFZO FNOMIN)
INVERSE_MU = 4  # 1 / friction of the road that the file describes
FILE_SIDE = 5  # +1: measured on the left of a car, -1: on the right
FY_SIGN = 6  # +1: the file follows ISO, -1: its y points the other way

# --- longitudinal force, pure slip: a + b dfz is the pair (_0, _1)
SHAPE_X = 7  # C
INVERSE_SHAPE_X = 8
PEAK_X0 = 9  # D over mu Fz
PEAK_X1 = 10
PEAK_X_LEAST = 11
STIFF_X0 = 12  # K / Fz = (_0 + _1 dfz) exp(_RATE dfz)
STIFF_X1 = 13
STIFF_X_RATE = 14
BEND_X0 = 15  # E = (_0 + _1 dfz + _2 dfz^2) (1 - _SIDE sign(slip)), at most 1
BEND_X1 = 16
BEND_X2 = 17
BEND_X_SIDE = 18
SHIFT_X0 = 19  # SH
SHIFT_X1 = 20
RISE_X0 = 21  # SV over mu Fz
RISE_X1 = 22

# --- lateral force, pure slip
SHAPE_Y = 23
INVERSE_SHAPE_Y = 24
PEAK_Y0 = 25
PEAK_Y1 = 26
PEAK_Y_LEAST = 27
STIFF_Y0 = 28  # K / Fz = _0 / (1 + (_LOAD Fz)^2)
STIFF_Y_LOAD = 29
BEND_Y0 = 30
BEND_Y1 = 31
BEND_Y_SIDE = 32
SHIFT_Y0 = 33
SHIFT_Y1 = 34
RISE_Y0 = 35
RISE_Y1 = 36

# --- weight of the slip angle on Fx, of the slip ratio on Fy: B is _B cos(atan(_FADE slip))
WEIGHT_X_B = 37
WEIGHT_X_FADE = 38
WEIGHT_X_SHAPE = 39
WEIGHT_X_BEND0 = 40
WEIGHT_X_BEND1 = 41
WEIGHT_X_SHIFT = 42
WEIGHT_Y_B = 43
WEIGHT_Y_FADE = 44
WEIGHT_Y_FROM = 45
WEIGHT_Y_SHAPE = 46
WEIGHT_Y_BEND0 = 47
WEIGHT_Y_BEND1 = 48
WEIGHT_Y_SHIFT0 = 49
WEIGHT_Y_SHIFT1 = 50

# --- side force that a slip ratio induces
PUSH0 = 51
PUSH1 = 52
PUSH_FADE = 53
PUSH_SHAPE = 54
PUSH_RISE = 55

# --- peaks of pure slip: where C atan(...) is pi / 2
TARGET_X = 56  # tan(pi / 2C)
NO_PEAK_X = 57  # infinity where C <= 1, else 0
TARGET_Y = 58
NO_PEAK_Y = 59

SIZE = 60

# What counts as the peak of a curve that has none.
MOST_KAPPA = 1.0
MOST_ALPHA_RAD = 0.7853981633974483
