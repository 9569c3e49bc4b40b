/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Lets MPI progress while the program computes: the functions that comm-insert-progress calls in loops, and the
 * decision whether they do anything.
 *
 * MPI_Request_get_status (MPI-4, 3.7.6) progresses like MPI_Test but neither completes nor frees the request, so the
 * wait returns the same as before. If requests are in memory that the program may have reused, MPI_Iprobe for messages
 * of this process to itself is called instead.
 */
#include "Overlap.h"

#include <errno.h>
#include <stdatomic.h>
#include <time.h>

/* The PMPI names, which bypass tools between the program and MPI (MPI-4, 15.2). */
int PMPI_Finalized(int *);
int PMPI_Initialized(int *);
int PMPI_Iprobe(int, int, MPI_Comm, int *, void *);
int PMPI_Is_thread_main(int *);
int PMPI_Query_thread(int *);
int PMPI_Request_get_status(MPI_Request, int *, void *);
int PMPI_Type_size(MPI_Datatype, int *);

/* The time between calls to MPI, and the time to calibrate the cycle counter. */
#define PERIOD_NS 50000
#define CALIBRATION_NS 20000
/* Maximum number of iterations between looks at the clock. */
#define MOST_CREDIT 1024 /* less than kMostIterations of lib/Transforms/Progress */

_Atomic int comm_progress_threads;
static _Atomic uint64_t period; /* in ticks of the cycle counter; 0: not known yet */

static uint64_t readTicks(void) { return __builtin_ia32_rdtsc(); }

static uint64_t readNanoseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static uint64_t getPeriod(void) {
  uint64_t known = atomic_load_explicit(&period, memory_order_relaxed);
  if (known)
    return known;
  uint64_t begin = readTicks(), from = readNanoseconds(), elapsed;
  do
    elapsed = readNanoseconds() - from;
  while (elapsed < CALIBRATION_NS);
  known = (readTicks() - begin) * PERIOD_NS / elapsed;
  atomic_store_explicit(&period, known ? known : 1, memory_order_relaxed);
  return known ? known : 1;
}

/* Returns the thread's floating-point mode: rounding, denormals. MPI must compute sums in the mode that the thread
 * had at the start. Never 0. */
static uint64_t readArithmetic(void) {
  uint16_t x87;
  __asm__ volatile("fnstcw %0" : "=m"(x87));
  uint64_t flags = 0x3f; /* exceptions that were raised */
  return (UINT64_C(1) << 63) | (uint64_t)x87 << 32 | (__builtin_ia32_stmxcsr() & ~flags);
}

/* Returns which threads may call MPI in a loop: those that may call it regardless of other threads (MPI-4, 11.6).
 * With MPI_THREAD_SERIALIZED, the program only synchronizes its own MPI calls. */
COMM_OUT_OF_LINE int findThreads(void) {
  int level, isInitialized = 0, threads = COMM_PROGRESS_NEVER;
  /* Sessions have their own levels. */
  int hasWorld = PMPI_Initialized(&isInitialized) == 0 && isInitialized && !(comm_get_markers() & COMM_USES_SESSIONS);
  if (comm_ask_spans_nodes() && hasWorld && PMPI_Query_thread(&level) == 0)
    threads = comm_is_thread_multiple(level)     ? COMM_PROGRESS_ALL_THREADS
              : comm_is_thread_serialized(level) ? COMM_PROGRESS_NEVER
                                                 : COMM_PROGRESS_MAIN_THREAD;
  atomic_store_explicit(&comm_progress_threads, threads, memory_order_relaxed);
  return threads;
}

uint64_t comm_decide_progress(MPI_Request request, MPI_Comm comm, MPI_Datatype datatype, MPI_Count count,
                              int64_t limitOfTwo, int64_t limitOfMore) {
  /* The start was the blocking call, or did nothing. */
  if (comm_is_null_request(request))
    return 0;
  int threads = atomic_load_explicit(&comm_progress_threads, memory_order_relaxed);
  if (threads == COMM_PROGRESS_UNKNOWN)
    threads = findThreads();
  int isMain = 0;
  if (threads == COMM_PROGRESS_NEVER ||
      (threads == COMM_PROGRESS_MAIN_THREAD && (PMPI_Is_thread_main(&isMain) != 0 || !isMain)))
    return 0;
  int bytes = 0;
  int64_t limit = limitOfTwo;
  if (limitOfTwo != limitOfMore) {
    int size = comm_size_within_world(comm);
    limit = size == 2 || size == -2 ? limitOfTwo : limitOfMore;
  }
  if (limit >= 0 && count >= 0 && PMPI_Type_size(datatype, &bytes) == 0 && bytes >= 0 && bytes * count <= limit)
    return 0;
  return readArithmetic();
}

uint64_t comm_ask_progress(MPI_Request request, MPI_Comm comm, MPI_Datatype datatype, MPI_Count count,
                           int64_t limitOfTwo, int64_t limitOfMore) {
  if (__builtin_expect(atomic_load_explicit(&comm_progress_threads, memory_order_relaxed) == COMM_PROGRESS_NEVER, 1))
    return 0;
  return comm_decide_progress(request, comm, datatype, count, limitOfTwo, limitOfMore);
}

uint64_t comm_call_begin_progress(struct CommProgress *progress, uint64_t arithmetic) {
  progress->arithmetic = arithmetic;
  if (!arithmetic)
    return COMM_NO_PROGRESS;
  progress->period = getPeriod();
  progress->called = progress->looked = readTicks();
  progress->credit = 1;
  return 1;
}

/* Returns whether anything is still in flight. */
static int letProgress(const MPI_Request *requests, int count) {
  int isOver = 0, error = errno;
  uint32_t flags = __builtin_ia32_stmxcsr();
  /* A program that completed its requests early may have finalized MPI. */
  if (count == 0 && PMPI_Finalized(&isOver) == 0 && !isOver)
    PMPI_Iprobe(0, 0, comm_get_self(), &(int){0}, COMM_STATUS_IGNORE);
  for (int i = 0; i < count; ++i) {
    isOver = 1;
    /* One that is not complete lets all others progress. */
    if (!comm_is_null_request(requests[i]) && PMPI_Request_get_status(requests[i], &isOver, COMM_STATUS_IGNORE) == 0 &&
        !isOver)
      break;
  }
  __builtin_ia32_ldmxcsr(flags);
  errno = error;
  return !isOver;
}

uint64_t comm_call_progress(struct CommProgress *progress, const MPI_Request *requests, int count) {
  if (!progress->arithmetic)
    return COMM_NO_PROGRESS;
  uint64_t now = readTicks(), sinceLook = now - progress->looked;
  if (now - progress->called >= progress->period) {
    if (readArithmetic() == progress->arithmetic && !letProgress(requests, count)) {
      progress->arithmetic = 0;
      return COMM_NO_PROGRESS;
    }
    now = progress->called = readTicks();
  }
  progress->looked = now;
  /* Aim at about ten looks per period. */
  if (sinceLook < progress->period / 16 && progress->credit < MOST_CREDIT)
    progress->credit *= 2;
  else if (sinceLook > progress->period / 4)
    progress->credit = progress->credit / (4 * sinceLook / progress->period + 1) + 1;
  return progress->credit;
}
