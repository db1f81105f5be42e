/**
 * @file undefined.h
 * @brief Watches registers that some path reads before anything has written them.
 *
 * A variable without a value becomes a register that nothing writes before it is read. Such
 * registers, and registers computed from them, get a shadow in the frame, which says which lanes
 * have a value. Kernels without such registers are decoded as if nothing were watched.
 */
#ifndef SIM_DECODING_UNDEFINED_H
#define SIM_DECODING_UNDEFINED_H

#include "decoder.h"

/** Finds the registers of the function under construction that must be watched. @return the bytes
 *  of their shadows. */
int32_t sim_find_undefined(struct decoder *decoder);

/** Called before and after an instruction is decoded; these append what watches it, if need be. */
void sim_watch_before(struct decoder *decoder, const struct ptx_instruction *source);
void sim_watch_after(struct decoder *decoder, const struct ptx_instruction *source);

#endif
