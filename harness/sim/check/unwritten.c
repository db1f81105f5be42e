/* Reads of memory that nothing has written. Only words of ones are checked here; a bit says whether
 * such a word was written. */
#include "unwritten.h"

#include "cause.h"
#include "switchboard.h"

#include "sim/memory/memory.h"
#include "sim/memory/names.h"
#include "sim/memory/warning.h"

#include <assert.h>
#include <stdio.h>
#include <inttypes.h>
#include <string.h>

enum { WORD_BITS = 32 };

/* ---- Copies of structs ---- */

static bool is_register(const struct ptx_operand *operand, int reg)
{
    for (int i = 0; i < operand->element_count; i++)
        if (is_register(&operand->elements[i], reg))
            return true;
    return operand->kind != PTX_OPERAND_VECTOR && operand->reg == reg;
}

/* Counts the stores of a register; false if the instruction uses it in another way, as in an
 * address. */
static bool count_stores(const struct ptx_instruction *at, int reg, int *stores)
{
    const bool is_store = ptx_does(at, PTX_STORES);
    for (int i = 0; i < at->operand_count; i++) {
        if (!is_register(&at->operands[i], reg))
            continue;
        if (!is_store || i == 0)
            return false;
        ++*stores;
    }
    return true;
}

static bool is_only_stored(const struct ptx_function *function, int but, int reg)
{
    int stores = 0;
    for (int i = 0; i < function->instruction_count; i++)
        if (i != but && !count_stores(&function->instructions[i], reg, &stores))
            return false;
    return stores > 0;
}

/* Whether an instruction loads at least two words of integers that are then only stored. nvcc
 * copies a struct in this way, with the gaps between its members, which nothing has written. Words
 * that are loaded as floats are elements, not gaps. */
static bool is_only_moved(const struct ptx_function *function, int instruction)
{
    const struct ptx_instruction *const load = &function->instructions[instruction];
    const struct ptx_operand *const results = load->operands;
    const char type = load->parts[load->part_count - 1][0];
    if (!ptx_does(load, PTX_LOADS) || results->kind != PTX_OPERAND_VECTOR ||
        (type != 'u' && type != 's' && type != 'b'))
        return false;
    for (int i = 0; i < results->element_count; i++)
        if (!is_only_stored(function, instruction, results->elements[i].reg))
            return false;
    return true;
}

/* ---- Reads ---- */

static bool shared_is_written(const struct sim_checks *checks, uint64_t offset)
{
    const uint64_t word = offset / 4;
    assert(word < checks->words);
    return checks->written[word / WORD_BITS] >> word % WORD_BITS & 1;
}

static bool is_written(const struct warp *warp, uint64_t address, const char *storage)
{
    uint32_t word;
    memcpy(&word, storage, sizeof word);
    return word != UINT32_MAX ||
           ((address & WINDOW_MASK)
                ? shared_is_written(warp->worker->checks, address - SHARED_WINDOW)
                : sim_memory_is_written(address));
}

/* The first byte of an unwritten word among `bytes` at an address, or UINT64_MAX. */
static uint64_t find_unwritten(const struct warp *warp, uint64_t address, const char *storage,
                               unsigned bytes)
{
    const uint64_t window = address & WINDOW_MASK, begin = address & ~UINT64_C(3);
    const char *const words = storage - (address - begin);
    if (window != 0 && window != SHARED_WINDOW)
        return UINT64_MAX;
    for (uint64_t at = begin; at < address + bytes; at += 4)
        if (!is_written(warp, at, words + (at - begin)))
            return at;
    return UINT64_MAX;
}

/* Whether some words of a copied struct are written, but not all. The unwritten words may be gaps
 * between its members. */
static bool may_be_gap(const struct warp *warp, const struct instruction *at, uint64_t address,
                       const char *storage, unsigned bytes)
{
    bool some = false;
    for (unsigned done = 0; bytes >= 8 && done < bytes; done += 4)
        some |= is_written(warp, address + done, storage + done);
    return some && sim_answer(warp, at, QUESTION_IS_ONLY_MOVED, is_only_moved);
}

/* Whether an address is in the gap between two rows: memory of the array, but no element. */
static bool lies_behind_row(const struct sim_allocation *allocation, uint64_t address)
{
    return allocation->row > allocation->columns && address >= allocation->first &&
           (address - allocation->first) / allocation->element % allocation->row >=
               allocation->columns;
}

