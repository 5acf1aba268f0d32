"""`./ws generate`: writes every file, and every part of a page, that is derived from the code."""
