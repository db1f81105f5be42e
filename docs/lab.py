"""What the page generators share: the registry of steps and the recorded results."""

import collections
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
RESULTS = ROOT / "docs" / "results"
BUILD = pathlib.Path(os.environ.get("BUILD", ROOT / "build"))


class Stage:
    """One kernel file of a step: a LAB_STAGE of steps/steps.def."""

    def __init__(self, step, number, file, parent, title):
        self.step, self.number, self.title = step, number, title or step.title
        self.kernel = step.path / f"{file}.cu"
        self.base = parent  # the stage that it builds on, or None
        self.target = "step" + number

    @property
    def parent(self):
        """The stage that it changes: what it builds on, where that solves the same problem."""
        return self.base if self.base and self.base.step.family == self.step.family else None


class Step:
    """A LAB_STEP of steps/steps.def."""

    def __init__(self, number, directory, family, title):
        self.number, self.directory = number, directory
        self.family, self.title, self.stages = family, title, []
        self.name = directory.split("_", 1)[1].replace("_", " ").replace("2d", "2D")
        self.path = ROOT / "steps" / directory
        self.readme = self.path / "README.md"
        self.target = "step" + number

    @property
    def parent(self):
        """The step that its first stage builds on, or None."""
        base = self.stages[0].base
        return base.step if base else None


def steps():
    """The series in its order."""
    text = (ROOT / "steps" / "steps.def").read_text()
    field = r'"([^"]*)"'
    step_line = re.compile(rf"LAB_STEP\({field}, {field}, {field}, \d+, {field}\)$")
    stage_line = re.compile(rf'LAB_STAGE\({field}, {field}, {field}, "(?:\d+a?)?", {field}\)$')
    study_line = re.compile(rf"LAB_STUDY\({field}, {field}\)$")
    series, stages = [], {}
    for line in text[text.index("*/") + 2 :].split("\n"):
        if found := step_line.match(line):
            series.append(Step(*found.groups()))
        elif found := stage_line.match(line):
            number, file, parent, title = found.groups()
            stages[number] = Stage(series[-1], number, file, stages[parent] if parent else None, title)
            series[-1].stages.append(stages[number])
        elif (found := study_line.match(line)) and (series[-1].path / f"{found[2]}.cu").exists():
            continue
        elif line:
            raise SystemExit(f"steps/steps.def: this is neither a step nor a stage: {line}")
    listed = {stage.kernel for stage in stages.values()}
    there = set((ROOT / "steps").glob("*/*.cu"))
    if listed != there:
        differ = sorted(str(path.relative_to(ROOT)) for path in listed ^ there)
        raise SystemExit(f"steps/steps.def and the kernel files differ: {', '.join(differ)}")
    for step in series:
        numbers = [step.number] if len(step.stages) == 1 else [
            f"{step.number}.{i + 1}" for i in range(len(step.stages))
        ]
        if [stage.number for stage in step.stages] != numbers:
            raise SystemExit(f"steps/steps.def: the stages of step {step.number} are not {numbers}")
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
        """"4096" for a cube, else "64 x 64 x 4096"; and of a matrix product its form and type where they are not plain."""
        size = str(self.size[0]) if len(set(self.size)) == 1 else " x ".join(map(str, self.size))
        form = self.problem.get("form", ""), self.problem["type"] if self.problem["type"] == "f64" else ""
        shape = " ".join([size, *filter(None, form)]) if self.problem["family"] == "gemm" else size
        return f"{shape}, {self.problem['values']}" if "values" in self.problem else shape

    @property
    def own(self):
        """The step's rows: neither the reference nor those of the steps it is compared with."""
        others = re.compile(r"cublas$|cublas_in_place$|cublas_alone$|step\d\d[a-z]?\b")
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


def runs(folder=RESULTS, kind="step"):
    """All recorded runs that may be shown, by device, target and size; kind="study-step": of a study's kernels. The GPU with most runs comes first, the one
    that the series was measured on as a whole: where one figure stands for all, it is of that GPU."""
    found = [run for run in (Run(path) for path in sorted(folder.glob(f"{kind}*.json"))) if run.is_plain]
    runs_on = collections.Counter(run.device["name"] for run in found)
    return sorted(found, key=lambda r: (-runs_on[r.device["name"]], r.device["name"], r.target, r.size))


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

    # What `--profile` shows for each access: head of the column, what is counted, and the accesses.
    PER_ACCESS = [
        ("sectors per load", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "smsp__inst_executed_op_global_ld.sum"),
        (
            "wavefronts per load",
            "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
            "smsp__inst_executed_op_shared_ld.sum",
        ),
        (
            "wavefronts per store",
            "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
            "smsp__inst_executed_op_shared_st.sum",
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

    def access_cells(self, name):
        """"16.50 x 2": for each access, times the accesses for a multiply-add; "" where there are none."""
        counters = self.rows[name]
        products = counters["smsp__sass_thread_inst_executed_op_ffma_pred_on.sum"] / 32
        cells = []
        for _, counted, accesses in self.PER_ACCESS:
            each = counters[counted] / counters[accesses] if counters[accesses] else 0
            figure = f"{each:.2f}".removesuffix(".00")
            cells.append(f"{figure} x {counters[accesses] / products:.3g}" if each else "")
        return cells


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

# The same of kernels with asynchronous copies, bulk copies and tensor cores.
AGREED_COPIES = [
    ("bulk copies", "sm__sass_inst_executed_op_tma.sum"),
    ("bytes that they load", "l1tex__m_xbar2l1tex_read_bytes_mem_global_op_tma_ld.sum"),
    ("`ldmatrix`", "smsp__inst_executed_op_ldsm.sum"),
    ("sectors loaded", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"),
    ("sectors stored", "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"),
    ("wavefronts, loads", "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"),
    ("wavefronts, stores", "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum"),
]


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
    """Lines of the unified diff between two stages' kernel files, as `make diffNN` prints it."""
    files = [str(stage.kernel.relative_to(ROOT)) for stage in (old, new)]
    labels = [word for file in files for word in ("--label", file)]
    return subprocess.run(
        ["diff", "-u", *labels, *files], cwd=ROOT, capture_output=True, text=True, check=False
    ).stdout.splitlines()


def kept(path):
    """The JSON of a file, None where there is none."""
    return json.loads(path.read_text()) if path.exists() else None


def simulated(*words):
    """What `./run` says in JSON of a run on the simulator."""
    command = [str(ROOT / "run"), *map(str, words), "--runtime=sim", "--json=-"]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT).stdout)


def rewrite(texts, check):
    """Writes each file whose text is another; with `check` says which these are, and returns 1 where there is one."""
    stale = [(path, text) for path, text in texts if not path.exists() or path.read_text() != text]
    for path, text in stale:
        if check:
            print(f"stale: {path.relative_to(ROOT)}; run `make results`", file=sys.stderr)
        else:
            path.write_text(text)
            print(f"rewritten: {path.relative_to(ROOT)}")
    return 1 if stale and check else 0
