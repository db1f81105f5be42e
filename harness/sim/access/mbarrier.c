/* mbarrier: barriers in shared memory that count arrivals and bytes, in phases. A phase is complete
 * when no arrival is pending and all expected bytes have come; the next one begins at once. Their
 * state is kept beside shared memory, so that a barrier that nothing has initialised is known. */
#include "access.h"

#include "sim/check/check.h"
#include "sim/check/order.h"
#include "sim/check/shared_race.h"
#include "sim/check/unwritten.h"
#include "sim/check/worker_checks.h"
#include "sim/machine/lanes.h"
#include "sim/machine/paths.h"
#include "sim/memory/names.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { STATE_BYTES = 8, MOST_COUNT = (1 << 20) - 1, PHASE_SHIFT = 20, KEPT_PHASES = 8 };

/* One barrier. For the checks: what warps knew that arrived in this phase, and in the last ones;
 * and how many phases each warp has seen complete. */
struct mbarrier {
    uint32_t offset; /* in shared memory */
    uint32_t expected, pending;
    int64_t bytes;  /* expected and not here */
    uint64_t phase; /* how many are complete */
    uint32_t brought[MOST_CLOCKS];
    uint32_t released[KEPT_PHASES][MOST_CLOCKS];
    uint64_t seen[MAX_BLOCK_WARPS];
};

/* The operands of an instruction; the `extra` of all but pending_count. */
struct mbarrier_use {
    struct where where;
    int32_t count, state; /* slots; -1: none */
    int32_t bytes;        /* slot of the bytes that become expected; -1: none */
    bool drops, is_parity, is_complete_tx;
};

/* ---- Finding a barrier ---- */

static uint64_t address_of(const struct warp *warp, const struct mbarrier_use *use, unsigned lane)
{
    const void *const slot = sim_slot(warp, use->where.slot);
    const uint64_t address =
        use->where.is_wide ? ((const uint64_t *)slot)[lane] : ((const uint32_t *)slot)[lane];
    return SHARED_WINDOW | ((address + (uint64_t)use->where.offset) & ~WINDOW_MASK);
}

static struct mbarrier *find(struct block *block, uint32_t offset)
{
    for (int i = 0; i < block->mbarrier_count; i++)
        if (block->mbarriers[i].offset == offset)
            return &block->mbarriers[i];
    return NULL;
}

static void name(const struct warp *warp, uint32_t offset, char *text, size_t size)
{
    sim_name_shared(warp, offset, STATE_BYTES, text, size);
}

static uint32_t offset_of(uint64_t address)
{
    return (uint32_t)(address & ((UINT64_C(1) << CLUSTER_SHIFT) - 1));
}

/* The barrier that a lane uses, of its own block or of another one of the cluster. Its memory is
 * read, so that a use is ordered after the initialisation, like any other use of shared memory. */
static struct mbarrier *barrier_at(struct warp *warp, const struct instruction *at, unsigned lane,
                                   uint64_t address)
{
    const char *const storage =
        sim_lane_storage(warp, at, (int)lane, address, STATE_BYTES, ACCESS_ATOMIC);
    struct mbarrier *const barrier =
        find(&sim_shared_owner(warp, address)->block, offset_of(address));
    if (!barrier) {
        char what[200];
        name(warp, (uint32_t)(address - SHARED_WINDOW), what, sizeof what);
        sim_fault(warp, at, (int)lane, SIM_UNINITIALIZED, address,
                  "%s of %s, which no mbarrier.init has made a barrier: one thread must initialise "
                  "it, and all must wait for that at a %s before they use it",
                  sim_source(warp, at)->opcode, what,
                  sim_is_in_cluster(address) ? "barrier of the cluster (cluster.sync())"
                                             : "__syncthreads()");
    }
    if (warp->worker->checks)
        sim_check_lane_load(warp, at, (int)lane, address, storage, STATE_BYTES);
    return barrier;
}