static bool is_above_diagonal(const struct sim_allocation *allocation, uint64_t address)
{
    uint64_t row, column;
    return sim_row_element(allocation, address, &row, &column) && row < column;
}

static void advise(const struct warp *warp, uint64_t address, char *text, size_t size)
{
    const struct sim_allocation *allocation = sim_memory_find(address);
    if ((!allocation || !allocation->is_input) && warp->worker->checks->global.looked)
        snprintf(
            text, size,
            "no block has written a value there yet, though this block has looked at a flag "
            "or counter: does that say that every block which writes here is done (of a "
            "counter: all of them, in this round), do all threads wait for the one that looks, "
            "and does each block write its part?");
    else if (!allocation || !allocation->is_input)
        snprintf(text, size,
                 "neither the host nor a kernel has written a value there; an output must be "
                 "written before it is read, and so must scratch memory, in every launch; where a "
                 "kernel "
                 "is to write it, has its grid blocks, and each block threads, for all of it?");
    else if (lies_behind_row(allocation, address))
        snprintf(text, size,
                 "it lies past the end of a row, where an input holds nothing: a guard is "
                 "missing, or the index takes another distance from row to row than the array "
                 "has, which is %zu elements, or exchanges row and column",
                 allocation->row);
    else
        snprintf(text, size,
                 "this part of an input holds nothing, as %s the diagonal of a triangle; what "
                 "is not to be read must not be read and multiplied by 0 either",
                 is_above_diagonal(allocation, address) ? "above" : "below");
}

/* An array of shared memory, in elements. */
struct shared_array {
    const struct warp *warp;
    uint64_t first; /* offset */
    unsigned bytes;
    uint64_t count, written;
};

static bool element_is_written(const struct shared_array *array, uint64_t element)
{
    const uint64_t offset = array->first + element * array->bytes;
    return is_written(array->warp, SHARED_WINDOW + offset / 4 * 4,
                      array->warp->block->shared + offset / 4 * 4);
}

static struct shared_array find_array(const struct warp *warp, uint64_t offset, unsigned bytes)
{
    const struct shared_variable *const variable = sim_find_shared(warp, offset);
    const struct launch *const launch = warp->worker->launch;
    const uint64_t first = variable ? variable->offset
                           : offset >= launch->program->dynamic_shared
                               ? launch->program->dynamic_shared
                               : 0;
    const uint64_t end = variable ? first + variable->ptx->size : launch->shared_bytes;
    struct shared_array array = {warp, first, bytes, (end - first) / bytes, 0};
    for (uint64_t i = 0; i < array.count; i++)
        array.written += element_is_written(&array, i) ? 1 : 0;
    return array;
}

/* Whether the first `columns` of each `row` elements are written, and no others. */
static bool has_rows(const struct shared_array *array, uint64_t row, uint64_t columns)
{
    for (uint64_t i = 0; i < array->count; i++)
        if (element_is_written(array, i) != (i % row < columns))
            return false;
    return true;
}

static uint64_t threads_of(const struct launch *launch)
{
    const unsigned *const block = launch->request->block;
    return (uint64_t)block[0] * block[1] * block[2];
}

/* Whether what a line reads goes back to shared memory in the same line, as by +=. */
static bool is_updated(const struct ptx_function *function, int instruction)
{
    const struct ptx_instruction *const read = &function->instructions[instruction];
    for (int i = instruction + 1; i < function->instruction_count; i++) {
        const struct ptx_instruction *const at = &function->instructions[i];
        if (at->line != read->line || at->file != read->file || at->call_line != read->call_line)
            continue;
        if (ptx_does(at, PTX_STORES) && ptx_has_part(at, "shared"))
            return true;
    }
    return false;
}

/* Says which elements of the array are written: a first part, the first columns of rows, or other
 * elements. */
