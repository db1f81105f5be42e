"""The block of step 08's study, a table for each figure and table of its paper."""

import functools

from .cells import NOTHING_YET, of, options_in, percent, table, three_digits

FUSED = ["fused", "fused_fast", "tensor_cores"]
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


def study_energy(kernels, paper, over="cublas_unfused"):
    cells = []
    for kind in ("energy", "modelled_energy"):
        base = of(kernels, over, kind, "joules")
        cells.append(three_digits(1000 * base) if base else "")
        cells += [saved(kernels, name, kind, over) for name in FUSED]
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
    base, own = (of(kernels, name, "time_ms", "median") for name in ("cuda_gemv", "fused"))
    cells = [three_digits(base), three_digits(own), f"{base / own:.2f}x"] + study_speedup({}, paper)[-1:]
    for name, theirs in (("cuda_gemv", "cublas_unfused"), ("fused", "fused")):
        cells += [percent(of(kernels, name, "percent_of_peak")), percent(paper.get(f"{theirs}_percent_of_peak"))]
    return cells


def study_simulated_traffic(kernels, paper):
    cells = []
    for counters in TRAFFIC:
        cells.append(f"{traffic(kernels, 'cuda_gemv', counters):.3g}")
        cells.append(traffic_left(kernels, "fused", "cuda_gemv", counters))
    cells.append(three_digits(1000 * of(kernels, "cuda_gemv", "modelled_energy", "joules")))
    cells.append(saved(kernels, "fused", "modelled_energy", "cuda_gemv"))
    return cells + [percent(paper.get("percent_of_energy_saved"))]


MISSES = "lab__l2_sectors_missed_per_1000_inst.ratio"


def study_misses(kernels, _paper):
    """Figure 2: sectors from DRAM in 1000 instructions of warps."""
    found = [of(kernels, name, "counters", MISSES) for name in UNFUSED + FUSED]
    return [f"{value:.3g}" if value is not None else "" for value in found]


def study_product(kernels, _paper):
    """Figure 7: of step 07 and of cuBLAS."""
    times = [of(kernels, name, "time_ms", "median") for name in ("placed", "cublas")]
    cells = [three_digits(time) if time else "" for time in times]
    return cells + [f"{times[0] / times[1]:.2f}x" if all(times) else ""]


COMPONENTS = ["arithmetic", "shared_memory", "l2", "dram"]


def shares(kernels, name, over):
    """Energy by component, of that of another row; None where it was not modelled."""
    own, base = of(kernels, name, "modelled_energy"), of(kernels, over, "modelled_energy", "joules")
    return [own[component] / base for component in COMPONENTS] if own and base else None


def study_unfused_energy(kernels, _paper):
    """Figure 1: of the unfused forms."""
    cells = []
    for name in UNFUSED[:2]:
        found = shares(kernels, name, name)
        cells += [percent(100 * share) for share in found] if found else [""] * len(COMPONENTS)
    return cells


def base_of(kernels):
    """What energies refer to: what the library is part of, or on the simulator what has its place."""
    return "cublas_unfused" if of(kernels, "cublas_unfused", "modelled_energy") else "cuda_unfused"


def study_components(kernels, _paper):
    """Figure 9: of all forms, of the sum of the unfused one."""
    cells = []
    for name in UNFUSED + FUSED:
        found = shares(kernels, name, base_of(kernels))
        cells.append(" + ".join(f"{100 * share:.1f}" for share in found) if found else "")
    return cells


def study_dram(kernels, _paper, over=None):
    """The energy of DRAM that fusion saves, and what that is of all."""
    cells = []
    over = over or base_of(kernels)
    base = shares(kernels, over, over)
    for name in FUSED:
        own = shares(kernels, name, over)
        if own and base and base[3] > 0:
            cells += [percent(100 * (1 - own[3] / base[3])), percent(100 * (base[3] - own[3]))]
            cells.append(percent(100 * (sum(base[:3]) - sum(own[:3]))))
        else:
            cells += [""] * 3
    return cells


