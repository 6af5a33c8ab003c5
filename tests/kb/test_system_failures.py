"""What logs say about memory, devices, ranks, processes, storage and checkpoints becomes facts."""

from __future__ import annotations

import pytest

from traindx.engine.derive import derive
from traindx.engine.facts import Facts, Value
from traindx.engine.kb.knowledge import Knowledge
from traindx.engine.kb.load import load
from traindx.engine.kb.packs import own_pack
from traindx.probes.inputs import Input, Kind
from traindx.probes.logs.probe import LogProbe


@pytest.fixture(scope="module")
def knowledge() -> Knowledge:
    return load([own_pack()])


def read(log: str, knowledge: Knowledge) -> Facts:
    """What the log probe finds in a text, and what follows from it."""
    probe = LogProbe([Input("train.log", Kind.LOG, data=log.encode())], knowledge)
    facts = Facts()
    facts.extend(probe.run().facts)
    derive(facts, knowledge)
    return facts


OLD_OOM = """\
epoch 0 step 10 loss 2.31
RuntimeError: CUDA out of memory. Tried to allocate 96.00 MiB (GPU 0; 8.00 GiB total capacity; 2.00 GiB already allocated; 64.00 MiB free; 2.50 GiB reserved in total by PyTorch)
"""
NEW_OOM = """\
epoch 0 step 10 loss 2.31
[rank0]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 24.00 GiB of which 1.00 GiB is free. Process 881 has 6.00 GiB memory in use. Including non-PyTorch memory, this process has 17.00 GiB memory in use. Of the allocated memory 10.00 GiB is allocated by PyTorch, and 6.00 GiB is reserved by PyTorch but unallocated.
"""
WRAPPED_OOM = """\
epoch 0 step 10 loss 2.31
Traceback (most recent call last):
  File "train.py", line 31, in <module>
    loss.backward()
torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 15.00 GiB.
GPU 0 has a total capacity of 14.56 GiB of which 6.91 GiB is free.
Including non-PyTorch memory, this process has 7.65 GiB memory in use.
Of the allocated memory 7.23 GiB is allocated by PyTorch, and 301.94 MiB is reserved by PyTorch but unallocated.
"""
TIMEOUT = """\
[rank1]:[E912 11:08:31.230 ProcessGroupNCCL.cpp:616] [Rank 1] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=1204, OpType=ALLREDUCE, NumelIn=4194304, NumelOut=4194304, Timeout(ms)=600000) ran for 600043 milliseconds before timing out.
[rank1]:[E912 11:08:31.724 ProcessGroupNCCL.cpp:1664] [PG 0 Rank 1] Exception (either an error or timeout) detected by watchdog at work: 1204, last enqueued NCCL work: 1206, last completed NCCL work: 1203.
"""
KILLED = """\
{'loss': 1.204, 'learning_rate': 2e-05, 'epoch': 0.4}
E0325 20:57:22.687 2606 torch/distributed/elastic/multiprocessing/api.py:869] failed (exitcode: -9) local_rank: 3 (pid: 2630) of binary: /opt/conda/bin/python
torch.distributed.elastic.multiprocessing.errors.ChildFailedError:
============================================================
train.py FAILED
------------------------------------------------------------
Root Cause (first observed failure):
[0]:
  time      : 2025-03-25_20:57:22
  host      : gpu07
  rank      : 3 (local_rank: 3)
  exitcode  : -9 (pid: 2630)
  error_file: <N/A>
  traceback : Signal 9 (SIGKILL) received by PID 2630
============================================================
"""
WRAPPER = """\
=> loading checkpoint 'last.pth.tar'
RuntimeError: Error(s) in loading state_dict for DenseNet:
	Missing key(s) in state_dict: "features.conv0.weight", "features.norm0.weight".
	Unexpected key(s) in state_dict: "module.features.conv0.weight", "module.features.norm0.weight".
"""
HEAD = """\
RuntimeError: Error(s) in loading state_dict for ResNet:
	size mismatch for fc.weight: copying a param with shape torch.Size([1000, 512]) from checkpoint, the shape in current model is torch.Size([10, 512]).
"""


