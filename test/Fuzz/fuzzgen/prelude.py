# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The helper functions at the head of each generated file."""

from __future__ import annotations

COMMON = r"""
#include <mpi.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <alloca.h>
#include <unistd.h>
#define NOINLINE __attribute__((noinline))
#define UNUSED __attribute__((unused))
#define RESTRICT __restrict
#define REM(a, b) ((a) % (b))
#define OUTS 24
#define CHECK(x) do { int e_ = (x); if (e_ != MPI_SUCCESS) fail(e_, __LINE__); } while (0)

static volatile int g_never;          // always 0, but no compiler knows
static volatile unsigned g_volatile;
static unsigned g_atomic UNUSED;
static unsigned g_salt = 1;           // read by the user-defined operation
unsigned g_side;                      // written by it
unsigned g_shared;
static int g_case;

static UNUSED NOINLINE void fail(int err, int line) {
  char text[MPI_MAX_ERROR_STRING]; int n = 0;
  MPI_Error_string(err, text, &n);
  printf("case %d line %d: %s\n", g_case, line, text);
  fflush(stdout);
  MPI_Abort(MPI_COMM_WORLD, 3);
}

// Order matters: mix(mix(h, a), b) is not mix(mix(h, b), a).
static inline UNUSED unsigned mix(unsigned h, unsigned v) {
  h ^= v + 0x9e3779b9u + (h << 6) + (h >> 2);
  return h * 2654435761u + 1u;
}
// The values of these constants differ between implementations of MPI.
static inline UNUSED unsigned source_of(MPI_Status s) {
  return s.MPI_SOURCE == MPI_PROC_NULL ? 91u : s.MPI_SOURCE == MPI_ANY_SOURCE ? 92u : (unsigned)s.MPI_SOURCE;
}
static inline UNUSED unsigned tag_of(MPI_Status s) { return s.MPI_TAG == MPI_ANY_TAG ? 93u : (unsigned)s.MPI_TAG; }
static inline UNUSED unsigned LD_i(int v) { return (unsigned)v; }
static inline UNUSED unsigned LD_u(unsigned v) { return v; }
static inline UNUSED unsigned LD_l(long long v) { return (unsigned)v ^ (unsigned)((unsigned long long)v >> 32); }
static inline UNUSED unsigned LD_c(unsigned char v) { return v; }
static inline UNUSED unsigned LD_d(double v) {
  unsigned w[2]; memcpy(w, &v, sizeof w); return w[0] * 31u + w[1];
}
static inline UNUSED int ST_i(unsigned v) { return (int)((v ^ (v >> 15)) & 0xfffffu); }
static inline UNUSED unsigned ST_u(unsigned v) { return v; }
static inline UNUSED long long ST_l(unsigned v) { return (long long)((v ^ (v >> 13)) & 0xffffffu); }
static inline UNUSED unsigned char ST_c(unsigned v) { return (unsigned char)(v ^ (v >> 11)); }
static inline UNUSED double ST_d(unsigned v) { return (double)((v ^ (v >> 15)) & 0xfffffu); }

#define HELPERS(T, s) \
  static UNUSED NOINLINE unsigned hash_##s(const T *p, int n, unsigned h) { \
    for (int i = 0; i < n; i++) h = mix(h, LD_##s(p[i])); \
    return h; } \
  static UNUSED NOINLINE void fill_##s(T *p, int n, unsigned seed) { \
    for (int i = 0; i < n; i++) p[i] = ST_##s(mix(seed, (unsigned)i)); } \
  static UNUSED NOINLINE void twist_##s(T *p, int n, unsigned k) { \
    for (int i = 0; i < n; i++) p[i] = ST_##s(mix(k + (unsigned)i, LD_##s(p[i]))); } \
  static UNUSED NOINLINE unsigned walk_##s(T *p, int n, unsigned h) { \
    if (n <= 0) return h; \
    h = mix(h, LD_##s(p[0])); p[0] = ST_##s(h); \
    h = walk_##s(p + 1, n > 9 ? 9 : n - 1, h); \
    return mix(h, LD_##s(p[0])); } \
  static UNUSED NOINLINE void axpy_##s(T *RESTRICT y, const T *RESTRICT x, int n, unsigned k) { \
    for (int i = 0; i < n; i++) y[i] = ST_##s(LD_##s(y[i]) * 3u + LD_##s(x[i]) * k); } \
  static UNUSED NOINLINE void shift_##s(T *y, const T *x, int n) { \
    for (int i = 0; i < n; i++) y[i] = ST_##s(LD_##s(x[i]) + 1u); } \
  typedef struct Node_##s { struct Node_##s *next; T *data; int n; } Node_##s; \
  typedef struct Pair_##s { T *a; T *b; int n; } Pair_##s; \
  static UNUSED NOINLINE void pair_##s(Pair_##s *p, unsigned k) { \
    for (int i = 0; i < p->n; i++) p->b[i] = ST_##s(mix(k, LD_##s(p->a[i]))); } \
  typedef unsigned (*Visit_##s)(T *, int, unsigned); \
  static UNUSED NOINLINE unsigned visit_hash_##s(T *p, int n, unsigned h) { return hash_##s(p, n, h); } \
  static UNUSED NOINLINE unsigned visit_twist_##s(T *p, int n, unsigned h) { twist_##s(p, n, h); return h * 3u; } \
  static Visit_##s const visits_##s[2] UNUSED = {visit_hash_##s, visit_twist_##s};

HELPERS(int, i)
HELPERS(unsigned, u)
HELPERS(long long, l)
HELPERS(double, d)
HELPERS(unsigned char, c)

// Waits without MPI: makes a message late, never decides its order.
static UNUSED NOINLINE void nap(int us) { usleep((useconds_t)us); }

// (a, b) after (c, d), with a salt between: associative, not commutative.
static UNUSED void affine_op(void *in, void *inout, int *n, MPI_Datatype *type) {
  unsigned *x = (unsigned *)in, *y = (unsigned *)inout;
  (void)type;
  for (int i = 0; i < *n; i++) {
    unsigned a = x[2 * i] * g_salt * y[2 * i];
    unsigned b = (x[2 * i + 1] * g_salt + 1u) * y[2 * i] + y[2 * i + 1];
    y[2 * i] = a; y[2 * i + 1] = b;
  }
  g_side = 77;
}

static NOINLINE void jump_out(jmp_buf where, int value) { longjmp(where, value); }
static NOINLINE UNUSED void jump_if(jmp_buf where, int value) { if (value) jump_out(where, value); }

#ifndef FUZZ_FORM
static NOINLINE void report(const unsigned *out) {
  unsigned all[8 * OUTS]; int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Gather(out, OUTS, MPI_UNSIGNED, all, OUTS, MPI_UNSIGNED, 0, MPI_COMM_WORLD);
  if (rank == 0)
    for (int r = 0; r < size; r++) {
      printf("case %d rank %d:", g_case, r);
      for (int k = 0; k < OUTS; k++)
        if (k == 0 || all[r * OUTS + k]) printf(" %08x", all[r * OUTS + k]);
      printf("\n");
    }
}

static void run(int number, void (*body)(unsigned *)) {
  unsigned out[OUTS];
  memset(out, 0, sizeof out);
  g_case = number; g_salt = 3; g_side = 1; g_shared = 5; g_volatile = 0; g_atomic = 0;
  body(out);
  report(out);
}
#endif
"""

