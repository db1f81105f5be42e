"""What people read: a text and a page for each student, and a page of the course."""

import collections
import difflib
import html
import pathlib
import statistics

import books
import course_file
import grading

STYLE = """body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color-scheme:light dark}
table{border-collapse:collapse;margin:1rem 0}td,th{padding:.2rem .7rem;text-align:left;border-bottom:1px solid #8884;vertical-align:top}
td.n,th.n{text-align:right;font-variant-numeric:tabular-nums}.bad{color:#c33}.good{color:#292}.open{color:#a70}
th.n{text-align:right}pre{white-space:pre-wrap;overflow-wrap:anywhere;background:#8881;padding:.7rem;font-size:13px}.bar{display:inline-block;background:#58c;height:.8rem}"""


def page(title, body):
    return (
        f'<!doctype html>\n<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
        f"<title>{html.escape(title)}</title><style>{STYLE}</style>\n<h1>{html.escape(title)}</h1>\n{body}</html>\n"
    )


def table(heads, rows):
    """Numbers are set to the right. A cell (text, class) has a colour."""
    rows = list(rows)
    right = [all(isinstance(row[i], (int, float)) or row[i] == "" for row in rows) for i in range(len(heads))]
    lines = ["<table><tr>" + "".join(f'<th{" class=n" * r}>{html.escape(h)}' for h, r in zip(heads, right)) + "</tr>"]
    for row in rows:
        cells = []
        for cell in row:
            text, kind = cell if isinstance(cell, tuple) else (cell, "n" if isinstance(cell, (int, float)) else "")
            text = f"{text:.2f}" if isinstance(text, float) else str(text)
            cells.append(f'<td class="{kind}">{html.escape(text)}' if kind else f"<td>{html.escape(text)}")
        lines.append("<tr>" + "".join(cells) + "</tr>")
    return "\n".join(lines) + "</table>\n"


# --- a student -----------------------------------------------------------------------------------


def passed(line):
    if not line.reached:
        return ("-", "")
    return ("open", "open") if line.passed is None else ("ok", "good") if line.passed else ("FAIL", "bad")


def figures(line):
    if line.figure is None or line.solution is None:
        return ""
    return f"{line.figure:,.6g}; the solution's: {line.solution:,.6g}"


def sentences(g):
    """What is said beside the table, in words."""
    said = [f"verdict: {g.status}" + (f", by the submission of {g.by}" if g.by and g.by != g.student.id else "")]
    if g.handed_in and g.deadline:
        said.append(f"handed in {g.handed_in.astimezone(g.deadline.tzinfo):%Y-%m-%d %H:%M %Z}, deadline {g.deadline:%Y-%m-%d %H:%M %Z}")
    if g.days_late:
        free = f", {g.free_days} of them free" if g.free_days else ""
        said.append(f"{course_file.counted(g.days_late, 'day')} late{free}" + (f": {course_file.counted(books.number(g.lost), 'point')} lost" if g.earned else ""))
    if g.warning:
        said.append(g.warning)
    if g.is_open:
        open_ones = [line.name for line in g.lines if line.passed is None]
        judged = [line for line in g.lines if line.passed is not None]
        so_far = f"{books.number(sum(x.points for x in judged))} of {books.number(sum(x.most for x in judged))} points so far"
        said.append(f"{so_far}; not judged yet: {', '.join(open_ones)}")
    return said


def first_failure(g):
    return next((line for line in g.lines if line.passed is False and line.kind == "test" and line.message and line.options), None)


def how_to_repeat(g):
    """Without the seed: hidden tests can be computed from it (harness/grade/outcome/plan.c) by whoever knows how they are written."""
    line = first_failure(g)
    return f"./run {g.exercise.target} --source kernel.cu {line.name if line else ''} --runtime sim".replace("  ", " ")


def text_of(student, own):
    parts = [f"{student.name or student.id}\n"]
    for g in own:
        parts.append(f"\nexercise{g.exercise.number}: {g.exercise.title}\n{books.number(g.points) if not g.is_open else '-'} of {books.number(g.most)} points\n")
        parts += [f"  {said}\n" for said in sentences(g)]
        for line in g.lines:
            shown = figures(line) or (line.message if line.kind in ("test", "by hand", "verdict") and not (line.passed and line.kind == "test") else "")
            points = f"{books.number(line.points):>6} of {books.number(line.most):<6}" if line.most else " " * 16
            parts.append(f"  {passed(line)[0]:4}  {points} {line.name}{': ' + shown if shown else ''}\n")
        if first_failure(g):
            parts.append(f"  to repeat it: {how_to_repeat(g)}\n")
    return "".join(parts)


def kernel_of(g):
    """The file that was handed in, of a folder its kernel.cu or else its only one."""
    path = pathlib.Path(g.file)
    there = sorted(path.glob("*.cu")) if path.is_dir() else []
    return path / "kernel.cu" if path / "kernel.cu" in there else there[0] if len(there) == 1 else path


def changes(g):
    """The student's lines beside the exercise as it was given."""
    given = course_file.ROOT / "exercises" / g.exercise.directory / "kernel.cu"
    try:
        mine = kernel_of(g).read_text(errors="replace").splitlines()
        return "\n".join(difflib.unified_diff(given.read_text().splitlines(), mine, "as given", "handed in", lineterm=""))
    except OSError:
        return ""


