"""An exercise of an instructor's own: started from a stage of the series, and looked at for what is missing.

    run course new NAME STAGE        writes solutions/NN_NAME/, a line in solutions.def, a naive kernel
    run course exercise NN           says what is missing, a line each
"""

import json
import os
import re
import subprocess
import sys
import tempfile

import course_file
import toml_lines

ROOT = course_file.ROOT
RUN = os.environ.get("LAB_RUN", str(ROOT / "run"))
NAIVE = ROOT / "harness" / "tests" / "submissions" / "naive"
LINE = re.compile(r'LAB_EXERCISE\("([^"]+)", "([^"]+)", "([^"]+)", "([^"]+)", (\d+), (\d+), (\d+), "([^"]*)"(?:, "\w+")?\)')
STAGE = re.compile(r'^LAB_STAGE\("([^"]+)", "([^"]+)", "([^"]*)"', re.M)
STEP = re.compile(r'^LAB_STEP\("([^"]+)", "([^"]+)", "([^"]+)", (\d+)', re.M)


def exercises():
    """(number, directory, stage, family, size, level, minutes, title) of each."""
    return LINE.findall(course_file.EXERCISES.read_text())


def stage_of(number):
    """The kernel file, family and size of a stage."""
    text = (ROOT / "steps" / "steps.def").read_text()
    at = [m for m in STAGE.finditer(text) if m[1] == number]
    if not at:
        names = ", ".join(m[1] for m in STAGE.finditer(text))
        raise toml_lines.Mistake(f"no stage {number}: give STEP as one of {names}")
    step = [m for m in STEP.finditer(text) if m.start() < at[0].start()][-1]
    return ROOT / "steps" / step[2] / f"{at[0][2]}.cu", step[3], step[4]


# --- a new one -----------------------------------------------------------------------------------


def mark(kernel, number):
    """The stage's kernel with the body of its last kernel as the marked region, for the instructor to narrow."""
    lines = kernel.splitlines()
    first = max(i for i, line in enumerate(lines) if "__global__" in line)
    begin = next(i for i in range(first, len(lines)) if lines[i] == "{")
    end = next(i for i in range(begin, len(lines)) if lines[i] == "}")
    body = lines[begin + 1 : end]
    region = ["    // BEGIN SOLUTION: TODO what the student is to write", *body, "    // END SOLUTION"]
    note = [f"// Exercise {number}: TODO what is there, and what is to be done."]
    top = next(i for i, line in enumerate(lines) if line.startswith("#include"))
    return "\n".join(note + lines[top : begin + 1] + region + lines[end:]) + "\n"


def goals(like, number):
    """The tests of another exercise with the problem, and goals to be written."""
    kept = ["test --thorough"]
    if like:
        text = (ROOT / "solutions" / like[1] / "goal.txt").read_text().splitlines()
        kept = [line for line in text if re.match(r"(test|hidden|time) ", line)]
        bound = next((line for line in text if re.match(r"goal .*\| time \|", line)), "")
    asked = bound.replace(f"exercise{like[0]}", f"exercise{number}") + "\n" if like and bound else ""
    return "\n".join(["TODO what the kernel must do, in words.", "", *kept, "", "learned TODO what one knows who has passed.", ""]) + (
        f"\n{asked}goal TODO sizes | most 1.05 | TODO counter | TODO label | TODO what to look at if it is missed\n"
    )


