/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Communication DAGs at run time: detects collectives in graphs of sends, receives and local operations, and runs them
 * instead. After Hoefler and Schneider, "Runtime Detection and Optimization of Collective Communication Patterns", PACT
 * 2012 (section 1.2: create, add, compile, run). See docs/cdag.md.
 *
 * There are two interfaces:
 *  - graphs: comm_cdag_create, comm_cdag_add_*, comm_cdag_compile,
 *    comm_cdag_run;
 *  - phases: comm_cdag_phase_begin, comm_cdag_phase_send, ..., comm_cdag_phase_end around a part of a program that
 *    only communicates (emitted by `commcc -fcomm-detect`).
 *
 * Link libCommCDagRun.a, libCommCDag.a and MPI, in this order. Counts are in elements of the MPI datatype, as in MPI.
 * Buffers are used in place: they must be valid from the start to the end of a run, and nothing else may access them
 * meanwhile. Each communicator may be used by one thread at a time.
 */
#ifndef COMM_CDAG_H
#define COMM_CDAG_H

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define COMM_CDAG_ABI_VERSION 1

/* Return values. */
enum comm_cdag_result {
  COMM_CDAG_SUCCESS = 0,
  COMM_CDAG_ERR_ARG = 1,        /* null, negative count, no such operation */
  COMM_CDAG_ERR_RANK = 2,       /* not a process of the communicator */
  COMM_CDAG_ERR_SIZE = 3,       /* overflow, or a datatype not supported */
  COMM_CDAG_ERR_DEPENDENCY = 4, /* an operation depends on itself */
  COMM_CDAG_ERR_UNMATCHED = 5,  /* a send or receive without a partner */
  COMM_CDAG_ERR_TRUNCATION = 6, /* a message longer than its receive */
  COMM_CDAG_ERR_DEADLOCK = 7,   /* operations that wait for each other */
  COMM_CDAG_ERR_RACE = 8,       /* unordered accesses to the same bytes */
  COMM_CDAG_ERR_LIMIT = 9,      /* more than the library handles */
  COMM_CDAG_ERR_MPI = 10,       /* an MPI function failed */
  COMM_CDAG_ERR_MEMORY = 11
};

/* A graph under construction, and a compiled schedule. */
typedef struct comm_cdag comm_cdag;
typedef struct comm_cdag_schedule comm_cdag_schedule;

/* Operations are numbered from 0 in the order in which this process adds them. The number is stored in *op unless op
 * is null. */

/*
 * Creates a graph for the processes of `comm`, an intra-communicator. Collective; the first graph of a communicator
 * duplicates it. Compiled graphs are cached until the communicator is freed.
 */
int comm_cdag_create(MPI_Comm comm, comm_cdag **graph);

/*
 * Adds a send or a receive. `dest` and `source` may be MPI_PROC_NULL (no effect), `source` MPI_ANY_SOURCE and `tag`
 * MPI_ANY_TAG (matched in one valid order, the same in each run). Derived datatypes are supported unless a message has
 * more than 4096 separate blocks. Local.
 */
int comm_cdag_add_send(comm_cdag *graph, const void *buf, int count, MPI_Datatype datatype, int dest, int tag, int *op);
int comm_cdag_add_recv(comm_cdag *graph, void *buf, int count, MPI_Datatype datatype, int source, int tag, int *op);

/* Adds a local copy; `from` and `to` must not overlap. Local. */
int comm_cdag_add_copy(comm_cdag *graph, const void *from, void *to, int count, MPI_Datatype datatype, int *op);

/*
 * Adds a local reduction like MPI_Reduce_local: inout = in (mpi_op) inout. Detection of reductions handles predefined
 * operators on C integer and floating-point types; all others are just executed. Local.
 */
int comm_cdag_add_reduce(comm_cdag *graph, const void *in, void *inout, int count, MPI_Datatype datatype, MPI_Op mpi_op,
                         int *op);

