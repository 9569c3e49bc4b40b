// How processes influence each other by other means than messages: sends then keep their order with receives.
// DEFINE: %{rows} = %commcc -O2 -g -Rcomm %s -o %t
// RUN: %{rows} 2>&1 | FileCheck --check-prefix=NONE %s
// RUN: %{rows} -DSAY='if (rank == 0) printf("%%d\n", size)' 2>&1 | FileCheck --check-prefix=NONE %s
// RUN: %{rows} -DSAY='if (rank == 0) say(size)' 2>&1 | FileCheck --check-prefix=NONE %s
// RUN: %{rows} -DSAY='if (size > 9) { fprintf(stderr, "too many"); MPI_Abort(MPI_COMM_WORLD, 1); }' 2>&1 | FileCheck --check-prefix=NONE %s
// RUN: %{rows} -DSAY='if (!fopen("size", "r")) exit(1)' 2>&1 | FileCheck --check-prefix=NONE %s
// The optimizer makes one condition of two.
// RUN: %{rows} -DSAY='if (size > 9 && rank == 0) printf("%%d\n", size)' 2>&1 | FileCheck --check-prefix=NONE %s
// RUN: %{rows} -DSAY='if (!(size > 9 || rank != 0)) printf("%%d\n", size)' 2>&1 | FileCheck --check-prefix=NONE %s
// RUN: %{rows} -DSAY='if (size > 9 || rank == 0) printf("%%d\n", size)' 2>&1 | FileCheck --check-prefix=CHANNEL -DNAME=printf %s
// Both processes may write, or a different process writes the rest.
// RUN: %{rows} -DSAY='printf("%%d\n", rank)' 2>&1 | FileCheck --check-prefix=CHANNEL -DNAME=printf %s
// RUN: %{rows} -DSAY='if (rank != 0) printf("%%d\n", rank)' 2>&1 | FileCheck --check-prefix=CHANNEL -DNAME=printf %s
// RUN: %{rows} -DSAY='if (rank == 1) printf("%%d\n", size)' 2>&1 | FileCheck --check-prefix=CHANNEL -DNAME=printf %s
// RUN: %{rows} -DSAY='if (other == 0) printf("%%d\n", size)' 2>&1 | FileCheck --check-prefix=CHANNEL -DNAME=printf %s
// RUN: %{rows} -DSAY='say(size)' 2>&1 | FileCheck --check-prefix=CHANNEL -DNAME=printf %s
// The program ends after it, and before that its processes talk.
// RUN: %{rows} -DSAY='if (size > 9) { printf("%%d\n", rank); meet(); exit(1); }' 2>&1 | FileCheck --check-prefix=CHANNEL -DNAME=printf %s
// RUN: %{rows} -DSAY='if (size > 9) { printf("%%d\n", rank); act(); exit(1); }' 2>&1 | FileCheck --check-prefix=CHANNEL -DNAME='a call through a pointer' %s
// Before MPI_Finalize the processes have talked: each may write, itself or by functions. Not if more is said after it, or
// if MPI_Finalize calls the program.
// RUN: %{rows} -DLAST='printf("%%d\n", rank)' 2>&1 | FileCheck --check-prefix=NONE %s
// RUN: %{rows} -DLAST='for (int i = 0; i < size; ++i) { printf("%%d ", i); if (rank) puts(""); }' 2>&1 | FileCheck --check-prefix=NONE %s
// RUN: %{rows} -DLAST='report(size)' 2>&1 | FileCheck --check-prefix=NONE %s
// RUN: %{rows} -DLAST='printf("%%d\n", rank); meet()' 2>&1 | FileCheck --check-prefix=CHANNEL -DNAME=printf %s
// RUN: %{rows} -DLAST='for (int i = 0; i < size; ++i) { if (rank == i) puts("here"); meet(); }' 2>&1 | FileCheck --check-prefix=CHANNEL -DNAME=puts %s
// RUN: %{rows} -DLAST='printf("%%d\n", rank); act()' 2>&1 | FileCheck --check-prefix=CHANNEL -DNAME='a call through a pointer' %s
// RUN: %{rows} -DLAST='MPI_Comm_create_keyval(0, deleted, &key, 0); printf("%%d\n", rank)' 2>&1 | FileCheck --check-prefix=CHANNEL -DNAME=printf %s
// RUN: %{rows} -DLAST='report(size)' -DSAY='report(rank)' 2>&1 | FileCheck --check-prefix=CHANNEL -DNAME=printf %s
// RUN: %{rows} -c -DLAST='printf("%%d\n", rank)' -Dmain=part 2>&1 | FileCheck --check-prefix=PART %s
// Files, other programs, shared memory, unknown functions.
// RUN: %{rows} -DSAY='if (rank == 0 && !fopen("size", "w")) exit(1)' 2>&1 | FileCheck --check-prefix=CHANNEL -DNAME=fopen %s
// RUN: %{rows} -DSAY='system("true")' 2>&1 | FileCheck --check-prefix=CHANNEL -DNAME=system %s
// RUN: %{rows} -DSAY='MPI_Win_fence(0, MPI_WIN_NULL)' 2>&1 | FileCheck --check-prefix=CHANNEL -DNAME=MPI_Win_fence %s
// RUN: %{rows} -DSAY='MPI_File_delete("size", MPI_INFO_NULL)' 2>&1 | FileCheck --check-prefix=CHANNEL -DNAME=MPI_File_delete %s
// RUN: %{rows} -DSAY='MPI_Comm_get_parent(&parent)' 2>&1 | FileCheck --check-prefix=CHANNEL -DNAME=MPI_Comm_get_parent %s
// RUN: %{rows} -DSAY='atexit(bye)' 2>&1 | FileCheck --check-prefix=CHANNEL -DNAME=atexit %s
// RUN: %{rows} -c -DSAY='unknown()' 2>&1 | FileCheck --check-prefix=CHANNEL -DNAME=unknown %s
// RUN: %{rows} -c -DSAY='stride_written()' 2>&1 | FileCheck --check-prefix=CHANNEL -DNAME=stride_written %s
// RUN: %{rows} -c -DSAY='divide(size)' 2>&1 | FileCheck --check-prefix=CHANNEL -DNAME='operator/(File, long)' %s
// Names that libraries have not reserved, or that are the program's own specializations of templates of std.
// RUN: %{rows} -c -DSAY='omp_set_log(size)' 2>&1 | FileCheck --check-prefix=CHANNEL -DNAME=omp_set_log %s
// RUN: %{rows} -c -DSAY='comm_ask_others()' 2>&1 | FileCheck --check-prefix=CHANNEL -DNAME=comm_ask_others %s
// RUN: %{rows} -c -DSAY='getline(lines, size)' 2>&1 | FileCheck --check-prefix=CHANNEL -DNAME=getline %s
// RUN: %{rows} -c -DSAY='hash(size)' 2>&1 | FileCheck --check-prefix=CHANNEL -DNAME='std::hash<Foo>::operator()(Foo const&) const' %s
// RUN: %{rows} -c -DSAY='put(size)' 2>&1 | FileCheck --check-prefix=CHANNEL -DNAME='std::basic_ostream<wchar_t, std::char_traits<wchar_t>>::operator<<(int)' %s
// Through a pointer another file's function may be called.
// RUN: %{rows} -c -DSAY='sink->write(size)' 2>&1 | FileCheck --check-prefix=CHANNEL -DNAME='a call through a pointer' %s
// In MPI_COMM_SELF, and in each part of a split communicator, each process may be the first. In a copy of
// MPI_COMM_WORLD only one is, if there are no parts.
// RUN: %{rows} -DWRITER=self 2>&1 | FileCheck --check-prefix=CHANNEL -DNAME=printf %s
// RUN: %{rows} -DWRITER=other 2>&1 | FileCheck --check-prefix=CHANNEL -DNAME=printf %s
// RUN: %{rows} -DWRITER=copied 2>&1 | FileCheck --check-prefix=CHANNEL -DNAME=printf %s
// RUN: %{rows} -DWHOLE -DWRITER=copied 2>&1 | FileCheck --check-prefix=NONE %s
// RUN: %{rows} -DWHOLE -DWRITER=placed 2>&1 | FileCheck --check-prefix=NONE %s
// RUN: %{rows} -DSAY='replaced()' 2>&1 | FileCheck --check-prefix=CHANNEL -DNAME=replaced %s
// A file without main is part of an unknown program.
// RUN: %{rows} -c -Dmain=part 2>&1 | FileCheck --check-prefix=PART %s
// RUN: %{rows} -DSAY='printf("%%d\n", rank)' -fcomm-known-sources 2>&1 | FileCheck --check-prefix=NONE %s
// NONE-NOT: may communicate with another process
// NONE: overlaps
// CHANNEL: [[NAME]] may communicate with another process other than by messages
// PART-NOT: may communicate with another process
// PART: overlaps
#include <mpi.h>
#define getline getline_of_stdio
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#undef getline

