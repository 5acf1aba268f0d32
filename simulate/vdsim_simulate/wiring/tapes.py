"""The tapes of a run: each process with a pipeline or a guard writes one, as with `record:=`."""

from __future__ import annotations

from vdsim_interface.guard.frames import Activate
from vdsim_interface.guard.guard import Guard
from vdsim_interface.guard.setup import flat_values
from vdsim_interface.pipeline.parameters import InterfaceParameters
from vdsim_interface.pipeline.pipeline import Pipeline
from vdsim_record.tape.taping import Taping

from vdsim_simulate.scene import Scene
from vdsim_simulate.wiring.shipped import platform_parameters


class Tapes:
    """What the processes of a run write."""

    def __init__(self) -> None:
        self._tapes: list[tuple[Taping, list[bytes]]] = []

    def of_pipeline(
        self,
        made: Pipeline,
        scene: Scene,
        parameters: InterfaceParameters,
        before: Taping | None = None,
    ) -> Taping:
        """Write the calls of a pipeline; `before`: the tape of the one before it in its process."""
        own = flat_values(platform_parameters(scene))
        setup = Activate(parameters.platform, "", flat_values(parameters), own)
        taping = self._new() if before is None else before
        taping.of_pipeline(made, setup)
        return taping

    def of_guard(self, made: Guard) -> None:
        """Write the calls of a guard."""
        self._new().of_guard(made)

    def packets(self) -> list[list[bytes]]:
        """Return each tape."""
        for taping, _ in self._tapes:
            taping.flush()
        return [packets for _, packets in self._tapes]

    def _new(self) -> Taping:
        packets: list[bytes] = []
        self._tapes.append((Taping(packets.append), packets))
        return self._tapes[-1][0]
