"""The machine that diagnoses: what is installed on it, what it has, what a process may use of it."""
