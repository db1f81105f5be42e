#!/usr/bin/env python3
"""Rewrites what README.md and the walkthroughs generate, between `<!-- begin KIND ... -->` and
`<!-- end KIND -->`: figures from docs/results/*.json, excerpts of the kernels, tables of steps and
the links between pages. No figure and no code is typed by hand.

    generate.py [--check] [--results FOLDER]     --check: change nothing, fail if anything would
"""

import argparse
import json
import pathlib
import re
import shlex
import sys

import lab

NOTHING_YET = "*No recorded run yet: figures appear here once `docs/results/` holds one.*"
BLOCK = re.compile(r"<!-- begin (\w+)(.*?) -->\n.*?<!-- end \1 -->", re.S)


class Stale(Exception):
    """A block asks for something that is no longer there."""


# --- small pieces ---------------------------------------------------------------------------------


def table(head, rows):
    """A Markdown table; every column but the first aligned right."""
    rule = ["---"] + ["---:"] * (len(head) - 1)
    return "\n".join("| " + " | ".join(row) + " |" for row in [head, rule] + rows)


def tflops(kernel):
    value = kernel["gflops"] / 1000
    return f"{value:.2f}" if value < 10 else f"{value:.1f}"


def share(kernel):
    return f"{kernel['percent_of_reference']:.0f} %" if "percent_of_reference" in kernel else ""


def three_digits(value):
    return f"{value:.0f}" if value >= 100 else f"{value:#.3g}"


def milliseconds(kernel):
    return three_digits(kernel["time_ms"]["median"])


def times(kernel, name):
    return f"{kernel[name]:.2f}x" if name in kernel else ""


def measured_on(runs):
    """One line that says where, with what and when."""
    device = runs[0].device
    dates = sorted({run.date for run in runs})
    date = dates[0] if len(dates) == 1 else f"{dates[0]} to {dates[-1]}"
    return (
        f"{device['name']}, driver for CUDA {device['driver']}, toolkit {device['toolkit']}, "
        f"{date}; medians, L2 cache flushed between launches."
    )


def by_device(runs):
    devices = {}
    for run in runs:
        devices.setdefault(run.device["name"], []).append(run)
    # The GPU with most runs first: the one that the series was measured on as a whole.
    return sorted(devices.values(), key=lambda group: (-len(group), group[0].device["name"]))


# --- kinds of blocks: each takes (file, arguments, context) and returns Markdown ------------------


def block_series(_file, _arguments, context):
    """README: TFLOP/s of every step at every recorded cube, the reference last."""
    if not context.cubes:
        return NOTHING_YET
    sizes = sorted({run.size for run in context.cubes})
    found = {(run.target, run.size): run for run in context.cubes}
    rows = []
    for step in context.products:
        cells = []
        for size in sizes:
            run = found.get((step.target, size))
            cells.append(f"{tflops(run.last)} ({share(run.last)})" if run else "")
        rows.append([f"[{step.number} {step.name}](steps/{step.directory}/README.md)"] + cells)
    reference = []
    for size in sizes:
        last = [run for run in context.cubes if run.size == size][-1]
        reference.append(tflops(last.kernels["cublas"]))
    rows.append(["cuBLAS"] + reference)
    head = ["TFLOP/s (share of cuBLAS)"] + [f"m = n = k = {size[0]}" for size in sizes]
    return table(head, rows) + "\n\n" + measured_on(context.cubes)


def block_steps(_file, _arguments, context):
    """README: the series, with the speed of each step at the largest cube recorded for all."""
    runs = context.cubes
    sizes = [{r.size for r in runs if r.target == step.target} for step in context.products]
    common = sorted(set.intersection(*sizes)) if sizes else []
    best = {r.target: r.last for r in runs if common and r.size == common[-1]}
    rows = []
    for step in context.steps:
        row = [f"[{step.number} {step.name}](steps/{step.directory}/README.md)", step.title]
        if best:
            run = best.get(step.target)  # other problems have other sizes
            row += [tflops(run), share(run)] if run else ["", ""]
        rows.append(row)
    head = ["step", "idea"]
    if best:
        head += [f"TFLOP/s at {common[-1][0]}", "of cuBLAS"]
    text = table(head, rows).replace("| --- | ---:", "| --- | ---", 1)
    return text


def block_list(_file, _arguments, context):
    """The walkthrough's list of steps, each a page below it."""
    return "\n".join(
        f"- [{step.number} {step.name}](../../steps/{step.directory}/README.md)<!-- child -->:\n  "
        f"{step.title}"
        for step in context.steps
    )


