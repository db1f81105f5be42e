/**
 * @file global_tags.h
 * @brief The tags of global memory, made for a launch and readable after it.
 */
#ifndef SIM_CHECK_GLOBAL_TAGS_H
#define SIM_CHECK_GLOBAL_TAGS_H

#include "tags.h"

#include "sim/machine/program.h"

/** Before a launch: gives tags to the memory that its kernel may write. */
void sim_global_begin(struct launch *launch);
void sim_global_end(struct launch *launch);

/** Zeroed memory that all workers share; the first caller allocates it. Only pages that are used
 * cost memory. NULL: memory has run out. */
void *sim_global_make_once(void *_Atomic *place, size_t bytes);

/** Says which store of which thread wrote the word at an address in the last launch. False: this is
 * not known, or no store did. */
bool sim_global_writer(uint64_t address, char *text, size_t size);
/** Forgets the writers of the last launch. Called after a copy and before programs are freed. */
void sim_global_forget(void);

/* Which memory a kernel may write. The addresses of its stores are followed in the PTX back to the
 * parameters that they come from. */

/** Bits of a set of origins of an address. Each lower bit means 8 bytes of the entry's
 *  parameters. */
enum { TARGET_PARAMS = 61 };
#define TARGET_KNOWN   (UINT64_C(1) << 61) /**< always set, so that no set is 0 */
#define TARGET_SYMBOLS (UINT64_C(1) << 62) /**< variables of the module */
#define TARGET_ANY     (UINT64_C(1) << 63) /**< pointers loaded from memory, results of calls ... */

/** What the kernel's stores and atomic operations in global memory may reach. */
uint64_t sim_find_targets(const struct program *program);

#endif
