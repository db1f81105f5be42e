/* A result can be right although every block computes all of it, and a tile although every warp
 * fills it. The bytes stored are then a multiple of the solution's, however wide accesses are. */
#include "exercise/goal_run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double REPEATED = 1.5; /* less may come from the ends of rows or tiles */

static double taken(const struct lab_row *row, const char *name)
{
    double value = 0.0;
    if (!lab_counters_get(&row->counters, name, &value))
        lab_counters_get(&row->simulated, name, &value);
    return value;
}

static double bytes_stored(const struct lab_row *row)
{
    return taken(row, "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum") *
           taken(row, "smsp__sass_average_data_bytes_per_sector_mem_global_op_st.pct");
}

/* A wavefront stores up to 128 bytes. Conflicts are left out: they only serve other lanes. */
static double wavefronts_stored(const struct lab_row *row)
{
    return taken(row, "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum") -
           taken(row, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum") +
           taken(row, "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ldgsts.sum") -
           taken(row, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ldgsts.sum");
}

/* A kernel with another grid, block or amount of shared memory may have another tile, which it
 * fills as often as it needs. */
static bool has_same_shape(const struct lab_kernel_facts *a, const struct lab_kernel_facts *b)
{
    return lab_shape_product(a->grid) == lab_shape_product(b->grid) &&
           lab_shape_product(a->block) == lab_shape_product(b->block) &&
           a->shared_bytes == b->shared_bytes;
}

/* ", at line 35": the line that executes most stores of the kind. */
static void put_line(const struct lab_row *row, const char *opcode, char *text, size_t size)
{
    const struct lab_sim_opcode *most = NULL;
    for (int i = 0; i < row->lines.opcode_count; i++) {
        const struct lab_sim_opcode *const o = &row->lines.opcodes[i];
        if (strstr(o->opcode, opcode) == o->opcode &&
            (!most || o->warp_instructions > most->warp_instructions))
            most = o;
    }
    text[0] = '\0';
    if (most)
        snprintf(text, size, ", at line %d", most->line);
}

/* Whether each of `count` does what others do: all of the work, or all after its own part. */
static bool is_done_by_each(double times, double count)
{
    return count > 1.0 && times > 0.45 * count && times < 1.05 * count;
}

static void put_stored(const struct lab_row *row, double times, char text[LAB_REPEATED_BYTES])
{
    const double blocks = lab_shape_product(row->kernel.grid),
                 threads = lab_shape_product(row->kernel.block);
    char line[32];
    int used;
    put_line(row, "st.global", line, sizeof line);
    used = snprintf(text, LAB_REPEATED_BYTES, "each element is stored %s%.4g times%s",
                    fabs(times - nearbyint(times)) < 0.01 ? "" : "about ", times, line);
    if (is_done_by_each(times, blocks))
        snprintf(text + used, LAB_REPEATED_BYTES - (size_t)used,
                 ", and %.0f blocks run: do the blocks do each other's work? A loop whose "
                 "iterations all "
                 "blocks share goes on by the threads of the whole grid",
                 blocks);
    else
        snprintf(
            text + used, LAB_REPEATED_BYTES - (size_t)used,
            ", and a block has %.0f threads: do they do each other's work? A loop whose iterations "
            "threads share goes on by as many as share them",
            threads);
}

static void put_filled(const struct lab_row *row, double times, char text[LAB_REPEATED_BYTES])
{
    char line[32];
    put_line(row, "st.shared", line, sizeof line);
    if (!*line)
        put_line(row, "cp.async", line, sizeof line);
    snprintf(text, LAB_REPEATED_BYTES,
             "%.4g times as much is stored to shared memory as by the solution%s, though the tiles "
             "are no larger: do the threads store each other's elements? A loop that fills a tile "
             "goes on by the number of threads that fill it; a block has %.0f",
             times, line, lab_shape_product(row->kernel.block));
}

void lab_repeated_write(const struct lab_row *row, const struct lab_row *solution,
                        char text[LAB_REPEATED_BYTES])
{
    const struct lab_kernel_facts *const kernel = &row->kernel, *const other = &solution->kernel;
    text[0] = '\0';
    if (!kernel->known || !other->known || kernel->launches != 1 || other->launches != 1)
        return;
    const double stored = bytes_stored(row) / fmax(bytes_stored(solution), 1.0);
    const double filled = wavefronts_stored(row) / fmax(wavefronts_stored(solution), 1.0);
    if (stored >= REPEATED)
        put_stored(row, stored, text);
    else if (filled >= REPEATED && wavefronts_stored(solution) > 0.0 &&
             has_same_shape(kernel, other))
        put_filled(row, filled, text);
}
