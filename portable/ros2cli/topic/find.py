"""`ros2 topic find`."""

from __future__ import annotations

import argparse

from ros2cli import graph
from ros2cli.listing import add_find_arguments, find


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_find_arguments(parser, "topic", "std_msgs/msg/String")


def main(args: argparse.Namespace) -> int:
    """Print the topics of one type."""
    return find(args, graph.topics)
