/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Bulk reductions: collects many small updates, each for one process, and delivers them together at the end of a pulse.
 * After StarDist ("A Code Generator for Distributed Graph Algorithms", section V and algorithms 1 and 2). See
 * docs/reduce.md. The layer is independent of graphs: an update is a sequence of bytes for a process, and the receiver
 * interprets it.
 *
 *  - lists: a list of blocks per destination. comm_reduce_append adds a record, comm_reduce_deliver passes all
 *    records to their receivers;
 *  - copies: each process holds copies of values that others own. comm_copies_refresh updates them,
 *    comm_copies_reduce combines them into the original values.
 *
 * No thread is started. Link libCommReduce.a, the C++ library and MPI. Functions return enum comm_reduce_result;
 * collective functions return an error of one process on all. One thread at a time.
 */
#ifndef COMM_REDUCE_H
#define COMM_REDUCE_H

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define COMM_REDUCE_ABI_VERSION 2

enum comm_reduce_result {
  COMM_REDUCE_SUCCESS = 0,
  COMM_REDUCE_ERR_ARG = 1,       /* null, out of range, no such operator */
  COMM_REDUCE_ERR_MEMORY = 2,    /* out of memory, or over the limit */
  COMM_REDUCE_ERR_MPI = 3,       /* an MPI function failed */
  COMM_REDUCE_ERR_TRANSPORT = 4, /* not available in this MPI or on these nodes */
  COMM_REDUCE_ERR_PEER = 5       /* a record for a process that is not a peer */
};

/* How updates reach other processes. All give the same results, bitwise unless a pulse takes several rounds and the
 * operator rounds. */
enum comm_reduce_transport {
  COMM_REDUCE_AUTO = 0,     /* the fastest that works, by measurement */
  COMM_REDUCE_WINDOW = 1,   /* MPI windows: passive target, shared lock, no check */
  COMM_REDUCE_MESSAGES = 2, /* nonblocking messages, to peers only */
  COMM_REDUCE_SHARED = 3,   /* one node: receivers read the sender's blocks */
  COMM_REDUCE_SPARSE = 4    /* messages only to processes for which there are updates */
};

#define COMM_REDUCE_TRANSPORTS 5 /* including COMM_REDUCE_AUTO */

typedef struct comm_reduce_options {
  int transport;       /* enum comm_reduce_transport. 0: COMM_REDUCE_TRANSPORT (window, messages, shared, sparse), or
                          else COMM_REDUCE_AUTO */
  size_t block_bytes;  /* size of a block. 0: slightly less than the L1 cache divided by the number of processes; at
                          least 1024 */
  size_t chunk_bytes;  /* maximum size of one message or put. 0: 1 MiB, less with many processes, but at least 256
                          KiB for COMM_REDUCE_SPARSE */
  size_t memory_bytes; /* maximum size of this process's blocks and buffers. 0: COMM_REDUCE_MEMORY, or else no limit */
} comm_reduce_options;

typedef struct comm_reduce comm_reduce;

/*
 * Prepares the processes of `comm`, which is duplicated. Collective; `options` may be null, and must be the same on all
 * processes. With COMM_REDUCE_REPORT=1 in the environment, prints the choice and the measurements on stderr.
 */
int comm_reduce_create(MPI_Comm comm, const comm_reduce_options *options, comm_reduce **reduce);

/* Frees `reduce`. Collective. Its lists and copies must be freed first. Sets the handle to null. */
int comm_reduce_free(comm_reduce **reduce);

/*
 * Restricts this process to send records only to these ranks and to receive only from them. Collective; the relation
 * must be symmetric, or else all return COMM_REDUCE_ERR_ARG. By default, all are peers.
 */
int comm_reduce_set_peers(comm_reduce *reduce, const int *ranks, int count);

/* Returns the communicator of the processes, which belongs to `reduce`, for collectives between deliveries. Local. */
int comm_reduce_get_comm(const comm_reduce *reduce, MPI_Comm *comm);

