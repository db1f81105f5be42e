"""Cases of test_course.c: a course file, its mistakes, and what is made of a grader's JSON. The grader is a stand-in, which gives the
verdict that a submission's first line names.

    course_cases.py [CLASS[.TEST]]
"""

import csv
import datetime
import io
import json
import os
import pathlib
import shutil
import stat
import subprocess
import sys
import tempfile
import time
import unittest
import unittest.mock
import xml.etree.ElementTree as xml

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BOX = pathlib.Path(tempfile.mkdtemp())
os.environ["LAB_RUN"] = str(BOX / "run")
sys.path.insert(0, str(ROOT / "harness" / "course"))

import importlib.util  # noqa: E402

SPEC = importlib.util.spec_from_file_location("course_main", ROOT / "harness" / "course" / "__main__.py")
COURSE = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(COURSE)

GRADER = '''#!/usr/bin/env python3
import json, pathlib, sys
words = sys.argv[1:]
folders = sorted(pathlib.Path(words[2]).iterdir())
value = lambda option: words[words.index(option) + 1]
if any((f / "kernel.cu").is_file() and "refused" in (f / "kernel.cu").read_text() for f in folders):
    sys.exit(3)
pathlib.Path(value("--json") + ".words").write_text(json.dumps(words) + pathlib.Path(value("--config")).read_text())
def test(name, kind, shown, verdict, most):
    passed = verdict in ("ok", "printed", "again")
    check = {"status": "ok" if passed else verdict, "message": "" if passed else "first wrong element"}
    points = None if verdict == "unsupported" else most if passed else 0
    return {"name": name, "kind": kind, "shown": shown, "options": name + " --seed 4711", "passed": passed, "check": check,
            "points": points, "max_points": most}
def one(folder):
    file = folder / "kernel.cu"
    verdict = file.read_text().split()[1] if file.is_file() else "build_error"
    tests = [test("-m 1", "test", True, "ok" if verdict == "wrong" else verdict, 20), test("-m 33", "test", True, verdict, 20), test("-m 7 -k 9", "test", False, verdict, 40)]
    goal = test("sectors read (sizes drawn)", "goal", True, verdict, 20) | {"figure": 10, "solution": 8}
    if verdict == "untried": del goal["check"]
    again = [test("GFLOP/s (sizes that are not shown; modelled)", "figure", True, "ok", 0)] if verdict == "again" else []
    if again: goal["name"] = "GFLOP/s (sizes drawn; modelled)"
    reasons = {"unchanged": "nothing is filled in: the file is as it was given", "no_file": "no kernel.cu", "two_files": "2 .cu files, and none is kernel.cu",
               "build_error": "it does not compile"}
    compiler = {"compiler": "kernel.cu:1: note\\nkernel.cu:3: error: expected"} if verdict == "build_error" else {}
    message = reasons.get(verdict, "")
    if message: tests, goal = [], None
    verdict = "build_error" if verdict.endswith("_file") or verdict == "two_files" else verdict
    total = None if verdict == "unsupported" else sum(t["points"] for t in tests + [goal] if t)
    return {"student": folder.name + "/kernel.cu", "file": str(file), "sha256": "ab" * 32 if verdict != "unchanged" else "", "check": {"status": verdict, "message": message}, **compiler,
            "warning": "it prints" if verdict == "printed" else "", "seconds": 1.0, "points": total, "max_points": 100, "tests": tests + ([goal] if goal else []) + again}
pathlib.Path(value("--json")).write_text(json.dumps({"submissions": [one(pathlib.Path(f)) for f in folders]}))
sys.exit(1)
'''


def setUpModule():
    (BOX / "run").write_text(GRADER)
    (BOX / "run").chmod(0o755)


class Box(unittest.TestCase):
    """A course in a folder of its own."""

    def setUp(self):
        self.box = pathlib.Path(tempfile.mkdtemp(dir=BOX))
        self.course, self.term, self.out = self.box / "course.toml", self.box / "term", self.box / "grades"
        self.roster("alice,Alice,A,\nbob,=1+1,A,\nüte,Üte Ö.,B,\n")

    def roster(self, rows, head="id,name,section,group"):
        (self.box / "roster.csv").write_text(f"{head}\n{rows}", encoding="utf-8")

    def write(self, text):
        self.course.write_text(text, encoding="utf-8")

    def hand_in(self, exercise, student, verdict, when="2026-12-01T12:00:00+00:00"):
        path = self.term / exercise / student / "kernel.cu"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"// {verdict}\n")
        moment = datetime.datetime.fromisoformat(when).timestamp()
        for each in (path, path.parent):
            os.utime(each, (moment, moment))

    def run_course(self, *words, status=0):
        out, err = io.StringIO(), io.StringIO()
        kept = sys.stdout, sys.stderr
        sys.stdout, sys.stderr = out, err
        try:
            got = COURSE.main(*map(str, words))
        finally:
            sys.stdout, sys.stderr = kept
        self.assertEqual(got, status, out.getvalue() + err.getvalue())
        return out.getvalue() + err.getvalue()

    def grade(self, *more, status=0):
        said = self.run_course("grade", "--course", self.course, self.term, "--out", self.out, *more, status=status)
        if status or "--explain" in more:
            return said
        return json.loads((self.out / "grades.json").read_text(encoding="utf-8"))

    def exercise_of(self, grades, student, number="05"):
        return next(s for s in grades["students"] if s["id"] == student)["exercises"][number]


HEAD = '[course]\nroster = "roster.csv"\ntimezone = "Europe/Berlin"\n'


