/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * MPI ranks as user-level threads: what the compiler (-fcomm-ranks) and the
 * runtime (libCommRanks) agree on.
 *
 * A program that is built for it is compiled against the header of the MPI
 * standard ABI (MPI-5, chapter 20). The compiler renames each MPI function
 * `MPI_X` that the program declares to `comm_ranks_MPI_X` (and `PMPI_X` to the
 * same), renames `main` to `comm_ranks_main`, and gives each rank its own copy
 * of the global variables that rank code may write. The runtime implements the
 * renamed functions; Open MPI beneath it carries what leaves the process.
 *
 * Privatized variables: the image (the program, or a shared library that is
 * built for ranks) holds each at its usual address, with its initial value, and
 * nobody writes there. Rank code adds `comm_ranks_displacement` to the address,
 * which is one for all images. A rank never changes its kernel thread, so the
 * displacement is constant for as long as a rank runs.
 */
#ifndef COMM_RANKS_H
#define COMM_RANKS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define COMM_RANKS_ABI_VERSION 2

/* One call of MPI in the source: static, read-only storage. */
typedef struct comm_ranks_site {
  const char *mpi_call, *file;
  uint32_t line, column;
} comm_ranks_site;

/*
 * In bytes: the copy of the running rank of a privatized variable at address
 * a is at a + comm_ranks_displacement. Written by the scheduler alone.
 */
extern __thread ptrdiff_t comm_ranks_displacement __attribute__((tls_model("initial-exec")));

/*
 * The call of MPI that the running rank is in, or NULL when unknown: stored by
 * the program before each call, kept by the scheduler across switches, and
 * named in the runtime's messages.
 */
extern __thread const comm_ranks_site *comm_ranks_call_site __attribute__((tls_model("initial-exec")));

/* A pointer in the privatized image whose value is the address of a privatized
 * variable: each rank's copy gets the displacement added. */
typedef struct comm_ranks_fixup {
  void **where;
} comm_ranks_fixup;

/* The same, if `target` lies among the privatized variables of any image: the
 * linker decides which definition of a name that is. */
typedef struct comm_ranks_optional_fixup {
  void **where;
  const void *target;
} comm_ranks_optional_fixup;

/* A variable that code of this image names and that another file or library may
 * define. The runtime sets `mask` to all ones if it is privatized there; code
 * adds comm_ranks_displacement & mask. With a name it has to be privatized: it
 * is thread_local in the source, and code that is built for ranks takes it for a
 * variable like others. */
typedef struct comm_ranks_foreign {
  const void *variable;
  uintptr_t mask;
  const char *name;
} comm_ranks_foreign;

/* A constructor of the program (C++ dynamic initialization, or
 * __attribute__((constructor))): runs once in each rank, before main, by
 * ascending priority, in the order of the table where priorities agree. */
typedef struct comm_ranks_constructor {
  void (*function)(void);
  uint32_t priority;
} comm_ranks_constructor;

/*
 * One program or shared library. Entries of the tables whose first pointer is
 * NULL count for nothing. [data_begin, data_end) is copied into each
 * rank; [zero_begin, zero_end) is zero in each. Either may be empty.
 */
typedef struct comm_ranks_image {
  uint32_t abi_version;     /* COMM_RANKS_ABI_VERSION */
  uint32_t opens_libraries; /* whether its code calls dlopen */
  char *data_begin, *data_end, *zero_begin, *zero_end;
  const comm_ranks_fixup *fixups_begin, *fixups_end;
  const comm_ranks_optional_fixup *optional_fixups_begin, *optional_fixups_end;
  comm_ranks_foreign *foreign_begin, *foreign_end;
  const comm_ranks_constructor *constructors_begin, *constructors_end;
  int (*main)(int argc, char **argv, char **envp); /* NULL in libraries */
} comm_ranks_image;

/*
 * A library that was loaded: called by its initialization, so in the order in
 * which constructors have to run. Before comm_ranks_run, or between the next two
 * functions.
 */
void comm_ranks_add_library(const comm_ranks_image *image);

/* Around dlopen in a rank. Afterwards the constructors of the libraries that the
 * handle stands for run in this rank, unless they did before. */
void comm_ranks_begin_open(void);
void comm_ranks_end_open(void *handle);

/*
 * Runs a program's ranks to their end; called by main of the start file that
 * commcc links. Returns the exit status of the process: 0 when each rank's
 * main returned 0, else the first that did not.
 */
int comm_ranks_run(int argc, char **argv, char **envp, const comm_ranks_image *image);

/* Per-rank atexit and __cxa_atexit: run when the rank ends, last one first.
 * The compiler rewires the program's calls to these. Return 0, or nonzero when
 * there is no memory. */
int comm_ranks_atexit(void (*function)(void));
int comm_ranks_cxa_atexit(void (*function)(void *), void *argument, void *dso);

/* exit() of a rank: ends this rank alone, after its atexit functions. An exit
 * before MPI_Finalize ends the program, as under mpirun. */
void comm_ranks_exit(int status) __attribute__((noreturn));

/* quick_exit() and _exit() of a rank: as exit(), after its functions of
 * at_quick_exit, and after none. */
int comm_ranks_at_quick_exit(void (*function)(void));
void comm_ranks_quick_exit(int status) __attribute__((noreturn));
void comm_ranks__exit(int status) __attribute__((noreturn));

/* In place of a function of MPI that the runtime does not have: says so, with
 * the rank and the line, and ends the program. */
void comm_ranks_uncovered(const char *mpi_call) __attribute__((noreturn));

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* COMM_RANKS_H */
