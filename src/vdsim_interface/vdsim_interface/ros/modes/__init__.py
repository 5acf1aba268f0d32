"""Requests of a control mode that do not come as a service request."""
