/* Owns the data, the reference and the verdict. What is timed runs elsewhere: see
 * grade/timer/client.c. */
#include "grade/trial.h"

#include "exercise/goal_run.h"
#include "grade/timer/timer.h"
#include "families/inputs.h"
#include "families/problem.h"
#include "base/time.h"
#include "base/status.h"
#include "options/options.h"

#include <cuda_runtime_api.h>
#include <stdlib.h>
#include <string.h>

enum { WARM_UPS = 2, SUBMISSION = 0, SOLUTION = 1, SIDES = 2 };

/* In a rehearsal, device memory is the host's memory. */
static const uint64_t ALL_MEMORY = (uint64_t)1 << 50, REHEARSAL_MEMORY = (uint64_t)1 << 24;

/* What one timed item of the plan needs. */
struct match {
    const struct lab_family *family;
    const struct lab_plan *plan;
    const struct lab_plan_item *item;
    const struct lab_device *device;
    struct lab_options options; /* of the problem; the seed is drawn anew for each pair */
    struct lab_option_text words;
    uint64_t seed;
    cudaStream_t stream;
    struct lab_recording recordings[SIDES];
    struct lab_timer_client sides[SIDES];
    struct lab_speed_pair pairs[LAB_SPEED_PAIRS];
    int count;
    struct lab_check check; /* the submission's, the first that is not ok */
};

/* The side that launches now: remote_launch() is given only the problem. */
static struct lab_timer_client *turn;

static cudaError_t remote_launch(const void *problem, cudaStream_t stream)
{
    (void)stream;
    return lab_timer_client_call(turn, problem) ? cudaSuccess : cudaErrorUnknown;
}

/* --- one pair ----------------------------------------------------------------------------------*/

/* Makes one side's call on a problem, and checks every element that comes back. */
static struct lab_check run_side(struct match *m, struct lab_problem *problem, int side)
{
    const struct lab_variant variant = {.name = "timed", .launch = remote_launch};
    const struct lab_step step = {LAB_ABI, m->family->options->name, m->family->problem_bytes, 1,
                                  &variant};
    struct lab_check check = {.status = LAB_CHECK_OK};
    turn = &m->sides[side];
    cudaError_t error = lab_problem_prepare(problem, &step, 0);
    if (error == cudaSuccess)
        error = lab_problem_reset(problem);
    if (error == cudaSuccess)
        error = cudaDeviceSynchronize();
    if (error == cudaSuccess)
        error = lab_problem_launch(problem);
    if (turn->fault.status != LAB_CHECK_OK)
        return turn->fault;
    if (error == cudaSuccess)
        error = lab_problem_check_output(problem, &check);
    if (error != cudaSuccess) {
        check.status = LAB_CHECK_NOT_RUN; /* for lack of the grader's own device memory */
        snprintf(check.message, sizeof check.message, "%s", cudaGetErrorString(error));
    }
    return check;
}

static int complain_of_solution(const struct lab_check *check)
{
    return lab_complain(LAB_EXIT_MISSING, "the solution cannot be timed here: %s", check->message);
}

/* Runs both sides on the same data. The side that begins changes from pair to pair. */
static int run_pair(struct match *m, struct lab_problem *problem, int number)
{
    for (int i = 0; i < SIDES; i++) {
        int side = (i + number) % SIDES;
        struct lab_check check = run_side(m, problem, side);
        if (check.status == LAB_CHECK_NOT_RUN || (check.status != LAB_CHECK_OK && side == SOLUTION))
            return complain_of_solution(&check);
        if (check.status != LAB_CHECK_OK) {
            m->check = check;
            return LAB_EXIT_OK;
        }
    }
    const struct lab_timer_client *s = m->sides;
    if (number >= WARM_UPS)
        m->pairs[m->count++] =
            (struct lab_speed_pair){s[SUBMISSION].milliseconds, s[SOLUTION].milliseconds,
                                    s[SUBMISSION].wall_milliseconds, s[SOLUTION].wall_milliseconds};
    return LAB_EXIT_OK;
}

/* Takes a pair on data that no launch has seen. */
static int take_pair(struct match *m, int number, struct lab_problem_facts *facts)
{
    struct lab_problem *problem = NULL;
    m->options.problem.seed = lab_inputs_seed(m->seed, (unsigned)number);
    int status =
        lab_problem_open(m->family, &m->options, m->family->default_size, m->stream, &problem);
    if (status == LAB_EXIT_OK)
        status = lab_problem_make_reference(problem);
    if (status == LAB_EXIT_OK) {
        lab_problem_facts(problem, facts);
        status = run_pair(m, problem, number);
    }
    lab_problem_close(problem);
    return status == LAB_EXIT_USAGE ? LAB_EXIT_MISSING : status;
}

/* --- the verdict -------------------------------------------------------------------------------*/

/* The least possible time. Inputs come from memory, because the cache was emptied; outputs may stay
 * in the cache. The arithmetic of some problems depends on the algorithm, and is then left out. */
