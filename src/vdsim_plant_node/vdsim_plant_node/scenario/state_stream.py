"""Sends the STATE of a replay to one address, as a live server would."""

from __future__ import annotations

import socket
from collections.abc import Mapping

from vdsim_protocol.vds1.messages import FIRST_VERSION_WITH_VEHICLE_ID

from vdsim_plant_node.live.wire_state import state_of
from vdsim_plant_node.runs.run_table import PlayedTick
from vdsim_plant_node.settings.server_settings import (
    Endpoint,
    WorldOrigin,
)
from vdsim_protocol import vds1


class StateStream:
    """A numbered STATE stream for each vehicle of a run."""

    def __init__(self, target: Endpoint, origins: Mapping[int, WorldOrigin]) -> None:
        self._target = target.address
        self._origins = origins
        self._senders = {
            vehicle_id: vds1.Sender(
                FIRST_VERSION_WITH_VEHICLE_ID if vehicle_id else vds1.DEFAULT_VERSION, vehicle_id
            )
            for vehicle_id in origins
        }
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)

    def send(self, played: PlayedTick) -> None:
        """Send one tick's STATE."""
        state = state_of(played.output, self._origins[played.vehicle_id])
        datagram = self._senders[played.vehicle_id].state(state, played.output.time_s)
        self._socket.sendto(datagram, self._target)

    def __enter__(self) -> StateStream:
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.close()
