"""`./ws secure`: who may do what, the files and their modes, and one line for a wrong argument."""

from __future__ import annotations

import stat
import subprocess
from pathlib import Path

import pytest
from cryptography import x509
from vdsim_interface.arbitration.interface_parameters import STACK, ArbitrationParameters
from vdsim_kit.endpoints import Permissions
from vdsim_kit.tools import has_tool
from workspace.secure import command, documents, keystore
from workspace.secure.policy import AUTONOMY, OPERATORS, PLANT, ROLES, Places, rights
from workspace.secure.table import Endpoints, table

HERE = Places()
NODES = {
    "vehicle_interface": Endpoints(
        publishes=frozenset({"odometry", "joint", "/tf"}),
        subscribes=frozenset(
            {"command", "joint", "pad/command", "stop", "engage_twin/request", "/other/cmd"}
        ),
        offers=frozenset({"engage", "give_back"}),
    ),
    "gamepad_teleop": Endpoints(
        publishes=frozenset({"pad/command", "stop"}),
        subscribes=frozenset({"joy"}),
        calls=frozenset({"give_back"}),
    ),
    "adapter": Endpoints(frozenset({"command", "adapted"}), frozenset({"/cmd_vel"})),
    "twist_adapter": Endpoints(frozenset(), frozenset({"turn"})),
    "mux": Endpoints(frozenset({"command"}), frozenset({"autonomy/command", "page/command"})),
    PLANT: Endpoints(frozenset({"plant/state"}), frozenset(), frozenset({"plant/reset"})),
}
"""A small car: a command, a person's source, a stop, two services, a simulated car."""
COMMANDS = {
    "rt/vehicle/command": {"vehicle": True, "stack": True, "operator": False, "viewer": False},
    "rt/vehicle/autonomy/command": {
        **{"vehicle": False, "stack": True, "operator": False, "viewer": False},
    },
    "rt/vehicle/page/command": {
        **{"vehicle": True, "stack": False, "operator": True, "viewer": False},
    },
    "rt/vehicle/adapted": {"vehicle": True, "stack": False, "operator": False, "viewer": False},
    "rt/cmd_vel": {"vehicle": False, "stack": True, "operator": False, "viewer": False},
    "rt/turn": {"vehicle": False, "stack": True, "operator": False, "viewer": False},
    "rt/vehicle/pad/command": {"vehicle": True, "stack": False, "operator": True, "viewer": False},
    "rt/vehicle/stop": {"vehicle": True, "stack": True, "operator": True, "viewer": False},
    "rt/other/cmd": {"vehicle": False, "stack": True, "operator": False, "viewer": False},
    "rt/vehicle/odometry": {"vehicle": True, "stack": False, "operator": False, "viewer": False},
    "rt/vehicle/joint": {"vehicle": True, "stack": False, "operator": False, "viewer": False},
    "rt/tf": {"vehicle": True, "stack": False, "operator": False, "viewer": False},
    "rt/plant/state": {"vehicle": True, "stack": False, "operator": False, "viewer": False},
    "rt/vehicle/sensors/lidar": {
        **{"vehicle": True, "stack": False, "operator": False, "viewer": False},
    },
    "rq/vehicle/engageRequest": {
        **{"vehicle": True, "stack": True, "operator": False, "viewer": False},
    },
    "rq/vehicle/give_backRequest": {
        **{"vehicle": True, "stack": False, "operator": True, "viewer": False},
    },
    "rq/plant/resetRequest": {
        **{"vehicle": True, "stack": False, "operator": False, "viewer": False},
    },
    "rr/vehicle/engageReply": {
        **{"vehicle": True, "stack": False, "operator": False, "viewer": False},
    },
    "rt/rosout": dict.fromkeys(ROLES, True),
    "ros_discovery_info": dict.fromkeys(ROLES, True),
}
"""Who may write to what, by hand."""


@pytest.mark.parametrize("name", COMMANDS)
def test_who_may_write_to_what(name: str) -> None:
    found = {role: rights(NODES, role, HERE).may_publish(name) for role in ROLES}
    assert found == COMMANDS[name]


def test_a_viewer_reads_topics_that_nobody_knows() -> None:
    read = {role: rights(NODES, role, HERE).may_read("rt/planner/comand") for role in ROLES}
    assert read == {**dict.fromkeys(ROLES, False), "viewer": True}


def test_every_role_reads_every_topic_and_no_other_request() -> None:
    for role in ROLES:
        made = rights(NODES, role, HERE)
        assert all(made.may_read(name) for name in COMMANDS if name.startswith("rt/")), role
        assert made.may_read("rr/vehicle/give_backReply") == (role in ("vehicle", "operator"))
        assert made.may_read("rq/vehicle/engageRequest") == (role == "vehicle")


def test_the_stacks_source_has_the_name_that_the_mux_knows() -> None:
    assert STACK == AUTONOMY


