"""Why did the car not do what I asked? One pure function from the evidence to a sentence.

    Evidence  ->  explained(evidence)  ->  Answer: cause, sentence, evidence, what to do

The page, `vdsim_status` and `vdsim_doctor` gather the evidence in their own ways and print the same
words, because they call this function. `causes.py` is the table; `evidence.py` what it looks at.
"""

from vdsim_protocol.why.causes import (
    CAUSES,
    Answer,
    Level,
    all_causes,
    beside,
    every_cause,
    explained,
)
from vdsim_protocol.why.evidence import (
    MODE_NAMES,
    Control,
    Evidence,
    ModeEnd,
    Rule,
    Source,
)

__all__ = [
    "CAUSES",
    "MODE_NAMES",
    "Answer",
    "Control",
    "Evidence",
    "Level",
    "ModeEnd",
    "Rule",
    "Source",
    "all_causes",
    "beside",
    "every_cause",
    "explained",
]
