/* Putting the rows of a run together. */
#include "run/rows.h"

#include "run/step_file.h"
#include "series/registry.h"

#include <stdio.h>
#include <string.h>

static struct lab_row *add(struct lab_result *result)
{
    if (result->row_count == LAB_MAX_ROWS)
        return NULL;
    struct lab_row *row = &result->rows[result->row_count++];
    *row = (struct lab_row){.target = ""};
    return row;
}

static struct lab_row *add_row(struct lab_result *result, const struct lab_loaded *file, int index,
                               const char *prefix)
{
    const struct lab_family *family = lab_family_find(file->step->family);
    struct lab_row *row = add(result);
    if (!row)
        return NULL;
    row->step = file->step;
    row->index = index;
    row->target = file->target;
    row->stage = file->stage;
    row->source = file->source;
    const char *name = lab_variant_of(file->step, index)->name;
    row->is_reference = family->reference_in_step && strcmp(name, family->reference) == 0;
    row->shows_error = lab_variant_of(file->step, index)->flags & LAB_SHOWS_ERROR;
    row->has_tensor_doubles = lab_variant_of(file->step, index)->flags & LAB_TENSOR_DOUBLES;
    snprintf(row->name, sizeof row->name, "%s%s%s", prefix ? prefix : "", prefix ? "." : "", name);
    return row;
}

static void add_reference_of_step(struct lab_result *result, const struct lab_family *family,
                                  const char *target)
{
    char why[256];
    int count;
    const struct lab_registry_entry *entry = lab_registry_target(target);
    const struct lab_stage *stages = entry ? lab_registry_stages(entry->target, &count) : NULL;
    for (int i = 0; stages && i < count; i++) {
        struct lab_loaded file = {lab_step_file_load(target, &stages[i], why, sizeof why), target,
                                  &stages[i], NULL};
        for (int r = 0; file.step && r < file.step->variant_count; r++)
            if (lab_family_find(file.step->family) == family &&
                strcmp(file.step->variants[r].name, family->reference) == 0)
                add_row(result, &file, r, NULL)->is_baseline = true;
    }
}

void lab_rows_add_reference(struct lab_result *result, const struct lab_family *family,
                            const char *target)
{
    if (family->reference_in_step) {
        add_reference_of_step(result, family, target);
        return;
    }
    struct lab_row *row = add(result);
    row->index = LAB_REFERENCE;
    row->is_baseline = row->is_reference = true;
    snprintf(row->name, sizeof row->name, "%s", family->reference);
    for (int i = 0; family->also && family->also[i] && (row = add(result)); i++) {
        row->index = LAB_FURTHER_REFERENCE - i;
        row->is_baseline = true;
        snprintf(row->name, sizeof row->name, "%s", family->also[i]);
    }
}

int lab_rows_add_deterministic(struct lab_result *result, int first)
{
    int added = 0;
    for (int i = first; i < result->row_count; i++) {
        const struct lab_row *row = &result->rows[i];
        int index = row->index | LAB_DETERMINISTIC_FORM;
        if (!(lab_variant_of(row->step, row->index)->flags & LAB_ADDS_ATOMICALLY) ||
            index == row->index || result->row_count == LAB_MAX_ROWS)
            continue;
        memmove(&result->rows[i + 2], &result->rows[i + 1],
                (result->row_count - i - 1) * sizeof *result->rows);
        result->row_count++;
        struct lab_row *more = &result->rows[++i];
        *more = result->rows[i - 1];
        more->index = index;
        strncat(more->name, "_deterministic", sizeof more->name - strlen(more->name) - 1);
        added++;
    }
    return added;
}

bool lab_variant_named(const char *list, const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = list; at; at = strchr(at, ',')) {
        at += *at == ',';
        if (strncmp(at, name, length) == 0 && (at[length] == ',' || at[length] == '\0'))
            return true;
    }
    return !list;
}

int lab_rows_add(struct lab_result *result, const struct lab_loaded *file, const char *prefix,
                 const char *variant)
{
    int added = 0;
    for (int i = 0; i < file->step->variant_count; i++)
        if (lab_variant_named(variant, file->step->variants[i].name))
            added += add_row(result, file, i, prefix) != NULL;
    return added;
}

static void add_baseline(struct lab_result *result, const struct lab_stage *stage,
                         const struct lab_family *family)
{
    char why[256];
    const char *step = lab_registry_entry_of(stage)->target;
    struct lab_loaded file = {lab_step_file_load(step, stage, why, sizeof why), step, stage, NULL};
    if (!file.step || lab_family_find(file.step->family) != family)
        return;
    struct lab_row *row = add_row(result, &file, file.step->variant_count - 1, step);
    if (row)
        row->is_baseline = true;
}

void lab_rows_add_baselines(struct lab_result *result, const struct lab_stage *own, int count,
                            const struct lab_family *family)
{
    const struct lab_stage *first = lab_registry_first_of(family->options->name);
    const struct lab_stage *parent = lab_registry_stage(own->parent);
    for (int i = 0; i < count; i++)
        first = first == own + i ? NULL : first;
    if (first)
        add_baseline(result, first, family);
    if (parent && parent != first)
        add_baseline(result, parent, family);
}

void lab_rows_drop_unfit(struct lab_result *result, const struct lab_options *options)
{
    int kept = 0;
    for (int i = 0; i < result->row_count; i++) {
        const struct lab_row *row = &result->rows[i];
        if (!row->step || !result->family->variant_fits ||
            result->family->variant_fits(options, row->step, row->index))
            result->rows[kept++] = *row;
    }
    result->row_count = kept;
}
