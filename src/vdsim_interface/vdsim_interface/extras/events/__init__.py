"""The event log: what happened to the automation, as a chain of records that shows a change.

    SafetySide, VehicleSide ──▶ Watch ──Occurrence──▶ Chain ──line──▶ file

Theory of operation. Nothing in the pipeline knows of the log. `Watch` wraps the methods of the two
sides from outside, as the tape does, and hears the mode machine itself, so that no transition can
pass it. Each occurrence is handed on at once, within the call that caused it: a packet that it
explains is sent after that call. `Chain` makes a line of JSON of it, which holds the hash of the
line before.
"""
