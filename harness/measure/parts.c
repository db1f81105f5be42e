/* What each launch of a row counted: the simulator's counters are read after every launch, which
 * there has ended when it returns, and grow from one to the next. */
#include "measure/parts.h"

#include "base/simulator.h"
#include "measure/counting.h"
#include "measure/kernel_facts.h"
#include "measure/launches.h"

#include <stdlib.h>
#include <string.h>

void lab_parts_add(struct lab_parts *parts)
{
    if (!lab_launches_get(parts->count))
        return; /* more than are kept */
    struct lab_part *list = realloc(parts->list, (parts->count + 1) * sizeof *list);
    if (!list)
        return;
    parts->list = list;
    list[parts->count] = (struct lab_part){0};
    if (lab_simulator())
        lab_simulator()->last_order(&list[parts->count].order);
    lab_counting_read(&list[parts->count++].counters);
}

bool lab_part_follows(const struct lab_part *part, const struct lab_part *earlier)
{
    const struct lab_sim_order *const before = &earlier->order;
    return part->order.stream < 0 || before->stream < 0 ||
           part->order.known[before->stream] >= before->number;
}

static bool is_sum(const char *name)
{
    size_t length = strlen(name);
    return length > 4 && strcmp(name + length - 4, ".sum") == 0;
}

/* From what was counted up to a launch to what it counted itself. */
static void subtract(struct lab_counters *counters, const struct lab_counters *before)
{
    int kept = 0;
    for (int i = 0; i < counters->count; i++) {
        struct lab_counter counter = counters->list[i];
        double earlier = 0.0;
        if (!is_sum(counter.name))
            continue;
        if (before)
            lab_counters_get(before, counter.name, &earlier);
        counter.value -= earlier;
        counters->list[kept++] = counter;
    }
    counters->count = kept;
}

void lab_parts_end(struct lab_parts *parts, const struct lab_device *device)
{
    for (int i = parts->count - 1; i >= 0; i--) {
        subtract(&parts->list[i].counters, i ? &parts->list[i - 1].counters : NULL);
        lab_kernel_facts_of_launch(device, i, &parts->list[i].kernel);
    }
}

void lab_parts_free(struct lab_parts *parts)
{
    free(parts->list);
    *parts = (struct lab_parts){0};
}
