/**
 * @file standard_streams.h
 * @brief What a program prints arrives, or the program says that it did not.
 */
#ifndef LAB_BASE_STANDARD_STREAMS_H
#define LAB_BASE_STANDARD_STREAMS_H

/**
 * @brief To be called first in a program. If output is lost to a full disk or a closed standard
 * output, the program says so in one line at its end, with exit status LAB_EXIT_MISSING.
 */
void lab_standard_streams(void);

#endif