class Mistakes(Box):
    """Each with its line and what to do; all at once."""

    def expect(self, text, *said):
        self.write(text)
        heard = self.run_course("check", self.course, status=2)
        for one in said:
            self.assertIn(one, heard)
        self.assertEqual(len(heard.splitlines()), len(said), heard)

    def test_of_the_file(self):
        self.expect("[course\n", "course.toml:1: no TOML")
        self.expect('[[exercise]]\nnumber = "05"\nnumber = "06"\n', "course.toml:3: no TOML")
        self.expect("", "there is no [[exercise]]")
        self.write(HEAD)
        self.assertIn("No such file", self.run_course("check", self.box / "none.toml", status=2))

    def test_of_names_and_kinds(self):
        self.expect(
            HEAD + '[[exercise]]\nnumber = 5\n[[exercise]]\nnumber = "99"\n[[exercise]]\nnumber = "05"\nweigth = 2\nweight = "much"\n[[exercise]]\nnumber = "05"\n',
            "course.toml:5: number: give a text, not 5",
            "course.toml:7: no exercise 99: give its number as a text",
            "course.toml:10: no such key: weigth; did you mean weight?",
            "course.toml:11: weight: give a number, not 'much'",
            "course.toml:13: exercise 05 stands here a second time",
        )
        self.expect(HEAD + "[pionts]\ntotal = 3\n[points]\ntotle = 3\n[limits]\nmemory_mb = 0\n", "course.toml:4: no such section: pionts; did you mean points?", "no such setting: points.totle", "memory_mb: give a number from 0.001")
        self.expect('[course]\ntimezone = "Mars"\n[late]\nper_day = 10\ndays = -1\n[[exercise]]\nnumber="05"\ndeadline = 2026-12-01\n', "no such time zone: Mars", ":4: per_day is a share", ":5: days: give a number of 0 or more", ":8: deadline: give a date with a time")

    def test_of_other_files(self):
        self.roster("a,x\na,y\n../b,z\n,w\n", head="id,name")
        self.expect(HEAD + '[[exercise]]\nnumber="05"\n', "roster.csv:3: student a stands here a second time", "roster.csv:4: '../b' cannot be an id", "roster.csv:5: no id")
        self.roster("a\n", head="name")
        self.expect(HEAD + '[[exercise]]\nnumber="05"\n', "roster.csv:1: no column id")
        self.roster("a\n", head="id")
        (self.box / "times.csv").write_text("id,exercise,time\na,05,noon\nb,05,2026-12-01T00:00\na,07,2026-12-01T00:00\n")
        (self.box / "marks.csv").write_text("id,exercise,line,points\na,05,style,11\na,05,stile,1\n")
        self.expect(
            HEAD + 'times="times.csv"\nmarks="marks.csv"\n[[exercise]]\nnumber="05"\nmanual={style=10}\n',
            "times.csv:2: no time: 'noon'", "times.csv:3: no student 'b'", "times.csv:4: no exercise '07'", "marks.csv:2: style: give 0 to 10 points, not '11'", "marks.csv:3: exercise 05 has no manual line 'stile'",
        )

    def test_of_extensions_and_tests(self):
        self.expect(
            HEAD + '[[exercise]]\nnumber="05"\ntests={"-m 1"=-3}\n[[extension]]\nstudent="eve"\nexercise="05"\ndays=1\n[[extension]]\nstudent="bob"\nexercise="05"\n',
            "course.toml:6: tests: give the points of '-m 1', not -3", ":8: no student 'eve'", ":11: give a deadline or days",
        )

    def test_of_names_of_tests(self):
        there = "There are '-m 63 -n 127 -k 7', "
        self.expect(
            HEAD + '[[exercise]]\nnumber="05"\ntests={"-m 1"=1, "hidden 12"=3}\n[[exercise]]\nnumber="00e"\n[exercise.tests]\n"test 1"=1\n"microsecond"=2\n"style"=1\n',
            f"course.toml:6: exercise 05 has no test or goal 'hidden 12'; did you mean 'hidden 2'? {there}",
            "course.toml:11: exercise 00e has no test or goal 'microsecond'; did you mean 'microseconds'? There are",
            "course.toml:12: exercise 00e has no test or goal 'style'; There are '-n 1021', '-n 1024', '-n 70002', '-n 1', '--thorough', 'microseconds', test 1 to 5, hidden 1 to 5, guard 1\n",
        )
        self.expect(HEAD + '[[exercise]]\nnumber="14"\ntests={"high: global_load"=1}\n', "course.toml:6: exercise 14 has several of the name 'high: global_load': give their places, such as 'goal 1'")
        self.expect(
            HEAD + '[[exercise]]\nnumber="05"\ntests={"test 1"=60, "-m 63 -n 127 -k 7"=20}\n[[exercise]]\nnumber="00e"\npoints={total=50}\ntests={"test 1"=51}\n',
            "course.toml:6: exercise 05: '-m 63 -n 127 -k 7' is 'test 1' by another name: give its points once",
            "course.toml:10: exercise 00e: its tests and goals have 51 points, and all of it 50 (points.total)",
        )
        self.expect(HEAD + '[[exercise]]\nnumber="exercise05"\n', 'course.toml:5: no exercise exercise05: did you mean "05"?')
        self.expect(HEAD + '[[exercise]]\nnumber="5"\n', 'course.toml:5: no exercise 5: did you mean "05"?')
        self.write(HEAD + '[[exercise]]\nnumber="05"\ntests={"-m 63 -n 127 -k 7"=1, "hidden 11"=1, "sectors read"=1, "goal 2"=1}\n')
        self.assertIn("1 exercise, 3 students, 0 extensions: no mistake", self.run_course("check", self.course))
        self.hand_in("05", "bob", "ok")  # by a grader that has other ones
        self.assertIn("exercise 05 has no test or goal '-m 63 -n 127 -k 7' here", self.grade(status=2))
        for name in ('"GFLOP/s"', "speed"):
            self.write(HEAD + f'[[exercise]]\nnumber="06"\nshare=0.5\ntests={{{name}=1}}\n[[extension]]\nstudent="bob"\nexercise="06"\ndays=1\n')
            self.assertIn("1 extension: no mistake", self.run_course("check", self.course))

    def test_are_none_in_a_new_one(self):
        self.assertIn(f"`./run course check {self.course}`", self.run_course("start", self.course, "00e", "05"))
        self.assertIn("2 exercises, 0 extensions: no mistake; no roster: all who hand in are students", self.run_course("check", self.course))
        page = (ROOT / "docs" / "pages" / "course.md").read_text(encoding="utf-8")
        shown = [line.removeprefix("    ") for line in page.splitlines() if line.startswith("    ") or not line]
        self.assertIn(self.course.read_text(), "\n".join(shown) + "\n")
        self.assertIn("is there already", self.run_course("start", self.course, "05", status=2))
        self.assertIn("no exercise 5; there are", self.run_course("start", self.box / "other.toml", "5", status=2))
        self.assertIn("give a new file and exercises", self.run_course("start", self.box / "other.toml", status=2))
        self.course.write_text(self.course.read_text().replace("# roster", "roster").replace("# deadline", "deadline"))  # as the comments say
        self.assertIn("2 exercises, 3 students", self.run_course("check", self.course))


