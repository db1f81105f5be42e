"""Blocks of step 12: what the simulator counts of each row in each form of the product, and speeds over the size."""

import json

from .cells import NOTHING_YET, options_in, table

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


def block_forms(file, arguments, context):
    """A row for each kernel and form that docs/record.sh --simulated-forms kept; rows="any,tt_by_index": of these alone."""
    options = options_in(arguments)
    step = context.step_of(file, arguments)
    names = options.get("rows", "").split(",")
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
                if names != [""] and kernel["name"] not in names:
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
        "kernel", "form", "sectors per load", "MB loaded", "sectors per store", "wavefronts per shared load",
        "wavefronts per shared store",
    ]
    return table(head, rows) + "\n\n" + notes[0] if rows else NOTHING_YET


def speeds(study):
    """Of a recorded `sweep step12`: by type and form, row and size, TFLOP/s and the share of cuBLAS."""
    found = {}
    for problem, kernels, _ in study.rows():
        for name, kernel in kernels.items():
            if "gflops" in kernel:
                of_form = found.setdefault((problem["type"], problem.get("form", "nn")), {})
                of_form.setdefault(name, {})[problem["n"]] = kernel["gflops"] / 1000, kernel.get("percent_of_reference")
    return found


def block_smooth(file, arguments, context):
    """rows="any_async,doubles_async" at="4095,4096" [forms="nn,tt"] [step=NN]: these rows in every form, at these sizes."""
    options = options_in(arguments)
    studies = [study for study in context.studies if study.target == context.step_of(file, arguments).target]
    if not studies:
        return NOTHING_YET
    sizes = [int(size) for size in options["at"].split(",")]
    forms = options.get("forms", "nn,nt,tn,tt").split(",")
    rows = []
    for (real, form), found in speeds(studies[0]).items():
        for name in (name for name in options["rows"].split(",") if name in found and form in forms):
            cells = [f"{found[name][size][0]:.1f} ({found[name][size][1]:.0f} %)" for size in sizes]
            rows.append([f"`{name}`", f"{form} {real}", *cells])
    device = studies[0].device["name"]
    note = f"TFLOP/s, and per cent of cuBLAS in the same run; {device}, {studies[0].date}."
    return table(["kernel", "form", *map(str, sizes)], rows) + "\n\n" + note
