"""What is said of STATE packets whose version is above the known ones."""

from vdsim_interface.values import Notice, notice_kinds
from vdsim_protocol import vds1

NO_NOTICES: tuple[Notice, ...] = ()


class NewerVersions:
    """Warns once of each newer version that is read."""

    def __init__(self) -> None:
        self._newest = vds1.VERSIONS[-1]

    def notice(self, packet: vds1.Packet[vds1.State]) -> tuple[Notice, ...]:
        """Return the warning for an accepted packet; mostly none."""
        version = packet[0]  # `header` costs more, and this is every packet's way
        if version <= self._newest:
            return NO_NOTICES
        self._newest = version
        text = (
            f"STATE of version {version} is read by the fields of version {vds1.VERSIONS[-1]}, "
            "the newest known one (accept_newer)"
        )
        return (Notice(notice_kinds.NEWER_VERSION, text),)


def hint(datagram: bytes, parameter: str, *, accepts: bool) -> str:
    """What to add to a reject's text: the parameter that would let the packet in."""
    version = None if accepts else vds1.newer_version(datagram)
    return f"; {parameter}: true reads a STATE of version {version}" if version else ""
