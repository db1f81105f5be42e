/* Finds the storage of an address, and reports a fault where there is none. */
#include "resolve.h"

#include "memory.h"
#include "names.h"
#include "warning.h"

#include <inttypes.h>

/* A bulk copy that belongs to a group writes to global memory. */
static bool is_load(const struct warp *warp, const struct instruction *at)
{
    const struct ptx_instruction *const source = &warp->function->ptx->instructions[at->source];
    return !ptx_does(source, PTX_CHANGES_MEMORY) && !ptx_has_part(source, "bulk_group");
}

static bool reads_constants(const struct program *program)
{
    for (int f = 0; f < program->function_count; f++) {
        const struct ptx_function *const ptx =
            program->functions[f] ? program->functions[f]->ptx : NULL;
        for (int i = 0; ptx && i < ptx->instruction_count; i++)
            if (ptx_does(&ptx->instructions[i], PTX_LOADS) &&
                ptx_has_part(&ptx->instructions[i], "const"))
                return true;
    }
    return false;
}

/* Whether an allocation is a __constant__ variable in a launch that reads constant memory. Constant
 * caches do not see a write through the variable's address before the next launch. */
static bool is_cached_constant(const struct warp *warp, const struct sim_allocation *found)
{
    const struct sim_module *const module = warp->worker->launch->request->kernel->module;
    if (found->kind != SIM_MEMORY_SYMBOL || !warp->worker->checks)
        return false;
    for (int i = 0; i < module->ptx->variable_count; i++)
        if (module->addresses[i] == found->address)
            return module->ptx->variables[i].space == PTX_CONST &&
                   reads_constants(warp->worker->launch->program);
    return false;
}

bool sim_fill_cache(const struct warp *warp, const struct instruction *at, uint64_t address)
{
    struct access_cache *const cache = &warp->worker->caches[at->cache];
    const struct sim_allocation *const found = sim_memory_find(address);
    if (!found || address < found->first || address >= found->end ||
        (!is_load(warp, at) && (found->is_input || is_cached_constant(warp, found))))
        return false;
    if (found->kind != SIM_MEMORY_DEVICE) {
        ((struct sim_allocation *)found)->is_used = true;
        if (!is_load(warp, at))
            ((struct sim_allocation *)found)->is_changed = true;
    }
    cache->first = found->first;
    cache->size = found->end - found->first;
    cache->bias = (uint64_t)(uintptr_t)found->host - found->address;
    cache->tags = atomic_load_explicit(&found->tags, memory_order_relaxed);
    return true;
}

/* ---- Messages ---- */

static const char *verb(enum access_kind kind)
{
    static const char *const verbs[] = {"read", "write", "atomic access"};
    return verbs[kind];
}

static void describe(const struct sim_allocation *allocation, char *text, size_t size)
{
    const uint64_t bytes = allocation->end - allocation->first;
    if (allocation->name)
        snprintf(text, size, "%s (%" PRIu64 " bytes)", allocation->name, bytes);
    else
        snprintf(text, size, "the allocation of %" PRIu64 " bytes", bytes);
}

/* An index that is only a little too large does not lead so far away. */
static const uint64_t FAR_AWAY = (uint64_t)1 << 30;

static uint64_t distance_of(const struct sim_allocation *allocation, uint64_t address)
{
    return address >= allocation->end    ? address - allocation->end
           : address < allocation->first ? allocation->first - address
                                         : 0;
}

/* A thread's number in a launch of one dimension; UINT64_MAX in another. */
static uint64_t number_of(const struct warp *warp, int lane)
{
    const unsigned *const grid = warp->worker->launch->request->grid;
    const unsigned *const block = warp->worker->launch->request->block;
    return grid[1] * grid[2] * block[1] * block[2] == 1
               ? (uint64_t)warp->block->id[0] * block[0] + warp->thread[0][lane]
               : UINT64_MAX;
}

/* Whether `element` is the first past the end of `count` and a thread accesses it whose own number
 * is the last element's, in a launch with a thread for each: no condition on its number is wrong.
 */
static bool is_after_own(const struct warp *warp, int lane, uint64_t element, uint64_t count)
{
    const uint64_t threads =
        (uint64_t)warp->worker->launch->request->grid[0] * warp->worker->launch->request->block[0];
    const uint64_t number = number_of(warp, lane);
    return number != UINT64_MAX && element == count && number + 1 == element && threads >= count;
}

/* Asks about an access of a vector that ends outside. Vectors of neighbouring threads lie as far
 * apart as they are long, unless an index is multiplied that counts vectors. */
static void ask_of_vectors(const struct warp *warp, const struct instruction *at, int lane,
                           uint64_t address, unsigned bytes, char *text, size_t size)
{
    const unsigned element = sim_element_bytes(sim_source(warp, at)), count = bytes / element;
    const struct sim_allocation *const array = sim_memory_nearest(address);
    const uint64_t vector = array && address >= array->first ? (address - array->first) / bytes : 0;
    uint64_t row, column;
    text[0] = '\0';
    if (bytes >= 8 && count > 1 && sim_lanes_apart(warp, at) == (uint64_t)bytes * count)
        snprintf(text, size,
                 "; vectors of %u elements of neighbouring threads begin %u elements apart: an "
                 "index of vectors counts vectors, so is it multiplied by %u once too often?",
                 count, count * count, count);
    else if (bytes >= 8 && array && !array->row && vector > 0 &&
             is_after_own(warp, lane, vector, (array->end - array->first) / bytes))
        snprintf(text, size,
                 "; that is vector %" PRIu64
                 " of %u elements, and the thread's own number is %" PRIu64
                 ": is 1 added to the index here?",
                 vector, count, vector - 1);
    else if (bytes >= 8 && array && address < array->end &&
             sim_row_element(array, address, &row, &column) && column < array->columns &&
             array->columns - column < count)
        snprintf(text, size,
                 "; from column %" PRIu64 " of %" PRIu64 " on a row has %" PRIu64
                 " of a vector's %u elements left: is what is left of a row taken one by one, and "
                 "counted from the vector's own column on?",
                 column, (uint64_t)array->columns, (uint64_t)array->columns - column, count);
    else if (bytes >= 8 && count > 1 &&
             (!array || !array->row || address < array->end || sim_is_flat(warp, at, bytes)))
        snprintf(text, size,
                 "; does a loop over vectors end with the last whole one (n / 4 of 4 elements), "
                 "and are they used only where every size that they run along is a multiple of "
                 "theirs?");
}

