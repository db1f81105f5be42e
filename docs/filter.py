#!/usr/bin/env python3
"""Doxygen's input filter: prints one file of the repository as Doxygen is to read it.

Markdown files are written for a forge. Here their headings get labels, their links between files
become references (a link with `<!-- child -->` behind it a page below this one), and what a forge cannot show is added: the tree of pages, the step map, the
coloured change of a step and its whole kernel, and long tables. Headers get the group of their directory.
"""

import html
import os
import pathlib
import re
import sys

import generate
import lab

FENCE = re.compile(r"^(```|~~~)")
FOLD = re.compile(r"(<details><summary>[^<]*</summary>|</details>)$")  # a line around blocks
LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s]+)\)(<!-- child -->)?")
EXERCISE = re.compile(r"^\| \[(\w+)\](?=\(\.\./\.\./exercises/)")  # its row in the table of them
GROUPS = [  # longest directory first
    ("harness/sim/ptx", "sim_ptx"),
    ("harness/sim/fatbin", "sim_fatbin"),
    ("harness/sim/arithmetic", "sim_opcodes"),
    ("harness/sim/decoding", "sim_decoding"),
    ("harness/sim/counting", "sim_counting"),
    ("harness/sim/machine", "sim_machine"),
    ("harness/sim/control", "sim_opcodes"),
    ("harness/sim/access", "sim_opcodes"),
    ("harness/sim/memory", "sim_memory"),
    ("harness/sim/launch", "sim_launch"),
    ("harness/sim/check", "sim_check"),
    ("harness/sim/cache", "sim_counting"),
    ("harness/sim/runtime", "sim_runtime"),
    ("harness/sim/cublas", "sim_cublas"),
    ("harness/sim", "sim"),
    ("harness/grade/recorded_launches", "grade_recorded_launches"),
    ("harness/grade/formats", "grade_formats"),
    ("harness/grade/outcome", "grade_outcome"),
    ("harness/grade/sandbox", "grade_sandbox"),
    ("harness/grade/timer", "grade_timer"),
    ("harness/families", "families"),
    ("harness/exercise", "exercise"),
    ("harness/measure", "measure"),
    ("harness/options", "options"),
    ("harness/machine", "machine"),
    ("harness/report", "report"),
    ("harness/series", "series"),
    ("harness/grade", "grade"),
    ("harness/base", "base"),
    ("harness/run", "run"),
    ("harness", "harness"),
    ("common", "contract"),
]


PAGES = {
    lab.ROOT / "README.md": "mainpage", lab.ROOT / "CONTRIBUTING.md": "contributing", lab.ROOT / "CHANGELOG.md": "changelog",
    lab.ROOT / "harness" / "sim" / "README.md": "simulator_itself", lab.ROOT / "harness" / "README.md": "harness_rooms",
    lab.ROOT / "harness" / "studies" / "README.md": "studies",
}


# --- pages ----------------------------------------------------------------------------------------


def page_of(path, steps):
    """The label of the page that a Markdown file becomes, or None."""
    if path.parent == lab.ROOT / "docs" / "pages":
        return path.stem
    return PAGES.get(path) or next((step.target for step in steps if path == step.readme), None)


def source_label(stage):
    """The anchor of a kernel file that stands whole on its step's page."""
    return stage.target.replace(".", "_") + "_source"


