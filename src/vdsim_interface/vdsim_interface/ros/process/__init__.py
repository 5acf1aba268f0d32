"""What every node process of ours has: the base of its nodes, limits, a watch on its loop."""
