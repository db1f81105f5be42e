"""The blocks that hold a course report's figures against runs: of every version of its kernels, the studies of steps 09
and 10."""

import re

from .cells import NOTHING_YET, digits, measured_on, options_in, table


def gain(value, before):
    return f"{value / before:.2f}x" if value and before else ""


def speed(value):
    return "" if not value else f"{value:,.1f}" if value < 100 else f"{value:,.0f}"


def sizes_of(problem):
    """As short as it goes."""
    sizes = {name: problem[name] for name in "nmpq" if name in problem}
    return f"{' = '.join(sizes)} = {problem['n']}" if len(set(sizes.values())) == 1 else ", ".join(
        f"{name} = {size}" for name, size in sizes.items()
    )


def is_shape(name):
    """Whether a row has a block or a tile that the report did not try: b16x8_k16."""
    return re.match(r"b\d+x\d+_", name) is not None


# --- every version -------------------------------------------------------------------------------


class Taken:
    """One run of a study: its kernels, and the report's versions of them."""

    def __init__(self, study, run):
        self.device, self.date, self.problem = study.device, study.date, run["problem"]
        self.kernels = {kernel["name"]: kernel for kernel in run["kernels"]}
        every = {version["name"]: version for version in run["report"]["versions"]}
        self.versions = {name: version for name, version in every.items() if not is_shape(name)}
        self.shapes = {name: version for name, version in every.items() if is_shape(name)}
        self.reported_on = run["report"]["device"]
        self.is_float = run["problem"]["type"] == "f32"

    def figure(self, name, key):
        return self.kernels.get(name, {}).get(key)

    def gain(self, name, key):
        """Over the version that this one changes."""
        return gain(self.figure(name, key), self.figure(self.versions[name].get("over"), key))

    def reported(self, name):
        return self.versions.get(name, {}).get("gflops_with_copies")

    def without_copies(self, name):
        """The report's figure without the copies. It gives its best version with and without them: the difference
        is what they take, of each version the same."""
        best = next(version for version in self.versions.values() if "gflops" in version)
        copies = 1 / best["gflops_with_copies"] - 1 / best["gflops"]
        reported = self.reported(name)
        return 1 / (1 / reported - copies) if reported else None


def taken(context, step, simulated):
    """Runs in double, and then those in float."""
    studies = context.simulated_studies if simulated else context.studies
    runs = [Taken(study, run) for study in studies if study.target == step.target for run in study.runs if "report" in run]
    return sorted(runs, key=lambda run: (run.is_float, run.device["name"], run.problem["flops"]))


def cells_of(kernel):
    return [
        str(kernel["registers"]), f"{kernel['shared_bytes']:,}", f"{100 * kernel['occupancy']:.0f} %"
    ] if "registers" in kernel else ["", "", ""]


def over(run, name):
    base = run.versions[name].get("over")
    return f"`{base}`" if base else ""


def measured_versions(runs):
    parts = []
    for run in runs:
        rows = [
            [
                f"`{name}`", speed(run.reported(name)), gain(run.reported(name), run.reported(version.get("over"))),
                speed(run.figure(name, "gflops_with_copies")), run.gain(name, "gflops_with_copies"),
                speed(run.figure(name, "gflops")), run.gain(name, "gflops"), *cells_of(run.kernels[name]), over(run, name),
            ]
            for name, version in run.versions.items() if name in run.kernels
        ]
        head = ["version", f"{run.reported_on}, with copies, GFLOPS", "gain", f"{run.device['name']}, with copies", "gain",
                "without", "gain", "registers", "shared bytes", "occupancy", "gain relative to"]
        parts.append(table(head, rows) + f"\n\n{sizes_of(run.problem)}. " + measured_on([run]))
    return "\n\n".join(parts)


def order_of(run):
    """Where a version stands against one that it builds on otherwise than in the report."""
    pairs = []
    for name in run.versions:
        other = run.versions[name].get("over")
        while other and run.reported(name) and run.figure(name, "gflops"):
            if run.reported(other) and run.figure(other, "gflops"):
                pairs.append((name, other))
            other = run.versions[other].get("over")
    differ = [
        f"`{name}` against `{other}`" for name, other in pairs
        if (run.reported(name) > run.reported(other)) != (run.figure(name, "gflops") > run.figure(other, "gflops"))
    ]
    same = f"{len(pairs) - len(differ)} of {len(pairs)}" if differ else f"all {len(pairs)}"
    are = "exception is" if len(differ) == 1 else "exceptions are"
    return (
        f"In {same} comparisons of a version with one it builds on, the same version is faster as in the report"
        + (f"; the {are} {', '.join(differ)}." if differ else ".")
    )


def simulated_versions(runs):
    """The modelled GPU is the report's own: speeds without the copies, of which the simulator has none."""
    parts = []
    for run in runs:
        rows = [
            [
                f"`{name}`", speed(run.reported(name)), speed(run.without_copies(name)),
                gain(run.without_copies(name), run.without_copies(version.get("over"))),
                speed(run.figure(name, "gflops")), run.gain(name, "gflops"), run.figure(name, "limiter") or "",
                *cells_of(run.kernels[name]), over(run, name),
            ]
            for name, version in run.versions.items() if name in run.kernels
        ]
        head = ["version", "the report, with copies, GFLOPS", "copies taken off", "gain", "modelled", "gain", "limited by",
                "registers", "shared bytes", "occupancy", "gain relative to"]
        where = f"{run.device['name'].removeprefix('Simulated ')} as the simulator models it, {sizes_of(run.problem)}, {run.date}."
        parts.append(f"{table(head, rows)}\n\n{where} {order_of(run)}")
    return "\n\n".join(parts)


