// Requests in std::vector, new arrays and members, with exceptions after the wait: waits do not cross throwing calls.
// RUN: %samexx %s -o %t -n 1,2,4 --overlaps "MPI_Waitall at own-vectors.cpp:[0-9]+, which completes MPI_Irecv"
#include "Inputs/soundness.h"

#include <stdexcept>
#include <vector>

static double values[steps];
static int left, right;

/// As in miniFE and HPCG, with a vector that grows while requests are in it.
NOINLINE static void growing(std::vector<int> &in, std::vector<int> &out, int n) {
  for (int turn = 0; turn < 3; ++turn) {
    std::vector<MPI_Request> requests;
    for (int i = 0; i < n; ++i) {
      requests.emplace_back();
      MPI_Irecv(&in[i * many], many, MPI_INT, left, i, MPI_COMM_WORLD, &requests.back());
    }
    for (int i = 0; i < n; ++i) {
      requests.emplace_back();
      MPI_Isend(&out[i * many], many, MPI_INT, right, i, MPI_COMM_WORLD, &requests.back());
    }
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
    work(values);
    fill(out.data(), n * many, turn);
    say("growing", total(in.data(), n * many));
  }
}

NOINLINE static void sized(std::vector<int> &in, std::vector<int> &out, int n) {
  MPI_Request *requests = new MPI_Request[2 * n];
  for (int i = 0; i < n; ++i)
    MPI_Irecv(&in[i * many], many, MPI_INT, left, i, MPI_COMM_WORLD, requests + i);
  for (int i = 0; i < n; ++i)
    MPI_Isend(&out[i * many], many, MPI_INT, right, i, MPI_COMM_WORLD, requests + n + i);
  MPI_Status status;
  for (int i = 0; i < 2 * n; ++i)
    MPI_Wait(requests + i, &status);
  delete[] requests;
  work(values);
  fill(out.data(), n * many, 3);
  say("sized", total(in.data(), n * many));
}

/// A class that keeps its requests, as LULESH's domain does.
class Domain {
public:
  explicit Domain(int n) : in(n * many), n(n) {}
  void start(std::vector<int> &out) {
    pending = 0;
    for (int i = 0; i < n; ++i)
      MPI_Irecv(&in[i * many], many, MPI_INT, left, i, MPI_COMM_WORLD, &requests[pending++]);
    for (int i = 0; i < n; ++i)
      MPI_Isend(&out[i * many], many, MPI_INT, right, i, MPI_COMM_WORLD, &requests[pending++]);
  }
  void finish() {
    for (int i = 0; i < pending; ++i)
      MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
  }
  std::vector<int> in;

private:
  int n, pending = 0;
  MPI_Request requests[26];
};
NOINLINE static void member(std::vector<int> &out, int n) {
  Domain domain(n);
  for (int turn = 0; turn < 2; ++turn) {
    domain.start(out);
    domain.finish();
    work(values);
    fill(out.data(), n * many, turn);
    say("member", total(domain.in.data(), n * many));
  }
}

/// A handler sees all earlier effects, and the buffer of the array in flight is gone by then.
NOINLINE static void check(int n) {
  if (n > 2)
    throw std::runtime_error("too many");
}
NOINLINE static void throwing(std::vector<int> &out, int n) {
  MPI_Request requests[2];
  std::vector<int> mine(many);
  MPI_Irecv(mine.data(), many, MPI_INT, left, 1, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(out.data(), many, MPI_INT, right, 1, MPI_COMM_WORLD, &requests[1]);
  for (int i = 0; i < n; ++i)
    MPI_Wait(&requests[i % 2], MPI_STATUS_IGNORE);
  work(values);
  check(n);
  std::vector<double> other(n, 1.0);
  work(values);
  say("throwing", total(mine.data(), many) + static_cast<long>(other[1]));
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  left = (rank + size - 1) % size;
  right = (rank + 1) % size;
  const int n = 3;
  std::vector<int> in(n * many), out(n * many);
  fill(out.data(), n * many, rank);
  growing(in, out, n);
  fill(out.data(), n * many, 5 + rank);
  sized(in, out, n);
  fill(out.data(), n * many, 7 + rank);
  member(out, n);
  for (int i : {2, 3}) {
    try {
      throwing(out, i);
    } catch (const std::runtime_error &) {
      fill(out.data(), n * many, 11);
      say("caught", i);
    }
  }
  MPI_Finalize();
  return 0;
}
