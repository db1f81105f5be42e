/* `make install-sim` as a user of the simulator alone runs it: what it puts there, and a program
 * that is compiled and run with nothing else of the project; the same from packages. */
#include <criterion/criterion.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

enum { PATH_BYTES = 1024, COMMAND_BYTES = 8192 };

static char prefix[PATH_BYTES], build[PATH_BYTES], said[20000];

/* Runs a shell command in the project's root, keeps what it says, and returns its exit status. */
static int run(const char *format, ...)
{
    char command[COMMAND_BYTES];
    va_list arguments;
    int length =
        snprintf(command, sizeof command, "exec 2>&1; cd '%s' && ", getenv("LAB_TEST_ROOT"));
    va_start(arguments, format);
    vsnprintf(command + length, sizeof command - (size_t)length, format, arguments);
    va_end(arguments);
    FILE *output = popen(command, "r");
    cr_assert_not_null(output);
    said[fread(said, 1, sizeof said - 1, output)] = '\0';
    const int status = pclose(output);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* The build folder as the makefile names it: below the root without the root. */
static void prepare(void)
{
    const char *root = getenv("LAB_TEST_ROOT"), *folder = getenv("LAB_TEST_BUILD");
    if (!root || !folder)
        cr_skip_test("LAB_TEST_ROOT and LAB_TEST_BUILD are not set: run by `make test`");
    const size_t length = strlen(root);
    const bool inside = strncmp(folder, root, length) == 0 && folder[length] == '/';
    snprintf(build, sizeof build, "%s", inside ? folder + length + 1 : folder);
    strcpy(prefix, "/tmp/lab-sim-XXXXXX");
    cr_assert_not_null(mkdtemp(prefix));
}

static void clean(void)
{
    if (*prefix)
        run("rm -rf '%s'", prefix);
}

Test(install, a_program_finds_its_race, .init = prepare, .fini = clean)
{
    cr_assert_eq(run("make BUILD='%s' install-sim PREFIX='%s'", build, prefix), 0, "%s", said);
    cr_assert_eq(run("cd '%s' && ls lib/libcudart.so.13 lib/libcublas.so.13 lib/libcuda.so.1 "
                     "include/lab_sim.h",
                     prefix),
                 0, "%s", said);
    cr_expect_eq(run("cmp harness/sim/lab_sim.h '%s/include/lab_sim.h'", prefix), 0, "%s", said);
    cr_expect_eq(run("grep -x 'prefix=%s' '%s/lib/pkgconfig/lab-sim.pc'", prefix, prefix), 0);

    cr_expect_eq(run("cd '%s/sim' && for level in $(ls glibc-hwcaps 2> /dev/null); do "
                     "cmp glibc-hwcaps/$level/libcudart.so.13 "
                     "'%s'/lib/glibc-hwcaps/$level/libcudart.so.13 || exit; done",
                     build, prefix),
                 0, "%s", said);

    /* The compiler is the one that the build uses; the program sees no folder of the project. */
    cr_assert_eq(run("nvcc=$(head -n 1 '%s/nvcc.command'); cp harness/sim/tests/installed/race.cu "
                     "'%s' && cd '%s' && \"$nvcc\" -arch=sm_90 -lineinfo -cudart shared -Iinclude "
                     "-Llib race.cu -o race",
                     build, prefix, prefix),
                 0, "%s", said);
    cr_expect_eq(run("cd '%s' && LD_LIBRARY_PATH='%s/lib' ./race", prefix, prefix), 1, "%s", said);
    cr_expect(strstr(said, "libcudart (simulator): kernel sum(float const*, float*) failed"), "%s",
              said);
    cr_expect(strstr(said, "race.cu:13"), "%s", said);
    cr_expect(strstr(said, "race on element"), "%s", said);
    cr_expect(strstr(said, "a race in line 13"), "%s", said);
}

/* What `command` says of the program with the race, which lies in the prefix. */
static void expect_summary(const char *command)
{
    cr_expect_eq(run("cd '%s' && env -u LD_LIBRARY_PATH %s ./race", prefix, command), 1, "%s",
                 said);
    cr_expect(strstr(said, "a race in line 13"), "%s", said);
    cr_expect(strstr(said, "./race: 1 kernel, 1 launch, "), "%s", said);
    cr_expect(strstr(said, "1 finding\n  race in sum("), "%s", said);
}

/* The command, by itself and from both packages; the program has CUDA's runtime built in. */
Test(install, the_command_needs_no_lab, .init = prepare, .fini = clean)
{
    char command[PATH_BYTES];
    cr_assert_eq(run("make BUILD='%s' install-sim deb wheel PREFIX='%s/a'", build, prefix), 0, "%s",
                 said);
    cr_assert_eq(run("nvcc=$(head -n 1 '%s/nvcc.command'); cd harness/sim/tests/installed && "
                     "\"$nvcc\" -arch=sm_90 -lineinfo -I'%s/a/include' race.cu -o '%s/race'",
                     build, prefix, prefix),
                 0, "%s", said);
    expect_summary("a/bin/lab-sim");
    cr_expect_eq(run("grep -q 'Usage: lab' '%s/a/share/man/man1/lab-sim.1'", prefix), 0);
    cr_expect_eq(run("'%s/a/bin/lab-sim' ./nothing", prefix), 2);
    cr_expect(strstr(said, "lab-sim: "), "%s", said);

    cr_assert_eq(run("dpkg-deb -x '%s'/lab-sim_*.deb '%s/deb'", build, prefix), 0, "%s", said);
    expect_summary("deb/opt/lab-sim/bin/lab-sim");
    cr_expect_eq(
        run("cd '%s/deb/usr' && test -x ../opt/lab-sim/bin/lab-sim && readlink bin/lab-sim "
            "| grep -qx ../../opt/lab-sim/bin/lab-sim",
            prefix),
        0, "%s", said);

    cr_assert_eq(run("python3 -m pip install --quiet --no-index --no-deps --target '%s/wheel' "
                     "'%s'/lab_sim-*.whl",
                     prefix, build),
                 0, "%s", said);
    snprintf(command, sizeof command, "PYTHONPATH='%s/wheel' python3 -B -m lab_sim", prefix);
    expect_summary(command);
}

/* A C compiler takes the header by itself, without warnings. */
Test(install, the_header_needs_no_other, .init = prepare, .fini = clean)
{
    cr_expect_eq(
        run("cp harness/sim/lab_sim.h '%s' && cd '%s' && echo '#include \"lab_sim.h\"' > a.c && "
            "cc -std=c11 -Wall -Wextra -Werror -pedantic -c a.c && c++ -x c++ -std=c++17 "
            "-Wall -Wextra -Werror -c a.c",
            prefix, prefix),
        0, "%s", said);
}

Test(install, asks_for_a_prefix, .init = prepare, .fini = clean)
{
    cr_expect_eq(run("make BUILD='%s' install-sim PREFIX=", build), 2);
    cr_expect(strstr(said, "make install-sim PREFIX=DIR"), "%s", said);
}
