"""Runs over text, noise and rewards, as the trainers of such models print them."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator

from .printing import at, averaged, bar, clock, mean
from .runs import denoising, language, policy


def nanogpt() -> Iterator[str]:
    yield "tokens per iteration will be: 3,072\nfound vocab_size = 84\nnumber of parameters: 0.06M"
    yield "num decayed parameter tensors: 3, with 61,152 parameters\nusing fused AdamW: False"
    for step in language(1500, 250, 1):
        if step.eval_loss is not None:
            yield f"step {step.number}: train loss {step.loss:.4f}, val loss {step.eval_loss:.4f}"
            yield "saving checkpoint to out-docs-char"
        if step.number % 10 == 0:
            yield f"iter {step.number}: loss {step.loss:.4f}, time {23 + step.number % 7 / 10:.2f}ms, mfu 1.{step.number % 9}%"


def transformers_4() -> Iterator[str]:
    run = language(1200, 200, 2)
    yield "***** Running training *****\n  Num examples = 51,200\n  Num Epochs = 6\n  Instantaneous batch size per device = 256"
    yield "  Gradient Accumulation steps = 1\n  Total optimization steps = 1,200\n  Number of trainable parameters = 61,152"
    for step, loss in averaged(run, 20):
        yield f"{bar(step.number, 1200)} [{clock(step.number / 4)}<{clock((1200 - step.number) / 4)},  4.0{step.number % 9}it/s]"
        yield str(
            {
                "loss": round(loss, 4),
                "grad_norm": step.norm,
                "learning_rate": step.rate,
                "epoch": round(step.number / 200, 2),
            }
        )
        if step.eval_loss is not None:
            yield str({"eval_loss": step.eval_loss, "eval_runtime": 1.3716, "eval_samples_per_second": 746.5,
                       "eval_steps_per_second": 2.916, "epoch": step.number / 200})  # fmt: skip
    yield str({"train_runtime": 301.2, "train_samples_per_second": 1020.1, "train_steps_per_second": 3.98,
               "train_loss": mean(one.loss for one in run), "epoch": 6.0})  # fmt: skip


def transformers_5() -> Iterator[str]:
    run = language(1000, 250, 3)
    for step, loss in averaged(run, 10):
        values = {
            "loss": loss,
            "grad_norm": step.norm,
            "learning_rate": step.rate,
            "epoch": step.number / 250,
        }
        yield str({name: f"{value:.4g}" for name, value in values.items()})
        if step.eval_loss is not None:
            yield str(
                {
                    "eval_loss": f"{step.eval_loss:.4g}",
                    "eval_runtime": "1.402",
                    "epoch": f"{step.number / 250:.4g}",
                }
            )


def trl_grpo() -> Iterator[str]:
    for number, one in enumerate(policy(100, 4), 1):
        values = {"loss": round(one["loss"], 4), "grad_norm": one["norm"], "learning_rate": 1e-06, "num_tokens": 5120.0 * number,
                  "completions/mean_length": 180.0 + number % 17, "rewards/score/mean": one["reward"], "reward": one["reward"],
                  "reward_std": one["spread"], "kl": number * 2e-5, "entropy": one["entropy"], "epoch": round(number / 100, 2)}  # fmt: skip
        yield str(values)


def kohya() -> Iterator[str]:
    run = denoising(1600, 6)
    yield "running training / 学習開始\n  num train images * repeats / 学習画像の数×繰り返し回数: 640\n  num batches per epoch / 1epochのバッチ数: 640"
    yield "  num epochs / epoch数: 3\n  batch size per device / バッチサイズ: 1\n  total optimization steps / 学習ステップ数: 1600"
    for step in run[::10]:
        average = mean(one.loss for one in run[max(0, step.number - 640) : step.number])
        yield f"steps: {bar(step.number, 1600)} [{clock(step.number / 3)}<{clock((1600 - step.number) / 3)},  3.0{step.number % 9}it/s, avr_loss={average:.4g}]"
    yield "saving checkpoint: ./out/style-000003.safetensors\nmodel saved."


def megatron() -> Iterator[str]:
    for step in language(1500, 500, 7):
        if step.number % 20 == 0:
            yield (f" iteration {step.number:8d}/{1500:8d} | consumed samples: {step.number * 256:12d} | elapsed time per iteration (ms): "
                   f"{231 + step.number % 11:.1f} | learning rate: {step.rate:.3E} | global batch size:   256 | lm loss: {step.loss:.6E} | "
                   f"loss scale: 1.0 | grad norm: {step.norm:.3f} | number of skipped iterations:   0 | number of nan iterations:   0 |")  # fmt: skip
        if step.eval_loss is not None:
            line = "-" * 100
            yield f"{line}\n validation loss at iteration {step.number} | lm loss value: {step.eval_loss:.6E} | lm loss PPL: {math.exp(step.eval_loss):.6E} | \n{line}"


def deepspeed() -> Iterator[str]:
    for step, loss in averaged(language(1000, 1000, 8), 10):
        stamp = f"[{at(step.number)},{step.number % 1000:03d}] [INFO]"
        yield f"{stamp} [logging.py:96:log_dist] [Rank 0] step={step.number}, skipped=0, lr=[{step.rate}], mom=[(0.9, 0.999)]"
        yield (f"{stamp} [timer.py:264:stop] epoch=0/micro_step={step.number}/global_step={step.number}, RunningAvgSamplesPerSec=812.{step.number % 9}, "
               f"CurrSamplesPerSec=809.{step.number % 7}, MemAllocated=1.3GB, MaxMemAllocated=2.8GB")  # fmt: skip
        yield f"epoch 0 step {step.number} loss {loss:.4f}"


def fairseq() -> Iterator[str]:
    updates = 0
    for step in language(1500, 300, 9):
        updates, epoch = step.number, (step.number - 1) // 300 + 1
        bits = step.loss / math.log(2)
        if updates % 20 == 0:
            yield (f"{at(updates)} | INFO | train_inner | epoch {epoch:03d}: {(updates - 1) % 300 + 1:6d} / 300 loss={bits:.3f}, ppl={2**bits:.2f}, "
                   f"wps=88033, ups=2.38, wpb=3072, bsz=256, num_updates={updates}, lr={step.rate:.6g}, gnorm={step.norm:.3f}, clip=0, train_wall=38, wall={updates}")  # fmt: skip
        if step.eval_loss is not None:
            bits = step.eval_loss / math.log(2)
            yield f"{at(updates)} | INFO | valid | epoch {epoch:03d} | valid on 'valid' subset | loss {bits:.3f} | ppl {2**bits:.2f} | wps 99120 | num_updates {updates}"


def torchtune() -> Iterator[str]:
    for step in language(1200, 1200, 14)[::8]:
        yield f"1|{step.number}|Loss: {step.loss}: {bar(step.number, 1200)} [{clock(step.number / 2)}<{clock((1200 - step.number) / 2)},  1.83it/s]"


def torchtitan() -> Iterator[str]:
    for step in language(1500, 1500, 15)[9::10]:
        yield (f"[rank0]:[titan] {at(step.number)},100 - root - INFO - step: {step.number:4d}  loss: {step.loss:8.5f}  grad_norm: {step.norm:7.4f}  "
               f"memory: 46.18GiB(55.70%)  tps: 4,37{step.number % 9}  tflops: 210.05  mfu: 25.8{step.number % 9}%")  # fmt: skip


def json_lines() -> Iterator[str]:
    for step in language(1200, 200, 16):
        if step.number % 10 == 0:
            row = {
                "step": step.number,
                "train/loss": step.loss,
                "train/grad_norm": step.norm,
                "lr": step.rate,
                "samples_per_second": 5120.5,
            }
            yield json.dumps(row | ({"val/loss": step.eval_loss} if step.eval_loss is not None else {}))


def llamafactory() -> Iterator[str]:
    for step, loss in averaged(language(1000, 1000, 17), 10):
        yield json.dumps({"current_steps": step.number, "total_steps": 1000, "loss": round(loss, 4), "lr": step.rate, "epoch": step.number / 500,
                          "percentage": step.number / 10, "elapsed_time": f"0:{clock(step.number / 4)}", "remaining_time": f"0:{clock(250 - step.number / 4)}"})  # fmt: skip


def stable_baselines() -> Iterator[str]:
    for number, one in enumerate(policy(60, 20), 1):
        rows = (("rollout/", ""), ("   ep_len_mean", "20"), ("   ep_rew_mean", f"{one['reward']:.3g}"), ("time/", ""),
                ("   fps", f"{1800 + number % 40}"), ("   iterations", f"{number}"), ("   total_timesteps", f"{number * 1280}"), ("train/", ""),
                ("   entropy_loss", f"{-one['entropy']:.3g}"), ("   policy_gradient_loss", f"{one['loss']:.3g}"))  # fmt: skip
        yield "\n".join(["-" * 40, *(f"| {name:<23}| {value:<12}|" for name, value in rows), "-" * 40])


SHAPES: tuple[Callable[[], Iterator[str]], ...] = (
    nanogpt,
    transformers_4,
    transformers_5,
    trl_grpo,
    kohya,
    megatron,
    deepspeed,
    fairseq,
    torchtune,
    torchtitan,
    json_lines,
    llamafactory,
    stable_baselines,
)
