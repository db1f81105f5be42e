/* Putting the rows of a run together. */
#include "run/rows.h"

#include "run/step_file.h"
#include "series/registry.h"

#include <stdio.h>
#include <string.h>

/* Target names outlive a run: they are those of the command line, or these. */
static const char *stored_target(const struct lab_registry_entry *entry)
{
    static char names[LAB_MAX_ROWS][16]; /* one per step, written with the same text every time */
    int count;
    long index = entry - lab_registry(&count);
    snprintf(names[index], sizeof names[index], "step%s", entry->number);
    return names[index];
}

static const char *parent_of(const char *target)
{
    const struct lab_registry_entry *entry = lab_registry_target(target);
    const struct lab_registry_entry *parent = entry ? lab_registry_find(entry->parent) : NULL;
    return parent ? stored_target(parent) : "";
}

static struct lab_row *add(struct lab_result *result)
{
    if (result->row_count == LAB_MAX_ROWS)
        return NULL;
    struct lab_row *row = &result->rows[result->row_count++];
    *row = (struct lab_row){.target = "", .parent = ""};
    return row;
}

static struct lab_row *add_step_row(struct lab_result *result, const struct lab_step *step,
                                    int index, const char *target, bool with_target_name)
{
    const struct lab_family *family = lab_family_find(step->family);
    struct lab_row *row = add(result);
    if (!row)
        return NULL;
    row->step = step;
    row->index = index;
    row->target = target;
    row->parent = parent_of(target);
    row->is_reference =
        family->reference_in_step && strcmp(lab_row_of(step, index)->name, family->reference) == 0;
    snprintf(row->name, sizeof row->name, "%s%s%s", with_target_name ? target : "",
             with_target_name ? "." : "", lab_row_of(step, index)->name);
    return row;
}

static void add_reference_of_step(struct lab_result *result, const struct lab_family *family,
                                  const char *target)
{
    char why[256];
    const struct lab_step *step = lab_step_file_load(target, why, sizeof why);
    for (int i = 0; step && i < step->row_count; i++)
        if (lab_family_find(step->family) == family &&
            strcmp(step->rows[i].name, family->reference) == 0)
            add_step_row(result, step, i, target, false)->is_baseline = true;
}

void lab_rows_add_reference(struct lab_result *result, const struct lab_family *family,
                            const char *target)
{
    if (family->reference_in_step) {
        add_reference_of_step(result, family, target);
        return;
    }
    struct lab_row *row = add(result);
    row->index = LAB_REFERENCE_ROW;
    row->is_baseline = row->is_reference = true;
    snprintf(row->name, sizeof row->name, "%s", family->reference);
    for (int i = 0; family->also && family->also[i] && (row = add(result)); i++) {
        row->index = LAB_ALSO_ROW - i;
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
        if (!(lab_row_of(row->step, row->index)->flags & LAB_ROW_ADDS_ATOMICALLY) ||
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

int lab_rows_add_step(struct lab_result *result, const struct lab_step *step, const char *target,
                      const char *variant, bool with_target_name)
{
    int added = 0;
    for (int i = 0; i < step->row_count; i++)
        if (!variant || strcmp(variant, step->rows[i].name) == 0)
            added += add_step_row(result, step, i, target, with_target_name) != NULL;
    return added;
}

static void add_baseline(struct lab_result *result, const struct lab_registry_entry *entry,
                         const struct lab_family *family)
{
    char why[256];
    const struct lab_step *step =
        entry ? lab_step_file_load(stored_target(entry), why, sizeof why) : NULL;
    if (!step || lab_family_find(step->family) != family)
        return;
    struct lab_row *row =
        add_step_row(result, step, step->row_count - 1, stored_target(entry), true);
    if (row)
        row->is_baseline = true;
}

void lab_rows_add_baselines(struct lab_result *result, const char *target,
                            const struct lab_family *family)
{
    const struct lab_registry_entry *entry = lab_registry_target(target);
    const struct lab_registry_entry *first = lab_registry_find("01");
    const struct lab_registry_entry *parent = lab_registry_find(entry->parent);
    if (entry != first)
        add_baseline(result, first, family);
    if (parent && parent != first)
        add_baseline(result, parent, family);
}

void lab_rows_drop_unfit(struct lab_result *result, const struct lab_options *options)
{
    int kept = 0;
    for (int i = 0; i < result->row_count; i++) {
        const struct lab_row *row = &result->rows[i];
        if (!row->step || !result->family->row_fits ||
            result->family->row_fits(options, row->step, row->index))
            result->rows[kept++] = *row;
    }
    result->row_count = kept;
}
