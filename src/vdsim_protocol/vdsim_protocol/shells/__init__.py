"""The command-line tools: sockets, files and clocks round the pure parts."""
