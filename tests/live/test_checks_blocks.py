"""What the check for copies keeps of each call lies together, and takes no small pieces of memory in between."""

from __future__ import annotations

import torch

from traindx.probes.live.observer.checks.copies import BLOCK, _Seen


def test_what_many_calls_were_given_lies_in_a_few_blocks() -> None:
    seen, calls = _Seen(), [torch.randn(20, 8) for _ in range(100)]
    for rows in calls:
        seen.keep(torch, True, rows)
    assert all(bool((kept == rows).all()) for (_, kept), rows in zip(seen.calls, calls, strict=True))
    assert len({kept.untyped_storage().data_ptr() for _, kept in seen.calls}) <= 1 + 2000 // (BLOCK - 20)


def test_a_block_that_was_begun_in_inference_mode_is_written_to_outside_of_it() -> None:
    seen = _Seen()
    with torch.inference_mode():
        seen.keep(torch, False, torch.ones(4, 8))
    seen.keep(torch, False, torch.zeros(4, 8))
    assert [float(kept.sum()) for _, kept in seen.calls] == [32.0, 0.0]
