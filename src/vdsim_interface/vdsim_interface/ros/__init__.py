"""Shared by the nodes: parameters, topics, clocks, sockets, messages, publishers."""
