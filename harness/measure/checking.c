/* One checked launch. On the simulator a fault carries its kernel, line, block and thread. */
#include "measure/checking.h"

#include "measure/launches/launches.h"
#include "measure/counters/counters.h"
#include "base/time.h"
#include "base/simulator.h"

#include <stdio.h>
#include <string.h>

static enum lab_check_status status_of_fault(enum sim_status status)
{
    switch (status) {
    case SIM_OUT_OF_BOUNDS:
        return LAB_CHECK_OUT_OF_BOUNDS;
    case SIM_MISALIGNED:
        return LAB_CHECK_MISALIGNED;
    case SIM_DIVERGENT_BARRIER:
        return LAB_CHECK_DIVERGENT_BARRIER;
    case SIM_UNINITIALIZED:
        return LAB_CHECK_UNINITIALIZED;
    case SIM_INPUT_MODIFIED:
        return LAB_CHECK_INPUT_MODIFIED;
    case SIM_RACE:
        return LAB_CHECK_RACE;
    case SIM_UNORDERED_SUM:
        return LAB_CHECK_WRONG;
    case SIM_TIMEOUT:
        return LAB_CHECK_TIMEOUT;
    case SIM_UNSUPPORTED:
        return LAB_CHECK_UNSUPPORTED;
    case SIM_ASSERT:
    case SIM_TRAP:
        return LAB_CHECK_CRASHED;
    default:
        return LAB_CHECK_LAUNCH_ERROR;
    }
}

enum lab_check_status lab_check_of_error(cudaError_t error)
{
    switch (error) {
    case cudaErrorIllegalAddress:
        return LAB_CHECK_OUT_OF_BOUNDS;
    case cudaErrorMisalignedAddress:
        return LAB_CHECK_MISALIGNED;
    case cudaErrorAssert:
    case cudaErrorLaunchFailure:
    case cudaErrorIllegalInstruction:
        return LAB_CHECK_CRASHED;
    case cudaErrorLaunchTimeout:
        return LAB_CHECK_TIMEOUT;
    default:
        return LAB_CHECK_LAUNCH_ERROR;
    }
}

/* Whether an error has a line in the kernel, which a GPU does not name. */
static bool has_a_line(cudaError_t error)
{
    return error == cudaErrorIllegalAddress || error == cudaErrorMisalignedAddress ||
           error == cudaErrorLaunchFailure || error == cudaErrorIllegalInstruction ||
           error == cudaErrorAssert || error == cudaErrorLaunchTimeout;
}

static const struct sim_outcome *last_outcome(void)
{
    return lab_simulator() ? lab_simulator()->last_outcome() : NULL;
}

static void note_error(const struct lab_device *device, cudaError_t error, const char *when,
                       struct lab_check *check)
{
    const struct sim_outcome *outcome = device->is_sim ? last_outcome() : NULL;
    if (outcome && outcome->status != SIM_OK) {
        check->status = status_of_fault(outcome->status);
        snprintf(check->message, sizeof check->message, "%s%s", outcome->message,
                 outcome->status == SIM_UNSUPPORTED
                     ? "; this is a limit of the simulator and says nothing of the kernel"
                     : "");
        snprintf(check->file, sizeof check->file, "%s", outcome->file);
        check->line = outcome->line;
        check->address = outcome->address;
        return;
    }
    const char *const call = lab_calls_failed(error);
    check->status = lab_check_of_error(error);
    snprintf(check->message, sizeof check->message, "%s: %s (%s)%s%s%s%s", when,
             cudaGetErrorName(error), cudaGetErrorString(error), call ? " from " : "",
             call ? call : "",
             call ? "; do the addresses and sizes it is given fit the arrays, and the options the "
                    "problem?"
                  : "",
             device->is_sim || !has_a_line(error) ? "" : "; --runtime sim names the line");
}

static struct lab_sim_totals simulated_so_far(const struct lab_device *device)
{
    struct lab_sim_totals totals = {0};
    if (device->is_sim)
        lab_simulator()->get_totals(&totals);
    return totals;
}

