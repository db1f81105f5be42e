/* What each launch of a row counted. The simulator's counters are read after every launch, which
 * has ended when its call returns, and grow from launch to launch. */
#include "measure/counters/counters.h"

#include "base/simulator.h"
#include "measure/launches/launches.h"

#include <stdlib.h>
#include <string.h>

void lab_per_launch_add(struct lab_per_launch *launches)
{
    if (!lab_launches_get(launches->count))
        return; /* more than are kept */
    struct lab_one_launch *list = realloc(launches->list, (launches->count + 1) * sizeof *list);
    if (!list)
        return;
    launches->list = list;
    list[launches->count] = (struct lab_one_launch){0};
    if (lab_simulator())
        lab_simulator()->last_order(&list[launches->count].order);
    lab_counting_read(&list[launches->count++].counters);
}

bool lab_launch_follows(const struct lab_one_launch *launch, const struct lab_one_launch *earlier)
{
    const struct lab_sim_order *const before = &earlier->order;
    return launch->order.stream < 0 || before->stream < 0 ||
           launch->order.known[before->stream] >= before->number;
}

static bool is_sum(const char *name)
{
    size_t length = strlen(name);
    return length > 4 && strcmp(name + length - 4, ".sum") == 0;
}

/* Turns the counts up to a launch into the launch's own counts. */
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

void lab_per_launch_end(struct lab_per_launch *launches, const struct lab_device *device)
{
    for (int i = launches->count - 1; i >= 0; i--) {
        subtract(&launches->list[i].counters, i ? &launches->list[i - 1].counters : NULL);
        lab_kernel_facts_of_launch(device, i, &launches->list[i].kernel);
    }
}

void lab_per_launch_free(struct lab_per_launch *launches)
{
    free(launches->list);
    *launches = (struct lab_per_launch){0};
}