/* Says where an address of device memory lies relative to the nearest allocation. */
static void locate(uint64_t address, unsigned bytes, const char *vectors, char *text, size_t size)
{
    const struct sim_allocation *const nearest = sim_memory_nearest(address);
    char what[300];
    if (address < 65536) {
        snprintf(text, size, "that is a null pointer%s", address ? " plus an offset" : "");
        return;
    }
    if (sim_memory_is_of_host(address, 1)) {
        snprintf(text, size,
                 "that is a host pointer: a kernel is given memory of cudaMalloc(), to "
                 "which cudaMemcpy() copies what the host has");
        return;
    }
    if (nearest && distance_of(nearest, address) > FAR_AWAY) {
        snprintf(text, size,
                 "far from all memory that is allocated: an index that has left the range of its "
                 "type, a number below 0 taken as unsigned, or a pointer without a value");
        return;
    }
    if (!nearest) {
        snprintf(text, size, "nothing is allocated");
        return;
    }
    describe(nearest, what, sizeof what);
    if (address == nearest->end)
        snprintf(text, size, "right after the end of %s%s", what, vectors);
    else if (address > nearest->end)
        snprintf(text, size, "%" PRIu64 " bytes after the end of %s%s", address - nearest->end,
                 what, vectors);
    else if (address < nearest->first)
        snprintf(text, size, "%" PRIu64 " bytes before the start of %s", nearest->first - address,
                 what);
    else
        snprintf(text, size, "the last %" PRIu64 " of the bytes lie after the end of %s%s",
                 address + bytes - nearest->end, what,
                 (nearest->end - nearest->first) % bytes != 0 ? vectors : "");
}

static bool is_asked(const struct sim_indices *indices, int i)
{
    return strcmp(indices->text[i], "0") != 0 && !indices->is_kept[i];
}

/* Says which index of an array is too large, or asks where it may be several; in the source's words
 * if it can be read. */
static void ask_of_indices(const struct warp *warp, const struct instruction *at, const char *name,
                           char *text, size_t size)
{
    struct sim_indices extents, indices;
    const char *file;
    const int line = sim_nearest_line(warp, at, &file);
    size_t length = 0;
    int asked = 0;
    snprintf(text, size, "is an index too large for its extent, or are two exchanged?");
    if (!sim_declared_find(file, line, name, &extents, &indices))
        return;
    for (int i = 0; i < indices.count; i++)
        asked += is_asked(&indices, i);
    for (int i = 0; i < indices.count && length < size; i++)
        if (is_asked(&indices, i))
            length +=
                (size_t)snprintf(text + length, size - length,
                                 asked == 1 ? "%s%s is too large for %s" : "%s%s too large for %s",
                                 asked == 1 ? ""
                                 : length   ? ", or "
                                            : "is ",
                                 indices.text[i], extents.text[i]);
    if (asked > 1 && length < size)
        snprintf(text + length, size - length, "?");
}

/* Says where an offset lies relative to the array that the instruction indexes or, if that is not
 * known, relative to the array before the offset. */
static void locate_shared(const struct warp *warp, const struct instruction *at, uint64_t offset,
                          char *text, size_t size)
{
    const struct launch *const launch = warp->worker->launch;
    const struct program *const program = launch->program;
    const struct shared_variable *nearest = sim_shared_base(warp, sim_source(warp, at));
    const unsigned element = sim_element_bytes(sim_source(warp, at));
    char name[200], threads[130], question[360];
    for (int i = 0; i < program->shared_count && !nearest; i++)
        if (program->shared[i].offset <= offset &&
            (!nearest || program->shared[i].offset > nearest->offset))
            nearest = &program->shared[i];
    if (launch->request->dynamic_shared > 0 || !nearest || offset < nearest->offset ||
        offset < nearest->offset + nearest->ptx->size) {
        snprintf(text, size, "the block has %zu bytes of shared memory, %zu of them dynamic",
                 launch->shared_bytes, launch->request->dynamic_shared);
        return;
    }
    sim_name_threads(launch, threads, sizeof threads);
    sim_short_name(nearest->ptx->name, name, sizeof name);
    ask_of_indices(warp, at, name, question, sizeof question);
    snprintf(text, size,
             "that would be element %" PRIu64
             " of %s, which has %zu (%zu bytes); %s%s The block has "
             "%s",
             (offset - nearest->offset) / element, name, nearest->ptx->size / element,
             nearest->ptx->size, question, strchr(question, '?') ? "" : ".", threads);
}

uint64_t sim_window_bytes(const struct warp *warp, uint64_t window)
{
    const struct launch *const launch = warp->worker->launch;
    if (window == SHARED_WINDOW)
        return launch->shared_bytes;
    if (window == LOCAL_WINDOW)
        return warp->local_base + warp->function->local_bytes;
    return window == PARAM_WINDOW ? launch->program->param_bytes : 0;
}

/* Whether an address lies where a function that was called, and has ended, had its variables. */
static bool is_of_ended_call(const struct warp *warp, uint64_t address)
{
    const uint64_t begin = LOCAL_WINDOW + warp->local_base + warp->function->local_bytes;
    const struct function *const callee = warp->last_callee;
    return callee && warp->last_base + callee->ptx->local_bytes + LOCAL_WINDOW > address &&
           address >= begin && address >= warp->last_base + LOCAL_WINDOW;
}

/* For a block that is not square: asks whether x and y are exchanged in the launch, for the first
 * thread that a block with x and y exchanged does not have. "" for other threads. */
