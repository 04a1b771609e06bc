"""Puts this folder on the path of every test below it, for support.py."""
