"""The numeric core: the physics of a car as scalar equations, and the loops that apply them.

Theory of operation
-------------------
State. A car is one flat buffer of float64 numbers (layout.py). Integrated are the pose x, y, yaw
[m, rad] in the world frame (ENU), the velocity vx, vy [m/s] and the yaw rate [rad/s] in the body
frame (ISO 8855: x forward, y left, z up), the spin of each wheel [rad/s] and, for each wheel, the
transient slip of its contact patch. Roll and pitch are quasi-static: they follow from the forces of
the last substep and have no rate. Wheels are FL, FR, RL, RR.

Order of a substep. Inputs (wheel angle, torques or pedals) are held over a call.

    friction    mu under each contact point, from the ground
    motor       torque at the present motor speed (pedal path only)
    loads       wheel loads, from the contact forces that the substep before expects of this one
    forces      slip of each contact patch, then its force in the wheel frame; both are limited to
                the friction circle, |F| <= mu Fz, and turned into the body frame
    spins       wheel spins, by an exponential step with the slope of the force over the spin; brake
                and rolling resistance are Coulomb friction that stops a wheel and never drives it
    body        half of the turn of the frame; velocities from the sum of the forces, carried on to
                the middle of the substep, from drag and from gravity on the slope; the pose with
                the mean velocity; the other half of the turn

stages.py holds the stages for one car, single.py the loops over substeps; block.py does the same
for LANES cars side by side. They use the same functions (equations.py) in the same order, so that
a car in a block has, bit for bit, the numbers of a car alone. The tyre is mf96.py: a car whose
friction falls with the load, or whose curves have an E, runs on the same loops with two functions
replaced (full_loops.py). Of a property file are the forces of tyres/: tir_stage.py for one car,
tir_block.py for a block. kinematic.py replaces forces, spins and body by rolling without slip.

What the contact model guarantees. The slip of a patch follows the single contact point model,
`length ds/dt + |Vx| s = Vslip`. At speed the length is the tyre's relaxation length. Below 1 m/s it
changes smoothly to a short stick length with damping: the patch becomes a spring, anchored to the
road. A standing car therefore carries its weight on a slope by the stretch of its patches, without
creep and without chatter, and slides when the force reaches mu Fz. Slip is formed with |Vx|, so
that reverse and standstill need no special case.

Step size. The substep is fixed: 0.5 ms by default, at most 0.1 s, and a control period is a whole
number of them. Wheel spins and contact patches are the stiff parts; their updates are exponential
and implicit, so a larger substep loses accuracy, not stability: second order between events, and a
share of one substep at each (a new input, an edge of the friction, a wheel that locks). The stick
length, stick speed and damping change with the substep where it demands that (assembly.py).

Determinism. No random number, no adaptive step, no fused operation unless written as `fma`. Sine,
cosine, arctangent and the exponential are polynomials of our own (polynomials.py); the C library is
not called. The same inputs give the same bits in every process.
"""