def shapes(runs):
    """The report's best kernels, and those with other blocks and tiles, the fastest first."""
    parts = []
    for run in runs:
        base = next((version["over"] for version in run.shapes.values()), None)
        best = [name for name, version in run.versions.items() if name == base or "gflops" in version]
        kernels = [run.kernels[name] for name in [*best, *run.shapes] if "gflops" in run.kernels.get(name, {})]
        if not run.shapes:
            continue
        rows = [
            [f"`{kernel['name']}`", speed(kernel["gflops"]), gain(kernel["gflops"], run.figure(base, "gflops")),
             kernel.get("limiter") or "", *cells_of(kernel)]
            for kernel in sorted(kernels, key=lambda kernel: -kernel["gflops"])
        ]
        head = ["row", "modelled, GFLOPS", f"relative to `{base}`", "limited by", "registers", "shared bytes", "occupancy"]
        where = f"{run.device['name'].removeprefix('Simulated ')} as the simulator models it, {sizes_of(run.problem)}, {run.date}."
        parts.append(f"{table(head, rows)}\n\n{where}")
    return "\n\n".join(parts) or NOTHING_YET


def float_versions(runs):
    """The kernels of floats beside the same kernels of doubles, by the GPU's name and the sizes."""
    parts = []
    for run in runs:
        double = next((other for other in runs if not other.is_float and (other.device, sizes_of(other.problem)) == (run.device, sizes_of(run.problem))), None)
        if not run.is_float or double is None:
            continue
        rows = []
        for name, version in run.versions.items():
            floats, doubles = run.kernels.get(name, {}), double.kernels.get(version["over"], {})
            if "gflops" in floats and "gflops" in doubles:
                rows.append([f"`{version['over']}`", *(text for kernel in (doubles, floats) for text in (speed(kernel["gflops"]), kernel.get("limiter") or "", cells_of(kernel)[2])),
                             gain(floats["gflops"], doubles["gflops"])])
        head = ["version", "double, GFLOPS", "limited by", "occupancy", "float, GFLOPS", "limited by", "occupancy", "float relative to double"]
        name = run.device["name"]
        where = f"{name.removeprefix('Simulated ')} as the simulator models it, {sizes_of(run.problem)}, {run.date}." if name.startswith("Simulated ") else f"{sizes_of(run.problem)}. " + measured_on([run])
        parts.append(f"{table(head, rows)}\n\n{where}")
    return "\n\n".join(parts) or NOTHING_YET


# Head of the column, counter, unit.
COUNTED = [
    ("instructions, millions", "lab__ptx_inst_executed.sum", 1e6),
    ("active lanes", "smsp__thread_inst_executed_per_inst_executed.ratio", 1),
    ("global loads, millions", "smsp__inst_executed_op_global_ld.sum", 1e6),
    ("sectors of global loads, millions", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", 1e6),
    ("from DRAM, MB", "dram__bytes_read.sum", 1e6),
    ("shared loads, millions", "smsp__inst_executed_op_shared_ld.sum", 1e6),
    ("wavefronts of shared loads, millions", "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", 1e6),
    ("warps at barriers, thousands", "lab__ptx_inst_executed_op_barrier.sum", 1e3),
]


def counted_versions(runs):
    parts = []
    for run in runs:
        rows = []
        for name in run.versions:
            counters = run.kernels.get(name, {}).get("counters", {})
            if counters:
                rows.append([f"`{name}`"] + [digits(counters.get(key, 0) / unit) for _, key, unit in COUNTED])
        where = f"Counted by the simulator for the {run.device['name'].removeprefix('Simulated ')}, {sizes_of(run.problem)}, {run.date}."
        parts.append(f"{table(['version', *(column[0] for column in COUNTED)], rows)}\n\n{where}")
    return "\n\n".join(parts)


def block_report_copies(_file, _arguments, context):
    """What the report's figures with and without the copies say of its bus: by the operations counted here, and by twice
    as many, those of all of a square of which half is computed."""
    rows = []
    for number, moved in (("09", lambda p: p["n"] ** 2 + 2 * p["n"] * p["m"]), ("10", lambda p: 2 * p["n"] * p["p"] * p["q"] + p["n"] ** 2)):
        for run in [run for run in taken(context, context.step(number), False) if not run.is_float]:
            best = next(version for version in run.versions.values() if "gflops" in version)
            both, alone = (run.problem["flops"] / 1e6 / best[key] for key in ("gflops_with_copies", "gflops"))
            rate = 8 * moved(run.problem) / 1e6 / (both - alone)
            rows.append([sizes_of(run.problem), str(best["gflops_with_copies"]), str(best["gflops"]), f"{both - alone:.3g}",
                         f"{100 * (1 - alone / both):.0f} %", f"{rate:.1f}", f"{rate / 2:.1f}"])
    head = ["size", "GFLOPS with the copies", "without", "the copies take, ms", "share of the time", "GB/s by our count", "GB/s if the report counts twice"]
    return table(head, rows) if rows else NOTHING_YET


TABLES = {
    "measured": (measured_versions, False), "simulated": (simulated_versions, True), "counted": (counted_versions, True),
    "shapes": (shapes, True), "float": (float_versions, True), "float_measured": (float_versions, False),
}


def block_versions(_file, arguments, context):
    """A table of the study of a step (step=NN): table=measured, simulated, counted, shapes, float or float_measured; at=N: of that size alone."""
    words = options_in(arguments)
    make, simulated = TABLES[words["table"]]
    runs = [
        run for run in taken(context, context.step(words["step"]), simulated) if "at" not in words or run.problem["n"] == int(words["at"])
    ]
    if make is not float_versions:
        runs = [run for run in runs if not run.is_float]
    return make(runs) if runs else NOTHING_YET