static const char *ask_of_exchange(const struct warp *warp, int lane, char *text, size_t size)
{
    const unsigned *const block = warp->worker->launch->request->block;
    const unsigned x = warp->thread[0][lane], y = warp->thread[1][lane];
    const bool is_first = block[0] > block[1] ? x == block[1] && y == 0
                                              : block[0] < block[1] && y == block[0] && x == 0;
    text[0] = '\0';
    if (block[0] > 1 && block[1] > 1 && block[2] == 1 && is_first)
        snprintf(text, size,
                 "; the block has %u x %u threads, and this is the first that a "
                 "block of %u x %u does not have: are x and y exchanged in this index, or in "
                 "the launch?",
                 block[0], block[1], block[1], block[0]);
    return text;
}

static void window_fault(struct warp *warp, const struct instruction *at, int lane,
                         uint64_t address, unsigned bytes, enum access_kind kind)
{
    const uint64_t window = address & WINDOW_MASK, offset = address & ~WINDOW_MASK;
    char where[800], thread[120], question[200];
    sim_name_thread(warp, lane, thread, sizeof thread);
    if (window == SHARED_WINDOW) {
        locate_shared(warp, at, offset, where, sizeof where);
        sim_fault(warp, at, lane, SIM_OUT_OF_BOUNDS, address,
                  "out-of-bounds %s of %u bytes at offset %" PRIu64 " of shared memory by %s: %s%s",
                  verb(kind), bytes, offset, thread, where,
                  ask_of_exchange(warp, lane, question, sizeof question));
    }
    if (window == LOCAL_WINDOW || window == PARAM_WINDOW)
        sim_fault(warp, at, lane, SIM_OUT_OF_BOUNDS, address,
                  "out-of-bounds %s of %u bytes at offset %" PRIu64 " of %s memory by %s, of which "
                  "the %s has %" PRIu64 " bytes; %s",
                  verb(kind), bytes, offset, window == LOCAL_WINDOW ? "local" : "parameter", thread,
                  window == LOCAL_WINDOW ? "thread" : "kernel", sim_window_bytes(warp, window),
                  is_of_ended_call(warp, address)
                      ? "a function that has ended had its variables there: is a pointer to one of "
                        "them still in use?"
                      : "an index into an array of the thread's own is too large");
    sim_fault(warp, at, lane, SIM_OUT_OF_BOUNDS, address,
              "%s of %u bytes by %s at what is no address of memory", verb(kind), bytes, thread);
}

__attribute__((noreturn)) static void misaligned_fault(struct warp *warp,
                                                       const struct instruction *at, int lane,
                                                       uint64_t address, unsigned bytes,
                                                       enum access_kind kind)
{
    const struct sim_allocation *const found =
        address & WINDOW_MASK ? NULL : sim_memory_find(address);
    const bool is_near = found && address % sim_element_bytes(sim_source(warp, at)) == 0;
    char what[330] = "", thread[120], rows[200] = "";
    if ((address & WINDOW_MASK) == SHARED_WINDOW) {
        strcpy(what, " at ");
        sim_name_shared(warp, address - SHARED_WINDOW, sim_element_bytes(sim_source(warp, at)),
                        what + 4, sizeof what - 4);
        snprintf(rows, sizeof rows,
                 "; do its row and the first column of the vector begin at a multiple of %u "
                 "elements, and are these neighbours in a row?",
                 bytes / sim_element_bytes(sim_source(warp, at)));
    } else if (address & WINDOW_MASK)
        snprintf(what, sizeof what, " at offset %" PRIu64, address & ~WINDOW_MASK);
    if (is_near) {
        strcpy(what, " at ");
        sim_name_global(address, sim_element_bytes(sim_source(warp, at)), what + 4,
                        sizeof what - 4);
    }
    if (found && found->row && found->row * found->element % bytes != 0)
        snprintf(rows, sizeof rows,
                 ", and rows of %s are %" PRIu64 " bytes apart, so that not each of them begins at "
                 "one",
                 found->name, found->row * found->element);
    else if (is_near && sim_lanes_apart(warp, at) > 0 && sim_lanes_apart(warp, at) < bytes)
        snprintf(rows, sizeof rows,
                 ", and neighbouring threads' begin %" PRIu64
                 " bytes apart: is an index counted in elements, where it is to be in vectors?",
                 sim_lanes_apart(warp, at));
    sim_name_thread(warp, lane, thread, sizeof thread);
    sim_fault(warp, at, lane, SIM_MISALIGNED, address,
              "misaligned %s of %u bytes%s by %s: the address must be a multiple of %u%s",
              verb(kind), bytes, what, thread, bytes, rows);
}

/* Names what is accessed: "C[0][15]", "element 15 of x" or, without a name, "4 bytes". */
static void name_outside(const struct warp *warp, const struct instruction *at, uint64_t address,
                         unsigned bytes, char *text, size_t size)
{
    const struct sim_allocation *const nearest = sim_memory_nearest(address);
    const unsigned element = sim_element_bytes(sim_source(warp, at));
    uint64_t row, column;
    snprintf(text, size, "%u bytes", bytes);
    if (!nearest || !nearest->name || address < nearest->first ||
        distance_of(nearest, address) > FAR_AWAY)
        return;
    if (sim_row_element(nearest, address, &row, &column))
        sim_name_element(nearest, row, column, text, size);
    else
        snprintf(text, size, "element %" PRIu64 " of %s", (address - nearest->first) / element,
                 nearest->name);
}

/* The last row may end before the gap behind it. */
static uint64_t rows_of(const struct sim_allocation *array)
{
    return ((array->end - array->first) / array->element + array->row - 1) / array->row;
}

/* Matrices and whole numbers among the arguments of a launch, in their order. */
struct passed {
    const struct sim_allocation *inputs[2], *output;
    uint32_t numbers[2];
    int input_count, number_count;
};

static struct passed find_passed(const struct launch *launch)
{
    const struct ptx_function *const ptx = launch->program->entry->ptx;
    struct passed passed = {0};
    for (int i = 0; i < ptx->param_count; i++) {
        const struct ptx_variable *const param = &ptx->params[i];
        const char *const value = launch->params + param->offset;
        uint64_t address = 0;
        if (param->size == sizeof address)
            memcpy(&address, value, sizeof address);
        const struct sim_allocation *const array = address ? sim_memory_find(address) : NULL;
        if ((param->type == PTX_U32 || param->type == PTX_S32) && passed.number_count < 2)
            memcpy(&passed.numbers[passed.number_count++], value, sizeof passed.numbers[0]);
        else if (array && array->row && array->is_input && passed.input_count < 2)
            passed.inputs[passed.input_count++] = array;
        else if (array && array->row && !array->is_input)
            passed.output = array;
    }
    return passed;
}