def slug(heading):
    """The anchor that a forge makes of a heading."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def section(page, anchor):
    return f"{page}_{anchor}".replace("-", "_")


def reference(path, target, steps):
    """What Doxygen is to link to in place of a relative link, or None: no such page there."""
    name, _, anchor = target.partition("#")
    file = (path.parent / name).resolve() if name else path
    if lab.ROOT / "exercises" in file.parents:
        return "exercises"  # a file to be written in, no page: the page of all of them
    if file.suffix == ".cu":
        stages = [stage for step in steps for stage in step.stages]
        return next((source_label(stage) for stage in stages if stage.kernel == file), None)
    if not file.exists():
        sys.exit(f"{path}: link to {target}, which does not exist")
    page = page_of(file, steps)
    if page and anchor:
        return section(page, anchor)
    return "index" if page == "mainpage" else page


def convert_links(line, path, steps):
    def convert(found):
        is_image, text, target, is_child = found.groups()
        if "://" in target:
            return found.group(0)
        if is_image:
            return f"![{text}]({pathlib.Path(target).name})"
        label = reference(path, target, steps)
        text = re.sub(r"\s*\n\s*", " ", text)
        if is_child:  # a page below this one in the sidebar
            return f'\\subpage {label} "{text}"'
        return f"[{text}](@ref {label})" if label else text

    return LINK.sub(convert, line)


def convert_markdown(path, steps):
    page = page_of(path, steps)
    lines, paragraph, fenced, titled = [], [], False, False

    def end_paragraph():  # converted as a whole, since a link may go on in the next line
        if paragraph:
            lines.append(convert_links("\n".join(paragraph), path, steps))
            paragraph.clear()

    for line in generate.built(path).splitlines():
        if not fenced and FOLD.match(line):
            end_paragraph()
            lines.append(raw(line))  # Doxygen would close it before the block
            continue
        heading = None if fenced else re.match(r"(#+) (.*)", line)
        if not (fenced or heading or FENCE.match(line) or line.startswith("<!--")) and line.strip():
            paragraph.append(EXERCISE.sub(r"| \\anchor exercise\1 [\1]", line))
            continue
        end_paragraph()
        if FENCE.match(line):
            fenced = not fenced
        elif heading and not titled:
            line, titled = f"{line} {{#{page}}}", True
        elif heading:
            # An anchor, not a label: labelled sections would fill the sidebar.
            lines.append(f"\\anchor {section(page, slug(heading.group(2)))}\n")
            if line.startswith("## Run"):
                lines.append(run_as_page(page))
        elif not fenced and line.startswith("<!-- end links"):
            lines.append("</div>\n")
        elif not fenced and line.startswith("<!-- begin links"):
            lines.append('\n<div class="step-links">\n')
        lines.append(line)
    end_paragraph()
    return lines


# --- additions ------------------------------------------------------------------------------------


def diff_html(old, new):
    """The change from one stage to the next, coloured, as one block of HTML."""
    kinds = {"+": "added", "-": "removed", "@": "place"}
    rows = []
    for line in lab.diff(old, new)[2:]:
        kind = kinds.get(line[0], "same")
        rows.append(f'<span class="{kind}">{html.escape(line) or " "}</span>')
    return '<div class="step-diff"><pre>' + "\n".join(rows) + "</pre></div>"


def raw(text):
    return f"\n\\htmlonly[block]\n{text}\n\\endhtmlonly\n"


def changes_of(stage):
    """The change to what it builds on and the whole kernel file, each folded."""
    parts = []
    if stage.parent:
        parts.append(
            raw(
                f"<details><summary>The change from {stage.parent.number} to {stage.number}"
                f"</summary>{diff_html(stage.parent, stage)}</details>"
            )
        )
    name = stage.kernel.name
    parts.append(raw(f"<details><summary>The whole {name} of step {stage.step.number}</summary>"))
    parts.append(f"\n\\anchor {source_label(stage)}\n")
    parts.append(f"\\include{{lineno}} steps/{stage.step.directory}/{name}\n")
    parts.append(raw("</details>"))
    return "\n".join(parts)


def run_as_page(page):
    """A link to the page that docs/build.sh made of a run, where there is one."""
    if not (pathlib.Path(os.environ.get("LAB_DOCS_RUNS", "")) / f"{page}.html").exists():
        return ""
    words = "its source with what each line does, and one warp's lanes over the banks and sectors"
    return raw(f'<p><a href="runs/{page}.html">A run of this step as a page</a>: {words}, as <code>--html</code> writes it.</p>')


def step_map(steps):
    """The tree of steps as a graph; each node links to its page."""
    lines = ["\\dot", "digraph steps {", "rankdir=LR; bgcolor=transparent; nodesep=0.25; ranksep=0.3;"]
    lines.append('node [shape=box style="rounded,filled" fillcolor="#e8f1e4" color="#6b9a4b"')
    lines.append('fontname="Helvetica" fontsize=11 fontcolor="#1d2b14" margin="0.12,0.08"];')
    lines.append('edge [color="#8a8a8a" arrowsize=0.7];')
    for step in steps:
        label = f"{step.number}\\n{step.name.replace(' ', chr(92) + 'n', 1)}"
        lines.append(
            f'"{step.number}" [label="{label}" URL="\\ref {step.target}" tooltip="{step.title}"];'
        )
        if step.parent:
            lines.append(f'"{step.parent.number}" -> "{step.number}";')
    return "\n".join(lines + ["}", "\\enddot"])


def markdown(path):
    steps = lab.steps()
    page = page_of(path, steps)
    if page is None:
        sys.exit(f"{path}: docs/filter.py knows no page for this file")
    text = "\n".join(convert_markdown(path, steps))
    step = next((step for step in steps if step.target == page), None)
    for stage in step.stages if step else []:
        if "<!-- end changes -->" not in text:
            sys.exit(f"{path}: no block of changes for stage {stage.number}")
        text = text.replace("<!-- end changes -->", changes_of(stage), 1)
    return text.replace("<!-- site: step map -->", step_map(steps))


def header(path):
    """The header, all of it in the group of its directory; line numbers stay."""
    relative = str(path.relative_to(lab.ROOT))
    group = next(name for directory, name in GROUPS if relative.startswith(directory + "/"))
    start, end, rest = path.read_text().rstrip("\n").partition("*/")
    return f"{start}{end} /** @addtogroup {group} */ /** @{{ */{rest} /** @}} */"


def main():
    path = pathlib.Path(sys.argv[1]).resolve()
    print(markdown(path) if path.suffix == ".md" else header(path))


if __name__ == "__main__":
    sys.exit(main())
