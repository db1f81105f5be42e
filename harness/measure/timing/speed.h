/**
 * @file speed.h
 * @brief From pairs of times to a submission's share of the solution's speed, with an interval, and
 * to a verdict. Nothing here runs or measures anything.
 */
#ifndef LAB_MEASURE_SPEED_H
#define LAB_MEASURE_SPEED_H

#include <stdbool.h>

enum { LAB_SPEED_PAIRS = 256, LAB_SPEED_LOOKS = 3 };

/** One launch of the submission and one of the solution, right after each other, on the same data.
 */
struct lab_speed_pair {
    double submission_ms, solution_ms;           /**< as measured by the processes that ran them */
    double submission_wall_ms, solution_wall_ms; /**< until the answer, by the grader's clock */
};

/** What a measurement is compared with. */
struct lab_speed_terms {
    double bar;        /**< share of the solution's speed to reach; 0: none */
    double confidence; /**< of the interval, such as 0.95 */
    double floor_ms;   /**< least possible time; 0: unknown */
    int first_pairs;   /**< pairs of the first look; each further look doubles them */
};

/** The verdict on a measurement. */
enum lab_speed_verdict {
    LAB_SPEED_NOT_TAKEN,
    LAB_SPEED_MEASURED,     /**< no share was asked for */
    LAB_SPEED_REACHED,      /**< all of the interval is at the bar or above */
    LAB_SPEED_MISSED,       /**< all of the interval is below the bar */
    LAB_SPEED_INCONCLUSIVE, /**< the bar is inside the interval */
    LAB_SPEED_IMPOSSIBLE,   /**< below the floor, or not what the grader's clock says */
};

/** A measurement. Plain data. */
struct lab_speed {
    enum lab_speed_verdict verdict;
    int pairs;
    double bar, confidence, floor_ms;  /**< from the terms */
    double share, low, high;           /**< median of the paired ratios, and its interval */
    double submission_ms, solution_ms; /**< medians */
    double overhead_ms; /**< the grader's clock minus the process's, for the submission, minus the
                           same for the solution: its lower bound, with the confidence of a look */
    bool rehearsed;     /**< on the simulator, where times say nothing of a GPU */
};

/** "reached", "missed", "inconclusive", ...; "" if speed was not measured. */
const char *lab_speed_verdict_name(enum lab_speed_verdict verdict);

/** Pairs after which to look for the `look`-th time, from 0 on; 0: there is no such look. */
int lab_speed_pairs_at(const struct lab_speed_terms *terms, int look);

/**
 * @brief Ranks of the order statistics between which the median of a distribution lies.
 *
 * The number of `count` independent samples below the median is binomial with 1/2, whatever the
 * distribution. So the interval from the rank-th smallest to the rank-th largest misses the median
 * with twice the probability of fewer than `rank` (H. A. David, H. N. Nagaraja, Order Statistics,
 * 3rd ed., 2003, section 7.1).
 * @return the largest rank, from 1 on, whose interval has the confidence; 0: there are too few
 */
int lab_speed_rank(int count, double confidence);

/**
 * @brief Judges the pairs taken so far.
 *
 * The measurement may be looked at several times and ended at the first look that decides, so each
 * look's interval has a confidence of 1 - (1 - confidence) / LAB_SPEED_LOOKS: whichever look is the
 * last, the chance of a wrong decision stays within that of all (Bonferroni).
 * @return true when it is decided, and more pairs would change nothing
 */
bool lab_speed_judge(const struct lab_speed_pair *pairs, int count,
                     const struct lab_speed_terms *terms, struct lab_speed *speed);

/** Writes one line for people: the share with its interval, and the share to reach. */
void lab_speed_text(const struct lab_speed *speed, char *text, int size);

/** The lowest bound that physics sets: `flops` at `peak` FLOP/s (0: unknown) and `bytes` at
 *  `bandwidth` bytes a second (0: unknown); milliseconds. */
double lab_speed_floor_ms(double flops, double peak, double bytes, double bandwidth);

#endif