class Points(Box):
    """Of tests, goals, lateness, groups, by hand."""

    def test_are_the_graders(self):
        self.write(HEAD + '[[exercise]]\nnumber="05"\npoints={total=50}\nshare=0.7\n')
        for name, verdict in (("alice", "ok"), ("bob", "wrong"), ("üte", "build_error"), ("eve", "ok")):
            self.hand_in("05", name, verdict)
        grades = self.grade()
        self.assertEqual([self.exercise_of(grades, s)["points"] for s in ("alice", "bob", "üte")], [50, 10, 0])
        self.assertEqual(grades["students"][0]["share"], 1.0)
        words = (self.out / "work" / "05.json.words").read_text()
        self.assertIn("total = 50", words)
        self.assertIn("share = 0.7", words)
        self.assertIn("05: eve", (self.out / "index.html").read_text())
        self.assertNotIn("eve", (self.out / "gradebook.csv").read_text())

    def test_of_single_tests(self):
        self.write(HEAD + '[[exercise]]\nnumber="exercise"\n'.replace("exercise\"", '05"') + 'tests={"test 2"=40, "hidden 1"=10, "sectors read"=30}\n')
        self.hand_in("05", "alice", "ok")
        self.hand_in("05", "bob", "wrong")
        grades = self.grade()
        self.assertEqual([line["most"] for line in self.exercise_of(grades, "alice")["lines"]], [20, 40, 10, 30])
        self.assertEqual(self.exercise_of(grades, "bob")["points"], 20)
        self.assertEqual(self.exercise_of(grades, "alice")["points"], 100)

    def test_of_a_goal_at_other_sizes(self):
        self.hand_in("06", "alice", "again")
        for name in ("GFLOP/s", "speed", "goal 1"):
            self.write(HEAD + f'[[exercise]]\nnumber="06"\ntests={{"{name}"=40}}\n')
            self.assertEqual([line["most"] for line in self.exercise_of(self.grade(), "alice", "06")["lines"]], [15, 15, 30, 40, 0])

    def test_of_late_ones(self):
        self.write(HEAD + '[late]\ngrace_minutes=10\nper_day=0.1\ndays=3\nfree_days=1\n[[exercise]]\nnumber="05"\ndeadline=2026-12-01T23:59:00\n[[exercise]]\nnumber="06"\ndeadline=2026-12-08T23:59:00\n[[extension]]\nstudent="üte"\nexercise="05"\ndays=2\n')
        self.hand_in("05", "alice", "ok", "2026-12-01T23:05:00+00:00")  # 6 minutes after 23:59 of Berlin
        self.hand_in("05", "bob", "ok", "2026-12-03T12:00:00+00:00")  # two days, of which one is free
        self.hand_in("06", "bob", "ok", "2026-12-12T00:00:00+00:00")  # four
        self.hand_in("05", "üte", "ok", "2026-12-03T22:00:00+00:00")
        grades = self.grade()
        self.assertEqual([self.exercise_of(grades, s)["points"] for s in ("alice", "bob", "üte")], [100, 90, 100])
        self.assertEqual([self.exercise_of(grades, "bob")[k] for k in ("days_late", "free_days", "lost")], [2, 1, 10])
        self.assertEqual([self.exercise_of(grades, "bob", "06")[k] for k in ("days_late", "points")], [4, 0])
        self.assertIn("2 days late, 1 of them free: 10 points lost", (self.out / "feedback" / "bob.txt").read_text())

    def test_by_a_list_of_times(self):
        (self.box / "times.csv").write_text("id,exercise,time\nalice,05,2026-12-02T00:30:00\n")
        self.write(HEAD + 'times="times.csv"\n[late]\nper_day=0.5\ndays=1\n[[exercise]]\nnumber="05"\ndeadline=2026-12-01T23:59:00\n')
        self.hand_in("05", "alice", "ok", "2026-11-01T00:00:00+00:00")
        self.assertEqual(self.exercise_of(self.grade(), "alice")["points"], 50)

    def test_of_groups(self):
        self.roster("alice,,,g\nbob,,,g\nüte,,,\n")
        self.write(HEAD + '[[exercise]]\nnumber="05"\ngroups=true\n')
        self.hand_in("05", "alice", "wrong", "2026-12-01T00:00:00+00:00")
        self.hand_in("05", "bob", "ok", "2026-12-02T00:00:00+00:00")
        grades = self.grade()
        self.assertEqual([self.exercise_of(grades, s)["points"] for s in ("alice", "bob", "üte")], [100, 100, 0])
        self.assertEqual(self.exercise_of(grades, "alice")["by"], "bob")

    def test_by_hand(self):
        (self.box / "marks.csv").write_text("id,exercise,line,points,comment\nalice,05,style,7,clear names\n")
        self.write(HEAD + 'marks="marks.csv"\n[[exercise]]\nnumber="05"\nmanual={style=10}\n')
        self.hand_in("05", "alice", "ok")
        self.hand_in("05", "bob", "ok")
        grades = self.grade()
        self.assertEqual(self.exercise_of(grades, "alice")["points"], 107)
        self.assertIsNone(self.exercise_of(grades, "bob")["points"])
        self.assertIn("100 of 100 points so far; not judged yet: style", (self.out / "feedback" / "bob.txt").read_text())
        self.assertIn("clear names", (self.out / "feedback" / "alice.html").read_text())

    def test_by_hand_of_nothing(self):
        self.write(HEAD + '[[exercise]]\nnumber="05"\nmanual={style=10}\n')
        self.hand_in("05", "bob", "ok")
        grades = self.grade()
        self.assertEqual([self.exercise_of(grades, who)["points"] for who in ("alice", "bob")], [0, None])

    def test_are_none_of_an_earlier_grading(self):
        self.write(HEAD + '[[exercise]]\nnumber="05"\n')
        self.hand_in("05", "bob", "ok")
        self.grade()
        books = sorted(path for path in self.out.iterdir() if path.is_file())
        there = [path.stat().st_mtime_ns for path in books]
        self.hand_in("05", "bob", "refused")
        self.assertIn("exercise05 could not be graded: see above; no grade book was written", self.grade(status=3))
        self.assertEqual([path.stat().st_mtime_ns for path in books], there)
        self.assertFalse((self.out / "work" / "05.json").exists())

    def test_that_are_not_known(self):
        self.write(HEAD + '[[exercise]]\nnumber="05"\n')
        self.hand_in("05", "alice", "unsupported")
        grades = self.grade()
        self.assertIsNone(self.exercise_of(grades, "alice")["points"])
        self.assertIsNone(grades["students"][0]["share"])


