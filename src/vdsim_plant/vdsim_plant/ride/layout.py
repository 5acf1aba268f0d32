"""Where the numbers of level l3 live: behind those of kernel/layout.py, in the same buffer.

A car of another level has none of them. Frames: ISO 8855 (x forward, y left, z up); roll is
positive with the right side down, pitch with the nose down. Heights count from where the car
stands on the plane of the road; wheels are FL, FR, RL, RR.
"""

from __future__ import annotations

from vdsim_plant.kernel import layout as at

# --- state
HEAVE = at.SIZE  # height of the body's centre of gravity [m]
ROLL = HEAVE + 1  # of the body, against the plane of the road [rad]
PITCH = HEAVE + 2
HEAVE_RATE = HEAVE + 3  # [m/s]
ROLL_RATE = HEAVE + 4  # [rad/s]
PITCH_RATE = HEAVE + 5
WHEEL_Z = HEAVE + 6  # height of each wheel's centre [m]
WHEEL_RATE = WHEEL_Z + 4  # [m/s]
ROLL_ACC = WHEEL_Z + 8  # of the last substep [rad/s2]

# --- the road under each wheel, of the last substep
ROAD_Z = WHEEL_Z + 9  # height above the plane [m]
ROAD_X = ROAD_Z + 4  # rise along world x and y, metre per metre
ROAD_Y = ROAD_Z + 8
WHEEL_ACC = ROAD_Z + 12  # of each wheel, in the last part of a substep [m/s2]

# --- parameters of the body
PARTS = ROAD_Z + 16  # of a substep, that the vertical motions take one by one
INVERSE_PARTS = PARTS + 1
INVERSE_SPRUNG_MASS = PARTS + 2  # [1/kg]
INVERSE_ROLL_INERTIA = PARTS + 3  # about the roll axis, the axles held by the tyres [1/(kg m2)]
INVERSE_PITCH_INERTIA = PARTS + 4
ROLL_ARM = PARTS + 5  # sprung mass times its height above the roll axis [kg m]
AXLE_ARM = PARTS + 6  # how far the axles move aside per roll of the body [m]
PATCH_ARM = PARTS + 7  # how far the contact patches do [m]
PATCH_RADIUS = PARTS + 11  # how far they do per roll of the axles [m]
AXIS_HEIGHT = PARTS + 8  # of the roll axis below the centre of gravity [m]
PITCH_ARM = PARTS + 9  # mass times height of the centre of gravity [kg m]
LATERAL_COMPLIANCE = PARTS + 10  # of tyre and wheel, per side force [m/N]

# --- four numbers each
CORNER_X = PARTS + 12  # spring from the centre of gravity [m]
CORNER_Y = CORNER_X + 4
SPRING = CORNER_X + 8  # at the wheel [N/m]
DAMPER = CORNER_X + 12  # at the wheel [N s/m]
ANTI_ROLL = CORNER_X + 16  # force at the wheel per roll of the body against the axle [N/rad]
TYRE_RATE = CORNER_X + 20  # [N/m]
INVERSE_UNSPRUNG = CORNER_X + 24  # [1/kg]
STATIC = CORNER_X + 28  # load where the car stands on the plane [N]
INVERSE_TRACK = CORNER_X + 32  # of the axle [1/m]
BUMP_STOP = CORNER_X + 36  # stiffness of what limits the travel [N/m]
BUMP_TRAVEL = CORNER_X + 40  # compression at which it begins [m]

# --- two numbers each, front and rear
AXLE_MASS = CORNER_X + 44  # unsprung [kg]
AXLE_HEIGHT = AXLE_MASS + 2  # of its centre [m]
ROLL_CENTRE = AXLE_MASS + 4  # [m]

# --- from one loop over lanes to the next
LINK = AXLE_MASS + 6  # moment that the links pass to the wheels, front and rear [N m]
LEANS = LINK + 2  # what rolls and dives the body beside its springs [N m], and lifts it [N]
DIVES = LINK + 3
LIFTS = LINK + 4
CORNER_FORCE = LINK + 5  # of spring, damper, bump stop and bar on the body [N]

PART_DT = LINK + 9  # what a car still has to go of this part of a substep, or 0 [s]
BODY_VY = LINK + 10  # VY while the tyres see that of the contact patches [m/s]
OWN_GRAVITY = LINK + 11  # GRAVITY_X and GRAVITY_Y while the road's rise pushes as well [m/s2]

COS_YAW = LINK + 13
SIN_YAW = LINK + 14
GRID = LINK + 15  # rows, columns, x0, y0 and scale of the heights (ground/heights.py)
HEIGHTS = LINK + 20  # where the first of them is
CELL = LINK + 21  # of the wheel that is looked up: where its southern corners are, and northern
SHARES = LINK + 23  # u, v and the scales of `cell_of`
CORNERS = LINK + 27  # heights: south-west, south-east, north-west, north-east [m]

SURFACE = LINK + 31  # where the heights begin, behind the friction of the car's road
SIZE = LINK + 32
STATE = range(HEAVE, ROAD_Z)
HELD = range(ROAD_Z, PARTS)
"""What follows from the state and the road alone."""
