// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the cases of many generated files in one start of MPI. Each file is compiled by several compilers ("forms") and
// linked several times. Every case runs in each form, and the results of the forms are compared in each process.
//
//   driver [--from I] [--only I] [--progress FILE] [--text FILE] [--limit SECONDS] [--as FORM] [--mixed]
//
// Prints a line for each failure: `differs ...`, `ended ...`; process 0 prints `done CASES` at the end. The limit is on
// processor time, because a process that hangs in MPI polls, and the machine may be busy. FILE of --progress names the
// last case and form, for runs that end silently.
#include <fcntl.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

enum { outs = 24, max_files = 4096 };

typedef struct {
  const char *form;
  long seed;
  int count;
  void (*const *cases)(unsigned *);
  void (*start)(void);
} FuzzFile;

#ifdef __cplusplus
extern "C"
#endif
    void
    fuzz_register(const FuzzFile *file);

static const FuzzFile *files[max_files];
static int file_count;
static int rank, size, real_out = 1, text_file = -1, progress_file = -1;
static long limit = 20;
static char now[160] = "nothing yet";

void fuzz_register(const FuzzFile *file) {
  if (file_count == max_files)
    abort();
  files[file_count++] = file;
}

static void say(const char *text) {
  if (write(real_out, text, strlen(text)) < 0)
    _exit(98);
}

/// A hang or a crash: its case and form, by nothing but calls that a handler may make.
static void ended(int number) {
  say(number == SIGPROF   ? "ended time limit, "
      : number == SIGABRT ? "ended abort, "
      : number == SIGSEGV ? "ended segmentation fault, "
                          : "ended signal, ");
  say(now);
  _exit(97);
}

static void watch(long seconds) {
  struct itimerval value;
  memset(&value, 0, sizeof value);
  value.it_value.tv_sec = seconds;
  setitimer(ITIMER_PROF, &value, NULL);
}

/// Returns a hash of the program's output since the last call.
static unsigned printed(void) {
  static off_t seen;
  unsigned hash = 2166136261u;
  unsigned char piece[4096];
  ssize_t got;
  if (text_file < 0)
    return 0;
  fflush(stdout);
  while ((got = pread(text_file, piece, sizeof piece, seen)) > 0) {
    for (ssize_t i = 0; i < got; ++i)
      hash = (hash ^ piece[i]) * 16777619u;
    seen += got;
  }
  return hash;
}

/// Runs a case in a form; `out` receives its results.
static void run(int file, int number, int index, const char *phase, unsigned *out) {
  const FuzzFile *f = files[file];
  snprintf(now, sizeof now, "seed %ld case %d form %s phase %s index %d rank %d of %d\n", f->seed, number, f->form, phase,
           index, rank, size);
  if (progress_file >= 0 && pwrite(progress_file, now, sizeof now, 0) < 0)
    _exit(98);
  watch(limit);
  memset(out, 0, (outs + 1) * sizeof *out);
  f->cases[number](out);
  out[outs] = printed();
  MPI_Barrier(MPI_COMM_WORLD);
  watch(0);
}

static int is_form(int file, const char *form) { return strcmp(files[file]->form, form) == 0; }

static int find(long seed, const char *form) {
  for (int i = 0; i < file_count; ++i)
    if (files[i]->seed == seed && is_form(i, form))
      return i;
  return -1;
}

static int compare(const unsigned *want, const unsigned *got) {
  for (int i = 0; i <= outs; ++i)
    if (want[i] != got[i]) {
      char line[256];
      snprintf(line, sizeof line, "differs %s %d: %08x, not %08x; %s", i == outs ? "text" : "result", i, got[i], want[i],
               now);
      say(line);
      return 1;
    }
  return 0;
}

int main(int argc, char **argv) {
  int from = 0, only = -1, mixed = 0, index = 0, done = 0, signals = 1;
  const char *as = NULL, *progress = NULL, *text = NULL;
  for (int i = 1; i < argc; ++i) {
    const char *value = i + 1 < argc ? argv[i + 1] : "";
    if (strcmp(argv[i], "--mixed") == 0) {
      mixed = 1;
      continue;
    }
    if (strcmp(argv[i], "--no-signals") == 0) {
      signals = 0;
      continue;
    }
    if (strcmp(argv[i], "--from") == 0)
      from = atoi(value);
    else if (strcmp(argv[i], "--only") == 0)
      only = atoi(value);
    else if (strcmp(argv[i], "--progress") == 0)
      progress = value;
    else if (strcmp(argv[i], "--text") == 0)
      text = value;
    else if (strcmp(argv[i], "--limit") == 0)
      limit = atol(value);
    else if (strcmp(argv[i], "--as") == 0)
      as = value;
    else {
      fprintf(stderr, "driver: unknown argument '%s'\n", argv[i]);
      return 2;
    }
    ++i;
  }
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  signal(SIGPROF, ended);
  if (signals) {
    signal(SIGSEGV, ended);
    signal(SIGBUS, ended);
    signal(SIGFPE, ended);
    signal(SIGABRT, ended);
  }
  if (text) {
    char path[4096];
    snprintf(path, sizeof path, "%s.%d", text, rank);
    real_out = dup(1);
    text_file = open(path, O_RDWR | O_CREAT | O_TRUNC | O_APPEND, 0600);
    if (text_file < 0 || dup2(text_file, 1) < 0)
      return 2;
  }
  if (progress && rank == 0)
    progress_file = open(progress, O_RDWR | O_CREAT | O_TRUNC, 0600);
  for (int file = 0; file < file_count; ++file) {
    if (!is_form(file, "plain"))
      continue;
    const long seed = files[file]->seed;
    const int off = find(seed, "off");
    for (int other = 0; other < file_count; ++other)
      if (files[other]->seed == seed)
        files[other]->start();
    for (int number = 0; number < files[file]->count; ++number, ++index) {
      if (only >= 0 ? index != only : index < from)
        continue;
      unsigned want[outs + 1], got[outs + 1];
      run(file, number, index, "alone", want);
      for (int other = 0; other < file_count; ++other) {
        if (files[other]->seed != seed || other == file || other == off)
          continue;
        // In an MPMD run: these processes run the other program.
        const int mine = as ? find(seed, as) : other;
        run(mine, number, index, as ? "mpmd" : "alone", got);
        compare(want, got);
        if (mixed && off >= 0 && size > 1 && number % 3 == 0) {
          run(rank % 2 ? off : other, number, index, "mixed", got);
          compare(want, got);
        }
      }
      ++done;
    }
  }
  MPI_Finalize();
  if (rank == 0) {
    char line[64];
    snprintf(line, sizeof line, "done %d\n", done);
    say(line);
  }
  return 0;
}
