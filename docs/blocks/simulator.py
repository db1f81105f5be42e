"""Blocks of the simulator's pages: counters beside a GPU's, its cache model, modelled times."""

import re

import lab
from .cells import NOTHING_YET, Stale, digits, table, three_digits


def agreement_cell(name, simulated, measured):
    """A GPU's count, and how far off the simulator's is; empty where there is nothing to count."""
    difference = lab.difference(simulated, measured)
    if difference is None:
        return "not counted"
    if abs(difference) > lab.AGREED_WITHIN:
        raise Stale(f"{name}: simulated {simulated}, measured {measured}: more than 2 % apart")
    if measured == 0:
        return ""
    return f"{measured:,.0f}" + (f" ({100 * difference:+.1f} %)" if difference else "")


def block_without_gpu(file, arguments, context):
    """What `./run stepNN` prints where there is no GPU, folded: docs/without_gpu.py keeps it. step=NN: on another page."""
    target = context.step_of(file, arguments).target
    if target not in context.without_gpu:
        return NOTHING_YET
    text = "\n".join(context.without_gpu[target])
    folded = f"<details><summary>Without a GPU</summary>\n\n```text\n{text}\n```\n\n</details>"
    return "\n\n".join([folded, *map(turned, WRONG_ORDER.findall(text))])


WRONG_ORDER = re.compile(r"^the model has this order wrong: on an H200, at 4096, (\S+) was (\S+) times as fast as (\S+)$", re.M)


def turned(found):
    """What `run` says below its table of two rows that the model puts in the other order, harness/measure/model/turned.def."""
    faster, times, slower = found
    return (
        f"Without a GPU two rows come in the wrong order: `{faster}` was {times} times as fast as `{slower}` on an H200, but\n"
        "the modelled times make it the slower one."
    )


def block_agreement(_file, _arguments, context):
    """The simulator's counters beside a GPU's at every size recorded of both: two tables each."""
    parts = []
    for simulated in context.simulated:
        for measured in (c for c in context.counted if c.problem["m"] == simulated.problem["m"]):
            names = [name for name in measured.rows if name in simulated.rows]
            if len(names) != len(simulated.rows):
                raise Stale(f"not the same kernels in {sorted(simulated.rows)}")
            # Global memory with the arithmetic, then shared memory.
            for columns in (lab.AGREED[:5], lab.AGREED[5:]):
                rows = []
                for name in names:
                    pairs = [(simulated.rows[name].get(c), measured.rows[name].get(c)) for _, c in columns]
                    cells = [agreement_cell(name, *pair) for pair in pairs]
                    if any(cells):
                        rows.append([f"`{name}`"] + cells)
                size = measured.problem["m"]
                head = [f"m = n = k = {size}"] + [title for title, _ in columns]
                parts.append(table(head, rows))
            parts.append(
                f"{measured.device['name']}, toolkit {measured.device['toolkit']}, {measured.date}; "
                f"simulator, {simulated.date}."
            )
    return "\n\n".join(parts) or NOTHING_YET


def block_agreement_copies(_file, _arguments, _context):
    """The same of steps 12 and 15: copies that go on meanwhile, and tensor cores."""
    rows = []
    for step in ("step12", "step15"):
        both = [lab.Counted(lab.RESULTS / f"agreement-{step}-{runtime}-512.json") for runtime in ("sim", "h200")]
        simulated, measured = (counted.rows for counted in both)
        for name in (name for name in simulated if "." not in name):
            pairs = [(simulated[name].get(c, 0), measured[name].get(c, 0)) for _, c in lab.AGREED_COPIES]
            rows.append([f"`{name}`"] + [agreement_cell(name, *pair) for pair in pairs])
    return table(["m = n = k = 512"] + [title for title, _ in lab.AGREED_COPIES], rows)


