#!/usr/bin/env python3
"""Changes one line of the harness at a time and runs the tests that could notice: what survives is
a figure or a check that no test holds. Works in copies of the checkout, which is never touched.

    run.py [--jobs N] [--build DIR] [PATTERN]   only records whose file, text or tests match PATTERN
    run.py --check                              only: does the list still fit the sources?

Exit status: 0 none survived; 1 some did; 2 the list does not fit, or a test fails unchanged.
"""
import argparse
import os
import queue
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "../../.."))
LIST = "harness/tests/mutations/list"
TESTS = ["harness/tests", "harness/sim/tests"]
SECONDS = 240  # for one test; a change that makes it hang is noticed, too
PROGRAMS = ["run", "{build}/lab", "{build}/sim/libcudart.so.13", "{build}/sim/libcublas.so.13"]


class Trouble(Exception):
    """One line for people; exit status 2."""


class Mutation:
    """A record of the list: the file, the text and what takes its place, who could notice."""

    def __init__(self, file, line):
        self.file, self.line = file, line
        self.was, self.now, self.tests = [], [], []

    def texts(self):
        return "\n".join(self.was), "\n".join(self.now)

    def title(self):
        return "%s: %s -> %s" % (self.file, " ".join("".join(self.was).split()),
                                 " ".join("".join(self.now).split()))

    def apply_to(self, text):
        was, now = self.texts()
        if text.count(was) != 1:
            raise Trouble("%s:%d: the text stands %d times in %s, not once: %s" %
                          (LIST, self.line, text.count(was), self.file, was))
        return text.replace(was, now)


def read_list(path):
    """Records are separated by empty lines: a file; lines taken out, each behind "- "; lines put in
    their place, each behind "+ "; then the tests behind "? "."""
    mutations, current = [], None
    for number, line in enumerate(open(path, encoding="utf-8"), 1):
        line = line.rstrip("\n")
        if not line:
            current = None
        elif line[0] == "#":
            continue
        elif current is None:
            current = Mutation(line, number)
            mutations.append(current)
        elif line[:2] in ("- ", "+ "):
            (current.was if line[0] == "-" else current.now).append(line[2:])
        elif line in ("-", "+"):
            (current.was if line[0] == "-" else current.now).append("")
        elif line[:2] == "? ":
            current.tests += line[2:].split()
        else:
            raise Trouble("%s:%d: begins with none of '- ', '+ ', '? ', '#': %s" %
                          (LIST, number, line))
    for m in mutations:
        if not m.was or not m.now or not m.tests or m.was == m.now:
            raise Trouble("%s:%d: %s: a record has lines with '-', others with '+', and tests with "
                          "'?'" % (LIST, m.line, m.file))
    return mutations


def check(mutations):
    """Raises Trouble where a record does not fit the checkout."""
    for m in mutations:
        try:
            m.apply_to(open(os.path.join(ROOT, m.file), encoding="utf-8").read())
        except OSError as error:
            raise Trouble("%s:%d: %s: %s" % (LIST, m.line, m.file, error.strerror))
        for test in m.tests:
            source = "test_%s.c" % test.split(":")[0]
            if not test.startswith("make:") and not any(
                    os.path.exists(os.path.join(ROOT, folder, source)) for folder in TESTS):
                raise Trouble("%s:%d: there is no %s" % (LIST, m.line, source))


class Copy:
    """A copy of the checkout with what is built in it; folders of runs come and go meanwhile."""

    processes = set()  # groups that run; ended with the program
    is_over = False  # no more of them

    def __init__(self, folder, build):
        self.folder, self.build = folder, build
        shutil.copytree(ROOT, folder, symlinks=True,
                        ignore=lambda where, names: [
                            name for name in names
                            if (where == ROOT and name == ".git") or
                            (where == os.path.join(ROOT, build) and
                             (name == "toolkit" or name.startswith("run-")))])
        toolkit = os.path.join(ROOT, build, "toolkit")
        if os.path.exists(toolkit):
            os.symlink(toolkit, os.path.join(folder, build, "toolkit"))

    def command(self, words, log, seconds=None):
        """Exit status, or None after the time was over."""
        environment = dict(os.environ, LAB_TEST_ROOT=self.folder, LAB_TEST_RUNTIME="sim",
                           LAB_TEST_BUILD=os.path.join(self.folder, self.build))
        environment.pop("MAKEFLAGS", None)
        environment.pop("MAKELEVEL", None)
        if Copy.is_over:
            return None
        process = subprocess.Popen(words, cwd=self.folder, env=environment, stdout=log,
                                   stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                                   start_new_session=True)
        Copy.processes.add(process.pid)
        try:
            return process.wait(seconds)
        except subprocess.TimeoutExpired:
            return None
        finally:
            Copy.processes.discard(process.pid)
            kill_group(process.pid)
            process.wait()

    def make(self, tests):
        """Builds the tests and the programs that they run; the log where that fails, else None."""
        goals = [p.format(build=self.build) for p in PROGRAMS]
        goals += ["%s/tests/test_%s" % (self.build, test.split(":")[0]) for test in tests
                  if not test.startswith("make:")]
        with tempfile.TemporaryFile("w+") as log:
            words = ["make", "-s", "-j2", "BUILD=" + self.build, "WERROR=0"] + sorted(set(goals))
            if self.command(words, log) == 0:
                return None
            log.seek(0)
            return log.read()

    def passes(self, test):
        """True when a test of the list passes and is there. NAME, NAME:FILTER or make:GOAL."""
        name, _, which = test.partition(":")
        words = ["make", "-s", "BUILD=" + self.build, which]
        if name != "make":
            words = ["%s/tests/test_%s" % (self.build, name), "--color=never"]
            words += ["--filter", which] if which else []
        with tempfile.TemporaryFile("w+") as log:
            status = self.command(words, log, SECONDS)
            log.seek(0)
            return status == 0 and "Tested: 0 " not in log.read()