static struct mbarrier *barrier_of(struct warp *warp, const struct instruction *at, unsigned lane)
{
    return barrier_at(warp, at, lane, address_of(warp, at->extra, lane));
}

uint32_t *sim_mbarrier_brought(struct warp *warp, const struct instruction *at, unsigned lane,
                               uint64_t address)
{
    return barrier_at(warp, at, lane, address)->brought;
}

/* ---- Phases ---- */

/* Barriers of other blocks are not noted. */
static void note(struct warp *warp, const struct mbarrier *barrier, uint64_t phase)
{
    struct noted *const noted = &warp->worker->noted;
    if (!noted->is_wanted || find(warp->block, barrier->offset) != barrier)
        return;
    noted->barrier = barrier->offset + 1;
    noted->phase = phase;
}

static void complete_if_due(struct mbarrier *barrier)
{
    if (barrier->pending > 0 || barrier->bytes != 0)
        return;
    memcpy(barrier->released[barrier->phase % KEPT_PHASES], barrier->brought,
           sizeof barrier->brought);
    barrier->phase++;
    barrier->pending = barrier->expected;
}

static void arrive(struct warp *warp, const struct instruction *at, unsigned lane,
                   struct mbarrier *barrier, uint32_t count, bool drops)
{
    if (count > barrier->pending) {
        char what[200];
        name(warp, barrier->offset, what, sizeof what);
        sim_fault(warp, at, (int)lane, SIM_DIVERGENT_BARRIER, SHARED_WINDOW | barrier->offset,
                  "%u arrivals at %s, where only %u are left in this phase of %u; the count of "
                  "mbarrier.init must be the number of threads that arrive in each phase",
                  count, what, barrier->pending, barrier->expected);
    }
    note(warp, barrier, barrier->phase);
    barrier->pending -= count;
    barrier->expected -= drops ? count : 0;
    complete_if_due(barrier);
}

/* Lanes that arrive at once complete phases that nobody can tell from each other. */
static void fail_in_many_phases(struct warp *warp, const struct instruction *at, unsigned lane,
                                const struct mbarrier *barrier)
{
    char what[200];
    name(warp, barrier->offset, what, sizeof what);
    sim_fault(warp, at, (int)lane, SIM_DIVERGENT_BARRIER, SHARED_WINDOW | barrier->offset,
              "%d lanes of a warp arrive at %s at once, and its count of %u makes that several "
              "phases; the count of mbarrier.init must be the number of threads that arrive in "
              "each phase: is it this barrier that they are to arrive at, and all of them?",
              __builtin_popcount(warp->active), what, barrier->expected);
}

static void expect_bytes(struct warp *warp, const struct instruction *at, unsigned lane,
                         struct mbarrier *barrier, int64_t bytes)
{
    barrier->bytes += bytes;
    if (barrier->bytes > MOST_COUNT || barrier->bytes < -MOST_COUNT)
        sim_fault(warp, at, (int)lane, SIM_DIVERGENT_BARRIER, SHARED_WINDOW | barrier->offset,
                  "a barrier in shared memory counts up to %d bytes in a phase, but %" PRId64
                  " are expected",
                  MOST_COUNT, barrier->bytes);
}

void sim_mbarrier_complete(struct warp *warp, const struct instruction *at, unsigned lane,
                           uint64_t address, uint32_t bytes)
{
    struct mbarrier *const barrier =
        find(&sim_shared_owner(warp, address)->block, offset_of(address));
    expect_bytes(warp, at, lane, barrier, -(int64_t)bytes);
    note(warp, barrier, barrier->phase);
    complete_if_due(barrier);
}

/* A state of a phase: its number, and the arrivals that were pending before. */
static uint64_t state_of(const struct mbarrier *barrier)
{
    return barrier->phase << PHASE_SHIFT | barrier->pending;
}

/* ---- init, inval ---- */

