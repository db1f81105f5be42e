/* Accesses of single lanes to any space, with the checks. */
#include "access.h"

#include "sim/check/check.h"

#include <string.h>

/* Local memory holds the words of a lane 32 words apart. */
static char *local_word(const struct warp *warp, int lane, uint64_t offset)
{
    return warp->local + offset / 4 * SLOT32_BYTES + (unsigned)lane * 4 + offset % 4;
}

static bool is_local(struct warp *warp, const struct instruction *at, int lane, uint64_t address,
                     unsigned bytes, enum access_kind kind)
{
    if ((address & WINDOW_MASK) != LOCAL_WINDOW)
        return false;
    if (address % bytes != 0 ||
        (address & ~WINDOW_MASK) + bytes > sim_window_bytes(warp, LOCAL_WINDOW))
        sim_access_fault(warp, at, lane, address, bytes, kind);
    return true;
}

void sim_lane_read(struct warp *warp, const struct instruction *at, int lane, uint64_t address,
                   void *buffer, unsigned bytes)
{
    if (!is_local(warp, at, lane, address, bytes, ACCESS_READ)) {
        const char *const from = sim_lane_storage(warp, at, lane, address, bytes, ACCESS_READ);
        memcpy(buffer, from, bytes);
        if (warp->worker->checks && !sim_is_beyond(from))
            sim_check_lane_load(warp, at, lane, address, from, bytes);
        return;
    }
    const uint64_t offset = address & ~WINDOW_MASK;
    for (unsigned done = 0; done < bytes; done += 4)
        memcpy((char *)buffer + done, local_word(warp, lane, offset + done), bytes < 4 ? bytes : 4);
}

void sim_lane_write(struct warp *warp, const struct instruction *at, int lane, uint64_t address,
                    const void *buffer, unsigned bytes)
{
    if (!is_local(warp, at, lane, address, bytes, ACCESS_WRITE)) {
        char *const to = sim_lane_storage(warp, at, lane, address, bytes, ACCESS_WRITE);
        if (warp->worker->checks)
            sim_check_lane_store(warp, at, lane, address, to, bytes);
        memcpy(to, buffer, bytes);
        if (warp->worker->checks)
            sim_check_lane_stored(warp, at, lane, address, to, bytes);
        return;
    }
    const uint64_t offset = address & ~WINDOW_MASK;
    for (unsigned done = 0; done < bytes; done += 4)
        memcpy(local_word(warp, lane, offset + done), (const char *)buffer + done,
               bytes < 4 ? bytes : 4);
}