def test_namespaces_move_what_is_relative_and_nothing_else() -> None:
    stack = rights(NODES, "stack", Places("car_2", "sim"))
    assert stack.may_publish("rt/car_2/command")
    assert stack.may_publish("rt/other/cmd")
    assert not stack.may_publish("rt/vehicle/command")
    assert stack.may_read("rt/sim/plant/state")
    assert rights(NODES, "stack", Places("", "")).may_publish("rt/command")


def test_further_topics_are_a_viewers_only_to_read() -> None:
    for role in ROLES:
        made = rights(NODES, role, HERE, ["/planner/*"])
        assert made.may_read("rt/planner/path")
        assert made.may_publish("rt/planner/path") == (role != "viewer")


def test_the_real_table_lets_a_viewer_act_on_nothing() -> None:
    viewer = Permissions("viewer", HERE)
    acts = {
        *(f"rt{name}" for each in table().values() for name in _placed(each.subscribes)),
        *(f"rq{name}Request" for each in table().values() for name in _placed(each.offers)),
    } - {"rt/parameter_events", "rt/clock"}
    assert len(acts) > 50
    assert not [name for name in acts if viewer.allow("publish", name)]


def _placed(names: frozenset[str]) -> list[str]:
    return [name if name.startswith("/") else f"/vehicle/{name}" for name in names]


def test_the_real_table_lets_stack_and_operator_do_their_work() -> None:
    assert table().keys() >= {*OPERATORS, PLANT, "vehicle_interface", "autoware_interface"}
    stack, operator = Permissions("stack", HERE), Permissions("operator", HERE)
    for name in (
        *("rt/vehicle/high_level_command", "rt/vehicle/raw_command", "rt/vehicle/cabin_state"),
        *("rq/vehicle/change_modeRequest", "rt/vehicle/change_mode_twin/request"),
        *("rt/vehicle/emergency_stop", "rt/control/command/control_cmd"),
        "rq/control/control_mode_requestRequest",
    ):
        assert stack.allow("publish", name), name
    for name in (
        *("rt/vehicle/keyboard/vehicle_command", "rt/vehicle/remote/high_level_command"),
        *("rt/vehicle/emergency_stop", "rq/vehicle/give_backRequest", "rt/vehicle/joy"),
    ):
        assert operator.allow("publish", name), name
    for name in (
        *("rt/vehicle/keyboard/vehicle_command", "rq/vehicle/give_backRequest"),
        *("rq/vehicle/set_faultRequest", "rq/plant/resetRequest", "rt/vehicle/odometry"),
        *("rq/vehicle/vehicle_interface/set_parametersRequest", "rt/vehicle/stages/safe_command"),
    ):
        assert not stack.allow("publish", name), name
    assert not operator.allow("publish", "rt/vehicle/high_level_command")
    assert not operator.allow("publish", "rt/vehicle/input/engage")


def test_a_persons_sources_are_those_that_the_interface_arbitrates() -> None:
    sent = rights(table(), "operator", HERE).publish
    ends = "/high_level_command"
    found = {name.split("/")[2] for name in sent if name.endswith(ends)}
    assert found == set(ArbitrationParameters().sources.split(","))


# ---- the files -----------------------------------------------------------------------------------

OF_AN_ENCLAVE = {
    *("cert.pem", "key.pem", "identity_ca.cert.pem", "permissions_ca.cert.pem"),
    *("governance.p7s", "permissions.xml", "permissions.p7s"),
}


def run(*words: str) -> int:
    return command.main(words)


@pytest.fixture
def store(tmp_path: Path) -> Path:
    assert run(str(tmp_path / "keys")) == 0
    return tmp_path / "keys"


def test_the_layout_is_that_of_rcl_and_no_key_is_others(store: Path) -> None:
    files = {str(path.relative_to(store)): path for path in store.rglob("*") if path.is_file()}
    authorities = {
        f"{folder}/{kind}_ca.{what}.pem"
        for kind in ("identity", "permissions")
        for folder, what in (("private", "key"), ("public", "cert"))
    }
    enclaves = {f"enclaves/vdsim/{role}/{name}" for role in ROLES for name in OF_AN_ENCLAVE}
    governance = {"enclaves/governance.xml", "enclaves/governance.p7s"}
    assert files.keys() == authorities | enclaves | governance
    for name, path in files.items():
        is_secret = b"PRIVATE" in path.read_bytes()
        assert is_secret == name.endswith("key.pem")
        if is_secret:
            assert stat.S_IMODE(path.stat().st_mode) == 0o600, name
    for folder in (store, store / "private"):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert not list(store.parent.glob(".*"))


