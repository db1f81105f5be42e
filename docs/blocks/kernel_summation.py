"""The block of step 08's study, a table for each figure and table of its paper."""

import shlex

from .cells import NOTHING_YET, of, percent, table, three_digits

FUSED = ["fused", "fused_fast"]
UNFUSED = ["cublas_unfused", "cublas_gemv", "cuda_unfused"]


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