def block_head(file, _arguments, context):
    """A walkthrough's first line under its title."""
    step = context.step_of(file)
    title = step.title[0].upper() + step.title[1:]
    if not step.parent:
        return f"*{title}.* The first step."
    parent = context.step(step.parent)
    link = f"[{parent.number} {parent.name}](../{parent.directory}/README.md)"
    return f"*{title}.* Builds on {link}."


def block_links(file, _arguments, context):
    """Previous, index, next."""
    step = context.step_of(file)
    place = context.steps.index(step)
    parts = []
    if place > 0:
        other = context.steps[place - 1]
        parts.append(f"[← {other.number} {other.name}](../{other.directory}/README.md)")
    parts.append("[all steps](../../README.md#the-steps)")
    if place + 1 < len(context.steps):
        other = context.steps[place + 1]
        parts.append(f"[{other.number} {other.name} →](../{other.directory}/README.md)")
    return " |\n".join(parts)


def block_changes(file, _arguments, context):
    """How much changed; the change itself is on the site and in `make diffNN`."""
    step = context.step_of(file)
    if not step.parent:
        return "The first step changes nothing; it is whole in [kernel.cu](kernel.cu)."
    added, removed = context.diff_size(step)
    return (
        f"`make diff{step.number}` prints what this step changes in step {step.parent}: "
        f"{added} lines added and {removed} removed.\n"
        "The whole kernel file is [kernel.cu](kernel.cu)."
    )


def block_code(file, arguments, _context):
    """Lines of the step's kernel.cu: from="text" to="text" [in="text"], the first that fit.

    The excerpt begins at the first line that contains `from`, after the first that contains `in`,
    and ends with the next that contains `to` and the braces that close what it opened.
    """
    options = dict(word.split("=", 1) for word in shlex.split(arguments))
    lines = (file.parent / "kernel.cu").read_text().splitlines()

    def find(text, start):
        for number in range(start, len(lines)):
            if text in lines[number]:
                return number
        raise Stale(f"kernel.cu has no line with {text!r} there any more")

    first = find(options["in"], 0) if "in" in options else 0
    first = find(options["from"], first)
    last = find(options["to"], first)
    # Braces that only close what the excerpt opened belong to it.
    while last + 1 < len(lines) and lines[last + 1].strip() == "}":
        text = "".join(lines[first : last + 1])
        if text.count("{") <= text.count("}"):
            break
        last += 1
    excerpt = lines[first : last + 1]
    margin = min(len(line) - len(line.lstrip()) for line in excerpt if line and line[0] != "#")
    cut = [line if line.startswith("#") else line[margin:] for line in excerpt]
    return "```cuda\n" + "\n".join(cut) + "\n```"


def block_measured(file, _arguments, context):
    """A walkthrough's own rows, at every recorded size."""
    step = context.step_of(file)
    parts = []
    for runs in by_device([r for r in context.gpu if r.target == step.target]):
        rows = []
        # A step that solves another problem than its parent has no speedup over it.
        compared = any("speedup_over_parent" in kernel for run in runs for kernel in run.own)
        for run in runs:
            for kernel in run.own:
                rows.append(
                    [
                        f"`{kernel['name']}`",
                        run.shape,
                        milliseconds(kernel),
                        tflops(kernel),
                        share(kernel),
                        times(kernel, "speedup_over_parent") if compared else "",
                        str(kernel.get("registers", "")),
                        f"{100 * kernel['occupancy']:.0f} %" if "occupancy" in kernel else "",
                    ]
                )
        over = f"over {step.parent}" if compared else ""
        unfused = step.family == "kernel summation"
        reference = "of `cublas_unfused`" if unfused else "of cuBLAS"
        head = ["kernel", "size", "ms", "TFLOP/s", reference, over, "registers", "occupancy"]
        if not over:
            head.pop(5)
            for row in rows:
                row.pop(5)
        parts.append(table(head, rows) + "\n\n" + measured_on(runs))
    return "\n\n".join(parts) or NOTHING_YET


