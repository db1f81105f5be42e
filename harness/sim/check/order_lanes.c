/* Meetings of lanes of a warp. After a meeting, each lane in it knows what the other lanes know. */
#include "order.h"

#include "sim/machine/lanes.h"

#include <string.h>

/* Whether some of these units have been used since the last barrier of the block. */
static bool are_used(const struct shared_tags *tags, size_t first, size_t end)
{
    const uint32_t floor = tag_floor(tags);
    uint32_t any = 0;
    for (size_t i = first; i < end; i++)
        any |= (tags->writer[i] >= floor) | (tags->reader[i] >= floor);
    return any != 0;
}

static void forget_lanes_of(struct shared_tags *tags, const struct warp *warp, size_t first,
                            size_t end)
{
    const uint32_t floor = tag_floor(tags);
    for (size_t i = first; i < end; i++) {
        if (tags->writer[i] >= floor && !is_pending(tags->writer[i]) &&
            (tags->writer[i] & TAG_WARP) == warp->index)
            tags->writer_lane[i] = LANE_NONE;
        if (tags->reader[i] >= floor && (tags->reader[i] & TAG_WARP_FIELD) == warp->index)
            tags->reader_lanes[i] = 0;
    }
}

/* Forgets which lanes of the warp made the accesses so far, as turns are numbered from 0 again. A
 * kernel may use little of much shared memory, which is passed over in strides. */
static void forget_lanes(struct shared_tags *tags, const struct warp *warp)
{
    enum { STRIDE = 128 };
    for (size_t first = 0; first < tags->units; first += STRIDE) {
        const size_t end = first + STRIDE < tags->units ? first + STRIDE : tags->units;
        if (are_used(tags, first, end))
            forget_lanes_of(tags, warp, first, end);
    }
}

void sim_lane_order_start(struct lane_order *order)
{
    order->turn = order->full = 0;
    order->round++;
    order->has_accesses = false;
    if (order->is_partial)
        memset(order->known, 0, sizeof order->known);
    order->is_partial = false;
}

static void next_turn(struct warp *warp, struct lane_order *order)
{
    if (!order->has_accesses)
        return;
    order->has_accesses = false;
    if (order->turn < LANE_LAST_TURN) {
        order->turn++;
        return;
    }
    forget_lanes(&warp->worker->checks->shared, warp);
    sim_lane_order_start(order);
}

/* Only some lanes have met. Each of these lanes now knows what any of them knew. */
static void join(struct lane_order *order, uint32_t lanes)
{
    uint8_t all[WARP_LANES] = {0};
    EACH_ACTIVE(lane, lanes)
    for (int i = 0; i < WARP_LANES; i++)
        all[i] = all[i] > order->known[lane][i] ? all[i] : order->known[lane][i];
    EACH_ACTIVE(lane, lanes) all[lane] = (uint8_t)order->turn;
    EACH_ACTIVE(lane, lanes) memcpy(order->known[lane], all, sizeof all);
    order->is_partial = true;
}

void sim_checks_meet(struct warp *warp, uint32_t lanes)
{
    struct lane_order *const order = &warp->worker->checks->shared.orders[warp->index];
    if ((lanes & (lanes - 1)) == 0)
        return;
    sim_wait_met(&warp->worker->checks->global, warp->index, lanes);
    next_turn(warp, order);
    if (~warp->exited & ~lanes) {
        join(order, lanes);
        return;
    }
    order->full = order->turn;
    if (order->is_partial)
        memset(order->known, 0, sizeof order->known);
    order->is_partial = false;
}
