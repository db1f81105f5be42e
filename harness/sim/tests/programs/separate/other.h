// What separate.cu and other.cu have of each other.
extern __device__ int both_use;
extern __constant__ int factor;
__device__ int twice(int x);
__device__ int plus_mine(int x);
void add_product(int *out);

// Both files have a copy of it; one is taken.
inline __device__ __noinline__ int plus_one(int x)
{
    return x + 1;
}
