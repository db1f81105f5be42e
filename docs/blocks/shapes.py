"""The blocks of docs/pages/shapes.md: the study of step 05, a table for each figure and table of its paper."""


from .cells import NOTHING_YET, digits, of, options_in, percent, table, three_digits

BLOCKS = ["8x8", "16x8", "16x16", "32x16", "32x32"]
VALUES = [1, 4, 16, 36, 64, 100, 144]
# The paper's experiment 1 has four numbers of values, experiment 2 three blocks.
SOME_VALUES, SOME_BLOCKS = [1, 4, 16, 64], ["8x8", "16x16", "32x16"]
BEST = "b16x16_v64"


def counter(name):
    return lambda kernel: kernel.get("counters", {}).get(name)


def achieved(kernel):
    """As it was achieved; where nobody has counted that, what the GPU has room for."""
    counted = counter("sm__warps_active.avg.pct_of_peak_sustained_active")(kernel)
    return counted if counted is not None else 100 * kernel["occupancy"] if "occupancy" in kernel else None


# Title, text of a figure, figure of a kernel.
MEASURES = {
    "time": ("time, ms", three_digits, lambda kernel: kernel.get("time_ms", {}).get("median")),
    "global": ("global_load", digits, counter("smsp__inst_executed_op_global_ld.sum")),
    "shared": ("shared_load", digits, counter("smsp__inst_executed_op_shared_ld.sum")),
    "stall": (
        "stall_memory_dependency",
        percent,
        counter("smsp__warp_issue_stalled_long_scoreboard_per_warp_active.pct"),
    ),
    "efficiency": (
        "shared_efficiency",
        percent,
        counter("smsp__sass_average_data_bytes_per_wavefront_mem_shared.pct"),
    ),
    "occupancy": ("achieved_occupancy", percent, achieved),
    "sectors": ("sectors loaded from global memory", digits, counter("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum")),
}

# What the paper draws: measures, along which axis, which blocks, which values, whether a logarithmic scale shows more.
FIGURES = {
    1: (["time"], "block", BLOCKS, [1], False),
    2: (["time"], "values", ["16x16"], VALUES, True),
    3: (["global", "shared", "stall"], "values", ["16x16"], VALUES, True),
    4: (["time"], "block", BLOCKS, SOME_VALUES, True),
    5: (["stall"], "block", BLOCKS, SOME_VALUES, False),
    6: (["shared"], "values", SOME_BLOCKS, VALUES, True),
    7: (["time"], "values", SOME_BLOCKS, VALUES, True),
    8: (["occupancy"], "values", SOME_BLOCKS, VALUES, False),
    9: (["global"], "block", BLOCKS, SOME_VALUES, True),
    10: (["efficiency"], "block", BLOCKS, SOME_VALUES, False),
}


class Taken:
    """One run of the study: where, at which size, and its kernels by name."""

    def __init__(self, study, run):
        self.device, self.date = study.device, study.date
        self.is_simulated = study.device["name"].startswith("Simulated ")
        self.size = run["problem"]["n"]
        self.kernels = {kernel["name"]: kernel for kernel in run["kernels"]}
        self.shapes, self.paper = run["shapes"], run["paper"]

    def kernel(self, block, values):
        return self.kernels.get(f"b{block}_v{values}", {})

    def measure(self, what, block, values):
        return MEASURES[what][2](self.kernel(block, values))

    @property
    def gpu(self):
        """Its short name."""
        return self.device["name"].removeprefix("Simulated ").removeprefix("NVIDIA ").removeprefix("GeForce ")

    @property
    def where(self):
        """A line below a table."""
        slice_of = self.device.get("slice_of_sms")
        part = f", a slice of {self.device['sm_count']} of its {slice_of} SMs" if slice_of else ""
        how = "; counted and modelled by the simulator" if self.is_simulated else ""
        return f"{self.gpu}{part}, m = n = k = {self.size}{how}, {self.date}."


def taken(studies, simulated):
    """All recorded runs: those of GPUs by size, then the simulator's, of the H200 first."""
    runs = [Taken(study, run) for study in [*studies, *simulated] if study.target == "step05" for run in study.runs]
    return sorted(runs, key=lambda run: (run.is_simulated, "H200" not in run.gpu, run.gpu, run.size))


def shown(runs):
    """What the figures are shown of: GPUs, and of the simulator the H200."""
    return [run for run in runs if not run.is_simulated or "H200" in run.gpu]


def series(number, run):
    """Points along the axis, and (label, text of a figure, figures at these points) of each series of a figure."""
    whats, axis, blocks, values, _ = FIGURES[number]
    if axis == "block":
        points = list(blocks)
        lines = [
            (f"{count} value{'s' if count > 1 else ''}", MEASURES[what][1],
             [run.measure(what, block, count) for block in blocks])
            for what in whats for count in values
        ]
        if number == 1:  # beside the kernel that uses no shared memory
            first = next((kernel for name, kernel in run.kernels.items() if name.startswith("step01.")), {})
            points.insert(0, "none: step 01")
            lines[0][2].insert(0, MEASURES["time"][2](first))
    else:
        points = [str(count) for count in values]
        lines = [
            (MEASURES[what][0] if len(whats) > 1 else block, MEASURES[what][1],
             [run.measure(what, block, count) for count in values])
            for what in whats for block in blocks
        ]
    return points, [line for line in lines if any(figure is not None for figure in line[2])]