/* Launches and synchronises; the first error, and `when` it came. */
static cudaError_t launch_and_wait(struct lab_problem *problem, struct lab_row *row,
                                   const char **when)
{
    const double start = lab_clock_seconds();
    jmp_buf left;
    cudaError_t volatile error = cudaSuccess;
    *when = "launch";
    lab_calls_catch(&left);
    if (problem->step && !problem->graph)
        lab_host_limit_begin();
    if (setjmp(left) == 0)
        error = lab_problem_launch(problem);
    lab_host_limit_end();
    lab_calls_catch(NULL);
    cudaError_t sticky = cudaGetLastError();
    if (error == cudaSuccess)
        error = sticky;
    if (error != cudaSuccess)
        return error;
    *when = "while the kernel ran";
    error = cudaDeviceSynchronize();
    row->checked_ms = 1e3 * (lab_clock_seconds() - start);
    sticky = cudaGetLastError();
    return error != cudaSuccess ? error : sticky;
}

static bool device_alive(void)
{
    return cudaDeviceSynchronize() == cudaSuccess && cudaGetLastError() == cudaSuccess;
}

/* What is noted of a row's launches on the simulator, where each launch has ended when its call
 * returns. */
struct watched {
    const struct lab_device *device;
    double instructions;               /* of all launches so far */
    struct lab_per_launch *per_launch; /* NULL: counters are not taken */
    int refused;                       /* the first launch that was, counted from 1; 0: none */
    char why[1024];
};

static void note_launch(void *context)
{
    struct watched *watched = context;
    const double now = (double)simulated_so_far(watched->device).warp_instructions;
    lab_launches_set_work(lab_launches_count() - 1, now - watched->instructions);
    watched->instructions = now;
    if (watched->per_launch)
        lab_per_launch_add(watched->per_launch);
    const struct sim_outcome *outcome = last_outcome();
    if (!watched->refused && outcome && outcome->status == SIM_BAD_LAUNCH) {
        watched->refused = lab_launches_count();
        snprintf(watched->why, sizeof watched->why, "%s", outcome->message);
    }
}

/* If a launch was refused and the launch function went on, later errors do not show the cause:
 * reports the refused launch instead. A row that is right has found another way. */
static void note_refused(const struct watched *watched, struct lab_check *check)
{
    if (!watched->refused || check->status == LAB_CHECK_OK)
        return;
    *check = (struct lab_check){.status = LAB_CHECK_LAUNCH_ERROR};
    if (lab_launches_count() == 1)
        snprintf(check->message, sizeof check->message, "%s", watched->why);
    else
        snprintf(check->message, sizeof check->message, "launch %d of %d: %.900s", watched->refused,
                 lab_launches_count(), watched->why);
}

/* Begins to watch whether the row's launch function keeps its contract. */
static void watch_calls(const struct lab_problem *problem, const struct lab_row *row)
{
    lab_calls_watch((const void *)(uintptr_t)lab_variant_of(row->step, row->index)->launch,
                    problem->stream);
}

/* Ends watching; true if the launch function has broken its contract. */
static bool has_broken_contract(struct lab_check *check)
{
    const char *const forbidden = lab_calls_forbidden(), *const changed = lab_calls_changed();
    if (forbidden) {
        check->status = LAB_CHECK_FORBIDDEN;
        snprintf(check->message, sizeof check->message, "%s", forbidden);
    } else if (changed) {
        check->status = LAB_CHECK_RACE;
        snprintf(check->message, sizeof check->message, "race with the host: %s", changed);
    }
    lab_calls_watch(NULL, NULL);
    return forbidden || changed;
}

/* Launches on fresh outputs, from a graph if the row is timed from one. */
static cudaError_t launch_again(struct lab_problem *problem, struct lab_row *row,
                                struct lab_check *check, const char **when)
{
    bool is_broken = false;
    cudaError_t error = lab_problem_reset(problem);
    if (error == cudaSuccess) {
        watch_calls(problem, row);
        *when = "capturing its graph";
        error = lab_problem_capture(problem);
        if (error == cudaSuccess)
            error = launch_and_wait(problem, row, when);
        is_broken = has_broken_contract(check);
    }
    if (is_broken)
        lab_check_note_second(check);
    if (error == cudaSuccess && !is_broken) {
        *when = "checking the second result";
        error = lab_problem_check_second(problem, check);
    }
    return error;
}

/* Finds leaks by the second launch: memory that the first one allocates and keeps is no leak. */
static void check_heap(size_t before, struct lab_check *check)
{
    const size_t now = lab_simulator()->heap_used();
    size_t limit = 0;
    if (check->status != LAB_CHECK_OK || now <= before ||
        cudaDeviceGetLimit(&limit, cudaLimitMallocHeapSize) != cudaSuccess)
        return;
    check->status = LAB_CHECK_WRONG;
    snprintf(check->message, sizeof check->message,
             "%zu bytes of the device's heap are still allocated when the launch ends, in each "
             "launch anew: of its %zu bytes nothing is left after %zu launches, and malloc() "
             "returns NULL; free() in a kernel what kernels allocate",
             now - before, limit, limit / (now - before));
}

