"""Which submissions of an exercise are alike, by copydetect (winnowing, as in MOSS; S. Schleimer, D. Wilkerson, A. Aiken 2003), with the
hand-out and the steps subtracted. It ranks pairs and shows them side by side; it accuses nobody."""

import argparse
import contextlib
import csv
import io
import os
import pathlib
import shutil
import sys
import tempfile

import books
import course_file
import submissions
import toml_lines

BUILD = pathlib.Path(os.environ.get("LAB_RUN", course_file.ROOT / "build" / "run")).resolve().parent
SHOWN = 0.3  # share of the shorter file, without what was handed out, from which a pair is listed


def detector_class():
    """copydetect, from where `make setup course` puts it."""
    sys.path.insert(0, str(BUILD / "course"))
    try:
        import copydetect
    except ImportError:
        raise toml_lines.Mistake("copydetect is missing: run `make setup course`") from None
    return copydetect.CopyDetector


def lay_out(exercise, found, folder):
    """Files named by students, and what all of them were given: the exercise and the steps, whose code they may use."""
    handed_in, given = folder / "handed in", folder / "given"
    handed_in.mkdir(parents=True)
    given.mkdir()
    for student, path in found.items():
        submissions.copy(path, folder / "staged" / student)
        files = [f for f in sorted((folder / "staged" / student).glob("*.cu")) if f.is_file() and not f.is_symlink()]
        if files:
            shutil.copyfile(files[0], handed_in / f"{student}.cu")
    shutil.copyfile(course_file.ROOT / "exercises" / exercise.directory / "kernel.cu", given / "exercise.cu")
    for kernel in (course_file.ROOT / "steps").glob("*/*.cu"):
        shutil.copyfile(kernel, given / f"{kernel.parent.name}-{kernel.name}")
    return handed_in, given


def compare(exercise, found, out):
    """Writes the page of one exercise; its pairs: (share of the first, of the second, first, second, tokens alike)."""
    with tempfile.TemporaryDirectory() as folder:
        handed_in, given = lay_out(exercise, found, pathlib.Path(folder))
        if len(list(handed_in.iterdir())) < 2:
            return []
        detector = detector_class()(
            test_dirs=[str(handed_in)], boilerplate_dirs=[str(given)], extensions=["cu"], display_t=SHOWN, force_language="cuda", silent=True,
            autoopen=False, out_file=str(out / f"similar-{exercise.number}.html"),
        )
        with contextlib.redirect_stdout(io.StringIO()):
            detector.run()
            pairs = detector.get_copied_code_list()
            detector.generate_html_report()
    return [(a, b, pathlib.Path(first).stem, pathlib.Path(second).stem, alike) for a, b, first, second, _, _, alike in pairs]


def command(words):
    parser = argparse.ArgumentParser(prog="run course similar", description=__doc__.split(",")[0] + ".")
    parser.add_argument("course", metavar="course.toml")
    parser.add_argument("submissions", metavar="SUBMISSIONS", help="as for `run grade --course`")
    parser.add_argument("--out", metavar="DIR", default="grades", help="where similar-NN.html and similar.csv are written (grades)")
    given = parser.parse_args(words)
    course, root, out = course_file.read(given.course), pathlib.Path(given.submissions), pathlib.Path(given.out)
    if not root.is_dir():
        raise toml_lines.Mistake(f"{root}: no such folder")
    out.mkdir(parents=True, exist_ok=True)
    found, count = submissions.find(root.resolve(), course), 0
    with open(out / "similar.csv", "w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(["exercise", "first", "second", "of the first", "of the second", "tokens alike"])
        for exercise in course.exercises:
            group = {s.id: s.group for s in course.students.values() if exercise.groups and s.group}
            for a, b, first, second, alike in compare(exercise, found[exercise.number], out):
                if group.get(first) != group.get(second) or first not in group:
                    rows.writerow([exercise.number, books.safe(first), books.safe(second), books.number(a), books.number(b), int(alike)])
                    count += 1
    print(f"{out}: {course_file.counted(count, 'pair')} with {SHOWN:.0%} or more of one of the two in common: similar.csv, and similar-NN.html shows them side by side")
    return 0
