from __future__ import annotations

import pytest
from rosidl_runtime_py import (
    get_action_interfaces,
    get_interface_packages,
    get_interface_path,
    get_interfaces,
    get_message_interfaces,
    get_service_interfaces,
)
from rosidl_runtime_py.utilities import get_action, get_interface, get_message, get_service
from std_msgs.msg import Header
from std_srvs.srv import SetBool


def test_classes_by_long_and_short_name() -> None:
    assert get_message("std_msgs/msg/Header") is get_message("std_msgs/Header") is Header
    assert get_service("std_srvs/srv/SetBool") is get_service("std_srvs/SetBool") is SetBool
    assert get_interface("std_srvs/srv/SetBool") is SetBool


@pytest.mark.parametrize("name", ["Header", "std_msgs/", "std_msgs/srv/Header", "a/b/c/d", ""])
def test_malformed_names(name: str) -> None:
    with pytest.raises(ValueError, match="is not of the form 'package/msg/Name'"):
        get_message(name)


def test_unknown_packages_and_names() -> None:
    with pytest.raises(ModuleNotFoundError, match="No package 'nothing' with msg interfaces"):
        get_message("nothing/msg/Header")
    with pytest.raises(ModuleNotFoundError, match="No package 'std_msgs' with action"):
        get_action("std_msgs/action/Header")
    with pytest.raises(AttributeError, match="Package 'std_msgs' has no msg 'Footer'"):
        get_message("std_msgs/msg/Footer")
    with pytest.raises(ValueError, match="Expected the full name"):
        get_interface("std_msgs/Header")


def test_interfaces_of_packages() -> None:
    assert "std_srvs" in get_interface_packages()
    assert get_interfaces(["std_srvs"]) == {"std_srvs": ["srv/Empty", "srv/SetBool", "srv/Trigger"]}
    assert "msg/Header" in get_message_interfaces(["std_msgs"])["std_msgs"]
    assert "std_msgs" not in get_service_interfaces()
    assert get_action_interfaces(["std_msgs"]) == {}
    with pytest.raises(LookupError, match="Unknown package 'nothing'"):
        get_interfaces(["nothing"])


def test_path_of_an_interface() -> None:
    assert get_interface_path("std_msgs/msg/Header").endswith("/share/std_msgs/msg/Header.msg")
    with pytest.raises(LookupError, match="Unknown package 'nothing'"):
        get_interface_path("nothing/msg/Header")