/* Launches with all arrays at other addresses. */
static cudaError_t launch_elsewhere(struct lab_problem *problem, struct lab_row *row,
                                    struct lab_check *check, const char **when)
{
    const cudaError_t error = lab_problem_move(problem);
    return error == cudaSuccess ? launch_again(problem, row, check, when) : error;
}

/* Launches again the graph that was just right, as timing does. It has the arguments of its
 * capture, whatever the launch function would pass now. Its blocks come in the same order. */
static cudaError_t launch_graph_again(struct lab_problem *problem, struct lab_row *row,
                                      struct lab_check *check, const char **when)
{
    check->is_of_replay = true;
    cudaError_t error = lab_problem_reset(problem);
    if (error == cudaSuccess)
        error = launch_and_wait(problem, row, when);
    if (error == cudaSuccess) {
        *when = "checking the result of the graph";
        error = lab_problem_check_second(problem, check);
    }
    check->is_of_replay &= error != cudaSuccess || check->status != LAB_CHECK_OK;
    return error;
}

/* Launches with other inputs at the addresses of the launch before. */
static cudaError_t launch_other(struct lab_problem *problem, struct lab_row *row,
                                struct lab_check *check, const char **when)
{
    cudaError_t error = lab_problem_prepare(problem->other, row->step, row->index);
    if (error == cudaSuccess)
        error = lab_problem_swap(problem, problem->other);
    return error == cudaSuccess ? launch_again(problem->other, row, check, when) : error;
}

/* Launches again, with arrays elsewhere and then with other inputs. This shows pointers and results
 * that a kernel or its launch function keeps, and on the simulator, where the blocks now come in
 * reverse, results that depend on their order; a third launch tells the two causes apart. Unwritten
 * memory and races were looked for in the first launch, and are again if a result is wrong. */
static cudaError_t check_second_launch(struct lab_problem *problem, const struct lab_device *device,
                                       struct lab_row *row, const char **when)
{
    const struct lab_simulator *const simulator = device->is_sim ? lab_simulator() : NULL;
    struct lab_problem *const other = problem->other;
    const int checked = simulator ? simulator->set_checks(0) : 0;
    const size_t heap = simulator ? simulator->heap_used() : 0;
    struct lab_check third = {.status = LAB_CHECK_OK};
    if (simulator) {
        simulator->reverse_blocks(1);
        simulator->share_draws(lab_problem_promises_the_same(problem));
    }
    struct lab_problem *at = problem; /* the problem of the last launch */
    cudaError_t error = launch_elsewhere(problem, row, &row->check, when);
    if (simulator)
        simulator->share_draws(0);
    if (error == cudaSuccess && simulator)
        check_heap(heap, &row->check);
    if (error == cudaSuccess && row->check.status == LAB_CHECK_OK && problem->graph)
        error = launch_graph_again(problem, row, &row->check, when);
    if (error == cudaSuccess && row->check.status == LAB_CHECK_OK && other) {
        at = other;
        error = launch_other(problem, row, &row->check, when);
    }
    const bool was_reversed = simulator && simulator->reverse_blocks(0) > 0;
    const bool is_wrong = error == cudaSuccess && row->check.is_of_second;
    if (is_wrong && simulator)
        simulator->set_checks(checked); /* they may show what the first launch did not */
    if (is_wrong && at == other)        /* at the same addresses, which a kernel may keep */
        error = launch_again(other, row, &third, when);
    else if (is_wrong && was_reversed && !row->check.is_of_replay)
        error = launch_elsewhere(problem, row, &third, when);
    row->check.is_of_order = is_wrong && was_reversed && !row->check.is_of_replay &&
                             error == cudaSuccess && third.status == LAB_CHECK_OK;
    if (row->check.is_of_order) {
        /* Again in reverse and with all checks: a word that is read too early may never have been
         * cleared. */
        simulator->reverse_blocks(1);
        error = at == other ? launch_again(other, row, &third, when)
                            : launch_elsewhere(problem, row, &third, when);
        simulator->reverse_blocks(0);
        if (error == cudaSuccess) /* else the caller notes the fault */
            lab_check_note_order(&row->check);
    } else if (is_wrong && at == other) {
        lab_check_note_other(other, &row->check);
    } else if (is_wrong) {
        lab_check_note_second(&row->check);
    }
    if (simulator)
        simulator->set_checks(checked);
    if (error == cudaSuccess && at == other) /* modelled times depend on where arrays lie */
        error = lab_problem_swap(problem, other);
    const struct sim_outcome *outcome = device->is_sim && at == other ? last_outcome() : NULL;
    /* what the simulator does not support is no fault: the kernel was right with the first
     * inputs */
    if (error != cudaSuccess && outcome && outcome->status == SIM_UNSUPPORTED)
        error = cudaSuccess;
    return error;
}