#ifndef SAY
#define SAY (void)0
#endif
#ifndef LAST
#define LAST (void)0
#endif

enum { n = 400 };
static double u[n + 2][n + 2], v[n + 2][n + 2], left[n], right[n], fromLeft[n], fromRight[n];
#ifndef WRITER
#define WRITER rank
#endif
static int rank, other, self, copied, placed;
static MPI_Comm parent;

struct sink {
  void (*write)(int);
};
extern struct sink *sink;
static char lines[n];
void omp_set_log(int), comm_ask_others(void), getline(char *, int);
/// std::hash<Foo>::operator()(const Foo &), std::wcout.operator<<(int)
void hash(int) __asm__("_ZNKSt4hashI3FooEclERKS0_"), put(int) __asm__("_ZNSt13basic_ostreamIwSt11char_traitsIwEElsEi");

void unknown(void), stride_written(void);
/// operator/(File, long)
void divide(long by) __asm__("_Zdv4Filel");
__attribute__((weak)) void replaced(void) {}
static __attribute__((noinline)) void meet(void) { MPI_Barrier(MPI_COMM_WORLD); }
static void (*volatile act)(void) = meet;
static void bye(void) { exit(parent == MPI_COMM_NULL); }
static int key;
static int deleted(MPI_Comm comm, int which, void *value, void *state) { return MPI_Barrier(MPI_COMM_WORLD); }
static __attribute__((noinline)) void report(int number) { printf("%d: %d\n", number, MPI_Wtime() > 0); }
static __attribute__((noinline)) void say(int number) { printf("%d\n", number); }

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int size;
  MPI_Comm half, copy, grid;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
