/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Whether a collective is nonblocking: one decision for the starts that Comm
 * makes and for all blocking calls that stay.
 *
 * A blocking and a nonblocking collective never match (MPI-4, 6.12), so all
 * processes of a communicator must come to the same answer, and no process may
 * talk to another one to find it: one that Comm did not compile would not take
 * part. The answer depends on nothing but the function, its operator, datatype
 * and count where these are the same in all processes, the communicator, the
 * programs (Program.c) and the way they were launched (Launch.c).
 *
 * The compiler's plugin holds this code as LLVM bitcode and links what a file
 * needs into it; programs that comm-opt makes link it as an archive. Both are
 * compiled twice: for implementations whose handles are pointers, and for those
 * whose handles are integers. So nothing here includes an mpi.h.
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

/* A fact about a program, in an ELF note of each file that it holds for. Notes
 * reach the executable by any linker, whatever a version script or a visibility
 * hides, and are found in memory without symbols. */
struct CommNote {
  uint32_t nameSize, size, type;
  char name[8];
  uint32_t collective; /* enum CommCollective; COMM_COLLECTIVES: the whole program */
  uint32_t fact;       /* of a collective one of those below, of the program an enum CommMarker */
};

enum {
  /* Starts of calls that round nowhere, of sums whatever their order, and of sums where both forms add in one order. */
  COMM_STARTS = 1,
  COMM_STARTS_SUMS = 2,
  COMM_STARTS_ORDERED_SUMS = 4,
  /* Calls that cannot ask: all calls of the function stay blocking. */
  COMM_CANNOT_ASK = 8,
};