def page_of(student, own):
    body = []
    for g in own:
        body.append(f"<h2>exercise{g.exercise.number}: {html.escape(g.exercise.title)}</h2>\n<p><b>{'-' if g.is_open else books.number(g.points)} of {books.number(g.most)} points</b><br>\n")
        body.append("<br>\n".join(html.escape(said) for said in sentences(g)) + "</p>\n")
        if line := first_failure(g):
            body.append(f"<p>The first test that failed, <code>{html.escape(line.name)}</code>:</p><pre>{html.escape(line.message)}</pre><p>To repeat it: <code>{html.escape(how_to_repeat(g))}</code></p>\n")
        body.append(table(["", "test or goal", "points", "of", "figure"], [[passed(x), x.name, *([x.points, x.most] if x.most else ["", ""]), figures(x) or (x.message if x.kind in ("by hand", "verdict") else "")] for x in g.lines]))
        if diff := changes(g) if g.file else "":
            body.append(f"<details><summary>what was changed in the exercise as it was given</summary><pre>{html.escape(diff)}</pre></details>\n")
    return page(student.name or student.id, "".join(body))


def write_students(course, grades, folder):
    folder.mkdir(exist_ok=True)
    for student, own in books.each(course, grades):
        (folder / f"{student.id}.txt").write_text(text_of(student, own), encoding="utf-8")
        (folder / f"{student.id}.html").write_text(page_of(student, own), encoding="utf-8")


# --- the course ----------------------------------------------------------------------------------


def in_short(g):
    return {"build_error": "does not compile", "no_file": "without a file that can be compiled", "missing": "not handed in", "unchanged": "as handed out"}.get(g.status, g.status or "not judged")


def pass_rates(own):
    """(name, kind, how many passed, of how many that were judged) of each line, in the table's order."""
    rates = collections.OrderedDict()
    for g in own:
        for at, line in enumerate(g.lines):
            if line.passed is not None and line.reached and line.kind != "verdict":
                rate = rates.setdefault((line.name if line.name != "a size that is not shown" else line.options.split(" --seed")[0], line.kind), [0, 0])
                rate[0] += line.passed
                rate[1] += 1
    return [(name, kind, *rate) for (name, kind), rate in rates.items()]


def histogram(own):
    judged = [[line for line in g.lines if line.passed is not None] for g in own]
    shares = [sum(x.points for x in lines) / most for lines in judged if (most := sum(x.most for x in lines))]
    counts = [sum(min(int(10 * s), 9) == i for s in shares) for i in range(10)]
    widest = max(counts, default=0) or 1
    return "".join(f'<tr><td class="n">{10 * i}{"&ndash;" + str(10 * i + 9) if i < 9 else "&ndash;100"} %<td><span class="bar" style="width:{20 * c / widest:.1f}rem"></span> {c}</tr>' for i, c in enumerate(counts))


def speeds(own):
    """Right kernels by their time beside the solution's, the fastest first: (share of the solution's time, student)."""
    found = []
    for g in own:
        for line in g.lines:
            if line.name.startswith("microseconds") and line.figure and line.solution and g.status == "ok":
                found.append((line.figure / line.solution, g.student.id))
                break
    return sorted(found)


def changed(course, grades, before):
    """Lines on points that are not what they were in an earlier grades.json."""
    was = {(n, s["id"]): one for s in before.get("students", []) for n, one in s["exercises"].items()}
    lines = []
    for (n, id), g in grades.items():
        old, now = was.get((n, id)), books.points_of(g)
        if old and (old["points"] != now or old["sha256"] != g.sha256):
            why = "another file" if old["sha256"] != g.sha256 else "the same file"
            lines.append((n, id, "-" if old["points"] is None else float(old["points"]), "-" if now is None else now, why))
    return lines


def write_course(course, grades, strangers, before, path):
    body = []
    if strangers:
        body.append("<p class=bad>Not in the roster, and in no grade book: " + html.escape(", ".join(strangers)) + "</p>\n")
    finals = [grading.final_of(course, grades, student.id) for student, _ in books.each(course, grades)]
    known = [f for f in finals if f is not None]
    body.append(f"<p>{course_file.counted(len(finals), 'student')}, {len(finals) - len(known)} with open lines" + (f"; mean {100 * statistics.mean(known):.1f} %, median {100 * statistics.median(known):.1f} %" if known else "") + "</p>\n")
    for exercise in course.exercises:
        own = [g for (n, _), g in grades.items() if n == exercise.number]
        statuses = collections.Counter(in_short(g) for g in own)
        body.append(f"<h2>exercise{exercise.number}: {html.escape(exercise.title)}</h2>\n<p>" + ", ".join(f"{count} {status}" for status, count in statuses.most_common()) + "</p>\n")
        body.append("<table>" + histogram(own) + "</table>\n")
        if ranked := speeds(own):
            ends = ranked if len(ranked) <= 6 else ranked[:3] + ranked[-3:]
            body.append("<p>Modelled time beside the solution's, fastest and slowest of those that are right:</p>" + table(["student", "times the solution's"], [[id, share] for share, id in ends]))
        body.append(table(["test or goal", "kind", "passed", "of"], pass_rates(own)))
    if before:
        lines = changed(course, grades, before)
        body.append(f"<h2>Since the last grading</h2>\n" + (table(["exercise", "student", "was", "is", "by"], lines) if lines else "<p>Nothing has changed.</p>\n"))
    path.write_text(page(course.name or "Grades", "".join(body)), encoding="utf-8")
