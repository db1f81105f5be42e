/**
 * @file only_moved.h
 * @brief Copies of structs: loads whose words nobody looks at.
 */
#ifndef SIM_CHECK_ONLY_MOVED_H
#define SIM_CHECK_ONLY_MOVED_H

#include "sim/ptx/ptx.h"

#include <stdbool.h>

/** Whether an instruction loads two words of integers or more, and all that is done with them is to
 *  store them: so nvcc copies a struct, with the gaps between its members. */
bool sim_is_only_moved(const struct ptx_function *function, int instruction);

#endif
