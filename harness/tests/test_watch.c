/* Watching: a save, by writing and by renaming, runs the exercise again, once; other files do not.
 * Keys move on, and all fits in a small window. */
#include "tests/run_lab.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

static char folder[64] = "/tmp/lab-watch-XXXXXX";

static int shell(const char *format)
{
    char command[4096];
    const char *root = getenv("LAB_TEST_ROOT");
    snprintf(command, sizeof command, "cd '%s' && D=%s && %s", root ? root : ".", folder, format);
    int status = system(command);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Waits until the log has said `text` so many times. */
static bool has_said(const char *text, int times)
{
    char command[256];
    snprintf(command, sizeof command, "test $(grep -c '%s' $D/log) -ge %d", text, times);
    for (int i = 0; i < 600; i++) {
        if (shell(command) == 0)
            return true;
        usleep(100000);
    }
    return false;
}

Test(watch, runs_again_when_saved)
{
    char command[512];
    cr_assert(mkdtemp(folder));
    cr_assert_eq(
        shell("awk -f harness/exercise/stub.awk solutions/01_*/kernel.cu > $D/stub.cu && cp "
              "$D/stub.cu $D/mine.cu && touch $D/log"),
        0);
    snprintf(command, sizeof command,
             "cd '%s' && exec ./run watch exercise01 --source %s/mine.cu > %s/log 2>&1",
             getenv("LAB_TEST_ROOT"), folder, folder);
    pid_t child = fork();
    if (child == 0) {
        setsid();
        execl("/bin/sh", "sh", "-c", command, NULL);
        _exit(127);
    }
    cr_expect(has_said("watching mine.cu", 1), "the first run");
    cr_expect_eq(shell("grep -q '0 of 7 tests passed' $D/log"), 0);
    shell("echo > $D/other.cu");
    shell("cp solutions/01_transposed_operand/kernel.cu $D/mine.cu");
    cr_expect(has_said("watching mine.cu", 2), "a save by writing");
    cr_expect_eq(shell("grep -q solution01.transposed $D/log"), 0,
                 "the figures beside the solution");
    shell("cp $D/stub.cu $D/new && mv $D/new $D/mine.cu");
    cr_expect(has_said("watching mine.cu", 3), "a save by renaming");
    shell("cp $D/mine.cu $D/new && sleep 0.4 && cp $D/new $D/mine.cu && sleep 0.4 && touch "
          "$D/mine.cu "
          "&& sleep 5");
    cr_expect_neq(shell("test $(grep -c 'watching mine.cu' $D/log) -gt 3"), 0,
                  "another file was taken for it, or one save for two");
    cr_expect_neq(shell("grep -q 'is gone' $D/log"), 0, "a rename is no removal");
    shell("mv $D/mine.cu $D/kept");
    cr_expect(has_said("mine.cu is gone: save it again", 1), "a removal");
    shell("mv $D/kept $D/mine.cu");
    cr_expect(has_said("watching mine.cu", 4), "it is back");
    kill(-child, SIGKILL);
    waitpid(child, NULL, 0);
    shell("rm -rf $D");
}

Test(watch, errors)
{
    cr_expect_eq(shell("./run watch --source 2>/dev/null"), 2);
    cr_expect_eq(shell("./run watch exercise99 2>/dev/null"), 2);
    cr_expect_eq(shell("./run watch step01 2>/dev/null"), 2);
    cr_expect_eq(shell("./run watch exercise01 --source /nowhere/x.cu 2>/dev/null"), 2);
}

/* --- in a terminal -----------------------------------------------------------------------------*/

enum { ROWS = 24, COLUMNS = 80, SCREEN_BYTES = 1 << 20 };

/* A program in a terminal of its own, and all that it wrote there. */
struct terminal {
    int master;
    pid_t child;
    size_t length;
    char text[SCREEN_BYTES];
};

static struct terminal terminal;

static void open_terminal(const char *arguments, unsigned short columns)
{
    const struct winsize size = {.ws_row = ROWS, .ws_col = columns};
    char command[512];
    snprintf(command, sizeof command, "cd '%s' && exec ./run %s", getenv("LAB_TEST_ROOT"),
             arguments);
    terminal.master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    cr_assert(terminal.master >= 0 && grantpt(terminal.master) == 0 &&
              unlockpt(terminal.master) == 0);
    char name[128];
    snprintf(name, sizeof name, "%s", ptsname(terminal.master));
    terminal.child = fork();
    if (terminal.child == 0) {
        setsid();
        int slave = open(name, O_RDWR);
        ioctl(slave, TIOCSCTTY, 0);
        ioctl(slave, TIOCSWINSZ, &size);
        for (int i = 0; i < 3; i++)
            dup2(slave, i);
        execl("/bin/sh", "sh", "-c", command, NULL);
        _exit(127);
    }
}

/* Waits until `text` has come so many times, from `from` on; false when it does not come. */
static bool wait_for(const char *text, size_t from)
{
    struct pollfd ready = {terminal.master, POLLIN, 0};
    for (;;) {
        terminal.text[terminal.length] = '\0';
        if (strstr(terminal.text + from, text))
            return true;
        if (poll(&ready, 1, 60000) <= 0)
            return false;
        ssize_t got = read(terminal.master, terminal.text + terminal.length,
                           sizeof terminal.text - 1 - terminal.length);
        if (got <= 0)
            return false;
        terminal.length += (size_t)got;
    }
}

/* Columns of a line, without what colours or clears it, and without what it was written over. */
static int width_of(const char *line, const char *end)
{
    int width = 0;
    for (; line < end; line++) {
        if (*line == '\033') {
            while (line < end - 1 && !(*line >= 'a' && *line <= 'z') &&
                   !(*line >= 'A' && *line <= 'Z'))
                line++;
        } else {
            width = *line == '\r' && line + 1 < end ? 0 : width + (*line >= ' ');
        }
    }
    return width;
}

/* Rows since the window was cleared. */
static int rows_shown(void)
{
    const char *line = terminal.text, *next;
    while ((next = strstr(line + 1, "\033[2J\033[H")))
        line = next;
    int rows = 0;
    for (const char *end; (end = strchr(line, '\n')); line = end + 1) {
        const int width = width_of(line, end);
        rows += width ? (width - 1) / COLUMNS + 1 : 1;
    }
    return rows;
}

static bool reads_lines(void)
{
    struct termios now;
    return tcgetattr(terminal.master, &now) == 0 && (now.c_lflag & ICANON) && (now.c_lflag & ECHO);
}

/* From a character on, without breaks of lines and their indents. */
static void join_lines(const char *from, char *joined, size_t size)
{
    size_t used = 0;
    for (; *from && used < size - 1; from++)
        if (*from > ' ')
            joined[used++] = *from;
        else if (used && joined[used - 1] != ' ')
            joined[used++] = ' ';
    joined[used] = '\0';
}

/* Lines end at words, in a window of any width, and the message is there to its end. */
Test(watch, long_lines_are_wrapped_and_never_cut)
{
    enum { NARROW = 47 };
    static char shown[1 << 16], plain[1 << 16];
    static struct run_lab result;
    char source[128], arguments[256];
    cr_assert(mkdtemp(folder));
    shell("awk -f harness/exercise/stub.awk solutions/05_register_4x16/kernel.cu > $D/mine.cu");
    snprintf(source, sizeof source, "%s/mine.cu", folder);
    run_lab(&result, "exercise05 --source %s", source);
    char *message = strstr(result.out, "-m 63 -n 127 -k 7: "),
         *end = message ? strchr(message, '\n') : NULL;
    cr_assert(end, "%s", result.out);
    *end = '\0';
    snprintf(arguments, sizeof arguments, "watch exercise05 --source %s", source);
    open_terminal(arguments, NARROW);
    cr_expect(wait_for("quit\r\n", 0), "%s", terminal.text);
    for (char *line = terminal.text, *stop; (stop = strchr(line, '\n')); line = stop + 1)
        cr_expect_leq(width_of(line, stop), NARROW, "%.*s", (int)(stop - line), line);
    join_lines(terminal.text, shown, sizeof shown);
    join_lines(message, plain, sizeof plain);
    cr_expect(strstr(shown, plain), "of '%s':\n%s", plain, terminal.text);
    cr_expect(!strstr(terminal.text, ".."), "%s", terminal.text);
    cr_assert_eq(write(terminal.master, "q", 1), 1);
    waitpid(terminal.child, NULL, 0);
    shell("rm -rf $D");
}

/* A run by itself is as short there: the first failure in full, of its kind the options alone. */
Test(watch, a_run_in_a_small_terminal)
{
    enum { WIDE = 400 };
    cr_assert(mkdtemp(folder));
    shell("awk -f harness/exercise/stub.awk solutions/05_register_4x16/kernel.cu > $D/mine.cu");
    char arguments[256];
    snprintf(arguments, sizeof arguments, "exercise05 --source %s/mine.cu", folder);
    open_terminal(arguments, WIDE);
    cr_expect(wait_for("add its options to the command: `-m 65 -n 129 -k 9`", 0), "%s",
              terminal.text);
    cr_expect(strstr(terminal.text, " -m 63 -n 127 -k 7: unwritten: C[0][8]"), "%s", terminal.text);
    cr_expect(strstr(terminal.text, " -m 65 -n 129 -k 9: unwritten\r\n"), "%s", terminal.text);
    waitpid(terminal.child, NULL, 0);
    shell("rm -rf $D");
}

/* The stub's rows all fail; then all pass. */
Test(watch, keys_and_a_small_window)
{
    run_lab_leave_to_test_all();
    cr_assert(mkdtemp(folder));
    cr_assert_eq(shell("cp -r harness/exercise/stub.awk $D && awk -f $D/stub.awk "
                       "solutions/05_register_4x16/kernel.cu > $D/mine.cu"),
                 0);
    char arguments[256];
    snprintf(arguments, sizeof arguments, "watch exercise05 --source %s/mine.cu", folder);
    open_terminal(arguments, COLUMNS);
    cr_expect(wait_for("q quit\r\n", 0), "%s", terminal.text);
    cr_expect_leq(rows_shown(), ROWS, "%d rows:\n%s", rows_shown(), terminal.text);
    cr_expect(strstr(terminal.text, "0 of 7 tests passed"), "%s", terminal.text);
    size_t before = terminal.length;
    shell("cp solutions/05_register_4x16/kernel.cu $D/mine.cu");
    cr_expect(wait_for("q quit\r\n", before), "%s", terminal.text);
    cr_expect_leq(rows_shown(), ROWS, "%d rows:\n%s", rows_shown(), terminal.text + before);
    cr_expect(strstr(terminal.text + before, "Learned: "), "%s", terminal.text + before);
    cr_expect(!strstr(terminal.text + before, "`./run compare"), "no room beside a path: %s",
              terminal.text + before);
    before = terminal.length;
    shell("{ cat solutions/05_register_4x16/kernel.cu; for i in 1 2 3 4 5 6 7 8 9; do echo \"int "
          "f$i() { return x$i; }\"; done; } > $D/mine.cu");
    cr_expect(wait_for("q quit\r\n", before), "%s", terminal.text);
    cr_expect_leq(rows_shown(), ROWS, "%d rows:\n%s", rows_shown(), terminal.text + before);
    cr_expect(strstr(terminal.text + before, " more lines of the compiler"), "%s",
              terminal.text + before);
    before = terminal.length;
    cr_assert_eq(write(terminal.master, "x", 1), 1);
    cr_expect(wait_for("no key 'x': press n (next exercise), h (hint), r (run) or q", before), "%s",
              terminal.text + before);
    before = terminal.length;
    cr_assert_eq(write(terminal.master, "h", 1), 1);
    cr_expect(wait_for("q quit\r\n", before) && strstr(terminal.text + before, "hint "), "%s",
              terminal.text + before);
    before = terminal.length;
    cr_assert_eq(write(terminal.master, "?n", 2), 2);
    cr_expect(wait_for("q quit\r\n", before), "%s", terminal.text);
    cr_expect(strstr(terminal.text + before, "exercise") &&
                  !strstr(terminal.text + before, "exercise05: ") &&
                  strstr(terminal.text + before, "watching kernel.cu"),
              "another exercise's own file:\n%s", terminal.text + before);
    cr_expect_leq(rows_shown(), ROWS, "%d rows:\n%s", rows_shown(), terminal.text + before);
    cr_assert_eq(write(terminal.master, "q", 1), 1);
    int status = -1;
    cr_assert_eq(waitpid(terminal.child, &status, 0), terminal.child);
    cr_expect(WIFEXITED(status) && WEXITSTATUS(status) == 0, "%d", status);
    cr_expect(reads_lines(), "the terminal is not as it was");
    shell("rm -rf $D");
}

Test(watch, an_interrupt_leaves_the_terminal_as_it_was)
{
    cr_assert(mkdtemp(folder));
    shell("cp solutions/01_transposed_operand/kernel.cu $D/mine.cu");
    char arguments[256];
    snprintf(arguments, sizeof arguments, "watch exercise01 --source %s/mine.cu", folder);
    open_terminal(arguments, COLUMNS);
    cr_expect(wait_for("q quit\r\n", 0), "%s", terminal.text);
    for (int i = 0; i < 100 && reads_lines(); i++)
        usleep(10000);
    cr_expect(!reads_lines(), "keys come one by one");
    cr_assert_eq(write(terminal.master, "\003", 1), 1);
    int status = -1;
    cr_assert_eq(waitpid(terminal.child, &status, 0), terminal.child);
    cr_expect(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT, "%d", status);
    cr_expect(reads_lines(), "the terminal is not as it was");
    shell("rm -rf $D");
}

/* A run's line of how far it is ends with the run, whoever ends it. */
Test(watch, an_interrupted_run_takes_its_line_away)
{
    open_terminal("step07 -m 2048 --runtime sim", COLUMNS);
    cr_expect(wait_for("% ", 0), "%s", terminal.text);
    cr_assert_eq(write(terminal.master, "\003", 1), 1);
    cr_expect(wait_for("^C\r\033[K", 0), "%s", terminal.text);
    int status = -1;
    cr_assert_eq(waitpid(terminal.child, &status, 0), terminal.child);
    cr_expect(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT, "%d", status);
}
