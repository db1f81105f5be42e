#!/usr/bin/env python3
"""Changes one line of the harness at a time, by rule, and runs the tests of its room: a change that survives is a figure or
a check that no test holds. It works in copies of the checkout, with what is built in them. `make mutations` calls it.

A change turns a comparison, moves an integer by one, scales a floating constant, leaves out a call, drops an `else` or
exchanges && and ||; in bodies of functions and behind the `=` of constants, never in comments, texts or declarations.

Exit status: 0 none survived; 1 some did; 2 bad input, or a test fails with nothing changed.
"""
import argparse
import concurrent.futures
import glob
import os
import queue
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "../.."))
NOTES = "harness/tests/equivalent"
TURNED = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "&&": "||", "||": "&&", "else": ""}
HIDDEN = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|^[ \t]*#(?:\\\n|[^\n])*', re.S | re.M)
WORD = re.compile(r"(?<= )(?:[<>]=?|[=!]=|&&|\|\|)(?=\s)|\belse\b")
NUMBER = re.compile(r"(?<![\w.])(0[xX][\da-fA-F.]+(?:[pP][-+]?\d+)?|\d+\.?\d*(?:[eE][-+]?\d+)?)([fFuUlL]*)(?![\w.])")
CALL = re.compile(r"^[ \t]+(?!(?:if|for|while|switch|return|sizeof|free|fclose|close)\b)((?:\w|->|\.)+)\(", re.M)
DECLARED = re.compile(r"\s*(?:(?:static|const|unsigned|struct|enum|union)\s+)*(?!return\b|else\b|case\b|goto\b)\w+[\s*]+\w+"
                      r"(?:\[[^=]*\])*(?:\s*=(?!=)|\s*[,;]|$)")
stopped, sessions = False, set()  # of processes that run


class Trouble(Exception):
    """One line for people; exit status 2."""


class Change:
    """Characters start to end of a file become text."""

    def __init__(self, file, source, start, end, text):
        self.file, self.line, self.whole = file, source.count("\n", 0, start) + 1, source[:start] + text + source[end:]
        first, last = source.rfind("\n", 0, start) + 1, source.find("\n", end)
        self.was = " ".join(source[first:last].split())
        self.now = " ".join((source[first:start] + text + source[end:last]).split())


def visible(source):
    """The source with spaces for comments, texts, preprocessor lines and declarations."""
    depth, in_body, before, lines = 0, False, "", []
    for line in HIDDEN.sub(lambda m: re.sub(r"[^\n]", " ", m.group()), source).split("\n"):
        was_in_body = in_body
        for c in line:
            if c == "{":
                in_body, depth = in_body or (depth == 0 and before == ")"), depth + 1
            elif c == "}":
                depth -= 1
                in_body = in_body and depth > 0
            before = before if c.isspace() else c
        declared = DECLARED.match(line)
        if not was_in_body and not re.match(r"static const \w+ \w+ = [^{]*;\s*$", line):
            line = ""
        elif declared:
            line = " " * declared.end() + line[declared.end():]
        lines.append(line)
    return lines


def closing(code, at):
    """Behind the parenthesis that closes the one at that place."""
    depth = 0
    for end in range(at, len(code)):
        depth += (code[end] == "(") - (code[end] == ")")
        if depth == 0:
            return end + 1
    return len(code)


def changes_of(file):
    """{line: every change that the rules make there}"""
    source = open(os.path.join(ROOT, file), encoding="utf-8").read()
    code = "\n".join(line.ljust(len(was)) for line, was in zip(visible(source), source.split("\n")))
    found = [(m.start(), m.end(), TURNED[m.group()]) for m in WORD.finditer(code)]
    for m in NUMBER.finditer(code):
        number, suffix = m.groups()
        if re.search(r"\.|[pP]|^[^xX]*[eE]", number):
            text = "(4.0 * %s%s)" % (number, suffix)
        else:
            text = None if re.match(r"0\d", number) else ("%#x" if "x" in number else "%d") % (int(number, 0) + 1) + suffix
        if text and number != "0.0":
            found.append((m.start(), m.end(), text))
    for m in CALL.finditer(code):
        end = closing(code, m.end() - 1)
        if code[end:end + 1] == ";" and source[m.start():m.start(1)].isspace():
            found.append((m.start(1), end, ""))
    lines = {}
    for change in (Change(file, source, *place) for place in sorted(found)):
        lines.setdefault(change.line, []).append(change)
    return lines


