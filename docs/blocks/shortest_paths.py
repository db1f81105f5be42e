"""Blocks of step 11: forms of min(c, a + b), its rows, table 1 of the paper. Elsewhere than on its page, step=NN."""

from .cells import NOTHING_YET, by_device, digits, measured_on, milliseconds, options_in, table, tflops


def form_of(problem):
    """The form of the two operations that step 11 takes for a problem's semiring, type and weights."""
    name = problem["type"].split()[0].replace("-", "_").upper()
    if problem.get("least_weight", 0) < 0:
        return name + "_SIGNED"
    return "U16_PAIR" if name == "U16" and problem.get("largest_weight", 0) < 2**14 else name


def block_apsp_forms(file, arguments, context):
    """What the compiler made of each form, or of=min_plus_s32,or_and_bits: of these, and the speed of a product with it."""
    step = context.step_of(file, arguments)
    wanted = options_in(arguments).get("of", "").split(",")
    if not context.instructions:
        return NOTHING_YET
    products = [r for r in context.gpu if r.target == step.target and "products" in r.problem]
    # The row that takes the form: of truth values there is another one for those that share words.
    rows = {"min_plus": form_of, "max_plus": form_of, "truth_values": form_of, "or_and": lambda _: "OR_AND_BITS"}
    speeds = {form(r.problem): tflops(r.kernels[name]) for r in products for name, form in rows.items() if name in r.kernels}
    rows = [
        [
            f"`{form['semiring']}`",
            ", ".join(f"{count} {name}" for name, count in form["counts"].items()) + f" of {form['of']}",
            "<br>".join(f"`{line}`" for line in form["lines"]),
            speeds.get(form["form"], ""),
        ]
        for form in context.instructions["forms"]
        if wanted == [""] or form["semiring"] in wanted
    ]
    head = ["semiring", "instructions of the kernel", "neighbours", "Tops/s"]
    made = f"nvcc {context.instructions['compiler']} for {context.instructions['arch']}"
    notes = [f"{made}; a product of n = {r.problem['n']}, {r.device['name']}, {r.date}." for r in products[-1:]]
    return table(head, rows) + "\n\n" + (notes[0] if notes else made + ".")


APSP_ROWS = ["floyd_warshall", "floyd_warshall_blocked", "min_plus"]
LENGTHS_ROWS = ["floyd_warshall", "floyd_warshall_blocked", "floyd_warshall_pairs", "min_plus"]
STAGES = {"floyd_warshall": "11.1", "floyd_warshall_blocked": "11.5", "floyd_warshall_pairs": "11.6", "min_plus": "11.4; u16: 11.6"}


def apsp_cells(run, names):
    """Time and speed of each row, empty where it was not timed."""
    for name in names:
        kernel = run.kernels.get(name)
        yield milliseconds(kernel) if kernel else ""
        if name != APSP_ROWS[0]:
            yield tflops(kernel) if kernel else ""


def has_paths(run):
    """True of a run with --paths, whose rows are those of stage 11.8."""
    return run.path.stem.endswith("-paths")


def is_aside(run):
    """True of what stands elsewhere, one product or paths, and of what differs little from floats: few vertices, whole numbers."""
    return has_paths(run) or "products" in run.problem or (run.problem["type"] != "f32" and run.problem["n"] < 512)


def block_apsp(file, arguments, context):
    """Recorded runs of shortest paths, by size and type, or at=512,8192: at these sizes; two operations for each triple."""
    step = context.step_of(file, arguments)
    sizes = options_in(arguments).get("at", "").split(",")
    usual = {"F32", "S32", "U16_PAIR"}
    parts = []
    shown = [r for r in context.gpu if r.target == step.target and form_of(r.problem) in usual and not is_aside(r)]
    if sizes != [""]:
        shown = [r for r in shown if str(r.problem["n"]) in sizes]
    for runs in by_device(shown):
        runs.sort(key=lambda r: (r.problem["n"], r.problem.get("products", 0), r.problem["type"]))
        rows = [
            [
                str(run.problem["n"]),
                run.problem["type"],
                *apsp_cells(run, LENGTHS_ROWS),
            ]
            for run in runs
        ]
        head = ["n", "type"]
        for name in LENGTHS_ROWS:
            head += [f"`{name}` ({STAGES[name]}), ms"] + (["Tops/s"] if name != APSP_ROWS[0] else [])
        parts.append(table(head, rows) + "\n\n" + measured_on(runs))
    return "\n\n".join(parts) or NOTHING_YET


def block_apsp_paths(file, arguments, context):
    """Recorded runs with --paths: the rows of stage 11.8."""
    step = context.step_of(file, arguments)
    parts = []
    for runs in by_device([r for r in context.gpu if r.target == step.target and has_paths(r)]):
        runs.sort(key=lambda r: (r.problem["n"], r.problem["type"]))
        rows = [[str(run.problem["n"]), run.problem["type"], *apsp_cells(run, APSP_ROWS)] for run in runs]
        head = ["n", "type"]
        for name in APSP_ROWS:
            head += [f"`{name}`, ms"] + (["Tops/s"] if name != APSP_ROWS[0] else [])
        parts.append(table(head, rows) + "\n\n" + measured_on(runs))
    return "\n\n".join(parts) or NOTHING_YET


SEMIRINGS = {"max-plus": ["max_plus"], "or-and": ["truth_values", "or_and"]}


