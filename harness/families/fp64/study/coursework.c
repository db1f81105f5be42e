/* The two tables of the course paper, on a Tesla M2070, with the copies; the text also gives its
 * best kernels without copies. The last line of the second table is a bound: it has no reduction,
 * so its results are wrong. Its two best lines may be of two tiles, (16,2,32) as in the table or
 * (16,2,16) as in the listing, so both are here. Which version changes which follows from the
 * text. */
#include "families/fp64/study/coursework.h"

#include <string.h>

static const char device[] = "Tesla M2070";

static const struct fp64_version triangular[] = {
    {"global", NULL, 7.4, 0},
    {"global_short", "global", 0, 0},
    {"global_rolled", "global", 0, 0},
    {"global_short_rolled", "global_rolled", 0, 0},
    {"global_64_threads", "global", 0, 0},
    {"shared_a", "global", 11.3, 0},
    {"shared_a_one_barrier", "shared_a", 0, 0},
    {"shared_ab", "shared_a", 19.2, 0},
    {"shared_ab_split", "shared_ab", 25.7, 0},
    {"blocks_2d", "shared_ab_split", 0, 0},
    {"blocks_2d_rolled", "blocks_2d", 0, 0},
    {"blocks_2d_short_rolled", "blocks_2d_rolled", 0, 0},
    {"blocks_2d_short", "shared_ab_split", 78.6, 86.6},
    {0},
};

static const struct fp64_version symmetric[] = {
    {"global", NULL, 8.9, 0},
    {"global_cut_warps", "global", 0, 0},
    {"tile", "global", 13.7, 0},
    {"shared_work", "tile", 19.9, 0},
    {"shared_work_padded", "shared_work", 0, 0},
    {"shared_work_coalesced", "shared_work", 0, 0},
    {"shared_work_padded_coalesced", "shared_work", 49.2, 87.0},
    {"listing_ints", "listing", 0, 0},
    {"listing", "shared_work", 49.2, 87.0},
    {"blocks_3d_reduction", "shared_work_padded_coalesced", 0, 0},
    {"blocks_3d_atomics", "shared_work_padded_coalesced", 0, 0},
    {"blocks_3d_bound", "shared_work_padded_coalesced", 42.0, 0},
    {"listing_3d_bound", "listing", 42.0, 0},
    {0},
};

/* The report does not say how large its second problem is. Its figures with and without the copies
 * fit a cube of about 100. 96 and 128 are the nearest sizes that all its tiles divide. */
static const struct fp64_coursework coursework[] = {
    {"trmm", device, triangular, {2048}, {256}},
    {"syr2k", device, symmetric, {96, 112, 128}, {48}},
};

const struct fp64_coursework *fp64_coursework_find(const char *family)
{
    for (size_t i = 0; i < sizeof coursework / sizeof *coursework; i++)
        if (strcmp(coursework[i].family, family) == 0)
            return &coursework[i];
    return NULL;
}

const struct fp64_version *fp64_version_find(const struct fp64_coursework *coursework,
                                             const char *row)
{
    for (const struct fp64_version *v = coursework->versions; v->row; v++)
        if (strcmp(v->row, row) == 0)
            return v;
    return NULL;
}
