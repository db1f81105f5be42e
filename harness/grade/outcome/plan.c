/* Plans and reports as bytes on a file and a pipe between two processes of this program. */
#include "grade/outcome/outcome.h"

#include "base/text.h"
#include "exercise/goal_file.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* --- drawing what is hidden --------------------------------------------------------------------*/

/* FNV-1a (Fowler, Noll, Vo; public domain constants). */
static uint64_t hash_text(uint64_t hash, const char *text)
{
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * 0x100000001B3u;
    return hash;
}

/* What an item draws depends on nothing but the secret, its line, and its place. */
static struct lab_plan_item *add_test(struct lab_plan *plan, const char *line, bool visible,
                                      const char *secret)
{
    if (plan->count == LAB_PLAN_MOST)
        return NULL;
    uint64_t first =
        hash_text(hash_text(0xCBF29CE484222325u, secret), line) + (unsigned)plan->count;
    uint64_t *const state = &first;
    struct lab_plan_item *item = &plan->items[plan->count++];
    *item = (struct lab_plan_item){.visible = visible, .scored = true};
    char drawn[LAB_EXERCISE_LINE];
    lab_drawn_line(line, visible ? LAB_DRAWN_ANEW : LAB_DRAWN_HIDDEN, state, drawn);
    memcpy(item->name, drawn, sizeof drawn);
    snprintf(item->options, sizeof item->options, "%.200s --seed %llu", drawn,
             (unsigned long long)(lab_draw(state) >> 1));
    return item;
}

static bool is_speed(const struct lab_exercise_goal *goal)
{
    return strcmp(goal->counter, "speed") == 0;
}

/* Adds a goal that is a measured share of the solution's speed. */
static struct lab_plan_item *add_timed(struct lab_plan *plan, const struct lab_exercise *exercise,
                                       double bar, const char *secret)
{
    const char *options = plan->timing.rehearsal ? plan->timing.options : exercise->timed;
    struct lab_plan_item *item = add_test(plan, options, true, secret);
    if (!item)
        return NULL;
    item->is_goal = item->timed = true;
    item->scored = bar > 0.0;
    item->bar = bar;
    snprintf(item->name, sizeof item->name, "speed (%.180s%s)", options,
             plan->timing.rehearsal ? "; rehearsed" : "");
    return item;
}

/* Gives a goal the problem of an earlier one that is written with the same sizes, so that one run
 * has the figures of both. */
static void share_problem(const struct lab_plan *plan, struct lab_plan_item *item)
{
    for (const struct lab_plan_item *i = plan->items; i < item; i++)
        if (i->is_goal && !i->timed && strcmp(i->goal.drawn, item->goal.drawn) == 0)
            memcpy(item->options, i->options, sizeof item->options);
}

/* Adds a goal that is a counter or a modelled speed. Its name has the sizes that students know. */
static struct lab_plan_item *add_goal(struct lab_plan *plan, const struct lab_exercise_goal *goal,
                                      bool is_again, const char *secret)
{
    const bool is_drawn = strcmp(goal->drawn, goal->options) != 0;
    struct lab_plan_item *item = add_test(plan, goal->drawn, !is_again, secret);
    if (!item)
        return NULL;
    item->is_goal = item->visible = true;
    item->scored = !lab_exercise_goal_guards(goal);
    item->goal = *goal;
    share_problem(plan, item);
    snprintf(item->name, sizeof item->name, "%s (%s%.180s%s)", goal->label,
             is_drawn ? "sizes drawn in place of " : "", goal->options,
             is_speed(goal) || lab_exercise_goal_is_pace(goal) ? "; modelled" : "");
    snprintf(item->goal.options, sizeof item->goal.options, "%s", item->options);
    return item;
}

/* Adds a goal once more, at sizes of which students see nothing. */
static bool add_again(struct lab_plan *plan, int of, const char *secret)
{
    struct lab_exercise_goal goal = plan->items[of].goal;
    snprintf(goal.drawn, sizeof goal.drawn, "%s", goal.also);
    struct lab_plan_item *item = add_goal(plan, &goal, true, secret);
    if (!item)
        return false;
    item->again = of;
    item->scored = false;
    snprintf(item->name, sizeof item->name, "%s (sizes that are not shown%s)", goal.label,
             is_speed(&goal) ? "; modelled" : "");
    return true;
}

