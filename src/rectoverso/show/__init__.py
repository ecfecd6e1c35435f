"""Observers that show a solve: on the console, as a log, as an animation, as a report."""
