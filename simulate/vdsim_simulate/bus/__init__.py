"""The platform `can`: the car on its bus, what breaks there, and what the frames say."""
