// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The wave equation in a solver class that keeps its requests in a vector, clears the vector in each step, and finally
// frees its communicator.
//
//   solver [N] [ITERATIONS]     N x N points in all processes
#include "bench.h"

#include <utility>
#include <vector>

class Solver {
public:
  Solver(MPI_Comm comm, int n) : columns_(n) {
    int size, periods = 0;
    MPI_Comm_size(comm, &size);
    MPI_Cart_create(comm, 1, &size, &periods, 0, &line_);
    MPI_Comm_rank(line_, &rank_);
    MPI_Cart_shift(line_, 0, 1, &above_, &below_);
    rows_ = n / size;
    const size_t points = static_cast<size_t>(rows_ + 2) * columns_;
    before_.resize(points);
    now_.resize(points);
    next_.resize(points);
    for (size_t p = columns_; p < points - columns_; ++p)
      before_[p] = now_[p] = (p * 11 + rank_ * 5) % 19 / 16.0;
  }
  ~Solver() { MPI_Comm_free(&line_); }

  void step() {
    start();
#ifdef BY_HAND
    advance(2, rows_ - 1);
    finish();
    advance(1, 1);
    advance(rows_, rows_);
#else
    finish();
    advance(1, rows_);
#endif
    std::swap(before_, now_);
    std::swap(now_, next_);
  }
  MPI_Comm line() const { return line_; }
  uint64_t sum() const { return checksum(&now_[columns_], static_cast<size_t>(rows_) * columns_); }

private:
  double *row(int i) { return &now_[static_cast<size_t>(i) * columns_]; }

  void receive(double *into, int from, int tag) {
    if (from == MPI_PROC_NULL)
      return;
    requests_.push_back(MPI_REQUEST_NULL);
    MPI_Irecv(into, columns_, MPI_DOUBLE, from, tag, line_, &requests_.back());
  }
  void send(const double *what, int to, int tag) {
    if (to == MPI_PROC_NULL)
      return;
    requests_.push_back(MPI_REQUEST_NULL);
    MPI_Isend(what, columns_, MPI_DOUBLE, to, tag, line_, &requests_.back());
  }
  void start() {
    requests_.clear();
    receive(row(0), above_, 0);
    receive(row(rows_ + 1), below_, 1);
    send(row(1), above_, 1);
    send(row(rows_), below_, 0);
  }
  void finish() { MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE); }

  void advance(int first, int last) {
    for (int i = first; i <= last; ++i)
      for (int j = 1; j < columns_ - 1; ++j) {
        const size_t p = static_cast<size_t>(i) * columns_ + j;
        next_[p] = 2 * now_[p] - before_[p] +
                   0.2 * (now_[p - columns_] + now_[p + columns_] + now_[p - 1] + now_[p + 1] - 4 * now_[p]);
      }
  }

  MPI_Comm line_;
  int rank_, above_, below_, rows_, columns_;
  std::vector<double> before_, now_, next_;
  std::vector<MPI_Request> requests_;
};

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  const int n = argument(argc, argv, 1, 1200), iterations = argument(argc, argv, 2, 30);
  {
    Solver solver(MPI_COMM_WORLD, n);
    MPI_Barrier(solver.line());
    double begin = MPI_Wtime();
    for (int t = 0; t < iterations; ++t)
      solver.step();
    finish(MPI_Wtime() - begin, iterations, solver.sum());
  }
  MPI_Finalize();
  return 0;
}
