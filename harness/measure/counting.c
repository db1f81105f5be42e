/* Counting around a launch. What counts is looked up at run time: the simulator's runtime library
 * exports lab_sim_..., and the real one cudaProfilerStart(), which Nsight Compute waits for. */
#include "measure/counting.h"

#include "sim/lab_sim.h"
#include "base/status.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

typedef int profiler_fn(void);

int lab_counting_check(const struct lab_counting *counting)
{
    if ((counting->counters || counting->lines) && !dlsym(RTLD_DEFAULT, "lab_sim_set_counting"))
        return lab_complain(LAB_EXIT_MISSING, "this build of the simulator does not count; "
                                              "run `make sim`");
    if ((counting->counters && !dlsym(RTLD_DEFAULT, "lab_sim_counters")) ||
        (counting->lines && !dlsym(RTLD_DEFAULT, "lab_sim_lines")))
        return lab_complain(LAB_EXIT_MISSING,
                            "this build of the simulator lacks %s; run `make sim`",
                            counting->lines ? "counts of lines" : "counters");
    return LAB_EXIT_OK;
}

/* Off and on again forgets earlier launches. */
static void simulator_counts(bool on)
{
    __typeof__(lab_sim_set_counting) *set = dlsym(RTLD_DEFAULT, "lab_sim_set_counting");
    if (!set)
        return;
    set(0);
    if (on)
        set(1);
}

static void call_profiler(const char *name)
{
    profiler_fn *call = (profiler_fn *)dlsym(RTLD_DEFAULT, name);
    if (call)
        call();
}

void lab_counting_begin(const struct lab_counting *counting)
{
    if (counting->counters || counting->lines)
        simulator_counts(true);
    if (counting->range)
        call_profiler("cudaProfilerStart");
}

void lab_counting_read(struct lab_counters *counters)
{
    const struct lab_sim_counter *list = NULL;
    __typeof__(lab_sim_counters) *get = dlsym(RTLD_DEFAULT, "lab_sim_counters");
    int count = get ? get(&list) : 0;
    for (int i = 0; i < count; i++)
        lab_counters_set(counters, list[i].name, list[i].value);
}

static struct lab_line copy_of(const struct lab_sim_line *from)
{
    return (struct lab_line){
        strdup(from->file),      from->line,
        from->warp_instructions, from->global_requests,
        from->global_sectors,    from->global_needed,
        from->shared_requests,   from->shared_wavefronts,
        from->shared_conflicts,
    };
}

static void copy_operands(struct lab_lines *lines)
{
    const struct lab_sim_operand *list = NULL;
    __typeof__(lab_sim_operands) *get = dlsym(RTLD_DEFAULT, "lab_sim_operands");
    int count = get ? get(&list) : 0;
    lines->operands = count > 0 ? calloc(count, sizeof *lines->operands) : NULL;
    for (int i = 0; i < count && lines->operands; i++)
        lines->operands[lines->operand_count++] =
            (struct lab_operand){strdup(list[i].name), copy_of(&list[i].counts)};
}

static void copy_lines(struct lab_lines *lines)
{
    const struct lab_sim_line *list = NULL;
    __typeof__(lab_sim_lines) *get = dlsym(RTLD_DEFAULT, "lab_sim_lines");
    int count = get ? get(&list) : 0;
    lab_lines_free(lines);
    copy_operands(lines);
    lines->list = count > 0 ? calloc(count, sizeof *lines->list) : NULL;
    for (int i = 0; i < count && lines->list; i++) {
        const struct lab_sim_line *from = &list[i];
        if (!from->file || !*from->file || from->line < 1)
            continue; /* instructions without a line */
        lines->list[lines->count++] = copy_of(from);
    }
}

void lab_counting_end(const struct lab_counting *counting, struct lab_counters *counters,
                      struct lab_lines *lines)
{
    if (counting->range)
        call_profiler("cudaProfilerStop");
    if (counting->counters)
        lab_counting_read(counters);
    if (counting->lines)
        copy_lines(lines);
    if (counting->counters || counting->lines)
        simulator_counts(false);
}

static bool is_of(const struct lab_operand *operand, const struct lab_line *line)
{
    return operand->counts.line == line->line && strcmp(operand->counts.file, line->file) == 0;
}

bool lab_lines_tell_apart(const struct lab_lines *lines, const struct lab_line *line,
                          const struct lab_operand *operand)
{
    const bool is_global = operand->counts.global_requests > 0.0;
    if (!is_of(operand, line))
        return false;
    for (int i = 0; i < lines->operand_count; i++)
        if (&lines->operands[i] != operand && is_of(&lines->operands[i], line) &&
            (lines->operands[i].counts.global_requests > 0.0) == is_global)
            return true;
    return false;
}

void lab_lines_free(struct lab_lines *lines)
{
    for (int i = 0; i < lines->count; i++)
        free(lines->list[i].file);
    free(lines->list);
    for (int i = 0; i < lines->operand_count; i++) {
        free(lines->operands[i].name);
        free(lines->operands[i].counts.file);
    }
    free(lines->operands);
    *lines = (struct lab_lines){0};
}
