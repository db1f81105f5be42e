/* Where a guard on the column is missing, the address looks like an element of the next row. The
 * other lanes show what was meant: neighbours access neighbouring elements from one row into the
 * next. */
#include "names.h"

#include <inttypes.h>
#include <stdio.h>

enum { VECTOR = 4 }; /* elements that a thread takes one by one where no vector fits */

bool sim_row_element(const struct sim_allocation *array, uint64_t address, uint64_t *row,
                     uint64_t *column)
{
    if (!array || !array->row || !array->name || address < array->first)
        return false;
    const uint64_t index = (address - array->first) / array->element;
    *row = index / array->row;
    *column = index % array->row;
    return true;
}

void sim_name_element(const struct sim_allocation *array, uint64_t row, uint64_t column, char *text,
                      size_t size)
{
    snprintf(text, size, "%s[%" PRIu64 "][%" PRIu64 "]", array->name, row, column);
}

/* The register with the global address of a load, a store, an atomic operation or a copy. */
static const uint64_t *addresses_of(const struct warp *warp, const struct instruction *at)
{
    const struct ptx_instruction *const source = sim_source(warp, at);
    if (!ptx_does(source, PTX_LOADS | PTX_STORES | PTX_ATOMIC | PTX_COPIES))
        return NULL;
    return sim_slot(warp, ptx_does(source, PTX_COPIES) ? at->b : at->a);
}

static bool is_next(const struct warp *warp, const uint64_t *address, int lane, unsigned bytes)
{
    return lane > 0 && address[lane - 1] + bytes == address[lane] &&
           warp->thread[0][lane - 1] + 1 == warp->thread[0][lane] &&
           warp->thread[1][lane - 1] == warp->thread[1][lane] &&
           warp->thread[2][lane - 1] == warp->thread[2][lane];
}

bool sim_is_flat(const struct warp *warp, const struct instruction *at, unsigned bytes)
{
    const unsigned *const grid = warp->worker->launch->request->grid;
    const unsigned *const block = warp->worker->launch->request->block;
    const uint64_t *const address = addresses_of(warp, at);
    int last = 0;
    while (address && last + 1 < WARP_LANES && is_next(warp, address, last + 1, bytes))
        last++;
    return last + 1 == WARP_LANES && grid[1] * grid[2] == 1 && block[1] * block[2] == 1;
}

uint64_t sim_lanes_apart(const struct warp *warp, const struct instruction *at)
{
    const uint64_t *const address = addresses_of(warp, at);
    const uint64_t apart = address && address[1] > address[0] ? address[1] - address[0] : 0;
    int last = 0;
    while (apart > 0 && last + 1 < WARP_LANES && is_next(warp, address, last + 1, (unsigned)apart))
        last++;
    return last + 1 == WARP_LANES ? apart : 0;
}

/* Where the run along a row begins that an access is part of: at the pointer `base`, if it lies in
 * the array and the instruction has a constant offset behind it, as in from[3]; else at the access.
 */
static uint64_t start_of(const struct instruction *at, uint64_t base)
{
    enum { MOST_ALONG = 128 };
    const struct sim_allocation *const array = sim_memory_find(base);
    return at->offset > 0 && array && base >= array->first && base < array->end &&
                   (uint64_t)at->offset < MOST_ALONG * array->element
               ? base
               : base + (uint64_t)at->offset;
}

bool sim_find_overrun(const struct warp *warp, const struct instruction *at, int lane,
                      uint64_t address, unsigned bytes, struct overrun *found)
{
    const uint64_t *const base = addresses_of(warp, at);
    const struct sim_allocation *array = sim_memory_find(address);
    uint64_t row, column, first_row, first_column;
    int first = lane;
    if (!base || base[lane] + (uint64_t)at->offset != address || sim_is_flat(warp, at, bytes))
        return false;
    while (is_next(warp, base, first, bytes) || is_next(warp, base, first, VECTOR * bytes))
        first--;
    const uint64_t start = start_of(at, base[first]);
    if (!array) /* `address` is behind its end */
        array = sim_memory_find(start);
    if (!sim_row_element(array, address, &row, &column) ||
        !sim_row_element(array, start, &first_row, &first_column) || first_row == row ||
        (first < lane && !is_next(warp, base, lane, bytes) && array->row <= VECTOR))
        return false;
    *found = (struct overrun){array, first_row, column + (row - first_row) * array->row};
    return true;
}

bool sim_find_overrun_of_warp(const struct warp *warp, const struct instruction *at,
                              uint64_t address, unsigned bytes, struct overrun *found)
{
    for (int lane = 0; lane < WARP_LANES; lane++)
        if (!(warp->absent >> lane & 1) && sim_find_overrun(warp, at, lane, address, bytes, found))
            return true;
    return false;
}

void sim_say_overrun(const struct overrun *overrun, char *text, size_t size)
{
    const struct sim_allocation *const array = overrun->array;
    char element[300];
    sim_name_element(array, overrun->row, overrun->column, element, sizeof element);
    snprintf(text, size,
             "%s, column %" PRIu64 " of %" PRIu64 ", runs into the next row: a guard such as "
             "column < %" PRIu64
             " is missing%s, or rows are taken to be of another length than %" PRIu64 " here",
             element, overrun->column, array->columns, array->columns,
             overrun->column == array->columns ? " or lets one too many through" : "",
             array->columns);
}
