/* Preloaded: the simulator's call of tanhf() crashes, by CRASH_BY: a wild read, or abort(). */
#include <stdlib.h>

float tanhf(float x)
{
    const char *const how = getenv("CRASH_BY");
    if (how && how[0] == 'a')
        abort();
    return x + *(volatile float *)16;
}