int lab_plan_make(const struct lab_exercise *exercise, const char *secret, struct lab_plan *plan)
{
    plan->count = 0;
    for (int i = 0; i < exercise->test_count; i++)
        add_test(plan, exercise->tests[i], true, secret);
    for (int i = 0; i < exercise->hidden_count; i++)
        add_test(plan, exercise->hidden[i], false, secret);
    bool good = true, asked = false;
    for (int i = 0; i < exercise->goal_count && good; i++) {
        const struct lab_exercise_goal *goal = &exercise->goals[i];
        bool timed = plan->timing.wanted && is_speed(goal);
        asked = asked || timed;
        good = timed ? add_timed(plan, exercise, goal->factor, secret) != NULL
                     : add_goal(plan, goal, false, secret) != NULL;
    }
    for (int i = 0, count = plan->count; i < count && good; i++)
        good = !plan->items[i].goal.also[0] || add_again(plan, i, secret);
    if (good && plan->timing.wanted && !asked)
        good = add_timed(plan, exercise, plan->speed_share, secret) != NULL;
    if (!good)
        return lab_complain(LAB_EXIT_MISSING, "more than %d tests and goals", LAB_PLAN_MOST);
    return LAB_EXIT_OK;
}

/* --- on file -----------------------------------------------------------------------------------*/

bool lab_plan_write(const struct lab_plan *plan, const char *path)
{
    FILE *file = fopen(path, "wb");
    bool written = file && fchmod(fileno(file), 0600) == 0 && /* it has what is hidden */
                   fwrite(plan, sizeof *plan, 1, file) == 1;
    if (file && fclose(file) != 0)
        written = false;
    return written;
}

bool lab_plan_read(struct lab_plan *plan, const char *path)
{
    FILE *file = fopen(path, "rb");
    bool read = file && fread(plan, sizeof *plan, 1, file) == 1;
    if (file)
        fclose(file);
    return read && plan->count >= 0 && plan->count <= LAB_PLAN_MOST;
}

/* --- reports -----------------------------------------------------------------------------------*/

void lab_plan_say(FILE *stream, const struct lab_plan_report *report)
{
    char text[sizeof report->message];
    lab_printable(report->message, true, text, sizeof text);
    for (char *c = text; *c; c++)
        if (*c == '\n' || *c == '\t')
            *c = ' ';
    const struct lab_speed *v = &report->speed;
    fprintf(stream,
            "%d %d %d %.9g %.9g %d %d %d %.9g %.9g %.9g %.9g %.9g %.9g %.9g %.9g %.9g\t%s\n",
            report->item, (int)report->status, report->met, report->got, report->solution,
            (int)v->verdict, v->pairs, v->rehearsed, v->bar, v->confidence, v->floor_ms, v->share,
            v->low, v->high, v->submission_ms, v->solution_ms, v->overhead_ms, text);
    fflush(stream);
}

bool lab_plan_hear(const char *line, struct lab_plan_report *report)
{
    int status = 0, met = 0, used = 0, verdict = 0, rehearsed = 0;
    *report = (struct lab_plan_report){.item = -1};
    struct lab_speed *v = &report->speed;
    if (sscanf(line, "%d %d %d %lg %lg %d %d %d %lg %lg %lg %lg %lg %lg %lg %lg %lg%n",
               &report->item, &status, &met, &report->got, &report->solution, &verdict, &v->pairs,
               &rehearsed, &v->bar, &v->confidence, &v->floor_ms, &v->share, &v->low, &v->high,
               &v->submission_ms, &v->solution_ms, &v->overhead_ms, &used) != 17 ||
        line[used] != '\t' || status < 0 || status > LAB_CHECK_NOT_RUN || verdict < 0 ||
        verdict > LAB_SPEED_IMPOSSIBLE)
        return false;
    report->status = (enum lab_check_status)status;
    report->met = met != 0;
    v->verdict = (enum lab_speed_verdict)verdict;
    v->rehearsed = rehearsed != 0;
    snprintf(report->message, sizeof report->message, "%s", line + used + 1);
    return true;
}
