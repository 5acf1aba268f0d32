"""LOCALHOST is true: no other host reaches a node of ours, and every node of this machine does.

The nodes run in a network of their own with a second host, whose peer names our address. Without
the profile the peer is heard; with it, as our nodes choose it themselves, it is not, while a user's
node with the middleware's defaults hears and drives.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

from vdsim_kit.tools import has_network_namespaces
from vdsim_kit.two_hosts import PROFILES
from vdsim_protocol.loopback import PROFILE

ROOT = Path(__file__).resolve().parents[1]
OPEN = ROOT / "portable" / "fastdds.xml"
PATIENCE_S = 300.0


def in_a_network(*words: str) -> Any:
    """What two_hosts.py prints in a network of its own."""
    paths = os.pathsep.join(filter(None, [str(ROOT / "test"), os.environ.get("PYTHONPATH", "")]))
    python = [sys.executable, "-m", "vdsim_kit.two_hosts", *words]
    process = subprocess.Popen(
        ["unshare", "--map-root-user", "--net", *python],
        env={**os.environ, "PYTHONPATH": paths},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        output, errors = process.communicate(timeout=PATIENCE_S)
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    assert process.returncode == 0, output + errors
    return json.loads(output.splitlines()[-1])


def profile(file: Path) -> str:
    """The variables that name a profile."""
    return json.dumps(dict.fromkeys(PROFILES, str(file)))


if has_network_namespaces():

    def test_a_peer_on_another_host_neither_hears_nor_reaches_a_node_on_loopback() -> None:
        heard = in_a_network("meet", profile(PROFILE))
        assert heard == {
            "ours": ["ours", "users"],
            "users": ["ours", "peer", "users"],
            "peer": ["peer", "users"],
        }

    def test_without_the_profile_it_does() -> None:
        heard = in_a_network("meet", profile(OPEN), "peer")
        assert heard["ours"] == ["ours", "peer", "users"]

    def test_a_users_node_with_all_defaults_drives_a_node_of_ours_on_loopback() -> None:
        seen = in_a_network("drive")
        assert seen["planner"] == "drives"
        assert seen["code"] == 0, seen["log"]
        [addresses] = re.findall(r"ROS listens on (.*)$", seen["log"], re.MULTILINE)
        assert re.fullmatch(r"127\.0\.0\.1 \(UDP \d+, \d+\)", addresses), seen["log"]
