"""What the page generators share: the registry of steps and the recorded results."""

import difflib
import json
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parent.parent
RESULTS = ROOT / "docs" / "results"


class Step:
    """One line of steps/steps.def."""

    def __init__(self, number, directory, parent, family, title):
        self.number, self.directory, self.parent = number, directory, parent
        self.family, self.title = family, title
        self.name = directory.split("_", 1)[1].replace("_", " ").replace("2d", "2D")
        self.path = ROOT / "steps" / directory
        self.readme = self.path / "README.md"
        self.kernel = self.path / "kernel.cu"
        self.target = "step" + number


def steps():
    """The series in its order."""
    text = (ROOT / "steps" / "steps.def").read_text()
    pattern = r'^LAB_STEP\("([^"]*)", "([^"]*)", "([^"]*)", "([^"]*)", \d+, "([^"]*)"\)'
    series = [Step(*found) for found in re.findall(pattern, text, re.M)]
    listed = {step.directory for step in series}
    there = {path.name for path in (ROOT / "steps").glob("[0-9][0-9]_*")}
    if listed != there or len(listed) != text.count("\nLAB_STEP("):
        raise SystemExit(f"steps/steps.def and the directories differ: {sorted(listed ^ there)}")
    return series


class Run:
    """One recorded run: a JSON file that `./run TARGET --json FILE` wrote."""

    def __init__(self, path):
        self.path = path
        data = json.loads(path.read_text())
        if data.get("schema") != 1:
            raise SystemExit(f"{path}: schema {data.get('schema')!r} is not known here")
        self.target, self.runtime, self.device = data["target"], data["runtime"], data["device"]
        self.problem, self.status = data["problem"], data["status"]
        self.date = data.get("date", "")
        self.kernels = {kernel["name"]: kernel for kernel in data["kernels"]}

    @property
    def size(self):
        """(m, n, k), or what the problem has of these and p, q"""
        return tuple(self.problem[name] for name in "mnkpq" if name in self.problem)

    @property
    def shape(self):
        """"4096" for a cube, else "64 x 64 x 4096"."""
        return str(self.size[0]) if len(set(self.size)) == 1 else " x ".join(map(str, self.size))

    @property
    def own(self):
        """The step's rows: neither the reference nor those of the steps it is compared with."""
        others = re.compile(r"cublas$|cublas_in_place$|cublas_alone$|step\d\d\b")
        return [
            kernel
            for name, kernel in self.kernels.items()
            if name.startswith(self.target) or not others.match(name)
        ]

    @property
    def last(self):
        """The row that stands for the step: the last one of its own."""
        return self.own[-1]

    @property
    def is_plain(self):
        """alpha 1, beta 0, and nothing failed: fit for the tables."""
        return (
            self.status == "ok"
            and self.problem.get("alpha", 1) == 1
            and self.problem.get("beta", 0) == 0
        )


class Study:
    """A recorded parameter study: a JSON file that `./run sweep TARGET --json FILE` wrote."""

    def __init__(self, path):
        data = json.loads(path.read_text())
        self.target, self.device, self.date = data["target"], data["device"], data["date"]
        self.runs = data["runs"]

    def rows(self):
        """(problem, kernels by name, the paper's values or {}) of each run."""
        for run in self.runs:
            kernels = {kernel["name"]: kernel for kernel in run["kernels"]}
            yield run["problem"], kernels, run.get("paper", {})


def studies(folder=RESULTS, runtime="gpu"):
    """All recorded studies that were taken on a GPU, or on the simulator."""
    found = [(path, json.loads(path.read_text())["runtime"]) for path in sorted(folder.glob("sweep-*.json"))]
    return [Study(path) for path, taken_on in found if taken_on == runtime]


def runs(folder=RESULTS):
    """All recorded runs that may be shown, by device, target and size."""
    found = [Run(path) for path in sorted(folder.glob("step*.json"))]
    return sorted((r for r in found if r.is_plain), key=lambda r: (r.device["name"], r.target, r.size))


def profiles(folder=RESULTS):
    """Recorded counters of steps that solve other problems than the matrix product."""
    return [Run(path) for path in sorted(folder.glob("profile-*.json"))]


class Counted:
    """Hardware counters of every row at one size: a file that docs/record.sh wrote."""

    # Column head, format, and the figure from the counters of one launch.
    COLUMNS = [
        ("instructions", "{:.2f}", lambda c, products: c["smsp__inst_executed.sum"] / products),
        (
            "global load sectors",
            "{:.3g}",
            lambda c, products: c["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"] / products,
        ),
        (
            "shared read wavefronts",
            "{:.3g}",
            lambda c, products: c[
                "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"
            ]
            / products,
        ),
        (
            "shared write wavefronts",
            "{:.3g}",
            lambda c, products: c[
                "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum"
            ]
            / products,
        ),
        (
            "issue slots used",
            "{:.0f} %",
            lambda c, _: c["smsp__issue_active.avg.pct_of_peak_sustained_active"],
        ),
        (
            "warps active",
            "{:.0f} %",
            lambda c, _: c["sm__warps_active.avg.pct_of_peak_sustained_active"],
        ),
    ]

    def __init__(self, path):
        data = json.loads(path.read_text())
        self.runtime = data["runtime"]
        self.device, self.problem, self.date = data["device"], data["problem"], data["date"]
        self.rows = {kernel["name"]: kernel["counters"] for kernel in data["kernels"]}

    def cells(self, name):
        """The row's figures as text; per product where that makes sense (a warp's multiply
        instruction: 32 multiply-adds)."""
        counters = self.rows[name]
        products = counters["smsp__sass_thread_inst_executed_op_ffma_pred_on.sum"] / 32
        return [form.format(figure(counters, products)) for _, form, figure in self.COLUMNS]


# What the simulator counts as a GPU does: head of a column, and the name that both use.
AGREED = [
    ("FFMA, per thread", "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum"),
    ("global load requests", "smsp__inst_executed_op_global_ld.sum"),
    ("sectors loaded", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"),
    ("global store requests", "smsp__inst_executed_op_global_st.sum"),
    ("sectors stored", "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"),
    ("shared load requests", "smsp__inst_executed_op_shared_ld.sum"),
    ("wavefronts, loads", "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"),
    ("shared store requests", "smsp__inst_executed_op_shared_st.sum"),
    ("wavefronts, stores", "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum"),
]
AGREED_WITHIN = 0.02


def difference(simulated, measured):
    """The simulator's count against a GPU's, as a share of the latter; None where a name is missing."""
    if simulated is None or measured is None:
        return None
    if measured == 0:
        return 0.0 if simulated == 0 else float("inf")
    return simulated / measured - 1


def counted(folder=RESULTS, runtime="gpu"):
    """All recorded counters of GPUs, or of the simulator."""
    found = [Counted(path) for path in sorted(folder.glob("counters-*.json"))]
    return sorted((c for c in found if c.runtime == runtime), key=lambda c: c.problem["m"])


def diff(old, new):
    """Lines of the unified diff between two steps' kernels."""
    return list(
        difflib.unified_diff(
            old.kernel.read_text().splitlines(),
            new.kernel.read_text().splitlines(),
            str(old.kernel.relative_to(ROOT)),
            str(new.kernel.relative_to(ROOT)),
            lineterm="",
        )
    )
