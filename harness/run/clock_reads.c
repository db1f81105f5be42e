/* A kernel file with clock reads is another, slightly slower program. So the file is compiled a
 * second time, with clock reads, beside the file that was timed, and launched once.
 * run/clock_record.h says what it writes. */
#include "run/clock_reads.h"

#include "base/progress.h"
#include "base/status.h"
#include "machine/toolchain.h"
#include "measure/launches/launches.h"
#include "run/clock_record.h"
#include "run/step_file.h"
#include "series/registry.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MESSAGE_BYTES = 16384 };

/* The file that was compiled last, kept because rows of one file follow each other. */
struct clocked {
    char source[LAB_PATH_BYTES];
    const struct lab_step *step;          /* NULL: it could not be compiled or loaded */
    void *on_device;                      /* the file's record */
    struct lab_clock_record now, longest; /* of the last launch, and of the longest */
    unsigned warps;                       /* in a block of the longest launch */
    char why[1024];
};

/* ---- From what was written down to a timeline ---- */

static unsigned count_of(const struct lab_clock_record *record, unsigned warp)
{
    const unsigned count = record->counts[warp];
    return count < LAB_CLOCK_WAITS ? count : LAB_CLOCK_WAITS;
}

/* The clock at the first wait of any warp, and at the end of the last wait; false: there is
 * none. */
static bool find_ends(const struct lab_clock_record *record, unsigned long long *begin,
                      unsigned long long *end)
{
    *begin = ~0ull;
    *end = 0;
    for (unsigned warp = 0; warp < LAB_CLOCK_WARPS; warp++)
        for (unsigned i = 0; i < count_of(record, warp); i++) {
            const struct lab_clock_wait *const wait = &record->waits[warp][i];
            *begin = wait->begin < *begin ? wait->begin : *begin;
            *end = wait->begin + wait->length > *end ? wait->begin + wait->length : *end;
        }
    return *end > *begin;
}

static void add_span(struct lab_sim_timeline *timeline, struct lab_sim_span span)
{
    if (!span.length)
        return;
    timeline->sums[span.kind] += span.length;
    timeline->spans[timeline->span_count++] = span;
}

/* Makes the spans of each warp: its waits, and between them the times when it runs. */
static bool make_timeline(const struct clocked *clocked, struct lab_sim_timeline *timeline)
{
    const struct lab_clock_record *const record = &clocked->longest;
    unsigned long long begin, end;
    struct lab_sim_span *const spans = calloc(2 * LAB_CLOCK_WARPS * LAB_CLOCK_WAITS, sizeof *spans);
    if (!spans || !find_ends(record, &begin, &end)) {
        free(spans);
        return false;
    }
    *timeline =
        (struct lab_sim_timeline){.cycles = end - begin, .warps = clocked->warps, .spans = spans};
    for (unsigned warp = 0; warp < clocked->warps; warp++) {
        unsigned long long at = begin;
        timeline->is_cut = timeline->is_cut || record->counts[warp] > LAB_CLOCK_WAITS;
        for (unsigned i = 0; i < count_of(record, warp); i++) {
            const struct lab_clock_wait *const wait = &record->waits[warp][i];
            struct lab_sim_span span = {.begin = (uint32_t)(at - begin),
                                        .length = (uint32_t)(wait->begin - at),
                                        .warp = warp,
                                        .kind = LAB_SIM_ISSUES};
            add_span(timeline, span);
            span.begin = (uint32_t)(wait->begin - begin);
            span.length = wait->length;
            span.kind = wait->is_for_copy ? LAB_SIM_WAITS_FOR_COPY : LAB_SIM_WAITS_AT_BARRIER;
            span.line = (int)wait->line;
            add_span(timeline, span);
            at = wait->begin + wait->length;
        }
    }
    return true;
}

/* ---- Compiling ---- */

static void find_source(const struct lab_row *row, char path[LAB_PATH_BYTES])
{
    char root[LAB_PATH_BYTES], source[256];
    if (row->source) {
        snprintf(path, LAB_PATH_BYTES, "%s", row->source);
        return;
    }
    lab_root(root);
    lab_registry_source(row->target, row->stage, source);
    snprintf(path, LAB_PATH_BYTES, "%.3800s/%s", root, source);
}

