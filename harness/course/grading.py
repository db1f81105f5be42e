"""The grades of a term: each exercise by `run grade`, then points, lateness, groups, marks given by hand."""

import dataclasses
import datetime
import json
import math
import os
import pathlib
import subprocess
import sys

import course_file
import submissions
import toml_lines

RUN = pathlib.Path(os.environ.get("LAB_RUN", course_file.ROOT / "run"))
DAY = datetime.timedelta(days=1)


@dataclasses.dataclass
class Line:
    """A row of a student's table: a test, a goal, or what a person judged."""

    name: str
    kind: str  # "test", "hidden test", "goal", "guard", which gives no points, "by hand"; "verdict": why nothing was tried
    passed: bool | None  # None: it has no verdict yet
    points: float
    most: float
    message: str = ""
    figure: float | None = None
    solution: float | None = None
    options: str = ""
    reached: bool = True  # False: it was not tried, since the kernel is not right


@dataclasses.dataclass
class Grade:
    """One student's grade of one exercise."""

    student: course_file.Student
    exercise: course_file.Exercise
    status: str  # the verdict; "missing": nothing handed in; "no_file": no kernel file in it, or several
    message: str = ""
    warning: str = ""  # of a right kernel that prints, or that does no more than what was given
    file: str = ""
    sha256: str = ""
    by: str = ""  # whose file it is, in a group
    lines: list = dataclasses.field(default_factory=list)
    handed_in: datetime.datetime | None = None
    deadline: datetime.datetime | None = None
    days_late: int = 0
    free_days: int = 0  # of these, taken from the student's own
    lost: float = 0.0  # points, for lateness
    seconds: float = 0.0

    @property
    def is_open(self):
        """No verdict, or a line that nobody has judged yet: the points are not known."""
        return self.status in ("unsupported", "internal_error") or any(line.passed is None for line in self.lines)

    @property
    def verdict(self):
        """The line that says why no test was tried; None: some were."""
        return next((line for line in self.lines if line.kind == "verdict"), None)

    @property
    def earned(self):
        return sum(line.points for line in self.lines)

    @property
    def most(self):
        return sum(line.most for line in self.lines)

    @property
    def points(self):
        return max(0.0, self.earned - self.lost)


def stage_exercise(course, exercise, found, work):
    """The grader's command line for one exercise's submissions, the state folder and the JSON file in it, and how many there are."""
    staged, config, out = work / exercise.number / "submissions", work / f"{exercise.number}.toml", work / f"{exercise.number}.json"
    submissions.stage(found, staged)
    course_file.write_settings(course, exercise, config)
    state = work / exercise.number / "state"
    return [RUN, "grade", exercise.number, staged, "--config", config, "--state", state, "--json", out], state, out, len(found)


def stage_term(course, root, work):
    """The same of all exercises with submissions."""
    found = submissions.find(pathlib.Path(root), course)
    return [stage_exercise(course, exercise, found[exercise.number], work) for exercise in course.exercises if found[exercise.number]]


def run_exercise(course, exercise, found, work, options, is_last):
    """The grader's JSON of one exercise's submissions. `is_last`: after tasks of a cluster, which claimed them."""
    command, state, out, _ = stage_exercise(course, exercise, found, work)
    command += [*options, "--claims", state / "cluster" / "claims", "--gather"] if is_last else options
    print(f"exercise{exercise.number}: {course_file.counted(len(found), 'submission')}", file=sys.stderr)
    out.unlink(missing_ok=True)  # a report of an earlier run is none of this one
    ended = subprocess.run(command, stdout=subprocess.DEVNULL, check=False)
    if ended.returncode not in (0, 1) and not (ended.returncode == 3 and is_whole(out)):
        raise toml_lines.Mistake(f"exercise{exercise.number} could not be graded: see above; no grade book was written", ended.returncode if ended.returncode > 0 else 3)
    return json.loads(out.read_text())


def is_whole(path):
    try:
        return bool(json.loads(path.read_text())["submissions"])
    except (OSError, ValueError, KeyError):
        return False


# --- points --------------------------------------------------------------------------------------


KINDS = {"goal": "goal", "figure": "guard"}