/* --- wrong results ---------------------------------------------------------------------------- */

static bool finds_races(const struct lab_device *device)
{
    return device->is_sim && lab_simulator()->checks_for("race");
}

/* Whether threads of a block share memory, and blocks have at least this many threads. */
static bool shares_memory(unsigned threads)
{
    const struct lab_launch_record *r;
    for (int i = 0; (r = lab_launches_get(i)); i++) {
        struct cudaFuncAttributes attributes = {.sharedSizeBytes = 0};
        if (r->function && cudaFuncGetAttributes(&attributes, r->function) != cudaSuccess)
            cudaGetLastError();
        if (r->block.x * r->block.y * r->block.z >= threads &&
            attributes.sharedSizeBytes + r->dynamic_shared > 0)
            return true;
    }
    return false;
}

/* Adds that a barrier may be missing, unless the run would have found the race. */
static void suspect_race(const struct lab_device *device, struct lab_check *check)
{
    const size_t length = strlen(check->message);
    if (check->status == LAB_CHECK_WRONG && check->may_be_race && !finds_races(device) &&
        shares_memory(33)) /* a barrier can be missing only between warps */
        snprintf(check->message + length, sizeof check->message - length,
                 "; or a __syncthreads() is missing: %s",
                 device->is_sim ? "without --fast a race is named" : "--runtime sim names a race");
}

/* Names the store that wrote the element shown, if the problem has one output; "": unknown. */
static void find_writer(const struct lab_problem *problem, const struct lab_check *check,
                        char text[400])
{
    const struct lab_array *output = NULL;
    const char *data = NULL;
    text[0] = '\0';
    for (int i = 0; i < problem->array_count; i++) {
        if (problem->arrays[i].role != LAB_ROLE_OUTPUT)
            continue;
        if (output)
            return;
        output = &problem->arrays[i];
        data = problem->buffers[i].data;
    }
    if (check->status != LAB_CHECK_WRONG || !check->has_element || !output || !lab_simulator())
        return;
    const size_t element = check->row * output->row + check->column;
    if (element >= output->count ||
        !lab_simulator()->writer(data + element * lab_element_bytes(output->element), text, 400))
        text[0] = '\0';
}

/* How long a launch takes. On the simulator that follows from its work, as if the machine executed
 * 20 million instructions a second: what is tried, and said, does not depend on the machine. */
static double usual_ms(const struct lab_device *device, const struct lab_row *row)
{
    return device->is_sim ? (double)row->instructions / 20e3 : row->checked_ms;
}

/* Looks for the cause of a wrong result that its values do not show, by further launches. Adds
 * which store wrote the wrong element. */
static cudaError_t ask_kernel(struct lab_problem *problem, double launch_ms,
                              struct lab_check *check)
{
    const bool is_wrong = check->status == LAB_CHECK_WRONG || check->status == LAB_CHECK_NAN;
    const bool is_open = is_wrong && check->certainty == LAB_CAUSE_UNKNOWN;
    cudaError_t status = cudaSuccess;
    const struct lab_launched launched = {launch_ms, shares_memory(1)};
    char writer[400];
    find_writer(problem, check, writer); /* first, before other launches store there */
    if (is_open && check->has_element && problem->family->ask && !problem->options->without_cause)
        status = problem->family->ask(problem, &launched, check);
    const size_t length = strlen(check->message);
    if (*writer)
        snprintf(check->message + length, sizeof check->message - length, "; %s", writer);
    return status;
}

