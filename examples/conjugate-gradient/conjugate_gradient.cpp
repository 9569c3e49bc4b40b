// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conjugate gradients for a one-dimensional Laplacian, distributed over ranks. Dot products use MPI_Allreduce, the
// matrix one value of each neighbor (MPI_Sendrecv). Vectors are std::vector of a template type.
//
//   conjugate_gradient [N [STEPS]]       N unknowns a rank (default 1000), at most STEPS steps (default 50)
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <mpi.h>
#include <vector>

namespace {

template <typename T> MPI_Datatype datatype();
template <> MPI_Datatype datatype<double>() { return MPI_DOUBLE; }
template <> MPI_Datatype datatype<float>() { return MPI_FLOAT; }

template <typename T> T dot(const std::vector<T> &x, const std::vector<T> &y, MPI_Comm comm) {
  T local = 0, global = 0;
  for (std::size_t i = 0; i < x.size(); ++i)
    local += x[i] * y[i];
  MPI_Allreduce(&local, &global, 1, datatype<T>(), MPI_SUM, comm);
  return global;
}

// y += a x
template <typename T> void add(T a, const std::vector<T> &x, std::vector<T> &y) {
  for (std::size_t i = 0; i < x.size(); ++i)
    y[i] += a * x[i];
}

// The matrix with 2.5 on its diagonal and -1 next to it. Each rank has as many rows as unknowns.
template <typename T> class Laplacian {
public:
  explicit Laplacian(MPI_Comm comm) : comm(comm) {
    int rank = 0, size = 0;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    left = rank > 0 ? rank - 1 : MPI_PROC_NULL;
    right = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
  }

  // y = A x
  void apply(const std::vector<T> &x, std::vector<T> &y) const {
    T fromLeft = 0, fromRight = 0;
    MPI_Sendrecv(&x.front(), 1, datatype<T>(), left, 0, &fromRight, 1, datatype<T>(), right, 0, comm,
                 MPI_STATUS_IGNORE);
    MPI_Sendrecv(&x.back(), 1, datatype<T>(), right, 1, &fromLeft, 1, datatype<T>(), left, 1, comm, MPI_STATUS_IGNORE);
    const std::size_t n = x.size();
    for (std::size_t i = 1; i + 1 < n; ++i)
      y[i] = T(2.5) * x[i] - x[i - 1] - x[i + 1];
    y[0] = T(2.5) * x[0] - fromLeft - (n > 1 ? x[1] : fromRight);
    if (n > 1)
      y[n - 1] = T(2.5) * x[n - 1] - x[n - 2] - fromRight;
  }

private:
  MPI_Comm comm;
  int left = MPI_PROC_NULL, right = MPI_PROC_NULL;
};

template <typename T> void solve(const char *name, std::size_t n, int steps, MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  std::vector<T> x(n, T(0)), residual(n), direction, image(n);
  for (std::size_t i = 0; i < n; ++i)
    residual[i] = T((i * 3 + static_cast<std::size_t>(rank)) % 5);
  direction = residual;
  const Laplacian<T> matrix(comm);
  T square = dot(residual, residual, comm);
  int step = 0;
  for (; step < steps && square > T(1e-6); ++step) {
    matrix.apply(direction, image);
    const T alpha = square / dot(direction, image, comm);
    add(alpha, direction, x);
    add(-alpha, image, residual);
    const T next = dot(residual, residual, comm);
    const T beta = next / square;
    for (std::size_t i = 0; i < n; ++i)
      direction[i] = residual[i] + beta * direction[i];
    square = next;
  }
  const T norm = dot(x, x, comm);
  if (rank == 0)
    std::printf("%s: %d steps, residual %.9g, solution %.9g\n", name, step, std::sqrt(double(square)),
                std::sqrt(double(norm)));
}

} // namespace

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  const int n = argc > 1 ? std::atoi(argv[1]) : 1000;
  const int steps = argc > 2 ? std::atoi(argv[2]) : 50;
  if (n < 1 || steps < 0) {
    std::fprintf(stderr, "conjugate_gradient: error: usage: conjugate_gradient [N [STEPS]], N at least 1\n");
    MPI_Finalize();
    return 2;
  }
  solve<double>("double", static_cast<std::size_t>(n), steps, MPI_COMM_WORLD);
  solve<float>("float", static_cast<std::size_t>(n), steps, MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