/* One assignment of the single-transfer form: copies `bytes` bytes from an offset in a buffer of one process to an
 * offset in a buffer of another. Buffers are identified by index. */
typedef struct comm_cdag_transfer {
  int64_t source_buffer, source_rank, source_offset;
  int64_t target_buffer, target_rank, target_offset;
  int64_t bytes;
} comm_cdag_transfer;

/*
 * Adds this process's part of these transfers, which must be the same on all processes. They read the values from
 * before the run: a source that another transfer overwrites is copied first, to memory that lives as long as the graph.
 * Local.
 */
int comm_cdag_add_transfers(comm_cdag *graph, void *const *buffers, const comm_cdag_transfer *transfers, int count);

/* Makes `op` start after `on` has completed. Both belong to this process. Local. */
int comm_cdag_add_dependency(comm_cdag *graph, int op, int on);

/* Adds all dependencies that the buffers imply if the operations added so far execute in order: read after write,
 * write after read, write after write. Local. */
int comm_cdag_add_buffer_dependencies(comm_cdag *graph);

/* Declares that the contents of these bytes do not matter after a run: detected collectives need not fill them.
 * Local. */
int comm_cdag_add_temporary(comm_cdag *graph, const void *buf, size_t bytes);

/* Names a buffer for error messages ("grid+16"); the name is copied. Local. */
int comm_cdag_add_name(comm_cdag *graph, const void *buf, size_t bytes, const char *name);

enum comm_cdag_option {
  /* 1: sums and products of floating-point numbers may be reordered, which may change the last digits. Default 0, or
   * COMM_CDAG_REORDER_FP. */
  COMM_CDAG_OPT_REORDER_FP = 1,
  /* 1: keep all synchronization (paper, section 2.3), with zero-byte messages where a collective does not
   * synchronize like the original. 0: processes only wait for data. Default 1, or COMM_CDAG_KEEP_SYNC. */
  COMM_CDAG_OPT_KEEP_SYNC = 2,
  /* 0: run the original; 1: always run the detected collectives; 2: measure both in the first runs and keep the
   * faster one. Default 2, or COMM_CDAG_MODE. */
  COMM_CDAG_OPT_MODE = 3
};
/* Sets an option, which must be the same on all processes. Local. */
int comm_cdag_set_option(comm_cdag *graph, int option, int value);

/*
 * Compiles the graph. Collective: the processes' parts are gathered and analyzed at one process, and the schedule is
 * scattered. If the graph was compiled before on this communicator (the same on each process, except for buffer
 * addresses), the cached schedule costs one small allreduce and one gather. Errors of any process are returned on all,
 * with the same message. The graph remains, and may be extended and compiled again.
 */
int comm_cdag_compile(comm_cdag *graph, comm_cdag_schedule **schedule);

/* Runs the schedule and returns when this process's part is complete. Collective in the sense that all processes
 * must run the schedules of a communicator in the same order. */
int comm_cdag_run(comm_cdag_schedule *schedule);

/*
 * Compiles, runs and frees the graph, whose schedule stays in the cache. Compiled programs call this. An error, or a
 * graph that could not be created, ends the program with a message that names `site` (a place in the source).
 */
void comm_cdag_execute(comm_cdag **graph, const char *site);

/* Frees the graph. Local. Sets the handle to null; ignores null handles. */
int comm_cdag_free(comm_cdag **graph);
int comm_cdag_schedule_free(comm_cdag_schedule **schedule);

/* Returns the message of the last error on this graph, in lower case; "" if there is none. It names process,
 * operation and buffer. Valid until the next call on the graph. */
const char *comm_cdag_message(const comm_cdag *graph);

