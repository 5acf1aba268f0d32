"""The loops of the assistance that Python calls, as car/loops.py has those of the kernel."""

from __future__ import annotations

from vdsim_plant.compiled.linking import Loop

_DECISION = "vdsim_plant.assist.decision"

assist_car = Loop(_DECISION, "assist_car", buffers=1, numbers=1)
assist_blocks = Loop(_DECISION, "assist_blocks", buffers=2, numbers=3)
