"""Blocks of the series as a whole and of its order: tables of steps, links, changes, excerpts of code."""

import os
import re

import lab

from .cells import NOTHING_YET, Stale, by_device, measured_on, options_in, table, tflops


# What the table of all steps shows of a problem: the recorded run of these sizes. The warm-ups have no FLOP to count.
SHOWN = {
    "gemm": {"m": 4096, "n": 4096, "k": 4096},
    "kernel_summation": {"m": 131072, "n": 1024, "k": 32},
    "trmm": {"n": 4096, "m": 4096},
    "syr2k": {"n": 256, "p": 256, "q": 256},
    "apsp": {"n": 8192},
    "md": {"n": 10000},
}


# A row that the fastest one is compared with in place of the slowest: the last one before the idea of the step.
BEFORE = {"13": "slices"}


def beside(run, kernel):
    """What the fastest row is compared with: the reference, a row that is named, or the slowest row of the same run."""
    if "percent_of_reference" in kernel:
        reference = next(name for name in run.kernels if name.startswith(("cublas", "host")))
        name = {"cublas": "cuBLAS", "host": "the host"}.get(reference, f"`{reference}`")
        if kernel["percent_of_reference"] < 1000:
            return f"{kernel['percent_of_reference']:.0f} % of {name}"
        return f"{kernel['percent_of_reference'] / 100:.0f} times {name}"
    before = BEFORE.get(run.target.removeprefix("step"))
    if before:
        return f"{kernel['gflops'] / run.kernels[before]['gflops']:.2f} times `{before}`"
    slowest = min(run.own, key=lambda row: row["gflops"])
    return f"{kernel['gflops'] / slowest['gflops']:.0f} times `{slowest['name']}`"


def recorded_run(step, gpu):
    """The recorded run that stands for a step, without options of its own, or None."""
    sizes = SHOWN.get(step.family, {})
    runs = [
        run
        for run in gpu
        if run.target == step.target
        and run.problem["type"] in ("f32", "f64")
        and all(run.problem.get(name) == size for name, size in sizes.items())
    ]
    return min(runs, key=lambda run: len(run.path.stem), default=None)


def block_series(_file, _arguments, context):
    """README: every step with its idea, the problem it is shown on, its fastest row's speed, and what that is
    compared with."""
    rows, shown = [], []
    for step in (step for step in context.steps if step.family in SHOWN):
        sizes = SHOWN[step.family]
        run = recorded_run(step, context.gpu)
        link = f"[{step.number} {step.name}](steps/{step.directory}/README.md)"
        if not run:
            rows.append([link, step.title, "", "", "not recorded yet"])
            continue
        shown.append(run)
        fastest = max(run.own, key=lambda row: row["gflops"])
        same = len(set(sizes.values())) == 1
        text = " = ".join([*sizes, str(run.size[0])]) if same else ", ".join(f"{n} = {v}" for n, v in sizes.items())
        kind = ", FP64" if run.problem["type"] == "f64" else ""
        if step.family == "apsp":
            kind = "; additions and minima"
        rows.append([link, step.title, text + kind, tflops(fastest), beside(run, fastest)])
    if not shown:
        return NOTHING_YET
    head = ["step", "idea", "measured on", "TFLOP/s", "that is"]
    text = table(head, rows).replace("| --- | ---: | ---: | ---: | ---: |", "| --- | --- | --- | ---: | --- |", 1)
    return text + "\n\n" + measured_on(shown)


def block_list(_file, _arguments, context):
    """The walkthrough's list of steps, each a page below it."""
    return "\n".join(
        f"- [{step.number} {step.name}](../../steps/{step.directory}/README.md)<!-- child -->:\n  "
        f"{step.title}"
        for step in context.steps
    )


def block_head(file, _arguments, context):
    """A walkthrough's first line under its title."""
    step = context.step_of(file)
    title = step.title[0].upper() + step.title[1:]
    if step.number == "01":
        return f"*{title}.* The first step."
    if not step.parent:
        return f"*{title}.* " + ("Before step 01." if step.number < "01" else "It builds on no other step.")
    parent = step.parent
    link = f"[{parent.number} {parent.name}](../{parent.directory}/README.md)"
    return f"*{title}.* Builds on {link}."


def block_links(file, _arguments, context):
    """Previous, index, next."""
    step = context.step_of(file)
    place = context.steps.index(step)
    parts = []
    if place > 0:
        other = context.steps[place - 1]
        parts.append(f"[← {other.number} {other.name}](../{other.directory}/README.md)")
    parts.append("[all steps](../../README.md#the-steps)")
    if place + 1 < len(context.steps):
        other = context.steps[place + 1]
        parts.append(f"[{other.number} {other.name} →](../{other.directory}/README.md)")
    return " |\n".join(parts)


def stage_of(step, options):
    """The stage that a block's stage=S names, of a step that has several."""
    if len(step.stages) == 1:
        return step.stages[0]
    return step.stages[int(options["stage"]) - 1]