if has_tool("openssl"):

    def test_openssl_accepts_signatures_and_certificates(store: Path) -> None:
        for role in ROLES:
            enclave = store / "enclaves/vdsim" / role
            for name, original in (
                ("permissions", enclave / "permissions.xml"),
                ("governance", store / "enclaves/governance.xml"),
            ):
                words = ("-in", enclave / f"{name}.p7s", "-text")
                verify = ("openssl", "smime", "-verify", *words, "-CAfile")
                said = _said(*verify, enclave / "permissions_ca.cert.pem")
                assert said.returncode == 0, said.stderr
                assert said.stdout.replace("\r", "") == original.read_text()
                assert _said(*verify, enclave / "identity_ca.cert.pem").returncode != 0
            chain = ("openssl", "verify", "-CAfile", enclave / "identity_ca.cert.pem")
            assert _said(*chain, enclave / "cert.pem").returncode == 0

    def _said(*words: str | Path) -> subprocess.CompletedProcess[str]:
        return subprocess.run(words, capture_output=True, text=True, check=False)


def test_a_certificate_has_the_name_of_its_enclave(store: Path) -> None:
    for role in ROLES:
        pem = (store / f"enclaves/vdsim/{role}/cert.pem").read_bytes()
        subject = x509.load_pem_x509_certificate(pem).subject.rfc4514_string()
        text = (store / f"enclaves/vdsim/{role}/permissions.xml").read_text()
        assert subject == f"CN=/vdsim/{role}"
        assert f"<subject_name>{subject}</subject_name>" in text


def test_one_more_enclave_has_the_rights_of_its_role(store: Path) -> None:
    add = ("--add", "my/planner", "--role", "stack")
    assert run(str(store), *add) == 0
    added = store / "enclaves/my/planner"
    assert {path.name for path in added.iterdir()} == OF_AN_ENCLAVE
    text = (added / "permissions.xml").read_text()
    roles = (store / "enclaves/vdsim/stack/permissions.xml").read_text()
    # Apart from the second in which each was made.
    assert (
        text.replace("/my/planner", "/vdsim/stack").split("<allow")[1] == roles.split("<allow")[1]
    )
    assert "<subject_name>CN=/my/planner</subject_name>" in text


def test_domains_are_those_that_are_given_or_all(tmp_path: Path) -> None:
    assert run(str(tmp_path / "keys"), "--domain-id", "7", "8") == 0
    for name in ("governance.xml", "vdsim/stack/permissions.xml"):
        text = (tmp_path / "keys/enclaves" / name).read_text()
        assert "<domains><id>7</id><id>8</id></domains>" in text
    every = documents.governance([])
    assert "<min>0</min><max>230</max>" in every


def test_a_keystore_is_never_overwritten(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = {path: path.read_bytes() for path in store.rglob("*") if path.is_file()}
    assert run(str(store)) == 2
    assert run(str(store), "--add", "vdsim/stack", "--role", "stack") == 2
    said = capsys.readouterr().err.splitlines()
    assert said[0] == f"ws secure: {store}: exists; must be a new or an empty folder"
    assert said[1].endswith("/vdsim/stack: the enclave exists; remove it first to make it anew")
    assert before == {path: path.read_bytes() for path in store.rglob("*") if path.is_file()}


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ((), "the following arguments are required: DIR"),
        (("DIR", "--add", "x"), "--add NAME and --role ROLE: must be given together"),
        (("DIR", "--role", "viewer"), "--add NAME and --role ROLE: must be given together"),
        (("DIR", "--add", "x", "--role", "viewer"), "is no keystore of `./ws secure`"),
        (("DIR", "--add", "x", "--role", "vehicle"), "invalid choice: 'vehicle'"),
        (("DIR", "--add", "../x", "--role", "viewer"), "'../x': must be names of letters"),
        (("DIR", "--namespace", "a b"), "'a b': must be names of letters"),
        (("DIR", "--domain-id", "231"), "'231': must be 0 to 230"),
        (("DIR", "--days", "0"), "'0': must be 1 to 36500"),
        (("DIR", "--topics", "planner"), "'planner': must be a topic as /planner/path"),
        (("DIR", "--topics", "/a<b"), "'/a<b': must be a topic as /planner/path"),
    ],
)
def test_a_wrong_argument_is_one_line_and_writes_nothing(
    words: tuple[str, ...], line: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(*(str(tmp_path / "keys") if word == "DIR" else word for word in words)) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("ws secure: ")
    assert line in said.err
    assert said.err.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_an_authority_that_is_no_key_is_named(store: Path) -> None:
    (store / "private/identity_ca.key.pem").write_text("nonsense")
    with pytest.raises(keystore.KeystoreError, match="is no keystore"):
        keystore.load(store, keystore.IDENTITY)


def test_it_is_a_command_of_ws(tmp_path: Path) -> None:
    root = Path(__file__).resolve().parents[2]
    words = [root / "ws", "secure", "keys", "--domain-id", "3"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert f"export ROS_SECURITY_KEYSTORE={tmp_path}/keys" in done.stdout
    assert (tmp_path / "keys/enclaves/vdsim/viewer/key.pem").is_file()
