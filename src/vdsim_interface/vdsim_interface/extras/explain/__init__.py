"""Why did the car not do what I asked? Command traces become sentences; no ROS in here."""
