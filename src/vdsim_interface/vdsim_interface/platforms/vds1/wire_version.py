"""Which protocol version the CMD packets of a VDS1 link have, and when the link asks for STATE.

A fixed version never changes. `auto` adopts the version of STATE after three packets of it, but
never while autonomy drives. Before the first STATE it is version 3 (4 with a vehicle number).

A server with neither a destination of its own nor a tolerance for other versions answers only whom
it has accepted, accepts one version, and forgets a client that is silent for two seconds. So the
link is in one of four states:

    state     no STATE yet   it leaves when
    unknown   yes            a request to engage waits for a second: asked; STATE: heard
    asked     yes or no      STATE: heard; nobody asks for autonomy any more: unknown or lost
    heard     no             no STATE for a second: lost
    lost      no             a request to engage: asked; STATE: heard

Asking is a fail-safe command: throttle 0, brake 0.3. It goes out in the version that STATE had,
then in version 5, 4 and 3 in turn; a fixed version asks in that version alone. Once an asked
vehicle is heard, the same command twice a second keeps it from forgetting the interface, for ten
seconds after the latest request: so long a second request finds a vehicle that reports.

While the interface sends anyway (a stop, a driverless rig), a lost link is not asked: nothing takes
the place of a stop. After ten seconds, longer than any stop lasts, its commands themselves go out
in the other versions too, for a server that was started again in another one.
"""

from __future__ import annotations

from enum import Enum

from vdsim_protocol.vds1 import VERSIONS
from vdsim_protocol.vds1.messages import DEFAULT_VERSION, FIRST_VERSION_WITH_VEHICLE_ID

from vdsim_interface.parameters.vds1_link import AUTO
from vdsim_interface.values import Notice, notice_kinds

ADOPT_AFTER_N = 3
"""So many STATE packets in a row decide the version."""
FIRST_STATE_S = 1.0
"""How long a request to engage waits for the first STATE before the link asks, and how long STATE
is missing before a link counts as lost [s]."""
TURN_S = 0.5
"""How long the link asks in one version [s]."""
ASKED_VERSIONS = (5, 4, 3)
ASK_BRAKE = 0.3
"""The brake of the command that asks; its throttle is 0."""
KEPT_S, KEEP_PERIOD_S = 10.0, 0.5
"""How long after the latest request an asked vehicle is kept reporting, and how often [s]."""
STOP_OVER_S = 10.0
"""A stop of the interface's own is over so long after the link was lost [s]."""
NO_NOTICES: tuple[Notice, ...] = ()


class Link(Enum):
    """Whether the vehicle at the other end reports; the table at the top of the file."""

    UNKNOWN = "unknown"
    ASKED = "asked"
    HEARD = "heard"
    LOST = "lost"


ASKED, HEARD = Link.ASKED, Link.HEARD


