/* The matrices of family apsp in files: distances, and the vertices after the first, as text or
 * raw.
 */
#include "families/apsp/apsp.h"

#include "base/files.h"
#include "base/status.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

/* What a raw file begins with. The rows follow, as on the device. */
struct raw_header {
    char magic[8];                /* "LABAPSP" and a zero */
    uint32_t version, type;       /* 1; 0 f32, 1 s32, 2 u16, 3 numbers of vertices from 0 */
    uint32_t n, bytes_of_element; /* rows and columns */
    uint64_t no_path;             /* the element that means "no path" */
};

enum { TYPE_VERTICES = 3 };

/* The element that means "no path". */
static uint64_t no_path_of(const struct apsp *p)
{
    union {
        float value;
        uint32_t bits;
    } zero = {(float)p->ring->zero};
    if (p->type == LAB_APSP_F32)
        return zero.bits;
    return p->ring->zero == 0.0 ? 0 : p->type == LAB_APSP_S32 ? INT_MAX : USHRT_MAX;
}

static struct raw_header distance_header(const struct apsp *p)
{
    return (struct raw_header){.magic = "LABAPSP",
                               .version = 1,
                               .type = p->type,
                               .n = (uint32_t)p->n,
                               .bytes_of_element = (uint32_t)apsp_element_bytes(p),
                               .no_path = no_path_of(p)};
}

static struct raw_header next_header(const struct apsp *p)
{
    return (struct raw_header){.magic = "LABAPSP",
                               .version = 1,
                               .type = TYPE_VERTICES,
                               .n = (uint32_t)p->n,
                               .bytes_of_element = sizeof(int),
                               .no_path = UINT32_MAX};
}

static void write_csv_head(const struct apsp *p, FILE *file)
{
    fputs("to", file);
    for (int j = 0; j < p->n; j++)
        fprintf(file, ",%lld", lab_graph_label(&p->graph, j));
    fputc('\n', file);
}

static cudaError_t write_distance_row(struct apsp *p, int i, bool csv, FILE *file)
{
    const cudaError_t status = apsp_fetch_row(p, i);
    if (!csv)
        fwrite(p->row_bytes, apsp_element_bytes(p), p->n, file);
    for (int j = 0; csv && j < p->n; j++)
        fprintf(file, ",%.9g", apsp_shown(p, p->row_values[j]));
    return status;
}

static cudaError_t write_next_row(struct apsp *p, int i, bool csv, FILE *file)
{
    const cudaError_t status = apsp_fetch_next(p, i);
    if (!csv)
        fwrite(p->row_next, sizeof(int), p->n, file);
    for (int j = 0; csv && j < p->n; j++)
        if (p->row_next[j] < 0)
            fputc(',', file);
        else
            fprintf(file, ",%lld", lab_graph_label(&p->graph, p->row_next[j]));
    return status;
}

typedef cudaError_t write_row_fn(struct apsp *p, int i, bool csv, FILE *file);

static int write_matrix(struct apsp *p, const char *option, const char *path,
                        const struct raw_header *header, write_row_fn *write_row)
{
    const char *ending = strrchr(path, '.');
    const bool csv = ending && strcmp(ending, ".csv") == 0;
    struct lab_new_file whole;
    cudaError_t status = cudaSuccess;
    if (!lab_new_file_begin(&whole, path))
        return lab_complain(LAB_EXIT_USAGE, "%s %s: %s", option, path, strerror(errno));
    FILE *file = whole.stream;
    if (csv)
        write_csv_head(p, file);
    else
        fwrite(header, sizeof *header, 1, file);
    for (int i = 0; i < p->n && status == cudaSuccess && !ferror(file); i++) {
        if (csv)
            fprintf(file, "%lld", lab_graph_label(&p->graph, i));
        status = write_row(p, i, csv, file);
        if (csv)
            fputc('\n', file);
    }
    if (status != cudaSuccess)
        lab_new_file_drop(&whole);
    else if (!lab_new_file_end(&whole))
        return lab_complain(errno == ENOSPC ? LAB_EXIT_MISSING : LAB_EXIT_USAGE, "%s %s: %s",
                            option, path, strerror(errno));
    return status == cudaSuccess ? LAB_EXIT_OK
                                 : lab_complain(LAB_EXIT_FAILED, "reading the result: %s",
                                                cudaGetErrorString(status));
}

int apsp_write_distances(struct apsp *p, const char *path)
{
    const struct raw_header header = distance_header(p);
    return write_matrix(p, "--out", path, &header, write_distance_row);
}

int apsp_write_next(struct apsp *p, const char *path)
{
    const struct raw_header header = next_header(p);
    return write_matrix(p, "--next", path, &header, write_next_row);
}