/* Whether the numbers are the rows and columns of an input, in this order. */
static bool are_sizes_of_input(const struct passed *p)
{
    for (int i = 0; i < p->input_count && i < 2; i++)
        if (p->numbers[0] == rows_of(p->inputs[i]) && p->numbers[1] == p->inputs[i]->columns)
            return true;
    return false;
}

/* The input that an output is the transpose of, or the output of an input, if that has an element
 * in the row and column with which a thread leaves a row of the other one, or the whole; else NULL.
 */
static const struct sim_allocation *find_transposed(const struct warp *warp,
                                                    const struct overrun *place)
{
    const struct passed p = find_passed(warp->worker->launch);
    const struct sim_allocation *const in = p.inputs[0], *const out = p.output;
    const struct sim_allocation *const other = place->array == out ? in : out;
    return p.input_count == 1 && out && (place->array == in || place->array == out) &&
                   in->columns == rows_of(out) && out->columns == rows_of(in) &&
                   place->column < other->columns && place->row < rows_of(other)
               ? other
               : NULL;
}

/* Whether a thread runs past a row of a square input that holds nothing in its upper right corner:
 * then all of this is above the diagonal of a lower triangle. */
static bool is_past_triangle(const struct overrun *overrun)
{
    const struct sim_allocation *const array = overrun->array;
    const uint64_t corner = array->first + (array->columns - 1) * array->element / 4 * 4;
    uint32_t word;
    memcpy(&word, array->host + (corner - array->address), sizeof word);
    return array->is_input && array->columns > 1 && rows_of(array) == array->columns &&
           overrun->row < array->columns && word == UINT32_MAX && !sim_memory_is_written(corner);
}

void sim_say_overrun_of(const struct warp *warp, const struct overrun *overrun, char *text,
                        size_t size)
{
    const struct sim_allocation *const out = overrun->array, *const in =
                                                                 find_transposed(warp, overrun);
    char element[300];
    if (!in) {
        sim_say_overrun(overrun, text, size);
        return;
    }
    sim_name_element(out, overrun->row, overrun->column, element, sizeof element);
    snprintf(text, size,
             "%s, column %" PRIu64 " of %" PRIu64
             ", runs into the next row, and %s has an element in row %" PRIu64 ", column %" PRIu64
             ": are row and column exchanged in the index of %s, or is a guard such as column < "
             "%" PRIu64 " missing?",
             element, overrun->column, out->columns, in->name, overrun->row, overrun->column,
             out->name, out->columns);
}

/* Asks about the order of arguments, where a launch passes matrices or sizes in another order than
 * the problem has them. No guard in the kernel prevents the wrong accesses that come of this. */
static void ask_of_order(const struct launch *launch, char *text, size_t size)
{
    const struct passed p = find_passed(launch);
    text[0] = '\0';
    if (p.input_count == 2 && p.inputs[0]->first > p.inputs[1]->first)
        snprintf(text, size, "the launch passes %s before %s: does the kernel take them so? Else ",
                 p.inputs[0]->name, p.inputs[1]->name);
    else if (p.output && p.number_count == 2 && p.numbers[0] != p.numbers[1] &&
             !are_sizes_of_input(&p) && p.numbers[0] == p.output->columns &&
             p.numbers[1] == rows_of(p.output))
        snprintf(text, size,
                 "the launch passes %u, then %u, and %s has %u rows of %u: does the kernel take "
                 "its sizes so, columns first? Else ",
                 p.numbers[0], p.numbers[1], p.output->name, p.numbers[1], p.numbers[0]);
}

/* For a launch in one dimension with a thread for each element of an output: asks whether the
 * thread computes its row and column by the wrong size, since no guard on elements is missing. This
 * is likely if the thread runs past a row that is as long as the output has rows or columns, or
 * past an array's end where the thread before it does not. `overrun` is NULL past an end. */
static void ask_of_division(const struct warp *warp, int lane, const struct overrun *overrun,
                            char *text, size_t size)
{
    const struct launch *const launch = warp->worker->launch;
    const unsigned *const grid = launch->request->grid, *const block = launch->request->block;
    const struct sim_allocation *const output = find_passed(launch).output;
    const uint64_t threads = (uint64_t)grid[0] * block[0];
    const uint64_t element = (uint64_t)warp->block->id[0] * block[0] + warp->thread[0][lane];
    if (!output || (overrun && output == overrun->array) ||
        grid[1] * grid[2] * block[1] * block[2] != 1)
        return;
    const uint64_t rows = rows_of(output), columns = output->columns;
    const bool is_other = !overrun ||
                          (overrun->array->columns == rows && overrun->column < columns) ||
                          (overrun->array->columns == columns && overrun->column < rows);
    if (rows == columns || !is_other || element >= rows * columns || threads < rows * columns ||
        threads - block[0] >= rows * columns)
        return;
    snprintf(text, size,
             "the launch has a thread for each of the %" PRIu64 " elements of %s, and this is that "
             "of element %" PRIu64 ": is its row %" PRIu64 " / %" PRIu64 ", and its column %" PRIu64
             " %% %" PRIu64 ", by the %" PRIu64 " columns? Else ",
             rows * columns, output->name, element, element, columns, element, columns, columns);
}

/* Whether the row of an input that a thread goes past the end with is the row, or the column, of
 * the thread's own element of the output, and goes along the columns of the input. */
