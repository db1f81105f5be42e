/* Pairs, interval, floor, verdict: arithmetic on numbers that somebody else measured. */
#include "measure/timing/speed.h"

#include "base/numbers.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The resolution of events, and how far two clocks may drift apart. */
static const double TICK_MS = 0.005, DRIFT = 0.01;
/* How much a submission's overhead may differ from the solution's. */
static const double OVERHEAD_MS = 0.1;
/* Three products of TF32 halves make one of FP32, at 8 times the rate of the lanes or more; FP64
 * tensor cores double the lanes' rate. No kernel can be below a third of the lanes' time.
 */
static const double BEYOND_LANES = 3.0;

const char *lab_speed_verdict_name(enum lab_speed_verdict verdict)
{
    static const char *const names[] = {"",       "measured",     "reached",
                                        "missed", "inconclusive", "impossible"};
    return names[verdict];
}

int lab_speed_pairs_at(const struct lab_speed_terms *terms, int look)
{
    int pairs = terms->first_pairs << look;
    return look < LAB_SPEED_LOOKS && (look == 0 || terms->bar > 0.0)
               ? (pairs < LAB_SPEED_PAIRS ? pairs : LAB_SPEED_PAIRS)
               : 0;
}

int lab_speed_rank(int count, double confidence)
{
    double below = 0.0; /* probability of fewer than `rank` samples on one side */
    int rank = 0;
    for (int i = 0; i < count / 2; i++) {
        double log_chance =
            lgamma(count + 1.0) - lgamma(i + 1.0) - lgamma(count - i + 1.0) - count * log(2.0);
        below += exp(log_chance);
        if (1.0 - 2.0 * below < confidence)
            break;
        rank = i + 1;
    }
    return rank;
}

enum figure { SUBMISSION, SOLUTION, SOLUTION_OVERHEAD, MORE_OVERHEAD, SHARE };

static double figure_of(const struct lab_speed_pair *p, enum figure which)
{
    switch (which) {
    case SUBMISSION:
        return p->submission_ms;
    case SOLUTION:
        return p->solution_ms;
    case SOLUTION_OVERHEAD:
        return p->solution_wall_ms - p->solution_ms;
    case MORE_OVERHEAD:
        return p->submission_wall_ms - p->submission_ms - (p->solution_wall_ms - p->solution_ms);
    default:
        return p->solution_ms / p->submission_ms;
    }
}

static void sort_figures(const struct lab_speed_pair *pairs, int count, enum figure which,
                         double sorted[LAB_SPEED_PAIRS])
{
    for (int i = 0; i < count; i++)
        sorted[i] = figure_of(&pairs[i], which);
    lab_sort(sorted, count);
}

static double median_of(const struct lab_speed_pair *pairs, int count, enum figure which)
{
    double sorted[LAB_SPEED_PAIRS];
    sort_figures(pairs, count, which, sorted);
    return lab_median(sorted, count);
}

/* One time below the floor is enough; clocks must disagree in half of the pairs. */
static bool is_impossible(const struct lab_speed_pair *pairs, int count,
                          const struct lab_speed *speed, double solution_overhead)
{
    for (int i = 0; i < count; i++) {
        const struct lab_speed_pair *p = &pairs[i];
        if (!(p->submission_ms > 0.0) || p->submission_ms < speed->floor_ms ||
            p->submission_ms > p->submission_wall_ms * (1.0 + DRIFT) + TICK_MS)
            return true;
    }
    double more = solution_overhead > 0.0 ? solution_overhead : 0.0;
    return speed->overhead_ms > OVERHEAD_MS + more + DRIFT * speed->submission_ms;
}

/* The median of a figure, and its interval, which is unbounded without enough pairs. */
static double interval(const struct lab_speed_pair *pairs, int count, enum figure which, int rank,
                       double *low, double *high)
{
    double sorted[LAB_SPEED_PAIRS];
    sort_figures(pairs, count, which, sorted);
    *low = rank ? sorted[rank - 1] : -INFINITY;
    *high = rank ? sorted[count - rank] : INFINITY;
    return lab_median(sorted, count);
}

