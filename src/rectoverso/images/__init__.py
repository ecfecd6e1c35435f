"""Pictures: files to arrays and back, cutting them into tiles and laying tiles out again."""
