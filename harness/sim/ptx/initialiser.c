/* Initial values of variables: nested lists of numbers and of addresses. */
#include "sim/ptx/parser.h"

#include <string.h>

enum { MAX_INITIALISED_BYTES = 1 << 28 };

/* The bytes written so far; the rest of the variable is zero. */
struct image {
    struct ptx_variable *variable;
    struct ptx_list bytes, relocations;
    size_t at;    /* where the next element goes */
    size_t limit; /* size of the variable; SIZE_MAX: its size follows from the values */
};

static void check_room(struct ptx_parser *parser, const struct image *image, size_t bytes)
{
    if (image->at > image->limit || bytes > image->limit - image->at)
        ptx_fail(parser, "more initial values than '%s' has room for", image->variable->name);
    if (image->at + bytes > MAX_INITIALISED_BYTES)
        ptx_fail(parser, "'%s' is too large to have an initial value", image->variable->name);
}

static void store(struct ptx_parser *parser, struct image *image, uint64_t bits)
{
    size_t size = ptx_type_size(image->variable->type);

    check_room(parser, image, size);
    while ((size_t)image->bytes.count < image->at)
        ptx_list_add(parser, &image->bytes, 1);
    for (size_t i = 0; i < size; i++, bits = i < 8 ? bits >> 8 : 0)
        *(uint8_t *)ptx_list_add(parser, &image->bytes, 1) = (uint8_t)bits;
    image->at += size;
}

/* The bits of a number as an element of this type. */
static uint64_t element_bits(const struct ptx_token *token, enum ptx_type type, bool minus)
{
    bool single = token->number_kind == PTX_IMMEDIATE_F32;
    uint64_t bits = token->bits;
    float narrow;
    double wide;

    if (token->number_kind == PTX_IMMEDIATE_INTEGER) {
        if (type != PTX_F32 && type != PTX_F64)
            return minus ? 0 - bits : bits;
        wide = (double)bits;
    } else if (single) {
        uint32_t low = (uint32_t)bits;

        memcpy(&narrow, &low, sizeof narrow);
        wide = (double)narrow;
    } else {
        memcpy(&wide, &bits, sizeof wide);
    }
    wide = minus ? -wide : wide;
    narrow = (float)wide;
    if (type == PTX_F64 || (type != PTX_F32 && !single)) {
        memcpy(&bits, &wide, sizeof bits);
        return bits;
    }
    uint32_t low;
    memcpy(&low, &narrow, sizeof low);
    return low;
}

/* Parses an address, such as symbol, symbol + 4 or generic(symbol) + 4. */
static void parse_address(struct ptx_parser *parser, struct ptx_relocation *relocation)
{
    struct ptx_symbol *symbol = ptx_expect_word(parser);

    if (strcmp(symbol->name, "generic") == 0 && ptx_accept(parser, '(')) {
        symbol = ptx_expect_word(parser);
        relocation->addend = ptx_parse_addend(parser);
        ptx_expect(parser, ')');
    }
    relocation->symbol = symbol->name;
    relocation->addend += ptx_parse_addend(parser);
}

/* Parses one byte of an address, such as 0xFF00(symbol), which packed structs need. */
static void parse_masked_address(struct ptx_parser *parser, struct ptx_relocation *relocation,
                                 uint64_t mask)
{
    int shift = 0;

    while (shift < 56 && (mask >> shift) != 0xFF)
        shift += 8;
    if (mask != (uint64_t)0xFF << shift)
        ptx_fail(parser, "a mask of an address must select one byte, such as 0xFF00");
    relocation->bytes = 1;
    relocation->shift = shift;
    ptx_expect(parser, '(');
    parse_address(parser, relocation);
    ptx_expect(parser, ')');
}

static void parse_relocation(struct ptx_parser *parser, struct image *image, bool masked,
                             uint64_t mask)
{
    size_t size = ptx_type_size(image->variable->type);
    struct ptx_relocation relocation = {.at = image->at, .bytes = 8};

    if (masked)
        parse_masked_address(parser, &relocation, mask);
    else
        parse_address(parser, &relocation);
    if (size != (size_t)relocation.bytes)
        ptx_fail(parser, "an address does not fit an element of %zu bytes of '%s'", size,
                 image->variable->name);
    store(parser, image, 0);
    *(struct ptx_relocation *)ptx_list_add(parser, &image->relocations, sizeof relocation) =
        relocation;
}

static void parse_element(struct ptx_parser *parser, struct image *image)
{
    bool minus = ptx_accept(parser, '-');
    struct ptx_token token = parser->token;

    if (token.kind == PTX_TOKEN_WORD && !minus) {
        parse_relocation(parser, image, false, 0);
        return;
    }
    if (token.kind != PTX_TOKEN_NUMBER)
        ptx_fail_expected(parser, "an initial value");
    ptx_advance(parser);
    if (ptx_at(parser, '(') && !minus)
        parse_relocation(parser, image, true, token.bits);
    else
        store(parser, image, element_bits(&token, image->variable->type, minus));
}

/* Each inner pair of braces is a row of the array. A row may be shorter than the dimension. */
static void parse_list(struct ptx_parser *parser, struct image *image, const uint64_t *dimensions,
                       int dimension_count)
{
    size_t row_bytes[PTX_MAX_DIMENSIONS + 2], row_start[PTX_MAX_DIMENSIONS + 2];
    int depth = 0;

    row_bytes[dimension_count] = ptx_type_size(image->variable->type);
    for (int i = dimension_count; i-- > 0;)
        row_bytes[i] = row_bytes[i + 1] * dimensions[i];
    do {
        if (ptx_accept(parser, '{')) {
            if (depth == dimension_count)
                ptx_fail(parser, "braces nested deeper than '%s' has dimensions",
                         image->variable->name);
            row_start[depth++] = image->at;
            if (!ptx_at(parser, '}'))
                continue;
        } else {
            parse_element(parser, image);
        }
        while (depth > 0 && ptx_accept(parser, '}')) {
            depth--;
            if (depth > 0) { /* the outermost dimension may have no size yet */
                if (image->at - row_start[depth] > row_bytes[depth])
                    ptx_fail(parser, "too many initial values in a row of '%s'",
                             image->variable->name);
                image->at = row_start[depth] + row_bytes[depth];
            }
        }
        if (depth > 0)
            ptx_expect(parser, ',');
    } while (depth > 0);
}

void ptx_parse_initialiser(struct ptx_parser *parser, struct ptx_variable *variable,
                           const uint64_t *dimensions, int dimension_count)
{
    bool open_size = dimension_count > 0 && dimensions[0] == 0;
    struct image image = {.variable = variable, .limit = open_size ? SIZE_MAX : variable->size};
    bool all_zero = true;

    if (variable->space != PTX_GLOBAL && variable->space != PTX_CONST)
        ptx_fail(parser, "only .global and .const variables have initial values");
    parse_list(parser, &image, dimensions, dimension_count);
    if (open_size)
        variable->size = image.at;
    for (int i = 0; i < image.bytes.count && all_zero; i++)
        all_zero = ((uint8_t *)image.bytes.items)[i] == 0;
    variable->relocation_count = image.relocations.count;
    variable->relocations =
        ptx_list_keep(parser, &image.relocations, sizeof(struct ptx_relocation));
    if (all_zero && !image.relocations.count)
        return;
    if (variable->size > MAX_INITIALISED_BYTES)
        ptx_fail(parser, "'%s' is too large to have an initial value", variable->name);
    uint8_t *data = ptx_keep(parser, variable->size);
    memcpy(data, image.bytes.items, (size_t)image.bytes.count);
    variable->data = data;
}
