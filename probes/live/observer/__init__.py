"""Watches one training process from inside. Standard library and torch only: see docs/live.md.

This package runs in the watched process, maybe under another Python (3.9 or newer) than traindx
itself, so it imports nothing of traindx, and torch only once the script has imported it.
"""