def new(words):
    if len(words) != 2 or not re.fullmatch(r"[a-z][a-z0-9_]*", words[0]):
        raise toml_lines.Mistake("give a name of small letters, digits and _, and a stage: make new-exercise NAME=my_idea STEP=05.3")
    name, stage = words[0], words[1].removeprefix("step")
    kernel, family, size = stage_of(stage)
    numbers = [int(e[0]) for e in exercises() if e[0].isdigit()]
    number = f"{max(numbers) + 1:02}"
    if any(e[1].split("_", 1)[1] == name for e in exercises()):
        raise toml_lines.Mistake(f"there is an exercise {name}")
    folder = ROOT / "solutions" / f"{number}_{name}"
    folder.mkdir()
    like = next((e for e in exercises() if e[3] == family and int(e[6]) > 10), None)
    (folder / "kernel.cu").write_text(mark(kernel.read_text(), number))
    (folder / "goal.txt").write_text(goals(like, number))
    (folder / "hints.txt").write_text("TODO a question that leads to the idea.\n---\nTODO the idea.\n---\nTODO nearly the code.\n")
    text = course_file.EXERCISES.read_text().rstrip("\n")
    course_file.EXERCISES.write_text(f'{text}\nLAB_EXERCISE("{number}", "{folder.name}", "{stage}", "{family}", {like[4] if like else size}, 2, 30, "TODO the idea in a few words")\n')
    if NAIVE.exists():
        (NAIVE / f"{number}.cu").write_text("// TODO the naive kernel: right, with one thread for each element and no shared memory.\n" + kernel.read_text())
    print(f"solutions/{folder.name}: kernel.cu is {kernel.relative_to(ROOT)} with a region to be narrowed; goal.txt, hints.txt and the line in")
    print(f"solutions.def have TODOs. `./run course exercise {number}` says what is missing; docs/pages/course.md how it is done.")
    return 0


# --- what is missing -----------------------------------------------------------------------------


def texts(entry):
    """What is missing in the files, without building anything: (file, what)."""
    number, directory, _, _, _, level, minutes, _ = entry
    folder = ROOT / "solutions" / directory
    for path in [*(folder / name for name in ("kernel.cu", "goal.txt", "hints.txt")), *([NAIVE / f"{number}.cu"] if NAIVE.exists() else [])]:
        if not path.exists():
            if path.parent == folder:  # runs() looks for a naive kernel of another name
                yield path.relative_to(ROOT), "is not there"
            continue
        for i, line in enumerate(path.read_text().splitlines(), 1):
            if "TODO" in line:
                yield f"{path.relative_to(ROOT)}:{i}", f"is still to be written: {line.strip()[:80]}"
    if "TODO" in entry[7]:
        yield "solutions/solutions.def", "the title is still to be written"
    if not 1 <= int(level) <= 3 or not 5 <= int(minutes) <= 120:
        yield "solutions/solutions.def", "give a level from 1 to 3, and 5 to 120 minutes"
    goal = (folder / "goal.txt").read_text() if (folder / "goal.txt").exists() else ""
    count = lambda word: len(re.findall(rf"^{word} ", goal, re.M))
    if "test --thorough" not in goal or count("test") < 4:
        yield f"solutions/{directory}/goal.txt", "needs four tests or more, one of them `test --thorough`"
    if count("hidden") < 3 or not re.search(r"^hidden .*\.\.", goal, re.M):
        yield f"solutions/{directory}/goal.txt", "needs three hidden tests or more, with numbers to be drawn, such as `hidden -m 17..33`"
    if count("goal") - len(re.findall(r"^goal .*\| time \|", goal, re.M)) < 1:
        yield f"solutions/{directory}/goal.txt", "needs a goal that only the idea reaches: a counter, or speed"
    is_short = lambda text, least: "TODO" not in text and len(text.strip()) <= least  # what is to be written was told above
    if is_short(re.split(r"^(?:test|hidden|goal|guard|also|time|without|learned) ", goal, maxsplit=1, flags=re.M)[0], 40):
        yield f"solutions/{directory}/goal.txt", "needs the goal in words, more than 40 letters, in its first lines"
    learned = re.findall(r"^learned (.*)", goal, re.M)
    if len(learned) != 1 or is_short(learned[0], 40):
        yield f"solutions/{directory}/goal.txt", "needs one line `learned SENTENCE`, of more than 40 letters"
    hints = (folder / "hints.txt").read_text().split("---\n") if (folder / "hints.txt").exists() else []
    if len(hints) != 3 or any(is_short(hint, 80) for hint in hints):
        yield f"solutions/{directory}/hints.txt", "needs three hints of more than 80 letters, with a line of three dashes between them"
    blocks = ROOT / "docs" / "blocks" / "exercises.py"
    if blocks.exists() and f'"{number}":' not in blocks.read_text():
        yield "docs/blocks/exercises.py", f'needs a line "{number}": what the exercise teaches; then `make results`'