# At the beginning of a file: names that other files and forms of one program may also have (driver.c).
FORMS = r"""
#ifdef FUZZ_FORM
#define FUZZ_PASTE_(a, b) a##_##b
#define FUZZ_PASTE(a, b) FUZZ_PASTE_(a, b)
#define FUZZ_NAME(x) FUZZ_PASTE(x, FUZZ_FORM)
#define FUZZ_TEXT_(x) #x
#define FUZZ_TEXT(x) FUZZ_TEXT_(x)
"""

# At the end of a file that is one of several forms.
REGISTER = r"""
#ifdef FUZZ_FORM
typedef struct {
  const char *form; long seed; int count; void (*const *cases)(unsigned *); void (*start)(void);
} FuzzFile;
#ifdef __cplusplus
extern "C"
#endif
void fuzz_register(const FuzzFile *file);
"""

CXX = r"""
#include <algorithm>
#include <functional>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

struct Trouble : std::runtime_error {
  unsigned code;
  explicit Trouble(unsigned c) : std::runtime_error("trouble"), code(c) {}
};
static NOINLINE UNUSED void throw_if(bool yes, unsigned code) { if (yes) throw Trouble(code); }

// Touches a buffer when its scope ends, whichever way it ends.
template <class T> class Sweeper {
  T *p_; int n_; unsigned &h_;
public:
  Sweeper(T *p, int n, unsigned &h) : p_(p), n_(n), h_(h) {}
  Sweeper(const Sweeper &) = delete;
  ~Sweeper() {
    for (int i = 0; i < n_; i++) {
      unsigned w = 0; memcpy(&w, p_ + i, sizeof(T) < 4 ? sizeof(T) : 4);
      h_ = mix(h_, w);
      p_[i] = T(w & 0xff);
    }
  }
};
template <class T> class Owner {
  T *p_;
public:
  explicit Owner(int n) : p_(new T[(size_t)n]()) {}
  Owner(const Owner &) = delete;
  ~Owner() { delete[] p_; }
  T *get() const { return p_; }
  T &operator[](int i) { return p_[i]; }
};
template <class T> static T &pick_ref(T &a, T &b, bool first) { return first ? a : b; }
"""

