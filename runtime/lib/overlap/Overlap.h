/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Decides whether a collective is nonblocking, for the starts that Comm inserts and for all remaining blocking calls.
 *
 * Blocking and nonblocking collectives never match (MPI-4, 6.12), so all processes of a communicator must reach the
 * same answer. They do so without communicating, since a process that Comm did not compile would not take part: the
 * answer depends only on the function, its operator, datatype and count if these are the same in all processes, the
 * communicator, the programs (Program.c) and the way they were launched (Launch.c). Where it is yes, some collectives
 * are nonblocking only if the processes have voted for it (Votes.c).
 *
 * The compiler plugin contains this code as assembly and as LLVM bitcode, and adds the required parts to each file;
 * programs compiled with comm-opt link it as an archive. All are compiled twice, for MPI implementations with pointer
 * handles and with integer handles, so nothing here includes mpi.h.
 */
#ifndef COMM_RUNTIME_OVERLAP_H
#define COMM_RUNTIME_OVERLAP_H

#include <stddef.h>
#include <stdint.h>

#ifdef COMM_HANDLES_ARE_POINTERS
typedef void *CommHandle;
#else
typedef int CommHandle;
#endif
typedef CommHandle MPI_Comm, MPI_Datatype, MPI_Op, MPI_Request, MPI_Group, MPI_Info;
typedef long MPI_Aint, MPI_Count;

#include "Collectives.h"

/* The symbol of a function that compiled code calls, which no program can declare (Comm/MPI/Markers.h). */
#define COMM_ENTRY(NAME) __asm__("comm." NAME)

/* For functions that a program executes a few times. The compiler plugin links them into each file and recognizes them
 * by `minsize`: LLVM IR of them is not optimized again. */
#define COMM_RARE __attribute__((noinline, cold, minsize))

/* A fact about a program, in an ELF note of each file that it holds for. Any linker keeps notes in the executable,
 * regardless of version scripts and visibility, and they can be found in memory without symbols. */
struct CommNote {
  uint32_t nameSize, size, type;
  char name[8];
  uint32_t collective; /* enum CommCollective; COMM_COLLECTIVES: the whole program */
  uint32_t fact;       /* for a collective, one of those below; for the program, an enum CommMarker */
};

enum {
  /* Starts of collectives without rounding, of sums in any order, and of sums where both forms add in the same
   * order. */
  COMM_STARTS = 1,
  COMM_STARTS_SUMS = 2,
  COMM_STARTS_ORDERED_SUMS = 4,
  /* Calls that cannot be redirected: all calls of the function stay blocking. */
  COMM_CANNOT_ASK = 8,
};

