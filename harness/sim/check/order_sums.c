/* Atomic additions of floats that come in any order. */
#include "order.h"

#include "switchboard.h"

#include "sim/machine/lanes.h"
#include "sim/memory/names.h"

#include <string.h>

/* True of atom.global.add.f32, red.shared.add.noftz.f16x2 ... */
bool sim_adds_floats(const struct warp *warp, const struct instruction *at)
{
    const struct ptx_instruction *const source = sim_source(warp, at);
    const char *const type = source->parts[source->part_count - 1];
    return source->update & PTX_ADDS && (type[0] == 'f' || strncmp(type, "bf", 2) == 0);
}

void sim_check_sum_order(struct warp *warp, const struct instruction *at, int lane,
                         uint64_t address)
{
    char what[300];
    if (!sim_checks_for(SIM_CHECK_SUMS) || !sim_adds_floats(warp, at))
        return;
    sim_name_memory(warp, address, 4, what, sizeof what);
    sim_fault(warp, at, lane, SIM_UNORDERED_SUM, address,
              "%s: several warps or blocks add floats atomically, in any order, and the last bits "
              "of a sum depend on the order; a deterministic variant sums in one order, without "
              "atomics",
              what);
}