class Books(Box):
    """Read back by other readers."""

    def setUp(self):
        super().setUp()
        self.roster("alice,Alice,A,17,s1,a@x\nbob,=1+1,A,18,s2,b@x\nüte,\"Ö., Üte\",B,19,s3,\n", head="id,name,section,canvas_id,sis_id,email")
        self.write('[course]\nname="C & <D>"\nroster="roster.csv"\n[[exercise]]\nnumber="05"\n[[exercise]]\nnumber="06"\nweight=3\n')
        self.hand_in("05", "alice", "ok")
        self.hand_in("05", "bob", "wrong")
        self.hand_in("06", "alice", "unsupported")
        self.grade()

    def rows(self, name):
        with open(self.out / name, newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))

    def test_plain(self):
        rows = self.rows("gradebook.csv")
        self.assertEqual([r["id"] for r in rows], ["alice", "bob", "üte"])
        self.assertEqual([r["name"] for r in rows], ["Alice", "'=1+1", "Ö., Üte"])
        self.assertEqual([r["05 points"] for r in rows], ["100", "20", "0"])
        self.assertEqual([r["06 points"] for r in rows], ["", "0", "0"])
        self.assertEqual([r["per cent"] for r in rows], ["", "5", "0"])
        self.assertEqual(rows[2]["05 verdict"], "missing")

    def test_canvas(self):
        rows = self.rows("canvas.csv")
        self.assertEqual(list(rows[0])[:5], ["Student", "ID", "SIS User ID", "SIS Login ID", "Section"])
        self.assertEqual(rows[0]["Student"].strip(), "Points Possible")
        self.assertEqual([(r["ID"], r["SIS User ID"], r["SIS Login ID"]) for r in rows[1:]], [("17", "s1", "alice"), ("18", "s2", "bob"), ("19", "s3", "üte")])
        self.assertEqual([r[list(r)[5]] for r in rows], ["100", "100", "20", "0"])

    def test_moodle(self):
        rows = self.rows("moodle.csv")
        self.assertEqual([r["Email address"] for r in rows], ["a@x", "b@x", ""])
        self.assertEqual([r["05 feedback"] for r in rows], ["ok", "wrong", "missing"])

    def test_junit(self):
        root = xml.parse(self.out / "junit.xml").getroot()
        self.assertEqual(root.get("name"), "C & <D>")
        suites = {s.get("name"): s for s in root}
        self.assertEqual(suites["exercise05"].get("failures"), str(len(suites["exercise05"].findall("testcase/failure"))))
        self.assertEqual(len(suites["exercise06"].findall("testcase/skipped")), 4)

    def test_pages(self):
        for page in [self.out / "index.html", *(self.out / "feedback").glob("*.html")]:
            self.assertIn("</html>", page.read_text(encoding="utf-8"))
            self.assertNotIn("<D>", page.read_text(encoding="utf-8"))
        for file in (self.out / "feedback").iterdir():  # hidden tests can be computed from a seed
            self.assertNotIn("seed", file.read_text(encoding="utf-8"))
            self.assertNotIn("-m 7 -k 9", file.read_text(encoding="utf-8"))
        self.assertIn("-m 7 -k 9", (self.out / "index.html").read_text())
        self.assertIn("10; the solution&#x27;s: 8", (self.out / "feedback" / "alice.html").read_text())

    def test_what_has_changed(self):
        self.assertNotIn("Since the last grading", (self.out / "index.html").read_text())
        self.hand_in("05", "bob", "ok")
        self.grade()
        text = (self.out / "index.html").read_text()
        self.assertRegex(text, r"<td>05<td>bob<td[^>]*>20.00<td[^>]*>100.00<td>the same file")
        self.grade()
        self.assertIn("Nothing has changed", (self.out / "index.html").read_text())

    def test_explained(self):
        said = self.grade("--explain", "bob")
        self.assertIn("-m 33 --seed 4711 --runtime sim", said)
        self.assertIn("Was this problem tried there", said)
        self.assertEqual(said.count("first wrong element"), 1)  # of three tests; the others say that it is the same
        self.assertEqual(said.count("the same, with other numbers"), 2, said)
        self.assertNotIn("goals were not tried", said)
        self.assertIn("no student eve", self.grade("--explain", "eve", status=2))
        self.assertIn("no student alcie; did you mean 'alice'?", self.grade("--explain", "alcie", status=2))

    def test_of_mistyped_words(self):
        self.assertEqual(self.grade("--explian", "bob", status=2), "run: run grade --course: unrecognized arguments: --explian bob; did you mean '--explain'?\n")
        self.assertEqual(self.grade("--explain", status=2), "run: run grade --course: --explain: expected one argument\n")
        self.assertEqual(self.run_course("chek", status=2), "run: there is no `run course chek`; did you mean 'check'?\n")

    def test_say_why_nothing_was_tried(self):
        for verdict, reason, short in (
            ("unchanged", "the file is as handed out", "as handed out"),
            ("no_file", "no kernel.cu", "without a file that can be compiled"),
            ("two_files", "2 .cu files, and none is kernel.cu", "without a file that can be compiled"),
            ("build_error", "does not compile: kernel.cu:3: error: expected", "does not compile"),
        ):
            self.hand_in("05", "bob", verdict)
            said = self.grade("--explain", "bob")
            self.assertIn(f"exercise05: {'no_file' if verdict == 'two_files' else verdict}, 0 of 100 points", said)
            self.assertIn(f"\n  {reason}\n", said)
            self.assertEqual("SHA-256" in said, verdict != "unchanged")
            self.grade()
            self.assertIn(reason, (self.out / "feedback" / "bob.txt").read_text())
            index = (self.out / "index.html").read_text()
            self.assertIn(f"1 {short}, 1 not handed in", index)
            self.assertNotIn("tests and goals", index)
            self.assertNotRegex(index, f"<td>[^<]*{reason[:12]}")
        self.assertIn("nothing was handed in", self.grade("--explain", "üte"))

    def test_leave_out_goals_that_were_not_tried(self):
        self.hand_in("05", "bob", "untried")
        said = self.grade("--explain", "bob")
        self.assertNotIn("sectors read", said)
        self.assertIn("Its goals were not tried", said)

    def test_warn(self):
        self.hand_in("05", "bob", "printed")
        self.assertIn("  it prints\n", self.grade("--explain", "bob"))

    def test_repeat_files_with_odd_names(self):
        kernel = self.term / "05" / "bob" / "kernel.cu"
        kernel.rename(kernel.with_name("my kernel.cu"))
        (self.term / "05" / "alice").mkdir(exist_ok=True)
        (self.term / "05" / "alice" / "kernel.cu").unlink()
        (self.term / "05" / "alice" / "my kernel.cu").write_text("// ok\n")
        self.assertIn(f"file {self.term}/05/alice/my kernel.cu\n", self.grade("--explain", "alice"))
        (self.term / "05" / "bob" / "kernel.cu").write_text("// wrong\n")
        self.assertIn(f"--source {kernel} -m", self.grade("--explain", "bob"))
        self.term.rename(self.box / "a term")
        self.term = self.box / "a term"
        self.assertIn(f"--source '{self.term}/05/bob/kernel.cu' -m", self.grade("--explain", "bob"))