def touched_lines(since):
    """{file: lines} of the harness's C sources that differ from what they were at that commit."""
    done = subprocess.run(["git", "diff", "-U0", "--no-color", "--no-ext-diff", "--no-prefix", since, "--", "harness/*.c",
                           ":!harness/tests", ":!harness/sim/tests"], cwd=ROOT, capture_output=True, text=True)
    if done.returncode != 0:
        raise Trouble("SINCE=%s: git knows no such commit" % since)
    lines, file = {}, None
    for line in done.stdout.splitlines():
        hunk = re.match(r"@@ -\S+ \+(\d+)(?:,(\d+))? @@", line)
        if line.startswith("+++ "):
            file = line[4:]
        elif hunk and file != "/dev/null":
            lines.setdefault(file, set()).update(range(int(hunk[1]), int(hunk[1]) + int(hunk[2] or 1)))
    return lines


def choose(options):
    """{room: lines to change, each as the list of its changes, in the order to try them}"""
    rooms = {}
    for file, lines in sorted(touched_lines(options.since).items()) if options.since else []:
        room = re.sub("^harness/(families/(?=.))?", "", os.path.dirname(file)) or os.path.basename(file)
        rooms.setdefault(room, []).extend(changes for line, changes in changes_of(file).items() if line in lines)
    for room in options.rooms:
        folder = "harness/" + re.sub("^harness/", "", room).strip("/")
        files = sorted(glob.glob(os.path.join(ROOT, folder, "**/*.c"), recursive=True))
        rooms[room] = [changes for file in files for changes in changes_of(os.path.relpath(file, ROOT)).values()]
        if re.match("harness/(sim/)?tests", folder) or not rooms[room]:
            raise Trouble("ROOM=%s: no room of the harness with C sources, such as harness/measure or sim/check" % room)
    if not any(rooms.values()):
        raise Trouble("SINCE=%s: no line of harness/**/*.c that can be changed was touched" % options.since)
    for room, lines in rooms.items():
        dice = random.Random("%d %s" % (options.seed, room.rstrip("/")))
        dice.shuffle(lines)
        for changes in lines:
            random.Random("%d %s" % (options.seed, changes[0].was)).shuffle(changes)
    return rooms


def read_notes():
    """{(file, was, now): why}, of records: a file; "- " the line; "+ " the changed line; "= " why it cannot matter."""
    lines = [line.strip() for line in open(os.path.join(ROOT, NOTES), encoding="utf-8") if re.match(r"\s*[^#\s]", line)]
    notes = {}
    for file, was, now, why in (lines[at:at + 4] for at in range(0, len(lines) - len(lines) % 4, 4)):
        path = os.path.join(ROOT, file)
        if (was[:2], now[:2], why[:2]) != ("- ", "+ ", "= "):
            raise Trouble("%s: %s: a record is a file and lines with '- ', '+ ' and '= '" % (NOTES, file))
        if not os.path.exists(path) or was[2:] not in " ".join(open(path, encoding="utf-8").read().split()):
            print("%s: stale, %s has no such line: %s" % (NOTES, file, was[2:]), flush=True)
        notes[file, was[2:], now[2:]] = why[2:]
    return notes


