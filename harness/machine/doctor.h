/**
 * @file doctor.h
 * @brief `run doctor`: what was found on this machine, what is missing and how to get it.
 */
#ifndef LAB_MACHINE_DOCTOR_H
#define LAB_MACHINE_DOCTOR_H

/** Prints one line per tool and library. Returns LAB_EXIT_OK when steps can be built and run in
 *  some way, LAB_EXIT_MISSING otherwise. */
int lab_doctor(void);

#endif
