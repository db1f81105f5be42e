/**
 * @file clocks.h
 * @brief Clocks and power of the GPU, through NVML if it is there.
 */
#ifndef LAB_CLOCKS_H
#define LAB_CLOCKS_H

#include "measure/result.h"

/** Notes the present clocks and power; leaves zeros if NVML does not tell them. */
void lab_clocks_note(struct lab_conditions *conditions);

#endif
