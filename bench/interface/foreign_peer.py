"""A DDS peer of another vendor: requests of every length to the services of a node.

    python foreign_peer.py COUNT SERVICE:TYPE...

It needs the package `cyclonedds`, as the Python of `./ws test vendors` has it. Each request begins,
as in this vendor's framing, with the writer's id and a sequence number. The other side reads the
first four bytes as the length of the request's first list: from 0 to 2^32.
"""

from __future__ import annotations

import os
import random
import sys
import time
from dataclasses import dataclass
from types import new_class
from typing import Any

LOOPBACK = """
<CycloneDDS><Domain><General><Interfaces><NetworkInterface name="lo"/></Interfaces>
<AllowMulticast>false</AllowMulticast></General><Discovery>
<ParticipantIndex>auto</ParticipantIndex><MaxAutoParticipantIndex>99</MaxAutoParticipantIndex>
<Peers><Peer address="127.0.0.1"/></Peers></Discovery></Domain></CycloneDDS>
"""
PATIENCE_S = 15.0


def framed_type(dds_name: str) -> Any:
    """A request type: id, sequence number, and bytes of any content."""
    from cyclonedds.idl import IdlStruct
    from cyclonedds.idl.annotations import final
    from cyclonedds.idl.types import int64, sequence, uint8, uint32

    fields = {"id_low": uint32, "id_high": uint32, "number": int64, "rest": sequence[uint8]}

    def body(namespace: dict[str, Any]) -> None:
        namespace.update(__annotations__=fields, __module__=__name__)

    made = new_class(dds_name.replace("::", "_"), (IdlStruct,), {"typename": dds_name}, body)
    return final(dataclass(made))


def writer(participant: Any, service: str, kind: str) -> tuple[Any, Any]:
    """The request writer of a service, and its type."""
    from cyclonedds.core import Policy, Qos
    from cyclonedds.pub import DataWriter
    from cyclonedds.topic import Topic

    package, _, name = kind.split("/")
    made = framed_type(f"{package}::srv::dds_::{name}_Request_")
    qos = Qos(
        Policy.Reliability.Reliable(max_blocking_time=1_000_000),
        Policy.History.KeepLast(10),
    )
    topic = Topic(participant, f"rq{service}Request", made, qos=qos)
    return DataWriter(participant, topic, qos=qos), made


def main() -> int:
    """Send the requests."""
    os.environ["CYCLONEDDS_URI"] = LOOPBACK
    from cyclonedds.core import DDSException
    from cyclonedds.domain import DomainParticipant

    count, *services = sys.argv[1:]
    participant = DomainParticipant(int(os.environ.get("ROS_DOMAIN_ID", "0")))
    writers = [writer(participant, *each.split(":")) for each in services]
    end_s = time.monotonic() + PATIENCE_S
    while time.monotonic() < end_s and not all(w.get_matched_subscriptions() for w, _ in writers):
        time.sleep(0.1)
    matched_n = sum(bool(w.get_matched_subscriptions()) for w, _ in writers)
    choose, refused_n = random.Random(1), 0
    for n in range(int(count)):
        out, kind = writers[n % len(writers)]
        length = choose.getrandbits(choose.randrange(1, 33))
        rest = [0] * choose.randrange(64)
        try:
            out.write(kind(id_low=length, id_high=choose.getrandbits(32), number=n, rest=rest))
        except DDSException:
            refused_n += 1
    print(f"{count} requests to {matched_n} of {len(writers)} services, {refused_n} timed out")
    return 0 if matched_n else 1


if __name__ == "__main__":
    sys.exit(main())
