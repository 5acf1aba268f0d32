"""Probes of a VDS1 link, where it is asked to measure its round trip."""

import math

from vdsim_protocol.vds1.probe import PROBE_SIZE, Prober, read_probe

from vdsim_interface.parameters.vds1_link import Vds1LinkParameters
from vdsim_interface.platforms.wire import Address, Datagram


class RoundTrip:
    """Sends probes beside CMD and takes their answers; does nothing unless it `is_asked` to."""

    def __init__(self, link: Vds1LinkParameters, endpoint: str) -> None:
        self.is_asked = link.measure_round_trip
        self._prober = Prober() if self.is_asked else None
        self._link = link
        self._endpoint = endpoint

    def with_probe(self, command: Datagram, now: float) -> tuple[Datagram, ...]:
        """Return the command, and a probe when one is due."""
        if self._prober is None:
            return (command,)
        probe = self._prober.probe(now)
        return (command,) if probe is None else (command, Datagram(self._endpoint, probe))

    def takes(self, datagram: bytes, source: Address, now: float) -> bool:
        """Use an answer; return whether it was one."""
        if self._prober is None or len(datagram) != PROBE_SIZE:
            return False
        answer = read_probe(datagram)
        if answer is None or not self._link.may_send_state(source):
            return False
        self._prober.on_answer(answer, now)
        return True

    def figures(self, now: float) -> dict[str, float]:
        """Return the measured round trip by the name that the link's statistics have for it."""
        measured_s = math.nan if self._prober is None else self._prober.round_trip_s(now)
        return {} if math.isnan(measured_s) else {"measured_round_trip_s": measured_s}
