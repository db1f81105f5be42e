"""A course file: what it may hold, and every mistake in it with its line and what to do."""

import csv
import dataclasses
import datetime
import difflib
import math
import pathlib
import re
import zoneinfo

import toml_lines

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SETTINGS = ROOT / "harness" / "grade" / "outcome" / "settings.def"
EXERCISES = ROOT / "solutions" / "solutions.def"

COURSE = {"name": str, "timezone": str, "roster": str, "times": str, "marks": str}
LATE = {"grace_minutes": float, "per_day": float, "days": float, "free_days": float}
EXERCISE = {
    "number": str,
    "weight": float,
    "deadline": datetime.datetime,
    "groups": bool,
    "share": float,
    "points": dict,
    "tests": dict,
    "manual": dict,
}
EXTENSION = {"student": str, "exercise": str, "deadline": datetime.datetime, "days": float}
KINDS = {str: "a text", float: "a number", bool: "true or false", dict: "a table", datetime.datetime: "a date with a time, such as 2026-12-04T23:59:00"}


@dataclasses.dataclass
class Student:
    id: str
    name: str = ""
    section: str = ""
    group: str = ""
    email: str = ""
    fields: dict = dataclasses.field(default_factory=dict)  # all columns of the roster


@dataclasses.dataclass
class Exercise:
    number: str
    directory: str
    title: str
    weight: float = 1.0
    deadline: datetime.datetime | None = None
    groups: bool = False
    share: float | None = None
    points: dict = dataclasses.field(default_factory=dict)
    tests: dict = dataclasses.field(default_factory=dict)  # points of single tests and goals
    manual: dict = dataclasses.field(default_factory=dict)  # points of lines that a person gives

    @property
    def target(self):
        return "exercise" + self.number


@dataclasses.dataclass
class Course:
    path: pathlib.Path
    name: str = ""
    zone: datetime.tzinfo = datetime.timezone.utc
    settings: dict = dataclasses.field(default_factory=dict)  # "points.total": 100
    late: dict = dataclasses.field(default_factory=dict)
    exercises: list = dataclasses.field(default_factory=list)
    students: dict = dataclasses.field(default_factory=dict)  # by id, in the roster's order
    extensions: list = dataclasses.field(default_factory=list)  # (student, exercise, deadline or days)
    times: dict = dataclasses.field(default_factory=dict)  # (student, exercise): when handed in
    marks: dict = dataclasses.field(default_factory=dict)  # (student, exercise, line): (points, comment)

    def total_of(self, points):
        """The points of an exercise with these settings of its own."""
        return points.get("points.total", self.settings.get("points.total", 100.0))

    def members(self, student):
        """The students of one's group, oneself among them."""
        group = student.group
        return [s for s in self.students.values() if group and s.group == group] or [student]


def known_exercises():
    """Number: (directory, title), as the lab has them."""
    found = re.findall(r'LAB_EXERCISE\("([^"]+)", "([^"]+)", .*, \d+, "([^"]*)"(?:, "\w+")?\)', EXERCISES.read_text())
    return {number: (directory, title) for number, directory, title in found}


def known_names(directory, share=None):
    """The names that points can be given to: those of each test and goal of an exercise, in the order of its goal.txt."""
    names, counts = [], {}
    for line in (EXERCISES.parent / directory / "goal.txt").read_text(encoding="utf-8").splitlines():
        word, _, rest = line.partition(" ")
        parts = [part.strip() for part in rest.split(" | ")]
        if word not in ("test", "hidden", "goal", "guard") or (word in ("goal", "guard") and len(parts) < 4):
            continue
        kind = "guard" if word == "goal" and parts[2] == "time" else word
        counts[kind] = counts.get(kind, 0) + 1
        own = [] if word == "hidden" else [rest.strip()] if word == "test" else ["speed", parts[3]] if parts[2] == "speed" else [parts[3]]
        names.append([f"{kind} {counts[kind]}", *own])
    return names + [["speed"]] * (share is not None and not any("speed" in own for own in names))


def like(number, there):
    """The exercise that a number may mean, as "exercise05" and "5" mean 05; else ""."""
    number = str(number or "").removeprefix("exercise").removeprefix("solution")
    return next((n for n in there if number and n.lstrip("0") == number.lstrip("0")), "")