static void load(struct clocked *clocked)
{
    char object[LAB_PATH_BYTES], messages[MESSAGE_BYTES];
    clocked->step = NULL;
    if (access(clocked->source, R_OK) != 0 || lab_step_file_is_object(clocked->source)) {
        snprintf(clocked->why, sizeof clocked->why, "its kernel file is not here");
        return;
    }
    snprintf(clocked->why, sizeof clocked->why, "its kernel file does not compile with them");
    if (lab_toolchain_compile(clocked->source, "harness/run/clock_record.h", object, messages,
                              sizeof messages) != LAB_EXIT_OK)
        return;
    void *const handle = dlopen(object, RTLD_NOW | RTLD_LOCAL);
    lab_clock_record_fn *const address =
        handle ? (lab_clock_record_fn *)dlsym(handle, LAB_CLOCK_SYMBOL) : NULL;
    if (address && address(&clocked->on_device) == cudaSuccess)
        clocked->step = lab_step_file_open(object, clocked->why, sizeof clocked->why);
    unlink(object); /* it stays mapped */
}

/* ---- Launching ---- */

static cudaError_t clear(const struct clocked *clocked, unsigned long long block)
{
    const struct lab_clock_record empty = {.block = block};
    return cudaMemcpy(clocked->on_device, &empty, sizeof empty, cudaMemcpyHostToDevice);
}

/* Called after each launch of the row. */
static void read_launch(void *context)
{
    struct clocked *const clocked = context;
    const struct lab_launch_record *const launch = lab_launches_get(lab_launches_count() - 1);
    unsigned long long begin, end, longest_begin, longest_end;
    if (!launch || cudaDeviceSynchronize() != cudaSuccess ||
        cudaMemcpy(&clocked->now, clocked->on_device, sizeof clocked->now,
                   cudaMemcpyDeviceToHost) != cudaSuccess ||
        clear(clocked, clocked->now.block) != cudaSuccess)
        return;
    if (!find_ends(&clocked->now, &begin, &end) ||
        (find_ends(&clocked->longest, &longest_begin, &longest_end) &&
         longest_end - longest_begin >= end - begin))
        return;
    clocked->longest = clocked->now;
    clocked->warps = (launch->block.x * launch->block.y * launch->block.z + 31) / 32;
}

static void launch(struct lab_problem *problem, unsigned long long block, int index,
                   struct clocked *clocked)
{
    clocked->longest = (struct lab_clock_record){.block = block};
    snprintf(clocked->why, sizeof clocked->why,
             "block %llu comes to no barrier and waits for no copies", block);
    lab_launches_reset();
    cudaError_t status = clear(clocked, block);
    if (status == cudaSuccess)
        status = lab_problem_prepare(problem, clocked->step, index);
    if (status == cudaSuccess)
        status = lab_problem_reset(problem);
    lab_launches_watch(read_launch, clocked);
    if (status == cudaSuccess)
        status = lab_problem_launch(problem);
    lab_launches_watch(NULL, NULL);
    const cudaError_t late = cudaDeviceSynchronize();
    status = status == cudaSuccess ? late : status;
    if (status != cudaSuccess)
        snprintf(clocked->why, sizeof clocked->why, "with them: %s", cudaGetErrorString(status));
}

static void read_row(struct lab_problem *problem, unsigned long long block, struct clocked *clocked,
                     struct lab_row *row)
{
    char source[LAB_PATH_BYTES];
    find_source(row, source);
    if (strcmp(source, clocked->source) != 0) {
        snprintf(clocked->source, sizeof clocked->source, "%s", source);
        load(clocked);
    }
    if (clocked->step)
        launch(problem, block, row->index, clocked);
    lab_lines_free(&row->lines);
    if (!clocked->step || !make_timeline(clocked, &row->lines.timeline)) {
        fprintf(stderr, "run: no clock reads of %s: %s\n", row->name, clocked->why);
        return;
    }
    row->lines.block = block;
    row->lines.clocked = realpath(source, NULL);
    for (int i = 0; i < row->lines.timeline.span_count; i++)
        row->lines.timeline.spans[i].file = row->lines.clocked;
}

void lab_clock_reads_take(struct lab_problem *problem, unsigned long long block,
                          struct lab_result *result)
{
    struct clocked *const clocked = calloc(1, sizeof *clocked);
    struct lab_progress_line progress;
    for (int i = 0; clocked && i < result->row_count; i++) {
        struct lab_row *const row = &result->rows[i];
        if (row->check.status != LAB_CHECK_OK || !row->step || !(row->source || row->stage))
            continue;
        lab_progress_begin(&progress, false, "reading clocks in %s", row->name);
        read_row(problem, block, clocked, row);
        lab_progress_end(&progress);
    }
    free(clocked);
}