static bool say_exchanged(const struct warp *warp, int lane, const struct sim_allocation *input,
                          uint64_t row, char *text, size_t size)
{
    const struct sim_allocation *const output = find_passed(warp->worker->launch).output;
    const uint64_t element = number_of(warp, lane);
    if (!output || output == input || element >= rows_of(output) * output->columns)
        return false;
    const bool is_row = row == element / output->columns && input->columns == rows_of(output);
    const bool is_column = row == element % output->columns && input->columns == output->columns;
    if (is_row || is_column)
        snprintf(text, size,
                 "row %" PRIu64 " of %" PRIu64 ", and %" PRIu64
                 " is the thread's %s of %s, which goes along the columns of %s: are row and "
                 "column exchanged in the index of %s?",
                 row, rows_of(input), row, is_row ? "row" : "column", output->name, input->name,
                 input->name);
    return is_row || is_column;
}

/* The element of an output that is a thread's own, in a launch of one dimension with a thread for
 * each, and blocks for no more; NULL: there is none. */
static const struct sim_allocation *find_own(const struct warp *warp, int lane, uint64_t *row,
                                             uint64_t *column)
{
    const unsigned threads = warp->worker->launch->request->block[0];
    const uint64_t all = (uint64_t)warp->worker->launch->request->grid[0] * threads;
    const struct sim_allocation *const output = find_passed(warp->worker->launch).output;
    const uint64_t number = number_of(warp, lane);
    if (!output || number == UINT64_MAX)
        return NULL;
    const uint64_t count = rows_of(output) * output->columns;
    if (number >= count || all < count || all - threads >= count || output->row != output->columns)
        return NULL;
    *row = number / output->columns;
    *column = number % output->columns;
    return output;
}

/* Whether a thread accesses what it would if row and column were exchanged in an index of the
 * output; or, of an input whose rows are as long as the output has rows, if the column were taken
 * for the row. */
static bool has_exchanged(const struct warp *warp, int lane, const struct sim_allocation *array,
                          uint64_t address)
{
    uint64_t row, column;
    const struct sim_allocation *const output = find_own(warp, lane, &row, &column);
    if (!output || address < array->first || rows_of(output) == output->columns)
        return false;
    const uint64_t element = (address - array->first) / array->element;
    return array == output ? element == column * output->row + row
                           : array->columns == rows_of(output) && column >= array->columns &&
                                 element >= column && (element - column) % array->row == 0;
}

bool sim_say_exchanged_element(const struct warp *warp, int lane, uint64_t address, char *text,
                               size_t size)
{
    const struct sim_allocation *const array = sim_memory_find(address);
    uint64_t row, column;
    if (!array || find_own(warp, lane, &row, &column) != array ||
        !has_exchanged(warp, lane, array, address))
        return false;
    snprintf(text, size,
             "the launch has a thread for each of the %" PRIu64
             " elements of %s, and this is that of %s[%" PRIu64 "][%" PRIu64
             "]: are row and column exchanged in this index, or where the thread computes them?",
             rows_of(array) * array->columns, array->name, array->name, row, column);
    return true;
}

/* An output without rows that has an element for the thread's number; NULL: none has. */
static const struct sim_allocation *output_of_number(const struct launch *launch, uint64_t number,
                                                     unsigned bytes)
{
    const struct ptx_function *const ptx = launch->program->entry->ptx;
    for (int i = 0; i < ptx->param_count; i++) {
        uint64_t address = 0;
        if (ptx->params[i].size == sizeof address)
            memcpy(&address, launch->params + ptx->params[i].offset, sizeof address);
        const struct sim_allocation *const array = address ? sim_memory_find(address) : NULL;
        if (array && array->name && !array->row && !array->is_input &&
            strcmp(array->name, "workspace") != 0 && number < (array->end - array->first) / bytes)
            return array;
    }
    return NULL;
}

/* A number that the launch hands over and that is the count in bytes, where none is the count
 * itself; 0: there is none. */
static uint64_t handed_bytes(const struct launch *launch, uint64_t count, unsigned bytes)
{
    const struct ptx_function *const ptx = launch->program->entry->ptx;
    bool has_bytes = false;
    for (int i = 0; i < ptx->param_count; i++) {
        uint64_t number = 0;
        if (ptx->params[i].size != 4 && ptx->params[i].size != 8)
            continue;
        memcpy(&number, launch->params + ptx->params[i].offset, ptx->params[i].size);
        if (number == count)
            return 0;
        has_bytes = has_bytes || number == count * bytes;
    }
    return has_bytes ? count * bytes : 0;
}

/* Says of an array without rows which condition is missing: the thread's own, or another. */
static void append_guard_of_vector(const struct warp *warp, const struct instruction *at, int lane,
                                   uint64_t address, unsigned bytes, char *text, size_t size)
{
    const struct sim_allocation *const array = sim_memory_nearest(address);
    const size_t length = strlen(text);
    if (!array->name || bytes != sim_element_bytes(sim_source(warp, at)) ||
        strcmp(array->name, "workspace") == 0)
        return;
    const uint64_t count = (array->end - array->first) / bytes;
    const uint64_t element = (address - array->first) / bytes;
    const struct sim_allocation *const output =
        element == number_of(warp, lane) ? output_of_number(warp->worker->launch, element, bytes)
                                         : NULL;
    char handed[120] = "";
    if (count > 1 && handed_bytes(warp->worker->launch, count, bytes))
        snprintf(handed, sizeof handed,
                 "; the launch hands over %" PRIu64 ": are these bytes, where elements are meant?",
                 count * bytes);
    if (output)
        snprintf(text + length, size - length,
                 "; element %" PRIu64 " of %" PRIu64
                 ", and that is the thread's own number, by which it has an element of %s: is "
                 "another index meant for %s, such as that of a loop?",
                 element, count, output->name, array->name);
    else if (element == number_of(warp, lane))
        snprintf(text + length, size - length,
                 "; element %" PRIu64 " of %" PRIu64 ", and that is the thread's own number: no "
                 "condition, or a wrong one, keeps out the threads whose index is %" PRIu64
                 " or more%s",
                 element, count, count, handed);
    else if (is_after_own(warp, lane, element, count))
        snprintf(text + length, size - length,
                 "; element %" PRIu64 " of %" PRIu64 ", and the thread's own number is %" PRIu64
                 ": is 1 added to the index here? Else a condition is missing, or a loop runs too "
                 "far",
                 element, count, element - 1);
    else if (element == count)
        snprintf(text + length, size - length,
                 "; element %" PRIu64 " of %" PRIu64 ": a condition such as index < %" PRIu64
                 " is missing, or is another, or a loop runs too far",
                 element, count, count);
}

