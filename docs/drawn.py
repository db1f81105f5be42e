#!/usr/bin/env python3
"""Fails where a browser does not show the series at the side of the built site, or, on a telephone, shows it over a page."""

import json
import pathlib
import re
import subprocess
import sys

PAGES = ["index.html", "step08.html", "exercises.html", "group__sim.html"]
LOOK = """<script>addEventListener("load", () => setTimeout(() => {
const shown = link => link.getClientRects().length > 0 && link.tabIndex >= 0 && link.hasAttribute("href");
const links = [...document.querySelectorAll("#nav-tree .label > a")].filter(shown).map(link => link.textContent);
const selected = document.getElementById("selected"), tree = document.getElementById("nav-tree").getBoundingClientRect();
const place = selected ? selected.getBoundingClientRect() : tree;
const is_wide = document.documentElement.scrollWidth > innerWidth;
const is_covered = !document.elementFromPoint(20, innerHeight / 2).closest("#doc-content");
const toggle = document.querySelector("#nav-tree [aria-label='what is below Concepts']");
const focuses = !!toggle && (toggle.focus(), document.activeElement === toggle);
const seen = {links, is_wide, is_covered, focuses, is_in_view: place.top >= tree.top && place.bottom <= tree.bottom};
const arrow = toggle && toggle.textContent;
if (toggle)
    toggle.click();
document.title = JSON.stringify({...seen, folds: !!toggle && toggle.textContent !== arrow});
}, 2000))</script></body>"""


def names(nodes):
    """Of all nodes and what is below them."""
    return [name for node in nodes for name in [node[0], *names(node[2] or [])]]


def look(folder, page, width):
    """What a browser shows of a page."""
    tried = folder / "drawn.html"
    tried.write_text((folder / page).read_text().replace("</body>", LOOK))
    browser = ["chromium-headless-shell", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=5000"]
    command = [*browser, f"--window-size={width},900", "--enable-logging=stderr", "--dump-dom", tried.as_uri()]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    tried.unlink()
    title = re.search(r"<title>(\{.*?\})</title>", ran.stdout)
    complaints = re.findall(r".*CONSOLE.*", ran.stderr)
    if complaints or not title:
        sys.exit(f"docs: {page} in a browser: {complaints or ran.stderr[-500:]}")
    return json.loads(title[1])


def main():
    folder = pathlib.Path(sys.argv[1]).resolve()
    data = (folder / "navtreedata.js").read_text()
    series = json.loads(re.search(r"^const series = (.*);$", data, re.M)[1])
    wanted = [name for nodes in series.values() for name in names(nodes)]
    for page in PAGES:
        wide, narrow = look(folder, page, 1280), look(folder, page, 390)
        missing = [name for name in wanted if name not in wide["links"]]
        if missing:
            sys.exit(f"docs: the side of {page} lacks {', '.join(missing)}")
        for seen in ("focuses", "folds", "is_in_view"):
            if not wide[seen]:
                sys.exit(f"docs: {page}: the tree at its side is not as it should be: {seen}")
        if narrow["links"] or narrow["is_wide"] or narrow["is_covered"]:
            sys.exit(f"docs: {page} is covered by its tree, or wider than a telephone")


if __name__ == "__main__":
    sys.exit(main())
