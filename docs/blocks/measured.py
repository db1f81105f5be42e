"""Blocks of recorded runs on a GPU: tables of a step's rows, their counters, what a run printed."""

import re

import lab

from .cells import NOTHING_YET, by_device, measured_on, milliseconds, options_in, rate, share, speedup, table


def block_measured(file, arguments, context):
    """A step's own rows, at every recorded size, or at="4096,4096 tt": at these. rows="ROW,...": these alone. Elsewhere than on its page, step=NN;
    study=yes: of its study."""
    options = options_in(arguments)
    names = options.get("rows", "").split(",")
    step = context.step(options["step"]) if "step" in options else context.step_of(file)
    sizes = options.get("at", "").split(",")
    parts = []
    recorded = lab.runs(context.results, "study-step") if "study" in options else context.gpu
    for runs in by_device([r for r in recorded if r.target == step.target]):
        rows = []
        # A step that solves another problem than its parent has no speedup over it.
        if sizes != [""]:
            runs = [run for run in runs if run.shape in sizes]
        compared = any(speedup(kernel, "parent") for run in runs for kernel in run.own)
        for run in runs:
            for kernel in run.own:
                if names != [""] and kernel["name"] not in names:
                    continue
                rows.append(
                    [
                        f"`{kernel['name']}`",
                        run.shape,
                        milliseconds(kernel),
                        rate(kernel),
                        share(kernel),
                        speedup(kernel, "parent") if compared else "",
                        str(kernel.get("registers", "")),
                        f"{100 * kernel['occupancy']:.0f} %" if "occupancy" in kernel else "",
                    ]
                )
        over = ""
        if compared:
            over = "relative to the stage before" if len(step.stages) > 1 else f"relative to {step.parent.number}"
        unfused = step.family == "kernel_summation"
        reference = "of `cublas_unfused`" if unfused else "of cuBLAS"
        unit = "GB/s" if any("gb_per_s" in kernel for run in runs for kernel in run.own) else "TFLOP/s"
        head = ["kernel", "size", "ms", unit, reference, over, "registers", "occupancy"]
        for column in [5] * (not over) + [4] * (not any(row[4] for row in rows)):
            head.pop(column)
            for row in rows:
                row.pop(column)
        shown = table(head, rows) + "\n\n" + measured_on(runs)
        # Another GPU than the one of all pages is not what they speak of.
        parts.append(shown if not parts else f"<details><summary>{runs[0].device['name']}</summary>\n\n{shown}\n\n</details>")
    return "\n\n".join(parts) or NOTHING_YET


def block_rows(file, arguments, context):
    """A walkthrough's rows, times with the copies, and gains over the row that each builds on: the one
    above, or what row=OTHER says. at=N,M: of these sizes alone; step=NN: on another page than the step's."""
    step = context.step_of(file, arguments)
    bases = options_in(arguments)
    bases.pop("step", None)
    sizes = bases.pop("at", "").split(",")
    parts = []
    for runs in by_device([r for r in context.gpu if r.target == step.target]):
        rows = []
        for run in sorted(runs, key=lambda r: r.problem["flops"]):
            if sizes != [""] and str(run.problem["n"]) not in sizes:
                continue
            before = None
            for name, kernel in run.kernels.items():
                is_own = kernel in run.own
                copies = kernel.get("gflops_with_copies")
                base = run.kernels.get(bases.get(name), before)
                gain = f"{kernel['gflops'] / base['gflops']:.2f}x" if base and is_own else ""
                before = kernel if is_own else None
                rows.append(
                    [
                        f"`{name}`",
                        run.shape,
                        milliseconds(kernel),
                        f"{kernel['gflops']:,.0f}",
                        gain,
                        f"{copies:,.0f}" if copies else "",
                        share(kernel),
                        f"{kernel['percent_of_peak']:.0f} %",
                        str(kernel.get("registers", "")),
                        f"{100 * kernel['occupancy']:.0f} %" if "occupancy" in kernel else "",
                    ]
                )
        base = "relative to its base row" if bases else "relative to the row before"
        head = ["row", "size", "ms", "GFLOPS", base, "with copies", "of cuBLAS", "of peak"]
        parts.append(table(head + ["registers", "occupancy"], rows) + "\n\n" + measured_on(runs))
    return "\n\n".join(parts) or NOTHING_YET


