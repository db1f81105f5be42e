/**
 * @file flag_tests.h
 * @brief What a kernel asks of a flag or counter that it reads: the one comparison that the value
 * goes into. All values with the same answer tell the kernel the same.
 */
#ifndef SIM_DECODING_FLAG_TESTS_H
#define SIM_DECODING_FLAG_TESTS_H

#include "decode.h"

#include <stdbool.h>
#include <stdint.h>

struct warp;
struct sim_flag_test;

/** The comparison of what an instruction reads, 32 bits; NULL: the value is used in another way, or
 *  in several. */
const struct sim_flag_test *sim_find_flag_test(struct decoder *decoder,
                                               const struct ptx_instruction *source);

/** The answer for a lane, had it read `value`. Call this right after the read. */
bool sim_flag_answer(const struct sim_flag_test *test, const struct warp *warp, unsigned lane,
                     uint32_t value);

#endif
