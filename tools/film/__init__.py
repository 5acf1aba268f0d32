"""The moving picture of the README, made by the dashboard itself."""
