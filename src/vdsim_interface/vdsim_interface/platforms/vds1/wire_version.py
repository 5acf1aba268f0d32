"""Which protocol version the CMD packets of a VDS1 link have.

A fixed version never changes. `auto` adopts the version of STATE after three packets of it, but
never while autonomy drives. Before the first STATE it is version 3 (4 with a vehicle number).

A server with neither a destination of its own nor a tolerance for other versions answers only whom
it has accepted, and accepts one version. So when somebody asks for autonomy and no STATE comes
within a second, a fail-safe command asks: throttle 0, brake 0.3, in version 5, 4 and 3 in turn.
"""

from __future__ import annotations

from vdsim_protocol.vds1 import VERSIONS
from vdsim_protocol.vds1.messages import DEFAULT_VERSION, FIRST_VERSION_WITH_VEHICLE_ID

from vdsim_interface.parameters.vds1_link import AUTO
from vdsim_interface.values import Notice, notice_kinds

ADOPT_AFTER_N = 3
"""So many STATE packets in a row decide the version."""
FIRST_STATE_S = 1.0
"""How long a request to engage waits for the first STATE before the link asks [s]."""
TURN_S = 0.5
"""How long the link asks in one version [s]."""
ASKED_VERSIONS = (5, 4, 3)
ASK_BRAKE = 0.3
"""The brake of the command that asks; its throttle is 0."""
NO_NOTICES: tuple[Notice, ...] = ()


class WireVersion:
    """The version of one link.

    `current`: that of the next CMD. `is_asking`: that CMD is the fail-safe command that asks for
    STATE. `reported`: the version of the latest STATE, limited to the known ones; 0 before it.
    """

    def __init__(self, configured: int | str, vehicle_id: int, parameter: str) -> None:
        """`parameter`: the name under which `configured` was set, for the notices."""
        first = FIRST_VERSION_WITH_VEHICLE_ID if vehicle_id else VERSIONS[0]
        self._asked = tuple(version for version in ASKED_VERSIONS if version >= first)
        self._parameter = parameter
        self._is_auto = configured == AUTO
        self._initial = max(DEFAULT_VERSION, first) if self._is_auto else int(configured)
        self.current = self._initial
        self.is_asking = False
        self.reported = 0
        self._run_n = 0
        self._noticed = 0
        self._autonomous = False
        self._wanted_since_s: float | None = None

    @property
    def is_settled(self) -> bool:
        """Whether commands may drive: not in the few packets before a version is adopted."""
        return not self._is_auto or self._autonomous or self.reported == self.current

    def on_state(self, version: int) -> tuple[Notice, ...]:
        """Use the version of an accepted STATE; return what is new about it."""
        version = min(version, VERSIONS[-1])
        self._run_n = self._run_n + 1 if version == self.reported else 1
        self.reported, self.is_asking = version, False
        if version == self.current:
            self._noticed = 0
            return NO_NOTICES
        if not self._is_auto or self._autonomous:
            return self._differs(version)
        if self._run_n < ADOPT_AFTER_N:
            return NO_NOTICES
        self.current, self._noticed = version, 0
        text = f"CMD is sent in version {version}, as STATE comes ({self._parameter}: {AUTO})"
        return (Notice(notice_kinds.VERSION_ADOPTED, text),)

    def update(self, now: float, *, wanted: bool, autonomous: bool) -> tuple[Notice, ...]:
        """Before each CMD. `wanted`: somebody asks for autonomy and waits for the vehicle."""
        self._autonomous = autonomous
        if not self._is_auto or self.reported:
            return NO_NOTICES
        if not wanted:
            self._wanted_since_s = None
            self.current, self.is_asking = self._initial, False
            return NO_NOTICES
        if self._wanted_since_s is None or now < self._wanted_since_s:
            self._wanted_since_s = now
        asked_s = now - self._wanted_since_s - FIRST_STATE_S
        if asked_s < 0.0:
            self.current, self.is_asking = self._initial, False
            return NO_NOTICES
        begins = not self.is_asking
        self.is_asking = True
        self.current = self._asked[int(asked_s / TURN_S) % len(self._asked)]
        return (self._asks(),) if begins else NO_NOTICES

    def figures(self) -> dict[str, float]:
        """The versions by the names that a link's statistics have for them."""
        return {"command_version": float(self.current), "state_version": float(self.reported)}

    def _differs(self, version: int) -> tuple[Notice, ...]:
        if version == self._noticed:
            return NO_NOTICES
        self._noticed = version
        why = "it is adopted when autonomy has ended" if self._is_auto else self._hint()
        text = (
            f"STATE comes in version {version} and CMD goes out in version {self.current}, which "
            f"the vehicle may discard: {why}"
        )
        return (Notice(notice_kinds.VERSION_DIFFERS, text),)

    def _hint(self) -> str:
        return f"{self._parameter}: {AUTO} adopts it"

    def _asks(self) -> Notice:
        versions = ", ".join(str(version) for version in self._asked)
        text = (
            f"no STATE within {FIRST_STATE_S:g} s of the request to engage: throttle 0 and brake "
            f"{ASK_BRAKE:g} go out in version {versions} in turn, {TURN_S:g} s each"
        )
        return Notice(notice_kinds.VERSION_ASKED, text)