static const struct instruction *run_init(struct warp *warp, const struct instruction *at)
{
    const struct mbarrier_use *const use = at->extra;
    EACH_ACTIVE(lane, warp->active)
    {
        const uint64_t address = address_of(warp, use, lane);
        const uint32_t offset = offset_of(address);
        const uint32_t count = ((const uint32_t *)sim_slot(warp, use->count))[lane];
        char *const storage =
            sim_lane_storage(warp, at, (int)lane, address, STATE_BYTES, ACCESS_WRITE);
        if (count < 1 || count > MOST_COUNT)
            sim_fault(warp, at, (int)lane, SIM_DIVERGENT_BARRIER, address,
                      "mbarrier.init with a count of %u; it must be 1 to %d", count, MOST_COUNT);
        struct block *const block = &sim_shared_owner(warp, address)->block;
        if (warp->worker->checks)
            sim_check_lane_store(warp, at, (int)lane, address, storage, STATE_BYTES);
        struct mbarrier *barrier = find(block, offset);
        if (!barrier) {
            struct mbarrier *const grown = realloc(
                block->mbarriers, ((size_t)block->mbarrier_count + 1) * sizeof *block->mbarriers);
            if (!grown)
                sim_fault(warp, at, (int)lane, SIM_BAD_LAUNCH, 0, "memory has run out");
            block->mbarriers = grown;
            barrier = &grown[block->mbarrier_count++];
        }
        *barrier = (struct mbarrier){.offset = offset, .expected = count, .pending = count};
        memset(storage, 0, STATE_BYTES);
        if (warp->worker->checks)
            sim_check_lane_stored(warp, at, (int)lane, address, storage, STATE_BYTES);
    }
    return at + 1;
}

static const struct instruction *run_inval(struct warp *warp, const struct instruction *at)
{
    EACH_ACTIVE(lane, warp->active)
    {
        struct mbarrier *const barrier = barrier_of(warp, at, lane);
        struct block *const block =
            &sim_shared_owner(warp, address_of(warp, at->extra, lane))->block;
        *barrier = block->mbarriers[--block->mbarrier_count];
    }
    return at + 1;
}

/* ---- arrive, expect_tx ---- */

static const struct instruction *run_arrive(struct warp *warp, const struct instruction *at)
{
    const struct mbarrier_use *const use = at->extra;
    const struct mbarrier *last = NULL;
    uint64_t phase = 0;
    EACH_ACTIVE(lane, warp->active)
    {
        struct mbarrier *const barrier = barrier_of(warp, at, lane);
        const uint32_t count =
            use->count < 0 ? 1 : ((const uint32_t *)sim_slot(warp, use->count))[lane];
        if (warp->worker->checks && warp->worker->checks->clocks && barrier != last)
            sim_clocks_release(warp, barrier->brought);
        phase = barrier != last ? barrier->phase : phase;
        last = barrier;
        if (use->state >= 0)
            ((uint64_t *)sim_slot(warp, use->state))[lane] = state_of(barrier);
        if (use->bytes >= 0)
            expect_bytes(warp, at, lane, barrier,
                         ((const uint32_t *)sim_slot(warp, use->bytes))[lane]);
        arrive(warp, at, lane, barrier, count, use->drops);
        if (barrier->phase > phase + 1)
            fail_in_many_phases(warp, at, lane, barrier);
    }
    return at + 1;
}

static const struct instruction *run_expect(struct warp *warp, const struct instruction *at)
{
    const struct mbarrier_use *const use = at->extra;
    EACH_ACTIVE(lane, warp->active)
    {
        struct mbarrier *const barrier = barrier_of(warp, at, lane);
        const int64_t bytes = ((const uint32_t *)sim_slot(warp, use->bytes))[lane];
        expect_bytes(warp, at, lane, barrier, use->is_complete_tx ? -bytes : bytes);
        if (use->is_complete_tx)
            complete_if_due(barrier);
    }
    return at + 1;
}

