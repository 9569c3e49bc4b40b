/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * MPI ranks as user-level threads: the contract between the compiler (-fcomm-ranks) and the runtime (libCommRanks).
 *
 * Programs for ranks are compiled with the mpi.h of the MPI standard ABI (MPI-5, chapter 20). The compiler renames each
 * MPI function `MPI_X` that the program declares to `comm_ranks_MPI_X` (and `PMPI_X` to the same), renames `main` to
 * `comm_ranks_main`, and gives each rank its own copy of the global variables that rank code may write. The runtime
 * implements the renamed functions, and uses Open MPI for communication between processes.
 *
 * Privatized variables: the image (the program, or a shared library built for ranks) holds each at its usual address
 * with its initial value, which nobody modifies. Rank code adds `comm_ranks_displacement`, which is the same for all
 * images, to the address. A rank never changes its kernel thread, so the displacement is constant while a rank runs.
 */
#ifndef COMM_RANKS_H
#define COMM_RANKS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define COMM_RANKS_ABI_VERSION 2

/* An MPI call in the source, in static, read-only storage. */
typedef struct comm_ranks_site {
  const char *mpi_call, *file;
  uint32_t line, column;
} comm_ranks_site;

/*
 * The displacement in bytes: the running rank's copy of a privatized variable at address a is at a +
 * comm_ranks_displacement. Written only by the scheduler.
 */
extern __thread ptrdiff_t comm_ranks_displacement __attribute__((tls_model("initial-exec")));

/*
 * The MPI call that the running rank is in, or NULL if unknown. The program stores it before each call, the scheduler
 * preserves it across switches, and the runtime's messages name it.
 */
extern __thread const comm_ranks_site *comm_ranks_call_site __attribute__((tls_model("initial-exec")));

/* A pointer in the privatized image that holds the address of a privatized variable: each rank's copy gets the
 * displacement added. */
typedef struct comm_ranks_fixup {
  void **where;
} comm_ranks_fixup;

/* A fixup if `target` is among the privatized variables of any image: the linker decides which definition of a name
 * that is. */
typedef struct comm_ranks_optional_fixup {
  void **where;
  const void *target;
} comm_ranks_optional_fixup;

/* A variable that code of this image references and that another file or library may define. The runtime sets `mask`
 * to all ones if it is privatized there; code adds comm_ranks_displacement & mask. With a name, it must be
 * privatized: it is thread_local in the source, and code built for ranks accesses it as an ordinary variable. */
typedef struct comm_ranks_foreign {
  const void *variable;
  uintptr_t mask;
  const char *name;
} comm_ranks_foreign;

/* A constructor of the program (C++ dynamic initialization, or __attribute__((constructor))): runs once in each
 * rank, before main, by ascending priority; in table order for equal priorities. */
typedef struct comm_ranks_constructor {
  void (*function)(void);
  uint32_t priority;
} comm_ranks_constructor;

/*
 * A program or shared library. Table entries whose first pointer is NULL are ignored. [data_begin, data_end) is copied
 * into each rank; [zero_begin, zero_end) is zero in each. Either may be empty.
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
 * Registers a loaded library. Called by its initialization, and thus in the order in which constructors must run,
 * either before comm_ranks_run or between the next two functions.
 */
void comm_ranks_add_library(const comm_ranks_image *image);

/* Called around dlopen in a rank. comm_ranks_end_open runs the constructors of the libraries loaded by the handle in
 * this rank, unless they ran before. */
void comm_ranks_begin_open(void);
void comm_ranks_end_open(void *handle);

/*
 * Runs a program's ranks to completion; called by main of the start file that commcc links. Returns the exit status of
 * the process: 0 if each rank's main returned 0, else the first nonzero status.
 */
int comm_ranks_run(int argc, char **argv, char **envp, const comm_ranks_image *image);

/* Per-rank atexit and __cxa_atexit: the functions run when the rank ends, last one first. The compiler redirects the
 * program's calls to these. Return 0, or nonzero if memory runs out. */
int comm_ranks_atexit(void (*function)(void));
int comm_ranks_cxa_atexit(void (*function)(void *), void *argument, void *dso);

/* exit() of a rank: ends only this rank, after its atexit functions. Exiting before MPI_Finalize ends the program,
 * as under mpirun. */
void comm_ranks_exit(int status) __attribute__((noreturn));

/* quick_exit() and _exit() of a rank: like exit(), after its at_quick_exit functions, and after none. */
int comm_ranks_at_quick_exit(void (*function)(void));
void comm_ranks_quick_exit(int status) __attribute__((noreturn));
void comm_ranks__exit(int status) __attribute__((noreturn));

/* Replaces an MPI function that the runtime lacks: reports the rank and the line, and ends the program. */
void comm_ranks_uncovered(const char *mpi_call) __attribute__((noreturn));

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* COMM_RANKS_H */
