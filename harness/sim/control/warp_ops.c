/* Exchange between the lanes of a warp: shfl, vote, match, redux, elect, activemask.
 *
 * Lanes of one warp may come with different member masks (groups of a partition); each group then
 * gets the result of its own members. */
#include "control.h"

#include "sim/check/switchboard.h"
#include "sim/memory/warning.h"
#include "sim/machine/exchange.h"
#include "sim/machine/lanes.h"

#include <string.h>

/* The active lanes that have the same mask as the first of `rest`. */
static uint32_t first_group(const uint32_t *masks, uint32_t rest)
{
    const uint32_t wanted = masks[__builtin_ctz(rest)];
    uint32_t group = 0;
    EACH_ACTIVE(lane, rest)
    if (masks[lane] == wanted)
        group |= UINT32_C(1) << lane;
    return group;
}

/* ---- shfl ---- */

/* Warns of a shuffle that asks for a lane which only another warp could have. A warp that turns its
 * values may count on from its own first thread, so that one past its end is no mistake. */
static void warn_of_other_warp(const struct warp *warp, const struct instruction *at,
                               const uint32_t *asked)
{
    uint32_t bits = 0;
    EACH_LANE bits |= asked[lane];
    if (bits < 2 * WARP_LANES) /* as nearly always */
        return;
    EACH_ACTIVE(lane, warp->active)
    {
        const uint32_t of_warp = asked[lane] / WARP_LANES;
        if (asked[lane] > INT32_MAX || of_warp < 2 || of_warp == warp->index ||
            of_warp == warp->index + 1)
            continue;
        if (sim_checks_for(SIM_CHECK_RACE) && sim_warning_is_new(warp, at, 0))
            sim_warn(warp, at, SIM_RACE,
                     "this shuffle asks for lane %u: a warp has lanes 0 to 31, and thread "
                     "(%u, %u, %u) gets the value of lane %u of its own warp; values of other "
                     "warps must come through shared memory",
                     asked[lane], warp->thread[0][lane], warp->thread[1][lane],
                     warp->thread[2][lane], asked[lane] % WARP_LANES);
        return;
    }
}

static const struct instruction *run_shuffle(struct warp *warp, const struct instruction *at)
{
    const struct exchange *const exchange = at->extra;
    const struct instruction *const other = sim_gather_exchange(warp, at, exchange);
    if (other)
        return other;
    const uint32_t *const a = sim_slot(warp, at->a), *const b = sim_slot(warp, at->b);
    const uint32_t *const c = sim_slot(warp, at->c);
    uint32_t slot[WARP_LANES], inside = 0;
    if (exchange->shuffle == SHUFFLE_INDEX && warp->worker->checks)
        warn_of_other_warp(warp, at, b);
    for (int lane = 0; lane < WARP_LANES; lane++) {
        bool is_inside;
        slot[lane] = a[sim_source_lane(exchange->shuffle, lane, b[lane], c[lane], &is_inside)];
        inside |= is_inside ? UINT32_C(1) << lane : 0;
    }
    sim_write32(warp, at->d, slot);
    if (exchange->truth >= 0)
        sim_set_predicate(warp, exchange->truth, inside);
    return at + 1;
}

static struct exchange *new_exchange(struct decoder *decoder, const struct ptx_instruction *source,
                                     int mask_index)
{
    struct exchange *const exchange = sim_decoder_allocate(decoder, sizeof *exchange);
    exchange->truth = -1;
    exchange->mask =
        sim_source_slot(decoder, source, sim_operand(decoder, source, mask_index), 'w');
    return exchange;
}