bool lab_speed_judge(const struct lab_speed_pair *pairs, int count,
                     const struct lab_speed_terms *terms, struct lab_speed *speed)
{
    double most;
    *speed = (struct lab_speed){.bar = terms->bar,
                                .confidence = terms->confidence,
                                .floor_ms = terms->floor_ms,
                                .pairs = count};
    if (count < 1 || count > LAB_SPEED_PAIRS)
        return false;
    int rank = lab_speed_rank(count, 1.0 - (1.0 - terms->confidence) / LAB_SPEED_LOOKS);
    speed->share = interval(pairs, count, SHARE, rank, &speed->low, &speed->high);
    interval(pairs, count, MORE_OVERHEAD, rank, &speed->overhead_ms, &most);
    speed->submission_ms = median_of(pairs, count, SUBMISSION);
    speed->solution_ms = median_of(pairs, count, SOLUTION);
    double usual = median_of(pairs, count, SOLUTION_OVERHEAD);
    speed->verdict = is_impossible(pairs, count, speed, usual) ? LAB_SPEED_IMPOSSIBLE
                     : terms->bar <= 0.0                       ? LAB_SPEED_MEASURED
                     : speed->low >= terms->bar                ? LAB_SPEED_REACHED
                     : speed->high < terms->bar                ? LAB_SPEED_MISSED
                                                               : LAB_SPEED_INCONCLUSIVE;
    return speed->verdict != LAB_SPEED_INCONCLUSIVE;
}

/* Why a time cannot be believed. */
static void doubt(const struct lab_speed *speed, char *text, int size)
{
    if (speed->overhead_ms > OVERHEAD_MS)
        snprintf(text, (size_t)size,
                 ": impossible, by the grader's clock it takes %.3g ms more (a kernel that prints "
                 "does so after its time)",
                 speed->overhead_ms);
    else
        snprintf(text, (size_t)size, ": impossible, no kernel takes less than %.3g ms",
                 speed->floor_ms);
}

void lab_speed_text(const struct lab_speed *speed, char *text, int size)
{
    int used = 0;
    if (speed->verdict == LAB_SPEED_NOT_TAKEN) {
        snprintf(text, (size_t)size, "%s", "");
        return;
    }
    char interval[64] = "too few pairs for an interval";
    if (isfinite(speed->low) && isfinite(speed->high))
        snprintf(interval, sizeof interval, "%.1f to %.1f%%", 100.0 * speed->low,
                 100.0 * speed->high);
    used = snprintf(
        text, (size_t)size, "%.1f%% of the solution's speed (%s; %.4g ms beside %.4g ms, %d pairs)",
        100.0 * speed->share, interval, speed->submission_ms, speed->solution_ms, speed->pairs);
    if (speed->bar > 0.0 && used < size)
        used += snprintf(text + used, (size_t)(size - used), ", %.4g%% asked", 100.0 * speed->bar);
    if (speed->verdict == LAB_SPEED_IMPOSSIBLE && used < size)
        doubt(speed, text + used, size - used);
    else if (speed->bar > 0.0 && used < size)
        snprintf(text + used, (size_t)(size - used), ": %s",
                 lab_speed_verdict_name(speed->verdict));
    used = (int)strlen(text);
    if (speed->rehearsed && used < size)
        snprintf(text + used, (size_t)(size - used), " (rehearsed on the simulator)");
}

double lab_speed_floor_ms(double flops, double peak, double bytes, double bandwidth)
{
    double arithmetic = peak > 0.0 ? flops / (peak * BEYOND_LANES) : 0.0;
    double traffic = bandwidth > 0.0 ? bytes / bandwidth : 0.0;
    return 1e3 * (arithmetic > traffic ? arithmetic : traffic);
}
