/**
 * @file answers.h
 * @brief What checks ask about an instruction, where the answer takes a look through its whole
 * function: found at the first execution that needs it, and kept with the program.
 */
#ifndef SIM_CHECK_ANSWERS_H
#define SIM_CHECK_ANSWERS_H

#include "sim/machine/warp.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/** The questions, by the bit that says that the answer is known. The next bit is the answer. */
enum question { QUESTION_IS_ONLY_MOVED = 0, QUESTION_READS_OTHER_HALF = 2 };

/** Answers a question by an index of the function's instructions. */
typedef bool find_answer(const struct ptx_function *function, int instruction);

/** The kept answer to a question about an instruction that accesses memory. Two workers that both
 *  find it find the same. */
static inline bool sim_answer(const struct warp *warp, const struct instruction *at,
                              enum question question, find_answer *find)
{
    _Atomic uint8_t *const answers = warp->worker->launch->program->answers;
    if (!answers || at->cache == 0)
        return find(warp->function->ptx, (int)at->source);
    const unsigned known = atomic_load_explicit(&answers[at->cache], memory_order_relaxed);
    if (known >> question & 1)
        return known >> question & 2;
    const bool answer = find(warp->function->ptx, (int)at->source);
    atomic_fetch_or_explicit(&answers[at->cache], (uint8_t)((answer ? 3 : 1) << question),
                             memory_order_relaxed);
    return answer;
}

#endif
