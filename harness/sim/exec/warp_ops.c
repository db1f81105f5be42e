/* Exchange between the lanes of a warp. */
#include "decode.h"

const struct family sim_warp_families[] = {{NULL, NULL}};