/* cp.async.mbarrier.arrive: the copies of a thread so far have come when it counts. Without .noinc
 * it also adds the arrival that it then makes. */
static const struct instruction *run_copy_arrive(struct warp *warp, const struct instruction *at)
{
    const struct mbarrier_use *const use = at->extra;
    if (warp->worker->checks)
        sim_pending_wait_all(warp, at);
    EACH_ACTIVE(lane, warp->active)
    {
        struct mbarrier *const barrier = barrier_of(warp, at, lane);
        if (warp->worker->checks && warp->worker->checks->clocks)
            sim_clocks_release(warp, barrier->brought);
        if (use->drops) /* .noinc */
            arrive(warp, at, lane, barrier, 1, false);
    }
    return at + 1;
}

/* ---- test_wait, try_wait ---- */

/* The phase that a lane waits for. Of a parity it is the next one that the warp has not seen
 * complete; or the last one, where the hardware says that it is over. */
static uint64_t wanted_phase(const struct warp *warp, const struct mbarrier_use *use,
                             const struct mbarrier *barrier, unsigned lane)
{
    if (!use->is_parity)
        return ((const uint64_t *)sim_slot(warp, use->state))[lane] >> PHASE_SHIFT;
    const uint32_t parity = ((const uint32_t *)sim_slot(warp, use->state))[lane] & 1;
    const uint64_t seen = barrier->seen[warp->index], next = seen + ((seen & 1) != parity);
    const bool is_over = (barrier->phase & 1) != parity;
    return is_over && next >= barrier->phase ? barrier->phase - 1 : next;
}

/* The hardware knows a phase by its parity. */
static bool is_over(const struct mbarrier *barrier, uint64_t phase)
{
    return (phase & 1) != (barrier->phase & 1);
}

/* A warp that finds the phase incomplete lets others run, as after any look at a flag. */
static const struct instruction *run_wait(struct warp *warp, const struct instruction *at)
{
    const struct mbarrier_use *const use = at->extra;
    uint64_t seen[WARP_LANES];
    uint32_t over = 0;
    EACH_ACTIVE(lane, warp->active)
    {
        struct mbarrier *const barrier = barrier_of(warp, at, lane);
        if (sim_shared_owner(warp, address_of(warp, use, lane)) != warp->worker)
            sim_fault(warp, at, (int)lane, SIM_OUT_OF_BOUNDS, address_of(warp, use, lane),
                      "%s of a barrier in another block's shared memory: threads may arrive there, "
                      "and wait at barriers of their own block alone",
                      sim_source(warp, at)->opcode);
        const uint64_t phase = wanted_phase(warp, use, barrier, lane);
        if (!is_over(barrier, phase))
            continue;
        over |= UINT32_C(1) << lane;
        seen[lane] = phase + 1;
        note(warp, barrier, phase);
        if (warp->worker->checks && warp->worker->checks->clocks)
            sim_clocks_learn(warp, barrier->released[phase % KEPT_PHASES]);
    }
    EACH_ACTIVE(lane, over) barrier_of(warp, at, lane)->seen[warp->index] = seen[lane];
    if (over && warp->worker->checks) {
        sim_checks_settle(warp->worker->checks);
        sim_checks_order(warp->worker->checks);
        sim_checks_meet(warp, over);
    }
    sim_set_predicate(warp, at->d, over);
    if (over != warp->active)
        sim_run_poll(warp, at);
    return at + 1;
}

/* What a warp that polls waits at; NULL: something else. */
static const struct mbarrier *awaited(const struct warp *warp)
{
    const struct instruction *const at = warp->poll;
    if (!at || sim_source(warp, at)->operation != PTX_OP_mbarrier) /* counting has other handlers */
        return NULL;
    const unsigned lane = (unsigned)__builtin_ctz(warp->active);
    return find(warp->block, (uint32_t)(address_of(warp, at->extra, lane) - SHARED_WINDOW));
}