static double floor_of(const struct match *m, const struct lab_problem_facts *facts)
{
    double bytes = facts->bytes - (double)m->sides[SUBMISSION].output_bytes;
    bool is_double = strcmp(m->family->type, "f64") == 0;
    return lab_speed_floor_ms(m->family->work_varies ? 0.0 : facts->flops,
                              is_double ? m->device->peak_fp64 : m->device->peak_fp32,
                              bytes > 0.0 ? bytes : 0.0, m->device->peak_dram);
}

/* Takes pairs up to each look, until a look decides, the time limit is near, or an output is
 * wrong. */
static int take_pairs(struct match *m, struct lab_speed *speed)
{
    struct lab_problem_facts facts;
    struct lab_speed_terms terms = {.bar = m->item->bar,
                                    .confidence = m->plan->timing.confidence,
                                    .first_pairs = m->plan->timing.first_pairs};
    double begun = lab_clock_seconds(), most = 0.4 * m->plan->timing.seconds;
    int status = LAB_EXIT_OK, number = 0, wanted;
    for (int look = 0; (wanted = lab_speed_pairs_at(&terms, look)) > 0; look++) {
        while (m->count < wanted && status == LAB_EXIT_OK && m->check.status == LAB_CHECK_OK)
            status = take_pair(m, number++, &facts);
        if (status != LAB_EXIT_OK || m->check.status != LAB_CHECK_OK)
            return status;
        terms.floor_ms = floor_of(m, &facts);
        if (lab_speed_judge(m->pairs, m->count, &terms, speed) ||
            lab_clock_seconds() - begun > most)
            break;
    }
    speed->rehearsed = m->plan->timing.rehearsal;
    return status;
}

static void report(const struct match *m, int number, const struct lab_speed *speed, FILE *stream)
{
    struct lab_plan_report r = {.item = number, .status = m->check.status, .speed = *speed};
    r.met = speed->verdict == LAB_SPEED_REACHED || speed->verdict == LAB_SPEED_MEASURED;
    if (r.status == LAB_CHECK_OK)
        lab_speed_text(speed, r.message, sizeof r.message);
    else
        snprintf(r.message, sizeof r.message, "%.900s (timed on the GPU)", m->check.message);
    lab_plan_say(stream, &r);
}

/* --- the whole ---------------------------------------------------------------------------------*/

static int open_sides(struct match *m, const struct lab_options *options)
{
    const struct lab_plan_timing *t = &m->plan->timing;
    const struct lab_timer_terms terms = {.is_sim = t->rehearsal,
                                          .isolate = t->isolate,
                                          .poison_bytes =
                                              t->rehearsal ? REHEARSAL_MEMORY : ALL_MEMORY,
                                          .seconds = t->seconds,
                                          .call_seconds = t->call_seconds};
    const struct lab_recording_terms how = {.isolate = m->plan->isolate,
                                            .seconds = m->plan->launch_seconds};
    const char *objects[SIDES] = {options->source, t->solution};
    for (int i = SIDES - 1; i >= 0; i--) {
        if (!lab_recording_open(&m->recordings[i], objects[i], m->family, &how)) {
            m->check = m->recordings[i].fault;
            return i == SOLUTION ? complain_of_solution(&m->check) : LAB_EXIT_OK;
        }
        /* the memory that the solution's timer leaves is overwritten by the submission's */
        if (!lab_timer_client_open(&m->sides[i], &m->recordings[i], objects[i], &terms))
            return complain_of_solution(&m->sides[i].fault);
    }
    return LAB_EXIT_OK;
}

static int run_item(struct match *m, const struct lab_options *options, int number, FILE *stream)
{
    struct lab_speed speed = {.verdict = LAB_SPEED_NOT_TAKEN};
    int status =
        lab_options_parse_text(options->targets[0], m->item->options, &m->words, &m->options);
    m->seed = m->options.problem.seed;
    for (int i = 0; i < SIDES; i++)
        m->sides[i].conversation = (struct lab_conversation){.to = -1, .from = -1};
    if (status == LAB_EXIT_OK && cudaStreamCreate(&m->stream) != cudaSuccess)
        status = lab_complain(LAB_EXIT_MISSING, "the CUDA device cannot be used");
    if (status == LAB_EXIT_OK)
        status = open_sides(m, options);
    if (status == LAB_EXIT_OK && m->check.status == LAB_CHECK_OK)
        status = take_pairs(m, &speed);
    for (int i = 0; i < SIDES; i++)
        lab_timer_client_close(&m->sides[i]);
    if (status == LAB_EXIT_OK)
        report(m, number, &speed, stream);
    cudaStreamDestroy(m->stream);
    return status;
}

int lab_timed_trial_run(const struct lab_options *options, const struct lab_device *device,
                        const struct lab_family *family, const struct lab_plan *plan, FILE *stream)
{
    int status = LAB_EXIT_OK;
    for (int i = 0; i < plan->count && status == LAB_EXIT_OK; i++) {
        if (!plan->items[i].timed)
            continue;
        struct match *match = calloc(1, sizeof *match);
        if (!match)
            return lab_complain(LAB_EXIT_MISSING, "out of memory");
        lab_plan_say(stream, &(struct lab_plan_report){.item = i, .status = LAB_CHECK_NOT_RUN});
        match->family = family;
        match->plan = plan;
        match->item = &plan->items[i];
        match->device = device;
        status = run_item(match, options, i, stream);
        free(match);
    }
    return status;
}