def kind_of(stage):
    """A stage that is alone is called by its step."""
    return "step" if len(stage.step.stages) == 1 else "stage"


def effect_of(stage, context):
    """What a stage brings over its parent, by its fastest row, at up to four recorded sizes; "" before any is recorded."""
    found = {}
    several = False
    for run in next(iter(by_device(run for run in context.gpu if run.target == stage.step.target)), []):
        rows = [row for row in run.own if row.get("stage") == stage.number]
        several = several or len(rows) > 1
        gain = min(rows, key=lambda row: row["time_ms"]["median"]).get("speedup", {}).get("over_parent") if rows else None
        kept = found.get(run.shape)
        # Of two runs of one size, the one without options of its own.
        if gain and (not kept or len(run.path.stem) < len(kept[0].path.stem)):
            found[run.shape] = run, gain
    largest = sorted(found.values(), key=lambda pair: pair[0].problem["flops"])[-4:]
    if not largest:
        return ""
    gains = ", ".join(f"{gain:.2f} at {run.shape}" for run, gain in largest)
    which = "the fastest row of this" if several else "this"
    parent = f"{kind_of(stage.parent)} {stage.parent.number}"
    device = largest[0][0].device["name"]
    return f"\n\nSpeedup of {which} {kind_of(stage)} relative to {parent} on an {device}: {gains}."


def block_changes(file, arguments, context):
    """How much a stage changes, and what that brought; the change itself is on the site and in `make diffNN`."""
    step = context.step_of(file)
    stage = stage_of(step, options_in(arguments))
    name = stage.kernel.name
    what = kind_of(stage)
    if not stage.parent:
        return (
            f"This is the first {what} of the problem, so there is no earlier {what} to compare it with.\n"
            f"The whole kernel file is [{name}]({name})."
        )
    added, removed = context.diff_size(stage)
    parent = stage.parent
    return (
        f"`make diff{stage.number}` prints what this {what} changes in {kind_of(parent)} {parent.number}: "
        f"{added} lines added and {removed} removed.\n"
        f"The whole kernel file is [{name}]({name})." + effect_of(stage, context)
    )


# A function that begins a line, and a call of what is no part of a class or an object.
DEFINED = re.compile(r"^(?!static_assert)[a-z_][^;={]*?\b(?!__)(\w+)\(", re.M)
CALLED = re.compile(r"(?<![\w:.>])([a-z]\w*)(?:<[^;()]*>)?\(")


def functions_called(excerpt, kernel, page):
    """Links to the functions that an excerpt calls and does not show: in its kernel file, and in what that includes."""
    included = re.findall(r'^#include "(.*)"', kernel.read_text(), re.M)
    called = dict.fromkeys(CALLED.findall(re.sub(r"//.*", "", excerpt)))
    links = {}
    beside = [kernel.parent / name for name in included if (kernel.parent / name).exists()]
    common = [lab.ROOT / "common" / name for name in [*included, "step.h"] if kernel.parent / name not in beside]
    for file in [kernel, *beside, *common]:
        text = file.read_text()
        for found in DEFINED.finditer(text):
            if found[1] in called and found[0] not in excerpt:
                line = text.count("\n", 0, found.end()) + 1
                links.setdefault(found[1], f"[{found[1]}()]({os.path.relpath(file, page.parent)}#L{line})")
    return "\n\nNot shown: " + ", ".join(links[name] for name in called if name in links) + "." if links else ""


def block_code(file, arguments, context):
    """Lines of a stage's kernel file, a study's or a header: from="text" to="text" [in="text"]
    [stage=S | study=FILE | header=NAME] [step=NN], the first that fit. A header is of common/.

    The excerpt begins at the first line that contains `from`, after the first that contains `in`,
    and ends with the next that contains `to` and the braces that close what it opened.
    """
    options = options_in(arguments)
    step = context.step_of(file, arguments)
    study = step.path / "study" / f"{options.get('study')}.cu"
    kernel = (
        study if "study" in options
        else lab.ROOT / "common" / options["header"] if "header" in options
        else stage_of(step, options).kernel
    )
    lines = kernel.read_text().splitlines()

    def find(text, start):
        for number in range(start, len(lines)):
            if text in lines[number]:
                return number
        raise Stale(f"{kernel.name} has no line with {text!r} there any more")

    first = find(options["in"], 0) if "in" in options else 0
    first = find(options["from"], first)
    last = find(options["to"], first)
    # Braces that only close what the excerpt opened belong to it.
    while last + 1 < len(lines) and lines[last + 1].strip() == "}":
        text = "".join(lines[first : last + 1])
        if text.count("{") <= text.count("}"):
            break
        last += 1
    excerpt = lines[first : last + 1]
    margin = min(len(line) - len(line.lstrip()) for line in excerpt if line and line[0] != "#")
    cut = [line if line.startswith("#") else line[margin:] for line in excerpt]
    return "```cuda\n" + "\n".join(cut) + "\n```" + functions_called("\n".join(cut), kernel, file)