def names_of(test, counts):
    """The names that a course file may give a test or goal: its options or label, and "test 2", "hidden 3", "goal 1"."""
    kind = KINDS.get(test["kind"]) or ("test" if test["shown"] else "hidden")
    counts[kind] = counts.get(kind, 0) + 1
    is_speed = kind == "goal" and test["name"].endswith("; modelled)")  # which is named "speed" where it is measured
    return [test["name"], test["name"].split(" (")[0], f"{kind} {counts[kind]}"] + ["speed"] * is_speed


def lines_of(outcome, exercise, total):
    """A student's table. Tests that the course file names have its points; the others share what is left as the grader gave it."""
    counts, lines, named, rest = {}, [], 0.0, 0.0
    left = dict(exercise.tests)  # a name's points are given once: a goal has its label again at its other sizes
    for test in outcome.get("tests", []):
        names = names_of(test, counts)
        own = next((left.pop(name) for name in names if name in left), None)
        most = test.get("max_points") or 0.0
        share = (test["points"] or 0.0) / most if most and test.get("points") is not None else 0.0
        check = test.get("check", {})
        status = check.get("status", "")
        judged = status not in ("unsupported", "internal_error") and test.get("points", 0.0) is not None
        kind = KINDS.get(test["kind"]) or ("test" if test["shown"] else "hidden test")
        line = Line(test["name"] if test["shown"] else "a size that is not shown", kind, bool(test["passed"]) if judged else None, share, most)
        line.message, line.options = check.get("message", ""), test["options"]
        line.figure, line.solution = test.get("figure"), test.get("solution")
        line.reached = bool(check)
        if own is not None:
            is_earned = outcome.get("points") and test["passed"]
            line.points, line.most = (own if is_earned else 0.0), own
            named += own
        else:
            rest += most
            lines.append((line, True))
            continue
        lines.append((line, False))
    scale = max(0.0, total - named) / rest if rest else 0.0
    for line, is_shared in lines:
        if is_shared:
            line.most *= scale
            line.points *= line.most
    return [line for line, _ in lines]


def check_names(exercise, outcome):
    """Complains of a test that the course file names and the exercise does not have."""
    counts, there = {}, set()
    for test in outcome.get("tests", []):
        there.update(names_of(test, counts))
    wrong = [name for name in exercise.tests if name not in there]
    if outcome.get("tests") and wrong:
        raise toml_lines.Mistake(f"exercise {exercise.number} has no test or goal '{wrong[0]}' here{course_file.nearest(wrong[0], sorted(there))}")


# --- lateness ------------------------------------------------------------------------------------


def deadline_of(course, student, exercise):
    until = exercise.deadline
    for who, number, extension in course.extensions:
        if (who, number) == (student.id, exercise.number) and until:
            later = until + extension if isinstance(extension, datetime.timedelta) else extension
            until = max(until, later)
    return until


def take_lateness(course, grades):
    """Days late of a student's grades, in the order of the deadlines; free days are taken first."""
    late = course.late
    left = late.get("free_days", 0.0)
    for grade in sorted(grades, key=lambda g: (g.deadline is None, g.deadline)):
        if not grade.deadline or not grade.handed_in or not late:
            continue
        over = grade.handed_in - grade.deadline - datetime.timedelta(minutes=late["grace_minutes"])
        if over <= datetime.timedelta():
            continue
        grade.days_late = math.ceil(over / DAY)
        grade.free_days = min(grade.days_late, int(left))
        left -= grade.free_days
        days = grade.days_late - grade.free_days
        grade.lost = grade.earned if days > late["days"] else min(1.0, days * late["per_day"]) * grade.earned


# --- the whole -----------------------------------------------------------------------------------


def chosen(course, student, exercise, found):
    """Whose submission counts: one's own, or in a group the member's that was handed in last."""
    names = [s.id for s in course.members(student)] if exercise.groups else [student.id]
    names += [student.group] if exercise.groups and student.group else []
    there = [name for name in names if name in found]
    return max(there, key=lambda name: (when(course, exercise, name, found[name]), name == student.id), default=None)


def when(course, exercise, name, path):
    return course.times.get((name, exercise.number)) or submissions.handed_in(path)


