/**
 * @file exec.h
 * @brief `run exec`: any CUDA program on the simulator.
 */
#ifndef LAB_EXEC_EXEC_H
#define LAB_EXEC_EXEC_H

#include <argp.h>
#include <stdbool.h>

/** The options of `run exec`, for completion and suggestions. */
extern const struct argp_option lab_exec_options[];

/**
 * @brief Runs a program with the simulator's libraries, and says at its end what it launched and
 * what was found. argv[0] is "exec".
 * @return the program's own exit status, 128 and its signal, LAB_EXIT_FAILED where it ends well
 *         after a finding, LAB_EXIT_USAGE or LAB_EXIT_MISSING where it cannot be run
 */
int lab_exec(int argc, char **argv);

/* --- whether a program can run on the simulator ------------------------------------------------*/

/**
 * @brief Looks for what would keep a program from using the simulator: CUDA's runtime built into
 * it and no symbols, another major version of CUDA, a library that is not there.
 * @param path       the program
 * @param name       what to call it
 * @param search     LD_LIBRARY_PATH that it will have
 * @param is_built_in  it, or one of its libraries, has CUDA's runtime built in, which the simulator
 *                     replaces when it starts (LAB_SIM_BUILT_IN)
 * @return LAB_EXIT_OK, or LAB_EXIT_USAGE or LAB_EXIT_MISSING after one line that says what to do.
 *         A file that is no ELF program, such as a script, is let through.
 */
int lab_program_check(const char *path, const char *name, const char *search, bool *is_built_in);

#endif
