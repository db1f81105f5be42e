/**
 * @file switch.h
 * @brief Whether launches are checked for more than addresses and barriers, and how long they run.
 */
#ifndef SIM_CHECK_SWITCH_H
#define SIM_CHECK_SWITCH_H

#include <stdbool.h>
#include <stdint.h>

/** Whether launches that begin now are checked; --fast and LAB_SIM_CHECKS=0 turn it off. */
bool sim_checks_on(void);
void sim_checks_set(bool on);

/** How many basic blocks the warps of a thread block may execute before it counts as endless; 0: no
 *  limit. LAB_SIM_BUDGET sets it in millions; else it is 256 million. */
void sim_budget_set(uint64_t basic_blocks);

#endif
