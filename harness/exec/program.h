/**
 * @file program.h
 * @brief Whether a program can run on the simulator, before it is started.
 */
#ifndef LAB_EXEC_PROGRAM_H
#define LAB_EXEC_PROGRAM_H

/**
 * @brief Looks for what would keep a program from using the simulator: CUDA's runtime built into
 * it, another major version of CUDA, a library that is not there.
 * @param path       the program
 * @param name       what to call it
 * @param search     LD_LIBRARY_PATH that it will have
 * @return LAB_EXIT_OK, or LAB_EXIT_USAGE or LAB_EXIT_MISSING after one line that says what to do.
 *         A file that is no ELF program, such as a script, is let through.
 */
int lab_program_check(const char *path, const char *name, const char *search);

#endif
