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

Test(fuzz, object, .timeout = 60)
{
    replay("object");
}

Test(fuzz, fatbin, .timeout = 60)
{
    replay("fatbin");
}

Test(fuzz, ptx, .timeout = 60)
{
    replay("ptx");
}

Test(fuzz, answers, .timeout = 60)
{
    replay("answers");
}

Test(fuzz, timer, .timeout = 60)
{
    replay("timer");
}