typedef struct comm_reduce_info {
  int transport;                          /* in use */
  int processes;                          /* of the communicator */
  int peers;                              /* of this process, excluding itself */
  double seconds[COMM_REDUCE_TRANSPORTS]; /* for a small exchange, by transport; 0: not measured, negative: not
                                             available */
  int64_t pulses;                         /* deliveries */
  int64_t rounds;                         /* more than pulses if data exceeds a chunk */
  int64_t messages;                       /* sent, or put; with shared memory, lists passed to receivers */
  int64_t bytes;                          /* sent to other processes, without MPI headers */
  int64_t synchronizations;               /* allreduces or barriers over all processes */
  double wait_seconds;                    /* in deliveries, excluding the receivers' functions */
  size_t memory, memory_peak;             /* bytes that this process holds, and the maximum */
} comm_reduce_info;
/* Returns statistics. Local. */
int comm_reduce_get_info(const comm_reduce *reduce, comm_reduce_info *info);
/* Returns the name of a transport, such as "shared memory", in static storage. */
const char *comm_reduce_transport_name(int transport);

/*
 * Values reduced over all processes at a pulse, besides the records: sums, minima and maxima. Set before a delivery;
 * the results are there after it.
 */
typedef struct comm_reduce_votes {
  int64_t sum[3];
  int64_t min[1];
  int64_t max[1];
  double real_sum[1]; /* added in rank order */
  double real_max[1];
} comm_reduce_votes;

/* -------- Lists -------- */

/* The free part of the block that is being filled, for one destination. */
typedef struct comm_reduce_cursor {
  char *next, *end;
} comm_reduce_cursor;

/* The first member of the lists that comm_reduce_lists_create makes; the rest is private. */
typedef struct comm_reduce_lists {
  comm_reduce_cursor *cursors; /* one per process; untouched pages take no memory */
  size_t record_bytes;
} comm_reduce_lists;

/* Creates lists of records of `record_bytes` bytes, 1 to 1000. Local. */
int comm_reduce_lists_create(comm_reduce *reduce, size_t record_bytes, comm_reduce_lists **lists);
/* Frees the lists. Local. Drops undelivered records. Sets the handle to null. */
int comm_reduce_lists_free(comm_reduce_lists **lists);

/*
 * Starts a new block for `dest` and returns space for a record. An error (no memory, no such process) is reported by
 * the delivery; the returned space may then be written but is never sent. Local.
 */
void *comm_reduce_grow(comm_reduce_lists *lists, int dest);

/* Returns space for one more record for `dest`, aligned to 8 bytes if record_bytes is a multiple of 8, to 4 if it is
 * one of 4. Local. */
static inline void *comm_reduce_append(comm_reduce_lists *lists, int dest) {
  comm_reduce_cursor *cursor = &lists->cursors[dest];
  char *space = cursor->next;
  if (cursor->end - space < (ptrdiff_t)lists->record_bytes)
    return comm_reduce_grow(lists, dest);
  cursor->next = space + lists->record_bytes;
  return space;
}

/* Receives `count` records from `source`, which are valid until it returns. It must not append to the lists being
 * delivered, nor deliver. */
typedef void comm_reduce_receiver(void *context, int source, const void *records, size_t count);

/*
 * Delivers all records, in as many rounds as needed, and the votes (may be null). Collective. `receive` is called for
 * each block, in the order of source ranks within a round and in the order of appends within a source: with the same
 * transport and options, the result of an operator that rounds is the same in each run. Records for this process itself
 * are received as well. The lists are empty afterwards. Sends at most two messages to each peer, unless its data
 * exceeds a chunk; receivers run after this process has handed over its own records.
 */
int comm_reduce_deliver(comm_reduce_lists *lists, comm_reduce_receiver *receive, void *context,
                        comm_reduce_votes *votes);

/* Delivers only the votes. Collective. */
int comm_reduce_vote(comm_reduce *reduce, comm_reduce_votes *votes);

/* -------- Copies -------- */

typedef struct comm_copies comm_copies;

/*
 * Creates copies. An array has `owned` values, followed by copies of values that others own: `counts[k]` of process
 * `ranks[k]`, for `owners` processes in ascending order. `index[i]` is the position of the i-th copy in its owner's
 * array. Collective. The arrays are copied. Less than 2^32 values in all.
 */
int comm_copies_create(comm_reduce *reduce, int64_t owned, int owners, const int *ranks, const int64_t *counts,
                       const uint32_t *index, comm_copies **copies);
/* Frees the copies. Local. Sets the handle to null. */
int comm_copies_free(comm_copies **copies);

/* Returns the values of this process that process `rank` has copies of, in the order of its copies. Valid until the
 * copies are freed. Local. */
int comm_copies_lent(const comm_copies *copies, int rank, const uint32_t **places, int64_t *count);
/* Does the same for the first process after `rank` that has copies of values of this process, and returns that process,
 * or -1 if there is none. Local. */
