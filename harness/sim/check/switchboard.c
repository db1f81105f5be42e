/* The switch that turns checks on and off. */
#include "switchboard.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The switch for the whole process; -1 until the environment has been read. */
static _Atomic int enabled = -1;

unsigned sim_check_named(const char *name, size_t length)
{
    static const struct {
        const char *name;
        enum sim_check check;
    } checks[] = {{"race", SIM_CHECK_RACE},
                  {"uninitialized", SIM_CHECK_UNINITIALIZED},
                  {"all", SIM_CHECK_ALL},
                  {"1", SIM_CHECK_ALL}};
    for (size_t i = 0; i < sizeof checks / sizeof checks[0]; i++)
        if (strlen(checks[i].name) == length && strncmp(checks[i].name, name, length) == 0)
            return checks[i].check;
    return 0;
}

/* Reads a list of checks to make. A name with "no-" before it is a check to leave out. An unknown
 * word leaves all checks on, because a mistyped word must not hide a fault. */
static unsigned read_list(const char *list)
{
    const bool leaves_out = strncmp(list, "no-", 3) == 0;
    unsigned wanted = leaves_out ? SIM_CHECK_ALL : 0;
    if (strcmp(list, "0") == 0 || strcmp(list, "none") == 0)
        return 0;
    for (const char *word = list; *word; word += *word == ',') {
        const size_t length = strcspn(word, ","), skipped = strncmp(word, "no-", 3) == 0 ? 3 : 0;
        const unsigned named = sim_check_named(word + skipped, length - skipped);
        if (named == 0) {
            fprintf(stderr,
                    "libcudart (simulator): LAB_SIM_CHECKS: there is no check '%.*s'; give race, "
                    "uninitialized, no-race, no-uninitialized, 0, or several with commas between "
                    "them\n",
                    (int)length, word);
            return SIM_CHECK_ALL;
        }
        wanted = skipped ? wanted & ~named : wanted | named;
        word += length;
    }
    return *list ? wanted : SIM_CHECK_ALL;
}

unsigned sim_checks_wanted(void)
{
    if (atomic_load(&enabled) < 0) {
        const char *const text = getenv("LAB_SIM_CHECKS");
        atomic_store(&enabled, (int)(text ? read_list(text) : SIM_CHECK_ALL));
    }
    return (unsigned)atomic_load(&enabled);
}

bool sim_checks_on(void)
{
    return sim_checks_wanted() != 0;
}

void sim_checks_set(unsigned wanted)
{
    atomic_store(&enabled, (int)wanted);
}
