"""What JPEG compression leaves in a picture, and what that tells of its pieces; known to the objective alone."""