def said(*words):
    """(exit status, output) of a command."""
    ended = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    return ended.returncode, (ended.stdout + ended.stderr).strip()


def last(text):
    return text.splitlines()[-1] if text else ""


def graded(number, file):
    """The grader's outcome of a file."""
    with tempfile.TemporaryDirectory() as folder:
        # --force: the instructor's own file needs no confinement
        status, text = said(RUN, "grade", number, str(file), "--force", "--json", f"{folder}/out.json", "--state", f"{folder}/state")
        if status not in (0, 1):
            raise toml_lines.Mistake(f"exercise {number} cannot be graded: {last(text)}")
        with open(f"{folder}/out.json") as out:
            return json.load(out)["submissions"][0]


def runs(entry):
    """What is missing as runs show it: (file, what)."""
    number, directory = entry[0], entry[1]
    make = "make", "-s", f"BUILD={os.path.dirname(RUN)}"
    said(*make, "exercises")
    status, text = said(*make, "-W", f"exercises/{directory}/kernel.cu", "run", f"exercise{number}", f"solution{number}")  # -W: its warnings are seen each time
    if status != 0:
        yield f"exercises/{directory}/kernel.cu", f"does not build: {last(text)}"
        return
    if warning := next((line for line in text.splitlines() if "warning" in line), None):
        yield f"exercises/{directory}/kernel.cu", f"compiles with a warning: {warning}"
    status, text = said(RUN, f"solution{number}", "--runtime", "sim")
    if status != 0:
        yield f"solutions/{directory}/kernel.cu", f"does not pass: `./run solution{number}`" + (f" ({last(text)})" if text else "")
        return
    status, _ = said(RUN, f"exercise{number}", "--runtime", "sim")
    if status != 1:
        yield f"exercises/{directory}/kernel.cu", "passes as it is given" if status == 0 else "does not run to its end as it is given"
    solution = graded(number, ROOT / "solutions" / directory / "kernel.cu")
    if solution["points"] != solution["max_points"]:
        yield f"solutions/{directory}/kernel.cu", f"gets {solution['points']:g} of {solution['max_points']:g} points"
    naive = sorted(NAIVE.glob(f"{number}*.cu")) if NAIVE.exists() else []
    if NAIVE.exists() and not naive:
        yield f"harness/tests/submissions/naive/{number}.cu", "is not there: a right kernel without the idea, which must miss a goal"
    for file in naive:
        outcome = graded(number, file)
        if outcome["check"]["status"] != "ok":
            yield f"harness/tests/submissions/naive/{file.name}", f"is not right: {outcome['check']['status']}"
        elif outcome["points"] == outcome["max_points"]:
            yield f"harness/tests/submissions/naive/{file.name}", "reaches all goals without the idea: the goals do not ask for it"


def check(words):
    number = words[0].removeprefix("exercise") if words else ""
    entry = next((e for e in exercises() if e[0] == number), None)
    if not entry:
        raise toml_lines.Mistake(f"there is no exercise {number or '?'} in solutions/solutions.def")
    missing = list(texts(entry)) or list(runs(entry))
    for file, what in missing:
        print(f"{file} {what}" if not str(file)[-1].isdigit() else f"{file}: {what}", file=sys.stderr)
    print(f"exercise {number}: " + (f"{course_file.counted(len(missing), 'thing')} {'is' if len(missing) == 1 else 'are'} missing" if missing else "nothing is missing: commit it, and run `make test ONLY=test_exercises`"))
    return 1 if missing else 0