static void decode_shfl(struct decoder *decoder, const struct ptx_instruction *source)
{
    static const char *const opcodes[] = {"shfl.sync.up.b32", "shfl.sync.down.b32",
                                          "shfl.sync.bfly.b32", "shfl.sync.idx.b32"};
    int shuffle = 0;
    while (shuffle < 4 && strcmp(opcodes[shuffle], source->opcode) != 0)
        shuffle++;
    if (shuffle == 4)
        sim_refuse_opcode(decoder, source);
    struct exchange *const exchange = new_exchange(decoder, source, 4);
    const struct ptx_operand *const to = &source->operands[0];
    const bool is_pair = to->kind == PTX_OPERAND_PAIR;
    int32_t slots[3];
    for (int i = 0; i < 3; i++)
        slots[i] = sim_source_slot(decoder, source, &source->operands[i + 1], 'w');
    exchange->shuffle = (enum shuffle)shuffle;
    const int32_t d = sim_destination_slot(decoder, source, is_pair ? &to->elements[0] : to, 'w');
    if (is_pair)
        exchange->truth = sim_destination_slot(decoder, source, &to->elements[1], 'p');
    sim_warn_of_mask(decoder, source, 4);
    struct instruction *const emitted = sim_emit(decoder, source, run_shuffle);
    emitted->d = d;
    emitted->a = slots[0];
    emitted->b = slots[1];
    emitted->c = slots[2];
    exchange->kinds = "wwww";
    emitted->extra = exchange;
}

/* ---- vote ---- */

enum vote { VOTE_ALL, VOTE_ANY, VOTE_UNI, VOTE_BALLOT };

static const struct instruction *run_vote(struct warp *warp, const struct instruction *at)
{
    const struct exchange *const exchange = at->extra;
    const struct instruction *const other = sim_gather_exchange(warp, at, exchange);
    if (other)
        return other;
    const uint32_t *const masks = sim_slot(warp, exchange->mask);
    const uint32_t value = sim_predicate(warp, at->a, at->flags & FLAG_NEGATE_A);
    uint32_t slot[WARP_LANES] = {0}, truth = 0;
    for (uint32_t rest = warp->active; rest;) {
        const uint32_t group = first_group(masks, rest);
        const uint32_t members = masks[__builtin_ctz(group)] & warp->active;
        const uint32_t votes = value & members;
        const bool all = votes == members, any = votes != 0;
        const bool holds = exchange->operation == VOTE_ALL   ? all
                           : exchange->operation == VOTE_ANY ? any
                                                             : all || !any;
        truth |= holds ? group : 0;
        EACH_ACTIVE(lane, group) slot[lane] = votes;
        rest &= ~group;
    }
    if (exchange->operation == VOTE_BALLOT)
        sim_write32(warp, at->d, slot);
    else
        sim_set_predicate(warp, at->d, truth);
    return at + 1;
}

static void decode_vote(struct decoder *decoder, const struct ptx_instruction *source)
{
    /* ptxas takes the modifiers in either order; libraries write both. */
    static const char *const opcodes[][2] = {{"vote.sync.all.pred", "vote.all.sync.pred"},
                                             {"vote.sync.any.pred", "vote.any.sync.pred"},
                                             {"vote.sync.uni.pred", "vote.uni.sync.pred"},
                                             {"vote.sync.ballot.b32", "vote.ballot.sync.b32"}};
    uint32_t vote = 0;
    while (vote < 4 && strcmp(opcodes[vote][0], source->opcode) != 0 &&
           strcmp(opcodes[vote][1], source->opcode) != 0)
        vote++;
    if (vote == 4)
        sim_refuse_opcode(decoder, source);
    struct exchange *const exchange = new_exchange(decoder, source, 2);
    const struct ptx_operand *const value = &source->operands[1];
    exchange->operation = vote;
    const int32_t a = sim_source_slot(decoder, source, value, 'p');
    const int32_t d = sim_destination_slot(decoder, source, &source->operands[0],
                                           vote == VOTE_BALLOT ? 'w' : 'p');
    struct instruction *const emitted = sim_emit(decoder, source, run_vote);
    emitted->d = d;
    emitted->a = a;
    exchange->kinds = vote == VOTE_BALLOT ? "wp--" : "pp--";
    emitted->extra = exchange;
    emitted->flags |= value->negated ? FLAG_NEGATE_A : 0;
}

/* ---- match ---- */

enum match { MATCH_ANY = 0, MATCH_ALL = 1, MATCH_WIDE = 2 };

