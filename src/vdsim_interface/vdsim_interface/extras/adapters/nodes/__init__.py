"""The nodes of the Twist and Ackermann adapters."""
