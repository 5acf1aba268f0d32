"""No other host reaches a participant on Cyclone DDS whose sockets have our filter.

Its sockets are open on all addresses whatever its profile says, so that a peer that names our
address is heard; with the filter it is not, while a participant of this machine with the
middleware's defaults still hears and is heard.
"""

from __future__ import annotations

from vdsim_kit.own_network import in_a_network
from vdsim_kit.tools import has_network_namespaces

if has_network_namespaces():

    def test_a_peer_on_another_host_does_not_reach_a_filtered_participant() -> None:
        heard = in_a_network("cyclone", "kept")
        assert heard["ours"] == ["ours", "users"]
        assert heard["users"] == ["ours", "peer", "users"]
        assert heard["peer"] == ["peer", "users"]

    def test_without_the_filter_it_does() -> None:
        heard = in_a_network("cyclone", "open", "peer")
        assert heard["ours"] == ["ours", "peer", "users"]
