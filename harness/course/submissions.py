"""What students have handed in, by exercise: found in a term's folder, copied apart for the grader, and when it was handed in."""

import datetime
import os
import pathlib
import shutil
import stat
import subprocess

MOST_FILES, MOST_BYTES = 64, 4 << 20


def folder_of(root, exercise):
    """The folder of an exercise's submissions: named by its number, target or directory; None: there is none."""
    for name in (exercise.number, exercise.target, exercise.directory, exercise.number.lstrip("0")):
        if name and (root / name).is_dir():
            return root / name
    return None


def find(root, course):
    """By exercise number: {student's name as handed in: path}. A term's folder has a folder for each exercise with what its course
    system hands out, or a clone of the hand-out for each student."""
    found = {exercise.number: {} for exercise in course.exercises}
    for exercise in course.exercises:
        folder = folder_of(root, exercise)
        for entry in sorted(folder.iterdir()) if folder else []:
            if not entry.name.startswith("."):
                found[exercise.number][entry.name.removesuffix(".cu") if not entry.is_dir() else entry.name] = entry
        for clone in sorted(root.iterdir()):
            kernel = clone / "exercises" / exercise.directory / "kernel.cu"
            if clone.is_dir() and not clone.is_symlink() and os.path.lexists(kernel):
                found[exercise.number].setdefault(clone.name, kernel)
    return found


def handed_in(path):
    """When: the last commit of a clone that changed the file, else the file's own time."""
    root = path.parents[2] if len(path.parents) > 2 else path
    if path.name == "kernel.cu" and (root / ".git").exists():
        said = subprocess.run(
            ["git", "-c", "safe.directory=*", "-c", "core.fsmonitor=false", "-C", root, "log", "-1", "--format=%cI", "--", path.relative_to(root)],
            capture_output=True,
            text=True,
            check=False,
        ).stdout.strip()
        if said:
            return datetime.datetime.fromisoformat(said)
    newest = max((entry.lstat().st_mtime for entry in [path, *(path.rglob("*") if path.is_dir() else [])]), default=0)
    return datetime.datetime.fromtimestamp(newest, datetime.timezone.utc).replace(microsecond=0)


def copy(path, to):
    """Copies a file, or the files of a folder, without following links; what is odd stays odd, so that the grader tells it."""
    to.mkdir(parents=True)
    entries = sorted(path.iterdir()) if path.is_dir() and not path.is_symlink() else [path]
    for entry in entries[:MOST_FILES]:
        info = entry.lstat()
        name = "kernel.cu" if entry is path and entry.suffix == ".cu" else entry.name
        if stat.S_ISLNK(info.st_mode):
            os.symlink(os.readlink(entry), to / name)
        elif stat.S_ISREG(info.st_mode) and info.st_size <= MOST_BYTES:
            shutil.copyfile(entry, to / name)
        elif stat.S_ISREG(info.st_mode):
            (to / name).write_bytes(b"#error \"the file is larger than 4 MiB\"\n")


def stage(found, folder):
    """Copies all submissions of an exercise to `folder`, one folder each, named by the student."""
    shutil.rmtree(folder, ignore_errors=True)
    pathlib.Path(folder).mkdir(parents=True)
    for student, path in found.items():
        copy(path, pathlib.Path(folder) / student)
