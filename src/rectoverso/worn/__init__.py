"""Worn pieces: what wear did to them, told from themselves, and the measure that knows it."""