/* Adds what the family says of a read of an output before it is written. */
static void explain_unwritten(const struct lab_problem *problem, struct lab_check *check)
{
    const struct sim_outcome *outcome = last_outcome();
    const size_t length = strlen(check->message);
    if (check->status != LAB_CHECK_UNINITIALIZED || !outcome || !problem->family->of_blank)
        return;
    for (int i = 0; i < problem->array_count; i++) {
        const struct lab_buffer *buffer = &problem->buffers[i];
        if (problem->arrays[i].role == LAB_ROLE_OUTPUT && problem->arrays[i].blank &&
            outcome->address - (uint64_t)(uintptr_t)buffer->data < buffer->bytes)
            snprintf(check->message + length, sizeof check->message - length, " (%s)",
                     problem->family->of_blank);
    }
}

/* Puts other words in the place of a message's cause, which ends at the next place in the source,
 * or with the message. */
static void replace(struct lab_check *check, const char *cause, const char *words)
{
    char rest[sizeof check->message] = "";
    char *const at = strstr(check->message, cause);
    const char *const end = at ? strstr(at, "; this function was called at ") : NULL;
    if (!at)
        return;
    if (end)
        snprintf(rest, sizeof rest, "%s", end);
    snprintf(at, sizeof check->message - (size_t)(at - check->message), "%s%s", words, rest);
}

/* Adds advice on scratch memory: the row itself says how much there is, and divides it. */
static void explain_scratch(const struct lab_problem *problem, const struct lab_row *row,
                            struct lab_check *check)
{
    static const char *const of_all[] = {
        "several blocks read this element, change it and write it back",
        "two blocks compute the same element: the index leaves out"};
    static const char unwritten[] = "; where a kernel is to write it, has its grid";
    const char *advice = NULL;
    if (!row->step || !lab_variant_of(row->step, row->index)->workspace)
        return;
    if (check->status == LAB_CHECK_RACE)
        for (int i = 0; i < (int)(sizeof of_all / sizeof *of_all); i++)
            replace(check, of_all[i],
                    "several blocks store all of this element: is it in the tile of each? Then "
                    "each stores as if no other had a part of its sum: does each tell in the same "
                    "way which block has what part of it?");
    else if (strstr(check->message, " of workspace by "))
        replace(check, unwritten,
                "; do the kernel that stores parts of sums and the one that reads them agree on "
                "which blocks have a part, and on its place? Else where a kernel is to write it, "
                "has its grid blocks, and each block threads, for all of it?");
    const size_t length = strlen(check->message);
    if (check->status == LAB_CHECK_OUT_OF_BOUNDS && strstr(check->message, " end of workspace ("))
        advice = ", for which the row's workspace function asked: does that function count all "
                 "places, in bytes, and is no place's number, or its first element, larger, as "
                 "that of a block that has no part, or whose share ends behind the last one?";
    else if (check->status == LAB_CHECK_OUT_OF_BOUNDS &&
             strstr(check->message, " start of workspace ("))
        advice = ": is the number of a place in scratch memory below 0?";
    else if (check->status == LAB_CHECK_OUT_OF_BOUNDS &&
             strstr(check->message, "that is a null pointer") && !lab_problem_scratch(problem))
        advice = "; is it p->workspace, for which the row's workspace function asks for 0 bytes?";
    else if (check->status == LAB_CHECK_RACE && strstr(check->message, " of workspace: ") &&
             !strstr(check->message, "(ABA)"))
        advice = "; in scratch memory: has each part that a block stores a place of its own?";
    if (advice)
        snprintf(check->message + length, sizeof check->message - length, "%s", advice);
}

/* Asks about a host function, ahead of the advice for any kernel. */
static void suspect_host_function(struct lab_check *check)
{
    char advice[sizeof check->message];
    const size_t at = check->advice_at ? check->advice_at : strlen(check->message);
    if (check->status == LAB_CHECK_OK || !lab_calls_has_host_function())
        return;
    snprintf(advice, sizeof advice, "%s", check->message + at);
    snprintf(check->message + at, sizeof check->message - at,
             "; does the launch function use what its host function sets? It is called when the "
             "stream comes to it, and the launch function goes on before%s%s",
             *advice ? "; else:" : "", *advice ? advice + 1 : "");
}

/* Reports wrong values in place of a race that only wrong values cause. After a fault there are no
 * copies, but the simulator's memory can be read. */
