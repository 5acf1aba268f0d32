"""The vehicle interface: commands in, safe commands out, reports back."""
