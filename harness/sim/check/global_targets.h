/**
 * @file global_targets.h
 * @brief Which memory a kernel may write. The addresses of its stores are followed in the PTX back
 * to the parameters that they come from.
 */
#ifndef SIM_CHECK_GLOBAL_TARGETS_H
#define SIM_CHECK_GLOBAL_TARGETS_H

#include "sim/machine/program.h"

/** Bits of a set of origins of an address. Each lower bit means 8 bytes of the entry's
 *  parameters. */
enum { TARGET_PARAMS = 61 };
#define TARGET_KNOWN   (UINT64_C(1) << 61) /**< always set, so that no set is 0 */
#define TARGET_SYMBOLS (UINT64_C(1) << 62) /**< variables of the module */
#define TARGET_ANY     (UINT64_C(1) << 63) /**< pointers loaded from memory, results of calls ... */

/** What the kernel's stores and atomic operations in global memory may reach. */
uint64_t sim_find_targets(const struct program *program);

#endif