class WireVersion:
    """The version of one link, and its state.

    `current`: that of the next CMD. `is_asking`: that CMD is the fail-safe command that asks for
    STATE. `keeps`: this period's CMD keeps the vehicle from forgetting the interface, if nothing
    else is sent. `reported`: the version of the latest STATE, limited to the known ones; 0 before
    it.
    """

    def __init__(self, configured: int | str, vehicle_id: int, parameter: str) -> None:
        """`parameter`: the name under which `configured` was set, for the notices."""
        first = FIRST_VERSION_WITH_VEHICLE_ID if vehicle_id else VERSIONS[0]
        self._parameter = parameter
        self._is_auto = configured == AUTO
        if self._is_auto:
            self._asked = tuple(version for version in ASKED_VERSIONS if version >= first)
            self._home = max(DEFAULT_VERSION, first)
        else:
            self._asked = (int(configured),)
            self._home = int(configured)
        self.current = self._home
        self.state = Link.UNKNOWN
        self.keeps = False
        self.reported = 0
        self._run_n = 0
        self._noticed = 0
        self._autonomous = False
        self._has_arrived = False
        self._wanted_since_s: float | None = None
        self._latest_s = 0.0
        self._answered = False
        self._kept_until_s = self._keep_s = 0.0

    @property
    def is_asking(self) -> bool:
        """Whether the next CMD is the one that asks."""
        return self.state is ASKED

    @property
    def is_settled(self) -> bool:
        """Whether commands may drive: not in the few packets before a version is adopted."""
        return not self._is_auto or self._autonomous or self.reported == self.current

    def on_state(self, version: int) -> tuple[Notice, ...]:
        """Use the version of an accepted STATE; return what is new about it."""
        version = min(version, VERSIONS[-1])
        self._run_n = self._run_n + 1 if version == self.reported else 1
        self._has_arrived = True
        self._answered = self._answered or self.state is ASKED
        self.reported, self.state = version, HEARD
        if version == self.current:
            self._home, self._noticed = version, 0
            return NO_NOTICES
        if not self._is_auto or self._autonomous:
            return self._differs(version)
        if self._run_n < ADOPT_AFTER_N:
            return NO_NOTICES
        self.current = self._home = version
        self._noticed = 0
        text = f"CMD is sent in version {version}, as STATE comes ({self._parameter}: {AUTO})"
        return (Notice(notice_kinds.VERSION_ADOPTED, text),)

    def update(
        self, now: float, wanted: bool, autonomous: bool, silent: bool = True
    ) -> tuple[Notice, ...]:
        """Before each CMD. `wanted`: somebody asks for autonomy and waits for the vehicle.

        `silent`: without asking, nothing would be sent.
        """
        self._autonomous = autonomous
        if self._has_arrived or now < self._latest_s:
            self._has_arrived, self._latest_s = False, now
        elif self.state is HEARD and now - self._latest_s >= FIRST_STATE_S:
            self.state = Link.LOST
        if wanted or self._answered:
            self._keep(now, wanted)
        if self.state is HEARD:
            self._wanted_since_s = None
            return NO_NOTICES
        if autonomous or not wanted or not (self._is_auto or silent):
            return self._rest()
        if self._wanted_since_s is None or now < self._wanted_since_s:
            self._wanted_since_s = now
        if not self.reported:
            asked_s = now - self._wanted_since_s - FIRST_STATE_S
        elif silent:
            asked_s = now - self._wanted_since_s
        else:
            self._rest()
            self.current = self._turn(now - self._latest_s - STOP_OVER_S)
            return NO_NOTICES
        if asked_s < 0.0:
            return self._rest()
        begins, self.state = not self.is_asking, Link.ASKED
        self.current = self._turn(asked_s)
        return (self._asks(),) if begins else NO_NOTICES

    def _keep(self, now: float, wanted: bool) -> None:
        """Decide whether this period's CMD keeps an asked vehicle reporting."""
        if wanted:
            self._kept_until_s = now + KEPT_S
        is_kept = self._answered and self.state is HEARD
        is_due = not 0.0 <= now - self._keep_s < KEEP_PERIOD_S
        self.keeps = is_kept and is_due and 0.0 <= self._kept_until_s - now <= KEPT_S
        if self.keeps:
            self._keep_s = now

    def _rest(self) -> tuple[Notice, ...]:
        """Stop asking; send the version that was used before asking."""
        self.current = self._home
        if self.is_asking:
            self.state = Link.LOST if self.reported else Link.UNKNOWN
            self._wanted_since_s = None
        return NO_NOTICES

    @property
    def _versions(self) -> tuple[int, ...]:
        """In which versions the link asks, in this order."""
        if not self.reported:
            return self._asked
        return (self._home, *(version for version in self._asked if version != self._home))

    def _turn(self, asked_s: float) -> int:
        """The version whose turn it is; while `asked_s` is negative, the one used before asking."""
        if asked_s < 0.0:
            return self._home
        return self._versions[int(asked_s / TURN_S) % len(self._versions)]

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
        versions = ", ".join(str(version) for version in self._versions)
        turns = f" in turn, {TURN_S:g} s each" if len(self._versions) > 1 else ""
        why = "since the last one" if self.reported else "of the request to engage"
        text = (
            f"no STATE within {FIRST_STATE_S:g} s {why}: throttle 0 and brake "
            f"{ASK_BRAKE:g} go out in version {versions}{turns}"
        )
        return Notice(notice_kinds.VERSION_ASKED, text)