static void explain_race(const struct lab_problem *problem, struct lab_check *check)
{
    const struct sim_outcome *outcome = last_outcome();
    char text[sizeof check->message];
    if (check->status != LAB_CHECK_RACE || !outcome || !problem->family->race_cause)
        return;
    for (int i = 0; i < problem->array_count; i++) {
        const struct lab_buffer *buffer = &problem->buffers[i];
        const bool is_here = outcome->address - (uint64_t)(uintptr_t)buffer->data < buffer->bytes;
        const void *const values =
            is_here ? lab_simulator()->memory_host(buffer->data, buffer->bytes) : NULL;
        if (!values || !problem->family->race_cause(problem, i, values, text, sizeof text))
            continue;
        check->status = LAB_CHECK_WRONG;
        memcpy(check->message, text, sizeof text);
    }
}

/* --- the contract of a launch function ---------------------------------------------------------*/

/* More memory than any device has comes from a negative number. */
static bool check_workspace(const struct lab_problem *problem, struct lab_row *row)
{
    const size_t bytes = lab_problem_variant_bytes(problem, row->step, row->index);
    if (bytes <= LAB_MOST_SCRATCH_BYTES)
        return true;
    row->check.status = LAB_CHECK_FORBIDDEN;
    snprintf(row->check.message, sizeof row->check.message,
             bytes > PTRDIFF_MAX
                 ? "the workspace function asks for %td bytes, which as a size_t is more than any "
                   "device has: a size or a product of sizes is negative"
                 : "the workspace function asks for %td bytes, which is more than any device has",
             (ptrdiff_t)bytes);
    return false;
}

/* Finds unordered sums by their atomic additions: a few blocks always run in the same order here,
 * so results would not differ. */
static void check_sums(const struct lab_device *device, bool wanted)
{
    if (device->is_sim)
        lab_simulator()->check_sums(wanted);
}

static void begin_contract(const struct lab_problem *problem, const struct lab_device *device,
                           const struct lab_row *row)
{
    watch_calls(problem, row);
    if (device->is_sim)
        lab_simulator()->streams_begin(problem->stream);
    check_sums(device, lab_problem_promises_the_same(problem));
}

/* Ends watching. What other streams may still do is known on the simulator only. */
static void end_contract(const struct lab_device *device, struct lab_check *check)
{
    const char *const unordered = device->is_sim ? lab_simulator()->streams_end() : NULL;
    if (!has_broken_contract(check) && unordered && finds_races(device)) {
        check->status = LAB_CHECK_RACE;
        snprintf(check->message, sizeof check->message, "race %s", unordered);
    }
    check_sums(device, false);
}

/* Adds that grid and block look exchanged, if the grid would do as a block, and the block would
 * not: it has no whole warps, or too many threads. That explains what nobody wrote: no other advice
 * is left then. Else that the one launch has less than a warp in
 * a block, which leaves elements without a thread. */
static void suspect_launch(struct lab_check *check)
{
    enum { WARP = 32, MOST_THREADS = 1024 };
    const size_t length = strlen(check->message);
    const struct lab_launch_record *r;
    if (check->status == LAB_CHECK_UNWRITTEN && lab_launches_count() == 1) {
        r = lab_launches_get(0);
        const unsigned blocks = r->grid.x * r->grid.y * r->grid.z;
        const unsigned threads = r->block.x * r->block.y * r->block.z;
        if (threads < WARP && blocks % WARP)
            snprintf(check->message + length, sizeof check->message - length,
                     "; the launch has %u block%s of %u thread%s: does the kernel count on more?",
                     blocks, blocks == 1 ? "" : "s", threads, threads == 1 ? "" : "s");
    }
    for (int i = 0; (r = lab_launches_get(i)); i++) {
        const unsigned long long blocks = (unsigned long long)r->grid.x * r->grid.y * r->grid.z;
        const unsigned long long threads = (unsigned long long)r->block.x * r->block.y * r->block.z;
        if (blocks == 0 || blocks % WARP || blocks > MOST_THREADS || threads == 0 ||
            (threads % WARP == 0 && threads <= MOST_THREADS))
            continue;
        const bool is_all = check->status == LAB_CHECK_UNWRITTEN && check->advice_at > 0;
        const size_t end = is_all ? check->advice_at : length;
        snprintf(check->message + end, sizeof check->message - end,
                 "; grid and block look exchanged: %llu blocks of %llu thread%s; in <<<blocks, "
                 "threads>>> the grid comes first",
                 blocks, threads, threads == 1 ? "" : "s");
        return;
    }
}

static bool reads(const struct lab_launch_record *r, int first, int axis)
{
    return lab_simulator()->reads_coordinate(r->function, first + axis) > 0;
}