def nearest(name, names):
    """What to say after a name that is not known."""
    near = difflib.get_close_matches(name, names, 1, 0.5)
    places = {n.rpartition(" ")[0]: n for n in names if re.fullmatch(r"(test|hidden|goal|guard) \d+", n)}  # the last of each kind
    there = [f"'{n}'" for n in dict.fromkeys(names) if not re.fullmatch(r"(test|hidden|goal|guard) \d+", n)]
    there += [n if n.endswith(" 1") else f"{kind} 1 to {n.rpartition(' ')[2]}" for kind, n in places.items()]
    return (f"; did you mean '{near[0]}'?" if near else ";") + f" There are {', '.join(there)}"


def counted(count, what):
    return f"{count} {what}" + ("" if str(count) == "1" else "s")


def known_settings():
    """Name: (kind, least, most)."""
    found = re.findall(r'LAB_SETTING\("([^"]+)", (\w+), \w+, ([^,]+), ([^)]+)\)', SETTINGS.read_text())
    return {name: (kind, float(least), float(most)) for name, kind, least, most in found}


class Reader:
    """Reads a course file, and gathers its mistakes."""

    def __init__(self, path):
        self.path, self.mistakes = pathlib.Path(path), []
        self.values, self.lines = toml_lines.read(path)
        self.course = Course(self.path)

    def wrong(self, path, what):
        self.mistakes.append(f"{self.path}:{toml_lines.line_of(self.lines, path)}: {what}")

    def wrong_row(self, file, row, what):
        self.mistakes.append(f"{file}:{row}: {what}")

    def take(self, table, schema, path):
        """The values of a table that fit the schema; complains of the others."""
        taken = {}
        for key, value in table.items():
            kind = schema.get(key)
            if kind is float and type(value) is int:
                value = float(value)
            if kind is None:
                near = difflib.get_close_matches(key, schema, 1)
                self.wrong(path + (key,), f"no such key: {key}" + (f"; did you mean {near[0]}?" if near else f"; there are {', '.join(schema)}"))
            elif type(value) is not kind:
                self.wrong(path + (key,), f"{key}: give {KINDS[kind]}, not {value!r}")
            elif kind is float and not (math.isfinite(value) and value >= 0):
                self.wrong(path + (key,), f"{key}: give a number of 0 or more, not {value}")
            else:
                taken[key] = value
        return taken

    def when(self, moment):
        """A time without an offset is of the course's time zone."""
        return moment if moment.tzinfo else moment.replace(tzinfo=self.course.zone)

    # --- the parts of the file --------------------------------------------------------------------

    def read(self):
        settings = known_settings()
        sections = {name.split(".")[0] for name in settings}
        parts = {"course": self.read_course, "late": self.read_late, "exercise": self.read_exercises, "extension": self.read_extensions}
        for key in [k for k in self.values if k not in parts and k not in sections]:
            near = difflib.get_close_matches(key, list(parts) + list(sections), 1)
            self.wrong((key,), f"no such section: {key}" + (f"; did you mean {near[0]}?" if near else ""))
        for section in sorted(sections & set(self.values)):
            self.read_settings(section, settings)
        for name, read in parts.items():
            want = list if name in ("exercise", "extension") else dict
            value = self.values.get(name, want())
            if not isinstance(value, want):
                self.wrong((name,), f"write [[{name}]]" if want is list else f"write [{name}]")
            elif want is list and not all(isinstance(one, dict) for one in value):
                self.wrong((name,), f"write [[{name}]]")
            else:
                read(value)
        if not self.course.exercises and not self.mistakes:
            self.wrong((), "there is no [[exercise]]")
        return self.course

    def read_settings(self, section, settings):
        if not isinstance(self.values[section], dict):
            self.wrong((section,), f"write [{section}]")
            return
        for key, value in self.values[section].items():
            self.take_setting(f"{section}.{key}", value, (section, key), settings, self.course.settings)

    def take_setting(self, name, value, path, settings, into):
        if name not in settings:
            near = difflib.get_close_matches(name, settings, 1)
            self.wrong(path, f"no such setting: {name}" + (f"; did you mean {near[0]}?" if near else ""))
            return
        kind, least, most = settings[name]
        is_number = kind == "NUMBER" and type(value) in (int, float) and least <= value <= most
        if is_number or (kind == "SWITCH" and type(value) is bool) or (kind in ("TEXT", "VISIBILITY") and type(value) is str and value):
            into[name] = value
        else:
            wanted = f"a number from {least:g} to {most:g}" if kind == "NUMBER" else "true or false" if kind == "SWITCH" else "a text"
            self.wrong(path, f"{name}: give {wanted}, not {value!r}")

    def read_course(self, table):
        taken = self.take(table, COURSE, ("course",))
        self.course.name = taken.get("name", self.path.stem)
        try:
            self.course.zone = zoneinfo.ZoneInfo(taken.get("timezone", "UTC"))
        except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError):
            self.wrong(("course", "timezone"), f"no such time zone: {taken['timezone']}; give one such as Europe/Berlin")
        self.files = {key: taken[key] for key in ("roster", "times", "marks") if key in taken}

    def rows(self, key, needed):
        """The rows of a CSV file beside the course file, with their lines; complains of a missing column."""
        name = getattr(self, "files", {}).get(key)
        if not name:
            return
        path = self.path.parent / name
        try:
            with open(path, newline="", encoding="utf-8-sig") as file:
                reader = csv.DictReader(file)
                columns = [c.strip().lower() for c in reader.fieldnames or []]
                reader.fieldnames = columns
                for column in needed:
                    if column not in columns:
                        self.wrong_row(path, 1, f"no column {column}; the first line names the columns: {','.join(needed)}")
                        return
                for row in reader:
                    yield path, reader.line_num, {k: (v or "").strip() for k, v in row.items() if k is not None and not isinstance(v, list)}
        except OSError as error:
            self.wrong(("course", key), f"{path}: {error.strerror}")
        except (UnicodeDecodeError, csv.Error) as error:
            self.wrong(("course", key), f"{path}: not a CSV file in UTF-8: {error}")

    def read_late(self, table):
        self.course.late = {"grace_minutes": 0.0, "per_day": 0.0, "days": 0.0, "free_days": 0.0}
        self.course.late.update(self.take(table, LATE, ("late",)))
        if self.course.late["per_day"] > 1:
            self.wrong(("late", "per_day"), f"per_day is a share of the points, 0.1 for a tenth, not {self.course.late['per_day']:g}")

    def read_exercises(self, tables):
        there, settings = known_exercises(), known_settings()
        for i, table in enumerate(tables):
            path = ("exercise", i)
            taken = self.take(table, EXERCISE, path)
            number = taken.pop("number", None)
            if number is None and "number" in table:
                continue  # told already
            if number not in there:
                near = like(number, there)
                rest = f"did you mean \"{near}\"?" if near else f"give its number as a text, such as \"05\"; there are {', '.join(there)}"
                self.wrong(path + ("number",), f"no exercise {number or ''}: {rest}")
                continue
            if number in [e.number for e in self.course.exercises]:
                self.wrong(path + ("number",), f"exercise {number} stands here a second time")
                continue
            points = {}
            for key, value in taken.get("points", {}).items():
                self.take_setting(f"points.{key}", value, path + ("points", key), settings, points)
            for part in ("tests", "manual"):
                for key, value in taken.get(part, {}).items():
                    if type(value) not in (int, float) or not 0 <= value <= 1e4:
                        self.wrong(path + (part, key), f"{part}: give the points of '{key}', not {value!r}")
            of_each = known_names(there[number][0], taken.get("share"))
            names = [name for own in of_each for name in own]
            for name in [name for name in taken.get("tests", {}) if name not in names]:
                self.wrong(path + ("tests", name), f"exercise {number} has no test or goal '{name}'{nearest(name, names)}")
            for name in [name for name in taken.get("tests", {}) if names.count(name) > 1]:
                self.wrong(path + ("tests", name), f"exercise {number} has several of the name '{name}': give their places, such as 'goal 1'")
            for own in of_each:
                given = [name for name in taken.get("tests", {}) if name in own]
                if len(given) > 1:
                    self.wrong(path + ("tests", given[1]), f"exercise {number}: '{given[1]}' is '{given[0]}' by another name: give its points once")
            named = sum(v for v in taken.get("tests", {}).values() if type(v) in (int, float))
            total = self.course.total_of(points)
            if named > total:
                self.wrong(path + ("tests",), f"exercise {number}: its tests and goals have {named:g} points, and all of it {total:g} (points.total)")
            if "deadline" in taken:
                taken["deadline"] = self.when(taken["deadline"])
            taken["points"] = points
            self.course.exercises.append(Exercise(number, *there[number], **taken))
        self.read_roster()
        self.read_times()
        self.read_marks()

    def read_roster(self):
        for path, line, row in self.rows("roster", ["id"]):
            id = row["id"]
            if not id:
                self.wrong_row(path, line, "no id")
            elif "/" in id or id in (".", "..") or not id.isprintable():
                self.wrong_row(path, line, f"{id!r} cannot be an id, which names files")
            elif id in self.course.students:
                self.wrong_row(path, line, f"student {id} stands here a second time")
            else:
                self.course.students[id] = Student(id, row.get("name", ""), row.get("section", ""), row.get("group", ""), row.get("email", ""), row)

    def knows(self, path, line, row):
        """Whether a row names a student and an exercise of the course."""
        if self.course.students and row.get("id") not in self.course.students:
            self.wrong_row(path, line, f"no student {row.get('id')!r} in the roster")
            return False
        if row["exercise"] not in [e.number for e in self.course.exercises]:
            self.wrong_row(path, line, f"no exercise {row['exercise']!r} in this course")
            return False
        return True

    def read_times(self):
        for path, line, row in self.rows("times", ["id", "exercise", "time"]):
            if not self.knows(path, line, row):
                continue
            try:
                self.course.times[row["id"], row["exercise"]] = self.when(datetime.datetime.fromisoformat(row["time"]))
            except ValueError:
                self.wrong_row(path, line, f"no time: {row['time']!r}; write it as 2026-12-04T23:59:00, with an offset if it is of another zone")

    def read_marks(self):
        lines = {e.number: e.manual for e in self.course.exercises}
        for path, line, row in self.rows("marks", ["id", "exercise", "line", "points"]):
            if not self.knows(path, line, row):
                continue
            most = lines[row["exercise"]].get(row["line"])
            try:
                points = float(row["points"])
            except ValueError:
                points = math.nan
            if most is None:
                self.wrong_row(path, line, f"exercise {row['exercise']} has no manual line {row['line']!r}")
            elif not 0 <= points <= most:
                self.wrong_row(path, line, f"{row['line']}: give 0 to {most:g} points, not {row['points']!r}")
            else:
                self.course.marks[row["id"], row["exercise"], row["line"]] = (points, row.get("comment", ""))

    def read_extensions(self, tables):
        for i, table in enumerate(tables):
            path = ("extension", i)
            taken = self.take(table, EXTENSION, path)
            numbers = [e.number for e in self.course.exercises]
            if self.course.students and taken.get("student") not in self.course.students:
                self.wrong(path + ("student",), f"no student {taken.get('student')!r} in the roster")
            elif taken.get("exercise") not in numbers:
                self.wrong(path + ("exercise",), f"no exercise {taken.get('exercise')!r} in this course")
            elif ("deadline" in taken) == ("days" in taken):
                self.wrong(path, "give a deadline or days")
            else:
                until = self.when(taken["deadline"]) if "deadline" in taken else datetime.timedelta(days=taken["days"])
                self.course.extensions.append((taken["student"], taken["exercise"], until))


