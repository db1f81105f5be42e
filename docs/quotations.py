#!/usr/bin/env python3
"""Holds what stands in double quotes on the pages of the papers against the papers' words, and what stands in italics where a
sentence says that the paper calls or says it. The papers are not here: quotations.txt
has a hash of each quotation that stands in its paper. `make results-check` runs it so. Whoever adds one gives the papers' texts,
a folder with a file for each, 000*.txt to 004*.txt in the order of papers.md: `docs/quotations.py FOLDER` looks each one up in its
paper, and writes quotations.txt."""

import hashlib
import pathlib
import re
import sys

import lab

RECORD = lab.ROOT / "docs/quotations.txt"
SECTIONS = ["Kernel summation", "Generalized products", "Merged kernels", "A course report", "The shape of a block"]
PAGES = {"summation": 0, "energy": 0, "products": 1, "paths": 1, "merging": 2, "report": 3, "shapes": 4}
STEPS = {"08": 0, "12": 1, "11": 1, "13": 2, "09": 3, "10": 3, "05": 4}  # only what names the paper, or the report
NO_TEXT = re.compile(r"<!--.*?-->|^```.*?^```|`[^`\n]*`|<[^>\n]*>", re.S | re.M)
QUOTED = re.compile(r'"([^"]+)"')
SAID = re.compile(r'\b(?:paper|report)\b[^.;*"]{0,80}?\b(?:calls?|says?|names?|writes?|expects?)\b[^.;*"]{0,80}?\*([^*]+)\*', re.I)
NAMES_PAPER = re.compile(r"\b(paper|report)\b")


def words(text):
    return " ".join(re.findall(r"[a-z0-9]+(?:[.'-][a-z0-9]+)*|%", text.lower().replace("\u2019", "'")))


def plain(text):
    """Without code and tags, and of a link what is read of it."""
    return re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", NO_TEXT.sub(" ", text))


def quoted_in(text):
    """Each once, though it may stand in quotes and in italics."""
    return {found[1].strip('"'): None for pattern in (QUOTED, SAID) for found in pattern.finditer(text)}


def quotations():
    """(page, number of the paper, quotation), each."""
    for name, paper in PAGES.items():
        for found in quoted_in(plain((lab.ROOT / f"docs/pages/{name}.md").read_text())):
            yield name, paper, found
    for section in re.split(r"^## ", (lab.ROOT / "docs/pages/papers.md").read_text(), flags=re.M):
        title = section.split("\n")[0]
        for found in quoted_in(plain(section)) if title in SECTIONS else []:
            yield f"papers, {title}", SECTIONS.index(title), found
    for step in lab.steps():
        for part in re.split(r"\n\n", plain(step.readme.read_text())) if step.number in STEPS else []:
            for found in quoted_in(part) if NAMES_PAPER.search(part) else []:
                yield f"step {step.number}", STEPS[step.number], found


def hash_of(paper, quotation):
    return f"{paper} {hashlib.sha256(words(quotation).encode()).hexdigest()[:16]}"


def main():
    found = list(quotations())
    if len(sys.argv) > 1:
        papers = [words(path.read_text()) for path in sorted(pathlib.Path(sys.argv[1]).glob("00[0-4]*.txt"))]
        wrong = [one for one in found if f" {words(one[2])} " not in f" {papers[one[1]]} "]
        if not wrong:
            RECORD.write_text("".join(sorted({hash_of(paper, text) + "\n" for _, paper, text in found})))
    else:
        known = set(RECORD.read_text().splitlines())
        wrong = [one for one in found if hash_of(*one[1:]) not in known]
    for page, _, text in wrong:
        print(f'{page}: "{text}" is not known to stand in this page\'s paper: see docs/quotations.py', file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
