from __future__ import annotations

import argparse

import pytest
from rclpy.qos import (
    DurabilityPolicy,
    QoSProfile,
    ReliabilityPolicy,
    qos_profile_sensor_data,
)
from ros2cli.qos import add_qos_arguments, publisher_qos, subscription_qos

LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
RELIABLE = QoSProfile(depth=1)
BEST_EFFORT = QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT)


def parse(*arguments: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    add_qos_arguments(parser, "subscribe", "what fits")
    return parser.parse_args(arguments)


@pytest.mark.parametrize(
    ("publishers", "reliability", "durability"),
    [
        ([], ReliabilityPolicy.BEST_EFFORT, DurabilityPolicy.VOLATILE),
        ([RELIABLE], ReliabilityPolicy.RELIABLE, DurabilityPolicy.VOLATILE),
        ([LATCHED, LATCHED], ReliabilityPolicy.RELIABLE, DurabilityPolicy.TRANSIENT_LOCAL),
        ([RELIABLE, BEST_EFFORT], ReliabilityPolicy.BEST_EFFORT, DurabilityPolicy.VOLATILE),
        ([LATCHED, RELIABLE], ReliabilityPolicy.RELIABLE, DurabilityPolicy.VOLATILE),
    ],
)
def test_subscription_suits_all_publishers(
    publishers: list[QoSProfile], reliability: ReliabilityPolicy, durability: DurabilityPolicy
) -> None:
    profile = subscription_qos(parse(), publishers)
    assert (profile.reliability, profile.durability) == (reliability, durability)


def test_options_have_the_last_word() -> None:
    args = parse("--qos-reliability", "best_effort", "--qos-depth", "3")
    profile = subscription_qos(args, [RELIABLE])
    assert (profile.reliability, profile.depth) == (ReliabilityPolicy.BEST_EFFORT, 3)
    named = subscription_qos(parse("--qos-profile", "sensor_data"), [RELIABLE])
    assert named.reliability == ReliabilityPolicy.BEST_EFFORT


def test_publisher_default_and_lease() -> None:
    args = parse("--qos-durability", "transient_local")
    assert publisher_qos(args).durability == DurabilityPolicy.TRANSIENT_LOCAL
    args = parse("--qos-liveliness-lease-duration-seconds", "1.5")
    assert publisher_qos(args).liveliness_lease_duration.nanoseconds == 1_500_000_000


def test_presets_of_rclpy_stay_as_they_are() -> None:
    subscription_qos(parse("--qos-depth", "77"), [LATCHED])
    assert qos_profile_sensor_data.depth == 5
    assert qos_profile_sensor_data.durability == DurabilityPolicy.VOLATILE
