/**
 * @file status.h
 * @brief Exit statuses, check statuses, the one way to tell the user what is wrong, and output that
 * is lost.
 */
#ifndef LAB_BASE_STATUS_H
#define LAB_BASE_STATUS_H

#include <stdbool.h>

/* --- statuses ----------------------------------------------------------------------------------*/

/** Exit status of the program. */
enum lab_exit {
    LAB_EXIT_OK = 0,      /**< all right */
    LAB_EXIT_FAILED = 1,  /**< a kernel failed its check, or did not compile */
    LAB_EXIT_USAGE = 2,   /**< bad input */
    LAB_EXIT_MISSING = 3, /**< something is missing on this machine, or the lab is at fault */
};

/** What came of checking one kernel. lab_check_status_name() gives the names in JSON. */
enum lab_check_status {
    LAB_CHECK_OK,
    LAB_CHECK_WRONG,
    LAB_CHECK_NAN,
    LAB_CHECK_UNWRITTEN,
    LAB_CHECK_OUT_OF_BOUNDS,
    LAB_CHECK_MISALIGNED,
    LAB_CHECK_UNINITIALIZED,
    LAB_CHECK_RACE,
    LAB_CHECK_DIVERGENT_BARRIER,
    LAB_CHECK_INPUT_MODIFIED,
    LAB_CHECK_TIMEOUT,
    LAB_CHECK_LAUNCH_ERROR,
    LAB_CHECK_CRASHED,
    LAB_CHECK_BUILD_ERROR,
    LAB_CHECK_FORBIDDEN,
    LAB_CHECK_UNCHANGED,      /**< of a submission: the file is as it was given */
    LAB_CHECK_UNSUPPORTED,    /**< the simulator does not know all that it uses: no verdict */
    LAB_CHECK_INTERNAL_ERROR, /**< the simulator or the harness broke: no verdict */
    LAB_CHECK_SKIPPED,        /**< this GPU cannot run the stage, which is no failure */
    LAB_CHECK_NOT_RUN, /**< nothing was tried, so far or on this machine; never in JSON as a status
                        */
};

/** Whether a status says nothing of the kernel, since this machine gave no verdict. */
bool lab_check_status_is_open(enum lab_check_status status);

/** Name of a status as it stands in JSON, such as "out_of_bounds". */
const char *lab_check_status_name(enum lab_check_status status);

/** The program as its messages name it: "run", or "lab-sim" where that is started. */
const char *lab_program_name(void);

/** Prints "run: ", or another program's name, and one line to standard error. Returns `status`, so
 * that a caller can end in `return lab_complain(LAB_EXIT_USAGE, ...)`. */
int lab_complain(int status, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* --- standard streams --------------------------------------------------------------------------*/

/**
 * @brief To be called first in a program. If output is lost to a full disk or a closed standard
 * output, the program says so in one line at its end, with exit status LAB_EXIT_MISSING.
 */
void lab_standard_streams(void);

#endif
