"""Ordinary training scripts, most of them with one fault, and what a diagnosis should say of each."""
