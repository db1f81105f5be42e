#!/usr/bin/env python3
"""Links each term of docs/pages/glossary.md where a page first uses it in its prose: every walkthrough and every page of
docs/pages. `make results` sets the links, so nobody types them; with --check it says which are missing or elsewhere, which
terms no page uses, and which a step's page leaves out although its stages include what the term names."""

import os
import re
import sys

import lab
import prose

PAGE = lab.ROOT / "docs" / "pages" / "glossary.md"
TERM = re.compile(r"^### (.*)\n\n<!-- found as: (.*) -->$", re.M)
QUOTED = re.compile(r'"[^"\n]*(?:\n[^"\n]+)?"')  # Doxygen makes no links of what stands in there
NAMED = {  # the term of a header of common/tile
    "epilogue.h": "epilogue", "fragment.h": "fragment", "mainloop.h": "mainloop", "panel_iterator.h": "asynchronous-copy",
    "rasterize.h": "rasterization", "stream_k.h": "stream-k",
}
LINKED = re.compile(r"\[([^\[\]]*)\]\([^()\s]*glossary\.md#([^()\s]*)\)")


def terms():
    """The anchor of each term, and the pattern of its forms. Those in small letters may begin a sentence."""
    found = [(name.lower().replace(" ", "-"), forms) for name, forms in TERM.findall(PAGE.read_text())]
    if len(found) != PAGE.read_text().count("\n### "):
        sys.exit(f"{PAGE}: a term has no line that says how it is found")
    return [(anchor, re.sub(r" ", r"\\s+", forms)) for anchor, forms in found]


def first_uses(text, known):
    """Anchor and place of the first use of each term; a word within a longer term is no use of its own."""
    plain = QUOTED.sub(lambda found: prose.blank(found.group()), prose.prose(text))
    places = []
    for anchor, forms in known:
        flags = 0 if re.search(r"\b[A-Z]{2}|\b[A-Z]\d|SMs", forms) else re.IGNORECASE
        places += [(use.start(), -use.end(), anchor) for use in re.finditer(rf"(?<![\w/-])(?:{forms})(?![\w/-])", plain, flags)]
    end, first = 0, {}
    for start, negative, anchor in sorted(places):
        if start >= end:
            end = -negative
            first.setdefault(anchor, (start, end))
    return first


def linked(text, target, known):
    """The page with these links and no others."""
    text = LINKED.sub(r"\1", text)
    for anchor, (start, end) in sorted(first_uses(text, known).items(), key=lambda use: -use[1][0]):
        text = f"{text[:start]}[{text[start:end]}]({target}#{anchor}){text[end:]}"
    return text


def left_out(known):
    """What is wrong with the terms themselves: unused ones, and those that a step's page lacks."""
    used = set()
    for page in [*PAGE.parent.glob("*.md"), lab.ROOT / "README.md", *(step.readme for step in lab.steps())]:
        own = {anchor for _, anchor in LINKED.findall(page.read_text())}
        used |= own if page != PAGE else set()
        step = next((step for step in lab.steps() if step.readme == page), None)
        for stage in step.stages if step else []:
            for header in re.findall(r'^#include "tile/(.*)"', stage.kernel.read_text(), re.M):
                if NAMED.get(header, next(iter(own))) not in own:
                    yield f"{page.relative_to(lab.ROOT)}: {stage.number} includes tile/{header}; the page has no '{NAMED[header]}'"
    inner = set(re.findall(r"\(#([^()\s]*)\)", PAGE.read_text()))
    for anchor, _ in known:
        if anchor not in used | inner:
            yield f"{PAGE.relative_to(lab.ROOT)}: no page uses '{anchor}'"


def main():
    known, wrong = terms(), 0
    pages = sorted(PAGE.parent.glob("*.md")) + [step.readme for step in lab.steps()]
    for page in pages:
        text = page.read_text()
        if page == PAGE:
            continue
        target = os.path.relpath(PAGE, page.parent)
        meant = linked(text, target, known)
        if meant == text:
            continue
        name = page.relative_to(lab.ROOT)
        if "--check" not in sys.argv:
            page.write_text(meant)
            print(f"linked to the glossary: {name}")
            continue
        wrong += 1
        differ = {found[1] for found in set(LINKED.findall(meant)) ^ set(LINKED.findall(text))}
        words = ", ".join(sorted(differ)) or "not at the first use"
        print(f"{name}: links to the glossary: {words}; run `make results`", file=sys.stderr)
    for what in dict.fromkeys(left_out(known)) if "--check" in sys.argv else []:
        wrong += 1
        print(what, file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
