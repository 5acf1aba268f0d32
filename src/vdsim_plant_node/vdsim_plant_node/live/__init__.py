"""A running plant: vehicles on the wire, their watchdogs and fail-safes, sockets, pacing."""