static const struct instruction *run_match(struct warp *warp, const struct instruction *at)
{
    const struct exchange *const exchange = at->extra;
    const struct instruction *const other = sim_gather_exchange(warp, at, exchange);
    if (other)
        return other;
    const uint32_t *const masks = sim_slot(warp, exchange->mask);
    const uint32_t *const narrow = sim_slot(warp, at->a);
    const uint64_t *const wide = sim_slot(warp, at->a);
    uint32_t slot[WARP_LANES] = {0}, truth = 0;
    EACH_ACTIVE(lane, warp->active)
    {
        const uint32_t members = masks[lane] & warp->active;
        uint32_t same = 0;
        EACH_ACTIVE(peer, members)
        if (exchange->operation & MATCH_WIDE ? wide[peer] == wide[lane]
                                             : narrow[peer] == narrow[lane])
            same |= UINT32_C(1) << peer;
        if (!(exchange->operation & MATCH_ALL))
            slot[lane] = same;
        else if (same == members)
            slot[lane] = members;
        truth |= same == members ? UINT32_C(1) << lane : 0;
    }
    sim_write32(warp, at->d, slot);
    if (exchange->truth >= 0)
        sim_set_predicate(warp, exchange->truth, truth);
    return at + 1;
}

static void decode_match(struct decoder *decoder, const struct ptx_instruction *source)
{
    static const char *const opcodes[] = {"match.any.sync.b32", "match.all.sync.b32",
                                          "match.any.sync.b64", "match.all.sync.b64"};
    uint32_t match = 0;
    while (match < 4 && strcmp(opcodes[match], source->opcode) != 0)
        match++;
    if (match == 4)
        sim_refuse_opcode(decoder, source);
    struct exchange *const exchange = new_exchange(decoder, source, 2);
    const struct ptx_operand *const to = &source->operands[0];
    const bool is_pair = to->kind == PTX_OPERAND_PAIR;
    exchange->operation = match;
    const int32_t a =
        sim_source_slot(decoder, source, &source->operands[1], match & MATCH_WIDE ? 'l' : 'w');
    const int32_t d = sim_destination_slot(decoder, source, is_pair ? &to->elements[0] : to, 'w');
    if (is_pair)
        exchange->truth = sim_destination_slot(decoder, source, &to->elements[1], 'p');
    struct instruction *const emitted = sim_emit(decoder, source, run_match);
    emitted->d = d;
    emitted->a = a;
    exchange->kinds = match & MATCH_WIDE ? "wl--" : "ww--";
    emitted->extra = exchange;
}

/* ---- redux ---- */

enum redux {
    REDUX_ADD,
    REDUX_AND,
    REDUX_OR,
    REDUX_XOR,
    REDUX_MIN_U,
    REDUX_MAX_U,
    REDUX_MIN_S,
    REDUX_MAX_S
};

static uint32_t reduce_two(uint32_t operation, uint32_t x, uint32_t y)
{
    switch (operation) {
    case REDUX_ADD:
        return x + y;
    case REDUX_AND:
        return x & y;
    case REDUX_OR:
        return x | y;
    case REDUX_XOR:
        return x ^ y;
    case REDUX_MIN_U:
        return x < y ? x : y;
    case REDUX_MAX_U:
        return x > y ? x : y;
    case REDUX_MIN_S:
        return (int32_t)x < (int32_t)y ? x : y;
    default:
        return (int32_t)x > (int32_t)y ? x : y;
    }
}

static const struct instruction *run_redux(struct warp *warp, const struct instruction *at)
{
    const struct exchange *const exchange = at->extra;
    const struct instruction *const other = sim_gather_exchange(warp, at, exchange);
    if (other)
        return other;
    const uint32_t *const masks = sim_slot(warp, exchange->mask);
    const uint32_t *const a = sim_slot(warp, at->a);
    uint32_t slot[WARP_LANES] = {0};
    for (uint32_t rest = warp->active; rest;) {
        const uint32_t group = first_group(masks, rest);
        uint32_t members = masks[__builtin_ctz(group)] & warp->active;
        if (!members)
            members = group;
        uint32_t result = a[__builtin_ctz(members)];
        EACH_ACTIVE(lane, members & (members - 1))
        result = reduce_two(exchange->operation, result, a[lane]);
        EACH_ACTIVE(lane, group) slot[lane] = result;
        rest &= ~group;
    }
    sim_write32(warp, at->d, slot);
    return at + 1;
}

