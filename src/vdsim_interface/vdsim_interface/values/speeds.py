"""Every speed that means "stands", "creeps" or "moves": one constant each, and its only place.

The text below a constant says what a car does at this speed, and why it is this value. Parameters
have their defaults from here. docs/safety.md shows all of them as a table, with their users.
"""

TINY_MPS = 1e-6
"""stands: a denormal number of a car at rest is reported as 0"""
SETTLED_MPS = 0.002
"""stands: the end of a soft stop is no jolt"""
REST_MPS = 0.01
"""stands: a stop has ended"""
CREEPS_OFF_MPS = 0.03
"""creeps: beyond the noise of speed: a held car has too little brake, and braking is no REVERSE"""
ROLLS_BACK_MPS = 0.05
"""creeps: motion against the gear is braked"""
NO_SLIP_MPS = 0.05
"""stands: below it the brake has no cap by slip"""
STANDSTILL_MPS = 0.1
"""stands: gear, PARK, hand brake and engaging need a car that stands: default of the parameters"""
ROLLING_MPS = 0.1
"""creeps: in P and N the sign of the speed is a direction beyond its noise"""
WHEEL_MARGIN_MPS = 0.2
"""stands: wheels may be faster than the limit by this: they rock when a car stops"""
GEAR_CHANGE_MPS = 0.3
"""creeps: no change of direction, no hand brake beyond it: default of the parameter"""
NO_DRIVE_MPS = 0.3
"""creeps: a stop has no drive below it"""
STARTED_MPS = 0.5
"""moves: a start is over"""
JUDGED_MPS = 0.5
"""moves: below it the slip of wheels is not judged: each locks at the end of a stop"""
TRACKED_MPS = 0.5
"""moves: below it a brake has no acceleration that could be compared"""
STILL_MPS = 0.5
"""stands: a car that gains more has not kept its speed"""
AGAINST_GEAR_MPS = 0.5
"""moves: motion against the gear beyond noise"""
COMPARED_MPS = 1.0
"""moves: below it speed, wheels and pedals are not compared: a stop ends there"""
UNSUPERVISED_MPS = 1.0
"""creeps: below it a stop is not judged: it ends by its own last deceleration"""
SOFT_FROM_MPS = 1.0
"""creeps: from here a stop comes down to its last deceleration"""
FINAL_MPS = 1.0
"""creeps: below it the controller brakes with at least its final deceleration, without creeping"""
HOLD_BELOW_MPS = 1.0
"""creeps: below it a packet that takes the drive away carries the brake that holds the slope"""
TURNS_MPS = 1.0
"""moves: the side of the steering shows in the yaw rate"""
FAST_MPS = 3.0
"""moves: only above it a contradiction ends autonomy; a start that spun its wheels is over"""
