"""A training process under observation: starting it, and reading what its observer wrote. See docs/live.md."""
