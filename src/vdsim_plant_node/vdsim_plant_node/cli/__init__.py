"""The command lines; nothing imports them."""
