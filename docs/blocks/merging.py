"""Blocks of step 13: what each design of a time step takes, what was predicted of it, and what its kernels take alone,
merged, and at the same time."""

import json
import re

from .cells import NOTHING_YET, measured_on, options_in, table


def block_designs(file, arguments, context):
    """of="2000-rest,2000" over="slices" [step=NN]: microseconds of a step in each recorded run, and times of OVER."""
    step = context.step_of(file, arguments)
    options = options_in(arguments)
    ends = options["of"].split(",")
    found = {run.path.stem.split("-", 2)[-1]: run for run in context.gpu if run.target == step.target}
    runs = [found[end] for end in ends if end in found]
    if len(runs) < len(ends):
        return NOTHING_YET
    rows = []
    for name in runs[0].kernels:
        cells = []
        for run in runs:
            us = [1000 * run.kernels[row]["time_ms"]["median"] / run.problem["steps"] for row in (name, options["over"])]
            cells.append(f"{us[0]:.1f} ({us[1] / us[0]:.2f}x)")
        rows.append([f"`{name}`", *cells])
    head = ["row"]
    for run in runs:
        n, steps = run.problem["n"], run.problem["steps"]
        rest = ", no K1" if run.path.stem.endswith("-rest") else ""
        head.append(f"n = {n}{rest}" + (f", one of {steps} steps" if steps > 1 else ""))
    return table(head, rows) + "\n\nMicroseconds, and how many times as fast as `" + options["over"] + "`. " + measured_on(runs)


LOADS = "smsp__inst_executed_op_global_ld.sum"
STORES = "smsp__inst_executed_op_global_st.sum"
SECTORS = ("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum")


def block_accesses(_file, _arguments, context):
    """What docs/record.sh --simulated-merging kept: accesses of each row to global memory."""
    path = context.results / "merging-sim-rest.json"
    if not path.exists():
        return NOTHING_YET
    data = json.loads(path.read_text())
    n = data["problem"]["n"]
    rows = []
    for kernel in data["kernels"]:
        counters = kernel["counters"]
        values = sum(counters[name] for name in SECTORS) * 8 / n
        rows.append([f"`{kernel['name']}`", str(kernel["launches"]), f"{counters[LOADS]:,.0f}", f"{counters[STORES]:,.0f}", f"{values:.1f}"])
    head = ["row", "launches", "loads", "stores", "floats moved for a particle"]
    return table(head, rows) + f"\n\nn = {n}, without K1, counted by the simulator, {data['date']}."


def block_plan(file, arguments, context):
    """END [step=NN]: of docs/results/plan-step13-GPU-END, what `./run plan` printed there."""
    end, step = arguments.split()[0], context.step_of(file, arguments)
    paths = sorted(path for path in context.results.glob(f"plan-{step.target}-*.txt") if re.fullmatch(rf"[^-]*-{end}", path.stem.split("-", 2)[2]))
    if not paths:
        return NOTHING_YET
    date = json.loads(paths[0].with_suffix(".json").read_text())["date"]
    return "```text\n" + paths[0].read_text().rstrip() + "\n```\n\nRecorded " + date + "."


def block_signatures(file, arguments, context):
    """[of="sim-gtx480"] [from="whole programs"] [step=NN]: the ends of what `./run sweep` printed, on a GPU if OF is not given: each
    kernel at its best, what is merged, and two at the same time; or what follows FROM."""
    options = options_in(arguments)
    target = context.step_of(file, arguments).target
    paths = sorted(path for path in context.results.glob(f"sweep-{target}-{options.get('of', '*')}.txt") if "of" in options or "-sim-" not in path.name)
    if not paths or options.get("from", "") not in paths[0].read_text():
        return NOTHING_YET
    text = paths[0].read_text()
    date = json.loads(paths[0].with_suffix(".json").read_text())["date"]
    gpu = text.splitlines()[0].split(" on ", 1)[1]
    return "```text\n" + text[text.index(options.get("from", "each kernel at its best")) :].rstrip() + f"\n```\n\nHere: {gpu}, recorded {date}."
