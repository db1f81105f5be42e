/* Register slots. Each of the three classes has a file of slots. A register takes the first slot
 * that no other register occupies while it is live. Each slot has a map, one bit an instruction, of
 * when it is taken. Live ranges are short, so the test of a slot mostly reads one word of the map.
 *
 * A result never shares the slot of another operand of its instruction. So the executor may write
 * lanes of the result before it has read all lanes of the operands. */
#include "sim/ptx/analysis.h"

#include <stdlib.h>

enum { PREDICATES, NARROW, WIDE, CLASS_COUNT, WORD_BITS = 64, MAX_SEARCH = 4096 };
static const size_t max_map_words = 16u << 20;

static int class_of(const struct ptx_register *reg)
{
    if (reg->type == PTX_PRED)
        return PREDICATES;
    return ptx_type_size(reg->type) == 8 ? WIDE : NARROW;
}

static void set_counts(struct ptx_function *function, const int count[CLASS_COUNT])
{
    function->predicate_slots = count[PREDICATES];
    function->slots32 = count[NARROW];
    function->slots64 = count[WIDE];
}

void ptx_number_slots(struct ptx_function *function)
{
    int count[CLASS_COUNT] = {0};

    for (int i = 0; i < function->register_count; i++)
        function->registers[i].slot = count[class_of(&function->registers[i])]++;
    set_counts(function, count);
}

/* The slots of one class; map[slot] has a bit for every instruction. */
struct slot_file {
    uint64_t **map;
    int count, capacity;
    size_t words;
};

/* The bits of map word `word` that instructions [first, last] cover. */
static uint64_t mask_of(size_t word, int first, int last)
{
    uint64_t mask = ~(uint64_t)0;

    if (word == (size_t)first / WORD_BITS)
        mask &= ~(uint64_t)0 << (first % WORD_BITS);
    if (word == (size_t)last / WORD_BITS)
        mask &= ~(uint64_t)0 >> (WORD_BITS - 1 - last % WORD_BITS);
    return mask;
}

static bool is_free(const uint64_t *map, const struct ptx_live_range *range)
{
    for (; range; range = range->next)
        for (size_t word = (size_t)range->first / WORD_BITS;
             word <= (size_t)range->last / WORD_BITS; word++)
            if (map[word] & mask_of(word, range->first, range->last))
                return false;
    return true;
}

static void occupy(uint64_t *map, const struct ptx_live_range *range)
{
    for (; range; range = range->next)
        for (size_t word = (size_t)range->first / WORD_BITS;
             word <= (size_t)range->last / WORD_BITS; word++)
            map[word] |= mask_of(word, range->first, range->last);
}

static int add_slot(struct ptx_analysis *analysis, struct slot_file *file)
{
    if (file->count == file->capacity) {
        int capacity = file->capacity ? 2 * file->capacity : 64;
        uint64_t **map = ptx_analysis_array(analysis, (size_t)capacity, sizeof *map);

        for (int i = 0; i < file->count; i++)
            map[i] = file->map[i];
        file->map = map;
        file->capacity = capacity;
    }
    file->map[file->count] = ptx_analysis_array(analysis, file->words, sizeof(uint64_t));
    return file->count++;
}

struct candidate {
    int reg, first; /* first: instruction at which the register becomes live */
};

static int compare_candidates(const void *left, const void *right)
{
    const struct candidate *one = left, *other = right;

    if (one->first != other->first)
        return one->first < other->first ? -1 : 1;
    return one->reg < other->reg ? -1 : 1;
}

/* Lists the registers that are accessed, in the order in which they become live. */
static int list_candidates(struct ptx_analysis *analysis, struct candidate *candidates)
{
    int count = 0;

    for (int reg = 0; reg < analysis->function->register_count; reg++) {
        const struct ptx_live_range *range = analysis->live[reg];
        int first = INT32_MAX;

        for (; range; range = range->next)
            first = range->first < first ? range->first : first;
        if (first != INT32_MAX)
            candidates[count++] = (struct candidate){reg, first};
    }
    qsort(candidates, (size_t)count, sizeof *candidates, compare_candidates);
    return count;
}

void ptx_share_slots(struct ptx_analysis *analysis)
{
    struct ptx_function *function = analysis->function;
    size_t words = (size_t)function->instruction_count / WORD_BITS + 1;
    struct slot_file files[CLASS_COUNT] = {{.words = words}, {.words = words}, {.words = words}};
    struct candidate *candidates =
        ptx_analysis_array(analysis, (size_t)function->register_count + 1, sizeof *candidates);
    int count = list_candidates(analysis, candidates);

    for (int i = 0; i < count; i++) {
        struct ptx_register *reg = &function->registers[candidates[i].reg];
        const struct ptx_live_range *live = analysis->live[candidates[i].reg];
        struct slot_file *file = &files[class_of(reg)];
        int slot = file->count < MAX_SEARCH ? 0 : file->count;

        while (slot < file->count && !is_free(file->map[slot], live))
            slot++;
        if (slot == file->count) {
            if ((size_t)file->count > max_map_words / words) {
                ptx_number_slots(function);
                return;
            }
            add_slot(analysis, file);
        }
        occupy(file->map[slot], live);
        reg->slot = slot;
    }
    set_counts(function, (int[]){files[PREDICATES].count, files[NARROW].count, files[WIDE].count});
}
