/**
 * @file opcodes.h
 * @brief All opcodes that the simulator knows.
 */
#ifndef SIM_LAUNCH_OPCODES_H
#define SIM_LAUNCH_OPCODES_H

#include "sim/decoding/decode.h"

extern const struct opcodes sim_opcodes;

#endif
