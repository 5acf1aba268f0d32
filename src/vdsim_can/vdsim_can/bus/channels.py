"""Which channel of python-can each bus of a car file is, and what is used where nobody says."""

from __future__ import annotations

INTERFACE, PORT = "udp_multicast", 43113
NOT_INSTALLED = "python-can is not installed: pip install 'vdsim_can[bus]'"
RULE = "must be NAME=CHANNEL,NAME=CHANNEL, with names of buses of the car file"


def channel_of(text: str, bus: str) -> str:
    """Return the channel of a bus in `main=can0,body=can1`; its own name where it is not there.

    ValueError: the text has another form.
    """
    for part in filter(None, text.split(",")):
        name, separator, channel = (word.strip() for word in part.partition("="))
        if not separator or not name or not channel:
            raise ValueError(RULE)
        if name == bus:
            return channel
    return bus
