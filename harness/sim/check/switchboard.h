/**
 * @file switchboard.h
 * @brief The switch that turns checks on and off.
 */
#ifndef SIM_CHECK_SWITCHBOARD_H
#define SIM_CHECK_SWITCHBOARD_H

#include <stdbool.h>
#include <stddef.h>

/** The checks that can be left out, a bit each. */
enum sim_check {
    SIM_CHECK_RACE = 1,
    SIM_CHECK_UNINITIALIZED = 2,
    SIM_CHECK_ALL = 3,
    SIM_CHECK_SUMS = 4 /**< only where a kernel promises the same bits every time */
};

/** The check of that name, "race" or "uninitialized"; 0: there is none. */
unsigned sim_check_named(const char *name, size_t length);

/** The checks of launches that begin now, bits of enum sim_check; --fast and LAB_SIM_CHECKS turn
 * them off. */
unsigned sim_checks_wanted(void);

static inline bool sim_checks_for(enum sim_check check)
{
    return (sim_checks_wanted() & check) != 0;
}

/** Whether launches are checked at all. */
bool sim_checks_on(void);
void sim_checks_set(unsigned wanted); /**< of enum sim_check */

#endif