def title(number):
    whats, axis, blocks, values, _ = FIGURES[number]
    words = MEASURES[whats[0]][0] if len(whats) == 1 else "loads and waits"
    over = "the block's shape" if axis == "block" else "values per thread"
    only = f", {values[0]} value per thread" if len(values) == 1 else ""
    return f"Figure {number}: {words} over {over}{only}" + (f", blocks of {blocks[0]}" if len(blocks) == 1 else "")


def figure(number, runs):
    parts = []
    for run in shown(runs):
        points, lines = series(number, run)
        if not lines:
            continue
        rows = [
            [point] + ["" if line[2][p] is None else line[1](line[2][p]) for line in lines]
            for p, point in enumerate(points)
        ]
        head = [FIGURES[number][1]] + [line[0] for line in lines]
        if number == 1:  # what shared memory is worth
            first, *times = lines[0][2]
            head.append("of step 01's time")
            rows = [row + [cell] for row, cell in zip(rows, [""] + [percent(100 * time / first) if time and first else "" for time in times])]
        parts.append(f"{table(head, rows)}\n\n{run.where}")
    return "\n\n".join(parts) or "*Only a GPU tells: no run of one is recorded yet.*"


def every_shape(runs):
    """Registers, memory, occupancy and time of each."""
    parts = []
    for run in shown(runs):
        has_reference = any("percent_of_reference" in kernel for kernel in run.kernels.values())
        head = ["shape", "registers", "local bytes", "shared bytes", "occupancy", "ms", "TFLOP/s"]
        rows = []
        for shape in run.shapes:
            kernel = run.kernels[shape["name"]]
            time = of(run.kernels, shape["name"], "time_ms", "median")
            rows.append(
                [f"`{shape['name']}`", str(kernel.get("registers", "")), str(kernel.get("local_bytes", 0)),
                 str(kernel.get("shared_bytes", "")), percent(100 * kernel["occupancy"]) if "occupancy" in kernel else "",
                 three_digits(time) if time else "", f"{kernel['gflops'] / 1000:.2f}" if "gflops" in kernel else ""]
                + ([percent(kernel.get("percent_of_reference"))] if has_reference else [])
            )
        parts.append(f"{table(head + (['of cuBLAS'] if has_reference else []), rows)}\n\n{run.where}")
    return "\n\n".join(parts)


def predictions(runs, only=lambda shape: True):
    """Predicted and counted loads of each run, which share the shapes."""
    counted = [run for run in shown(runs) if any("counted_as_predicted" in shape for shape in run.shapes)]
    parts = []
    for run in counted:
        rows = []
        for shape in filter(only, run.shapes):
            kernel, said = run.kernels[shape["name"]], shape["predicted"]
            cells = [digits(said["global_load"]), digits(MEASURES["global"][2](kernel) or 0),
                     digits(said["shared_load"]), digits(MEASURES["shared"][2](kernel) or 0)]
            rows.append([f"`{shape['name']}`", *cells, "yes" if shape.get("counted_as_predicted") else "no"])
        right = sum(shape.get("counted_as_predicted", False) for shape in run.shapes)
        head = ["shape", "global_load, predicted", "counted", "shared_load, predicted", "counted", "equal"]
        found = f"{table(head, rows)}\n\n" if rows else ""
        parts.append(f"{found}{right} of {len(run.shapes)} as predicted. {run.where}")
    return "\n\n".join(parts)


def unpredicted(runs):
    """Those alone that were counted otherwise."""
    return predictions(runs, lambda shape: not shape.get("counted_as_predicted"))


def same_tile(runs):
    """Blocks that compute the same square of C with more threads or with more values each."""
    groups = {32: [("32x32", 1), ("16x16", 4), ("8x8", 16)], 64: [("32x32", 4), ("16x16", 16), ("8x8", 64)],
              128: [("32x32", 16), ("16x16", 64)]}
    parts = []
    for run in shown(runs):
        rows = []
        for side, shapes in groups.items():
            for block, values in shapes:
                cells = [run.measure(what, block, values) for what in ("global", "shared", "time")]
                rows.append([f"{side} x {side}", block, str(values), *(digits(cell) if cell is not None else "" for cell in cells[:2]),
                             three_digits(cells[2]) if cells[2] else ""])
        parts.append(f"{table(['tile of C', 'block', 'values', 'global_load', 'shared_load', 'ms'], rows)}\n\n{run.where}")
    return "\n\n".join(parts)


