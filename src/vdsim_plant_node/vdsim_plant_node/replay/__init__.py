"""A run played again in the browser: the dashboard with a slider for its time."""
