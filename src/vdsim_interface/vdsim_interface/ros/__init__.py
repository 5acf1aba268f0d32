"""What the nodes share: parameters, topics, clocks, sockets, messages, publishers."""
