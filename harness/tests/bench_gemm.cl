// The products of steps 01 (coalesced) and 03 (block_32x32) in OpenCL C, for bench_oclgrind.sh: one
// work item for each element of C, the same tests for edges, the same tiles.

// The division's remainder is a product: Oclgrind 21.10 does not know what the compiler makes of %.
kernel void naive(int m, int n, int k, float alpha, global const float *a, global const float *b,
                  float beta, global float *c)
{
    const int element = get_global_id(0);
    if (element >= m * n)
        return;
    const int row = element / n;
    const int col = element - row * n;
    float sum = 0.0f;
    for (int i = 0; i < k; ++i)
        sum += a[row * k + i] * b[i * n + col];
    c[element] = beta == 0.0f ? alpha * sum : alpha * sum + beta * c[element];
}

#define TILE 32

kernel void tiled(int m, int n, int k, float alpha, global const float *a, global const float *b,
                  float beta, global float *c)
{
    local float a_tile[TILE][TILE]; // (rows of C, k)
    local float b_tile[TILE][TILE]; // (k, columns of C)
    const int tiles_across = (n - 1) / TILE + 1;
    const int tile_row = (int)get_group_id(0) / tiles_across;
    const int tile_col = (int)get_group_id(0) - tile_row * tiles_across;
    const int tx = get_local_id(0);
    const int ty = get_local_id(1);
    const int row = tile_row * TILE + ty;
    const int col = tile_col * TILE + tx;

    float sum = 0.0f;
    for (int first_k = 0; first_k < k; first_k += TILE) {
        a_tile[ty][tx] = row < m && first_k + tx < k ? a[row * k + first_k + tx] : 0.0f;
        b_tile[ty][tx] = first_k + ty < k && col < n ? b[(first_k + ty) * n + col] : 0.0f;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i = 0; i < TILE; ++i)
            sum += a_tile[ty][i] * b_tile[i][tx];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (row < m && col < n)
        c[row * n + col] = beta == 0.0f ? alpha * sum : alpha * sum + beta * c[row * n + col];
}
