"""Blocks of the series as a whole and of its order: tables of steps, links, changes, excerpts of code."""

import shlex

from .cells import NOTHING_YET, Stale, measured_on, share, table, tflops


def block_series(_file, _arguments, context):
    """README: TFLOP/s of every step at every recorded cube, the reference last."""
    if not context.cubes:
        return NOTHING_YET
    sizes = sorted({run.size for run in context.cubes})
    found = {(run.target, run.size): run for run in context.cubes}
    rows = []
    for step in context.products:
        cells = []
        for size in sizes:
            run = found.get((step.target, size))
            cells.append(f"{tflops(run.last)} ({share(run.last)})" if run else "")
        rows.append([f"[{step.number} {step.name}](steps/{step.directory}/README.md)"] + cells)
    reference = []
    for size in sizes:
        last = [run for run in context.cubes if run.size == size][-1]
        reference.append(tflops(last.kernels["cublas"]))
    rows.append(["cuBLAS"] + reference)
    head = ["TFLOP/s (share of cuBLAS)"] + [f"m = n = k = {size[0]}" for size in sizes]
    return table(head, rows) + "\n\n" + measured_on(context.cubes)


def block_steps(_file, _arguments, context):
    """README: the series, with the speed of each step at the largest cube recorded for all."""
    runs = context.cubes
    sizes = [{r.size for r in runs if r.target == step.target} for step in context.products]
    common = sorted(set.intersection(*sizes)) if sizes else []
    best = {r.target: r.last for r in runs if common and r.size == common[-1]}
    rows = []
    for step in context.steps:
        row = [f"[{step.number} {step.name}](steps/{step.directory}/README.md)", step.title]
        if best:
            run = best.get(step.target)  # other problems have other sizes
            row += [tflops(run), share(run)] if run else ["", ""]
        rows.append(row)
    head = ["step", "idea"]
    if best:
        head += [f"TFLOP/s at {common[-1][0]}", "of cuBLAS"]
    text = table(head, rows).replace("| --- | ---:", "| --- | ---", 1)
    return text


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
    if not step.parent:
        return f"*{title}.* The first step."
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


def block_changes(file, arguments, context):
    """How much a stage changes; the change itself is on the site and in `make diffNN`."""
    step = context.step_of(file)
    stage = stage_of(step, dict(word.split("=", 1) for word in shlex.split(arguments)))
    name = stage.kernel.name
    what = "step" if len(step.stages) == 1 else "stage"
    if not stage.parent:
        return f"The first {what} of its problem changes nothing; it is whole in [{name}]({name})."
    added, removed = context.diff_size(stage)
    parent = stage.parent
    of = "step" if len(parent.step.stages) == 1 else "stage"
    return (
        f"`make diff{stage.number}` prints what this {what} changes in {of} {parent.number}: "
        f"{added} lines added and {removed} removed.\n"
        f"The whole kernel file is [{name}]({name})."
    )


def block_code(file, arguments, context):
    """Lines of a stage's kernel file: from="text" to="text" [in="text"] [stage=S], the first that fit.

    The excerpt begins at the first line that contains `from`, after the first that contains `in`,
    and ends with the next that contains `to` and the braces that close what it opened.
    """
    options = dict(word.split("=", 1) for word in shlex.split(arguments))
    kernel = stage_of(context.step_of(file), options).kernel
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
    return "```cuda\n" + "\n".join(cut) + "\n```"