def read(path):
    """The course; or Mistake, with all mistakes, a line each."""
    reader = Reader(path)
    course = reader.read()
    if reader.mistakes:
        raise toml_lines.Mistake("\n".join(reader.mistakes))
    return course


START = """[course]
name = "GPU programming"
timezone = "UTC"                     # of the deadlines; such as "Europe/Berlin"
# roster = "roster.csv"              # columns id,name; without it all who hand in are students
"""
STARTED = """
[[exercise]]
number = "{}"
# deadline = 2026-12-04T23:59:00
"""


def start(words):
    """Writes the course file to begin with: run course start FILE NN..."""
    there = known_exercises()
    for number in words[1:]:
        if number not in there:
            raise toml_lines.Mistake(f"no exercise {number}; there are {', '.join(there)}")
    if len(words) < 2:
        raise toml_lines.Mistake("give a new file and exercises, such as `./run course start ../course.toml 00e 05`")
    try:
        with open(words[0], "x", encoding="utf-8") as file:
            file.write(START + "".join(STARTED.format(number) for number in dict.fromkeys(words[1:])))
    except FileExistsError:
        raise toml_lines.Mistake(f"{words[0]}: is there already") from None
    print(f"{words[0]}: write in deadlines and roster, then `./run course check {words[0]}`")
    return 0


def write_settings(course, exercise, path):
    """The settings of one exercise, as `run grade --config` reads them."""
    settings = course.settings | exercise.points
    if exercise.share is not None:
        settings["speed.share"] = exercise.share
    sections = {}
    for name, value in settings.items():
        section, key = name.split(".")
        text = f'"{value}"' if isinstance(value, str) else str(value).lower()
        sections.setdefault(section, []).append(f"{key} = {text}\n")
    pathlib.Path(path).write_text("".join(f"[{section}]\n{''.join(lines)}" for section, lines in sections.items()))
