"""The last gate: the one place that judges what is sent, whatever computed it.

Theory of operation

    safety side ─▶ trim, acceleration loop ─▶ gate ─▶ platform.encode
       stops, engagement number ───────────────▲
       report of the vehicle ──────────────────┘

The gate is one pure function of its state, what is wanted and what is known. It passes a command,
limits it, or replaces it; all that comes before it is comfort. These hold for every packet, in
every composition and for every platform:

a. No drive unless a sender with authority commands, command and report are fresh, and no stop
   stands. The first packet after the cause has none. Below HOLD_BELOW_MPS a packet that takes the
   drive away, or has no fresh report, carries the brake that holds the car on the slope.
b. No stop brakes less than before. While a stop stands and the car moves, the demanded deceleration
   only rises: from what was demanded when the stop began, with the stop's own jerk, to the hardest
   of the stops and what the sender still asks. The effort may be below the demand only where wheels
   slip at the limit, where the car decelerates as demanded, or just before it rests. Without a
   fresh report it lies between the demand and BLIND_SHARE times the demand, holds the car on its
   slope as far as that permits (unseen, it may rest by now), and never falls. Where
   a stop ends while the car moves, the effort rises by `jerk_max_mps3` at most, whatever the rules
   are.
c. An emergency stop is latched here until it is released at standstill. Nothing else ends it but a
   person: the platform itself must report the accelerator or a take-over switch, newly pressed for
   PRESSED_S. The next request takes it back. Where nothing would be sent it brakes, unless a person
   used the controls within PERSON_S.
d. A stop that needs a later engagement and held the car at rest, by the last report however old,
   passes no drive until one comes.
e. A wheel angle changes by at most the steering rate times the time since the last packet, at most
   one period; it starts from the reported angle after silence and with each engagement. Values are
   finite and in range; gear and hand brake change only at the speeds of BODY_TABLE.

What holds where:

| | high level, vehicle level | raw level | `safety.enabled: false` |
|---|---|---|---|
| a, c | always | always | always |
| b | always | always, on our own command, which replaces the raw one | always |
| b, release | always | no: a raw command is the sender's own | always |
| d | always | always | not for the cabin, which then stops nothing |
| e, rate | while the rule `rate` is on | no: a raw command is the sender's own | no |
| e, the rest | always | the body; counts are the platform's to limit | always |
"""

from vdsim_interface.gate.gate import (
    START,
    Facts,
    GateLimits,
    GateState,
    Wanted,
    after_time_jump,
    brakes_for_emergency,
    gate,
    without_packet,
)