/* The first thread of the first block: no guard on its own index can keep it out. */
static bool is_first_thread(const struct warp *warp, int lane)
{
    unsigned sum = 0;
    for (int i = 0; i < 3; i++)
        sum |= warp->block->id[i] | warp->thread[i][lane];
    return sum == 0;
}

/* A number of the launch by which the row may be multiplied, where rows are shorter: then `element`
 * is the first of a row that there is. 0: there is none. */
static uint64_t other_length(const struct launch *launch, const struct sim_allocation *array,
                             uint64_t element)
{
    const struct ptx_function *const ptx = launch->program->entry->ptx;
    for (int i = 0; i < ptx->param_count; i++) {
        uint32_t length = 0;
        if (ptx->params[i].type == PTX_U32 || ptx->params[i].type == PTX_S32)
            memcpy(&length, launch->params + ptx->params[i].offset, sizeof length);
        if (length > array->row && length <= INT32_MAX && element % length == 0 &&
            element / length < rows_of(array))
            return length;
    }
    return 0;
}

static uint64_t launch_shared_bytes(const struct warp *warp)
{
    return warp->worker->launch->shared_bytes;
}

/* Appends to the place of an access the row or column whose guard is missing. */
static void append_guard(const struct warp *warp, const struct instruction *at, int lane,
                         uint64_t address, unsigned bytes, char *text, size_t size)
{
    const struct sim_allocation *const nearest = sim_memory_nearest(address);
    char order[300];
    struct overrun overrun;
    uint64_t row, column, rows;
    enum { MOST_OF_THREAD = 16 };
    const uint64_t apart = sim_lanes_apart(warp, at) / sim_element_bytes(sim_source(warp, at));
    if (!nearest || address < nearest->end || distance_of(nearest, address) > FAR_AWAY)
        return;
    if (!sim_row_element(nearest, address, &row, &column)) {
        append_guard_of_vector(warp, at, lane, address, bytes, text, size);
        return;
    }
    rows = rows_of(nearest);
    const uint64_t other = other_length(warp->worker->launch, nearest, row * nearest->row + column);
    ask_of_order(warp->worker->launch, order, sizeof order);
    const bool is_overrun = sim_find_overrun(warp, at, lane, address, bytes, &overrun);
    const bool is_of_thread = lane > 0 && !(warp->absent >> (lane - 1) & 1);
    if (!is_overrun && !*order && say_exchanged(warp, lane, nearest, row, order, sizeof order)) {
        snprintf(text + strlen(text), size - strlen(text), "; %s", order);
        return;
    }
    const bool is_of_division = (is_overrun || is_of_thread) && !*order;
    if (is_of_division)
        ask_of_division(warp, lane, is_overrun ? &overrun : NULL, order, sizeof order);
    if (is_of_division && *order && has_exchanged(warp, lane, nearest, address)) {
        order[strlen(order) - strlen("Else ")] = '\0';
        snprintf(text + strlen(text), size - strlen(text),
                 "; %sOr are row and column exchanged in the index of %s?", order, nearest->name);
        return;
    }
    snprintf(text + strlen(text), size - strlen(text), "; %s", order);
    const size_t length = strlen(text);
    if (is_overrun && is_past_triangle(&overrun)) {
        snprintf(text + length, size - length,
                 "%s[%" PRIu64 "][%" PRIu64 "] lies above the diagonal, of which nothing is to be "
                 "read: does a condition keep to the columns up to the row's own number?",
                 overrun.array->name, overrun.row, overrun.column);
    } else if (is_overrun) {
        sim_say_overrun(&overrun, text + length, size - length);
        strncat(text, ", or a loop runs too far", size - strlen(text) - 1);
    } else if (!*order && nearest->row > 1 && apart > nearest->row) {
        snprintf(text + length, size - length,
                 "neighbouring threads' elements lie %" PRIu64 " apart, and a row is %" PRIu64
                 " long: is the row multiplied by another size than that%s?",
                 apart, (uint64_t)nearest->row,
                 apart <= MOST_OF_THREAD
                     ? ", or does a thread take so many of one row, past its end"
                     : "");
    } else if (!*order && row == rows && rows > 1 && number_of(warp, lane) == 0) {
        /* no guard on its own index can keep out the first thread */
        if (launch_shared_bytes(warp) > 0)
            snprintf(text + length, size - length,
                     "row %" PRIu64 " of %" PRIu64 ": a guard such as row < %" PRIu64
                     " is missing where the last tile hangs over the edge, or a loop over rows "
                     "runs too far, or either is by another size",
                     row, rows, rows);
        else
            snprintf(text + length, size - length,
                     "row %" PRIu64 " of %" PRIu64 ": a loop over rows runs too far%s", row, rows,
                     column == 0 ? ", as by <= in place of <" : "");
        if (nearest->row == 1)
            strncat(text, ", or the index takes rows to be longer than they are, 1 element",
                    size - strlen(text) - 1);
        else if (other)
            snprintf(text + strlen(text), size - strlen(text),
                     ", or the row is multiplied by %" PRIu64 ", where rows are %" PRIu64 " long",
                     other, (uint64_t)nearest->row);
    } else if (find_transposed(warp, &(struct overrun){nearest, row, column})) {
        snprintf(text + length, size - length,
                 "row %" PRIu64 " of %" PRIu64 ", and the %s has an element in row %" PRIu64
                 ", column %" PRIu64
                 ": are row and column exchanged, in the index of %s or in a guard such as row < "
                 "%" PRIu64 ", or is that missing?",
                 row, rows, nearest->is_input ? "output" : "input", row, column, nearest->name,
                 rows);
    } else if (!*order && row == rows && rows > 1 && is_first_thread(warp, lane)) {
        snprintf(text + length, size - length,
                 "row %" PRIu64 " of %" PRIu64
                 ", by the first thread of all: does a loop over rows end at another size than "
                 "%" PRIu64 ", or is a guard such as row < %" PRIu64 " missing in it?",
                 row, rows, rows, rows);
        if (other)
            snprintf(text + strlen(text), size - strlen(text),
                     " Or is the row multiplied by %" PRIu64 ", where rows are %" PRIu64 " long?",
                     other, (uint64_t)nearest->row);
    } else if (sim_is_flat(warp, at, bytes)) {
        const uint64_t count = (nearest->end - nearest->first) / nearest->element;
        snprintf(text + length, size - length,
                 "element %" PRIu64 " of %" PRIu64 ": a guard such as index < %" PRIu64
                 "%s is missing, or a loop runs too far",
                 row * nearest->row + column, count, count,
                 rows > 1 ? ", or one of the row or the column," : "");
    } else {
        snprintf(text + length, size - length,
                 "row %" PRIu64 " of %" PRIu64 ": a guard such as row < %" PRIu64
                 " is missing or compares with another size, or a loop runs too far, or the index "
                 "takes rows to be longer than they are, %" PRIu64
                 " elements, or exchanges row and column",
                 row, rows, rows, (uint64_t)nearest->row);
        if (column == 0 && row == rows && rows > 0)
            snprintf(text + strlen(text), size - strlen(text),
                     "; or it is one element too many, column %" PRIu64 " of row %" PRIu64,
                     (uint64_t)nearest->row, rows - 1);
    }
}

