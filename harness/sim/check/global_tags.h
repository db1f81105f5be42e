/**
 * @file global_tags.h
 * @brief The tags of global memory, made for a launch and readable after it.
 */
#ifndef SIM_CHECK_GLOBAL_TAGS_H
#define SIM_CHECK_GLOBAL_TAGS_H

#include "tags.h"

/** For a launch: gives tags to what its kernel may write. */
void sim_global_begin(struct launch *launch);
void sim_global_end(struct launch *launch);

/** Zeroed memory that all workers share; the first caller allocates it. Only pages that are used
 * cost memory. NULL when there is none. */
void *sim_global_make_once(void *_Atomic *place, size_t bytes);

/** Which store, by whom, wrote the word at an address in the last launch. False: it is not known,
 * or none did. */
bool sim_global_writer(uint64_t address, char *text, size_t size);
/** Forgets the writers of the last launch, when a copy has written or before programs are freed. */
void sim_global_forget(void);

#endif
