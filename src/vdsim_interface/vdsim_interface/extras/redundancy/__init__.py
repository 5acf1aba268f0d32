"""Two computers, one car: which of them drives, as a redundancy switcher has decided."""