/* Whether what a kernel reads of threadIdx and blockIdx does not fit the shape of its launch: a
 * coordinate that is always 0, or one that none reads though many threads differ in it. */
static bool say_coordinates(const struct lab_launch_record *r, bool may_be_grid, char text[256])
{
    const unsigned block[] = {r->block.x, r->block.y, r->block.z};
    const unsigned grid[] = {r->grid.x, r->grid.y, r->grid.z};
    const bool takes_all = reads(r, LAB_SIM_THREAD_INDEX, 1) && reads(r, LAB_SIM_THREAD_INDEX, 2);
    for (int axis = 1; axis < 3; axis++) {
        const bool reads_thread = reads(r, LAB_SIM_THREAD_INDEX, axis);
        const bool reads_block = reads(r, LAB_SIM_BLOCK_INDEX, axis);
        if (block[axis] > 1 && !reads_thread)
            snprintf(text, 256,
                     "; blocks are %u x %u x %u, and the kernel never reads threadIdx.%c: do %u "
                     "threads do the same?",
                     block[0], block[1], block[2], "xyz"[axis], block[axis]);
        else if (block[axis] == 1 && reads_thread && !takes_all)
            snprintf(text, 256,
                     "; the kernel reads threadIdx.%c, which is always 0, for blocks are %u x %u x "
                     "%u",
                     "xyz"[axis], block[0], block[1], block[2]);
        else if (grid[axis] > 1 && !reads_block)
            snprintf(text, 256,
                     "; the grid is %u x %u x %u blocks, and the kernel never reads blockIdx.%c: "
                     "do %u blocks do the same?",
                     grid[0], grid[1], grid[2], "xyz"[axis], grid[axis]);
        else if (grid[axis] == 1 && reads_block && grid[0] > 1 && may_be_grid)
            snprintf(text, 256,
                     "; the kernel reads blockIdx.%c, which is always 0, for the grid is %u x %u x "
                     "%u blocks",
                     "xyz"[axis], grid[0], grid[1], grid[2]);
        else
            continue;
        return true;
    }
    return false;
}

/* Adds what a kernel reads and its launch does not have, or the reverse, before the advice on a
 * fault and after that on values. A right kernel may be so, too: this says what is there, no more.
 */
static void suspect_coordinates(struct lab_check *check)
{
    const bool may_be_grid =
        check->status == LAB_CHECK_UNWRITTEN || check->status == LAB_CHECK_RACE;
    const struct lab_launch_record *r;
    char text[256], behind[sizeof check->message];
    int i = 0;
    while ((r = lab_launches_get(i)) &&
           (lab_simulator()->reads_coordinate(r->function, LAB_SIM_THREAD_INDEX) < 0 ||
            !say_coordinates(r, may_be_grid, text)))
        i++;
    if (!r)
        return;
    char *at = check->advice_at == 0 ? strstr(check->message, "; ") : NULL;
    if (!at)
        at = check->message + strlen(check->message);
    snprintf(behind, sizeof behind, "%s", at);
    snprintf(at, sizeof check->message - (size_t)(at - check->message), "%s%s", text, behind);
}

static struct lab_grid only_grid(void)
{
    const struct lab_launch_record *const r =
        lab_launches_count() == 1 ? lab_launches_get(0) : NULL;
    if (!r || r->grid.y * r->grid.z * r->block.z != 1)
        return (struct lab_grid){0};
    return r->block.y == 1
               ? (struct lab_grid){.blocks = r->grid.x, .threads = r->block.x}
               : (struct lab_grid){.tiles = r->grid.x, .x = r->block.x, .y = r->block.y};
}