static void say_written(const struct warp *warp, uint64_t offset, unsigned bytes, bool is_sum,
                        char *text, size_t size)
{
    const struct shared_array array = find_array(warp, offset, bytes);
    uint64_t columns = 0, row = 2, gap = 0;
    char threads[130];
    sim_name_threads(warp->worker->launch, threads, sizeof threads);
    while (columns < array.count && element_is_written(&array, columns))
        columns++;
    while (gap < array.count && !element_is_written(&array, gap))
        gap++;
    while (row < array.count &&
           !(array.count % row == 0 && row > columns &&
             array.written == array.count / row * columns && has_rows(&array, row, columns)))
        row++;
    if (array.written == 0)
        snprintf(text, size,
                 "nothing of the array is written: no thread of the block comes to the store that "
                 "fills it, or it stands after this read");
    else if (array.written == array.count && is_sum)
        snprintf(text, size,
                 "this line writes it, and before that reads what is there, as by +=: either = is "
                 "meant, or the array is to be set to 0 first, with a __syncthreads() behind that");
    else if (array.written == array.count)
        snprintf(text, size,
                 "others have written it meanwhile: a __syncthreads() between the store that fills "
                 "the array and this read is missing");
    else if (columns == array.written)
        snprintf(text, size,
                 "of the array the first %" PRIu64 " of %" PRIu64
                 " elements are written and none after them: either this read goes too far, or a "
                 "condition at an edge leaves out the rest, where 0 is to be stored, or the loop "
                 "that fills it ends too soon or counts on more threads than the block has: %s",
                 array.written, array.count, threads);
    else if (row < array.count && columns == threads_of(warp->worker->launch))
        snprintf(
            text, size,
            "of every %" PRIu64 " elements of the array the first %" PRIu64
            " are written, as many as the block has threads: does the launch start as many "
            "threads as the kernel counts on? The block has %s; or does the loop that fills the "
            "array go on by %" PRIu64 " elements, where it is to go on by these threads?",
            row, columns, threads, row);
    else if (columns > 0 && row < array.count && row >= 2 * columns)
        snprintf(text, size,
                 "of every %" PRIu64 " elements of the array the first %" PRIu64
                 " are written and none after them: are the rows between left out, as where "
                 "several stores of a thread go to one row, or does the loop over columns that "
                 "fills a row end too soon? Or does a condition at an edge leave out what is "
                 "to be 0? The block has %s",
                 row, columns, threads);
    else if (columns > 0 && row < array.count)
        snprintf(text, size,
                 "of every %" PRIu64 " elements of the array the first %" PRIu64
                 " are written and none after them: this is [%" PRIu64 "][%" PRIu64
                 "] of such rows; either this read goes too far, or the loop over columns that "
                 "fills a row ends too soon, or a condition at an edge leaves out the rest, where "
                 "0 is to be stored; the block has %s",
                 row, columns, (offset - array.first) / bytes / row,
                 (offset - array.first) / bytes % row, threads);
    else if (gap > 1 && array.written + gap == array.count)
        snprintf(text, size,
                 "the first %" PRIu64 " of the %" PRIu64
                 " elements of the array are not written, and all after them are: is what is to "
                 "fill them left out, or not begun before the first read, or does its loop begin "
                 "too late? The block has %s",
                 gap, array.count, threads);
    else
        snprintf(text, size,
                 "%" PRIu64 " of the %" PRIu64
                 " elements of the array are written: the loop that fills it leaves this one out, "
                 "or a condition does, or it is indexed in another way there than here; the block "
                 "has %s",
                 array.written, array.count, threads);
}

static void report(struct warp *warp, const struct instruction *at, int lane, uint64_t address,
                   unsigned bytes)
{
    char what[300], thread[120], global[400], shared[500] = "";
    const bool is_shared = (address & WINDOW_MASK) == SHARED_WINDOW;
    if (!sim_checks_for(SIM_CHECK_UNINITIALIZED) || sim_is_told(warp, at, SIM_UNINITIALIZED))
        return;
    if (is_shared)
        sim_name_shared(warp, address - SHARED_WINDOW, bytes, what, sizeof what);
    else
        sim_name_global(address, bytes, what, sizeof what);
    advise(warp, address, global, sizeof global);
    sim_name_thread(warp, lane, thread, sizeof thread);
    if (is_shared)
        say_written(warp, address - SHARED_WINDOW, bytes,
                    is_updated(warp->function->ptx, (int)at->source), shared, sizeof shared);
    sim_find(warp, at, lane, SIM_UNINITIALIZED, address, "uninitialized read of %s by %s: %s", what,
             thread,
             is_shared && warp->block->has_left
                 ? "no thread of the block has written it, and some threads had left by an early "
                   "`return` before a barrier that the others came to: let all threads load and "
                   "wait, and test at the store instead"
             : is_shared ? shared
                         : global);
}

