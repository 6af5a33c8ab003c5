"""Runs over pictures and points, as the trainers of such models print them."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from .printing import at, averaged, bar, evals, mean
from .runs import adversaries, pictures


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


def table() -> Iterator[str]:
    yield "epoch,train_loss,val_loss,val_acc,lr,time_s"
    for step, loss, accuracy, trained in evals(pictures(2000, 50, 18)):
        yield f"{step.number // 50},{trained:.5f},{loss:.5f},{accuracy:.4f},{step.rate:.6f},{12 + step.number % 3 / 10}"


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
    for step, loss, accuracy, trained in evals(pictures(1000, 25, 26)):
        epoch = step.number // 25 - 1
        stamp = f"{at(step.number)}.075732:"
        yield f"{stamp} Epoch {epoch} \n{stamp} Current learning rate: {step.rate:.5f} \n{stamp} train_loss {trained - 1:.4f} \n{stamp} val_loss {loss - 1:.4f} "
        yield f"{stamp} Pseudo dice [{accuracy:.4f}, {accuracy * 0.98:.4f}] \n{stamp} Epoch time: 12.1{epoch % 9} s \n"


def espnet() -> Iterator[str]:
    for step, loss, accuracy, trained in evals(pictures(800, 40, 27)):
        yield (f"[host] {at(step.number)},620 (trainer:338) INFO: {step.number // 40}epoch results: [train] iter_time=0.002, forward_time=0.045, "
               f"loss={trained:.3f}, acc={step.accuracy:.3f}, backward_time=0.019, optim0_lr0={step.rate:.3e}, train_time=0.087, time=8.9 seconds, "
               f"total_count={step.number}, [valid] loss={loss:.3f}, acc={accuracy:.3f}, time=1.2 seconds")  # fmt: skip


def by_hand() -> Iterator[str]:
    yield "Using device: cpu"
    for step, loss, accuracy, trained in evals(pictures(800, 40, 28)):
        yield f"Epoch {step.number // 40:2d}/20 | train loss {trained:.3f} | val loss {loss:.3f} | val acc {accuracy:.1%} | {3 + step.number % 7 / 10:.1f}s"
    yield "Training finished. Best model saved to best.pt"


def dcgan() -> Iterator[str]:
    for number, (judged, made, real, false, after) in enumerate(adversaries(3000, 19)):
        if number % 20 == 0:
            yield f"[{number // 600}/5][{number % 600}/600]\tLoss_D: {judged:.4f}\tLoss_G: {made:.4f}\tD(x): {real:.4f}\tD(G(z)): {false:.4f} / {after:.4f}"


SHAPES: tuple[Callable[[], Iterator[str]], ...] = (
    lightning,
    ultralytics,
    timm,
    table,
    keras,
    mnist,
    torchvision,
    mmengine,
    detectron,
    nnunet,
    espnet,
    by_hand,
    dcgan,
)