# One text per feature of the file (program.features_of).
FEATURES = {
    "variable wildcards": r"""
static int g_any = -77;  // MPI_ANY_SOURCE, once main has set it
static UNUSED NOINLINE int take(void *p, int n, MPI_Datatype t, int source, int tag, MPI_Comm comm, MPI_Status *st) {
  return MPI_Recv(p, n, t, source, tag, comm, st);
}
""",
    "outside": r"""
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
static int g_run, g_serial;  // the same in all ranks
enum { g_slots = 4096 };
static volatile unsigned *g_page;  // memory that all ranks share
static char g_page_path[96];
static void remove_page(void) { unlink(g_page_path); }
static UNUSED void map_page(void) {
  int rank, f;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  snprintf(g_page_path, sizeof g_page_path, "/tmp/comm-fuzz-%d-page", g_run);
  f = open(g_page_path, O_RDWR | O_CREAT, 0600);
  if (f < 0 || ftruncate(f, g_slots * sizeof(unsigned)) != 0) MPI_Abort(MPI_COMM_WORLD, 6);
  g_page = (volatile unsigned *)mmap(NULL, g_slots * sizeof(unsigned), PROT_READ | PROT_WRITE, MAP_SHARED, f, 0);
  close(f);
  if (g_page == MAP_FAILED) MPI_Abort(MPI_COMM_WORLD, 7);
  if (rank == 0) atexit(remove_page);
}
static UNUSED NOINLINE int is_there(const char *path) { struct stat s; return stat(path, &s) == 0; }
static UNUSED NOINLINE void publish(const char *path) { FILE *f = fopen(path, "w"); if (f) fclose(f); }
static UNUSED NOINLINE unsigned read_number(const char *path) {
  char line[32] = "0"; FILE *f = fopen(path, "r");
  if (!f || !fgets(line, sizeof line, f)) return 0;
  fclose(f);
  return (unsigned)atoi(line);
}
static UNUSED NOINLINE void write_number(const char *path, int n) {
  FILE *f = fopen(path, "w");
  if (f) { fprintf(f, "%d\n", n); fclose(f); }
}
""",
    "handlers": r"""
static unsigned g_errors;
static unsigned *g_watch;
static UNUSED unsigned class_of(int code) {
  int k = -1;
  MPI_Error_class(code, &k);
  return k == MPI_ERR_RANK ? 21u : k == MPI_ERR_ROOT ? 22u : 23u;
}
static UNUSED void on_error(MPI_Comm *comm, int *code, ...) {
  (void)comm;
  g_errors = g_errors * 3u + class_of(*code);
  if (g_watch) *g_watch += 17u;
}
#ifdef __cplusplus
static UNUSED void throw_error(MPI_Comm *comm, int *code, ...) { (void)comm; throw Trouble(class_of(*code)); }
#endif
""",
}
# Actions of main for a feature after MPI_Init.
FEATURE_STARTS = {
    "variable wildcards": "g_any = g_never ? 0 : MPI_ANY_SOURCE;",
    "outside": "g_run = (int)getpid(); MPI_Bcast(&g_run, 1, MPI_INT, 0, MPI_COMM_WORLD); map_page();",
}

MAIN_HEAD = r"""
int main(int argc, char **argv) {
  int only = argc > 1 ? atoi(argv[1]) : -1;
"""
