// C++: vectors that grow, destructors, lambdas, templates, unique_ptr, exceptions around messages.
// RUN: %samexx %s -o %t -n 2 --level=-O2
// RUN: %samexx %s -o %t.O1 -n 2 --level=-O1
// RUN: %samexx %s -o %t.O3 -n 2 --level=-O3 -- -g
#include "Inputs/soundness.h"
#include <memory>
#include <numeric>
#include <string>
#include <vector>

static double values[steps];

template <typename T> static void send(const std::vector<T> &data, int tag) {
  MPI_Send(data.data(), (int)(data.size() * sizeof(T)), MPI_BYTE, 1, tag, MPI_COMM_WORLD);
}
template <typename T> static std::vector<T> receive(size_t n, int tag) {
  std::vector<T> data(n);
  MPI_Recv(data.data(), (int)(n * sizeof(T)), MPI_BYTE, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return data;
}

NOINLINE static void first() {
  std::vector<int> data(1 << 14);
  std::iota(data.begin(), data.end(), 1);
  send(data, 0);
  work(values);
  data.push_back(3); // moves
  std::vector<int> next(1 << 14, 9);
  send(next, 1);
  auto change = [&] { next[5] = 0; };
  work(values);
  change();
  {
    auto owned = std::make_unique<std::vector<double>>(1 << 14, 0.5);
    send(*owned, 2);
    work(values);
  }
  std::vector<double> other(1 << 14, 2.5);
  say("other", (long)std::accumulate(other.begin(), other.end(), 0.0));
  std::string text(30000, 'x');
  MPI_Send(text.data(), (int)text.size(), MPI_CHAR, 1, 3, MPI_COMM_WORLD);
  work(values);
  text = std::string(30000, 'y');
  say("text", text[7]);
}

NOINLINE static void second() {
  nap(60);
  auto a = receive<int>(1 << 14, 0);
  nap(60);
  auto b = receive<int>(1 << 14, 1);
  nap(60);
  auto c = receive<double>(1 << 14, 2);
  nap(60);
  std::string text(30000, ' ');
  MPI_Recv(&text[0], 30000, MPI_CHAR, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  work(values);
  say("a", total(a.data(), 1 << 14));
  say("b", total(b.data(), 1 << 14));
  say("c", (long)std::accumulate(c.begin(), c.end(), 0.0));
  say("text", std::accumulate(text.begin(), text.end(), 0L));
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  if (rank == 0)
    first();
  else
    second();
  MPI_Finalize();
  return 0;
}