def block_report(file, arguments, context):
    """A course report's figures (row=GFLOPS) beside those of the largest recorded run."""
    step = context.step_of(file)
    figures = [word.split("=", 1) for word in shlex.split(arguments)]
    runs = [run for run in context.gpu if run.target == step.target]
    # The largest that has all of them: of the largest size only the last row may be recorded.
    runs = [run for run in runs if all(name in run.kernels for name, _ in figures)]
    run = max(runs, key=lambda r: r.problem["flops"], default=None)
    rows, before, before_here = [], None, None
    for name, value in figures:
        cells = [f"`{name}`", value, f"{float(value) / before:.2f}x" if before else ""]
        before = float(value)
        if run:
            kernel = run.kernels[name]
            copies = kernel.get("gflops_with_copies")
            gain = f"{kernel['gflops'] / before_here:.2f}x" if before_here else ""
            before_here = kernel["gflops"]
            cells += [f"{kernel['gflops']:,.0f}", f"{copies:,.0f}" if copies else "", gain]
        rows.append(cells)
    head = ["row", "Tesla M2070, with copies, GFLOPS", "gain"]
    if not run:
        return table(head, rows)
    sizes = ", ".join(f"{name} = {run.problem[name]}" for name in "nmpq" if name in run.problem)
    head += [f"{run.device['name']}, GFLOPS", "with copies", "gain"]
    return table(head, rows) + f"\n\n{sizes}. " + measured_on([run])


def block_rows(file, arguments, context):
    """A walkthrough's rows, times with the copies, and gains over the row that each builds on: the one
    above, or what row=OTHER says."""
    step = context.step_of(file)
    bases = dict(word.split("=", 1) for word in shlex.split(arguments))
    parts = []
    for runs in by_device([r for r in context.gpu if r.target == step.target]):
        rows = []
        for run in sorted(runs, key=lambda r: r.problem["flops"]):
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
        head = ["row", "size", "ms", "GFLOPS", "gain", "with copies", "of cuBLAS", "of peak"]
        parts.append(table(head + ["registers", "occupancy"], rows) + "\n\n" + measured_on(runs))
    return "\n\n".join(parts) or NOTHING_YET


