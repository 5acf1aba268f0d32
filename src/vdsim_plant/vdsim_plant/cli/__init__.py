"""The command lines of the library; nothing imports them."""