/* The result of compiling a graph. The same on all processes, except for the bytes. */
typedef struct comm_cdag_info {
  int cached;                                /* 1: compiled by an earlier call */
  int messages;                              /* in the graph */
  int kept_messages;                         /* that remain, with their data */
  int sync_messages;                         /* that remain, with zero bytes */
  int collectives;                           /* detected */
  int replaced;                              /* 1: runs the detected collectives; 0: the original; -1: still measures */
  double compile_seconds;                    /* gather, analysis and scatter */
  double original_seconds, replaced_seconds; /* measured, or 0 */
  size_t bytes;                              /* memory held here for the schedule */
} comm_cdag_info;
int comm_cdag_get_info(const comm_cdag_schedule *schedule, comm_cdag_info *info);
/* Describes what was detected: "bcast(4 ranks, 8 bytes); barrier". */
const char *comm_cdag_describe(const comm_cdag_schedule *schedule);

/* -------- Phases --------
 *
 * A phase is a part of a program in which this process only communicates. Calls between comm_cdag_phase_begin and
 * comm_cdag_phase_end send nothing: they are recorded in program order, and comm_cdag_phase_end executes them. In
 * between, the program must neither access the buffers nor need a result (statuses are not available). Dependencies are
 * those that the buffers imply.
 *
 * The caller (the compiler) guarantees:
 *  - all processes of `comm` execute the phases of `comm` in the same order with the same sites, whatever each of
 *    them records;
 *  - the messages of a phase match messages of the same phase, or their order relative to other communication does
 *    not matter at either end.
 *
 * Repeated phases are found in a cache, by agreement of all processes (one allreduce of 16 bytes). Wildcards, datatypes
 * that cannot be decoded, and graphs with unmatched messages are executed as they are: nonblocking, in program order,
 * on `comm`, with waits where the buffers require them.
 *
 * A process that waits for the others for COMM_CDAG_TIMEOUT seconds (default 60) reports the site on stderr and
 * continues to wait.
 *
 * `site` is a unique name for the place in the source ("file.c:12:3"), the same on all processes, in static storage.
 * All functions return MPI error codes. Phases do not nest; one thread at a time.
 */
int comm_cdag_phase_begin(const char *site, MPI_Comm comm);
int comm_cdag_phase_send(const void *buf, int count, MPI_Datatype datatype, int dest, int tag);
int comm_cdag_phase_recv(void *buf, int count, MPI_Datatype datatype, int source, int tag);
/* Local operations between the messages, like comm_cdag_add_copy (memcpy) and comm_cdag_add_reduce. */
int comm_cdag_phase_copy(const void *from, void *to, int count, MPI_Datatype datatype);
int comm_cdag_phase_reduce(const void *in, void *inout, int count, MPI_Datatype datatype, MPI_Op mpi_op);
/*
 * One-sided communication. comm_cdag_phase_window, called first and on all processes, declares that the phase replaces
 * two fences of `win` (over the same processes as the phase's communicator) and the gets and puts between them; no
 * later access may rely on the second fence to open an epoch. Count and datatype are the same at both ends;
 * `target_disp` is in units of the target.
 */
int comm_cdag_phase_window(MPI_Win win);
/*
 * Combines comm_cdag_phase_begin and comm_cdag_phase_window for a phase that consists of two fences of `win` with these
 * assertions and the gets and puts between them. Its communicator covers the window's processes, is created at the
 * first call and kept until the window is freed. Collective over the window's processes. `epochs` 1: both fences are
 * executed in any case, since other operations rely on the epochs that they begin or end; 0: no operation does.
 */
int comm_cdag_phase_begin_fences(const char *site, MPI_Win win, int first_assert, int last_assert, int epochs);
int comm_cdag_phase_get(void *origin, int count, MPI_Datatype datatype, int target, MPI_Aint target_disp, MPI_Win win);
int comm_cdag_phase_put(const void *origin, int count, MPI_Datatype datatype, int target, MPI_Aint target_disp,
                        MPI_Win win);
/* Like comm_cdag_add_temporary: the phase may leave anything in these bytes. */
int comm_cdag_phase_temporary(const void *buf, size_t bytes);
int comm_cdag_phase_end(void);

#ifdef __cplusplus
}
#endif

#endif
