/* Arithmetic through the carry flag: add.cc, addc, sub.cc, subc, mad.cc, madc. */
#include "decode.h"
#include "lanes.h"

const struct rule sim_wide_rules[] = {{NULL, NULL, NULL, 0}};
