// expect: ok
// Classes with constructors and destructors, members defined outside, inheritance, operators, a
// friend.
#include "families/gemm.h"

class Shape
{
  public:
    __host__ __device__ Shape(int rows, int cols) : rows_(rows), cols_(cols)
    {
    }
    __host__ __device__ ~Shape()
    {
    }
    __host__ __device__ int rows() const
    {
        return rows_;
    }
    __host__ __device__ int cols() const;
    __host__ __device__ size_t size() const
    {
        return (size_t)rows_ * cols_;
    }

  protected:
    int rows_, cols_;
};

__host__ __device__ int Shape::cols() const
{
    return cols_;
}

template <typename T> class Matrix : public Shape
{
  public:
    __device__ Matrix(T *data, int rows, int cols) : Shape(rows, cols), data_(data)
    {
    }
    __device__ T &operator()(int row, int col)
    {
        return data_[(size_t)row * cols_ + col];
    }
    friend __device__ T *begin(const Matrix &x)
    {
        return x.data_;
    }

  private:
    T *data_;
};

struct Sum {
    float value;
    static constexpr float zero = 0.0f;
    __device__ Sum() : value(zero)
    {
    }
    __device__ Sum &operator+=(float x)
    {
        value += x;
        return *this;
    }
    __device__ operator float() const
    {
        return value;
    }
};

__device__ Sum operator*(float x, const Sum &s)
{
    Sum r;
    r += x * s.value;
    return r;
}

__global__ void gemm(struct lab_gemm p)
{
    Matrix<const float> a(p.a, p.k, p.m), b(p.b, p.k, p.n);
    Matrix<float> c(p.c, p.m, p.n);
    const size_t element = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (element >= c.size() || begin(c) == nullptr)
        return;
    const int row = element / c.cols(), col = element % c.cols();
    Sum sum;
    for (int i = 0; i < a.rows(); ++i)
        sum += a(i, row) * b(i, col);
    c(row, col) = p.alpha * sum + (p.beta == 0.0f ? 0.0f : p.beta * c(row, col));
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    const Shape c(p->m, p->n);
    gemm<<<(unsigned)((c.size() + 255) / 256), 256, 0, stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(gemm_tn, {"transposed", launch});
