/* Where static shared memory goes. */
#include "sim/ptx/parser.h"

void ptx_place_shared(struct ptx_parser *parser)
{
    (void)parser;
}
