"""How a verdict came about: for a student who says that the kernel is right on a GPU."""

import difflib
import re
import shlex

import books
import pages
import toml_lines

# What a GPU does with a fault, so that a wrong kernel may give right results there.
HIDES = {
    "race": "On a GPU the threads may happen to come in the right order, on this GPU and at this size; nothing makes them. "
    "`compute-sanitizer --tool racecheck` sees races in shared memory alone.",
    "out_of_bounds": "On a GPU memory beyond an array is mapped as a rule and belongs to something else: the access succeeds, and what it "
    "reads or overwrites shows elsewhere, or never. `compute-sanitizer` finds it there, too.",
    "uninitialized": "On a GPU memory that was never written has what an earlier program left, zeros as a rule.",
    "unwritten": "The output is filled with NaN before the launch; memory that was allocated afresh has zeros as a rule, so that an "
    "element that is never written may look right.",
    "divergent_barrier": "On GPUs since Volta a barrier that some threads of a block do not reach may let the others pass once those have ended.",
    "misaligned": "A GPU faults here as well: was this size tried there?",
    "input_modified": "The results can be right though an input was overwritten: whoever uses it afterwards finds other values.",
    "wrong": "Was this problem tried there, with the same options and the same seed?",
    "nan": "Was this problem tried there, with the same options and the same seed?",
    "timeout": "A GPU takes any amount of work; here a launch may execute a bounded multiple of what the problem needs.",
}


def write(course, grades, id, file):
    own = [grades[e.number, id] for e in course.exercises if (e.number, id) in grades]
    if not own:
        near = difflib.get_close_matches(id, sorted({who for _, who in grades}), 1)
        raise toml_lines.Mistake(f"no student {id}" + (f"; did you mean '{near[0]}'?" if near else ""))
    for g in own:
        print(f"exercise{g.exercise.number}: {g.status}, {'-' if g.is_open else books.number(g.points)} of {books.number(g.most)} points", file=file)
        for said in pages.sentences(g)[1:]:
            print(f"  {said}", file=file)
        if g.verdict:
            print(f"  {g.verdict.name}{': ' if g.verdict.message else ''}{g.verdict.message}", file=file)
        if g.file:
            print(f"  file {pages.kernel_of(g)}" + (f"\n  SHA-256 {g.sha256}" if g.sha256 else ""), file=file)
        said_before = set()
        for line in g.lines:
            if line.passed is not False or not line.options or not line.reached:
                continue
            said = line.message or pages.figures(line) or "not reached"
            alike = re.sub(r"[0-9]+", "#", said)
            shown = line.options.split(" --seed")[0]
            print(f"\n  {line.kind} {shown}\n    {'the same, with other numbers' if alike in said_before else said}", file=file)
            said_before.add(alike)
            print(f"    repeat it: ./run {g.exercise.target} --source {shlex.quote(str(pages.kernel_of(g)))} {line.options} --runtime sim", file=file)
        if any(not line.reached for line in g.lines):
            print("\n  Its goals were not tried, since the kernel is not right.", file=file)
        if g.status in HIDES:
            print(f"\n  Right on a GPU? {HIDES[g.status]}", file=file)
        print(file=file)
    return 0
