/**
 * @file guards.h
 * @brief The verdict on a buffer's guard zones.
 */
#ifndef LAB_GUARDS_H
#define LAB_GUARDS_H

#include "families/buffer.h"
#include "families/check.h"

/**
 * @brief Looks at both guard zones of a buffer; one that is all zero is passed over.
 * @param look_at  where such a mistake is most often found, such as "the last tiles"
 * @param check    LAB_CHECK_OUT_OF_BOUNDS with a message when a byte was changed; a verdict that is
 *                 there already stays
 */
cudaError_t lab_check_guards(const struct lab_buffer *buffer, const char *look_at,
                             struct lab_check *check);

#endif
