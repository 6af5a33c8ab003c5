"""Facts in, diagnosis out. Knows no file format, no terminal and no torch."""
