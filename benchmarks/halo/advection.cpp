// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Advection and diffusion on blocks, in typical C++: a class for a field, one for its halo, and the largest change per
// step.
//
//   advection [N] [ITERATIONS]     N x N points in all processes
#include "bench.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

class Field {
public:
  Field(int nx, int ny) : nx_(nx), ny_(ny), data_(static_cast<size_t>(nx + 2) * (ny + 2)) {}
  double &operator()(int i, int j) { return data_[i * (ny_ + 2) + j]; }
  double operator()(int i, int j) const { return data_[i * (ny_ + 2) + j]; }
  int nx() const { return nx_; }
  int ny() const { return ny_; }
  void swap(Field &other) { data_.swap(other.data_); }

private:
  int nx_, ny_;
  std::vector<double> data_;
};

class Halo {
public:
  explicit Halo(MPI_Comm grid, int nx) : grid_(grid), toEast_(nx), toWest_(nx), fromEast_(nx), fromWest_(nx) {
    MPI_Cart_shift(grid, 0, 1, &north_, &south_);
    MPI_Cart_shift(grid, 1, 1, &west_, &east_);
  }
  void start(Field &f) {
    int nx = f.nx(), ny = f.ny();
    for (int i = 1; i <= nx; ++i) {
      toEast_[i - 1] = f(i, ny);
      toWest_[i - 1] = f(i, 1);
    }
    MPI_Irecv(&f(0, 1), ny, MPI_DOUBLE, north_, 0, grid_, &requests_[0]);
    MPI_Irecv(&f(nx + 1, 1), ny, MPI_DOUBLE, south_, 1, grid_, &requests_[1]);
    MPI_Irecv(fromEast_.data(), nx, MPI_DOUBLE, east_, 2, grid_, &requests_[2]);
    MPI_Irecv(fromWest_.data(), nx, MPI_DOUBLE, west_, 3, grid_, &requests_[3]);
    MPI_Isend(&f(1, 1), ny, MPI_DOUBLE, north_, 1, grid_, &requests_[4]);
    MPI_Isend(&f(nx, 1), ny, MPI_DOUBLE, south_, 0, grid_, &requests_[5]);
    MPI_Isend(toEast_.data(), nx, MPI_DOUBLE, east_, 3, grid_, &requests_[6]);
    MPI_Isend(toWest_.data(), nx, MPI_DOUBLE, west_, 2, grid_, &requests_[7]);
  }
  void finish(Field &f) {
    MPI_Waitall(8, requests_.data(), MPI_STATUSES_IGNORE);
    if (east_ != MPI_PROC_NULL)
      for (int i = 1; i <= f.nx(); ++i)
        f(i, f.ny() + 1) = fromEast_[i - 1];
    if (west_ != MPI_PROC_NULL)
      for (int i = 1; i <= f.nx(); ++i)
        f(i, 0) = fromWest_[i - 1];
  }

private:
  MPI_Comm grid_;
  int north_, south_, west_, east_;
  std::vector<double> toEast_, toWest_, fromEast_, fromWest_;
  std::array<MPI_Request, 8> requests_;
};

static double step(const Field &u, Field &v, double c, int i0, int i1, int j0, int j1) {
  double most = 0;
  for (int i = i0; i <= i1; ++i)
    for (int j = j0; j <= j1; ++j) {
      double next = u(i, j) - c * (u(i, j) - u(i - 1, j)) - c * (u(i, j) - u(i, j - 1)) +
                    0.1 * c * (u(i + 1, j) + u(i, j + 1) - 2 * u(i, j));
      most = std::max(most, std::fabs(next - u(i, j)));
      v(i, j) = next;
    }
  return most;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  const int n = argument(argc, argv, 1, 1200), iterations = argument(argc, argv, 2, 30);
  int size, rank, dims[2] = {0, 0}, periods[2] = {0, 0};
  MPI_Comm grid;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Dims_create(size, 2, dims);
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
  MPI_Comm_rank(grid, &rank);
  const int nx = n / dims[0], ny = n / dims[1];
  {
    Field u(nx, ny), v(nx, ny);
    Halo halo(grid, nx);
    for (int i = 1; i <= nx; ++i)
      for (int j = 1; j <= ny; ++j)
        u(i, j) = (i * 13 + j * 5 + rank * 7) % 17 / 16.0;
    double change = 0;
    MPI_Barrier(grid);
    double begin = MPI_Wtime();
    for (int t = 0; t < iterations; ++t) {
      halo.start(u);
#ifdef BY_HAND
      change = step(u, v, 0.2, 2, nx - 1, 2, ny - 1);
      halo.finish(u);
      change = std::max(change, step(u, v, 0.2, 1, 1, 1, ny));
      change = std::max(change, step(u, v, 0.2, nx, nx, 1, ny));
      change = std::max(change, step(u, v, 0.2, 2, nx - 1, 1, 1));
      change = std::max(change, step(u, v, 0.2, 2, nx - 1, ny, ny));
#else
      halo.finish(u);
      change = step(u, v, 0.2, 1, nx, 1, ny);
#endif
      u.swap(v);
    }
    double seconds = MPI_Wtime() - begin;
    uint64_t sum = checksum(&change, 1);
    for (int i = 1; i <= nx; ++i)
      sum += checksum(&u(i, 1), ny);
    finish(seconds, iterations, sum);
  }
  MPI_Finalize();
  return 0;
}
