"""The facts that looking at each part of this machine gives: known without looking."""

from __future__ import annotations

from traindx.engine.kb.knowledge import Knowledge

PACKAGES = ("env.python", "env.cudnn", "env.package.*")
TORCH = ("env.cuda", "env.rocm", "env.torch_is_cpu_build")
TOOLKIT = ("env.cuda_toolkit",)
VARIABLES = ("env.variables",)
SURROUNDINGS = ("env.platform", "env.in_container", "env.wsl")
CORES = ("env.cpu_count",)
MEMORY = ("env.ram_gib", "env.ram_free_gib", "env.memory_limit_gib", "env.oom_kills")
LIMITS = ("env.open_files_limit", "env.process_limit", "env.locked_memory_gib")
SHARED = ("env.shm_gib", "env.shm_free_gib")
DISK = ("env.disk_free_gib", "env.inodes_free", "env.tmp_free_gib")
NETWORK = ("env.network_storage",)
DEVICE = (
    "env.gpu_count_here", "env.gpu_name_here", "gpu.present", "gpu.count", "gpu.name", "gpu.capability", "gpu.total_gib", "gpu.free_gib", "gpu.used_gib",
    "gpu.utilization", "gpu.other_processes", "gpu.ecc_errors", "gpu.driver_fault", "env.driver", "env.driver_cuda",
)  # fmt: skip
ENVIRONMENT = (
    *PACKAGES, *TORCH, *TOOLKIT, *VARIABLES, *SURROUNDINGS, *CORES, *MEMORY, *LIMITS, *SHARED, *DISK, *NETWORK,
)  # fmt: skip


def variable_facts(knowledge: Knowledge) -> frozenset[str]:
    """The facts that variables may give."""
    return frozenset((*VARIABLES, *knowledge.machine_facts["variable"]))
