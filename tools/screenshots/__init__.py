"""Pictures of the dashboard, made by one command."""
