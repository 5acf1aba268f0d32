"""Command lines: sockets, files and clocks around the cores."""
