/* Readers of what a submission controls come back from every input that is kept: seeds, and what
 * `make fuzz` has found. */
#include "tests/run_lab.h"

#include <criterion/criterion.h>
#include <stdlib.h>

static void replay(const char *reader)
{
    static struct run_lab result;
    run_lab_shell(&result,
                  "ls harness/tests/fuzz/seeds/%s/* > /dev/null && "
                  "\"$LAB_TEST_BUILD/tests/fuzz_%s\" harness/tests/fuzz/seeds/%s/*",
                  reader, reader, reader);
    cr_expect_eq(result.status, 0, "%s: %s%s", reader, result.out, result.err);
}

Test(fuzz, object)
{
    replay("object");
}

Test(fuzz, fatbin)
{
    replay("fatbin");
}

Test(fuzz, ptx)
{
    replay("ptx");
}

Test(fuzz, answers)
{
    replay("answers");
}

Test(fuzz, timer)
{
    replay("timer");
}
