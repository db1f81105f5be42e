"""Blocks of the warm-ups' pages: what the simulator counted of their rows, and the times that follow from it."""

from .cells import NOTHING_YET, speedup, table

# What a page may name: head of the column, and the counter.
COLUMNS = {
    "instructions": ("warp instructions", "lab__ptx_inst_executed.sum"),
    "barriers": ("warps at barriers", "lab__ptx_inst_executed_op_barrier.sum"),
    "divergent": ("divergent branches", "smsp__sass_branch_targets_threads_divergent.sum"),
    "requests": ("load requests", "smsp__inst_executed_op_global_ld.sum"),
    "loaded": ("sectors loaded", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"),
    "stored": ("sectors stored", "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"),
    "waits": ("waits for loads", "lab__ptx_waits_global_ld.sum"),
    "atomics": ("global atomics", "smsp__inst_executed_op_global_red.sum"),
    "shared_atomics": ("shared atomics", "smsp__inst_executed_op_shared_atom.sum"),
    "shared_loads": ("shared load requests", "smsp__inst_executed_op_shared_ld.sum"),
    "read_conflicts": ("bank conflicts, loads", "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum"),
    "write_conflicts": ("bank conflicts, stores", "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum"),
}


def block_simulated(file, arguments, context):
    """Every stage with the counters that are named, as docs/record.sh --simulated-warm-ups kept them; with `speeds` the
    modelled ones, too, where the model is held against measured times."""
    step = context.step_of(file)
    run = context.warm_ups.get(step.target)
    if not run:
        return NOTHING_YET
    words = arguments.split()
    columns = [COLUMNS[name] for name in words if name != "speeds"]
    has_speeds = "speeds" in words
    rows = [
        [f"{kernel['stage']} `{kernel['name']}`"]
        + [f"{kernel['counters'].get(counter, 0):,.0f}" for _, counter in columns]
        + ([kernel["limiter"], speedup(kernel, "first"), speedup(kernel, "parent")] if has_speeds else [])
        for kernel in run.own
    ]
    head = ["stage", *(title for title, _ in columns)]
    if has_speeds:
        head += ["limited by (modelled)", "relative to the first (modelled)", "relative to its parent (modelled)"]
    sizes = ", ".join(f"{name} = {run.problem[name]:,}" for name in "mnk" if name in run.problem)
    return table(head, rows) + f"\n\nSimulated H200, a slice of 3 of its 132 SMs; {sizes}; {run.date}."
