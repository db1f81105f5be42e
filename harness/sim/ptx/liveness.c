/* Live ranges: the stretches of code in which a register's value may still be read.
 *
 * Liveness is a matter of each lane. A lane that waits on one path keeps its registers while other
 * lanes run another path, since instructions write active lanes only. So the usual analysis holds.
 *
 * Most registers live inside one block. A "global" register is read in some block before any write
 * there. Only global registers are in the bit sets of the iteration over the graph, which keeps the
 * sets small. */
#include "sim/ptx/analysis.h"

#include <string.h>

enum { NONE = -1, WORD_BITS = 64 };
/* In a function beyond these limits no registers share slots. nvcc's output stays far below. */
static const size_t max_set_words = 16u << 20, max_ranges = 4u << 20;

struct liveness {
    struct ptx_analysis *analysis;
    const struct ptx_flow *flow;
    int *global_of;   /* by register: index among the global registers, NONE for others */
    int *register_of; /* by that index: the register */
    int global_count;
    size_t words;          /* in one set */
    uint64_t *in, *writes; /* live at the start of each block; written in each block */
    uint64_t *out;         /* live at the end of the current block */
    int *end;              /* by register: last instruction of its current range; NONE: dead */
    size_t range_count;
};

static bool test(const uint64_t *set, int bit)
{
    return set[bit / WORD_BITS] >> (bit % WORD_BITS) & 1;
}

static void include(uint64_t *set, int bit)
{
    set[bit / WORD_BITS] |= (uint64_t)1 << (bit % WORD_BITS);
}

static void exclude(uint64_t *set, int bit)
{
    set[bit / WORD_BITS] &= ~((uint64_t)1 << (bit % WORD_BITS));
}

/* Calls `visit` for the accesses of a block in order; an instruction's reads precede its writes. */
static void visit_block(struct liveness *live, int block,
                        void (*visit)(struct liveness *, int block, struct ptx_access))
{
    const struct ptx_accesses *accesses = &live->analysis->accesses;
    int from = accesses->start[live->flow->first[block]];
    int to = accesses->start[live->flow->first[block + 1]];

    for (int i = from; i < to; i++)
        visit(live, block, accesses->accesses[i]);
}

/* In the search for global registers, `end` holds the last block that wrote each register. */
static void find_global(struct liveness *live, int block, struct ptx_access access)
{
    if (access.writes) {
        live->end[access.reg] = block;
    } else if (live->end[access.reg] != block && live->global_of[access.reg] == NONE) {
        live->register_of[live->global_count] = access.reg;
        live->global_of[access.reg] = live->global_count++;
    }
}

static void find_block_sets(struct liveness *live, int block, struct ptx_access access)
{
    uint64_t *in = live->in + (size_t)block * live->words;
    uint64_t *writes = live->writes + (size_t)block * live->words;
    int global = live->global_of[access.reg];

    if (global == NONE)
        return;
    if (access.writes)
        include(writes, global);
    else if (!test(writes, global))
        include(in, global);
}

/* out = what is live at the start of any successor */
static void find_out(struct liveness *live, int block)
{
    const struct ptx_flow *flow = live->flow;

    memset(live->out, 0, live->words * sizeof *live->out);
    for (int edge = flow->next_start[block]; edge < flow->next_start[block + 1]; edge++) {
        const uint64_t *in = live->in + (size_t)flow->next[edge] * live->words;

        for (size_t word = 0; word < live->words; word++)
            live->out[word] |= in[word];
    }
}

/* Visits each block, last block first, again and again while a successor of it has changed. */
static void iterate(struct liveness *live)
{
    const struct ptx_flow *flow = live->flow;
    bool *waiting = ptx_analysis_array(live->analysis, (size_t)flow->block_count, sizeof(bool));
    bool changed = true;

    memset(waiting, 1, (size_t)flow->block_count * sizeof(bool));
    while (changed) {
        changed = false;
        for (int block = flow->block_count; block-- > 0;) {
            uint64_t *in = live->in + (size_t)block * live->words, grown = 0;
            const uint64_t *writes = live->writes + (size_t)block * live->words;

            if (!waiting[block])
                continue;
            waiting[block] = false;
            find_out(live, block);
            for (size_t word = 0; word < live->words; word++) {
                uint64_t more = live->out[word] & ~writes[word] & ~in[word];

                in[word] |= more;
                grown |= more;
            }
            if (!grown)
                continue;
            changed = true;
            for (int edge = flow->previous_start[block]; edge < flow->previous_start[block + 1];
                 edge++)
                waiting[flow->previous[edge]] = true;
        }
    }
}

static void add_range(struct liveness *live, int reg, int first, int last)
{
    struct ptx_live_range *range = ptx_analysis_array(live->analysis, 1, sizeof *range);

    *range = (struct ptx_live_range){first, last, live->analysis->live[reg]};
    live->analysis->live[reg] = range;
    live->range_count++;
}

/* A result that is never read is still written, so it is live at its instruction. */
static void step_back(struct liveness *live, int at)
{
    const struct ptx_accesses *accesses = &live->analysis->accesses;

    for (int i = accesses->start[at + 1]; i-- > accesses->start[at];) {
        int reg = accesses->accesses[i].reg, global = live->global_of[reg];

        if (accesses->accesses[i].writes) {
            add_range(live, reg, at, live->end[reg] == NONE ? at : live->end[reg]);
            live->end[reg] = NONE;
            if (global != NONE)
                exclude(live->out, global);
        } else if (live->end[reg] == NONE) {
            live->end[reg] = at;
            if (global != NONE)
                include(live->out, global);
        }
    }
}