class Submissions(Box):
    """Where they are found, and how they are copied."""

    def test_of_clones(self):
        self.write(HEAD + '[[exercise]]\nnumber="05"\n')
        kernel = self.term / "alice" / "exercises" / "05_register_4x16" / "kernel.cu"
        kernel.parent.mkdir(parents=True)
        kernel.write_text("// ok\n")
        self.assertEqual(self.exercise_of(self.grade(), "alice")["points"], 100)

    def test_that_are_odd(self):
        self.write(HEAD + '[[exercise]]\nnumber="05"\n')
        folder = self.term / "05_register_4x16"
        for name in ("alice", "bob"):
            (folder / name).mkdir(parents=True)
        (folder / "alice" / "kernel.cu").symlink_to("/etc/passwd")
        (folder / "bob" / "kernel.cu").write_bytes(b"// ok\n" + b"x" * (5 << 20))
        os.mkfifo(folder / "bob" / "pipe.cu")
        (folder / "üte.cu").write_text("// ok\n")
        grades = self.grade()
        staged = self.out / "work" / "05" / "submissions"
        self.assertTrue(stat.S_ISLNK((staged / "alice" / "kernel.cu").lstat().st_mode))
        self.assertIn("larger than 4 MiB", (staged / "bob" / "kernel.cu").read_text())
        self.assertFalse((staged / "bob" / "pipe.cu").exists())
        self.assertEqual(self.exercise_of(grades, "üte")["points"], 100)

    def test_are_given_as_one_folder(self):
        """So that the grader has a row for a folder without a file, or with two."""
        self.write(HEAD + '[[exercise]]\nnumber="05"\n')
        (self.term / "05" / "alice").mkdir(parents=True)
        self.hand_in("05", "bob", "ok")
        for name in ("a.cu", "b.cu"):
            (self.term / "05" / "üte").mkdir(exist_ok=True)
            (self.term / "05" / "üte" / name).write_text("// ok\n")
        grades = self.grade()
        staged = self.out / "work" / "05" / "submissions"
        words = json.loads((self.out / "work" / "05.json.words").read_text().splitlines()[0].split("]")[0] + "]")
        self.assertEqual(words[2], str(staged.resolve()))
        self.assertEqual(sorted(p.name for p in staged.glob("*/*")), ["a.cu", "b.cu", "kernel.cu"])
        self.assertTrue((staged / "alice").is_dir())
        self.assertEqual([self.exercise_of(grades, s)["points"] for s in ("alice", "bob", "üte")], [0, 100, 0])
        self.assertNotIn("to repeat it", (self.out / "feedback" / "alice.txt").read_text())

    def test_without_a_roster(self):
        """A student is whoever has handed in anything."""
        self.write('[[exercise]]\nnumber="05"\n[[exercise]]\nnumber="06"\n')
        self.hand_in("05", "bob", "ok")
        self.hand_in("06", "alice", "ok")
        grades = self.grade()
        self.assertEqual([s["id"] for s in grades["students"]], ["alice", "bob"])
        self.assertEqual([self.exercise_of(grades, "bob", n)["status"] for n in ("05", "06")], ["ok", "missing"])

    def test_of_none(self):
        self.write(HEAD + '[[exercise]]\nnumber="05"\n')
        self.assertIn("no such folder", self.grade(status=2))
        self.term.mkdir()
        self.assertEqual(self.exercise_of(self.grade(), "alice")["status"], "missing")


