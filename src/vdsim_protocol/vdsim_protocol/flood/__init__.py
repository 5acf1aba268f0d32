"""Floods of strangers' datagrams at a socket: when they are one, and how they are kept out."""
