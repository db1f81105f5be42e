"""The prose of a page: its text with all that is not prose blanked out, so that places stay what they are."""

import re

# What is no prose: comments, what `make results` writes, code, headings, tables, tags, pictures.
NO_PROSE = [
    re.compile(r"<!-- begin (\w+).*?<!-- end \1 -->", re.S),
    re.compile(r"<!--.*?-->", re.S),
    re.compile(r"^(```|~~~).*?^\1[ \t]*$", re.S | re.M),
    re.compile(r"(?<=\n\n)(?:(?: {4}|\t).*\n+)+"),
    re.compile(r"^#+ .*$", re.M),
    re.compile(r"^[ \t]*\|.*$", re.M),
    re.compile(r"<summary>.*?</summary>"),
    re.compile(r"</?[a-z][^<>\n]*>"),
    re.compile(r"!\[[^\]]*\]\([^)]*\)"),
]
CODE = re.compile(r"(`+)(?:(?!`|\n\n).|\n(?!\n))+?\1", re.S)
LINK = re.compile(r"\[((?:[^\[\]]|\n(?!\n))*)\]\(([^()\s]*)\)")


def blank(text):
    return re.sub(r"[^\n]", " ", text)


def prose(text, code=lambda found: blank(found.group()), link=lambda found: blank(found.group())):
    """`text` with the rest blanked out; what stands for inline code and for a link is as long as they are."""
    for pattern in NO_PROSE:
        text = pattern.sub(lambda found: blank(found.group()), text)
    return LINK.sub(link, CODE.sub(code, text))
