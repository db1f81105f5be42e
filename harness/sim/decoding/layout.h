/**
 * @file layout.h
 * @brief What a kernel can call, and where its variables lie in local and shared memory.
 */
#ifndef SIM_DECODING_LAYOUT_H
#define SIM_DECODING_LAYOUT_H

#include "sim/machine/program.h"

/** Creates the program of a kernel: reachable functions with the places of their variables, but no
 *  code. @return NULL if memory runs out. */
struct program *sim_lay_out(const struct sim_module *module, const struct ptx_function *entry);

/** Sets the stack sizes of a decoded program. */
void sim_lay_out_stack(struct program *program);

/** The address that code uses for a function of a module. */
uint64_t sim_function_address(const struct ptx_module *module, const struct ptx_function *function);

#endif
