"""Anything to pieces: a folder or zip of tiles, one shuffled picture, a scanned sheet; and what it is."""
