"""Silent faults: what the playbooks check by hand in a loop that raises nothing. One topic a file.

A check is a part (part.py). Some follow every step, with a few counters; the others (check.py) look into
tensors in sampled steps only (sampling.py). Each says what it found as a fact, and `false` where it
looked and found nothing, which clears a healthy run. Thresholds and their sources stand beside the code.
"""
