/* atom and red. */
#include "decode.h"

const struct family sim_atomic_families[] = {{NULL, NULL}};
