/* Counting around a launch: by the simulator, or on a GPU by Nsight Compute, which waits for
 * cudaProfilerStart(), looked up at run time since the simulator has none. */
#include "measure/counters/counters.h"

#include "base/simulator.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

typedef int profiler_fn(void);

/* Switches counting off and on again, which forgets earlier launches. */
static void simulator_counts(bool on)
{
    lab_simulator()->set_counting(0);
    if (on)
        lab_simulator()->set_counting(1);
}

static void call_profiler(const char *name)
{
    profiler_fn *call = (profiler_fn *)dlsym(RTLD_DEFAULT, name);
    if (call)
        call();
}

void lab_counting_begin(const struct lab_counting *counting)
{
    if (counting->accesses)
        lab_simulator()->watch(1, counting->block, counting->warp);
    if (counting->counters || counting->lines)
        simulator_counts(true);
    if (counting->range)
        call_profiler("cudaProfilerStart");
}

void lab_counting_read(struct lab_counters *counters)
{
    const struct lab_sim_counter *list = NULL;
    int count = lab_simulator() ? lab_simulator()->counters(&list) : 0;
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
        from->shared_conflicts,  from->box_rows,
        from->box_row_bytes,     from->box_swizzle,
    };
}

static void copy_operands(struct lab_lines *lines)
{
    const struct lab_sim_operand *list = NULL;
    int count = lab_simulator()->operands(&list);
    lines->operands = count > 0 ? calloc(count, sizeof *lines->operands) : NULL;
    for (int i = 0; i < count && lines->operands; i++)
        lines->operands[lines->operand_count++] =
            (struct lab_operand){strdup(list[i].name), copy_of(&list[i].counts)};
}

static void *copy_list(const void *list, int count, size_t size, int *copied)
{
    void *const copy = count > 0 ? malloc((size_t)count * size) : NULL;
    *copied = copy ? count : 0;
    return copy ? memcpy(copy, list, (size_t)count * size) : NULL;
}

static void copy_lists(struct lab_lines *lines)
{
    const struct lab_sim_opcode *opcodes = NULL;
    const struct lab_sim_access *accesses = NULL;
    const struct lab_sim_step *steps = NULL;
    int count = lab_simulator()->opcodes(&opcodes);
    lines->opcodes = copy_list(opcodes, count, sizeof *opcodes, &lines->opcode_count);
    count = lab_simulator()->accesses(&accesses);
    lines->accesses = copy_list(accesses, count, sizeof *accesses, &lines->access_count);
    count = lab_simulator()->steps(&steps);
    lines->steps = copy_list(steps, count, sizeof *steps, &lines->step_count);
}

static void copy_timeline(struct lab_lines *lines)
{
    const struct lab_sim_timeline *const from = lab_simulator()->timeline();
    if (!from)
        return;
    const size_t size = (size_t)from->span_count * sizeof *from->spans;
    struct lab_sim_span *const spans = malloc(size);
    if (!spans)
        return;
    memcpy(spans, from->spans, size);
    lines->timeline = *from;
    lines->timeline.spans = spans;
}

static void copy_lines(struct lab_lines *lines)
{
    const struct lab_sim_line *list = NULL;
    int count = lab_simulator()->lines(&list);
    lab_lines_free(lines);
    copy_operands(lines);
    copy_lists(lines);
    copy_timeline(lines);
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
    lines->block = counting->block;
    lines->warp = counting->warp;
    if (counting->counters || counting->lines)
        simulator_counts(false);
    if (counting->accesses)
        lab_simulator()->watch(0, 0, 0);
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
    free(lines->opcodes);
    free(lines->accesses);
    free(lines->steps);
    free(lines->timeline.spans);
    free(lines->clocked);
    *lines = (struct lab_lines){0};
}
