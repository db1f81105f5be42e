/* Concerns harness/course, harness/grade. A course file and its mistakes, points of a term, grade
 * books that other readers read back; with a stand-in for the grader. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

static void try_case(const char *name)
{
    char command[8192], said[16384];
    const char *root = getenv("LAB_TEST_ROOT");
    snprintf(command, sizeof command, "python3 -B '%s/harness/tests/course_cases.py' %s 2>&1",
             root ? root : ".", name);
    FILE *pipe = popen(command, "r");
    cr_assert(pipe);
    said[fread(said, 1, sizeof said - 1, pipe)] = '\0';
    cr_expect_eq(pclose(pipe), 0, "%s: %s", name, said);
}

#define CASE(name)                                                                                 \
    Test(course, name)                                                                             \
    {                                                                                              \
        try_case(#name);                                                                           \
    }

CASE(Mistakes)
CASE(Points)
CASE(Books)
CASE(Submissions)
CASE(Exercises)
CASE(Cluster)

/* Two graders at once, one of them killed, beside a plain run: half a minute of compiling. */
Test(course, Tasks)
{
    if (!getenv("LAB_TEST_ALL"))
        cr_skip_test("make test-all");
    try_case("Tasks");
}

/* `run` starts it, from any folder. */
Test(course, is_started_by_run)
{
    char said[4096];
    FILE *pipe = popen("cd \"$LAB_TEST_ROOT\" && ./run course check none.toml 2>&1; "
                       "./run course; ./run grade --course none.toml . 2>&1",
                       "r");
    said[fread(said, 1, sizeof said - 1, pipe)] = '\0';
    pclose(pipe);
    cr_expect_str_eq(said,
                     "run: none.toml: No such file or directory\n"
                     "run: none.toml: No such file or directory\n",
                     "%s", said);
}
