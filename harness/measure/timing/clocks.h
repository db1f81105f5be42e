/**
 * @file clocks.h
 * @brief Clocks and power of the GPU, through NVML where it is there.
 */
#ifndef LAB_CLOCKS_H
#define LAB_CLOCKS_H

#include "measure/result.h"

/** Notes the clocks and the power of this moment; leaves zeros where NVML does not tell. */
void lab_clocks_note(struct lab_conditions *conditions);

#endif
