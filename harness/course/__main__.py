"""The course commands of `run`:

    run course start course.toml NN...
    run course check [course.toml]
    run course similar course.toml SUBMISSIONS [--out DIR]
    run course new NAME STAGE
    run course exercise NN
    run grade --course course.toml SUBMISSIONS [--out DIR] [-j N] [--again] [--isolation WORD] [--account NAME] [--force]
              [--explain STUDENT] [--slurm [--shards N] [--sbatch=OPTIONS]]
"""

import argparse
import difflib
import json
import pathlib
import sys

import books
import course_file
import exercise
import explain
import grading
import pages
import similar
import slurm
import toml_lines

PASSED_ON = {"-j": "N", "--runtime": "WORD", "--isolation": "WORD", "--account": "NAME"}


class OneLine(argparse.ArgumentParser):
    """Tells a mistake in one line, and which option may be meant."""

    def error(self, message):
        wrong = [word for word in message.split() if word.startswith("-")] if "unrecognized" in message else []
        near = difflib.get_close_matches(wrong[0], self._option_string_actions, 1) if wrong else []
        raise toml_lines.Mistake(f"{self.prog}: {message.removeprefix('argument ')}" + (f"; did you mean '{near[0]}'?" if near else "; see ./run grade --course --help" if wrong else ""))


def parse(words):
    parser = OneLine(prog="run grade --course", allow_abbrev=False, description="Grades a term: each exercise of the course file.")
    parser.add_argument("--course", metavar="course.toml", required=True, help="exercises, points, deadlines, roster: docs/pages/course.md")
    parser.add_argument("submissions", metavar="SUBMISSIONS", help="a folder with a folder for each exercise, or with students' clones")
    parser.add_argument("--out", metavar="DIR", default="grades", help="where grade books and pages are written (grades)")
    parser.add_argument("--explain", metavar="STUDENT", help="how a student's verdicts came about")
    parser.add_argument("--again", action="store_true", help="forget what was graded before")
    parser.add_argument("--force", action="store_true", help="as for `run grade`")
    parser.add_argument("--slurm", action="store_true", help="jobs of Slurm grade, and write all of this")
    parser.add_argument("--shards", metavar="N", type=int, default=8, help="with --slurm: tasks for each exercise (8)")
    parser.add_argument("--sbatch", metavar="OPTIONS", default="", help="with --slurm: options of sbatch")
    parser.add_argument("--gather", action="store_true", help=argparse.SUPPRESS)  # the job behind those that grade
    for option, value in PASSED_ON.items():
        parser.add_argument(option, metavar=value, help="as for `run grade`")
    return parser.parse_args(words)


def passed_on(given):
    """What `run grade` is given, too."""
    words = [f"--{name}" for name in ("again", "force") if getattr(given, name)]
    for option in PASSED_ON:
        if value := getattr(given, option.lstrip("-")):
            words += [option, value]
    return words


def read_before(path):
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}


def grade(words):
    given = parse(words)
    course = course_file.read(given.course)
    root, out = pathlib.Path(given.submissions), pathlib.Path(given.out)
    if not root.is_dir():
        raise toml_lines.Mistake(f"{root}: no such folder")
    work = out / "work"
    work.mkdir(parents=True, exist_ok=True)
    work.chmod(0o700)  # it has settings and all submissions: nobody else may look, see --account
    if given.slurm:
        return hand_over(given, course, root.resolve(), work.resolve())
    before = read_before(out / "grades.json")
    grades, strangers = grading.grade_term(course, root.resolve(), work.resolve(), passed_on(given), given.gather)
    if given.explain:
        return explain.write(course, grades, given.explain, sys.stdout)
    books.write(course, grades, out)
    pages.write_students(course, grades, out / "feedback")
    pages.write_course(course, grades, strangers, before, out / "index.html")
    for name in strangers:
        print(f"run grade: not in the roster: {name}", file=sys.stderr)
    open_ones = sum(g.is_open for g in grades.values())
    print(f"{out}: {course_file.counted(len(grades), 'grade')} of {course_file.counted(len(course.exercises), 'exercise')}" + (f", {open_ones} of them open" if open_ones else "") + "; index.html has the course, feedback/ each student")
    return 0


def hand_over(given, course, root, work):
    """An array job for each exercise, and one job behind them."""
    if given.shards < 1:
        raise toml_lines.Mistake("--shards: give 1 or more")
    options, own = slurm.take_own(passed_on(given))
    own["--sbatch"], jobs = given.sbatch, []
    slurm.prepare(work, False)
    staged = grading.stage_term(course, root, work)
    for command, state, _, _ in staged:
        slurm.prepare(state, given.again)
    try:
        for command, state, _, count in staged:
            jobs.append(slurm.submit_tasks(state, min(given.shards, count), [*command, *options], own))
    except toml_lines.Mistake:
        slurm.cancel(jobs)
        raise
    words = [grading.RUN, "grade", "--course", given.course, given.submissions, "--out", given.out, *options]
    last = slurm.submit_last(work, jobs, words, own)
    slurm.tell(jobs, last, work)
    return 0


def check(words):
    path = words[0] if words else "course.toml"
    course = course_file.read(path)
    parts = (course.exercises, "exercise"), (course.students, "student"), (course.extensions, "extension")
    counts = ", ".join(course_file.counted(len(there), what) for there, what in parts if there is not course.students or there)
    print(f"{path}: {counts}: no mistake" + ("" if course.students else "; no roster: all who hand in are students"))
    return 0


COMMANDS = {"grade": grade, "start": course_file.start, "slurm": slurm.command, "check": check, "similar": similar.command, "new": exercise.new, "exercise": exercise.check}


def main(*words):
    if words and words[0] not in (*COMMANDS, "--help", "-h"):
        shown = [name for name in COMMANDS if name not in ("grade", "slurm")]
        near = difflib.get_close_matches(words[0], shown, 1)
        print(f"run: there is no `run course {words[0]}`" + (f"; did you mean '{near[0]}'?" if near else f": give one of {', '.join(shown)}"), file=sys.stderr)
        return 2
    if not words or words[0] not in COMMANDS or words[1:] in (("--help",), ("-h",)) and words[0] != "grade":
        print(f"usage: {__doc__.split(chr(10) * 2)[1]}", file=sys.stderr)
        return 0 if words and words[-1] in ("--help", "-h") else 2
    try:
        return COMMANDS[words[0]](words[1:])
    except toml_lines.Mistake as mistake:
        print("\n".join("run: " + line for line in str(mistake).splitlines()), file=sys.stderr)
        return mistake.status
    except slurm.NoSlurm as missing:
        print(f"run: {missing}", file=sys.stderr)
        return 3
    except KeyboardInterrupt:
        return 130
    except OSError as error:
        print(f"run: {error.filename}: {error.strerror}", file=sys.stderr)
        return 3


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
