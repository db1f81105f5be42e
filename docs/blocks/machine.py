"""Blocks of what the hardware can do: a GPU's rates, from its profile, and the balance that follows."""

import json

import lab

from .cells import table

PROFILE = lab.ROOT / "harness" / "sim" / "gpu" / "h200.json"


def rates():
    """Of an H200: FLOP in a second by precision, bytes in a second by level."""
    gpu = json.loads(PROFILE.read_text())
    cycles = gpu["sm_count"] * gpu["clock_khz"] * 1e3  # of all SMs in a second
    arithmetic = {"FP32": 2 * gpu["fp32_lanes"] * cycles, "FP64": 2 * gpu["fp64_lanes"] * cycles}
    memory = {
        "DRAM": gpu["dram_gb_per_s"] * 1e9,
        "L2": gpu["l2_gb_per_s"] * 1e9,
        "shared memory": gpu["shared_bytes_per_cycle"] * cycles,
    }
    return arithmetic, memory


def block_balance(_file, _arguments, _context):
    arithmetic, memory = rates()
    rows = [
        [level, f"{rate / 1e12:.2f}", *(f"{peak / rate:.1f}" for peak in arithmetic.values())]
        for level, rate in memory.items()
    ]
    head = ["level", "TB/s", *(f"FLOP per byte, {name} at {peak / 1e12:.1f} TFLOP/s" for name, peak in arithmetic.items())]
    return table(head, rows)