class Exercises(unittest.TestCase):
    """One of an instructor's own, in a copy of what it takes."""

    def setUp(self):
        self.lab = pathlib.Path(tempfile.mkdtemp(dir=BOX))
        for name in ("harness/course", "harness/grade/outcome", "solutions", "steps/05_register_blocking", "docs/blocks"):
            shutil.copytree(ROOT / name, self.lab / name)
        shutil.copy(ROOT / "steps" / "steps.def", self.lab / "steps")
        (self.lab / "harness" / "tests" / "submissions" / "naive").mkdir(parents=True)

    def said(self, *words):
        ended = subprocess.run([sys.executable, "-B", self.lab / "harness" / "course", *words], capture_output=True, text=True, check=False)
        return ended.returncode, ended.stdout + ended.stderr

    def test_is_started(self):
        status, said = self.said("new", "two_rows", "step05.1")
        self.assertEqual(status, 0, said)
        folder = self.lab / "solutions" / "22_two_rows"
        stub = subprocess.run(["awk", "-f", ROOT / "harness" / "exercise" / "stub.awk", folder / "kernel.cu"], capture_output=True, text=True, check=True).stdout
        self.assertIn("// TODO: TODO what the student is to write", stub)
        self.assertNotIn("__syncthreads", stub)
        self.assertIn("LAB_EXPORT", stub)
        self.assertIn('LAB_EXERCISE("22", "22_two_rows", "05.1", "gemm", 256, 2,', (self.lab / "solutions" / "solutions.def").read_text())
        self.assertIn("`./run exercise22 --profile`", (folder / "goal.txt").read_text())
        self.assertEqual(self.said("new", "two_rows", "05.1"), (2, "run: there is an exercise two_rows\n"))
        self.assertIn("no stage 05.9", self.said("new", "other", "05.9")[1])
        self.assertIn("give a name of small letters", self.said("new", "Other", "05.1")[1])

    def test_says_what_is_missing(self):
        self.said("new", "two_rows", "05.1")
        status, said = self.said("exercise", "22")
        self.assertEqual(status, 1)
        self.assertEqual(len(said.splitlines()), 12, said)  # eleven TODOs, and how many they are
        self.assertIn("harness/tests/submissions/naive/22.cu:1: is still to be written", said)
        folder = self.lab / "solutions" / "22_two_rows"
        for path in [*folder.iterdir(), self.lab / "solutions" / "solutions.def", *self.lab.glob("harness/tests/submissions/naive/*")]:
            path.write_text(path.read_text().replace("TODO ", ""))
        (folder / "hints.txt").write_text("one\n---\ntwo\n")
        goal = (folder / "goal.txt").read_text().splitlines()
        (folder / "goal.txt").write_text("\n".join(line for line in goal if not line.startswith(("test --thorough", "hidden -m 1..3", "learned", "goal sizes"))) + "\n")
        said = self.said("exercise", "22")[1]
        for one in ("four tests or more, one of them `test --thorough`", "a goal that only the idea reaches", "one line `learned", "the goal in words", "three hints of more than 80", 'needs a line "22"'):
            self.assertIn(one, said)
        self.assertIn("no exercise 99", self.said("exercise", "99")[1])

    def test_builds_what_it_runs(self):
        self.said("new", "two_rows", "05.1")
        folder, stands_in = self.lab / "solutions" / "22_two_rows", self.lab / "stand-ins"
        for path in [*folder.iterdir(), self.lab / "solutions" / "solutions.def", *self.lab.glob("harness/tests/submissions/naive/*")]:
            path.write_text(path.read_text().replace("TODO ", ""))
        (self.lab / "docs" / "blocks" / "exercises.py").write_text('"22": "more"')
        (folder / "hints.txt").write_text("---\n".join(3 * [f"{'a hint ' * 12}\n"]))
        (folder / "goal.txt").write_text((folder / "goal.txt").read_text().replace("what the kernel", "a" * 40).replace("learned ", "learned " + "b" * 40))
        stands_in.mkdir()
        (stands_in / "make").write_text('#!/bin/sh\necho "$@" >> "$0.words"\ncase $* in *-W*) echo "kernel.cu(3): warning #550-D: never used" ;; esac\n')
        (stands_in / "run").write_text("#!/bin/sh\nexit 1\n")
        for path in stands_in.iterdir():
            path.chmod(0o755)
        with unittest.mock.patch.dict(os.environ, {"PATH": f"{stands_in}:{os.environ['PATH']}", "LAB_RUN": str(stands_in / "run")}):
            said = self.said("exercise", "22")[1]
        self.assertIn("exercises/22_two_rows/kernel.cu compiles with a warning: kernel.cu(3): warning #550-D", said)
        self.assertIn("does not pass: `./run solution22`", said)
        first, second = (stands_in / "make.words").read_text().splitlines()
        self.assertTrue(first.endswith(" exercises"), first)
        self.assertTrue(second.endswith(" -W exercises/22_two_rows/kernel.cu run exercise22 solution22"), second)


