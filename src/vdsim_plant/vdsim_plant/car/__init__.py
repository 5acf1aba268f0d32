"""Parts of a vehicle: what it may be given, which loop drives it, its state as bytes."""