/* Says of an access to global memory where it lies. */
static void say_outside(const struct warp *warp, const struct instruction *at, int lane,
                        uint64_t address, unsigned bytes, enum access_kind kind, char *text,
                        size_t size)
{
    char what[330], where[900], thread[120], vectors[300] = "";
    struct overrun overrun;
    sim_name_thread(warp, lane, thread, sizeof thread);
    if (!sim_find_overrun(warp, at, lane, address, bytes, &overrun)) /* else its column tells */
        ask_of_vectors(warp, at, lane, address, bytes, vectors, sizeof vectors);
    locate(address, bytes, vectors, where, sizeof where);
    append_guard(warp, at, lane, address, bytes, where, sizeof where);
    name_outside(warp, at, address, bytes, what, sizeof what);
    snprintf(text, size, "out-of-bounds %s of %s by %s: %s", verb(kind), what, thread, where);
}

void sim_access_fault(struct warp *warp, const struct instruction *at, int lane, uint64_t address,
                      unsigned bytes, enum access_kind kind)
{
    if (address % bytes != 0)
        misaligned_fault(warp, at, lane, address, bytes, kind);
    if (address & WINDOW_MASK)
        window_fault(warp, at, lane, address, bytes, kind);
    const struct sim_allocation *const found = sim_memory_find(address);
    char where[900], thread[120], text[1400];
    sim_name_thread(warp, lane, thread, sizeof thread);
    if (found && found->is_input && address >= found->first && address + bytes <= found->end) {
        sim_name_global(address, bytes, where, sizeof where);
        sim_fault(
            warp, at, lane, SIM_INPUT_MODIFIED, address,
            "%s of %s by %s, an input: kernels may only read it, for others read it too; is this "
            "the output's pointer, or is a cast hiding a const?",
            verb(kind), where, thread);
    }
    if (found && is_cached_constant(warp, found) && address >= found->first &&
        address + bytes <= found->end) {
        sim_name_global(address, bytes, where, sizeof where);
        sim_fault(warp, at, lane, SIM_RACE, address,
                  "%s of %s by %s, constant memory, in a launch that reads constant memory: its "
                  "caches may keep the old value until the next launch; write it in a launch "
                  "before, or use a __device__ variable",
                  verb(kind), where, thread);
    }
    if (address < launch_shared_bytes(warp) && address >= bytes)
        sim_fault(warp, at, lane, SIM_OUT_OF_BOUNDS, address,
                  "out-of-bounds %s of %u bytes by %s: as an address of global memory that is a "
                  "null pointer plus %" PRIu64
                  "; it is one of the block's shared memory, too: is a "
                  "shared address (__cvta_generic_to_shared) used in an instruction of global "
                  "memory?",
                  verb(kind), bytes, thread, address);
    const size_t freed = found ? 0 : sim_heap_freed(address);
    if (freed)
        sim_fault(
            warp, at, lane, SIM_OUT_OF_BOUNDS, address,
            "out-of-bounds %s of %u bytes by %s: that lies in %zu bytes of malloc() that have "
            "been freed; free what others use after the last use of all (__syncthreads())",
            verb(kind), bytes, thread, freed);
    say_outside(warp, at, lane, address, bytes, kind, text, sizeof text);
    sim_fault(warp, at, lane, SIM_OUT_OF_BOUNDS, address, "%s", text);
}

/* ---- Reads that go a little too far ---- */

/* A GPU maps device memory in pages of 2 MiB, and host memory in those of the host. A read out of
 * bounds ends a launch there if nothing is in its page. */
static bool is_in_page_of(const struct sim_allocation *allocation, uint64_t address)
{
    const bool is_of_host =
        allocation->kind == SIM_MEMORY_HOST || allocation->kind == SIM_MEMORY_MANAGED;
    const uint64_t page = is_of_host ? 4096 : (uint64_t)2 << 20;
    return allocation->end > allocation->first && address / page >= allocation->first / page &&
           address / page <= (allocation->end - 1) / page;
}

/* What reads beyond an allocation find; valid until the host thread's next one. */
static _Thread_local _Alignas(16) char beyond[64];

bool sim_is_beyond(const char *storage)
{
    return storage == beyond;
}

/* If findings that may be harmless are warnings, a load from the page of an allocation, but not all
 * from within it, gets zeros for what lies outside. Many programs have such loads, whose values
 * they do not use. @return NULL: it is a fault */