STANDINS = {
    "sbatch": """import sys, pathlib
box = pathlib.Path(__file__).parent
if sys.argv[1:] == ["--version"]: sys.exit()
with (box / "calls").open("a") as file: print(*sys.argv[1:], sep="\\n", end="\\n\\n", file=file)
if "--partition=none" in sys.argv: sys.exit("sbatch: error: invalid partition specified: none")
number = (box / "calls").read_text().count("\\n\\n") + 40
if "--dependency" in " ".join(sys.argv) and (box / "no_last").exists(): sys.exit("sbatch: error: too many jobs")
print(f"{number};somewhere")
""",
    "squeue": """import sys, pathlib
running = pathlib.Path(__file__).parent / "running"
if running.exists(): print(running.read_text())
else: sys.exit("slurm_load_jobs error: Invalid job id specified")
""",
    "scancel": """import sys, pathlib
pathlib.Path(__file__).with_name("cancelled").write_text(" ".join(sys.argv[1:]))
""",
}


class Cluster(Box):
    """What is handed over to Slurm, of which there are stand-ins."""

    def setUp(self):
        super().setUp()
        self.bin, self.path = self.box / "bin", os.environ["PATH"]
        self.bin.mkdir()
        for name, text in STANDINS.items():
            (self.bin / name).write_text(f"#!{sys.executable}\n{text}")
            (self.bin / name).chmod(0o755)
        os.environ["PATH"] = f"{self.bin}:{self.path}"
        self.state = self.box / "a state"

    def tearDown(self):
        os.environ["PATH"] = self.path

    def calls(self):
        return [call.splitlines() for call in (self.bin / "calls").read_text().split("\n\n") if call]

    def submit(self, *words, shards="4", options="", status=0):
        return self.run_course("slurm", self.state, shards, options, "grade", *words, status=status)

    def test_has_tasks_and_a_last_job(self):
        said = self.submit("05", "sub missions", "--slurm", "--shards", "4", "--csv", "out.csv", "--sbatch=--time 10")
        tasks, last = self.calls()
        cluster = self.state / "cluster"
        self.assertIn("--array=1-4", tasks)
        self.assertIn("--requeue", tasks)
        self.assertIn("--dependency=afterany:41", last)
        self.assertNotIn("--array=1-4", last)
        self.assertNotIn("gpu", " ".join(tasks))
        words = (cluster / "task.sh").read_text().splitlines()[-1]
        self.assertEqual(words, f'exec {BOX}/run grade -j "${{SLURM_CPUS_PER_TASK:-1}}" --runtime sim --claims \'{cluster}/claims\' 05 \'sub missions\' --csv out.csv')
        self.assertEqual((cluster / "last.sh").read_text().splitlines()[-1], words.replace("--runtime sim", "--runtime sim --gather"))
        self.assertIn("job 41 grades; job 42 writes the reports", said)
        self.assertEqual(self.state.stat().st_mode & 0o777, 0o700)

    def test_asks_for_a_gpu(self):
        for given, expected in (("", ["--gres=gpu:1"]), ("--gpus=a100:1 -p fast", ["--gpus=a100:1", "-p", "fast"])):
            self.submit("05", "s", "--slurm", "--runtime", "gpu", options=given)
            for call in self.calls()[-2:]:
                self.assertEqual(call[-1 - len(expected) : -1], expected)
            self.assertIn("--runtime gpu", (self.state / "cluster" / "task.sh").read_text())

    def test_forgets_at_once(self):
        self.state.mkdir()
        for name in ("bob-0123456789abcdef", "secret", "bob-mine"):
            (self.state / name).write_text("")
        self.submit("05", "s", "--slurm", "--again")
        self.assertEqual(sorted(p.name for p in self.state.iterdir()), ["bob-mine", "cluster", "secret"])
        self.assertNotIn("again", (self.state / "cluster" / "task.sh").read_text())

    def test_complains(self):
        self.assertIn("nothing was submitted: sbatch: error: invalid partition", self.submit("05", "s", options="--partition=none", status=2))
        (self.bin / "no_last").touch()
        self.assertIn("too many jobs", self.submit("05", "s", status=2))
        self.assertEqual((self.bin / "cancelled").read_text(), str(len(self.calls()) - 1 + 40))
        (self.bin / "no_last").unlink()
        self.submit("05", "s")
        (self.bin / "running").write_text("44")
        self.assertRegex(self.submit("05", "s", status=2), r"job \d+ \d+ still grades there; wait for it, or `scancel")
        os.environ["PATH"] = str(self.box)
        self.assertEqual(self.submit("05", "s", status=3), "run: sbatch: not found; --slurm is given where jobs are submitted\n")

    def test_of_a_term(self):
        self.write(HEAD + '[[exercise]]\nnumber="05"\n[[exercise]]\nnumber="06"\n[[exercise]]\nnumber="07"\n')
        for number, students in (("05", "alice bob"), ("07", "alice")):
            for student in students.split():
                self.hand_in(number, student, "ok")
        said = self.run_course("grade", "--course", self.course, self.term, "--out", self.out, "--slurm", "--shards", "2", "--sbatch=-p all")
        first, second, last = self.calls()
        self.assertIn("--array=1-2", first)
        self.assertIn("--array=1-1", second)
        self.assertIn("--dependency=afterany:41:42", last)
        self.assertIn("jobs 41, 42 grade; job 43", said)
        self.assertFalse((self.out / "grades.json").exists())
        ended = subprocess.run(["sh", "-n", last[-1]], check=False)
        self.assertEqual(ended.returncode, 0)
        line = pathlib.Path(last[-1]).read_text().splitlines()[-1]
        self.assertIn(" --gather --course ", line)
        grades = self.grade("--gather", "--runtime", "sim")
        self.assertEqual(self.exercise_of(grades, "alice")["points"], 100)
        words = json.loads((self.out / "work" / "05.json.words").read_text().split("]")[0] + "]")
        self.assertEqual(words[-3:], ["--claims", str(self.out / "work" / "05" / "state" / "cluster" / "claims"), "--gather"])


