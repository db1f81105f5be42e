/**
 * @file clock.h
 * @brief Time that passes, whatever the date is set to.
 */
#ifndef LAB_BASE_CLOCK_H
#define LAB_BASE_CLOCK_H

/** Seconds since some moment, the same for as long as the machine runs. */
double lab_clock_seconds(void);

#endif
