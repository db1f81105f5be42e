/* Which element of a matrix a lane holds where: the layouts that the PTX manual draws for mma.sync.
 */
#include "tensor.h"

int sim_tensor_bits(enum tensor_type type)
{
    static const int bits[TENSOR_TYPES] = {
        [TENSOR_F16] = 16, [TENSOR_BF16] = 16, [TENSOR_TF32] = 32, [TENSOR_E4M3] = 8,
        [TENSOR_E5M2] = 8, [TENSOR_F32] = 32,  [TENSOR_F64] = 64,  [TENSOR_S8] = 8,
        [TENSOR_U8] = 8,   [TENSOR_S4] = 4,    [TENSOR_U4] = 4,    [TENSOR_B1] = 1,
        [TENSOR_S32] = 32};
    return bits[type];
}

/* The product of a tile has 16 (or 8) rows and 8 columns. Group g is lanes 4 g to 4 g + 3. It holds
 * rows g and g + 8 of the one factor and of the result, and column g of the other factor. A lane
 * holds neighbours along k in a register; the next registers are 8 rows down, then further along k,
 * then the next tile. Where n is larger than 16, the product is computed transposed. */
static struct tensor_place by_groups(const struct tensor_product *product,
                                     const struct tensor_matrix *matrix, int lane, int item)
{
    const bool is_transposed = product->n > 16;
    const int rows = is_transposed ? product->n : product->m;
    const int columns = is_transposed ? product->m : product->n;
    const int group = lane / 4, in_group = lane % 4, halves = rows < 16 ? 1 : 2;
    if (matrix == &product->c || matrix == &product->d) {
        const int tile = item / 2 / halves, high = item / 2 % halves;
        const int row = group + 8 * high + (columns > 8 ? 0 : 16 * tile);
        const int column = 2 * in_group + item % 2 + (columns > 8 ? 8 * tile : 0);
        return is_transposed ? (struct tensor_place){column, row}
                             : (struct tensor_place){row, column};
    }
    const bool is_a = matrix == &product->a;
    const int bits = sim_tensor_bits(matrix->type), elements = bits < 32 ? 32 / bits : 1;
    const int reg = item / elements, high = is_a != is_transposed ? halves : 1;
    const int steps = product->k / (4 * elements),
              tiles = (is_a ? product->m : product->n) / 8 / high;
    const int across = group + 8 * (reg % high) + 8 * high * (reg / high / steps % tiles);
    const int along = (reg / high % steps * 4 + in_group) * elements + item % elements;
    return is_a ? (struct tensor_place){across, along} : (struct tensor_place){along, across};
}

/* Lanes 4 q to 4 q + 3 and those 16 above them compute a product of their own, 8 x 8 x 4. Places of
 * product q are 8 q rows down. */
static struct tensor_place by_quads(const struct tensor_product *product,
                                    const struct tensor_matrix *matrix, int lane, int item)
{
    const int in_quad = lane % 4, low = lane < 16 ? 0 : 4, quad = lane % 16 / 4;
    if (matrix == &product->a)
        return matrix->is_column_major ? (struct tensor_place){8 * quad + item + low, in_quad}
                                       : (struct tensor_place){8 * quad + in_quad + low, item};
    if (matrix == &product->b)
        return matrix->is_column_major ? (struct tensor_place){4 * quad + item, in_quad + low}
                                       : (struct tensor_place){4 * quad + in_quad, item + low};
    if (matrix->type == TENSOR_F16)
        return (struct tensor_place){8 * quad + in_quad + low, item};
    return (struct tensor_place){8 * quad + (lane & 1) + (item & 2) + low,
                                 (item & 4) + (lane & 2) + (item & 1)};
}

struct tensor_place sim_tensor_place(const struct tensor_product *product,
                                     const struct tensor_matrix *matrix, int lane, int item)
{
    return product->layout == TENSOR_BY_QUADS ? by_quads(product, matrix, lane, item)
                                              : by_groups(product, matrix, lane, item);
}
