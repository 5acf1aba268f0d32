"""What must hold in every run, said on the bytes of the wire and on the car's motion.

An oracle is a generator over a record; what it yields is broken. None reads a value of the
product: parameters count as they were configured, everything else is what the simulator did,
what left on the wire, and how the car moved. Those of the event log alone (`people/events.py`)
compare two places in the product: the file, and the command that a packet was made of.
"""

from vdsim_simulate.oracles import (
    bus,
    decelerating,
    driving,
    fail_safe,
    limits,
    promises,
    promptness,
    raw,
    standing,
    steering,
    stops,
    streams,
    turning,
    wire,
)
from vdsim_simulate.oracles.people import (
    answers,
    authority,
    engaging,
    events,
    holding,
    modes,
    parking,
    requests,
    telling,
    two_computers,
)
from vdsim_simulate.oracles.table import ABOVE_RAW, ORACLES, Violation, ask, judge, oracle

SHIPPED = (
    *(answers, authority, bus, decelerating, driving, engaging, events, fail_safe, holding),
    *(limits, modes),
    *(parking, promises, promptness, raw, requests, standing, steering, stops, streams, telling),
    *(turning, two_computers, wire),
)
"""The modules whose functions are in the table."""
__all__ = ["ABOVE_RAW", "ORACLES", "SHIPPED", "Violation", "ask", "judge", "oracle"]
