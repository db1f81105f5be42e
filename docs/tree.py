#!/usr/bin/env python3
"""Puts the series into the tree at the side of the built site: steps with their stages, exercises, concepts.

Doxygen fetches what is below a page when it is unfolded, and unfolds the way to the page that is shown. Here all of
it is in the page at once, and docs/tree.js unfolds it. On a telephone, which has no side, the menu leads to the three.
"""

import html
import json
import pathlib
import re
import sys

import lab

HEADING = r'<a class="anchor" id="(%s_[^"]*)"></a> </p><h\d>%s:? (.*?)</h\d>'
MENU = [("Steps", "walkthrough.html"), ("Exercises", "exercises.html"), ("Concepts", "concepts.html")]


def below(folder, page):
    """What Doxygen has below a page, in its order: name, file, what is below that."""
    data = (folder / "navtreedata.js").read_text()
    pages = json.loads(re.search(r"var NAVTREE =\s*(\[.*?\]);\s*var ", data, re.DOTALL)[1])[0][2]
    found = next(children for _, file, children in pages if file == f"{page}.html")
    if not isinstance(found, str):
        return found # a short list stands there itself, since Doxygen 1.9.7
    return json.loads((folder / f"{found}.js").read_text().split("=", 1)[1].rstrip(" ;\n"))


def stages(folder, step):
    """A node for each stage of a step that has several."""
    text = (folder / f"{step.target}.html").read_text()
    nodes = []
    for stage in step.stages if len(step.stages) > 1 else []:
        found = re.search(HEADING % (step.target, re.escape(stage.number)), text)
        if not found:
            sys.exit(f"{step.readme}: no heading for stage {stage.number}")
        nodes.append([f"{stage.number} {html.unescape(found[2])}", f"{step.target}.html#{found[1]}", None])
    return nodes or None


def exercises(folder):
    """A node for each, in the order of its page."""
    names = {path.name.split("_", 1)[0]: path.name.replace("_", " ") for path in (lab.ROOT / "exercises").glob("*/")}
    numbers = re.findall(r'<a class="anchor" id="exercise(\d\w+)"></a>', (folder / "exercises.html").read_text())
    if sorted(numbers) != sorted(names):
        sys.exit(f"docs/pages/exercises.md: its table has exercises {numbers}, the folder has {sorted(names)}")
    return [[names[number], f"exercises.html#exercise{number}", None] for number in numbers]


def main():
    folder = pathlib.Path(sys.argv[1])
    steps = {f"{step.target}.html": step for step in lab.steps()}
    series = [[name, file, stages(folder, steps[file])] for name, file, _ in below(folder, "walkthrough")]
    tree = {"walkthrough.html": series, "concepts.html": below(folder, "concepts"), "exercises.html": exercises(folder)}
    with (folder / "navtreedata.js").open("a") as data:
        data.write(f"\nconst series = {json.dumps(tree)};\n{(lab.ROOT / 'docs' / 'tree.js').read_text()}")
    menu = folder / "menudata.js"
    entries = "".join(f'{{text:"{name}",url:"{file}"}},\n' for name, file in MENU)
    menu.write_text(menu.read_text().replace('{text:"Pages"', entries + '{text:"Pages"', 1))


if __name__ == "__main__":
    sys.exit(main())
