"""Which signals of a log move with which pedal or wheel: proposals for the rows of a car file."""
