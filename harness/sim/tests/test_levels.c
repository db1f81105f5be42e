/* One build for processors of several vector levels: which of its libraries a program gets, that
 * all give the same bits and counters, and that what any machine runs has no instruction that some
 * lack.
 * (`make test-sim` runs the unit tests with the plain library's objects and with those of the
 * level.) */
#include <criterion/criterion.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

enum { COMMAND_BYTES = 8192 };

static char said[1 << 16], level[64], folder[] = "/tmp/lab-levels-XXXXXX";

/* Runs a shell command in the build folder, keeps what it says, and returns its exit status. */
static int run(const char *format, ...)
{
    char command[COMMAND_BYTES];
    va_list arguments;
    const int length =
        snprintf(command, sizeof command, "exec 2>&1; cd '%s' && ", getenv("LAB_TEST_BUILD"));
    va_start(arguments, format);
    vsnprintf(command + length, sizeof command - (size_t)length, format, arguments);
    va_end(arguments);
    FILE *output = popen(command, "r");
    cr_assert_not_null(output);
    said[fread(said, 1, sizeof said - 1, output)] = '\0';
    const int status = pclose(output);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* The level that the dynamic linker takes here; the makefile builds what is on its list. */
static void prepare(void)
{
    if (!getenv("LAB_TEST_BUILD") || getenv("LAB_TEST_SANITIZE"))
        cr_skip_test("LAB_TEST_BUILD is not set, or the build has no levels: run by `make test`");
    run("sed -n 's/^VECTOR_LEVELS := *//p' config.mk");
    if (!strstr(said, "x86-64"))
        cr_skip_test("no vector levels on this machine");
    run("$(sed -n 's/^DYNAMIC_LINKER := //p' config.mk) --help | "
        "sed -n 's/^ *\\(x86-64-v[34]\\) .supported.*/\\1/p' | head -n 1");
    said[strcspn(said, "\n")] = '\0';
    snprintf(level, sizeof level, "%s", said);
}

/* What tests/programs/levels prints goes to `file`; the library that it got, to `said`. */
static void run_program(const char *environment, const char *file)
{
    cr_assert_eq(run("LD_LIBRARY_PATH=sim %s tests/programs/levels print 2>&1 > %s/%s", environment,
                     folder, file),
                 0, "%s", said);
}

static void expect_library(const char *path)
{
    said[strcspn(said, "\n")] = '\0';
    cr_expect_str_eq(said, path);
}

/* The tunable hides AVX2 from the dynamic linker, and with it every level of ours. */
Test(levels, give_the_same_bits_and_counters, .init = prepare)
{
    char path[128], levels[sizeof said], *rest = levels;
    cr_assert(mkdtemp(folder));
    run_program("GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX2", "plain");
    expect_library("sim/libcudart.so.13");
    run("wc -l < %s/plain", folder);
    cr_expect_gt(atoi(said), 18000, "the program prints only %s lines", said);

    snprintf(path, sizeof path,
             *level ? "sim/glibc-hwcaps/%s/libcudart.so.13" : "sim/%slibcudart.so.13", level);
    run_program("", "here");
    expect_library(path);
    cr_expect_eq(run("cmp %s/here %s/plain", folder, folder), 0, "%s", said);

    /* what is there of the levels below */
    run("ls sim/glibc-hwcaps");
    strcpy(levels, said);
    for (char *name; (name = strsep(&rest, "\n")) && *name && strcmp(name, level) < 0;) {
        snprintf(path, sizeof path, "LD_LIBRARY_PATH=sim/glibc-hwcaps/%s:sim", name);
        run_program(path, "below");
        cr_expect(strstr(said, name), "%s instead of %s", said, name);
        cr_expect_eq(run("cmp %s/below %s/plain", folder, folder), 0, "%s: %s", name, said);
    }
    run("rm -r %s", folder);
}

/* Thirty kernels of random PTX: the same bits at any level, with checks and without, by one host
 * thread or several. */
Test(levels, random_programs_have_one_outcome, .init = prepare)
{
    static const char *const ways[] = {"GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX2", "LAB_SIM_CHECKS=0",
                                       "LAB_SIM_WORKERS=3"};
    char mine[] = "/tmp/lab-random-XXXXXX";
    cr_assert(mkdtemp(mine));
    cr_assert_eq(run("LD_LIBRARY_PATH=sim tests/random > %s/here", mine), 0, "%s", said);
    run("wc -l < %s/here", mine);
    cr_expect_eq(atoi(said), 30, "%s", said);
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++)
        cr_expect_eq(
            run("%s LD_LIBRARY_PATH=sim tests/random 2> /dev/null | cmp - %s/here", ways[i], mine),
            0, "%s: %s", ways[i], said);
    run("rm -r %s", mine);
}

/* AVX and what came with or after it: three-operand vector instructions, BMI, POPCNT. */
#define LATER                                                                                      \
    "'%[yz]mm|[[:space:]]v[a-z0-9]+ .*%xmm|"                                                       \
    "[[:space:]](mulx|shlx|shrx|sarx|rorx|andn|blsr|movbe|popcnt|lzcnt) '"

Test(levels, what_all_machines_run_is_plain, .init = prepare)
{
    if (run("command -v objdump") != 0)
        cr_skip_test("no objdump here");
    char files[sizeof said], *rest = files;
    run("ls sim/*.so.13; find . -maxdepth 1 -type f -perm -u+x");
    strcpy(files, said);
    for (char *file; (file = strsep(&rest, "\n")) && *file;)
        cr_expect_eq(run("! objdump -d --no-show-raw-insn %s | grep -E -m 3 " LATER, file), 0,
                     "%s has\n%s", file, said);
    if (*level) /* the same finds them where they are */
        cr_expect_eq(run("objdump -d --no-show-raw-insn sim/glibc-hwcaps/%s/libcudart.so.13 | "
                         "grep -E -m 3 " LATER,
                         level),
                     0, "%s has none: %s", level, said);
}
