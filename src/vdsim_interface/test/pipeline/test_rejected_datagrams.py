"""A flood of datagrams that a platform rejects: every platform, behind the vehicle side."""

import pytest
from vdsim_interface.extras.contract.subject import Subject
from vdsim_interface.pipeline.parameters import InterfaceParameters
from vdsim_interface.pipeline.vehicle_side import VehicleSide
from vdsim_interface.platforms.discovery import discover

FOUND = discover()
STRANGER = ("10.0.0.9", 7001)


class Flooded:
    """The vehicle side of one platform."""

    def __init__(self, name: str) -> None:
        self.platform = Subject(FOUND[name]).platform
        self.side = VehicleSide(InterfaceParameters(), self.platform, FOUND[name].capabilities)
        endpoints = [end.name for end in self.platform.endpoints() if end.listen]
        self.endpoint = endpoints[0] if endpoints else "none"

    def notices_n(self, datagram: bytes, now: float) -> int:
        """Receive a datagram that is no report; returns the number of notices."""
        received = self.side.on_datagram(datagram, STRANGER, self.endpoint, now)
        assert received.report is None
        return len(received.notices)


@pytest.mark.parametrize("name", sorted(FOUND))
def test_a_flood_makes_ten_notices_a_second_of_each_kind(name: str) -> None:
    """500 datagrams a tick, each with a notice, were 60 kB a tick for the shell of a guard."""
    flooded = Flooded(name)
    notices_n = sum(
        flooded.notices_n(datagram, tick * 0.01)
        for tick in range(100)
        for datagram in [b"noise"] * 50 + [bytes(76)] * 50
    )
    assert notices_n == pytest.approx(10, abs=1)
    counts = flooded.platform.link_statistics(1.0)
    if counts:  # a platform without a wire has none
        rejected = [count for key, count in counts.items() if key.startswith("rejected_")]
        assert sum(rejected) == 10_000.0


@pytest.mark.parametrize("name", sorted(FOUND))
def test_a_reject_is_named_again_when_time_jumps_back(name: str) -> None:
    flooded = Flooded(name)
    assert [flooded.notices_n(b"", now) for now in (100.0, 100.01, 3.0)] == [1, 0, 1]
