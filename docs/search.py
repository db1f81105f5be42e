#!/usr/bin/env python3
"""Puts the words of the course before the names of the code in the built site's search.

Doxygen's search knows names of code and titles of pages, not headings. What is typed is held against the beginnings
of names; so each word of a heading begins an entry here.
"""

import html
import pathlib
import re
import sys

HEADING = re.compile(r'<a class="anchor" id="([^"]+)"></a>\s*</p>\s*<h(\d)>(.*?)</h\2>', re.DOTALL)
EXERCISE = re.compile(r'<a class="anchor" id="(exercise\w+)"></a>.*?</tr>', re.DOTALL)
PAGE = re.compile(r"^ *\['[^']*',\['((?:[^'\\]|\\.)*)',\['\.\./([\w.]+)',1,'[^']*'\]\]\]", re.MULTILINE)
SMALL = {"a", "an", "and", "are", "as", "at", "be", "by", "for", "from", "in", "is", "it", "its", "of", "on", "or", "that",
         "the", "to", "what", "with"}
LAST = ("changelog", "contributing", "harness_rooms", "simulator_itself") # of the code, not of the course


def text_of(markup):
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]*>", "", markup))).strip()


def encoded(name):
    """As search.js encodes what is typed."""
    return "".join(c if re.match("[a-z0-9\u0080-\uffff]", c) else f"_{ord(c):02x}" for c in name.lower())


def course(folder):
    """Rank, title, address and page of all that the course has a name for."""
    pages = {}
    for file in sorted((folder / "search").glob("pages_*.js")):
        pages.update((page, text_of(title)) for title, page in PAGE.findall(file.read_text()))
    for page, title in pages.items():
        body = (folder / page).read_text()
        rank = 3 if page.startswith(LAST) else 0 if page == "glossary.html" else 2
        yield 1, title, page, title
        for anchor, _, heading in HEADING.findall(body):
            yield rank, text_of(heading), f"{page}#{anchor}", title
        for match in EXERCISE.finditer(body) if page == "exercises.html" else []:
            cells = [text_of(cell) for cell in re.findall(r"<td[^>]*>(.*?)</td>", match[0], re.DOTALL)]
            if len(cells) > 1: # a row of the table
                yield 1, f"{match[1]}: {cells[-2]}", f"exercises.html#{match[1]}", title


def entries(folder):
    """The lines that search.js reads, in their order, by first character."""
    found = {}
    for rank, title, address, page in course(folder):
        shown, where = (html.escape(text, quote=False).replace("\\", "\\\\").replace("'", "\\'") for text in (title, page))
        for i, word in enumerate(re.finditer(r"[A-Za-z0-9][\w.]*", title)):
            if i and (len(word[0]) == 1 or word[0].lower() in SMALL):
                continue
            key = encoded(title[word.start():])
            place = (rank, i > 0, key, address) # first what begins with the word
            found.setdefault(key[0], {})[place] = f"['{shown}',['../{address}',1,'{where}']]"
    return {letter: [f"  ['{place[2]}_c{n}',{line}]," for n, (place, line) in enumerate(sorted(lines.items()))]
            for letter, lines in found.items()}


def main():
    folder = pathlib.Path(sys.argv[1])
    search = folder / "search"
    data = (search / "searchdata.js").read_text()
    letters = re.search(r'0: "([^"]*)"', data)[1]
    theirs = {}
    for i, letter in enumerate(letters):
        lines = (search / f"all_{i:x}.js").read_text().splitlines()
        theirs[letter] = [line.rstrip(",") + "," for line in lines if line.startswith("  [")]
    ours = entries(folder)
    if not any(line.startswith("  ['bank_20conflict_c") for line in ours.get("b", [])):
        sys.exit("docs: the search would not find 'bank conflict'")
    frame = search / "all_0.html" # until Doxygen 1.9.5
    for i, letter in enumerate(sorted(set(letters) | set(ours))):
        lines = "\n".join(ours.get(letter, []) + theirs.get(letter, []))
        (search / f"all_{i:x}.js").write_text(f"var searchData=\n[\n{lines[:-1]}\n];\n")
        if frame.exists():
            (search / f"all_{i:x}.html").write_text(frame.read_text().replace("all_0.js", f"all_{i:x}.js"))
    all_letters = "".join(sorted(set(letters) | set(ours)))
    (search / "searchdata.js").write_text(data.replace(f'0: "{letters}"', f'0: "{all_letters}"', 1))


if __name__ == "__main__":
    main()
