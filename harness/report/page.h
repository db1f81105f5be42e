/**
 * @file page.h
 * @brief A run as one page for a browser: no network, no other file.
 */
#ifndef LAB_PAGE_H
#define LAB_PAGE_H

#include "measure/result.h"
#include "report/json.h"

/** Tries before a long run whether the drawing library is here and `path` can be written:
 *  LAB_EXIT_OK, or the status after complaining. Leaves nothing behind. */
int lab_page_check(const char *path);

/**
 * @brief Writes the page, whole or not at all.
 * @param lines  file with the JSON of a run of the same rows that counted their lines; NULL: the
 *               result has them
 * @return LAB_EXIT_OK, or an exit status after complaining, as lab_json_write()
 */
int lab_page_write(const struct lab_result *result, const char *lines, const char *path);

/** Writes the page of a study. */
int lab_page_write_sweep(const struct lab_sweep *sweep, const char *path);

#endif
