"""Grade books: plain CSV, for Canvas, for Moodle, JSON, JUnit. All in UTF-8; what a spreadsheet would take for a formula is text."""

import csv
import datetime
import json
import xml.etree.ElementTree as xml

import course_file
import grading


def safe(text):
    """A text that no spreadsheet computes."""
    text = str(text)
    return "'" + text if text[:1] in ("=", "+", "-", "@", "\t", "\r") else text


def number(value, digits=2):
    return "" if value is None else f"{value:.{digits}f}".rstrip("0").rstrip(".")


def points_of(grade):
    return None if grade.is_open else grade.points


def each(course, grades):
    """(student, their grades in the course's order), of all who have one."""
    people = list(course.students) or sorted({id for _, id in grades})
    for id in people:
        own = [grades[e.number, id] for e in course.exercises]
        yield own[0].student, own


def title(exercise):
    return f"{exercise.number} {exercise.title}"


def plain(course, grades, file):
    """A row for each student: points, days late and verdict of each exercise, and the course's percentage."""
    rows = csv.writer(file)
    heads = [f"{e.number} {what}" for e in course.exercises for what in ("points", "of", "days late", "verdict")]
    rows.writerow(["id", "name", "section", "group", *heads, "per cent"])
    for student, own in each(course, grades):
        cells = [c for g in own for c in (number(points_of(g)), number(g.most), g.days_late or "", g.status)]
        final = grading.final_of(course, grades, student.id)
        rows.writerow([safe(v) for v in (student.id, student.name, student.section, student.group)] + cells + [number(None if final is None else 100 * final)])


def canvas(course, grades, file):
    """As Canvas imports a grade book: its five columns, then the assignments, with the points possible in a second row. Columns
    `canvas_id` and `sis_id` of the roster are taken over."""
    rows = csv.writer(file)
    rows.writerow(["Student", "ID", "SIS User ID", "SIS Login ID", "Section", *[title(e) for e in course.exercises]])
    most = {g.exercise.number: g.most for _, own in each(course, grades) for g in own}
    rows.writerow(["    Points Possible", "", "", "", "", *[number(most.get(e.number)) for e in course.exercises]])
    for student, own in each(course, grades):
        ids = [student.fields.get("canvas_id", ""), student.fields.get("sis_id", ""), student.id]
        rows.writerow([safe(v) for v in (student.name or student.id, *ids, student.section)] + [number(points_of(g)) for g in own])


def moodle(course, grades, file):
    """As Moodle's grade import takes it: `Username` or `Email address` maps to the user, each exercise to a grade item."""
    rows = csv.writer(file)
    rows.writerow(["Username", "Email address", *[title(e) for e in course.exercises], *[f"{e.number} feedback" for e in course.exercises]])
    for student, own in each(course, grades):
        rows.writerow([safe(student.id), safe(student.email), *[number(points_of(g)) for g in own], *[safe(verdict(g)) for g in own]])


def verdict(grade):
    late = f", {course_file.counted(grade.days_late, 'day')} late" if grade.days_late else ""
    return f"{grade.status}{late}"


def as_data(course, grades):
    """All of it; of hidden tests the options, with their seeds: for the instructor alone."""
    return {
        "schema": 1,
        "course": course.name,
        "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        "students": [
            {
                "id": student.id,
                "name": student.name,
                "share": grading.final_of(course, grades, student.id),
                "exercises": {g.exercise.number: grade_as_data(g) for g in own},
            }
            for student, own in each(course, grades)
        ],
    }


def grade_as_data(g):
    return {
        "status": g.status,
        "points": points_of(g),
        "earned": g.earned,
        "most": g.most,
        "file": g.file,
        "sha256": g.sha256,
        "by": g.by,
        "handed_in": g.handed_in and g.handed_in.isoformat(),
        "deadline": g.deadline and g.deadline.isoformat(),
        "days_late": g.days_late,
        "free_days": g.free_days,
        "lost": g.lost,
        "lines": [vars(line) for line in g.lines],
    }


def junit(course, grades):
    """A suite for each exercise, a case for each student's line; a line that is not judged is skipped."""
    root = xml.Element("testsuites", name=printable(course.name))
    for exercise in course.exercises:
        own = [g for (n, _), g in grades.items() if n == exercise.number]
        lines = [(g, line) for g in own for line in g.lines]
        bad = sum(line.passed is False for _, line in lines)
        skipped = sum(line.passed is None for _, line in lines)
        suite = xml.SubElement(root, "testsuite", name=exercise.target, tests=str(len(lines)), failures=str(bad), skipped=str(skipped))
        for g, line in lines:
            case = xml.SubElement(suite, "testcase", classname=printable(g.student.id), name=printable(line.name))
            if line.passed is None:
                xml.SubElement(case, "skipped", message=printable(line.message))
            elif not line.passed:
                xml.SubElement(case, "failure", message=printable(line.message or g.status))
    return xml.ElementTree(root)


def printable(text):
    """What XML 1.0 can hold."""
    return "".join(c if c in "\t\n" or c >= " " and c not in "\ufffe\uffff" and not "\ud800" <= c <= "\udfff" else "?" for c in str(text))


def write(course, grades, folder):
    for name, book in (("gradebook.csv", plain), ("canvas.csv", canvas), ("moodle.csv", moodle)):
        with open(folder / name, "w", newline="", encoding="utf-8") as file:
            book(course, grades, file)
    (folder / "grades.json").write_text(json.dumps(as_data(course, grades), indent=1) + "\n", encoding="utf-8")
    junit(course, grades).write(folder / "junit.xml", encoding="utf-8", xml_declaration=True)