#define COMM_NOTE_TYPE 1
/* Note that locates `comm_markers` of an executable or library. */
#define COMM_NOTE_TYPE_MARKERS 2
/* Note that locates `comm_voting` of an executable or library. */
#define COMM_NOTE_TYPE_VOTING 3
/* Programs cannot declare such a symbol (Comm/MPI/Markers.h). */
#define COMM_NOTE(SYMBOL, COLLECTIVE, FACT)                                                                            \
  extern const struct CommNote SYMBOL __asm__("comm.note." #SYMBOL);                                                   \
  const struct CommNote SYMBOL __attribute__((section(".note.comm"), aligned(4))) = {                                  \
      sizeof "Comm",  sizeof(struct CommNote) - offsetof(struct CommNote, collective),                                 \
      COMM_NOTE_TYPE, "Comm",                                                                                          \
      COLLECTIVE,     FACT};
/* Keeps the note as long as the code stays, because optimizers must assume that its address is used. */
#define COMM_KEEP(NOTE) __asm__ volatile("" ::"r"(&NOTE))

/* Facts about each collective, and about the whole program. */
struct CommFacts {
  uint32_t of[COMM_COLLECTIVES + 1];
};

struct CommVoting;
/* Facts about the program, determined once. */
struct CommProgram {
  struct CommFacts facts;
  /* All processes of MPI_COMM_WORLD run this program. */
  unsigned char isAlone;
  /* They are on one node; costs are ignored, or they are on several nodes. */
  unsigned char isOnOneNode, pays;
  /* Some start of the function may be nonblocking: if calls ask, and if the program promises that calls are uniform. */
  unsigned char mayStart[COMM_COLLECTIVES], mayStartPromised;
  /* Null: the processes do not vote on the forms of collectives (Votes.h). */
  struct CommVoting *voting;
};
extern struct CommProgram comm_program;
/* 2 if `comm_program` is initialized. */
extern _Atomic int comm_program_is_known;
const struct CommProgram *comm_find_program(void);
static inline const struct CommProgram *comm_get_program(void) {
  int isKnown = __c11_atomic_load(&comm_program_is_known, __ATOMIC_ACQUIRE) == 2;
  return __builtin_expect(isKnown, 1) ? &comm_program : comm_find_program();
}
int comm_runs_alone(void);
int comm_is_on_one_node(void);
int comm_is_one_process(void);

/* Markers of all loaded files, including libraries opened at run time. Unlike the decision about collectives, each
 * process may have its own answer. The query functions are inlined. */
#define COMM_MARKERS_UNKNOWN UINT32_MAX
/* Stored with the markers: the launcher started one process, and costs count, so there is nothing to gain. */
#define COMM_ONE_PROCESS (UINT32_C(1) << 30)
extern _Atomic uint32_t comm_markers;
uint32_t comm_find_markers(void);
/* Constructor of files with markers: updates executables and libraries that already cached an answer. */
void comm_tell_markers(void) COMM_ENTRY("tell_markers");
static inline uint32_t comm_get_markers(void) {
  uint32_t markers = __c11_atomic_load(&comm_markers, __ATOMIC_RELAXED);
  return __builtin_expect(markers != COMM_MARKERS_UNKNOWN, 1) ? markers : comm_find_markers();
}

/* Returns the number of processes if all are in this process's MPI_COMM_WORLD and in one group, its negative if they
 * are in two groups, and 0 if some are elsewhere or this is unknown. */
int comm_size_within_world(MPI_Comm comm);

/* Returns whether processes of the communicator, or of MPI_COMM_WORLD, may run another, unknown program. Asked where
 * a start would move before a completion (docs/soundness.md, "Causes"). */
int comm_ask_meets_others(MPI_Comm comm) COMM_ENTRY("ask_meets_others");
int comm_ask_world_meets_others(void) COMM_ENTRY("ask_world_meets_others");
/* Returns whether several threads of a process may call MPI (MPI-4, 11.6.2). */
int comm_ask_talking_threads(void) COMM_ENTRY("ask_talking_threads");

/* Returns whether messages and completions may return a code other than MPI_SUCCESS, or a file creates its own error
 * handlers. Asked by functions that were compiled under the assumption that they do not. */
int comm_ask_error_codes(void) COMM_ENTRY("ask_error_codes");
/* Variants for functions whose old body is equally optimized, which therefore also runs where there is nothing to
 * gain. */
int comm_ask_error_codes_or_one_process(void) COMM_ENTRY("ask_error_codes_or_one_process");
int comm_ask_own_error_handlers_or_one_process(void) COMM_ENTRY("ask_own_error_handlers_or_one_process");
int comm_errors_may_return(void);
/* Returns whether processes are on several nodes, as far as known. Asked where a loop may be split, with one part
 * before a completion. */
int comm_ask_spans_nodes(void) COMM_ENTRY("ask_spans_nodes");

/* What is known of a loop that may look at its indices (Inspections.c). All zero at first. Times are ticks of the cycle
 * counter. */
struct CommInspections {
  _Atomic int64_t calls, begin;
  /* How long the last three waits took that were measured; how long it takes to look at the indices of a number of
   * iterations; and to execute those of them that need not wait, too. */
  _Atomic int64_t waits[3], cost, pass;
  /* How many iterations the loop looks at now, whether there are more, and how many it has looked at. */
  _Atomic int64_t limit, isPart, inspected;
};
/* Returns how many of `count` iterations the loop looks at now, from the first one on: none, or at least `fewest`. */
int comm_ask_inspects(struct CommInspections *site, int64_t count, int64_t fewest) COMM_ENTRY("ask_inspects");
/* Tells that it has, and that what it waits for is there. Return 1, which nobody knows who removes code. */
int comm_ask_inspected(struct CommInspections *site, int64_t count) COMM_ENTRY("ask_inspected");
int comm_ask_waited(struct CommInspections *site) COMM_ENTRY("ask_waited");
/* Where the loop looks at a tile of its iterations, executes those that need not wait, and goes on with the next tile:
 * whether to begin, and whether there is time for another tile after `inspected` iterations. */
int comm_ask_inspects_tiles(struct CommInspections *site) COMM_ENTRY("ask_inspects_tiles");
int comm_ask_goes_on(struct CommInspections *site, int64_t inspected) COMM_ENTRY("ask_goes_on");

/* The bytes of one element of a datatype, relative to the buffer address: `count` blocks of `size` bytes, `stride`
 * bytes apart, the first one at `begin`; the next element is `extent` bytes further. Covers all bytes of the
 * datatype. Only `begin` and `extent` may be negative; a single block has stride 0. The same as nested repetitions:
 * `block` bytes for each combination of levels. */
struct CommTypeLayout {
  int64_t begin, size, stride, count, extent;
  int64_t block, numLevels;
  struct CommLevel {
    int64_t stride, count;
  } levels[4];
};
/* Called at the start of a message, with a datatype that may be null (Datatypes.c). The result is immutable. */
const struct CommTypeLayout *comm_ask_type_layout(MPI_Datatype type) COMM_ENTRY("ask_type_layout");
int64_t comm_ask_type_begin(const struct CommTypeLayout *layout) COMM_ENTRY("ask_type_begin");
int64_t comm_ask_type_size(const struct CommTypeLayout *layout) COMM_ENTRY("ask_type_size");
int64_t comm_ask_type_stride(const struct CommTypeLayout *layout) COMM_ENTRY("ask_type_stride");
int64_t comm_ask_type_count(const struct CommTypeLayout *layout) COMM_ENTRY("ask_type_count");
int64_t comm_ask_type_extent(const struct CommTypeLayout *layout) COMM_ENTRY("ask_type_extent");
/* Returns `begin` modulo `stride`. */
int64_t comm_ask_type_column(const struct CommTypeLayout *layout) COMM_ENTRY("ask_type_column");
/* Returns whether an element of one datatype does not overlap one of `other`, if the distance between the first
 * bytes of the two is `distance`. */
int comm_ask_layouts_apart(const struct CommTypeLayout *layout, const struct CommTypeLayout *other, int64_t distance)
    COMM_ENTRY("ask_layouts_apart");

/* A reduction's operator, datatype and count. The count is -1 if processes may have different ones or several. */
struct CommReduction {
  MPI_Op op;
  MPI_Datatype datatype;
  MPI_Count count;
};

/* Returns whether that call or start is nonblocking; `reduction` is null for other collectives. With `isPromised`,
 * the program promises to make each call at the same place in all processes, which leaves only costs and the order
 * of sums to decide. */
int comm_is_nonblocking(enum CommCollective collective, int isPromised, MPI_Comm comm,
                        const struct CommReduction *reduction);

/* A call of a collective whose processes may vote on its form, from its decision to the end of the call or start. */
struct CommVotes;
struct CommCall {
  struct CommVotes *votes; /* null: they do not vote */
  MPI_Comm comm;
  enum CommCollective collective;
  int isBlocking;
  int64_t number, begin;
};
/* Returns whether the call or start is nonblocking, as `comm_is_nonblocking`. */
int comm_begin_call(struct CommCall *call, enum CommCollective collective, int isPromised, MPI_Comm comm,
                    const struct CommReduction *reduction);
/* All three return the error code. Called after the start or the blocking call. */
int comm_count_call(const struct CommCall *call, int error);
/* Called after the whole call, or after a start with that variable for its request, or the blocking call instead. */
int comm_end_call(const struct CommCall *call, int error);
int comm_end_start(const struct CommCall *call, int error, const MPI_Request *request);

/* The interval of such a start. */
struct CommInterval {
  struct CommCall call;
  const MPI_Request *variable;
  MPI_Request request;
  int64_t begin, end;
};
/* Some thread has begun an interval. */
extern _Atomic unsigned char comm_has_intervals;
static inline int comm_may_end_interval(void) {
  return __builtin_expect(__c11_atomic_load(&comm_has_intervals, __ATOMIC_RELAXED), 0);
}
/* Called before a wait: returns whether it ends an interval of the thread, which is then told that the wait is over. */
int comm_end_interval(struct CommInterval *interval, const MPI_Request *request);
void comm_end_wait(const struct CommInterval *interval);

/* Whether `comm_is_nonblocking` has to be called, for each collective, without and with a promise. Single bytes,
 * which threads may write at any time. They are 1 before the program is known. */
extern _Atomic unsigned char comm_must_ask[COMM_COLLECTIVES][2];
static inline int comm_may_be_nonblocking(enum CommCollective collective, int isPromised) {
  return __builtin_expect(__c11_atomic_load(&comm_must_ask[collective][isPromised], __ATOMIC_RELAXED), 0);
}
#define COMM_OUT_OF_LINE static __attribute__((noinline, cold))

/* Progress in loops (Progress.c). Which threads may make MPI progress. */
enum { COMM_PROGRESS_UNKNOWN, COMM_PROGRESS_NEVER, COMM_PROGRESS_MAIN_THREAD, COMM_PROGRESS_ALL_THREADS };
extern _Atomic int comm_progress_threads;

/* The state of a nest of loops in an interval, in the frame of its function. */
struct CommProgress {
  uint64_t arithmetic; /* floating-point environment for MPI; 0: nothing is left to do */
  uint64_t period, called, looked, credit;
};
/* The size that compiled code reserves (kStateBytes of lib/Transforms/Progress). */
_Static_assert(sizeof(struct CommProgress) <= 64, "the state of a nest of loops does not fit");
/* More iterations than any loop has. */
#define COMM_NO_PROGRESS (UINT64_MAX >> 1)

/* Called right after a start: returns 0 if MPI need not be called for the message to progress, else the argument of
 * `comm_call_begin_progress`. Messages up to a limit in bytes arrive by themselves (lib/MPI/Progress); there is one
 * limit for two processes and one for more. A count of -1 means that the length is unknown. */
uint64_t comm_decide_progress(MPI_Request request, MPI_Comm comm, MPI_Datatype datatype, MPI_Count count,
                              int64_t limitOfTwo, int64_t limitOfMore);
/* Inlined variant: one load and a branch if nothing may progress. */
uint64_t comm_ask_progress(MPI_Request request, MPI_Comm comm, MPI_Datatype datatype, MPI_Count count,
                           int64_t limitOfTwo, int64_t limitOfMore) COMM_ENTRY("ask_progress");
/* Called before the loops: returns how many iterations may pass before the first `comm_call_progress`. */
uint64_t comm_call_begin_progress(struct CommProgress *progress, uint64_t arithmetic) COMM_ENTRY("call_begin_progress");
/* Called in the loops: lets MPI progress if that is due. `requests` are those in flight, some of which may be null;
 * if there are none, they are in memory of the program. Returns how many iterations may pass before the next call. */
uint64_t comm_call_progress(struct CommProgress *progress, const MPI_Request *requests, int count)
    COMM_ENTRY("call_progress");

/* Recorded requests of a function (Requests.c), in its frame. Handles are passed as integers, so that pointers are
 * only passed to memory that is accessed. */
enum { COMM_RECORDED_SETS = 4, COMM_RECORDED_STARTS = 64, COMM_RECORDED_OPERANDS = 5 };
struct CommRequestRecord {
  /* The number of recorded starts, and its value when each set began. */
  uint64_t next, since[COMM_RECORDED_SETS];
  struct CommRecordedStart {
    int64_t request, operands[COMM_RECORDED_OPERANDS];
    int32_t start, isFound;
  } starts[COMM_RECORDED_STARTS];
};
/* The size that compiled code reserves (kRecordWords of lib/Transforms/Requests). */
_Static_assert(sizeof(struct CommRequestRecord) == 8 * 453, "the record has another size");
/* Called at the beginning of the function. */
void comm_call_begin_record(struct CommRequestRecord *record) COMM_ENTRY("call_begin_record");
/* Called where unrecorded requests may be started: earlier requests of the set no longer count. */
void comm_call_forget_requests(struct CommRequestRecord *record, int set) COMM_ENTRY("call_forget_requests");
/* Called right after start number `start`; operands are values that the wait compares, or 0. */
void comm_call_record_request(struct CommRequestRecord *record, int start, int64_t request, int64_t a, int64_t b,
                              int64_t c, int64_t d, int64_t e) COMM_ENTRY("call_record_request");
/* Returns whether all requests, except for null ones, were recorded since the set began, and fit into the array. */
int comm_call_knows_requests(struct CommRequestRecord *record, int set, const MPI_Request *requests, int count,
                             int64_t null) COMM_ENTRY("call_knows_requests");
/* If they are known, moves the requests that are not null out of memory, which gets null ones. Returns their number. */
int comm_call_take_requests(int areKnown, MPI_Request *requests, int count, MPI_Request *taken, int64_t null)
    COMM_ENTRY("call_take_requests");
/* For known requests: whether all of one start have these operands; and the last request of the start, or null. */
int comm_call_has_operands(const struct CommRequestRecord *record, int set, int start, int64_t a, int64_t b, int64_t c,
                           int64_t d, int64_t e) COMM_ENTRY("call_has_operands");
MPI_Request comm_call_get_request(const struct CommRequestRecord *record, int set, int start, int64_t null)
    COMM_ENTRY("call_get_request");

#endif /* COMM_RUNTIME_OVERLAP_H */