@pytest.mark.parametrize(
    ("log", "expected"),
    [
        (
            OLD_OOM,
            {"gpu.oom.happened": True, "gpu.oom.unallocated_gib": 0.5, "gpu.oom.held_elsewhere_gib": 5.4375},
        ),
        (NEW_OOM, {"gpu.oom.held_elsewhere_gib": 6.0, "gpu.oom.other_gib": 6.0, "gpu.other_processes": True}),
        (NEW_OOM, {"gpu.oom.fragmentation": 0.375, "gpu.oom.fragmented": True}),
        (WRAPPED_OOM, {"gpu.oom.tried_gib": 15.0, "gpu.oom.total_gib": 14.56, "gpu.oom.process_gib": 7.65}),
        (TIMEOUT, {"dist.timed_out": True, "dist.collective": "ALLREDUCE", "dist.timeout_s": 600.0}),
        (TIMEOUT, {"dist.sequence": 1204, "dist.last_completed": 1203, "dist.peer_lost": False}),
        (KILLED, {"process.killed": True, "process.exit_code": -9, "dist.rank": 3}),
        (
            WRAPPER,
            {
                "checkpoint.does_not_fit": True,
                "checkpoint.wrapper_prefix": True,
                "checkpoint.unreadable": False,
            },
        ),
        (
            HEAD,
            {"checkpoint.mismatched_key": "fc.weight", "checkpoint.shape_in_file": "torch.Size([1000, 512])"},
        ),
    ],
)
def test_an_error_gives_its_numbers_and_names(
    log: str, expected: dict[str, Value], knowledge: Knowledge
) -> None:
    facts = read(log, knowledge)
    found = {name: facts.value(name) for name in expected}
    assert found == {
        name: pytest.approx(value) if isinstance(value, float) else value for name, value in expected.items()
    }


@pytest.mark.parametrize(
    ("line", "fact"),
    [
        ("jaxlib.xla_extension.XlaRuntimeError: RESOURCE_EXHAUSTED: Out of memory while trying to allocate 7406166528 bytes.", "gpu.oom.happened"),
        ("ResourceExhaustedError: OOM when allocating tensor with shape[8,64,512,512] and type float on /job:localhost/replica:0/task:0/device:GPU:0 by allocator GPU_0_bfc", "gpu.oom.happened"),
        ("slurmstepd: error: Detected 1 oom_kill event in StepId=11.0. Some of the step tasks have been OOM Killed.", "process.out_of_memory"),
        ("RuntimeError: DataLoader worker (pid 812) is killed by signal: Killed.", "process.out_of_memory"),
        ("[712.1] NVRM: Xid (PCI:0000:91:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.", "gpu.faulty"),
        ("RuntimeError: CUDA error: uncorrectable ECC error encountered", "gpu.faulty"),
        ("_pickle.UnpicklingError: invalid load key, 'v'.", "checkpoint.unreadable"),
        ("safetensors_rust.SafetensorError: Error while deserializing header: HeaderTooLarge", "checkpoint.unreadable"),
        ("RuntimeError: [../third_party/gloo/gloo/transport/tcp/pair.cc:598] Connection closed by peer [127.0.0.1]:24511", "dist.peer_lost"),
    ],
)  # fmt: skip
def test_errors_of_one_kind_establish_one_fact(line: str, fact: str, knowledge: Knowledge) -> None:
    assert read(f"epoch 1 loss 0.93\n{line}\n", knowledge).value(fact) is True


def test_a_full_disk_is_told_from_full_shared_memory(knowledge: Knowledge) -> None:
    disk = read(
        "epoch 1 loss 0.93\nOSError: [Errno 28] No space left on device: '/data/out/last.pt'\n", knowledge
    )
    shared = read(
        "epoch 1 loss 0.93\nRuntimeError: unable to write to file </torch_18_19>: No space left on device (28)\n",
        knowledge,
    )
    assert (disk.value("log.disk_full"), disk.value("log.shared_memory_full")) == (True, False)
    assert (shared.value("log.disk_full"), shared.value("log.shared_memory_full")) == (False, True)


