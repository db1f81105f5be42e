"""Small pieces that the blocks share: options, tables, figures as text, who measured."""

import shlex

NOTHING_YET = "*No recorded run yet: figures appear here once `docs/results/` holds one.*"


class Stale(Exception):
    """A block asks for something that is no longer there."""


def options_in(arguments):
    """What stands after a block's kind: NAME=VALUE, with quotes where a value has blanks."""
    return dict(word.split("=", 1) for word in shlex.split(arguments))


def table(head, rows):
    """A Markdown table; every column but the first aligned right."""
    rule = ["---"] + ["---:"] * (len(head) - 1)
    return "\n".join("| " + " | ".join(row) + " |" for row in [head, rule] + rows)


def tflops(kernel):
    value = kernel["gflops"] / 1000
    return f"{value:.2f}" if value < 10 else f"{value:.1f}"


def rate(kernel):
    """In TFLOP/s, or in GB/s where no operations are counted."""
    return three_digits(kernel["gb_per_s"]) if "gb_per_s" in kernel else tflops(kernel)


def share(kernel):
    return f"{kernel['percent_of_reference']:.0f} %" if "percent_of_reference" in kernel else ""


def three_digits(value):
    return f"{value:.0f}" if value >= 100 else f"{value:#.3g}"


def milliseconds(kernel):
    return three_digits(kernel["time_ms"]["median"])


def speedup(kernel, over):
    """Over the "first" row of its problem, its "parent" stage or the "reference"; "" where that is not known."""
    found = kernel.get("speedup", {}).get(f"over_{over}")
    return f"{found:.2f}x" if found else ""


def measured_on(runs):
    """One line that says where, with what and when."""
    device = runs[0].device
    dates = sorted({run.date for run in runs})
    date = dates[0] if len(dates) == 1 else f"{dates[0]} to {dates[-1]}"
    return (
        f"{device['name']}, driver for CUDA {device['driver']}, toolkit {device['toolkit']}, "
        f"{date}; medians, L2 cache flushed between launches."
    )


def by_device(runs):
    """The runs of each GPU, in the order in which they come."""
    devices = {}
    for run in runs:
        devices.setdefault(run.device["name"], []).append(run)
    return list(devices.values())


def digits(value):
    return f"{value:,.0f}" if value >= 1000 else f"{value:.4g}"


def percent(value):
    return f"{value:.1f} %" if value is not None else ""


def of(kernels, name, *keys):
    """A figure of a row, or None where it was not taken."""
    value = kernels.get(name)
    for key in keys:
        value = value.get(key) if value else None
    return value
