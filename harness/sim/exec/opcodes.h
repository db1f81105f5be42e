/**
 * @file opcodes.h
 * @brief All opcodes that the simulator knows.
 */
#ifndef SIM_EXEC_OPCODES_H
#define SIM_EXEC_OPCODES_H

#include "decode.h"

extern const struct opcodes sim_opcodes;

#endif