static char *read_beyond(struct warp *warp, const struct instruction *at, int lane,
                         uint64_t address, unsigned bytes)
{
    if (!sim_only_warns() || address & WINDOW_MASK || address % bytes != 0 ||
        bytes > sizeof beyond || !ptx_does(sim_source(warp, at), PTX_LOADS) || !is_load(warp, at))
        return NULL;
    const struct sim_allocation *const nearest = sim_memory_nearest(address);
    if (!nearest || !is_in_page_of(nearest, address) || sim_heap_freed(address))
        return NULL;
    const uint64_t inside =
        address >= nearest->first && address < nearest->end ? nearest->end - address : 0;
    memset(beyond, 0, sizeof beyond);
    if (inside)
        memcpy(beyond, nearest->host + (address - nearest->address),
               inside < bytes ? inside : bytes);
    if (!sim_is_told(warp, at, SIM_OUT_OF_BOUNDS)) {
        char text[1400];
        say_outside(warp, at, lane, address, bytes, ACCESS_READ, text, sizeof text);
        sim_find(warp, at, lane, SIM_OUT_OF_BOUNDS, address,
                 "%s; harmless only if nothing uses what it finds, here 0 and on a GPU whatever is "
                 "there",
                 text);
    }
    return beyond;
}

/* ---- One lane ---- */

struct worker *sim_shared_owner(struct warp *warp, uint64_t address)
{
    const uint64_t rank = (address & ~WINDOW_MASK) >> CLUSTER_SHIFT;
    const struct cluster *const cluster = warp->worker->cluster;
    if (rank == 0)
        return warp->worker;
    return cluster && rank <= cluster->size ? cluster->members[rank - 1] : NULL;
}

/* An access to another block of the cluster that is not where that block has shared memory, or
 * comes after the block's end. */
__attribute__((noreturn)) static void cluster_fault(struct warp *warp, const struct instruction *at,
                                                    int lane, uint64_t address, unsigned bytes,
                                                    enum access_kind kind,
                                                    const struct worker *owner)
{
    const uint64_t offset = address & ((UINT64_C(1) << CLUSTER_SHIFT) - 1);
    char thread[120];
    sim_name_thread(warp, lane, thread, sizeof thread);
    if (owner->block.live_warps == 0)
        sim_fault(warp, at, lane, SIM_OUT_OF_BOUNDS, address,
                  "%s by %s of the shared memory of the block with rank %u, which has ended: a "
                  "barrier of the cluster (cluster.sync()) belongs between the last access to "
                  "another block's shared memory and the end of the kernel",
                  verb(kind), thread, owner->rank);
    sim_fault(warp, at, lane, SIM_OUT_OF_BOUNDS, address,
              "out-of-bounds %s of %u bytes at offset %" PRIu64
              " of the shared memory of the block with rank %u by %s; it has %" PRIu64 " bytes",
              verb(kind), bytes, offset, owner->rank, thread,
              sim_window_bytes(warp, SHARED_WINDOW));
}

char *sim_lane_storage(struct warp *warp, const struct instruction *at, int lane, uint64_t address,
                       unsigned bytes, enum access_kind kind)
{
    const uint64_t window = address & WINDOW_MASK, offset = address & ~WINDOW_MASK;
    struct access_cache *const cache = &warp->worker->caches[at->cache];
    if (address % bytes == 0) {
        if (window == 0 && (in_cache(cache, address, bytes) ||
                            (sim_fill_cache(warp, at, address) && in_cache(cache, address, bytes))))
            return (char *)(uintptr_t)(address + cache->bias);
        if (sim_is_in_cluster(address) && sim_shared_owner(warp, address)) {
            const uint64_t inside = offset & ((UINT64_C(1) << CLUSTER_SHIFT) - 1);
            struct worker *const owner = sim_shared_owner(warp, address);
            if (inside + bytes > sim_window_bytes(warp, window) || owner->block.live_warps == 0)
                cluster_fault(warp, at, lane, address, bytes, kind, owner);
            return owner->block.shared + inside;
        }
        if (offset + bytes <= sim_window_bytes(warp, window)) {
            if (window == SHARED_WINDOW)
                return warp->block->shared + offset;
            if (window == PARAM_WINDOW && kind == ACCESS_READ)
                return (char *)warp->worker->launch->params + offset;
        }
    }
    char *const storage = kind == ACCESS_READ ? read_beyond(warp, at, lane, address, bytes) : NULL;
    if (!storage)
        sim_access_fault(warp, at, lane, address, bytes, kind);
    return storage;
}

uint64_t sim_lane_address(const struct warp *warp, const struct instruction *at,
                          const struct places *places, const char *storage)
{
    return places->is_shared ? SHARED_WINDOW + (uint64_t)(storage - warp->block->shared)
                             : global_address(warp, at, storage);
}

/* The caches of this worker may still hold freed memory. */
void sim_refresh_caches(struct worker *worker)
{
    const uint32_t changes = atomic_load(&worker->launch->heap_changes);
    if (changes == worker->heap_changes)
        return;
    worker->heap_changes = changes;
    memset(worker->caches, 0, worker->launch->program->cache_count * sizeof *worker->caches);
}

/* Strong accesses are left to go lane by lane, as what they tell others is of one lane each. */
bool sim_lanes_are_alike(const struct warp *warp, const struct instruction *at, unsigned bytes,
                         const struct places *places)
{
    const struct access_cache *const cache = &warp->worker->caches[at->cache];
    const uint64_t bias = cache->bias;
    if (cache->tags || at->flags & FLAG_STRONG)
        return false;
    for (int lane = 0; lane < WARP_LANES; lane++) {
        const uint64_t address = places->address[lane] + places->plus;
        if (address % bytes != 0 || !find_in_cache(warp, at, address, bytes) || cache->tags ||
            cache->bias != bias)
            return false;
    }
    return true;
}

void sim_resolve_generic(struct warp *warp, const struct instruction *at, unsigned bytes,
                         struct places *places)
{
    const uint64_t *const address = places->address;
    if (!lanes_bits64(address, places->plus, WINDOW_MASK)) {
        resolve_device(warp, at, bytes, places);
        return;
    }
    uint64_t outside = 0;
    EACH_LANE
    {
        const uint64_t offset = address[lane] + places->plus - SHARED_WINDOW;
        outside |= offset >> 32;
        places->offset[lane] = (uint32_t)offset;
    }
    places->pattern = PATTERN_SLOW;
    if (!outside)
        resolve_shared(warp, bytes, places);
}
