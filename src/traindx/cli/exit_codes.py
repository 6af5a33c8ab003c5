"""What the exit code of every command says."""

NOTHING_FOUND = 0
"""Nothing wrong was found; for other commands: it worked."""
FOUND = 1
"""A cause was found, or a symptom is there and no cause stands out."""
BAD_CALL = 2
"""The call or an input is wrong. The message says what and what to do."""
OUR_FAULT = 3
"""A fault of traindx itself."""
INTERRUPTED = 130
"""Stopped with Ctrl-C, as shells count it."""
