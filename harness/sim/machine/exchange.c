/* Which lane a shuffle takes a value from; where that lane is out of the segment, the own one. */
#include "exchange.h"

#include "lanes.h"

int sim_source_lane(enum shuffle shuffle, int lane, uint32_t b, uint32_t c, bool *is_inside)
{
    const int by = (int)(b & 31), clamp = (int)(c & 31), segment = (int)(c >> 8 & 31);
    const int most = (lane & segment) | (clamp & ~segment);
    const int least = lane & segment;
    int from = lane;
    switch (shuffle) {
    case SHUFFLE_UP:
        from = lane - by;
        *is_inside = from >= most;
        break;
    case SHUFFLE_DOWN:
        from = lane + by;
        *is_inside = from <= most;
        break;
    case SHUFFLE_BUTTERFLY:
        from = lane ^ by;
        *is_inside = from <= most;
        break;
    case SHUFFLE_INDEX:
        from = least | (by & ~segment);
        *is_inside = from <= most;
        break;
    }
    return *is_inside ? from : lane;
}

void sim_shuffle_sources(const struct warp *warp, const struct instruction *at,
                         int sources[WARP_LANES])
{
    const struct exchange *const exchange = at->extra;
    const uint32_t *const b = sim_slot(warp, at->b), *const c = sim_slot(warp, at->c);
    const uint32_t *const masks = sim_slot(warp, exchange->mask);
    for (int lane = 0; lane < WARP_LANES; lane++) {
        bool is_inside;
        const int from = sim_source_lane(exchange->shuffle, lane, b[lane], c[lane], &is_inside);
        sources[lane] = masks[lane] & warp->active & UINT32_C(1) << from ? from : LANE_ABSENT;
    }
}
