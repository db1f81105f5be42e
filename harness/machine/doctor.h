/**
 * @file doctor.h
 * @brief `run doctor`: what was found on this machine, what is missing and how to get it.
 */
#ifndef LAB_MACHINE_DOCTOR_H
#define LAB_MACHINE_DOCTOR_H

/** Prints one line per tool and library. Returns LAB_EXIT_OK if steps can be built and run in some
 *  way, else LAB_EXIT_MISSING. */
int lab_doctor(void);

#endif
