// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// C++'s ways to have state, in several ranks at a time: each waits for the others at many points.
#include "program.h"
#include <mpi.h>

#include <cstdio>
#include <iostream>
#include <map>
#include <memory>
#include <stdexcept>

struct Noisy {
  std::string name;
  explicit Noisy(const char *name) : name(name) {}
  ~Noisy() { printf("destroy %s\n", name.c_str()); }
};
static Noisy second("second, too long to be held inside");
thread_local std::vector<int> tls{1, 2, 3};
static std::map<std::string, int> table = {{"a", 1}, {"b", 2}};
struct Base {
  virtual ~Base() {}
  virtual int get() { return 1; }
};
struct Derived : Base {
  int get() override { return ++Counted<int>::count; }
};
static std::unique_ptr<Base> object(new Derived);

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  try {
    throw std::runtime_error(std::string(100, 'a' + rank));
  } catch (std::exception &error) {
    Counted<int>::local() += 3;
    // Others throw and catch while this one is here.
    MPI_Barrier(MPI_COMM_WORLD);
    if (error.what()[0] != 'a' + rank)
      printf("rank %d caught another's exception\n", rank);
    try {
      MPI_Barrier(MPI_COMM_WORLD);
      throw;
    } catch (std::exception &again) {
      if (again.what()[99] != 'a' + rank)
        printf("rank %d rethrew another's exception\n", rank);
    }
  }
  tls.push_back(4);
  ++inlined;
  ++elsewhere;
  MPI_Barrier(MPI_COMM_WORLD);
  table["c"]++;
  char line[100];
  snprintf(line, sizeof line, "rank %d: %d %d %d %d %d %d %d", rank, Counted<int>::local(), object->get(),
           int(tls.size()), inlined, int(table.size()), int(text.size()), otherFile());
  MPI_Barrier(MPI_COMM_WORLD);
  std::cout << line + std::string(" ") + std::to_string(elsewhere) + "\n" << std::flush;
  MPI_Finalize();
}
