"""TOML with the line of each key, by the standard library's reader, which keeps none.

    python3 toml_lines.py FILE      a line for each value: LINE <tab> section.name <tab> value as JSON

Exit status 1 with one line on standard error: the file is no TOML, or cannot be read.
"""

import datetime
import json
import pathlib
import re
import sys
import tomllib

HEADER = re.compile(r"\s*(\[\[?)\s*([^\]]+?)\s*\]\]?\s*(#.*)?$")
KEY = re.compile(r"""\s*("(?:[^"\\]|\\.)*"|'[^']*'|[\w.-]+)\s*=""")


class Mistake(Exception):
    """One line that says what is wrong with a file, and where; and the exit status."""

    def __init__(self, text, status=2):
        super().__init__(text)
        self.status = status


def read(path):
    """The file's values, and the line of each key by its path: ("exercise", 0, "deadline")."""
    if pathlib.Path(path).exists() and not pathlib.Path(path).is_file():
        raise Mistake(f"{path}: not a file")
    try:
        text = pathlib.Path(path).read_text(encoding="utf-8")
        values = tomllib.loads(text)
    except OSError as error:
        raise Mistake(f"{path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise Mistake(f"{path}: not a text in UTF-8") from None
    except tomllib.TOMLDecodeError as error:
        said = str(error)
        found = re.search(r" \(at line (\d+), column \d+\)", said)
        line = int(found[1]) if found else text.count("\n") + 1
        said = said.replace(found[0], "") if found else said.replace(" (at end of document)", "")
        raise Mistake(f"{path}:{line}: no TOML: {said[0].lower()}{said[1:]}") from None
    return values, lines_of(text)


def lines_of(text):
    """Line numbers of headers and keys. A key within an inline table has the table's line."""
    lines, section, counts = {}, (), {}
    for number, line in enumerate(text.splitlines(), 1):
        if header := HEADER.match(line):
            section = tuple(part.strip(" \"'") for part in header[2].split("."))
            if section[:1] in counts and len(section) > 1:  # [exercise.tests] belongs to the last [[exercise]]
                section = section[:1] + (counts[section[:1]],) + section[1:]
            if header[1] == "[[":
                counts[section] = counts.get(section, -1) + 1
                section += (counts[section],)
            lines[section] = number
        elif key := KEY.match(line):
            lines.setdefault(section + tuple(key[1].strip("\"'").split(".")), number)
            lines.setdefault(section + (key[1].strip("\"'"),), number)
    return lines


def line_of(lines, path):
    """The line of a value, or of the nearest table around it."""
    while path and path not in lines:
        path = path[:-1]
    return lines.get(path, 1)


def flat(values, lines, path=()):
    for name, value in values.items():
        if isinstance(value, dict):
            yield line_of(lines, path + (name,)), ".".join(path + (name,)), None
            yield from flat(value, lines, path + (name,))
        else:
            yield line_of(lines, path + (name,)), ".".join(path + (name,)), value


def as_json(value):
    return str(value) if isinstance(value, (datetime.date, datetime.time)) else value


def main(path):
    try:
        values, lines = read(path)
    except Mistake as mistake:
        sys.exit(str(mistake))
    for line, name, value in flat(values, lines):
        print(line, name, json.dumps(value, default=as_json), sep="\t")


if __name__ == "__main__":
    main(*sys.argv[1:])