# Of one launch: head of the column, counter, unit, and format. Columns without a figure are left out.
OWN_COUNTERS = [
    ("instructions, millions", "smsp__inst_executed.sum", 1e6, "{:,.0f}"),
    ("DFMA, millions of warp instructions", "smsp__sass_thread_inst_executed_op_dfma_pred_on.sum", 32e6, "{:,.0f}"),
    ("global loads, millions", "smsp__inst_executed_op_global_ld.sum", 1e6, "{:,.1f}"),
    ("sectors of global loads, millions", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", 1e6, "{:,.0f}"),
    ("shared loads, millions", "smsp__inst_executed_op_shared_ld.sum", 1e6, "{:,.1f}"),
    (
        "wavefronts of shared loads, millions",
        "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
        1e6,
        "{:,.0f}",
    ),
    ("shared memory busy", "l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_elapsed", 1, "{:.0f} %"),
    ("tensor pipe busy", "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed", 1, "{:.0f} %"),
    ("issue slots used", "smsp__issue_active.avg.pct_of_peak_sustained_active", 1, "{:.0f} %"),
    ("warps active", "sm__warps_active.avg.pct_of_peak_sustained_active", 1, "{:.0f} %"),
    ("stall long scoreboard", "smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio", 1, "{:.1f}"),
    ("stall short scoreboard", "smsp__average_warps_issue_stalled_short_scoreboard_per_issue_active.ratio", 1, "{:.1f}"),
    ("stall MIO throttle", "smsp__average_warps_issue_stalled_mio_throttle_per_issue_active.ratio", 1, "{:.1f}"),
    ("stall barrier", "smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio", 1, "{:.1f}"),
]


def block_own_counters(file, arguments, context):
    """Hardware counters of a walkthrough's own rows, as docs/record.sh --double kept them; step=NN as for block_rows."""
    step = context.step_of(file, arguments)
    parts = []
    for run in (r for r in context.profiles if r.target == step.target):
        own = [kernel for kernel in run.own if "counters" in kernel]
        columns = [c for c in OWN_COUNTERS if any(k["counters"].get(c[1]) for k in own)]
        rows = []
        for kernel in own:
            cells = [
                form.format(kernel["counters"][name] / unit) if name in kernel["counters"] else ""
                for _, name, unit, form in columns
            ]
            rows.append([f"`{kernel['name']}`"] + cells)
        if rows:
            note = (
                f"Nsight Compute on {run.device['name']}, {run.date}. Stalls: the average number of warps that are stalled for this "
                "reason, for each instruction issued. Long scoreboard: a wait for global memory. Short scoreboard: for shared memory. "
                "MIO throttle: the queue of shared memory instructions is full."
            )
            parts.append(table([f"row, at {run.shape}"] + [c[0] for c in columns], rows) + "\n\n" + note)
    return "\n\n".join(parts) or NOTHING_YET


def block_counted(file, _arguments, context):
    """Hardware counters of a walkthrough's rows, and of the last row of the step before."""
    step = context.step_of(file)
    parts = []
    for counted in context.largest_counted():
        names = [name for name in counted.rows if name.startswith(step.target + ".")]
        if step.parent:
            parent = [n for n in counted.rows if n.startswith(step.parent.target + ".")]
            names = parent[-1:] + names
        rows = [[f"`{name}`"] + counted.cells(name) for name in names]
        if rows:
            head = ["kernel"] + [column[0] for column in counted.COLUMNS]
            size = counted.problem["m"]
            note = f"Nsight Compute on {counted.device['name']}, m = n = k = {size}, {counted.date}."
            parts.append(table(head, rows) + "\n\n" + note + "\n\n" + per_access(counted, names))
    return "\n\n".join(parts) or NOTHING_YET


def per_access(counted, names):
    """How the figures of a profile become those of block_counted; columns without a figure are left out."""
    columns = [[head for head, *_ in counted.PER_ACCESS], *(counted.access_cells(name) for name in names)]
    kept = [i for i in range(len(columns[0])) if any(cells[i] for cells in columns[1:])]
    head, *rows = [[cells[i] for i in kept] for cells in columns]
    note = (
        "The figures above are for one multiply-add of a warp. `--profile` shows totals, and the sectors or wavefronts of\n"
        "each access. FFMA counts threads: divided by 32, it is the number of multiply-add instructions of warps. Divide a\n"
        "total by this number. Or multiply the sectors or wavefronts of one access by the number of accesses for a\n"
        "multiply-add, as in this table:"
    )
    return note + "\n\n" + table(["kernel", *head], [[f"`{name}`", *row] for name, row in zip(names, rows)])


def block_output(file, arguments, context):
    """What `./run stepNN` printed in a recorded run: the .txt file beside the JSON; `of` names its end.
    step=NN: on another page."""
    step = context.step_of(file, arguments)
    end = "".join(re.findall(r'of="([^"]*)"', arguments))
    own = [run for run in context.gpu if run.target == step.target and run.path.stem.endswith(end)]
    default = (256,) * 3 if step.family == "syr2k" else (4096,) * (2 if step.family == "trmm" else 3)
    own.sort(key=lambda run: (run.size != default, len(run.shape)))  # what `run` takes by default first
    for run in own:
        text = run.path.with_suffix(".txt")
        if text.exists():
            return "```text\n" + text.read_text().rstrip() + "\n```"
    return NOTHING_YET