def study_layouts(kernels):
    """A line for each kernel of the step's own study: figure 5's layout, and what the paper weighs it against."""
    figure_5 = of(kernels, "microtiles", "time_ms", "median")
    for name, kernel in kernels.items():
        if kernel.get("stage") != LAYOUTS and name != "fused":
            continue
        counters, time = kernel.get("counters", {}), of(kernels, name, "time_ms", "median")
        products = counters.get("smsp__sass_thread_inst_executed_op_ffma_pred_on.sum", 0) / 32
        counted = [
            counters.get("smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"),
            counters.get("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum"),
            counters.get("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"),
        ]
        yield [
            f"`{name}`",
            three_digits(time) if time else "",
            f"{figure_5 / time:.2f}" if figure_5 and time else "",
            str(kernel["block"][0]) if "block" in kernel else "",
            str(kernel.get("registers", "")),
            str(kernel.get("local_bytes", "")),
            f"{100 * kernel['occupancy']:.0f} %" if "occupancy" in kernel else "",
        ] + [f"{count / products:.3f}" if count is not None and products else "" for count in counted]


def study_crossover(kernels, paper):
    """The paper's own kernel beside the forms with the library's product."""
    own = of(kernels, "microtiles", "time_ms", "median")
    bases = [of(kernels, name, "time_ms", "median") for name in ("cublas_unfused", "step08.cublas_gemv")]
    cells = [three_digits(time) if time else "" for time in (own, *bases)]
    bases += [of(kernels, name, "time_ms", "median") for name in ("micro_unfused", "micro_gemv")]
    cells += [f"{base / own:.2f}x" if own and base else "" for base in bases]
    return cells + study_speedup({}, paper)[-1:]


STUDY = {
    "crossover": (
        study_crossover,
        ["`microtiles` ms", "`cublas_unfused` ms", "`cublas_gemv` ms"]
        + [f"speed of `microtiles` relative to `{other}`" for other in ("cublas_unfused", "cublas_gemv", "micro_unfused", "micro_gemv")]
        + ["GTX 970, Fused relative to cuBLAS"],
    ),
    "misses": (study_misses, [f"`{name}`" for name in UNFUSED + FUSED]),
    "product": (study_product, ["`placed` ms", "cuBLAS ms", "`placed` time / cuBLAS time"]),
    "unfused_energy": (
        study_unfused_energy,
        [
            head
            for name in UNFUSED[:2]
            for head in [f"`{name}`: arithmetic", "shared memory", "L2", "DRAM"]
        ],
    ),
    "components": (study_components, [f"`{name}`" for name in UNFUSED + FUSED]),
    "dram": (
        study_dram,
        [
            head
            for name in FUSED
            for head in (f"`{name}`: DRAM energy saved", "as a share of all energy", "saved in other components, of all energy")
        ],
    ),
    "error": (study_error, [f"`{name}`" for name in UNFUSED + FUSED]),
    "time": (study_time, [f"`{name}` ms" for name in UNFUSED + FUSED]),
    "efficiency": (
        study_efficiency,
        [f"`{name}`" for name in UNFUSED + FUSED] + ["GTX 970, cuBLAS 7.0", "GTX 970, Fused"],
    ),
    "speedup": (
        study_speedup,
        [f"speed of `{name}` relative to `{over}`" for name in FUSED for over in UNFUSED] + ["GTX 970, Fused relative to cuBLAS"],
    ),
    "energy": (
        study_energy,
        ["`cublas_unfused` mJ, measured"]
        + [f"saved by `{name}`, measured" for name in FUSED]
        + ["`cublas_unfused` mJ, modelled"]
        + [f"saved by `{name}`, modelled" for name in FUSED]
        + ["GTX 970, saved by Fused"],
    ),
    "traffic": (
        study_traffic,
        [
            head
            for what in ("L2 sectors", "DRAM bytes")
            for head in [f"`cublas_unfused` {what}"]
            + [f"`{name}` / `{over}`" for name in FUSED for over in UNFUSED[:2]]
        ],
    ),
    "simulated": (
        study_simulated,
        ["`cuda_gemv` ms", "`fused` ms", "speedup", "paper's speedup, relative to cuBLAS"]
        + ["`cuda_gemv`, of peak", "paper's cuBLAS", "`fused`, of peak", "paper's Fused"],
    ),
    "simulated_traffic": (
        study_simulated_traffic,
        ["`cuda_gemv` L2 sectors", "`fused` / `cuda_gemv`", "`cuda_gemv` DRAM bytes", "`fused` / `cuda_gemv`"]
        + ["`cuda_gemv` mJ", "energy saved by `fused`", "saved in the paper, relative to cuBLAS"],
    ),
}