class Copy:
    """A copy of the checkout with what is built in it. Temporary files of the tests go there, too."""

    def __init__(self, folder, build):
        self.folder, self.build = folder, build
        left_out = {os.path.join(ROOT, name) for name in (".git", build + "/toolkit", build + "/docs")}
        shutil.copytree(ROOT, folder, symlinks=True, ignore=lambda where, names: [
            name for name in names if os.path.join(where, name) in left_out])
        if os.path.exists(os.path.join(ROOT, build, "toolkit")):
            os.symlink(os.path.realpath(os.path.join(ROOT, build, "toolkit")), os.path.join(folder, build, "toolkit"))
        os.makedirs(os.path.join(folder, build, "tmp"), exist_ok=True)

    def command(self, words, seconds, **more):
        """Exit status, or None when the time was over."""
        built = os.path.join(self.folder, self.build)
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
        environment.update(more, LAB_TEST_ROOT=self.folder, LAB_TEST_BUILD=built, LAB_TEST_RUNTIME="sim", TMPDIR=built + "/tmp")
        if stopped:
            raise Trouble("stopped")
        process = subprocess.Popen(words, cwd=self.folder, env=environment, start_new_session=True,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        sessions.add(process.pid)
        try:
            return process.wait(seconds)
        except subprocess.TimeoutExpired:
            return None
        finally:
            kill(process.pid)
            process.wait()
            sessions.discard(process.pid)

    def make(self, tests):
        goals = ["run", self.build + "/lab"] + ["%s/tests/%s" % (self.build, test) for test in tests]
        return self.command(["make", "-s", "-j2", "BUILD=" + self.build] + goals, 600) == 0

    def noticed_by(self, test, room, seconds):
        status = self.command(["%s/tests/%s" % (self.build, test)], seconds, LAB_TEST_ONLY=room)
        return None if status == 0 else test if status is not None else "%s, after %d s" % (test, seconds)

    def try_out(self, change, room, limits):
        """The test that noticed, None, or False where it cannot be built; leaves the file as it was."""
        path = os.path.join(self.folder, change.file)
        with open(path, encoding="utf-8") as stream:
            source = stream.read()
        with open(path, "w", encoding="utf-8") as stream:
            stream.write(change.whole)
        try:
            return self.make(limits) and next(filter(None, (self.noticed_by(test, room, limits[test]) for test in limits)), None)
        finally:
            with open(path, "w", encoding="utf-8") as stream:
                stream.write(source)


def kill(session):
    """Ends every process of a session: the children of a test have groups of their own."""
    found = True
    while found:
        found = []
        for path in glob.glob("/proc/[0-9]*/stat"):
            try:
                state, _, _, of = open(path, encoding="latin-1").read().rpartition(")")[2].split()[:4]
                if int(of) == session and state not in "ZX":
                    found.append(os.kill(int(path.split("/")[2]), signal.SIGKILL))
            except OSError:
                pass  # it has ended


def tests_of(room):
    """What `make test ONLY=room` runs."""
    names = [os.path.basename(path)[:-2] for folder in ("tests", "sim/tests")
             for path in sorted(glob.glob(os.path.join(ROOT, "harness", folder, "test_*.c")))]
    done = subprocess.run(["bash", "harness/tests/run_tests.sh"] + names, cwd=ROOT, capture_output=True, text=True,
                          env=dict(os.environ, LAB_TEST_LIST="1", LAB_TEST_ONLY=room))
    return done.stdout.split()


def run_all(rooms, notes, folder, options):
    """Exit status. A room's tests run quickest first; first with nothing changed, which gives each its time limit."""
    chosen = {room: tests_of(room) for room in rooms if rooms[room]}
    for room in [room for room in chosen if not chosen[room]]:
        print("no test concerns %s: %d lines left as they are" % (room, len(rooms[room])), flush=True)
    rooms = {room: rooms[room] for room in chosen if chosen[room]}
    if not rooms:
        raise Trouble("no test concerns what is to be changed")
    limits, todo, copies = {room: {} for room in rooms}, {room: iter(lines) for room, lines in rooms.items()}, queue.Queue()

    def unchanged(copy, room, test):
        begun = time.monotonic()
        if not copy.make([test]) or copy.noticed_by(test, room, 600):
            raise Trouble("%s fails, or cannot be built, with nothing changed: see make test ONLY=%s" % (test, room))
        limits[room][test] = 20 + 5 * (time.monotonic() - begun)

    def judge(copy, room, _):
        for change in (change for changes in todo[room] for change in changes):
            why = notes.get((change.file, change.was, change.now))
            by = None if why else copy.try_out(change, room, limits[room])
            if by is False:
                continue  # it cannot be built: another
            word = "equivalent" if why else "noticed" if by else "SURVIVED"
            print("%-10s %s:%d: %s -> %s (%s)" % (word, change.file, change.line, change.was, change.now,
                                                  why or by or "by none of %d tests" % len(limits[room])), flush=True)
            return room, word

    def in_copies(do, pairs):
        def in_copy(pair):
            copy = copies.get()
            try:
                return do(copy, *pair)
            finally:
                copies.put(copy)

        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            try:
                return list(pool.map(in_copy, pairs))
            except BaseException:
                end_all()
                raise

    tests = [(room, test) for room in rooms for test in chosen[room]]
    for i in range(options.jobs):
        copies.put(Copy(os.path.join(folder, str(i)), options.build))
    in_copies(unchanged, tests)
    print("%d tests pass with nothing changed" % len(tests), flush=True)
    for room in rooms:
        limits[room] = dict(sorted(limits[room].items(), key=lambda item: item[1]))
    wanted = options.count or (max(map(len, rooms.values())) if options.since else 20)
    words = in_copies(judge, [(room, i) for room in rooms for i in range(min(wanted, len(rooms[room])))])
    for room in [*rooms, None] if len(rooms) > 1 else [None]:
        here = [of[1] for of in words if of and room in (of[0], None)]
        noticed, survived = here.count("noticed"), here.count("SURVIVED")
        print("%s%d changes, %d noticed, %d survived (%.0f %% noticed), %d equivalent" % (
            room + ": " if room else "", noticed + survived, noticed, survived,
            100.0 * noticed / max(1, noticed + survived), here.count("equivalent")))
    return 1 if survived else 0


def end_all():
    global stopped
    stopped = True
    for session in list(sessions):
        kill(session)


def stop(number, frame):
    raise KeyboardInterrupt


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--since", default="", help="lines that changed since this commit")
    parser.add_argument("--rooms", nargs="*", default=[], help="or lines of these rooms, such as harness/measure")
    parser.add_argument("--count", type=int, default=0, help="how many lines of each room")
    parser.add_argument("--seed", type=int, default=1, help="chooses lines, and a change of each")
    parser.add_argument("--jobs", type=int, default=1, help="copies that work beside each other")
    parser.add_argument("--build", default="build", help="build folder, inside the checkout")
    options = parser.parse_args()
    if bool(options.since) == bool(options.rooms) or options.count < 0 or options.jobs < 1:
        raise Trouble("say what to change: SINCE=main~5, or ROOM=harness/measure N=20 SEED=3; JOBS=1 or more")
    if os.path.isabs(options.build):
        raise Trouble("the build folder must lie inside the checkout: BUILD=%s" % options.build)
    rooms, notes = choose(options), read_notes()
    folder = tempfile.mkdtemp(prefix="lab-mutations-")
    try:
        return run_all(rooms, notes, folder, options)
    finally:
        end_all()
        for _ in range(50):  # what was running may still write for a moment
            shutil.rmtree(folder, ignore_errors=True)
            if not os.path.exists(folder):
                break
            time.sleep(0.1)


if __name__ == "__main__":
    signal.signal(signal.SIGINT, stop)
    signal.signal(signal.SIGTERM, stop)
    try:
        sys.exit(main())
    except Trouble as trouble:
        print("mutations: %s" % trouble, file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)
