// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The compiler's layout, by hand: variables with values, zero variables, pointers among
// them, constructors, atexit. `image large` has so many that they are mapped, not
// copied.
#include "comm/ranks.h"
#include <cstdio>
#include <cstring>
#include <mpi.h>
#include <unistd.h>

extern "C" int comm_ranks_MPI_Init(int *, char ***);
extern "C" int comm_ranks_MPI_Finalize();
extern "C" int comm_ranks_MPI_Comm_rank(MPI_Comm, int *);
extern "C" int comm_ranks_MPI_Barrier(MPI_Comm);

struct Data {
  int number;
  int *pointer; // to `number`: a fixup
  int built;    // by the constructors
  char text[16];
  char filler[200000];
};
alignas(4096) static Data data = {7, &data.number, 0, "initial", {1}};
alignas(4096) static char zero[1 << 20];

template <typename T> static T &mine(T &variable) {
  return *reinterpret_cast<T *>(reinterpret_cast<char *>(&variable) +
                                comm_ranks_displacement);
}

static void second() { mine(data).built = mine(data).built * 10 + 2; }
static void first() { mine(data).built = mine(data).built * 10 + 1; }

static void atEnd() {
  char text[64];
  int bytes = snprintf(text, sizeof(text), "at the end of a rank: %d\n",
                       mine(data).number);
  if (write(1, text, bytes) != bytes)
    _exit(1);
}

static int wrong(const char *what) {
  fprintf(stderr, "not so: %s\n", what);
  return 1;
}

extern "C" int rankMain(int argc, char **argv, char **) {
  comm_ranks_MPI_Init(&argc, &argv);
  int rank;
  comm_ranks_MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  comm_ranks_atexit(atEnd);
  Data &d = mine(data);
  if (d.number != 7 || strcmp(d.text, "initial") || d.filler[0] != 1)
    return wrong("initial values");
  if (d.built != 12)
    return wrong("constructors by priority");
  if (d.pointer != &d.number)
    return wrong("a pointer to the rank's own variable");
  if (mine(zero)[12345] || mine(zero)[(1 << 20) - 1])
    return wrong("zero");
  d.number = 100 + rank;
  mine(zero)[12345] = rank + 1;
  for (int i = 0; i < 3; ++i)
    comm_ranks_MPI_Barrier(MPI_COMM_WORLD);
  if (mine(data).number != 100 + rank || mine(zero)[12345] != rank + 1)
    return wrong("a rank's own values after others ran");
  if (data.number != 7 || zero[12345])
    return wrong("nobody writes to the image");
  comm_ranks_MPI_Finalize();
  return 0;
}

int main(int argc, char **argv, char **envp) {
  bool large = argc > 1 && !strcmp(argv[1], "large");
  static const comm_ranks_fixup fixups[] = {
      {reinterpret_cast<void **>(&data.pointer)}};
  static const comm_ranks_constructor constructors[] = {{second, 65535},
                                                        {first, 101}};
  comm_ranks_image image = {};
  image.abi_version = COMM_RANKS_ABI_VERSION;
  image.data_begin = reinterpret_cast<char *>(&data);
  image.data_end = large ? reinterpret_cast<char *>(&data + 1)
                         : reinterpret_cast<char *>(&data.filler[64]);
  image.zero_begin = zero;
  image.zero_end = zero + sizeof(zero);
  image.fixups_begin = fixups;
  image.fixups_end = fixups + 1;
  image.constructors_begin = constructors;
  image.constructors_end = constructors + 2;
  image.main = rankMain;
  return comm_ranks_run(argc, argv, envp, &image);
}
