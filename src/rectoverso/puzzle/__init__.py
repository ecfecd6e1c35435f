"""The puzzle and what is known of it: pieces, types, arrangements, their files and their scores."""
