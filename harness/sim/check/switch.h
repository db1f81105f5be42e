/**
 * @file switch.h
 * @brief Whether launches are checked for more than addresses and barriers.
 */
#ifndef SIM_CHECK_SWITCH_H
#define SIM_CHECK_SWITCH_H

#include <stdbool.h>

/** Whether launches that begin now are checked; --fast and LAB_SIM_CHECKS=0 turn it off. */
bool sim_checks_on(void);
void sim_checks_set(bool on);

#endif