bool sim_waits_for_the_rest(const struct warp *warp)
{
    const struct mbarrier *const barrier = awaited(warp);
    return barrier &&
           (barrier->bytes != 0 || (barrier->pending > 0 && barrier->pending < barrier->expected));
}

bool sim_describe_mbarrier(const struct warp *warp, char *text, size_t size)
{
    const struct mbarrier *const barrier = awaited(warp);
    char what[200];
    if (!barrier)
        return false;
    name(warp, barrier->offset, what, sizeof what);
    if (barrier->bytes > 0)
        snprintf(text, size,
                 "%s, where %" PRId64 " of the expected bytes never come: is each copy's size the "
                 "one that expect_tx was told, and does each name this barrier?",
                 what, barrier->bytes);
    else if (barrier->bytes < 0)
        snprintf(text, size,
                 "%s, where %" PRId64 " bytes more have come than were expected: expect_tx must be "
                 "told of all that the copies of a phase bring",
                 what, -barrier->bytes);
    else if (barrier->pending > 0 && barrier->pending < barrier->expected)
        snprintf(text, size,
                 "%s, where %u of %u arrivals are missing: the count of mbarrier.init must be the "
                 "number of threads that arrive in each phase",
                 what, barrier->pending, barrier->expected);
    else
        snprintf(text, size,
                 "%s, where no thread arrives in the phase that it waits for: %" PRIu64
                 " phases are complete; is the parity that of the wanted phase (0 for the first, "
                 "then 1, 0, ...), and do those who arrive wait for this warp?",
                 what, barrier->phase);
    return true;
}

static const struct instruction *run_pending_count(struct warp *warp, const struct instruction *at)
{
    const uint64_t *const state = sim_slot(warp, at->a);
    uint32_t result[WARP_LANES];
    EACH_LANE result[lane] = (uint32_t)(state[lane] & MOST_COUNT);
    sim_write32(warp, at->d, result);
    return at + 1;
}

/* ---- Decoding ---- */

/* Refuses what is not known: parts that say how memory is ordered change nothing here, since all
 * arrivals release and all waits acquire; other spaces than the block's own do. */
static void check_parts(struct decoder *decoder, const struct ptx_instruction *source, int first)
{
    static const char *const known[] = {
        "release", "acquire", "relaxed", "cta",       "cluster",    "shared",         "shared::cta",
        "b64",     "parity",  "noinc",   "expect_tx", "noComplete", "shared::cluster"};
    for (int i = first; i < source->part_count; i++) {
        size_t k = 0;
        while (k < sizeof known / sizeof known[0] && strcmp(source->parts[i], known[k]) != 0)
            k++;
        if (k == sizeof known / sizeof known[0])
            sim_refuse_opcode(decoder, source);
    }
}

static struct mbarrier_use *new_use(struct decoder *decoder, const struct ptx_instruction *source,
                                    int address)
{
    enum ptx_space space = PTX_SHARED;
    struct mbarrier_use *const use = sim_decoder_allocate(decoder, sizeof *use);
    use->where = sim_read_address(decoder, source, &space, address);
    use->count = use->state = use->bytes = -1;
    if (use->where.is_fixed)
        sim_refuse_opcode(decoder, source);
    sim_decoder_program(decoder)->has_part_barriers = true;
    sim_note_access_size(decoder, PTX_SHARED, 4);
    return use;
}

static void emit_use(struct decoder *decoder, const struct ptx_instruction *source,
                     exec_handler *run, struct mbarrier_use *use, int32_t d)
{
    struct instruction *const emitted = sim_emit(decoder, source, run);
    emitted->a = use->where.slot;
    emitted->offset = use->where.offset;
    emitted->d = d;
    emitted->extra = use;
    emitted->cache = sim_new_cache(decoder);
}

