/* What a changed guard byte says: how far outside its buffer a kernel wrote. */
#include "families/guards.h"

#include <stdio.h>

cudaError_t lab_check_guards(const struct lab_buffer *buffer, const char *look_at,
                             struct lab_check *check)
{
    bool intact = true;
    ptrdiff_t offset = 0;
    if (!buffer->base || check->status != LAB_CHECK_OK)
        return cudaSuccess;
    cudaError_t status = lab_buffer_check_guards(buffer, &intact, &offset);
    if (status == cudaSuccess && !intact) {
        check->status = LAB_CHECK_OUT_OF_BOUNDS;
        ptrdiff_t past = offset < 0 ? -offset : offset - (ptrdiff_t)buffer->bytes;
        snprintf(check->message, sizeof check->message,
                 "written outside %s, %td bytes %s its %s; look at %s", buffer->name, past,
                 offset < 0 ? "before" : "past", offset < 0 ? "start" : "end", look_at);
    }
    return status;
}
