/* No counter shows the grid, or what a block takes. So both are said beside the solution's
 * figures. */
#include "exercise/goal_run.h"

#include <stdio.h>

static const double FEWER = 0.8; /* share of the solution's */
static const double MANY = 4.0;
static const double MORE_WORK = 1.1;
static const double MORE = 2.0; /* times its instructions; else threads only do less work */

/* What keeps more blocks out of a multiprocessor. */
static void put_bound(const struct lab_kernel_facts *kernel, char *text, size_t size)
{
    const struct lab_residency *const held = &kernel->residency;
    if (held->blocks == held->by_shared)
        snprintf(text, size, "more have no room for their %zu bytes of shared memory",
                 kernel->shared_bytes);
    else if (held->blocks == held->by_registers)
        snprintf(text, size, "more have no room for the %d registers of each thread",
                 kernel->registers);
    else if (held->blocks == held->by_warps)
        snprintf(text, size, "that is all of its warps");
    else
        snprintf(text, size, "it holds no more blocks, however small they are");
}

/* Blocks without a tile, or without elements, store nothing. */
static double stores_of(const struct lab_row *row)
{
    static const char *const names[] = {"smsp__inst_executed_op_global_st.sum",
                                        "smsp__inst_executed_op_global_red.sum",
                                        "smsp__sass_inst_executed_op_global_atom.sum"};
    double all = 0.0, value;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (lab_counters_get(&row->counters, names[i], &value) ||
            lab_counters_get(&row->simulated, names[i], &value))
            all += value;
    return all;
}

bool lab_residents_may_idle(const struct lab_row *row, const struct lab_row *solution)
{
    const struct lab_kernel_facts *const mine = &row->kernel, *const other = &solution->kernel;
    return mine->known && other->known && stores_of(row) <= stores_of(solution) &&
           lab_shape_product(mine->block) == lab_shape_product(other->block) &&
           mine->shared_bytes == other->shared_bytes &&
           lab_shape_product(mine->grid) > lab_shape_product(other->grid);
}

void lab_residents_write_few(const struct lab_row *row, const struct lab_row *solution,
                             const struct lab_device *device, char text[LAB_RESIDENTS_BYTES])
{
    const struct lab_kernel_facts *const mine = &row->kernel, *const other = &solution->kernel;
    const double blocks = lab_shape_product(mine->grid), others = lab_shape_product(other->grid);
    const int sms = device->properties.multiProcessorCount;
    char bound[120];
    text[0] = '\0';
    if (!mine->known || !other->known || mine->residency.blocks < 1)
        return;
    put_bound(mine, bound, sizeof bound);
    if (blocks < FEWER * others && blocks < FEWER * sms)
        snprintf(text, LAB_RESIDENTS_BYTES,
                 "%.0f block%s launched, and %d multiprocessors hold %d of these at once; the "
                 "solution launches %.0f",
                 blocks, blocks == 1.0 ? " is" : "s are", sms, sms * mine->residency.blocks,
                 others);
    else if (mine->occupancy <= FEWER * other->occupancy)
        snprintf(text, LAB_RESIDENTS_BYTES,
                 "occupancy %.0f%%, the solution's %.0f%%: a multiprocessor holds %d block%s of "
                 "%.0f threads, and %s",
                 100.0 * mine->occupancy, 100.0 * other->occupancy, mine->residency.blocks,
                 mine->residency.blocks == 1 ? "" : "s", lab_shape_product(mine->block), bound);
}

void lab_residents_write_work(const struct lab_row *row, const struct lab_row *solution,
                              char text[LAB_RESIDENTS_BYTES])
{
    text[0] = 0;
    if (row->kernel.known && solution->kernel.known &&
        (double)row->instructions > MORE_WORK * (double)solution->instructions)
        snprintf(text, LAB_RESIDENTS_BYTES,
                 "occupancy %.0f%%, the solution's %.0f%%, but %.3g times as many instructions",
                 100.0 * row->kernel.occupancy, 100.0 * solution->kernel.occupancy,
                 (double)row->instructions / (double)solution->instructions);
}

void lab_residents_write_many(const struct lab_row *row, const struct lab_row *solution,
                              char text[LAB_RESIDENTS_BYTES])
{
    const struct lab_per_launch *const mine = &row->per_launch, *const other =
                                                                    &solution->per_launch;
    text[0] = '\0';
    if ((double)row->instructions < MORE * (double)solution->instructions)
        return;
    for (int i = 0; i < mine->count && mine->count == other->count && !text[0]; i++) {
        const struct lab_kernel_facts *const a = &mine->list[i].kernel, *const b =
                                                                            &other->list[i].kernel;
        const double blocks = lab_shape_product(a->grid), others = lab_shape_product(b->grid);
        const double threads = lab_shape_product(a->block);
        char which[48] = "";
        if (mine->count > 1)
            snprintf(which, sizeof which, "launch %d of %d has ", i + 1, mine->count);
        if (a->known && b->known && blocks * threads >= MANY * others * lab_shape_product(b->block))
            snprintf(text, LAB_RESIDENTS_BYTES,
                     "%s%.0f blocks of %.0f threads%s, the solution's %.0f of %.0f%s", which,
                     blocks, threads, mine->count > 1 ? "" : " run", others,
                     lab_shape_product(b->block),
                     lab_residents_may_idle(row, solution) ? ": do most threads find nothing to do?"
                                                           : "");
    }
}