#define COMM_NOTE_TYPE 1
/* Of another note: where its executable or library has `comm_markers`. */
#define COMM_NOTE_TYPE_MARKERS 2
/* The symbol is none that a program can declare (Comm/MPI/Markers.h). */
#define COMM_NOTE(SYMBOL, COLLECTIVE, FACT)                                                                            \
  extern const struct CommNote SYMBOL __asm__("comm.note." #SYMBOL);                                                   \
  const struct CommNote SYMBOL __attribute__((section(".note.comm"), aligned(4))) = {                                  \
      sizeof "Comm",  sizeof(struct CommNote) - offsetof(struct CommNote, collective),                                 \
      COMM_NOTE_TYPE, "Comm",                                                                                          \
      COLLECTIVE,     FACT};
/* The note stays where the code stays: no optimizer sees what becomes of its address. */
#define COMM_KEEP(NOTE) __asm__ volatile("" ::"r"(&NOTE))

/* Facts of each collective, and of the whole program. */
struct CommFacts {
  uint32_t of[COMM_COLLECTIVES + 1];
};

/* What is known of the program, once for all. */
struct CommProgram {
  struct CommFacts facts;
  /* All processes of MPI_COMM_WORLD run this program. */
  unsigned char isAlone;
  /* They are on one node; and costs do not count, or they are on several. */
  unsigned char isOnOneNode, pays;
  /* Some start of the function may be nonblocking: where calls ask, and where the program promises that they are
   * uniform. */
  unsigned char mayStart[COMM_COLLECTIVES], mayStartPromised;
};
extern struct CommProgram comm_program;
/* 2: `comm_program` is known. */
extern _Atomic int comm_program_is_known;
const struct CommProgram *comm_find_program(void);
static inline const struct CommProgram *comm_get_program(void) {
  int isKnown = __c11_atomic_load(&comm_program_is_known, __ATOMIC_ACQUIRE) == 2;
  return __builtin_expect(isKnown, 1) ? &comm_program : comm_find_program();
}
int comm_runs_alone(void);
int comm_is_on_one_node(void);
int comm_is_one_process(void);

/* Markers of all files that are loaded, also of libraries that were opened at run time: other than with collectives,
 * each process may have an answer of its own. The functions that ask are inlined where the question is. */
#define COMM_MARKERS_UNKNOWN UINT32_MAX
/* Kept with the markers: the launcher started one process, and costs count, so that there is nothing to gain. */
#define COMM_ONE_PROCESS (UINT32_C(1) << 30)
extern _Atomic uint32_t comm_markers;
uint32_t comm_find_markers(void);
/* The constructor of a file with markers: executables and libraries that asked already learn of them. */
void comm_tell_markers(void);
static inline uint32_t comm_get_markers(void) {
  uint32_t markers = __c11_atomic_load(&comm_markers, __ATOMIC_RELAXED);
  return __builtin_expect(markers != COMM_MARKERS_UNKNOWN, 1) ? markers : comm_find_markers();
}

/* The number of processes if all are of this process's MPI_COMM_WORLD and in one group, its negative if they are in
 * two, 0 if there are others among them or nothing is known. */
int comm_size_within_world(MPI_Comm comm);

/* Whether processes of the communicator, or of MPI_COMM_WORLD, may run another program, of which nothing is known.
 * Asked where a start would come before a completion (docs/soundness.md, "Causes"). */
int comm_ask_meets_others(MPI_Comm comm);
int comm_ask_world_meets_others(void);
/* Whether several threads of a process may call MPI (MPI-4, 11.6.2). */
int comm_ask_talking_threads(void);

/* Whether messages and completions may return another code than MPI_SUCCESS, or a file makes error handlers of its own.
 * Asked by functions that were compiled as if they did not. */
int comm_ask_error_codes(void);
/* What functions ask that have a copy as good as what became of them: it runs, too, where there is nothing to gain. */
int comm_ask_error_codes_or_one_process(void);
int comm_ask_own_error_handlers_or_one_process(void);
int comm_errors_may_return(void);
/* Whether processes are on several nodes, as far as anybody knows. Asked where a loop may run in two parts, one of them
 * before a completion. */
int comm_ask_spans_nodes(void);

/* Bytes of one element of a datatype, seen from the address of a buffer: `count` blocks of `size` bytes, `stride` bytes
 * apart, the first one at `begin`, and the next element `extent` bytes further. The datatype has no others. Nothing is
 * negative but `begin` and `extent`; one block has a stride of 0. The same as repetitions of repetitions: `block`
 * bytes, for each combination of levels. */
struct CommTypeLayout {
  int64_t begin, size, stride, count, extent;
  int64_t block, numLevels;
  struct CommLevel {
    int64_t stride, count;
  } levels[4];
};
/* Asked where a message is started, with a datatype that may be null (Datatypes.c). What it returns stays as it is. */
const struct CommTypeLayout *comm_ask_type_layout(MPI_Datatype type);
int64_t comm_ask_type_begin(const struct CommTypeLayout *layout);
int64_t comm_ask_type_size(const struct CommTypeLayout *layout);
int64_t comm_ask_type_stride(const struct CommTypeLayout *layout);
int64_t comm_ask_type_count(const struct CommTypeLayout *layout);
int64_t comm_ask_type_extent(const struct CommTypeLayout *layout);
/* `begin` modulo `stride`. */
int64_t comm_ask_type_column(const struct CommTypeLayout *layout);
/* Whether no byte of an element of one datatype is one of another element, of which the first byte is `distance` bytes
 * after the first one of that. */
int comm_ask_layouts_apart(const struct CommTypeLayout *layout, const struct CommTypeLayout *other, int64_t distance);

/* A reduction's operator and datatype, and its count; a count of -1: each process has another one, or several. */
struct CommReduction {
  MPI_Op op;
  MPI_Datatype datatype;
  MPI_Count count;
};

/* Whether that call, or start, is nonblocking; `reduction` is null for other collectives. `isPromised`: the program
 * promises to make each call at the same place in all processes, so that only costs and the order of sums are to be
 * decided. */
int comm_is_nonblocking(enum CommCollective collective, int isPromised, MPI_Comm comm,
                        const struct CommReduction *reduction);

/* Whether `comm_is_nonblocking` has to be asked, for each collective and whether it is promised; bytes, of which some
 * thread may just write one. They are 1 before the program is known. */
extern _Atomic unsigned char comm_must_ask[COMM_COLLECTIVES][2];
static inline int comm_may_be_nonblocking(enum CommCollective collective, int isPromised) {
  return __builtin_expect(__c11_atomic_load(&comm_must_ask[collective][isPromised], __ATOMIC_RELAXED), 0);
}
#define COMM_OUT_OF_LINE static __attribute__((noinline, cold))

/* Progress in loops (Progress.c). Which threads may let MPI progress. */
enum { COMM_PROGRESS_UNKNOWN, COMM_PROGRESS_NEVER, COMM_PROGRESS_MAIN_THREAD, COMM_PROGRESS_ALL_THREADS };
extern _Atomic int comm_progress_threads;

/* In the frame of a function, for one nest of loops in an interval. */
struct CommProgress {
  uint64_t arithmetic; /* how MPI is to compute; 0: nothing is left to do */
  uint64_t period, called, looked, credit;
};
/* What compiled code has of it (kStateBytes of lib/Transforms/Progress). */
_Static_assert(sizeof(struct CommProgress) <= 64, "the state of a nest of loops does not fit");
/* So often that no loop comes to an end of it. */
#define COMM_NO_PROGRESS (UINT64_MAX >> 1)

/* Right after a start: whether MPI has to be called for it to progress, because the message is longer than the limit,
 * in bytes, up to which it arrives by itself (lib/MPI/Progress): between two processes, and among more. A count of -1:
 * the length is not known. 0: no; else what `comm_call_begin_progress` takes. */
uint64_t comm_decide_progress(MPI_Request request, MPI_Comm comm, MPI_Datatype datatype, MPI_Count count,
                              int64_t limitOfTwo, int64_t limitOfMore);
/* The same, for loops to call: a look and a jump where nothing may progress. */
uint64_t comm_ask_progress(MPI_Request request, MPI_Comm comm, MPI_Datatype datatype, MPI_Count count,
                           int64_t limitOfTwo, int64_t limitOfMore);
/* Before the loops: how often they may pass by until the first `comm_call_progress`. */
uint64_t comm_call_begin_progress(struct CommProgress *progress, uint64_t arithmetic);
/* In the loops: lets MPI progress if that is due. `requests` are those under way, of which some may be null; none: they
 * are in memory of the program. How often the loop may pass by until the next call. */
uint64_t comm_call_progress(struct CommProgress *progress, const MPI_Request *requests, int count);

/* Requests that a function has started (Requests.c), in its frame. Single handles are numbers: who calls passes no
 * pointer but those to memory that is used. */
enum { COMM_RECORDED_SETS = 4, COMM_RECORDED_STARTS = 64, COMM_RECORDED_OPERANDS = 5 };
struct CommRequestRecord {
  /* How many were recorded, and when each set began. */
  uint64_t next, since[COMM_RECORDED_SETS];
  struct CommRecordedStart {
    int64_t request, operands[COMM_RECORDED_OPERANDS];
    int32_t start, isFound;
  } starts[COMM_RECORDED_STARTS];
};
/* What compiled code has of it (kRecordWords of lib/Transforms/Requests). */
_Static_assert(sizeof(struct CommRequestRecord) == 8 * 453, "the record has another size");
/* Where the function begins. */
void comm_call_begin_record(struct CommRequestRecord *record);
/* Where requests may be started that are not recorded: of the set, those that were count no longer. */
void comm_call_forget_requests(struct CommRequestRecord *record, int set);
/* Right after the start of that number; operands are those whose values the wait compares, others are 0. */
void comm_call_record_request(struct CommRequestRecord *record, int start, int64_t request, int64_t a, int64_t b,
                              int64_t c, int64_t d, int64_t e);
/* Whether all of the requests, null ones aside, were recorded since the set began, and there is room to take them. */
int comm_call_knows_requests(struct CommRequestRecord *record, int set, const MPI_Request *requests, int count,
                             int64_t null);
/* Takes the requests that are not null out of memory, which gets null ones, if they are known. How many there are. */
int comm_call_take_requests(int areKnown, MPI_Request *requests, int count, MPI_Request *taken, int64_t null);
/* Where they are known: whether those of one start were started with these operands; and the last of them, or null. */
int comm_call_has_operands(const struct CommRequestRecord *record, int set, int start, int64_t a, int64_t b, int64_t c,
                           int64_t d, int64_t e);
MPI_Request comm_call_get_request(const struct CommRequestRecord *record, int set, int start, int64_t null);

#endif /* COMM_RUNTIME_OVERLAP_H */
