#!/usr/bin/env python3
"""Lists the sentences of a page that are longer than a reader likes: `docs/sentences.py [WORDS [FILE...]]`, 30 words and the
walkthroughs of the warm-ups and of steps 01 to 07 if not told. `make results-check` runs it so, and fails when there is one."""

import pathlib
import re
import sys

import lab
import prose

WORDS = 30
BEHIND = "08"  # the first step whose page may have longer ones
# A sentence ends where a capital, a figure or a mark follows its full stop; a paragraph and a list's item end one, too.
END = re.compile(r"(?<=[.!?])['\")*]*\s+(?=[A-Z0-9`*(\[«\"])|\n[ \t]*\n|\n(?=\s*(?:[-*]|\d+\.)\s)")
WORD = re.compile(r"[^\W_]")


def one_word(found):
    """Inline code counts as a word."""
    return "X" * len(found.group())


def text_of(found):
    """A link counts as what is read of it."""
    words = found.group(1)
    return " " + words + " " * (len(found.group()) - len(words) - 1)


def sentences(text):
    """Each with the line that it begins in."""
    plain = prose.prose(text, one_word, text_of)
    start = 0
    for end in [*END.finditer(plain), None]:
        part = plain[start : end.start() if end else len(plain)]
        if part.strip():
            place = start + len(part) - len(part.lstrip())
            yield plain.count("\n", 0, place) + 1, text[place : start + len(part)], part.split()
        start = end.end() if end else start


def main():
    limit = int(sys.argv[1]) if len(sys.argv) > 1 else WORDS
    files = [pathlib.Path(name).resolve() for name in sys.argv[2:]]
    long = 0
    for file in files or [step.readme for step in lab.steps() if step.number < BEHIND]:
        for line, text, words in sentences(file.read_text()):
            count = sum(bool(WORD.search(word)) for word in words)
            if count > limit:
                long += 1
                print(f"{file.relative_to(lab.ROOT)}:{line}: {count} words: {' '.join(text.split())}", file=sys.stderr)
    return 1 if long else 0


if __name__ == "__main__":
    sys.exit(main())
