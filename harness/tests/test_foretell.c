/* A long run on the simulator is told before it is waited for: by the rates of measured runs, none
 * of twenty seconds and all of three minutes. */
#include "families/family.h"
#include "run/foretell.h"
#include "series/registry.h"
#include "tests/run_lab.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static struct lab_result result;
static struct run_lab said;

/* As `rows` rows of a step that do `rate` operations, or bytes, a second, for so long. */
static double foretold(const char *target, int rows, double rate, bool counts, double seconds)
{
    int count;
    const struct lab_stage *stages = lab_registry_stages(target, &count);
    const double work = seconds * rate / (2.0 * rows);
    memset(&result, 0, sizeof result);
    result.is_sim = true;
    result.family = lab_family_find(lab_registry_target(target)->family);
    result.row_count = rows;
    for (int i = 0; i < rows; i++) /* a stage may have several rows */
        result.rows[i].stage = &stages[i * count / rows];
    result.facts.flops = strncmp(target, "step00", 6) == 0 ? 0.0 : work; /* bytes alone count */
    result.facts.bytes = work;
    return lab_foretell_seconds(&result, counts);
}

/* On two cores of an ordinary machine. */
Test(foretell, what_was_measured_is_told_where_it_is_long)
{
    static const struct {
        const char *target;
        int rows;
        bool counts;
        double rate;
    } measured[] = {
        {"step01", 2, false, 1.2e9},  {"step01", 2, true, 1.4e8},     {"step02", 2, false, 1.7e9},
        {"step02", 3, true, 3.2e8},   {"step05", 3, false, 3.4e9},    {"step07", 3, false, 5.0e9},
        {"step07", 5, true, 1.4e9},   {"step08", 6, false, 1.0e9},    {"step08", 6, true, 6.6e8},
        {"step09", 8, false, 7.8e8},  {"step09", 8, true, 2.3e8},     {"step10", 10, false, 8.0e8},
        {"step10", 10, true, 2.3e8},  {"step11", 5, false, 2.6e8},    {"step11", 5, true, 5.9e7},
        {"step12", 4, false, 2.6e9},  {"step13", 9, false, 1.7e9},    {"step13", 9, true, 1.1e9},
        {"step00b", 3, true, 1.3e8},  {"step00b", 3, false, 8.0e7},   {"step00d", 3, true, 5.8e7},
        {"exercise13", 1, true, 7e7}, {"exercise13", 1, false, 2.1e8}};
    for (size_t i = 0; i < sizeof measured / sizeof *measured; i++) {
        const char *target = measured[i].target;
        const double rate = measured[i].rate;
        const int rows = measured[i].rows;
        cr_expect_lt(foretold(target, rows, rate, measured[i].counts, 20.0), 60.0,
                     "%s, %d: a false warning", target, measured[i].counts);
        cr_expect_geq(foretold(target, rows, rate, measured[i].counts, 180.0), 60.0,
                      "%s, %d: three minutes are not told", target, measured[i].counts);
    }
}

/* In a pipe, too, and at once: the run is ended before it has computed anything. */
Test(foretell, before_it_computes)
{
    run_lab_shell(
        &said,
        "file=$(mktemp); ./run step01 -m 12288 --runtime sim --json /dev/null > $file 2>&1 & "
        "for i in $(seq 600); do grep -q 'will take the simulator about [0-9]* hours; -m "
        "1024 takes seconds' $file && break; sleep 0.1; done; kill $!; wait; "
        "cat $file; rm $file; [ $i -lt 600 ]");
    cr_expect_eq(said.status, 0, "%s%s", said.out, said.err);
    run_lab(&said, "step07 -m 256");
    cr_expect(said.status == 0 && !*said.err, "%s", said.err);
}