def kill_group(group):
    try:
        os.killpg(group, signal.SIGKILL)
    except ProcessLookupError:
        pass


def run_one(copy, mutation):
    """The test that noticed, or None. The copy is left as it was, but for times of files."""
    path = os.path.join(copy.folder, mutation.file)
    text = open(path, encoding="utf-8").read()
    with open(path, "w", encoding="utf-8") as stream:
        stream.write(mutation.apply_to(text))
    try:
        log = copy.make(mutation.tests)
        if log is not None:
            raise Trouble("%s:%d: %s does not build:\n%s" %
                          (LIST, mutation.line, mutation.title(), log.strip()))
        return next((test for test in mutation.tests if not copy.passes(test)), None)
    finally:
        if not Copy.is_over:
            with open(path, "w", encoding="utf-8") as stream:
                stream.write(text)


def check_unchanged(copy, test):
    """A test must pass as things are: else it would notice anything."""
    log = copy.make([test])
    if log is not None:
        raise Trouble("the checkout does not build:\n" + log)
    if not copy.passes(test):
        raise Trouble("%s fails, or holds no test, before anything was changed" % test)


def share_out(items, copies, do):
    """Calls do(copy, item) for every item, each copy one after the other; raises the first Trouble."""
    todo, troubles = queue.Queue(), []
    for item in items:
        todo.put(item)

    def work(copy):
        while not troubles:
            try:
                do(copy, todo.get_nowait())
            except queue.Empty:
                return
            except Trouble as trouble:
                troubles.append(trouble)

    threads = [threading.Thread(target=work, args=(copy,), daemon=True) for copy in copies]
    for thread in threads:
        thread.start()
    for thread in threads:
        while thread.is_alive():
            thread.join(0.2)  # so that Ctrl-C is heard
    if troubles:
        raise troubles[0]


def run_all(mutations, jobs, build, folder, trust):
    copies = [Copy(os.path.join(folder, str(i)), build) for i in range(jobs)]
    tests = sorted({test for m in mutations for test in m.tests})
    start, survivors, unfit = time.monotonic(), [], []
    if not trust:
        print("%d mutations; first the %d tests with nothing changed" %
              (len(mutations), len(tests)), flush=True)
        share_out(tests, copies, check_unchanged)
        print("they pass, in %.0f s" % (time.monotonic() - start), flush=True)

    def judge(copy, mutation):
        begun = time.monotonic()
        try:
            by = run_one(copy, mutation)
        except Trouble as trouble:
            unfit.append(mutation)
            print(trouble, flush=True)
            return
        if by is None:
            survivors.append(mutation)
        print("%-8s %5.1f s  %s%s" % ("noticed" if by else "SURVIVED", time.monotonic() - begun,
                                      mutation.title(), "  (by %s)" % by if by else ""), flush=True)

    share_out(mutations, copies, judge)
    for mutation in survivors:
        print("survived: %s:%d: %s" % (LIST, mutation.line, mutation.title()))
    print("%d mutations, %d noticed, %d survived, in %.0f s" %
          (len(mutations), len(mutations) - len(survivors) - len(unfit), len(survivors),
           time.monotonic() - start))
    if unfit:
        raise Trouble("%d do not build" % len(unfit))
    return 1 if survivors else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="only: does the list fit?")
    parser.add_argument("--jobs", type=int, default=1, help="copies that work side by side")
    parser.add_argument("--build", default="build", help="build folder, inside the checkout")
    parser.add_argument("--trust", action="store_true", help="believe that the tests pass as it is")
    parser.add_argument("pattern", nargs="?", default="", help="regular expression")
    options = parser.parse_args()
    if os.path.isabs(options.build):
        raise Trouble("the build folder must lie inside the checkout: BUILD=%s" % options.build)
    mutations = read_list(os.path.join(ROOT, LIST))
    check(mutations)
    if options.check:
        print("%d mutations fit the sources" % len(mutations))
        return 0
    mutations = [m for m in mutations
                 if re.search(options.pattern, m.title() + " " + " ".join(m.tests))]
    if not mutations:
        raise Trouble("no record of %s matches '%s'" % (LIST, options.pattern))
    folder = tempfile.mkdtemp(prefix="lab-mutations-")
    try:
        return run_all(mutations, max(1, options.jobs), options.build, folder, options.trust)
    finally:
        Copy.is_over = True
        for _ in range(20):  # what was running may still write for a moment
            for group in list(Copy.processes):
                kill_group(group)
            shutil.rmtree(folder, ignore_errors=True)
            if not os.path.exists(folder):
                break
            time.sleep(0.2)


def stop(number, frame):
    raise KeyboardInterrupt


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    try:
        sys.exit(main())
    except Trouble as trouble:
        print("mutations: %s" % trouble, file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)