/* Shared memory of another block of the cluster: `owner` is a warp of that block. */
static void check_remote(struct warp *warp, const struct instruction *at, int lane,
                         const struct warp *owner, uint64_t address, const void *storage,
                         unsigned bytes)
{
    char what[360], thread[120];
    const uint64_t inside = address & ((UINT64_C(1) << CLUSTER_SHIFT) - 1);
    if (find_unwritten(owner, SHARED_WINDOW + inside, storage, bytes) == UINT64_MAX ||
        !sim_checks_for(SIM_CHECK_UNINITIALIZED) || sim_is_told(warp, at, SIM_UNINITIALIZED))
        return;
    sim_name_shared(warp, address - SHARED_WINDOW, bytes, what, sizeof what);
    sim_name_thread(warp, lane, thread, sizeof thread);
    sim_find(warp, at, lane, SIM_UNINITIALIZED, address,
             "uninitialized read of %s by %s: nothing has been written there yet; does that "
             "block write it, and does a barrier of the cluster (cluster.sync()) stand between "
             "the two?",
             what, thread);
}

void sim_check_lane_unwritten(struct warp *warp, const struct instruction *at, int lane,
                              uint64_t address, const void *storage, unsigned bytes)
{
    if (sim_is_in_cluster(address)) {
        check_remote(warp, at, lane, &sim_shared_owner(warp, address)->block.warps[0], address,
                     storage, bytes);
        return;
    }
    const uint64_t found = find_unwritten(warp, address, storage, bytes);
    const unsigned unit = bytes < 4 ? bytes : 4;
    const uint64_t place = bytes < 4 ? address : found;
    struct early_read *const early = &warp->worker->checks->early;
    if (found == UINT64_MAX || may_be_gap(warp, at, address, storage, bytes))
        return;
    if ((address & WINDOW_MASK) == 0 || warp->block->warp_count == 1)
        report(warp, at, lane, place, unit);
    else if (!early->warp)
        *early = (struct early_read){warp, warp->function, at, place, unit, lane};
}

void sim_checks_settle(struct sim_checks *checks)
{
    const struct early_read early = checks->early;
    if (!early.warp)
        return;
    checks->early.warp = NULL;
    early.warp->function = early.function;
    report(early.warp, early.at, early.lane, early.address, early.bytes);
}

void sim_note_lane_written(struct warp *warp, uint64_t address, const void *storage, unsigned bytes)
{
    const uint64_t window = address & WINDOW_MASK, begin = address & ~UINT64_C(3);
    const char *const words = (const char *)storage - (address - begin);
    struct sim_checks *const checks =
        sim_is_in_cluster(address) ? sim_shared_owner(warp, address)->checks : warp->worker->checks;
    if (window != 0 && window != SHARED_WINDOW)
        return;
    for (uint64_t at = begin; at < address + bytes; at += 4) {
        uint32_t word;
        memcpy(&word, words + (at - begin), sizeof word);
        if (word != UINT32_MAX)
            continue;
        if (window == 0) {
            sim_memory_mark_written(at, 4);
            continue;
        }
        const uint64_t number = (at & ((UINT64_C(1) << CLUSTER_SHIFT) - 1)) / 4;
        checks->written[number / WORD_BITS] |= UINT32_C(1) << number % WORD_BITS;
        checks->has_written = true;
    }
}

void sim_check_unwritten(struct warp *warp, const struct instruction *at,
                         const struct places *places, unsigned bytes)
{
    EACH_ACTIVE(lane, warp->active)
    {
        const char *const storage = place_of(places, lane, bytes);
        sim_check_lane_unwritten(warp, at, (int)lane, sim_lane_address(warp, at, places, storage),
                                 storage, bytes);
    }
}

void sim_note_written(struct warp *warp, const struct instruction *at, const struct places *places,
                      unsigned bytes)
{
    EACH_ACTIVE(lane, warp->active)
    {
        const char *const storage = place_of(places, lane, bytes);
        sim_note_lane_written(warp, sim_lane_address(warp, at, places, storage), storage, bytes);
    }
}
