#!/usr/bin/env python3
"""Links each term of docs/pages/glossary.md where a page first uses it in its prose: every walkthrough and every page of
docs/pages. `make results` sets the links, so nobody types them; with --check it says which are missing or elsewhere."""

import os
import re
import sys

import lab
import prose

PAGE = lab.ROOT / "docs" / "pages" / "glossary.md"
TERM = re.compile(r"^### (.*)\n\n<!-- found as: (.*) -->$", re.M)
QUOTED = re.compile(r'"[^"\n]*(?:\n[^"\n]+)?"')  # Doxygen makes no links of what stands in there
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
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
