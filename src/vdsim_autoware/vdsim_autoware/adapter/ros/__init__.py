"""Topics, messages and statuses of Autoware."""