static int32_t word_slot(struct decoder *decoder, const struct ptx_instruction *source, int index)
{
    return index < source->operand_count
               ? sim_source_slot(decoder, source, &source->operands[index], 'w')
               : -1;
}

/* mbarrier.arrive{.expect_tx} {state,} [address] {, count or bytes} */
static void decode_arrive(struct decoder *decoder, const struct ptx_instruction *source)
{
    const int address = sim_operand(decoder, source, 0)->kind == PTX_OPERAND_ADDRESS ? 0 : 1;
    struct mbarrier_use *const use = new_use(decoder, source, address);
    const bool expects = ptx_has_part(source, "expect_tx");
    use->drops = strcmp(source->parts[1], "arrive_drop") == 0;
    *(expects ? &use->bytes : &use->count) = word_slot(decoder, source, address + 1);
    if (address == 1 && source->operands[0].kind != PTX_OPERAND_SINK)
        use->state = sim_destination_slot(decoder, source, &source->operands[0], 'l');
    emit_use(decoder, source, run_arrive, use, use->state < 0 ? 0 : use->state);
}

/* mbarrier.test_wait{.parity} truth, [address], state */
static void decode_wait(struct decoder *decoder, const struct ptx_instruction *source)
{
    struct mbarrier_use *const use = new_use(decoder, source, 1);
    use->is_parity = ptx_has_part(source, "parity");
    use->state = sim_source_slot(decoder, source, sim_operand(decoder, source, 2),
                                 use->is_parity ? 'w' : 'l');
    emit_use(decoder, source, run_wait, use,
             sim_destination_slot(decoder, source, &source->operands[0], 'p'));
}

static void decode_mbarrier(struct decoder *decoder, const struct ptx_instruction *source)
{
    const char *const verb = source->part_count > 1 ? source->parts[1] : "";
    check_parts(decoder, source, 2);
    if (strcmp(verb, "arrive") == 0 || strcmp(verb, "arrive_drop") == 0) {
        decode_arrive(decoder, source);
    } else if (strcmp(verb, "test_wait") == 0 || strcmp(verb, "try_wait") == 0) {
        decode_wait(decoder, source);
    } else if (strcmp(verb, "pending_count") == 0) {
        const int32_t a = sim_source_slot(decoder, source, sim_operand(decoder, source, 1), 'l');
        const int32_t d = sim_destination_slot(decoder, source, &source->operands[0], 'w');
        struct instruction *const emitted = sim_emit(decoder, source, run_pending_count);
        emitted->a = a;
        emitted->d = d;
    } else if (strcmp(verb, "init") == 0 || strcmp(verb, "inval") == 0) {
        struct mbarrier_use *const use = new_use(decoder, source, 0);
        const bool is_init = verb[2] == 'i';
        if (is_init)
            use->count = sim_source_slot(decoder, source, sim_operand(decoder, source, 1), 'w');
        emit_use(decoder, source, is_init ? run_init : run_inval, use, 0);
    } else if (strcmp(verb, "expect_tx") == 0 || strcmp(verb, "complete_tx") == 0) {
        struct mbarrier_use *const use = new_use(decoder, source, 0);
        use->is_complete_tx = verb[0] == 'c';
        use->bytes = sim_source_slot(decoder, source, sim_operand(decoder, source, 1), 'w');
        emit_use(decoder, source, run_expect, use, 0);
    } else {
        sim_refuse_opcode(decoder, source);
    }
}

void sim_decode_copy_arrive(struct decoder *decoder, const struct ptx_instruction *source)
{
    check_parts(decoder, source, 4);
    struct mbarrier_use *const use = new_use(decoder, source, 0);
    use->drops = ptx_has_part(source, "noinc");
    emit_use(decoder, source, run_copy_arrive, use, 0);
}

const struct family sim_mbarrier_families[] = {
    {PTX_OP_mbarrier, decode_mbarrier},
    {PTX_OP_UNKNOWN, NULL},
};
