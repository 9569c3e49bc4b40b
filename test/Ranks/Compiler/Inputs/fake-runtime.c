/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A minimal runtime to test the compiler: COMM_FAKE_RANKS ranks (2), one after another, each with a copy of the image,
 * its constructors, and its functions at exit.
 */
#include "comm/ranks.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

__thread ptrdiff_t comm_ranks_displacement __attribute__((tls_model("initial-exec")));
__thread const comm_ranks_site *comm_ranks_call_site __attribute__((tls_model("initial-exec")));

static int rank;
static jmp_buf end;
static struct {
  void (*function)(void *);
  void *argument;
} at_exit[256];
static int at_exit_count;

int comm_ranks_cxa_atexit(void (*function)(void *), void *argument, void *dso) {
  (void)dso;
  if (at_exit_count == 256)
    return 1;
  at_exit[at_exit_count].function = function;
  at_exit[at_exit_count++].argument = argument;
  return 0;
}

static void call_plain(void *function) { ((void (*)(void))function)(); }
int comm_ranks_atexit(void (*function)(void)) { return comm_ranks_cxa_atexit(call_plain, (void *)function, NULL); }
void comm_ranks_exit(int status) { longjmp(end, status + 1); }

int comm_ranks_MPI_Init(int *argc, char ***argv) {
  (void)argc, (void)argv;
  return 0;
}
int comm_ranks_MPI_Comm_rank(void *comm, int *result) {
  (void)comm;
  *result = rank;
  return 0;
}
int comm_ranks_MPI_Barrier(void *comm) {
  (void)comm;
  printf("rank %d calls %s at line %u\n", rank, comm_ranks_call_site->mpi_call, comm_ranks_call_site->line);
  return 0;
}
int comm_ranks_MPI_Finalize(void) { return 0; }

static char *least(char *a, char *b) { return !a || (b && b < a) ? b : a; }
static char *most(char *a, char *b) { return a > b ? a : b; }

static int is_private(const comm_ranks_image *image, const void *address) {
  const char *at = address;
  return (at >= image->data_begin && at < image->data_end) || (at >= image->zero_begin && at < image->zero_end);
}

static void displace(void **where) {
  if (where)
    *(char **)((char *)where + comm_ranks_displacement) += comm_ranks_displacement;
}

static void fix(const comm_ranks_image *image) {
  const comm_ranks_fixup *fixup = image->fixups_begin;
  for (; fixup != image->fixups_end; ++fixup)
    displace(fixup->where);
  const comm_ranks_optional_fixup *optional = image->optional_fixups_begin;
  for (; optional != image->optional_fixups_end; ++optional)
    if (is_private(image, optional->target))
      displace(optional->where);
}

/* By priority, in the order of the table where priorities agree. */
static void construct(const comm_ranks_image *image) {
  const comm_ranks_constructor *begin = image->constructors_begin, *end = image->constructors_end, *at;
  for (long long done = -1;;) {
    long long next = -1;
    for (at = begin; at != end; ++at)
      if (at->function && at->priority > done && (next < 0 || at->priority < next))
        next = at->priority;
    if (next < 0)
      return;
    for (at = begin; at != end; ++at)
      if (at->function && at->priority == next)
        at->function();
    done = next;
  }
}

int comm_ranks_run(int argc, char **argv, char **envp, const comm_ranks_image *image) {
  const char *wanted = getenv("COMM_FAKE_RANKS");
  int count = wanted ? atoi(wanted) : 2, status = 0;
  for (comm_ranks_foreign *foreign = image->foreign_begin; foreign != image->foreign_end; ++foreign)
    foreign->mask = is_private(image, foreign->variable) ? ~(uintptr_t)0 : 0;
  char *begin = least(image->data_begin, image->zero_begin), *stop = most(image->data_end, image->zero_end);
  for (rank = 0; rank < count; ++rank) {
    char *page = (char *)((size_t)begin & ~(size_t)4095), *copy;
    copy = mmap(NULL, (size_t)(stop - page) + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    comm_ranks_displacement = copy - page;
    memcpy(image->data_begin + comm_ranks_displacement, image->data_begin, image->data_end - image->data_begin);
    fix(image);
    volatile int result = setjmp(end);
    if (!result) {
      construct(image);
      result = image->main(argc, argv, envp) + 1;
    }
    while (at_exit_count) {
      --at_exit_count;
      at_exit[at_exit_count].function(at_exit[at_exit_count].argument);
    }
    if (!status)
      status = result - 1;
  }
  /* The image itself does not belong to a rank. */
  comm_ranks_displacement = 0;
  return status;
}
