/* Concerns harness/recipes, exercises. What students are given: nothing of the solutions, all that
 * they need, and versions that merge. What a hand-out does once it is built is tried by
 * .ci/recipes. */
#include "tests/run_lab.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

static void try_case(const char *name)
{
    char command[8192], said[16384];
    const char *root = getenv("LAB_TEST_ROOT");
    snprintf(command, sizeof command, "bash '%s/harness/tests/handout_cases.sh' %s 2>&1",
             root ? root : ".", name);
    FILE *pipe = popen(command, "r");
    cr_assert(pipe);
    said[fread(said, 1, sizeof said - 1, pipe)] = '\0';
    cr_expect_eq(pclose(pipe), 0, "%s: %s", name, said);
}

#define CASE_OF_TEST_ALL(name)                                                                     \
    Test(handout, name)                                                                            \
    {                                                                                              \
        run_lab_leave_to_test_all();                                                               \
        try_case(#name);                                                                           \
    }
#define CASE(name)                                                                                 \
    Test(handout, name)                                                                            \
    {                                                                                              \
        try_case(#name);                                                                           \
    }

CASE(nothing_is_given_away)
CASE(has_what_students_need)
CASE_OF_TEST_ALL(versions_merge)
CASE(mistakes_are_told)
