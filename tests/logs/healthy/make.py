"""Trains small models that learn well, and prints their runs as different trainers do.

    python tests/logs/healthy/make.py [NAME ...]

Every number comes from a real run on the CPU, but for times, speeds and memory, which are made up.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from runs import Step, adversaries, denoising, language, pictures, policy

HERE = Path(__file__).parent


def bar(done: int, total: int, width: int = 10) -> str:
    full = done * width // total
    return f"{100 * done // total:3d}%|{'█' * full}{' ' * (width - full)}| {done}/{total}"


def clock(seconds: float) -> str:
    return f"{int(seconds) // 60:02d}:{int(seconds) % 60:02d}"


def at(second: int, day: str = "2024-05-14") -> str:
    return f"{day} {9 + second // 3600:02d}:{second // 60 % 60:02d}:{second % 60:02d}"


def mean(values: Iterable[float]) -> float:
    found = list(values)
    return sum(found) / len(found)


def averaged(run: list[Step], every: int) -> Iterator[tuple[Step, float]]:
    """Every so many steps the last of them, and the mean loss of all."""
    for start in range(0, len(run), every):
        part = run[start : start + every]
        yield part[-1], mean(one.loss for one in part)


def evals(run: list[Step]) -> Iterator[tuple[Step, float, float, float]]:
    """The steps with validation, with its loss and accuracy, and the mean training loss since the last one."""
    start = 0
    for step in run:
        if step.eval_loss is not None and step.eval_accuracy is not None:
            yield step, step.eval_loss, step.eval_accuracy, mean(one.loss for one in run[start : step.number])
            start = step.number


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
        yield str({"loss": round(loss, 4), "grad_norm": step.norm, "learning_rate": step.rate, "epoch": round(step.number / 200, 2)})
        if step.eval_loss is not None:
            yield str({"eval_loss": step.eval_loss, "eval_runtime": 1.3716, "eval_samples_per_second": 746.5,
                       "eval_steps_per_second": 2.916, "epoch": step.number / 200})  # fmt: skip
    yield str({"train_runtime": 301.2, "train_samples_per_second": 1020.1, "train_steps_per_second": 3.98,
               "train_loss": mean(one.loss for one in run), "epoch": 6.0})  # fmt: skip


def transformers_5() -> Iterator[str]:
    run = language(1000, 250, 3)
    for step, loss in averaged(run, 10):
        values = {"loss": loss, "grad_norm": step.norm, "learning_rate": step.rate, "epoch": step.number / 250}
        yield str({name: f"{value:.4g}" for name, value in values.items()})
        if step.eval_loss is not None:
            yield str({"eval_loss": f"{step.eval_loss:.4g}", "eval_runtime": "1.402", "epoch": f"{step.number / 250:.4g}"})


def trl_grpo() -> Iterator[str]:
    for number, one in enumerate(policy(100, 4), 1):
        values = {"loss": round(one["loss"], 4), "grad_norm": one["norm"], "learning_rate": 1e-06, "num_tokens": 5120.0 * number,
                  "completions/mean_length": 180.0 + number % 17, "rewards/score/mean": one["reward"], "reward": one["reward"],
                  "reward_std": one["spread"], "kl": number * 2e-5, "entropy": one["entropy"], "epoch": round(number / 100, 2)}  # fmt: skip
        yield str(values)


def lightning() -> Iterator[str]:
    yield "GPU available: True (cuda), used: True\nTPU available: False, using: 0 TPU cores\n"
    yield "  | Name  | Type       | Params\n-------------------------------------\n0 | model | Sequential | 2.8 K"
    yield "-------------------------------------\n2.8 K     Trainable params\n0         Non-trainable params"
    last = ""
    for step in pictures(1000, 100, 5):
        epoch, done = divmod(step.number - 1, 100)
        if (done + 1) % 10 == 0:
            yield (f"Epoch {epoch}: {bar(done + 1, 100)} [00:0{done // 20}<00:0{(99 - done) // 20}, 21.3{done % 9}it/s, "
                   f"v_num=3, train_loss={step.loss:.3f}, train_acc={step.accuracy:.3f}{last}]")  # fmt: skip
        if step.eval_loss is not None:
            last = f", val_loss={step.eval_loss:.3f}, val_acc={step.eval_accuracy:.3f}"
    yield "`Trainer.fit` stopped: `max_epochs=10` reached."


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


def ultralytics() -> Iterator[str]:
    runs = [pictures(800, 20, seed) for seed in (10, 11, 12)]
    for epoch in range(40):
        losses = [mean(one.loss for one in run[epoch * 20 : epoch * 20 + 20]) for run in runs]
        step = runs[0][epoch * 20 + 19]
        score = step.eval_accuracy or 0.0
        yield "\n      Epoch    GPU_mem   box_loss   cls_loss   dfl_loss  Instances       Size"
        yield (f"      {epoch + 1}/40      1.65G {losses[0]:10.4g} {losses[1]:10.4g} {losses[2]:10.4g}         10        640: "
               f"100%|██████████| 16/16 [00:05<00:00,  2.78it/s]")  # fmt: skip
        yield "                 Class     Images  Instances      Box(P          R      mAP50  mAP50-95): 100%|██████████| 8/8 [00:03<00:00,  2.17it/s]"
        yield f"                   all        722       1444      {score:.3f}      {score * 0.97:.3f}      {score * 0.98:.3f}      {score * 0.7:.3f}"
    yield "\n40 epochs completed in 0.102 hours."


def timm() -> Iterator[str]:
    for step in pictures(1000, 100, 13):
        epoch, done = divmod(step.number - 1, 100)
        if done % 20 == 0 or done == 99:
            yield (f"Train: {epoch} [{done:4d}/100 ({done:3d}%)]  Loss: {step.loss:9.6f} ({step.loss:.4f})  Time: 0.062s,  1026.31/s  "
                   f"(0.066s,  997.82/s)  LR: {step.rate:.3e}  Data: 0.004 (0.006)")  # fmt: skip
        if step.eval_loss is not None and step.eval_accuracy is not None:
            top = 100 * step.eval_accuracy
            yield (f"Test: [  15/15]  Time: 0.094 (0.040)  Loss:  {step.eval_loss:7.4f} ({step.eval_loss:7.4f})  Acc@1: {top:7.3f} ({top:7.3f})  "
                   f"Acc@5: {min(100, top + 4):7.3f} ({min(100, top + 4):7.3f})")  # fmt: skip


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
            row = {"step": step.number, "train/loss": step.loss, "train/grad_norm": step.norm, "lr": step.rate, "samples_per_second": 5120.5}
            yield json.dumps(row | ({"val/loss": step.eval_loss} if step.eval_loss is not None else {}))


def llamafactory() -> Iterator[str]:
    for step, loss in averaged(language(1000, 1000, 17), 10):
        yield json.dumps({"current_steps": step.number, "total_steps": 1000, "loss": round(loss, 4), "lr": step.rate, "epoch": step.number / 500,
                          "percentage": step.number / 10, "elapsed_time": f"0:{clock(step.number / 4)}", "remaining_time": f"0:{clock(250 - step.number / 4)}"})  # fmt: skip


def table() -> Iterator[str]:
    yield "epoch,train_loss,val_loss,val_acc,lr,time_s"
    for step, loss, accuracy, trained in evals(pictures(2000, 50, 18)):
        yield f"{step.number // 50},{trained:.5f},{loss:.5f},{accuracy:.4f},{step.rate:.6f},{12 + step.number % 3 / 10}"


def dcgan() -> Iterator[str]:
    for number, (judged, made, real, false, after) in enumerate(adversaries(3000, 19)):
        if number % 20 == 0:
            yield f"[{number // 600}/5][{number % 600}/600]\tLoss_D: {judged:.4f}\tLoss_G: {made:.4f}\tD(x): {real:.4f}\tD(G(z)): {false:.4f} / {after:.4f}"


def stable_baselines() -> Iterator[str]:
    for number, one in enumerate(policy(60, 20), 1):
        rows = (("rollout/", ""), ("   ep_len_mean", "20"), ("   ep_rew_mean", f"{one['reward']:.3g}"), ("time/", ""),
                ("   fps", f"{1800 + number % 40}"), ("   iterations", f"{number}"), ("   total_timesteps", f"{number * 1280}"), ("train/", ""),
                ("   entropy_loss", f"{-one['entropy']:.3g}"), ("   policy_gradient_loss", f"{one['loss']:.3g}"))  # fmt: skip
        yield "\n".join(["-" * 40, *(f"| {name:<23}| {value:<12}|" for name, value in rows), "-" * 40])


def keras() -> Iterator[str]:
    for step, loss, accuracy, trained in evals(pictures(1500, 75, 21)):
        yield f"Epoch {step.number // 75}/20"
        yield (f"75/75 [==============================] - 2s 23ms/step - loss: {trained:.4f} - accuracy: {step.accuracy:.4f} - "
               f"val_loss: {loss:.4f} - val_accuracy: {accuracy:.4f}")  # fmt: skip


def mnist() -> Iterator[str]:
    for step in pictures(1400, 140, 22):
        epoch, done = divmod(step.number - 1, 140)
        if done % 10 == 0:
            yield f"Train Epoch: {epoch + 1} [{done * 64}/8960 ({100 * done / 140:.0f}%)]\tLoss: {step.loss:.6f}"
        if step.eval_loss is not None and step.eval_accuracy is not None:
            right = round(step.eval_accuracy * 1000)
            yield f"\nTest set: Average loss: {step.eval_loss:.4f}, Accuracy: {right}/1000 ({right / 10:.0f}%)\n"


def torchvision() -> Iterator[str]:
    for step in pictures(1000, 100, 23):
        epoch, done = divmod(step.number - 1, 100)
        if done % 10 == 0:
            yield (f"Epoch: [{epoch}]  [{done:3d}/100]  eta: 0:00:0{9 - done // 11}  lr: {step.rate:.6f}  img/s: 1210.{done}  loss: {step.loss:.4f} ({step.loss:.4f})  "
                   f"acc1: {100 * step.accuracy:.4f} ({100 * step.accuracy:.4f})  time: 0.0529  data: 0.0004  max mem: 812")  # fmt: skip
        if step.eval_accuracy is not None:
            yield f"Test:  Acc@1 {100 * step.eval_accuracy:.3f} Acc@5 {min(100.0, 100 * step.eval_accuracy + 3):.3f}"


def mmengine() -> Iterator[str]:
    for step in pictures(1000, 100, 24):
        epoch, done = divmod(step.number - 1, 100)
        stamp = f"2024/05/14 09:{step.number // 60:02d}:{step.number % 60:02d} - mmengine - INFO -"
        if (done + 1) % 10 == 0:
            yield (f"{stamp} Epoch(train)  [{epoch + 1}][{done + 1:3d}/100]  lr: {step.rate:.4e}  eta: 0:00:{59 - done // 2:02d}  time: 0.0187  "
                   f"data_time: 0.0056  memory: 612  loss: {step.loss:.4f}")  # fmt: skip
        if step.eval_accuracy is not None:
            yield f"{stamp} Epoch(val) [{epoch + 1}][16/16]    accuracy/top1: {100 * step.eval_accuracy:.4f}  data_time: 0.0051  time: 0.0102"


def detectron() -> Iterator[str]:
    for step, loss in averaged(pictures(3000, 3000, 25), 20):
        yield (f"[05/14 09:{step.number // 60:02d}:{step.number % 60:02d} d2.utils.events]:  eta: 0:0{(3000 - step.number) // 600}:41  iter: {step.number - 1}  "
               f"total_loss: {loss:.4g}  loss_cls: {loss * 0.7:.4g}  loss_box_reg: {loss * 0.3:.4g}  time: 0.0836  data_time: 0.0016  "
               f"lr: {step.rate:.5g}  max_mem: 3782M")  # fmt: skip


def nnunet() -> Iterator[str]:
    for step, loss, accuracy, trained in evals(pictures(2500, 50, 26)):
        epoch = step.number // 50 - 1
        stamp = f"{at(step.number)}.075732:"
        yield f"{stamp} Epoch {epoch} \n{stamp} Current learning rate: {step.rate:.5f} \n{stamp} train_loss {trained - 1:.4f} \n{stamp} val_loss {loss - 1:.4f} "
        yield f"{stamp} Pseudo dice [{accuracy:.4f}, {accuracy * 0.98:.4f}] \n{stamp} Epoch time: 12.1{epoch % 9} s \n"


def espnet() -> Iterator[str]:
    for step, loss, accuracy, trained in evals(pictures(2000, 100, 27)):
        yield (f"[host] {at(step.number)},620 (trainer:338) INFO: {step.number // 100}epoch results: [train] iter_time=0.002, forward_time=0.045, "
               f"loss={trained:.3f}, acc={step.accuracy:.3f}, backward_time=0.019, optim0_lr0={step.rate:.3e}, train_time=0.087, time=8.9 seconds, "
               f"total_count={step.number}, [valid] loss={loss:.3f}, acc={accuracy:.3f}, time=1.2 seconds")  # fmt: skip


def by_hand() -> Iterator[str]:
    yield "Using device: cpu"
    for step, loss, accuracy, trained in evals(pictures(2000, 100, 28)):
        yield f"Epoch {step.number // 100:2d}/20 | train loss {trained:.3f} | val loss {loss:.3f} | val acc {accuracy:.1%} | {3 + step.number % 7 / 10:.1f}s"
    yield "Training finished. Best model saved to best.pt"


SHAPES: tuple[Callable[[], Iterator[str]], ...] = (
    nanogpt, transformers_4, transformers_5, trl_grpo, lightning, kohya, megatron, deepspeed, fairseq, ultralytics, timm, torchtune,
    torchtitan, json_lines, llamafactory, table, dcgan, stable_baselines, keras, mnist, torchvision, mmengine, detectron, nnunet, espnet, by_hand,
)  # fmt: skip
SUFFIXES = {"json_lines": "jsonl", "llamafactory": "jsonl", "table": "csv"}

if __name__ == "__main__":
    for shape in (one for one in SHAPES if one.__name__ in sys.argv[1:] or len(sys.argv) == 1):
        path = HERE / f"{shape.__name__.replace('_', '-')}.{SUFFIXES.get(shape.__name__, 'log')}"
        path.write_text("\n".join(shape()) + "\n", encoding="utf-8")
        print(f"{path.stat().st_size:>7} {path.name}")
