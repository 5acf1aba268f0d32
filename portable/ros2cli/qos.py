"""Quality of service: from the command line, and compatible with the discovered endpoints."""

from __future__ import annotations

import argparse
import copy
import sys
from collections.abc import Sequence
from typing import Any

from rclpy.duration import Duration
from rclpy.qos import (
    DurabilityPolicy,
    HistoryPolicy,
    LivelinessPolicy,
    QoSPresetProfiles,
    QoSProfile,
    ReliabilityPolicy,
)

from ros2cli.arguments import count, positive_seconds

_POLICIES: tuple[tuple[str, Any, str], ...] = (
    ("history", HistoryPolicy, "History of samples"),
    ("reliability", ReliabilityPolicy, "Quality of service reliability"),
    ("durability", DurabilityPolicy, "Quality of service durability"),
    ("liveliness", LivelinessPolicy, "Quality of service liveliness"),
)


def add_qos_arguments(parser: argparse.ArgumentParser, use: str, default: str) -> None:
    """Add the `--qos-*` options; `use` is 'subscribe' or 'publish'."""
    parser.add_argument(
        "--qos-profile",
        choices=QoSPresetProfiles.short_keys(),
        help=f"Quality of service preset profile to {use} with (default: {default})",
    )
    parser.add_argument(
        "--qos-depth",
        metavar="N",
        type=count,
        help=f"Queue size setting to {use} with (overrides the profile's)",
    )
    for name, policy, words in _POLICIES:
        parser.add_argument(
            f"--qos-{name}",
            choices=policy.short_keys(),
            help=f"{words} setting to {use} with (overrides the profile's)",
        )
    parser.add_argument(
        "--qos-liveliness-lease-duration-seconds",
        type=positive_seconds,
        metavar="SECONDS",
        help=f"Liveliness lease duration to {use} with (overrides the profile's)",
    )


def publisher_qos(args: argparse.Namespace) -> QoSProfile:
    """Return the profile to publish with."""
    return _with_options(_preset(args.qos_profile or "default"), args)


def subscription_qos(args: argparse.Namespace, publishers: Sequence[QoSProfile]) -> QoSProfile:
    """Return the profile to subscribe with: the strictest that all discovered publishers offer."""
    profile = _preset(args.qos_profile or "sensor_data")
    if args.qos_profile is None and publishers:
        profile.reliability = (
            ReliabilityPolicy.RELIABLE
            if _all_offer(publishers, "reliability", ReliabilityPolicy.RELIABLE)
            else ReliabilityPolicy.BEST_EFFORT
        )
        profile.durability = (
            DurabilityPolicy.TRANSIENT_LOCAL
            if _all_offer(publishers, "durability", DurabilityPolicy.TRANSIENT_LOCAL)
            else DurabilityPolicy.VOLATILE
        )
    return _with_options(profile, args)


def _preset(name: str) -> QoSProfile:
    # rclpy returns its own object: a change would affect its next user.
    profile: QoSProfile = copy.copy(QoSPresetProfiles.get_from_short_key(name))
    return profile


def _all_offer(publishers: Sequence[QoSProfile], policy: str, wanted: Any) -> bool:
    offering = [getattr(profile, policy) for profile in publishers].count(wanted)
    if 0 < offering < len(publishers):
        print(
            f"Some, but not all, publishers offer {policy} {wanted.name}: "
            "subscribing without it, which connects to all of them",
            file=sys.stderr,
        )
    return offering == len(publishers)


def _with_options(profile: QoSProfile, args: argparse.Namespace) -> QoSProfile:
    for name, policy, _ in _POLICIES:
        choice = getattr(args, f"qos_{name}")
        if choice is not None:
            setattr(profile, name, policy.get_from_short_key(choice))
    if args.qos_liveliness_lease_duration_seconds is not None:
        lease = Duration(seconds=args.qos_liveliness_lease_duration_seconds)
        profile.liveliness_lease_duration = lease
    if args.qos_depth is not None:
        profile.depth = args.qos_depth
    elif profile.durability == DurabilityPolicy.TRANSIENT_LOCAL and profile.depth == 0:
        profile.depth = 1
    return profile