class Tasks(Box):
    """The grader itself, two at once and one killed: nothing is lost, nothing judged twice, and all is as without."""

    COUNT = 8

    def start(self, state, *more, task=None, restarts=0):
        environment = {name: value for name, value in os.environ.items() if not name.startswith("SLURM_")}
        if task:
            environment |= {"SLURM_ARRAY_JOB_ID": "9", "SLURM_ARRAY_TASK_ID": str(task), "SLURM_RESTART_COUNT": str(restarts)}
        words = [ROOT / "run", "grade", "00a", self.box / "sub", "--force", "-j1", "--runtime", "sim", "--state", state, *more]
        return subprocess.Popen(words, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)

    def one(self, *words, status=0, **more):
        process = self.start(*words, **more)
        said = process.communicate()[1]
        self.assertEqual(process.returncode, status, said)
        return said

    def files(self, ending):
        return sorted(path for path in self.claims.iterdir() if path.name.endswith(ending))

    def outcome(self, path):
        report = json.loads(path.read_text())
        return [{k: v for k, v in one.items() if k not in ("seconds", "judged_by_equal_file")} for one in report["submissions"]]

    def test_share_a_state_folder(self):
        solution = next((ROOT / "solutions").glob("00a_*")) / "kernel.cu"
        (self.box / "sub").mkdir()
        for i in range(self.COUNT):
            text = solution.read_text() if i in (2, 6) else "this is no program\n"
            (self.box / "sub" / f"s{i}.cu").write_text(text + f"// {i}\n")
        state, self.claims = self.box / "state", self.box / "claims"
        state.mkdir()
        (state / "secret").write_text("tests")
        first = self.start(state, "--claims", self.claims, task=1)
        second = self.start(state, "--claims", self.claims, task=2)
        while not self.claims.exists() or len(self.files(".done")) < 2:
            self.assertIsNone(first.poll() and second.poll(), "ended early")
            time.sleep(0.02)
        first.kill()
        first.communicate()
        said = second.communicate()[1]
        self.assertEqual(second.returncode, 0, said)
        self.one(state, "--claims", self.claims, task=1, restarts=1)  # Slurm starts it again
        self.assertEqual(len(self.files(".done")), self.COUNT)
        for path in self.files(".done"):
            self.assertEqual(len(path.read_text().splitlines()), 1, path)
        self.assertIn(len(self.files(".1")), (self.COUNT,))
        self.assertLessEqual(len(self.files(".2")), 1)  # what the killed one was at
        said = self.one(state, "--claims", self.claims, "--gather", "--json", self.box / "shared.json", status=1)
        self.assertIn(f"0 of {self.COUNT} submissions judged here, {self.COUNT} known", said)
        (self.box / "alone").mkdir()
        (self.box / "alone" / "secret").write_text("tests")
        self.one(self.box / "alone", "--json", self.box / "alone.json", status=1)
        self.assertEqual(self.outcome(self.box / "shared.json"), self.outcome(self.box / "alone.json"))

    def test_know_who_is_gone(self):
        (self.box / "sub").mkdir()
        (self.box / "sub" / "a.cu").write_text("no program\n")
        state, self.claims = self.box / "state", self.box / "claims"
        state.mkdir()
        (state / "secret").write_text("tests")  # with which the solution is tried already
        self.one(state, "--claims", self.claims, task=1)
        claim, done = self.files(".1")[0], self.files(".done")[0]
        (kept,) = state.glob("a-*")
        machine, _, _, _, _ = claim.read_text().split()
        init = pathlib.Path("/proc/1/stat").read_text().rsplit(")", 1)[1].split()[19]
        for who, is_gone in (
            (f"{machine} 1 {init} 9_2 0", False),  # a process that runs
            (f"{machine} 1 {init} - 0", False),
            (f"{machine} 1 1 9_2 0", True),  # another had its number
            ("elsewhere 1 1 9_2 0", False),  # nothing is known of it
            ("elsewhere 1 1 9_1 0", True),  # this task, before it was started again
            ("elsewhere 1 1 9_1 2", False),
            ("", False),
        ):
            for path in [kept, done, *self.files(".2")]:
                path.unlink(missing_ok=True)
            claim.write_text(who + "\n")
            said = self.one(state, "--claims", self.claims, task=1, restarts=1)
            self.assertIn("1 of 1 submissions judged here" if is_gone else "0 known, 1 by other graders", said, who)
        said = self.one(state, "--claims", self.claims, "--gather", status=1)
        self.assertIn("1 of 1 submissions judged here", said)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[1:]])
