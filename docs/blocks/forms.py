"""Block of step 12: what the simulator counts of each row in each form of the product."""

import json

from .cells import NOTHING_YET, table

LOADS = "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"
LOAD_SECTORS = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"
COPIES = "smsp__inst_executed_op_ldgsts.sum"
STORES = "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum"
STORE_SECTORS = "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"
SHARED_LOADS = "smsp__inst_executed_op_shared_ld.sum"
SHARED_LOAD_WAVEFRONTS = "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"
SHARED_STORES = "smsp__inst_executed_op_shared_st.sum"
SHARED_STORE_WAVEFRONTS = "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum"


def ratio(counters, part, whole):
    """Of two counters, to three digits; empty where there is nothing to count."""
    return f"{counters[part] / counters[whole]:.3g}" if counters.get(whole) else ""


def block_forms(file, _arguments, context):
    """A row for each kernel and form that docs/record.sh --simulated-forms kept."""
    step = context.step_of(file)
    rows, notes = [], []
    for real in ("f32", "f64"):
        for form in ("nn", "nt", "tn", "tt"):
            path = context.results / f"forms-sim-{form}-{real}.json"
            if not path.exists():
                continue
            data = json.loads(path.read_text())
            problem = data["problem"]
            notes = [f"m = n = k = {problem['m']}, counted by the simulator for the {data['device']['name'].removeprefix('Simulated ')}, {data['date']}."]
            for kernel in data["kernels"]:
                if not kernel.get("stage", "").startswith(step.number + "."):
                    continue
                counters = kernel["counters"]
                rows.append(
                    [
                        f"`{kernel['name']}`",
                        f"{form} {real}",
                        # Sectors of asynchronous copies are counted among those of loads, and not one for one.
                        "" if counters.get(COPIES) else ratio(counters, LOAD_SECTORS, LOADS),
                        "" if counters.get(COPIES) else f"{counters[LOAD_SECTORS] * 32 / 1e6:.1f}",
                        ratio(counters, STORE_SECTORS, STORES),
                        ratio(counters, SHARED_LOAD_WAVEFRONTS, SHARED_LOADS),
                        ratio(counters, SHARED_STORE_WAVEFRONTS, SHARED_STORES),
                    ]
                )
    head = [
        "kernel", "form", "sectors per load", "MB of these", "sectors per store", "wavefronts per shared load",
        "per shared store",
    ]
    return table(head, rows) + "\n\n" + notes[0] if rows else NOTHING_YET
