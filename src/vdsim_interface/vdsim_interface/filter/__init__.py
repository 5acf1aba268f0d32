"""Low-pass filter: removes high-frequency noise from the vehicle commands, for each channel."""