def cliff(runs):
    """Registers and what they cost, of blocks with many values."""
    parts = []
    for run in shown(runs):
        rows = []
        for block in SOME_BLOCKS:
            for values in VALUES[3:]:
                kernel = run.kernel(block, values)
                time = run.measure("time", block, values)
                rows.append([block, str(values), str(kernel.get("registers", "")), str(kernel.get("local_bytes", 0)),
                             percent(achieved(kernel)), three_digits(time) if time else "no time: it spills"])
        head = ["block", "values", "registers", "local bytes", "occupancy", "ms"]
        parts.append(f"{table(head, rows)}\n\n{run.where}")
    return "\n\n".join(parts)


def stalls(runs):
    """The last column of figure 3 for all blocks that have so many numbers of values."""
    parts = []
    for run in runs:
        rows = [[str(values), *(percent(run.measure("stall", block, values)) for block in SOME_BLOCKS)] for values in VALUES]
        if any(cell for row in rows for cell in row[1:]):
            parts.append(f"{table(['values', *SOME_BLOCKS], rows)}\n\n{run.where}")
    return "\n\n".join(parts)


STALLED = "smsp__average_warps_issue_stalled_"


def barriers(runs):
    """How much of the time in which warps wait they wait at barriers, and how full the multiprocessors are of what there is room for."""
    parts = []
    for run in runs:
        rows = []
        for block in BLOCKS:
            kernels = [run.kernel(block, values) for values in SOME_VALUES]
            waits = [{name: n for name, n in kernel.get("counters", {}).items() if name.startswith(STALLED)} for kernel in kernels]
            at_barriers = [wait.get(f"{STALLED}barrier_per_issue_active.ratio") for wait in waits]
            if None in at_barriers:
                break
            rows.append([block, *(percent(100 * at / sum(wait.values())) for at, wait in zip(at_barriers, waits)),
                         *(percent(achieved(kernel) / kernel["occupancy"]) for kernel in kernels)])
        if len(rows) == len(BLOCKS):
            head = [f"{what}, {values}" for what in ("at barriers", "of the occupancy") for values in SOME_VALUES]
            parts.append(f"{table(['block', *head], rows)}\n\n{run.where}")
    return "\n\n".join(parts) or NOTHING_YET


def table1(runs):
    """The paper's table I, and the same of every recorded run."""
    paper = runs[0].paper
    lines = [("time, ms", "time_ms", "time"), ("global_load", "global_load", "global"), ("shared_load", "shared_load", "shared"),
             ("stall_memory_dependency, %", "stall_memory_dependency", "stall"),
             ("shared_efficiency, %", "shared_efficiency", "efficiency"), ("occupancy, %", "occupancy", "occupancy"),
             ("registers", "registers", None), ("sectors loaded", "sectors", "sectors"),
             ("flop_sp_efficiency, %", "percent_of_peak", None)]
    columns = [("paper, its best", paper["best"]), ("by its listing", paper["best_by_its_listing"]), ("paper, cuBLAS", paper["cublas"])]
    for run in runs:
        for name, words in ((BEST, f"`{BEST}`"), ("cublas", "cuBLAS")):
            kernel = run.kernels.get(name)
            if kernel:
                figures = {key: MEASURES[what][2](kernel) if what else kernel.get(key) for _, key, what in lines}
                columns.append((f"{run.gpu} at {run.size}{', simulated' if run.is_simulated else ''}: {words}", figures))
    rows = [
        [words] + [f"{figures[key]:.3g}" if figures.get(key) is not None else "" for _, figures in columns]
        for words, key, _ in lines
    ]
    return f"{table([''] + [head for head, _ in columns], rows)}\n\nThe paper's: {paper['device']}, m = n = k = {paper['size']}."


def gpus(runs):
    """Time over values on every GPU that was simulated."""
    simulated = [run for run in runs if run.is_simulated]
    head = ["values"] + [f"{run.gpu}, {block}" for run in simulated for block in SOME_BLOCKS]
    rows = [
        [str(values)]
        + [three_digits(time) if (time := run.measure("time", block, values)) else "" for run in simulated for block in SOME_BLOCKS]
        for values in VALUES
    ]
    return "\n\n".join([table(head, rows), *(run.where for run in simulated)])


TABLES = {
    "shapes": every_shape, "predictions": predictions, "tiles": same_tile, "cliff": cliff, "table1": table1, "gpus": gpus,
    "stalls": stalls, "barriers": barriers, "unpredicted": unpredicted,
}


def block_shapes(_file, arguments, context):
    """A table of the shape study, table=NAME, or figure=NUMBER of its paper. at=2048: of a GPU's run at this size alone."""
    options = options_in(arguments)
    runs = taken(context.studies, context.simulated_studies)
    if "at" in options:
        runs = [run for run in runs if not run.is_simulated and run.size == int(options["at"])]
    if not runs:
        return NOTHING_YET
    return figure(int(options["figure"]), runs) if "figure" in options else TABLES[options["table"]](runs)
