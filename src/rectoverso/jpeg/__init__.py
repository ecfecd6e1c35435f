"""JPEG compression leaves traces in a picture; this package finds them and weighs seams by them.

Only the objective uses it.
"""
