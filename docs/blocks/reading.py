"""The columns of the table, as reading.md explains them."""

import re

import lab

COLUMNS = lab.ROOT / "harness" / "report" / "columns.def"


def block_columns(file, arguments, context):
    """Titles and sentences; those that belong together are in the order of the table."""
    lines = re.findall(r'^LAB_COLUMN\(\w+, "([^"]*)", "[^"]*", [^,]*, "([^"]*)"\)$', COLUMNS.read_text(), re.M)
    assert len(lines) == COLUMNS.read_text().count("\nLAB_COLUMN("), COLUMNS
    return "\n".join(["| column | meaning |", "| --- | --- |", *(f"| `{title}` | {meaning} |" for title, meaning in lines)])