static bool check_row(struct lab_problem *problem, const struct lab_device *device,
                      const struct lab_counting *counting, struct lab_row *row)
{
    const char *when = "preparing the row";
    struct watched watched = {.device = device};
    if (row->step && !check_workspace(problem, row))
        return true;
    cudaError_t error = lab_problem_prepare(problem, row->step, row->index);
    if (error == cudaSuccess)
        error = lab_problem_reset(problem);
    if (error == cudaSuccess)
        error = cudaDeviceSynchronize();
    if (error == cudaSuccess) {
        struct lab_sim_totals before = simulated_so_far(device), after;
        watched.instructions = (double)before.warp_instructions;
        watched.per_launch = counting->counters ? &row->per_launch : NULL;
        lab_launches_reset();
        lab_counting_begin(counting);
        if (device->is_sim)
            lab_launches_watch(note_launch, &watched);
        if (row->step)
            begin_contract(problem, device, row);
        error = launch_and_wait(problem, row, &when);
        if (row->step)
            end_contract(device, &row->check);
        lab_launches_watch(NULL, NULL);
        if (counting->counters)
            lab_per_launch_end(&row->per_launch, device);
        lab_counting_end(counting, &row->counters, &row->lines);
        after = simulated_so_far(device);
        row->instructions = after.warp_instructions - before.warp_instructions;
        row->simulation_seconds = after.seconds - before.seconds;
        row->used_library = lab_problem_used_library(problem);
        /* The simulator does not see a library's work, and counters of the rest would mislead. */
        if (row->used_library && device->is_sim)
            row->counters.count = 0;
    }
    /* Launch facts are left out for the reference, whose kernels are a library's, and for a row
     * whose work is partly a library's. */
    if (error == cudaSuccess && row->step)
        lab_kernel_facts_read(device, &row->kernel);
    if (row->used_library)
        row->kernel.known = false;
    if (counting->counters && row->kernel.known) { /* goals compare counters */
        lab_counters_set(&row->counters, LAB_COUNTER_SHARED_BYTES,
                         (double)row->kernel.shared_bytes);
        lab_counters_set(&row->counters, LAB_COUNTER_LAUNCHES, row->kernel.launches);
        lab_counters_set(&row->counters, LAB_COUNTER_BLOCKS, lab_shape_product(row->kernel.grid));
    }
    if (row->check.status == LAB_CHECK_FORBIDDEN ||
        (error == cudaSuccess && row->check.status == LAB_CHECK_RACE))
        return device_alive();
    const bool is_idle = row->step && lab_launches_count() == 0 && row->instructions == 0;
    if (error == cudaSuccess) {
        when = "checking the result";
        problem->grid = only_grid();
        error = lab_problem_check_all(problem, &row->check);
        suspect_host_function(&row->check);
        if (error == cudaSuccess && row->step && !row->used_library)
            error = ask_kernel(problem, usual_ms(device, row), &row->check);
    }
    /* No launch is right for some problems, which need a copy or nothing: one vertex, or an alpha
     * of 0 with a beta of 1. */
    if (error == cudaSuccess && is_idle && row->check.status != LAB_CHECK_OK) {
        const char *const filled = lab_calls_filled();
        row->check = (struct lab_check){.status = LAB_CHECK_LAUNCH_ERROR};
        snprintf(row->check.message, sizeof row->check.message,
                 filled ? "the launch function launched no kernel: it has enqueued %s() and no "
                          "more, which does not give the result"
                        : "the launch function launched nothing",
                 filled);
        return true;
    }
    const bool launches_twice =
        error == cudaSuccess && row->check.status == LAB_CHECK_OK && row->step && !row->is_baseline;
    if (launches_twice)
        error = check_second_launch(problem, device, row, &when);
    if (row->check.status == LAB_CHECK_FORBIDDEN)
        return device_alive();
    if (error == cudaSuccess) {
        if (row->step && !row->used_library)
            suspect_race(device, &row->check);
        note_refused(&watched, &row->check);
        return true;
    }
    const bool is_of_inputs = row->check.is_of_second; /* the fault came after a wrong result */
    note_error(device, error, when, &row->check);
    if (device->is_sim) {
        explain_unwritten(problem, &row->check);
        explain_race(problem, &row->check);
        explain_scratch(problem, row, &row->check);
    }
    note_refused(&watched, &row->check);
    if (row->check.is_of_order)
        lab_check_note_order(&row->check);
    else if (launches_twice && !is_of_inputs)
        lab_check_note_second(&row->check);
    else if (is_of_inputs && row->check.status == LAB_CHECK_UNINITIALIZED) /* what is kept? */
        lab_check_note_other(problem->other, &row->check);
    return device_alive();
}

bool lab_check_row(struct lab_problem *problem, const struct lab_device *device,
                   const struct lab_counting *counting, struct lab_row *row)
{
    lab_launches_reset();
    const bool is_alive = check_row(problem, device, counting, row);
    if (row->step && row->check.status != LAB_CHECK_OK &&
        row->check.status != LAB_CHECK_FORBIDDEN && row->check.status != LAB_CHECK_UNSUPPORTED) {
        suspect_launch(&row->check);
        if (device->is_sim)
            suspect_coordinates(&row->check);
    }
    return is_alive;
}