def lines_by_hand(course, student, exercise, is_missing):
    """What a person judges; not known until marks name it, but for what was not handed in."""
    lines = []
    for name, most in exercise.manual.items():
        points, comment = course.marks.get((student.id, exercise.number, name), (0.0 if is_missing else None, ""))
        lines.append(Line(name, "by hand", None if points is None else points > 0.0 or not is_missing, points or 0.0, most, comment))
    return lines


def untried(outcome, total):
    """The line in place of tests and goals: as handed out, no file or two, what the compiler says first."""
    status, why = outcome["check"]["status"], outcome["check"].get("message", "").removeprefix("it ")
    name = "the file is as handed out" if status == "unchanged" else why or {"build_error": "does not compile"}.get(status, status or "not judged")
    said = outcome.get("compiler", "").splitlines()
    first = ([line for line in said if "error" in line] or said or [""])[0]
    is_open = status in (None, "unsupported", "internal_error")
    return Line(name, "verdict", None if is_open else False, 0.0, total, first)


def grade_of(course, student, exercise, found, outcomes):
    grade = Grade(student, exercise, "missing", deadline=deadline_of(course, student, exercise))
    name = chosen(course, student, exercise, found)
    total = course.total_of(exercise.points)
    if name is not None:
        outcome = outcomes[name]
        grade.status, grade.message = outcome["check"]["status"], outcome["check"].get("message", "")
        if grade.status == "build_error" and not outcome.get("compiler"):
            grade.status = "no_file"  # none, or several: nothing was compiled
        grade.warning = outcome.get("warning", "")
        grade.file, grade.sha256, grade.by = str(found[name]), outcome.get("sha256", ""), name
        grade.seconds, grade.handed_in = outcome.get("seconds", 0.0), when(course, exercise, name, found[name])
        grade.lines = lines_of(outcome, exercise, total) or [untried(outcome, total)]
    else:
        grade.lines = [Line("nothing was handed in", "verdict", False, 0.0, total)]
    grade.lines += lines_by_hand(course, student, exercise, name is None)
    return grade


def grade_term(course, root, work, options, is_last=False):
    """All grades, by exercise and student; and names of submissions that belong to nobody in the roster."""
    found = submissions.find(pathlib.Path(root), course)
    grades, strangers = {}, []
    people = course.students or {name: course_file.Student(name) for name in sorted({name for own in found.values() for name in own})}
    for exercise in course.exercises:
        own = found[exercise.number]
        report = run_exercise(course, exercise, own, work, options, is_last) if own else {"submissions": []}
        staged = work / exercise.number / "submissions"
        outcomes = {student_of(one, staged): one for one in report["submissions"]}
        outcomes = {name: outcomes.get(name) or by_student(report, name) for name in own}
        for outcome in report["submissions"]:
            check_names(exercise, outcome)
        groups = {s.group for s in people.values() if s.group} if exercise.groups else set()
        strangers += [f"{exercise.number}: {name}" for name in own if name not in people and name not in groups]
        for student in people.values():
            grades[exercise.number, student.id] = grade_of(course, student, exercise, own, outcomes)
    for id in {student for _, student in grades}:
        take_lateness(course, [grade for (_, who), grade in grades.items() if who == id])
    return grades, strangers


def student_of(outcome, staged):
    """Whose folder of the staged ones a submission is; its name in the report, where that cannot be told."""
    path = pathlib.Path(outcome["file"])
    return path.relative_to(staged).parts[0] if staged in path.parents else outcome["student"]


def by_student(report, name):
    found = next((one for one in report["submissions"] if one["student"] == name), None)
    if not found:
        raise toml_lines.Mistake(f"the grader's report has nothing of {name}; no grade book was written: grade again", 3)
    return found


def final_of(course, grades, id):
    """A student's share of the course's points, by weight; None while a grade is open."""
    own = [grades[e.number, id] for e in course.exercises if (e.number, id) in grades]
    weights = sum(g.exercise.weight for g in own)
    if any(g.is_open for g in own) or not weights:
        return None
    return sum(g.exercise.weight * (g.points / g.most if g.most else 0.0) for g in own) / weights