#ifndef WHOLE
  MPI_Comm_split(MPI_COMM_WORLD, rank / 2, 0, &half);
  MPI_Comm_rank(half, &other);
  MPI_Comm_rank(MPI_COMM_SELF, &self);
#endif
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  MPI_Comm_rank(copy, &copied);
  int periodic = 1;
  MPI_Cart_create(copy, 1, &size, &periodic, 0, &grid);
  MPI_Comm_rank(grid, &placed);
  if (WRITER == 0)
    printf("%d\n", size);
  int up = (rank + 1) % size, down = (rank + size - 1) % size, before = (rank + 2) % size,
      after = (rank + 2 * size - 2) % size;
  for (int i = 0; i < n + 2; ++i)
    for (int j = 0; j < n + 2; ++j)
      u[i][j] = i * j + rank;
  for (int t = 0; t < 10; ++t) {
    for (int i = 0; i < n; ++i) {
      left[i] = u[i + 1][1];
      right[i] = u[i + 1][n];
    }
    SAY;
    MPI_Sendrecv(left, n, MPI_DOUBLE, before, 0, fromRight, n, MPI_DOUBLE, after, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(u[1], n + 2, MPI_DOUBLE, up, 1, u[n + 1], n + 2, MPI_DOUBLE, down, 1, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    for (int i = 1; i <= n; ++i)
      for (int j = 1; j <= n; ++j)
        v[i][j] = u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1] - 4 * u[i][j];
    for (int i = 0; i < n; ++i)
      v[i + 1][n] += fromRight[i];
    memcpy(u, v, sizeof u);
  }
  double sum = 0, total;
  for (int i = 1; i <= n; ++i)
    for (int j = 1; j <= n; ++j)
      sum += u[i][j];
  MPI_Reduce(&sum, &total, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (WRITER == 0)
    printf("%.17g\n", total);
  if (other > 9)
    bye();
  LAST;
  MPI_Finalize();
}