def test_a_plan_that_found_no_room_is_no_failure(knowledge: Knowledge) -> None:
    line = (
        "UserWarning: Plan failed with an OutOfMemoryError: CUDA out of memory. Tried to allocate 2.02 GiB."
    )
    facts = read(f"epoch 1 loss 0.93\n{line}\nepoch 2 loss 0.91\n", knowledge)
    assert facts.value("gpu.oom.happened") is False
    assert facts.value("log.cudnn_plan_failed") is True


HEALTHY = """\
Setting OMP_NUM_THREADS environment variable for each process to be 1 in default, to avoid your system being overloaded.
GPU available: True (cuda), used: True
INFO:torch.distributed.nn.jit.instantiator:Created a temporary directory at /tmp/tmpq1
node1:4128:4128 [0] NCCL INFO Bootstrap : Using eth0:10.0.0.4<0>
node1:4128:4128 [0] NCCL INFO cudaDriverVersion 12040
node1:4128:4200 [0] NCCL INFO NET/IB : Using [0]mlx5_0:1/IB [RO]; OOB eth0:10.0.0.4<0>
node1:4128:4200 [0] NCCL INFO Channel 00/16 : 0[0] -> 1[1] via P2P/CUMEM
[2024-05-03 10:11:12,871] [INFO] [real_accelerator.py:161:get_accelerator] Setting ds_accelerator to cuda (auto detect)
Using /root/.cache/torch_extensions/py310_cu118 as PyTorch extensions root...
Loading extension module fused_adam...
Time to load fused_adam op: 2.41 seconds
FutureWarning: You are using `torch.load` with `weights_only=False` (the current default value), which uses the default pickle module implicitly.
Loading checkpoint shards: 100%|##########| 2/2 [00:04<00:00,  2.11s/it]
=> loaded checkpoint 'last.pth.tar' (epoch 12)
<All keys matched successfully>
***** Running training *****
  Num examples = 52,002
{'loss': 1.0474, 'grad_norm': 0.83, 'learning_rate': 1.4e-06, 'epoch': 0.09}
 14%|#4        | 380/2724 [14:02<26:01,  1.50it/s]
Epoch 3 | train loss 0.3102 | val loss 0.3511 | memory 21.3 GB | killed 0 stale workers
Saving model checkpoint to out/checkpoint-500
Configuration saved in out/checkpoint-500/config.json
tokenizer config file saved in out/checkpoint-500/tokenizer_config.json
Training completed. Do not forget to share your model on huggingface.co/models =)
"""


def test_a_healthy_log_holds_no_failure(knowledge: Knowledge) -> None:
    facts = read(HEALTHY, knowledge)
    failures = [rule.id for rule in knowledge.signatures.values() if rule.role in ("failure", "consequence")]
    assert [name for name in failures if facts.value("log." + name.replace("-", "_")) is True] == []


SPAWNED = """\
Traceback (most recent call last):
  File "train.py", line 55, in <module>
    mp.spawn(main, nprocs=2)
torch.multiprocessing.spawn.ProcessRaisedException:

-- Process 1 terminated with the following error:
Traceback (most recent call last):
  File "train.py", line 45, in main
    {line}
{error}
"""


@pytest.mark.parametrize(
    ("line", "error", "failed"),
    [
        ("dist.barrier()", "RuntimeError: [gloo/transport/tcp/unbound_buffer.cc:78] Timed out waiting 5000ms for recv operation to complete", False),
        ("label = names[kind]", "KeyError: 'wolf'", True),
    ],
)  # fmt: skip
def test_a_spawned_process_that_only_gave_up_waiting_has_no_error_of_its_own(
    line: str, error: str, failed: bool, knowledge: Knowledge
) -> None:
    assert read(SPAWNED.format(line=line, error=error), knowledge).value("dist.own_error") is failed


SAMPLE = """\
Traceback (most recent call last):
  File "{file}", line 20, in {function}
    item = torch.load(path)
RuntimeError: PytorchStreamReader failed reading zip archive: failed finding central directory
"""


@pytest.mark.parametrize(
    ("file", "function", "unreadable"), [("clips.py", "__getitem__", False), ("train.py", "resume", True)]
)
def test_the_file_of_a_sample_is_no_checkpoint(
    file: str, function: str, unreadable: bool, knowledge: Knowledge
) -> None:
    found = read(SAMPLE.format(file=file, function=function), knowledge)
    assert found.value("checkpoint.unreadable") is unreadable
