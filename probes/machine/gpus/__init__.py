"""One file for each way to ask a machine about its accelerators."""
