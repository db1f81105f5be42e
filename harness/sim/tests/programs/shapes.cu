/* Managed memory and variables, objects with virtual functions made on the device, recursion and
 * function pointers: what makes indirect calls and a stack. */
#include <cstdio>
#include <new>

struct shape {
    __device__ virtual double area() const = 0;
};

struct square : shape {
    double side;
    __device__ square(double s) : side(s)
    {
    }
    __device__ double area() const override
    {
        return side * side;
    }
};

struct circle : shape {
    double radius;
    __device__ circle(double r) : radius(r)
    {
    }
    __device__ double area() const override
    {
        return 3.25 * radius * radius;
    }
};

union slot {
    double align[3];
    char bytes[24];
};

__managed__ int total_calls = 5;
__managed__ double totals[4];

__global__ void make(slot *slots, shape **shapes, int n)
{
    int i = threadIdx.x;
    if (i < n)
        shapes[i] = i % 3 ? static_cast<shape *>(new (slots + i) square(i))
                          : static_cast<shape *>(new (slots + i) circle(i));
}

__global__ void measure(shape **shapes, double *areas, int n)
{
    int i = threadIdx.x;
    if (i < n) {
        areas[i] = shapes[i]->area();
        atomicAdd(&total_calls, 1);
    }
}

__device__ __noinline__ int fibonacci(int n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

__device__ __noinline__ double twice(double x)
{
    return 2 * x;
}

__device__ __noinline__ double negated(double x)
{
    return -x;
}

__device__ double (*const table[])(double) = {twice, negated};

__global__ void calls(int *numbers, double *values)
{
    int i = threadIdx.x;
    numbers[i] = fibonacci(i % 12);
    values[i] = table[i % 2](values[i]);
}

__global__ void add_up(double *into, const double *from, int n)
{
    if (threadIdx.x == 0)
        for (int i = 0; i < n; i++)
            into[1] += from[i];
}

int main()
{
    const int n = 50;
    slot *slots;
    shape **shapes;
    double *areas, *values;
    int *numbers, wrong = total_calls != 5;
    cudaMalloc(&slots, n * sizeof *slots);
    cudaMalloc(&shapes, n * sizeof *shapes);
    cudaMallocManaged(&areas, n * sizeof *areas);
    cudaMallocManaged(&numbers, n * sizeof *numbers);
    cudaMallocManaged(&values, n * sizeof *values);
    make<<<1, 64>>>(slots, shapes, n);
    measure<<<1, 64>>>(shapes, areas, n);
    cudaDeviceSynchronize();
    double sum = 0;
    for (int i = 0; i < n; i++) {
        wrong += areas[i] != (i % 3 ? 1.0 : 3.25) * i * i;
        sum += areas[i];
        values[i] = i;
    }
    wrong += total_calls != 5 + n;
    totals[1] = 100; /* written by the host, then by a kernel that gets its address */
    add_up<<<1, 32>>>(totals, areas, n);
    calls<<<1, n>>>(numbers, values);
    cudaDeviceSynchronize();
    wrong += totals[1] != 100 + sum;
    int small[12] = {0, 1};
    for (int i = 2; i < 12; i++)
        small[i] = small[i - 1] + small[i - 2];
    for (int i = 0; i < n; i++)
        wrong += numbers[i] != small[i % 12] || values[i] != (i % 2 ? -i : 2 * i);
    printf("shapes: %d wrong, %s\n", wrong, cudaGetErrorString(cudaDeviceSynchronize()));
    return wrong != 0;
}