def block_caches(_file, _arguments, context):
    """What the model of the caches says beside what a GPU counted, a table for each size."""
    hits, reads, writes, dram = (
        "l1tex__t_sector_hit_rate.pct",
        "lts__t_sectors_op_read.sum",
        "lts__t_sectors_op_write.sum",
        "dram__bytes_read.sum",
    )
    parts = []
    for simulated in context.simulated:
        for measured in (c for c in context.counted if c.problem["m"] == simulated.problem["m"]):
            rows = []
            for name in (n for n in measured.rows if n in simulated.rows):
                model, real = simulated.rows[name], measured.rows[name]
                if reads not in model:
                    raise Stale(f"{name}: no traffic of L2; record with docs/record.sh --simulated")
                cells = [f"{model[hits]:.0f} %", f"{real[hits]:.0f} %"]
                for counter, unit, digits in ((reads, 1e3, 0), (writes, 1e3, 0), (dram, 1e6, 2)):
                    cells += [f"{c[counter] / unit:,.{digits}f}" for c in (model, real)]
                rows.append([f"`{name}`"] + cells + [f"{model[reads] / real[reads]:.2f}"])
            head = [
                f"m = n = k = {measured.problem['m']}", "L1 hits, model", "GPU", "L2 reads, thousands, model",
                "GPU", "L2 writes, thousands, model", "GPU", "DRAM read, MB, model", "GPU",
                "L2 reads, model / GPU",
            ]
            parts.append(table(head, rows))
            parts.append(f"{measured.device['name']}, {measured.date}; simulator, {simulated.date}.")
    return "\n\n".join(parts) or NOTHING_YET


def block_conflicts(_file, _arguments, context):
    """Conflict counters of both where they can be compared."""
    loads, stores = (
        f"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_{kind}.sum" for kind in ("ld", "st")
    )
    rows = []
    for simulated in context.simulated[-1:]:
        for measured in (c for c in context.counted if c.problem["m"] == simulated.problem["m"]):
            for name in (n for n in measured.rows if n in simulated.rows):
                figures = [c[counter] for counter in (loads, stores) for c in (simulated.rows[name], measured.rows[name])]
                if any(figures):
                    rows.append([f"`{name}`"] + [f"{figure:,.0f}" for figure in figures])
            size = measured.problem["m"]
            head = [f"m = n = k = {size}", "conflicts of loads, simulator", "GPU", "conflicts of stores, simulator", "GPU"]
            return table(head, rows)
    return NOTHING_YET


def block_modelled(_file, _arguments, context):
    """The timing model's page: modelled and measured times, as docs/compare_model.py kept them."""
    if not context.modelled:
        return NOTHING_YET
    sizes = context.modelled["sizes"]
    rows = []
    for number, first in enumerate(sizes[0]["rows"]):
        cells = [f"`{first['name']}`"]
        for size in sizes:
            row = size["rows"][number]
            cells += [three_digits(row["measured_ms"]), three_digits(row["modelled_ms"])]
            cells += [f"{round(100 * row['error']):+d} %"]
        rows.append(cells + [sizes[-1]["rows"][number]["limiter"]])
    mean = ["mean error"]
    for size in sizes:
        mean += ["", "", f"{100 * size['mean_error']:.0f} %"]
    head = ["kernel"]
    for size in sizes:
        head += [f"ms at {size['size']}", "modelled", "error"]
    notes = []
    for order, same in (("the measured order", True), ("another order than measured", False)):
        where = [str(size["size"]) for size in sizes if size["same_order"] == same]
        if where:
            notes.append(f"At {' and '.join(filter(None, [', '.join(where[:-1]), where[-1]]))} the last kernels of the steps come in {order}.")
    return table(head + [f"limiter at {sizes[-1]['size']}"], rows + [mean + [""]]) + "\n\n" + " ".join(notes)


def block_slice_warm_ups(_file, _arguments, context):
    """The timing model's page: GB/s of the sum and the histogram on a slice and measured, as docs/compare_model.py kept them."""
    kept = context.slice
    if not kept:
        return NOTHING_YET
    rows = [
        [f"`{row['name']}`", f"{row['measured']:,.4g}", f"{row['modelled']:,.4g}", f"{100 * row['error']:+.0f} %", row["limiter"]]
        for row in kept["warm_ups"]
    ]
    return table(["kernel", "GB/s, measured", "modelled: 132 / 3 times the GB/s of the slice", "error", "limiter"], rows)


def block_slice(_file, _arguments, context):
    """The timing model's page: shares of the peak on a slice and measured, as docs/compare_model.py kept them."""
    kept = context.slice
    if not kept:
        return NOTHING_YET
    rows = [
        [f"`{row['name']}`", f"{100 * row['measured']:.1f} %", f"{100 * row['modelled']:.1f} %",
         f"{round(100 * row['error']):+d} %", row["limiter"]]
        for row in kept["kernels"]
    ]
    mean = ["mean error", "", "", f"{100 * kept['mean_error']:.0f} %", ""]
    head = ["kernel", f"of peak, measured at {kept['measured_at']}", f"modelled, {kept['sms']} SMs at {kept['size']}", "error", "limiter"]
    return table(head, rows + [mean])