int comm_copies_next_borrower(const comm_copies *copies, int rank, const uint32_t **places, int64_t *count);

/*
 * Sends owners' values to the copies. `values` has owned values and copies, of `value_bytes` bytes each (1 to 64).
 * Collective. `votes` may be null, here and below.
 */
int comm_copies_refresh(comm_copies *copies, void *values, size_t value_bytes, comm_reduce_votes *votes);

/*
 * Does the same only for values whose bit is set in `changed` (a bitset of owned values and copies, 64-bit words, bit i
 * of word i / 64). Each block is sent in its smallest form: all values, a bitset with the values that changed, or
 * positions with values. Bits of copies are set where a value arrived and cleared elsewhere. Collective.
 */
int comm_copies_refresh_changed(comm_copies *copies, void *values, size_t value_bytes, uint64_t *changed,
                                comm_reduce_votes *votes);

/* Sets the bits of copies to those of their owners. `bits` as above. Collective. */
int comm_copies_refresh_bits(comm_copies *copies, uint64_t *bits, comm_reduce_votes *votes);

enum comm_reduce_op {
  COMM_REDUCE_SUM,
  COMM_REDUCE_PRODUCT,
  COMM_REDUCE_MIN,
  COMM_REDUCE_MAX,
  COMM_REDUCE_AND, /* bitwise, for integers */
  COMM_REDUCE_OR
};
enum comm_reduce_type {
  COMM_REDUCE_INT32,
  COMM_REDUCE_INT64,
  COMM_REDUCE_UINT32,
  COMM_REDUCE_UINT64,
  COMM_REDUCE_FLOAT,
  COMM_REDUCE_DOUBLE
};

/* Implements any operator: combines `count` values at `incoming` with those at values[places[i]], and sets the bit
 * of each place whose value changed, unless `changed` is null. */
typedef void comm_reduce_combiner(void *context, void *values, const uint32_t *places, const void *incoming,
                                  size_t count, uint64_t *changed);

/*
 * Combines copies into their owners: each copy whose bit is set in `touched` (null: each) is sent to its owner and
 * combined there. Bits of owned values in `changed` (may be null, may be `touched`) are set where the owner's value
 * changed; bits of copies in `touched` are cleared. Copies keep their values. Collective.
 */
int comm_copies_reduce(comm_copies *copies, void *values, int type, int op, uint64_t *touched, uint64_t *changed,
                       comm_reduce_votes *votes);
/* Does the same with any operator on values of `value_bytes` bytes, 1 to 64. */
int comm_copies_combine(comm_copies *copies, void *values, size_t value_bytes, comm_reduce_combiner *combine,
                        void *context, uint64_t *touched, uint64_t *changed, comm_reduce_votes *votes);

/* -------- Parts -------- */

/*
 * Some values of an array, as bytes that another process reads, in the smallest of three forms: all values of a range;
 * a bitset, and the values whose bit is set; positions, and the values there. Copies are sent so; a program that sends
 * values by itself may use the same form. All functions are local.
 */
typedef struct comm_part {
  const uint32_t *positions; /* of the values, ascending; null: `first`, `first` + 1, ... */
  uint32_t first;
  size_t count; /* how many values it has */
  char *values; /* one after another, from a multiple of 8 bytes on */
  size_t bytes; /* of the part, a multiple of 8 */
} comm_part;

/* Returns 1 if all `of` values take no more bytes than `count` of them with their positions. */
int comm_part_is_all(size_t count, size_t of, size_t value_bytes);
/* Returns the most bytes that a part takes with values of an array of `of`, and the bytes if it has all of them. */
size_t comm_part_most(size_t of, size_t value_bytes);
size_t comm_part_whole(size_t of, size_t value_bytes);
/*
 * Begins a part at `to` (aligned to 8 bytes) for the values at `count` ascending positions, or, if `positions` is null,
 * for `count` values from `first` on. It gets as many as fit into `space` bytes: part->count. The caller writes them to
 * part->values.
 */
void comm_part_write(void *to, size_t space, uint32_t first, const uint32_t *positions, size_t count,
                     size_t value_bytes, comm_part *part);
/* Reads a part (aligned to 8 bytes). `scratch` has room for as many positions as the array has, and may then hold those
 * of the part. Returns part->count. */
size_t comm_part_read(const void *from, size_t value_bytes, uint32_t *scratch, comm_part *part);

#ifdef __cplusplus
}
#endif

#endif