# The tables of what is saved, against the other unfused form.
for saving in ("dram", "energy"):
    make_saving, heads = STUDY[saving]
    STUDY[f"{saving}_gemv"] = (
        functools.partial(make_saving, over="cublas_gemv"),
        [head.replace("cublas_unfused", "cublas_gemv") for head in heads],
    )


# What a run of the sweep is of.
PAPER, PRODUCTS, LAYOUTS = "paper", "products", "08.microtiles"


def part_of(problem, kernels):
    if problem["family"] == "gemm":
        return PRODUCTS
    return LAYOUTS if any(kernel.get("stage") == LAYOUTS for kernel in kernels.values()) else PAPER


def runs_of(studies, target, part):
    """(device, date, runs by K and M) of each GPU; what was recorded a K at a time is put together."""
    devices = {}
    for study in sorted((s for s in studies if s.target == target), key=lambda s: s.date):
        for problem, kernels, paper in study.rows():
            if part_of(problem, kernels) == part:
                device = devices.setdefault(study.device["name"], {})
                device[problem["k"], problem["m"]] = (kernels, paper)
                device["date"] = study.date
    return [(name, found.pop("date"), dict(sorted(found.items()))) for name, found in devices.items()]


def of_part(table_name):
    return {"product": PRODUCTS, "layouts": LAYOUTS, "crossover": LAYOUTS}.get(table_name.removeprefix("simulated_"), PAPER)


def block_study(file, arguments, context):
    """A table of a recorded study: table=time, error, efficiency, speedup, energy, traffic, misses, product, dram,
    unfused_energy, components, layouts or crossover, dram_gemv and energy_gemv against the other unfused form; or of what the simulator models: table=simulated, simulated_traffic, or
    simulated_ before one of the others. m=524288, k=32: of this M or K alone."""
    options = options_in(arguments)
    name = options["table"]
    simulated = name.startswith("simulated")
    studies = context.simulated_studies if simulated else context.studies
    name = name if name in STUDY else name.removeprefix("simulated_")
    parts = []
    for device, date, runs in runs_of(studies, "step08", of_part(name)):
        for place, option in enumerate("km"):
            if option in options:
                runs = {size: run for size, run in runs.items() if size[place] == int(options[option])}
        if name == "layouts":
            columns = ["kernel", "ms", "speed", "threads", "registers", "local bytes", "occupancy"]
            columns += ["wavefronts", "conflicts", "sectors"]
            beside = next((found for other, _, found in runs_of(studies, "step08", PAPER) if other == device), {})
            rows = [
                [str(k), str(m)] + cells
                for (k, m), (kernels, _) in runs.items()
                for cells in study_layouts({"fused": beside.get((k, m), ({},))[0].get("fused", {}), **kernels})
            ]
        else:
            make, columns = STUDY[name]
            papers = {size: paper for other, _, found in runs_of(studies, "step08", PAPER) if other == device
                      for size, (_, paper) in found.items()}
            rows = [[str(k), str(m)] + make(kernels, papers.get((k, m), paper)) for (k, m), (kernels, paper) in runs.items()]
        # A column that no run has a figure for is left out.
        keep = [0, 1] + [c + 2 for c in range(len(columns)) if any(row[c + 2] for row in rows)]
        if len(keep) == 2:
            continue
        head = ["K", "M"] + columns
        text = table([head[c] for c in keep], [[row[c] for c in keep] for row in rows])
        parts.append(f"{text}\n\n{device}, n = 1024, {date}.")
    return "\n\n".join(parts) or NOTHING_YET
