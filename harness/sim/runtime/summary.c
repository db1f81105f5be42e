/* What a program did, for whoever started it (`run exec`): LAB_SIM_SUMMARY names a file to which
 * every process of the program adds lines. A finding and the first call that fails are added when
 * they are reported, since the program may then break off; all else when the process ends. "looked"
 * says that the program has asked for an error, or its name. LAB_SIM_COUNT=1 counts all launches.
 *
 *     finding STATUS KERNEL FILE LINE MESSAGE
 *     warning STATUS KERNEL FILE LINE MESSAGE
 *     failed CALL ERROR
 *     looked
 *     totals KERNELS LAUNCHES WARP_INSTRUCTIONS SECONDS
 *     counter NAME VALUE
 *     line FILE LINE WARP_INSTRUCTIONS SECTORS NEEDED WAVEFRONTS CONFLICTS
 *
 * with tabs between the parts. */
#include "runtime.h"

#include "sim/memory/warning.h"
#include "sim/counting/count.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static uint64_t kernels;   /* that were launched; the API lock guards both */
static _Atomic int failed; /* of the first call that fails */
enum { NOTHING_FAILED, CALL_FAILED, ERROR_WAS_LOOKED_AT };
static int first_warning; /* earlier ones are of the process that was forked */
static pid_t owner;       /* the process whose launches are counted; a fork begins anew */

/* Adds a line in one write, so that lines of several processes do not mix. */
static void __attribute__((format(printf, 1, 2))) add(const char *format, ...)
{
    const char *const path = getenv("LAB_SIM_SUMMARY");
    char line[4096];
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(line, sizeof line - 1, format, arguments);
    va_end(arguments);
    if (!path || length < 0)
        return;
    const size_t size = (size_t)length < sizeof line - 1 ? (size_t)length : sizeof line - 2;
    for (size_t i = 0; i < size; i++)
        if (line[i] == '\n')
            line[i] = ' ';
    line[size] = '\n';
    const int file = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
    if (file >= 0 && write(file, line, size + 1) < 0) /* it is gone when its reader is */
        fprintf(stderr, "libcudart (simulator): LAB_SIM_SUMMARY: %s cannot be written\n", path);
    if (file >= 0)
        close(file);
}

bool sim_summary_is_wanted(void)
{
    return getenv("LAB_SIM_SUMMARY") != NULL;
}

static int warning_count(void)
{
    int count = 0;
    while (sim_warning_at(count))
        count++;
    return count;
}

void sim_summary_launch(struct sim_function *function)
{
    const char *const count = getenv("LAB_SIM_COUNT");
    if (!sim_summary_is_wanted())
        return;
    if (owner != getpid()) {
        first_warning = owner ? warning_count() : 0;
        owner = getpid();
        kernels = 0;
        lab_sim_reset_totals();
        if (count && strcmp(count, "1") == 0)
            lab_sim_set_counting(1);
    }
    kernels += !function->was_launched;
    function->was_launched = true;
}

static void add_outcome(const char *what, const struct sim_outcome *outcome)
{
    static const char *const words[] = {[SIM_OK] = "ok",
                                        [SIM_OUT_OF_BOUNDS] = "out_of_bounds",
                                        [SIM_MISALIGNED] = "misaligned",
                                        [SIM_DIVERGENT_BARRIER] = "divergent_barrier",
                                        [SIM_ASSERT] = "assert",
                                        [SIM_TRAP] = "trap",
                                        [SIM_UNSUPPORTED] = "unsupported",
                                        [SIM_UNINITIALIZED] = "uninitialized",
                                        [SIM_INPUT_MODIFIED] = "input_modified",
                                        [SIM_RACE] = "race",
                                        [SIM_UNORDERED_SUM] = "unordered_sum",
                                        [SIM_TIMEOUT] = "timeout",
                                        [SIM_BAD_LAUNCH] = "bad_launch"};
    add("%s\t%s\t%s\t%s\t%d\t%s", what, words[outcome->status], outcome->kernel,
        ptx_shown_path(outcome->file), outcome->line, outcome->message);
}

void sim_summary_finding(const struct sim_outcome *outcome)
{
    add_outcome("finding", outcome);
}

void sim_summary_failed(const char *call, const char *error)
{
    int before = NOTHING_FAILED;
    if (atomic_compare_exchange_strong(&failed, &before, CALL_FAILED))
        add("failed\t%s\t%s", call, error);
}

void sim_summary_looked(void)
{
    int before = CALL_FAILED;
    if (atomic_compare_exchange_strong(&failed, &before, ERROR_WAS_LOOKED_AT))
        add("looked");
}

/* When a process ends: all that it launched. */
__attribute__((destructor)) static void at_end(void)
{
    struct lab_sim_totals totals;
    const struct lab_sim_counter *counters;
    const struct lab_sim_line *lines;
    if (owner && owner != getpid())
        return;
    lab_sim_get_totals(&totals);
    for (int i = first_warning; sim_warning_at(i); i++)
        add_outcome("warning", sim_warning_at(i));
    add("totals\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%.3f", kernels, totals.launches,
        totals.warp_instructions, totals.seconds);
    if (!sim_count_is_on())
        return;
    const int counter_count = lab_sim_counters(&counters);
    for (int i = 0; i < counter_count; i++)
        add("counter\t%s\t%.17g", counters[i].name, counters[i].value);
    const int line_count = lab_sim_lines(&lines);
    for (const struct lab_sim_line *l = lines; l < lines + line_count; l++)
        add("line\t%s\t%d\t%.17g\t%.17g\t%.17g\t%.17g\t%.17g", ptx_shown_path(l->file), l->line,
            l->warp_instructions, l->global_sectors, l->global_needed, l->shared_wavefronts,
            l->shared_conflicts);
}