# Of one launch in double precision: head of the column, counter, unit, and format.
DOUBLE_COUNTERS = [
    ("instructions, millions", "smsp__inst_executed.sum", 1e6, "{:,.0f}"),
    ("DFMA, millions of warps", "smsp__sass_thread_inst_executed_op_dfma_pred_on.sum", 32e6, "{:,.0f}"),
    ("global loads, millions", "smsp__inst_executed_op_global_ld.sum", 1e6, "{:,.1f}"),
    ("sectors, millions", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", 1e6, "{:,.0f}"),
    ("shared loads, millions", "smsp__inst_executed_op_shared_ld.sum", 1e6, "{:,.1f}"),
    (
        "their wavefronts, millions",
        "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
        1e6,
        "{:,.0f}",
    ),
    ("shared memory busy", "l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_elapsed", 1, "{:.0f} %"),
    ("issue slots used", "smsp__issue_active.avg.pct_of_peak_sustained_active", 1, "{:.0f} %"),
    ("warps active", "sm__warps_active.avg.pct_of_peak_sustained_active", 1, "{:.0f} %"),
    ("waits for global", "smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio", 1, "{:.1f}"),
    ("for shared", "smsp__average_warps_issue_stalled_short_scoreboard_per_issue_active.ratio", 1, "{:.1f}"),
    ("for room in the queue", "smsp__average_warps_issue_stalled_mio_throttle_per_issue_active.ratio", 1, "{:.1f}"),
    ("at barriers", "smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio", 1, "{:.1f}"),
]


def block_double_counters(file, _arguments, context):
    """Hardware counters of a walkthrough's own rows, as docs/record.sh --double kept them."""
    step = context.step_of(file)
    parts = []
    for run in (r for r in context.profiles if r.target == step.target):
        own = [kernel for kernel in run.own if "counters" in kernel]
        columns = [c for c in DOUBLE_COUNTERS if any(c[1] in k["counters"] for k in own)]
        rows = []
        for kernel in own:
            cells = [
                form.format(kernel["counters"][name] / unit) if name in kernel["counters"] else ""
                for _, name, unit, form in columns
            ]
            rows.append([f"`{kernel['name']}`"] + cells)
        if rows:
            note = f"Nsight Compute on {run.device['name']}, {run.date}. Waits: warps, for each one that issues."
            parts.append(table([run.shape] + [c[0] for c in columns], rows) + "\n\n" + note)
    return "\n\n".join(parts) or NOTHING_YET


def block_counted(file, _arguments, context):
    """Hardware counters of a walkthrough's rows, and of the last row of the step before."""
    step = context.step_of(file)
    parts = []
    for counted in context.largest_counted():
        names = [name for name in counted.rows if name.startswith(step.target + ".")]
        if step.parent:
            parent = [n for n in counted.rows if n.startswith(context.step(step.parent).target + ".")]
            names = parent[-1:] + names
        rows = [[f"`{name}`"] + counted.cells(name) for name in names]
        if rows:
            head = ["kernel"] + [column[0] for column in counted.COLUMNS]
            size = counted.problem["m"]
            note = f"Nsight Compute on {counted.device['name']}, m = n = k = {size}, {counted.date}."
            parts.append(table(head, rows) + "\n\n" + note)
    return "\n\n".join(parts) or NOTHING_YET


def agreement_cell(name, simulated, measured):
    """A GPU's count, and how far off the simulator's is; empty where there is nothing to count."""
    difference = lab.difference(simulated, measured)
    if difference is None:
        return "not counted"
    if abs(difference) > lab.AGREED_WITHIN:
        raise Stale(f"{name}: simulated {simulated}, measured {measured}: more than 2 % apart")
    if measured == 0:
        return ""
    return f"{measured:,.0f}" + (f" ({100 * difference:+.1f} %)" if difference else "")


def block_agreement(_file, _arguments, context):
    """The simulator's counters beside a GPU's at every size recorded of both: two tables each."""
    parts = []
    for simulated in context.simulated:
        for measured in (c for c in context.counted if c.problem["m"] == simulated.problem["m"]):
            names = [name for name in measured.rows if name in simulated.rows]
            if len(names) != len(simulated.rows):
                raise Stale(f"not the same kernels in {sorted(simulated.rows)}")
            # Global memory with the arithmetic, then shared memory.
            for columns in (lab.AGREED[:5], lab.AGREED[5:]):
                rows = []
                for name in names:
                    pairs = [(simulated.rows[name].get(c), measured.rows[name].get(c)) for _, c in columns]
                    cells = [agreement_cell(name, *pair) for pair in pairs]
                    if any(cells):
                        rows.append([f"`{name}`"] + cells)
                size = measured.problem["m"]
                head = [f"m = n = k = {size}"] + [title for title, _ in columns]
                parts.append(table(head, rows))
            parts.append(
                f"{measured.device['name']}, toolkit {measured.device['toolkit']}, {measured.date}; "
                f"simulator, {simulated.date}."
            )
    return "\n\n".join(parts) or NOTHING_YET


def block_caches(_file, _arguments, context):
    """What the model of the caches says beside what a GPU counted, a table for each size."""
    hits, reads, writes, dram = (
        "l1tex__t_sector_hit_rate.pct",
        "lts__t_sectors_op_read.sum",
        "lts__t_sectors_op_write.sum",
        "dram__bytes_read.sum",
    )
    parts = []
    for simulated in context.simulated:
        for measured in (c for c in context.counted if c.problem["m"] == simulated.problem["m"]):
            rows = []
            for name in (n for n in measured.rows if n in simulated.rows):
                model, real = simulated.rows[name], measured.rows[name]
                if reads not in model:
                    raise Stale(f"{name}: no traffic of L2; record with docs/record.sh --simulated")
                cells = [f"{model[hits]:.0f} %", f"{real[hits]:.0f} %"]
                for counter, unit, digits in ((reads, 1e3, 0), (writes, 1e3, 0), (dram, 1e6, 2)):
                    cells += [f"{c[counter] / unit:,.{digits}f}" for c in (model, real)]
                rows.append([f"`{name}`"] + cells + [f"{model[reads] / real[reads]:.2f}"])
            head = [
                f"m = n = k = {measured.problem['m']}", "L1 hits, model", "GPU", "L2 reads, thousands, model",
                "GPU", "L2 writes, thousands, model", "GPU", "DRAM read, MB, model", "GPU",
                "L2 reads, model / GPU",
            ]
            parts.append(table(head, rows))
            parts.append(f"{measured.device['name']}, {measured.date}; simulator, {simulated.date}.")
    return "\n\n".join(parts) or NOTHING_YET


def block_conflicts(_file, _arguments, context):
    """Conflict counters of both where they can be compared."""
    loads, stores = (
        f"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_{kind}.sum" for kind in ("ld", "st")
    )
    rows = []
    for simulated in context.simulated[-1:]:
        for measured in (c for c in context.counted if c.problem["m"] == simulated.problem["m"]):
            for name in (n for n in measured.rows if n in simulated.rows):
                figures = [c[counter] for counter in (loads, stores) for c in (simulated.rows[name], measured.rows[name])]
                if any(figures):
                    rows.append([f"`{name}`"] + [f"{figure:,.0f}" for figure in figures])
            size = measured.problem["m"]
            head = [f"m = n = k = {size}", "loads, simulator", "loads, GPU", "stores, simulator", "stores, GPU"]
            return table(head, rows)
    return NOTHING_YET


def form_of(problem):
    """The form of min(c, a + b) that step 11 takes for a problem's type and weights."""
    name = problem["type"].upper()
    if problem.get("least_weight", 0) < 0:
        return name + "_SIGNED"
    return "U16_PAIR" if name == "U16" and problem.get("largest_weight", 0) < 2**14 else name


def block_apsp_forms(file, _arguments, context):
    """What the compiler made of each form, and the speed of a product with it."""
    step = context.step_of(file)
    if not context.instructions:
        return NOTHING_YET
    products = [r for r in context.gpu if r.target == step.target and "products" in r.problem]
    speeds = {form_of(r.problem): tflops(r.kernels["min_plus"]) for r in products}
    rows = [
        [
            f"`{form['form']}`",
            ", ".join(f"{count} {name}" for name, count in form["counts"].items()) + f" of {form['of']}",
            "<br>".join(f"`{line}`" for line in form["lines"]),
            speeds.get(form["form"], ""),
        ]
        for form in context.instructions["forms"]
    ]
    head = ["form", "instructions of the kernel", "neighbours", "Tops/s"]
    made = f"nvcc {context.instructions['compiler']} for {context.instructions['arch']}"
    notes = [f"{made}; a product of n = {r.problem['n']}, {r.device['name']}, {r.date}." for r in products[-1:]]
    return table(head, rows) + "\n\n" + (notes[0] if notes else made + ".")


APSP_ROWS = ["floyd_warshall", "floyd_warshall_blocked", "min_plus"]


def apsp_cells(run):
    """Time and speed of each row, empty where it was not timed."""
    for name in APSP_ROWS:
        kernel = run.kernels.get(name)
        yield milliseconds(kernel) if kernel else ""
        if name != APSP_ROWS[0]:
            yield tflops(kernel) if kernel else ""


def block_apsp(file, _arguments, context):
    """Recorded runs of shortest paths, by size and type; an addition and a comparison count as two."""
    step = context.step_of(file)
    usual = {"F32", "S32", "U16_PAIR"}
    parts = []
    for runs in by_device([r for r in context.gpu if r.target == step.target and form_of(r.problem) in usual]):
        runs.sort(key=lambda r: (r.problem["n"], r.problem.get("products", 0), r.problem["type"]))
        rows = [
            [
                str(run.problem["n"]) + (", one product" if "products" in run.problem else ""),
                run.problem["type"],
                *apsp_cells(run),
            ]
            for run in runs
        ]
        head = ["n", "type"]
        for name in APSP_ROWS:
            head += [f"`{name}`, ms"] + (["Tops/s"] if name != APSP_ROWS[0] else [])
        parts.append(table(head, rows) + "\n\n" + measured_on(runs))
    return "\n\n".join(parts) or NOTHING_YET


RATIOS = {0.1: "1/10", 1.0: "1", 10.0: "10"}
OURS = ["floyd_warshall_blocked", "min_plus"]
THEIRS = ["paper_floyd_warshall_ms", "paper_min_plus_ms"]


def study_points(study):
    """By n: for each ratio, in their order, what was timed by name, and what the solution says."""
    points = {}
    for run in study.runs:
        found = {kernel["name"]: kernel["time_ms"]["median"] for kernel in run["kernels"]}
        points.setdefault(run["problem"]["n"], []).append({**found, **run["solution"]})
    return points


def digits(value):
    return f"{value:,.0f}" if value >= 1000 else f"{value:.4g}"


def study_rows(points, groups):
    """A line for each n; of two names in a group the lesser is bold."""
    for n, cases in sorted(points.items()):
        row = [str(n)]
        for names in groups:
            for name in names:
                for case in cases:
                    text = digits(case[name]) if name in case else ""
                    wins = len(names) == 2 and text and case[name] == min(case.get(other, case[name]) for other in names)
                    row.append(f"**{text}**" if wins else text)
        yield row


def where_min_plus_wins(points):
    """A sentence: at which sizes, for each ratio."""
    parts = []
    for i, ratio in enumerate(RATIOS.values()):
        sizes = [str(n) for n, cases in sorted(points.items()) if cases[i][OURS[1]] < cases[i][OURS[0]]]
        if sizes:
            parts.append(f"{ratio}: n = {', '.join(sizes)}")
    return f"Where `min_plus` is the faster one, by arcs for each vertex: {'; '.join(parts)}." if parts else "`min_plus` is nowhere the faster one."


def studies_of(file, context):
    """The study as measured, else as modelled, and which of the two."""
    target = context.step_of(file).target
    measured = [s for s in context.studies if s.target == target]
    modelled = [s for s in context.simulated_studies if s.target == target]
    how = "measured" if measured else "modelled on the simulator, where large graphs would take hours"
    return measured or modelled, how


def block_apsp_table(file, _arguments, context):
    """The paper's table 1: the faster of the two is bold, as there."""
    parts = []
    studies, how = studies_of(file, context)
    for study in studies:
        points = study_points(study)
        titles = ("blocked", "min-plus", "paper FW", "paper MM")
        head = ["n"] + [f"{title}, {ratio}" for title in titles for ratio in RATIOS.values()]
        where = f"{study.device['name']}, {study.date}; the paper's on a GTX 285."
        rows = list(study_rows(points, [OURS, THEIRS]))
        parts.append(f"{table(head, rows)}\n\nMilliseconds, {how}; {where}\n\n{where_min_plus_wins(points)}")
    return "\n\n".join(parts) or NOTHING_YET


def block_apsp_host(file, _arguments, context):
    """The same graphs on the host, and a launch for each k."""
    parts = []
    studies, how = studies_of(file, context)
    for study in studies:
        points = study_points(study)
        cores = {case.get("host_cores") for cases in points.values() for case in cases} - {None}
        titles = ("`floyd_warshall`", "host, Dijkstra", "host, FW")
        head = ["n"] + [f"{title}, {ratio}" for title in titles for ratio in RATIOS.values()]
        rows = list(study_rows(points, [["floyd_warshall"], ["host_dijkstra_ms"], ["host_floyd_warshall_ms"]]))
        notes = f"{how}; {study.device['name']}, {study.date}" + (f"; {cores.pop():g} cores" if cores else "")
        parts.append(f"{table(head, rows)}\n\nMilliseconds, {notes}.")
    return "\n\n".join(parts) or NOTHING_YET


def block_output(file, arguments, context):
    """What `./run stepNN` printed in a recorded run: the .txt file beside the JSON; `of` names its end."""
    step = context.step_of(file)
    end = "".join(re.findall(r'of="([^"]*)"', arguments))
    own = [run for run in context.gpu if run.target == step.target and run.path.stem.endswith(end)]
    default = (256,) * 3 if step.family == "syr2k" else (4096,) * (2 if step.family == "trmm" else 3)
    own.sort(key=lambda run: run.size != default)  # what `run` takes by default first
    for run in own:
        text = run.path.with_suffix(".txt")
        if text.exists():
            return "```text\n" + text.read_text().rstrip() + "\n```"
    return NOTHING_YET


def block_modelled(_file, _arguments, context):
    """The timing model's page: modelled and measured times, as docs/compare_model.py kept them."""
    if not context.modelled:
        return NOTHING_YET
    sizes = context.modelled["sizes"]
    rows = []
    for number, first in enumerate(sizes[0]["rows"]):
        cells = [f"`{first['name']}`"]
        for size in sizes:
            row = size["rows"][number]
            cells += [three_digits(row["measured_ms"]), three_digits(row["modelled_ms"])]
            cells += [f"{round(100 * row['error']):+d} %"]
        rows.append(cells + [sizes[-1]["rows"][number]["limiter"]])
    mean = ["mean error"]
    for size in sizes:
        mean += ["", "", f"{100 * size['mean_error']:.0f} %"]
    head = ["kernel"]
    for size in sizes:
        head += [f"ms at {size['size']}", "modelled", "error"]
    orders = {
        True: "the steps come in the measured order",
        False: "the steps come in another order than measured",
    }
    notes = "; ".join(f"at {size['size']} {orders[size['same_order']]}" for size in sizes)
    return table(head + [f"limiter at {sizes[-1]['size']}"], rows + [mean + [""]]) + f"\n\nOf the fastest kernel of each step: {notes}."


# --- a parameter study -----------------------------------------------------------------------------

FUSED = ["fused", "fused_fast"]
UNFUSED = ["cublas_unfused", "cublas_gemv", "cuda_unfused"]


def percent(value):
    return f"{value:.1f} %" if value is not None else ""


def of(kernels, name, *keys):
    """A figure of a row, or None where it was not taken."""
    value = kernels.get(name)
    for key in keys:
        value = value.get(key) if value else None
    return value


def study_speedup(kernels, paper):
    cells = []
    for name in FUSED:
        own = of(kernels, name, "time_ms", "median")
        for over in UNFUSED:
            base = of(kernels, over, "time_ms", "median")
            cells.append(f"{base / own:.2f}x" if own and base else "")
    if not paper:
        return cells + [""]
    ratio = paper["fused_percent_of_peak"] / paper["cublas_unfused_percent_of_peak"]
    return cells + [f"{ratio:.2f}x"]


def study_efficiency(kernels, paper):
    cells = [percent(of(kernels, name, "percent_of_peak")) for name in UNFUSED + FUSED]
    return cells + [
        percent(paper.get(key)) for key in ("cublas_unfused_percent_of_peak", "fused_percent_of_peak")
    ]


def study_error(kernels, _paper):
    found = [of(kernels, name, "check", "max_error") for name in UNFUSED + FUSED]
    return [f"{value:.1e}" if value is not None else "" for value in found]


def study_time(kernels, _paper):
    found = [of(kernels, name, "time_ms", "median") for name in UNFUSED + FUSED]
    return [three_digits(value) if value else "" for value in found]


def saved(kernels, name, kind, over="cublas_unfused"):
    own, base = of(kernels, name, kind, "joules"), of(kernels, over, kind, "joules")
    return percent(100 * (1 - own / base)) if own and base else ""


def study_energy(kernels, paper):
    cells = []
    for kind in ("energy", "modelled_energy"):
        base = of(kernels, "cublas_unfused", kind, "joules")
        cells.append(three_digits(1000 * base) if base else "")
        cells += [saved(kernels, name, kind) for name in FUSED]
    return cells + [percent(paper.get("percent_of_energy_saved"))]


def traffic(kernels, name, counters):
    values = [of(kernels, name, "counters", counter) for counter in counters]
    return None if None in values else sum(values)


TRAFFIC = (
    ("lts__t_sectors_op_read.sum", "lts__t_sectors_op_write.sum"),
    ("dram__bytes_read.sum", "dram__bytes_write.sum"),
)


def traffic_left(kernels, name, over, counters):
    own, base = traffic(kernels, name, counters), traffic(kernels, over, counters)
    return percent(100 * own / base) if own is not None and base else ""


def study_traffic(kernels, _paper):
    cells = []
    for counters in TRAFFIC:
        base = traffic(kernels, "cublas_unfused", counters)
        cells.append(f"{base:.3g}" if base else "")
        cells += [traffic_left(kernels, name, over, counters) for name in FUSED for over in UNFUSED[:2]]
    return cells


def study_simulated(kernels, paper):
    """Of the simulator, which does no library's work."""
    base, own = (of(kernels, name, "time_ms", "median") for name in ("cuda_unfused", "fused"))
    cells = [three_digits(base), three_digits(own), f"{base / own:.2f}x"] + study_speedup({}, paper)[-1:]
    for name, theirs in (("cuda_unfused", "cublas_unfused"), ("fused", "fused")):
        cells += [percent(of(kernels, name, "percent_of_peak")), percent(paper.get(f"{theirs}_percent_of_peak"))]
    return cells


def study_simulated_traffic(kernels, paper):
    cells = []
    for counters in TRAFFIC:
        cells.append(f"{traffic(kernels, 'cuda_unfused', counters):.3g}")
        cells.append(traffic_left(kernels, "fused", "cuda_unfused", counters))
    cells.append(three_digits(1000 * of(kernels, "cuda_unfused", "modelled_energy", "joules")))
    cells.append(saved(kernels, "fused", "modelled_energy", "cuda_unfused"))
    return cells + [percent(paper.get("percent_of_energy_saved"))]


STUDY = {
    "error": (study_error, [f"`{name}`" for name in UNFUSED + FUSED]),
    "time": (study_time, [f"`{name}` ms" for name in UNFUSED + FUSED]),
    "efficiency": (
        study_efficiency,
        [f"`{name}`" for name in UNFUSED + FUSED] + ["GTX 970, cuBLAS 7.0", "GTX 970, Fused"],
    ),
    "speedup": (
        study_speedup,
        [f"`{name}` over `{over}`" for name in FUSED for over in UNFUSED] + ["GTX 970, Fused over cuBLAS"],
    ),
    "energy": (
        study_energy,
        ["`cublas_unfused` mJ, measured"]
        + [f"`{name}` saves" for name in FUSED]
        + ["`cublas_unfused` mJ, modelled"]
        + [f"`{name}` saves" for name in FUSED]
        + ["GTX 970, Fused saves"],
    ),
    "traffic": (
        study_traffic,
        [
            head
            for what in ("L2 sectors", "DRAM bytes")
            for head in [f"`cublas_unfused` {what}"]
            + [f"`{name}`, of `{over}`'s" for name in FUSED for over in UNFUSED[:2]]
        ],
    ),
    "simulated": (
        study_simulated,
        ["`cuda_unfused` ms", "`fused` ms", "speedup", "paper's, over cuBLAS"]
        + ["`cuda_unfused`, of peak", "paper's cuBLAS", "`fused`, of peak", "paper's Fused"],
    ),
    "simulated_traffic": (
        study_simulated_traffic,
        ["`cuda_unfused` L2 sectors", "`fused`", "`cuda_unfused` DRAM bytes", "`fused`"]
        + ["`cuda_unfused` mJ", "`fused` saves", "paper's, over cuBLAS"],
    ),
}


def block_study(file, arguments, context):
    """A table of a recorded study: table=time, error, efficiency, speedup, energy or traffic, or what the
    simulator models: table=simulated or simulated_traffic."""
    step = context.step_of(file)
    options = dict(word.split("=", 1) for word in shlex.split(arguments))
    cells, columns = STUDY[options["table"]]
    studies = context.simulated_studies if options["table"].startswith("simulated") else context.studies
    parts = []
    for study in (s for s in studies if s.target == step.target):
        rows = [
            [str(problem["k"]), str(problem["m"])] + cells(kernels, paper)
            for problem, kernels, paper in study.rows()
        ]
        # A column that no run has a figure for is left out.
        keep = [0, 1] + [c + 2 for c in range(len(columns)) if any(row[c + 2] for row in rows)]
        if len(keep) == 2:
            continue
        head = ["K", "M"] + columns
        text = table([head[c] for c in keep], [[row[c] for c in keep] for row in rows])
        parts.append(f"{text}\n\n{study.device['name']}, n = 1024, {study.date}.")
    return "\n\n".join(parts) or NOTHING_YET


# --- files ----------------------------------------------------------------------------------------


class Context:
    """What the blocks are made from."""

    def __init__(self, results):
        self.steps = lab.steps()
        self.products = [step for step in self.steps if step.family == "gemm"]
        self.studies = lab.studies(results)
        self.simulated_studies = lab.studies(results, "sim")
        runs = lab.runs(results)
        self.counted = lab.counted(results)
        self.profiles = lab.profiles(results)
        kept = results / "modelled-h200.json"
        self.modelled = json.loads(kept.read_text()) if kept.exists() else None
        kept = results / "instructions-step11.json"
        self.instructions = json.loads(kept.read_text()) if kept.exists() else None
        self.simulated = lab.counted(results, "sim")
        self.gpu = [run for run in runs if run.runtime == "gpu"]
        # Products of square matrices on the GPU that the series was measured on as a whole.
        products = {step.target for step in self.products}
        cubes = by_device(
            [run for run in self.gpu if run.target in products and len(set(run.size)) == 1]
        )
        self.cubes = cubes[0] if cubes else []

    def largest_counted(self):
        """The counters of each GPU at the largest recorded size, where edges weigh least."""
        largest = {}
        for counted in self.counted:
            largest.setdefault(counted.device["name"], counted)
            if counted.problem["m"] > largest[counted.device["name"]].problem["m"]:
                largest[counted.device["name"]] = counted
        return list(largest.values())

    def step(self, number):
        return next(step for step in self.steps if step.number == number)

    def step_of(self, file):
        return next(step for step in self.steps if step.path == file.parent)

    def diff_size(self, step):
        changes = lab.diff(self.step(step.parent), step)
        body = [line for line in changes if line[:3] not in ("+++", "---")]
        return sum(line[0] == "+" for line in body), sum(line[0] == "-" for line in body)


def rewrite(file, context):
    """The file's text with every block made anew."""

    def make(found):
        kind, arguments = found.group(1), found.group(2)
        try:
            body = globals()[f"block_{kind}"](file, arguments, context)
        except KeyError as unknown:
            raise SystemExit(f"{file}: block {kind}{arguments}: {unknown}")
        except Stale as reason:
            raise SystemExit(f"{file}: block {kind}{arguments}: {reason}")
        # On a page of its own lines a comment that touches a table or a list would be part of it.
        return f"<!-- begin {kind}{arguments} -->\n\n{body}\n\n<!-- end {kind} -->"

    return BLOCK.sub(make, file.read_text())


def main():
    parser = argparse.ArgumentParser(description="rewrite what the READMEs generate")
    parser.add_argument("--check", action="store_true", help="change nothing, fail on a difference")
    parser.add_argument("--results", type=pathlib.Path, default=lab.RESULTS)
    options = parser.parse_args()
    context = Context(options.results)
    stale = []
    folder = lab.ROOT / "docs" / "pages"
    names = ("walkthrough", "agreement", "model", "memory")
    pages = [lab.ROOT / "README.md"] + [folder / f"{name}.md" for name in names]
    for file in pages + [step.readme for step in context.steps]:
        text = rewrite(file, context)
        if text == file.read_text():
            continue
        stale.append(str(file.relative_to(lab.ROOT)))
        if not options.check:
            file.write_text(text)
    if stale and options.check:
        sys.exit("not as `make results` writes them: " + ", ".join(stale))
    print("rewritten: " + ", ".join(stale) if stale else "results: nothing to change")


if __name__ == "__main__":
    main()
