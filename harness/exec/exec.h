/**
 * @file exec.h
 * @brief `run exec`: any CUDA program on the simulator.
 */
#ifndef LAB_EXEC_EXEC_H
#define LAB_EXEC_EXEC_H

#include <argp.h>

/** The options of `run exec`, for completion and suggestions. */
extern const struct argp_option lab_exec_options[];

/**
 * @brief Runs a program with the simulator's libraries, and says at its end what it launched and
 * what was found. argv[0] is "exec".
 * @return the program's own exit status, 128 and its signal, LAB_EXIT_FAILED where it ends well
 *         after a finding, LAB_EXIT_USAGE or LAB_EXIT_MISSING where it cannot be run
 */
int lab_exec(int argc, char **argv);

#endif