def block_apsp_semirings(file, arguments, context):
    """Recorded runs of the other semirings, a line for each row."""
    step = context.step_of(file, arguments)
    parts = []
    shown = [r for r in context.gpu if r.target == step.target and r.problem["type"].split()[0] in SEMIRINGS]
    for runs in by_device([r for r in shown if not is_aside(r)]):
        runs.sort(key=lambda r: (r.problem["type"], r.problem["n"], r.problem.get("products", 0)))
        rows = [
            [
                str(run.problem["n"]),
                semiring,
                f"`{name}`",
                milliseconds(run.kernels[name]),
                tflops(run.kernels[name]),
            ]
            for run in runs
            for semiring in [run.problem["type"].split()[0]]
            for name in SEMIRINGS[semiring]
            if name in run.kernels
        ]
        parts.append(table(["n", "semiring", "row", "ms", "Tops/s"], rows) + "\n\n" + measured_on(runs))
    return "\n\n".join(parts) or NOTHING_YET


RATIOS = {0.1: "1/10", 1.0: "1", 10.0: "10"}
OURS = ["floyd_warshall", "min_plus"]
THEIRS = ["paper_floyd_warshall_ms", "paper_min_plus_ms"]


def study_points(study):
    """By n: for each ratio, in their order, what was timed by name, and what the solution says."""
    points = {}
    for run in study.runs:
        found = {kernel["name"]: kernel["time_ms"]["median"] for kernel in run["kernels"]}
        points.setdefault(run["problem"]["n"], []).append({**found, **run["solution"]})
    return points


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


def faster_at(points, first, second):
    """The sizes at which the first of two names is the faster one, one for each ratio, and at how many points both are."""
    both = [(n, case) for n, cases in points.items() for case in cases if first in case and second in case]
    return sorted(n for n, case in both if case[first] < case[second]), len(both)


def where_they_cross(points):
    """What became of the paper's crossover, and where blocks are the fastest; where all is known, why."""
    (theirs, all_theirs), (ours, all_ours) = faster_at(points, *THEIRS), faster_at(points, *OURS)
    text = (
        f"In the paper Floyd-Warshall is the faster one at {len(theirs)} of {all_theirs} points"
        + (f", from n = {theirs[0]} on" if theirs else "")
        + (f"; here it is faster at {len(ours)} of the {all_ours} points, from n = {ours[0]} on." if ours
           else f"; here it is faster at none of the {all_ours} points.")
    )
    least, n = min(points), max(points)
    dense, launch_ms = points[n][-1], points[least][-1].get(OURS[0], 0) / least
    covered = [m for m, cases in points.items() if all(m * launch_ms > case[OURS[1]] for case in cases)]
    if ours or not covered or any(name not in case for case in points[n] for name in OURS + THEIRS):
        return text
    gains = [f"{dense[their] / dense[our]:.0f} times" for our, their in zip(OURS, THEIRS)]
    spread = dense[THEIRS[0]] / points[n][0][THEIRS[0]]
    return text + (
        f"\n\nWhy: at n = {n} with 10 arcs Floyd-Warshall is {gains[0]} as fast as in the paper, and products are\n"
        f"{gains[1]} as fast. A launch for each k reads the matrix anew, and products read shared memory and registers:\n"
        f"from the paper's GPU to this one arithmetic has become faster by more than memory has. A launch hardly gets shorter:\n"
        f"it takes {1e3 * launch_ms:.1f} us at n = {least}. Up to n = {max(covered)}, n launches of this length alone take longer than all\n"
        f"products.\n\n"
        f"In the paper Floyd-Warshall takes {spread:.0f} times as long with 10 arcs as with 1/10 at n = {n}: it leaves out work\n"
        f"where there are no paths, and the paper does not say how. Stage 11.1 reads all distances whatever the graph is.\n"
        f"A copy of 11.1 whose threads return where there is no path to k is a fifth faster with 1/10 arcs, and as much slower\n"
        f"with 10 (docs/results/questions-h200.txt). On an H200 that explains little of the factor of {spread:.0f}."
    )


def studies_of(context):
    """The study as measured, else as modelled, and which of the two."""
    target = "step11"
    measured = [s for s in context.studies if s.target == target]
    modelled = [s for s in context.simulated_studies if s.target == target]
    how = "measured" if measured else "modelled on the simulator, where large graphs would take hours"
    return measured or modelled, how


def block_apsp_table(_file, _arguments, context):
    """The paper's table 1, and its two algorithms here: the faster one is bold, as there."""
    parts = []
    studies, how = studies_of(context)
    for study in studies:
        points = study_points(study)
        titles = ("`floyd_warshall`", "`min_plus`", "paper, Floyd-Warshall", "paper, products")
        head = ["n"] + [f"{title}, {ratio}" for title in titles for ratio in RATIOS.values()]
        where = f"{study.device['name']}, {study.date}; the paper's on a GTX 285."
        rows = list(study_rows(points, [OURS, THEIRS]))
        parts.append(f"{table(head, rows)}\n\nMilliseconds, {how}; {where}\n\n{where_they_cross(points)}")
    return "\n\n".join(parts) or NOTHING_YET


def block_apsp_host(_file, _arguments, context):
    """The same graphs in blocks, and on the host."""
    parts = []
    studies, how = studies_of(context)
    for study in studies:
        points = study_points(study)
        cores = {case.get("host_cores") for cases in points.values() for case in cases} - {None}
        titles = ("`floyd_warshall_blocked`", "host, Dijkstra", "host, Floyd-Warshall")
        head = ["n"] + [f"{title}, {ratio}" for title in titles for ratio in RATIOS.values()]
        rows = list(study_rows(points, [["floyd_warshall_blocked"], ["host_dijkstra_ms"], ["host_floyd_warshall_ms"]]))
        notes = f"{how}; {study.device['name']}, {study.date}" + (f"; {cores.pop():g} cores" if cores else "")
        parts.append(f"{table(head, rows)}\n\nMilliseconds, {notes}.")
    return "\n\n".join(parts) or NOTHING_YET
