"""Blocks of steps 14 and 15: each stage beside cuBLAS at every recorded size, their errors, and sizes drawn by lot."""

import statistics

from .cells import NOTHING_YET, by_device, measured_on, options_in, table


def of_first(parts, arguments):
    """All devices' parts of a block, or with devices=N those of the first N."""
    options = options_in(arguments)
    return "\n\n".join(parts[: int(options.get("devices", len(parts)))]) or NOTHING_YET


def block_beside_cublas(file, arguments, context):
    """A row for each recorded run, cubes first: what cuBLAS reaches, and per cent of that for the stage before and each of the step's own.
    devices=N: of the first N GPUs alone."""
    step = context.step_of(file)
    parts = []
    for runs in by_device([r for r in context.gpu if r.target == step.target]):
        runs.sort(key=lambda run: (len(set(run.size)), run.problem["flops"]))
        before = f"step{step.stages[0].parent.number.split('.')[0]}."
        names = [name for name in max((run.kernels for run in runs), key=len) if name.startswith(before)]
        names += [kernel["name"] for kernel in max((run.own for run in runs), key=len)]
        rows = []
        for run in runs:
            shares = [run.kernels.get(name, {}).get("percent_of_reference") for name in names]
            rows.append([run.shape, f"{run.kernels['cublas']['gflops'] / 1000:.1f}", *(f"{share:.1f} %" if share else "" for share in shares)])
        parts.append(table(["m x n x k", "cuBLAS, TFLOP/s", *(f"`{name}`" for name in names)], rows) + "\n\n" + measured_on(runs))
    return of_first(parts, arguments)


def block_errors(file, arguments, context):
    """A row for each recorded run that has errors: of each kernel, in units of FP32's tolerance. devices=N as above."""
    parts = []
    for runs in by_device([r for r in context.gpu if r.target == context.step_of(file).target]):
        runs.sort(key=lambda run: (len(set(run.size)), run.problem["flops"], run.problem.get("values", "")))
        names = ["cublas", *(kernel["name"] for kernel in max((run.own for run in runs), key=len))]
        rows = []
        for run in runs:
            found = [run.kernels.get(name, {}).get("exact_error") for name in names]
            rows.append([run.shape, *(f"{error:.2g}" if error and error < 10 else f"{error:.0f}" if error else "" for error in found)])
        parts.append(table(["m x n x k", *(f"`{name}`" for name in names)], rows) + "\n\n" + measured_on(runs))
    return of_first(parts, arguments)


def block_lot(file, arguments, context):
    """A row for each kernel of a recorded `sweep stepNN --lot N`: what it reaches of cuBLAS over all products. devices=N as above."""
    parts = []
    for study in [study for study in context.studies if study.target == context.step_of(file).target]:
        found = {}
        for _, kernels, _ in study.rows():
            for name, kernel in kernels.items():
                if name != "cublas" and "percent_of_reference" in kernel:
                    found.setdefault(name, []).append(kernel["percent_of_reference"])
        rows = [
            [f"`{name}`", *(f"{of(shares):.0f} %" for of in (statistics.geometric_mean, min, max)), f"{sum(share > 100 for share in shares)} of {len(shares)}"]
            for name, shares in found.items()
        ]
        note = f"Speeds relative to cuBLAS in the same run; the mean is geometric. {study.device['name']}, {study.date}."
        parts.append(table(["row", "mean", "least", "most", "faster in"], rows) + "\n\n" + note)
    return of_first(parts, arguments)
