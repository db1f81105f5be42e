/**
 * @file undefined.h
 * @brief Watches registers that some path reads before anything has written them.
 *
 * nvcc leaves a variable without a value as a register that nothing writes first. Such registers,
 * and what is computed from them, get a shadow in the frame: which lanes have a value. Kernels
 * without such registers are decoded as if none of this were there.
 */
#ifndef SIM_DECODING_UNDEFINED_H
#define SIM_DECODING_UNDEFINED_H

#include "decoder.h"

/** Finds the registers of the function under construction that have to be watched. @return bytes
 *  of their shadows. */
int32_t sim_find_undefined(struct decoder *decoder);

/** Before and after an instruction is decoded: appends what watches it, if need be. */
void sim_watch_before(struct decoder *decoder, const struct ptx_instruction *source);
void sim_watch_after(struct decoder *decoder, const struct ptx_instruction *source);

#endif