static void decode_redux(struct decoder *decoder, const struct ptx_instruction *source)
{
    static const struct {
        const char *opcode;
        enum redux operation;
    } opcodes[] = {
        {"redux.sync.add.u32", REDUX_ADD},   {"redux.sync.add.s32", REDUX_ADD},
        {"redux.sync.and.b32", REDUX_AND},   {"redux.sync.or.b32", REDUX_OR},
        {"redux.sync.xor.b32", REDUX_XOR},   {"redux.sync.min.u32", REDUX_MIN_U},
        {"redux.sync.max.u32", REDUX_MAX_U}, {"redux.sync.min.s32", REDUX_MIN_S},
        {"redux.sync.max.s32", REDUX_MAX_S},
    };
    const size_t count = sizeof opcodes / sizeof opcodes[0];
    size_t found = 0;
    while (found < count && strcmp(opcodes[found].opcode, source->opcode) != 0)
        found++;
    if (found == count)
        sim_refuse_opcode(decoder, source);
    struct exchange *const exchange = new_exchange(decoder, source, 2);
    exchange->operation = opcodes[found].operation;
    const int32_t a = sim_source_slot(decoder, source, &source->operands[1], 'w');
    const int32_t d = sim_destination_slot(decoder, source, &source->operands[0], 'w');
    struct instruction *const emitted = sim_emit(decoder, source, run_redux);
    emitted->d = d;
    emitted->a = a;
    exchange->kinds = "ww--";
    emitted->extra = exchange;
}

/* ---- elect, activemask ---- */

static const struct instruction *run_elect(struct warp *warp, const struct instruction *at)
{
    const struct exchange *const exchange = at->extra;
    const struct instruction *const other = sim_gather_exchange(warp, at, exchange);
    if (other)
        return other;
    const uint32_t *const masks = sim_slot(warp, exchange->mask);
    uint32_t slot[WARP_LANES] = {0}, leaders = 0;
    EACH_ACTIVE(lane, warp->active)
    {
        const uint32_t members = masks[lane] & warp->active;
        slot[lane] = members ? (uint32_t)__builtin_ctz(members) : lane;
        leaders |= slot[lane] == lane ? UINT32_C(1) << lane : 0;
    }
    sim_write32(warp, at->d, slot);
    sim_set_predicate(warp, exchange->truth, leaders);
    return at + 1;
}

static void decode_elect(struct decoder *decoder, const struct ptx_instruction *source)
{
    const struct ptx_operand *const to = sim_operand(decoder, source, 0);
    if (strcmp(source->opcode, "elect.sync") != 0 || to->kind != PTX_OPERAND_PAIR)
        sim_refuse_opcode(decoder, source);
    struct exchange *const exchange = new_exchange(decoder, source, 1);
    const int32_t d = sim_destination_slot(decoder, source, &to->elements[0], 'w');
    exchange->truth = sim_destination_slot(decoder, source, &to->elements[1], 'p');
    struct instruction *const emitted = sim_emit(decoder, source, run_elect);
    emitted->d = d;
    exchange->kinds = "w---";
    emitted->extra = exchange;
}

static const struct instruction *run_active_mask(struct warp *warp, const struct instruction *at)
{
    uint32_t slot[WARP_LANES];
    EACH_LANE slot[lane] = warp->active;
    sim_write32(warp, at->d, slot);
    return at + 1;
}

static void decode_active_mask(struct decoder *decoder, const struct ptx_instruction *source)
{
    if (strcmp(source->opcode, "activemask.b32") != 0)
        sim_refuse_opcode(decoder, source);
    const int32_t d = sim_destination_slot(decoder, source, sim_operand(decoder, source, 0), 'w');
    sim_emit(decoder, source, run_active_mask)->d = d;
}

const struct family sim_warp_families[] = {
    {PTX_OP_shfl, decode_shfl},   {PTX_OP_vote, decode_vote},
    {PTX_OP_match, decode_match}, {PTX_OP_redux, decode_redux},
    {PTX_OP_elect, decode_elect}, {PTX_OP_activemask, decode_active_mask},
    {PTX_OP_UNKNOWN, NULL},
};