/* Calls `visit` for every global register in the set `out`. */
static void visit_out(struct liveness *live, int at,
                      void (*visit)(struct liveness *, int reg, int at))
{
    for (size_t word = 0; word < live->words; word++)
        for (uint64_t bits = live->out[word]; bits; bits &= bits - 1)
            visit(live, live->register_of[word * WORD_BITS + (size_t)__builtin_ctzll(bits)], at);
}

static void start_range(struct liveness *live, int reg, int at)
{
    live->end[reg] = at;
}

static void finish_range(struct liveness *live, int reg, int at)
{
    add_range(live, reg, at, live->end[reg]);
    live->end[reg] = NONE;
}

static bool collect_ranges(struct liveness *live)
{
    const struct ptx_flow *flow = live->flow;
    int register_count = live->analysis->function->register_count;

    for (int reg = 0; reg < register_count; reg++)
        live->end[reg] = NONE;
    for (int block = flow->block_count; block-- > 0;) {
        find_out(live, block);
        visit_out(live, flow->first[block + 1] - 1, start_range);
        for (int at = flow->first[block + 1]; at-- > flow->first[block];)
            step_back(live, at);
        visit_out(live, flow->first[block],
                  finish_range); /* `out` is now what is live at the start of the block */
        if (live->range_count > max_ranges)
            return false;
    }
    return true;
}

/* How many 32-bit registers a value takes. Predicates have registers of their own. */
static int words_of(const struct ptx_function *function, int reg)
{
    const enum ptx_type type = function->registers[reg].type;
    return type == PTX_PRED ? 0 : ptx_type_size(type) == 8 ? 2 : 1;
}

/* Marks registers that only hold kernel arguments, since machine code reads these from constant
 * memory where it uses them. The second round unmarks registers that are also written otherwise. */
static void mark_arguments(const struct liveness *live, bool *is_argument)
{
    const struct ptx_function *const function = live->analysis->function;
    const struct ptx_accesses *const accesses = &live->analysis->accesses;
    for (int round = 0; round < 2; round++)
        for (int at = 0; at < function->instruction_count; at++) {
            const struct ptx_instruction *const source = &function->instructions[at];
            const bool loads = ptx_does(source, PTX_LOADS) &&
                               (ptx_has_part(source, "param") || ptx_has_part(source, "const"));
            const bool is_address = source->operation == PTX_OP_cvta;
            if ((loads || is_address) != (round == 0))
                continue;
            for (int i = accesses->start[at]; i < accesses->start[at + 1]; i++)
                if (accesses->accesses[i].writes)
                    is_argument[accesses->accesses[i].reg] = round == 0;
        }
}

static void count_live(struct liveness *live)
{
    struct ptx_function *const function = live->analysis->function;
    int *const change =
        ptx_analysis_array(live->analysis, (size_t)function->instruction_count + 1, sizeof(int));
    bool *const is_argument =
        ptx_analysis_array(live->analysis, (size_t)function->register_count + 1, sizeof(bool));
    mark_arguments(live, is_argument);
    for (int reg = 0; reg < function->register_count; reg++)
        for (const struct ptx_live_range *range = live->analysis->live[reg];
             range && !is_argument[reg]; range = range->next) {
            change[range->first] += words_of(function, reg);
            change[range->last + 1] -= words_of(function, reg);
        }
    for (int at = 0, words = 0; at < function->instruction_count; at++)
        function->instructions[at].live_words = words += change[at];
}

bool ptx_find_live_ranges(struct ptx_analysis *analysis)
{
    struct liveness live = {.analysis = analysis, .flow = &analysis->flow};
    size_t blocks = (size_t)analysis->flow.block_count;
    size_t registers = (size_t)analysis->function->register_count + 1;

    analysis->live = ptx_analysis_array(analysis, registers, sizeof(struct ptx_live_range *));
    live.global_of = ptx_analysis_array(analysis, registers, sizeof(int));
    live.register_of = ptx_analysis_array(analysis, registers, sizeof(int));
    live.end = ptx_analysis_array(analysis, registers, sizeof(int));
    for (size_t reg = 0; reg < registers; reg++)
        live.global_of[reg] = live.end[reg] = NONE;
    for (int block = 0; block < analysis->flow.block_count; block++)
        visit_block(&live, block, find_global);

    live.words = ((size_t)live.global_count + WORD_BITS - 1) / WORD_BITS;
    if (live.words > max_set_words / blocks)
        return false;
    live.in = ptx_analysis_array(analysis, blocks * live.words + 1, sizeof(uint64_t));
    live.writes = ptx_analysis_array(analysis, blocks * live.words + 1, sizeof(uint64_t));
    live.out = ptx_analysis_array(analysis, live.words + 1, sizeof(uint64_t));
    for (int block = 0; block < analysis->flow.block_count; block++)
        visit_block(&live, block, find_block_sets);
    iterate(&live);
    for (int global = 0; global < live.global_count; global++)
        analysis->function->registers[live.register_of[global]].is_read_early =
            test(live.in, global);
    if (!collect_ranges(&live))
        return false;
    count_live(&live);
    return true;
}
