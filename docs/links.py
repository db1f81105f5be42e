#!/usr/bin/env python3
"""Fails when a page of the built site links to a file or an anchor that is not there, or shows a link as text."""

import html.parser
import pathlib
import re
import sys
import urllib.parse


class Page(html.parser.HTMLParser):
    """Collects the anchors and the local links of one page."""

    def __init__(self, path):
        super().__init__()
        self.anchors, self.links, self.raw = set(), set(), []
        self.feed(path.read_text())

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name in ("id", "name"):
                self.anchors.add(value)
            if name in ("href", "src", "data") and value and ":" not in value:
                self.links.add(value)

    def handle_data(self, text):
        self.raw += re.findall(r"\[[^\[\]]*\]\(@ref [^)]*\)", text)


def main():
    folder = pathlib.Path(sys.argv[1])
    pages = {path.name: Page(path) for path in folder.glob("*.html")}
    broken = []
    for name, page in sorted(pages.items()):
        broken += [f"{name}: {text}: a link that became none" for text in page.raw]
        for link in sorted(page.links):
            file, _, anchor = urllib.parse.unquote(link).partition("#")
            target = file or name
            if not (folder / target).exists():
                broken.append(f"{name}: {link}: no such file")
            elif anchor and target in pages and anchor not in pages[target].anchors:
                broken.append(f"{name}: {link}: no such anchor")
    print("\n".join(broken), file=sys.stderr)
    if broken:
        sys.exit(f"docs: {len(broken)} broken links")


if __name__ == "__main__":
    sys.exit(main())
