/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The functions that compiled graph programs call: the contract between the conversion convert-graph-to-comm and
 * libCommGraphRun.a. See docs/graph-runtime.md. User programs call none of these.
 *
 * All processes run the same program. Code outside of loops over vertices is executed by all of them with the same
 * values; an iteration of a loop is executed by the process that owns its vertex. "Collective" functions are called by
 * all processes in the same order.
 */
#ifndef COMM_GRAPH_RUN_H
#define COMM_GRAPH_RUN_H

#include "comm/graph.h"

#ifdef __cplusplus
extern "C" {
#endif

#define COMM_GRAPH_RUN_ABI_VERSION 1

/* Types of values, and their storage. Vertices and edges are represented by their global numbers, or -1. */
enum comm_graph_value_type {
  COMM_GRAPH_BOOL = 0, /* one byte */
  COMM_GRAPH_INT32 = 1,
  COMM_GRAPH_INT64 = 2,
  COMM_GRAPH_FLOAT = 3,
  COMM_GRAPH_DOUBLE = 4,
  COMM_GRAPH_VERTEX = 5, /* int64_t */
  COMM_GRAPH_EDGE = 6    /* int64_t */
};

/* How an update changes a value; the first seven are the reductions of the graph dialect. */
enum comm_graph_update_kind {
  COMM_GRAPH_SUM = 0,
  COMM_GRAPH_PRODUCT = 1,
  COMM_GRAPH_MIN = 2,
  COMM_GRAPH_MAX = 3,
  COMM_GRAPH_AND = 4,
  COMM_GRAPH_OR = 5,
  COMM_GRAPH_COUNT = 6,
  COMM_GRAPH_ASSIGN = 7,
  /* Flags. The values from the beginning of the loop stay readable, in `old` where a mark is set. */
  COMM_GRAPH_KEEPS_OLD = 16,
  /* Each update is sent by itself; ghosts do not take part in updates; updates of owned vertices and edges are
   * deferred until the loop ends (for minimum, maximum, and, or that the loop does not read). */
  COMM_GRAPH_SENDS_EACH = 32,
  COMM_GRAPH_LEAVES_COPIES = 64,
  COMM_GRAPH_WAITS = 128
};

/* Why a program stops; the message names `a` and `b`. */
enum comm_graph_stop_reason {
  COMM_GRAPH_STOP_ZERO = 0,     /* division of a by zero */
  COMM_GRAPH_STOP_RESULT = 1,   /* of an operation on a and b */
  COMM_GRAPH_STOP_RANGE = 2,    /* the number a is out of range for a type */
  COMM_GRAPH_STOP_REDUCTION = 3 /* of a reduction of a and b */
};

typedef struct comm_graph_run comm_graph_run;

/* The arrays of the graph, constant for the whole run. */
typedef struct comm_graph_topology {
  int64_t vertices, edges;
  int64_t first, owned, ghosts; /* global id of local vertex 0; local ids are the owned vertices, then the ghosts */
  int64_t first_edge;           /* global id of the first edge of local vertex 0 */
  const int64_t *out_offsets;
  const uint32_t *out_neighbors;
  const int64_t *in_offsets;
  const uint32_t *in_neighbors;
  const uint32_t *globals; /* local id to global id */
} comm_graph_topology;
const comm_graph_topology *comm_graph_run_topology(const comm_graph_run *run);

/* Stops all processes with "place: error: ...". Does not return. `what` is the name of the operation or type. */
void comm_graph_run_stop(comm_graph_run *run, int reason, int64_t a, int64_t b, const char *what, const char *type,
                         const char *place);
/* Does the same for a floating-point number that an integer type cannot represent. */
void comm_graph_run_stop_number(comm_graph_run *run, double number, const char *type, const char *place);

/* -------- Properties -------- */

/* Values of owned vertices and ghosts, or of the edges of owned vertices. */
typedef struct comm_graph_values {
  void *data; /* the rest is private */
} comm_graph_values;

/* Returns a property that is zero, false or none everywhere. `site` identifies the place in the program, which
 * reuses its earlier property. Local. */
comm_graph_values *comm_graph_run_property(comm_graph_run *run, int64_t site, int isEdges, int type, const char *name);
/* Returns the edge weights. Stops if the type cannot represent them. */
comm_graph_values *comm_graph_run_weights(comm_graph_run *run, int type, const char *place);
/* Returns the number of edges of each owned vertex and ghost, as int64_t. Collective. */
comm_graph_values *comm_graph_run_degrees(comm_graph_run *run, int isIn);
void comm_graph_run_fill(comm_graph_values *values, const void *value);
void comm_graph_run_copy(const comm_graph_values *from, comm_graph_values *to);
/* Returns whether this process has a nonzero value or, with `zero`, a zero value. */
int comm_graph_run_any(const comm_graph_values *values, int zero);
/* Updates ghosts from their owners unless they are up to date. Collective. */
void comm_graph_run_refresh(comm_graph_values *values);
/* Does the same for a property that is refreshed repeatedly: owners remember the values that they sent, and send
 * only changes unless most values changed. */
void comm_graph_run_refresh_changed(comm_graph_values *values);
/* Declares that values of owned vertices have changed. Called on all processes. */
void comm_graph_run_changed(comm_graph_values *values);

/* From now on, tracks which owned vertices are true in a property of truth values, which is all false. */
void comm_graph_run_track(comm_graph_values *values);
/* Declares that an owned vertex of such a property is about to become true. */
void comm_graph_run_add(comm_graph_values *values, int64_t local);
/* Returns a superset of the true vertices, ascending and unique, valid until the next call. Returns null and the
 * number of owned vertices if there are many. */
const uint32_t *comm_graph_run_frontier(comm_graph_values *values, int64_t *count);

/* Stops the program if the graph does not have the vertex or edge. */
void comm_graph_run_check(comm_graph_run *run, int isEdge, int64_t index, const char *place);
/* Returns the process that owns a vertex or edge, the same on all processes; stops the program if there is none.
 * Collective. */
int comm_graph_run_owner(comm_graph_run *run, int isEdge, int64_t index, const char *place);
/* Copies the value to the buffer if this process owns it. */
void comm_graph_run_get(const comm_graph_values *values, int64_t index, void *buffer);
/* Sets one value, on all processes. */
void comm_graph_run_put(comm_graph_values *values, int64_t index, const void *value, const char *place);

/* -------- Queries of the graph -------- */

/* Local queries of a vertex or edge that this process owns. */
int64_t comm_graph_run_own_degree(const comm_graph_run *run, int isIn, int64_t vertex);
int64_t comm_graph_run_own_endpoint(const comm_graph_run *run, int isIn, int64_t edge);
int64_t comm_graph_run_own_find_edge(comm_graph_run *run, int64_t source, int64_t target);

/* The edges of one vertex. */
typedef struct comm_graph_row {
  int64_t count, first_edge; /* out-edges are numbered from first_edge on */
  const int64_t *neighbors;  /* global ids */
} comm_graph_row;
/* Returns the row of any vertex on all processes, valid until the next call with this site. Collective. */
const comm_graph_row *comm_graph_run_shared_row(comm_graph_run *run, int64_t site, int isIn, int64_t vertex,
                                                const char *place);

/* Called for each recursive call: stops the program before the stack overflows. */
void comm_graph_run_enter(comm_graph_run *run, const char *name, const char *place);
/* Keeps a copy of a row until it is dropped; the last row that was kept is dropped first. */
const comm_graph_row *comm_graph_run_keep_row(comm_graph_run *run, const comm_graph_row *row);
void comm_graph_run_drop_row(comm_graph_run *run);

/* -------- Lists -------- */

/* A list of values, the same on all processes. `depth` is 1, or more for lists of lists. */
typedef struct comm_graph_list comm_graph_list;
comm_graph_list *comm_graph_run_list(comm_graph_run *run, int type, int depth);
void comm_graph_run_list_free(comm_graph_list *list);
int64_t comm_graph_run_list_size(const comm_graph_list *list);
/* Returns the index of the first element with the value, or -1. */
int64_t comm_graph_run_list_find(const comm_graph_list *list, const int64_t *slot);
/* Return the address of an element, or the list that is an element. Stop if there is none. */
void *comm_graph_run_list_at(comm_graph_list *list, int64_t index, const char *place);
comm_graph_list *comm_graph_run_list_inner(comm_graph_list *list, int64_t index, const char *place);
void comm_graph_run_list_push(comm_graph_list *list, const int64_t *slot);
void comm_graph_run_list_push_list(comm_graph_list *list, const comm_graph_list *element);
void comm_graph_run_list_pop(comm_graph_list *list, const char *place);
void comm_graph_run_list_assign(comm_graph_list *list, int64_t count, const int64_t *slot, const char *place);
void comm_graph_run_list_copy(const comm_graph_list *from, comm_graph_list *to);
/* In a loop, updates one element according to an enum comm_graph_update_kind. All processes see the update after the
 * delivery, which is collective. */
void comm_graph_run_list_update(comm_graph_list *list, int kind, int64_t index, const int64_t *slot, const char *place);
void comm_graph_run_list_deliver(comm_graph_list *list);

/* -------- Updates -------- */

/* Updates of one property in one loop, with companions. */
typedef struct comm_graph_updates {
  uint8_t *marks; /* by local id: changed in this loop */
  void *old;      /* the values from before; the rest is private */
} comm_graph_updates;

/*
 * Begins the updates of a loop: initializes ghosts for local combination. `companions` are the properties that change
 * together with it. Called on all processes with the same arguments.
 */
comm_graph_updates *comm_graph_run_updates(comm_graph_run *run, int64_t site, int kind, comm_graph_values *values,
                                           int64_t count, comm_graph_values *const *companions, const char *place);
/* Called before the value of an owned vertex or a ghost changes for the first time. */
void comm_graph_run_touch(comm_graph_updates *updates, int64_t local);
/* Called if the same value was reached again in this loop: keeps the smaller companions. */
void comm_graph_run_tie(comm_graph_updates *updates, int64_t local, const int64_t *slots);
/* Updates any vertex or edge; `slots` are the value and those of companions, eight bytes each. */
void comm_graph_run_update(comm_graph_updates *updates, int64_t index, const int64_t *slots, const char *place);
/* Ends the loop: delivers all updates to their owners. Collective. `isAny` is set if there may be updates from
 * comm_graph_run_update. */
void comm_graph_run_deliver(comm_graph_updates *updates, int isAny);

/*
 * Splits the delivery so that iterations continue meanwhile. Iterations of vertices with remote neighbors run first;
 * then the program packs the combined updates, exchanges their sizes with MPI_Alltoall and the updates with
 * MPI_Alltoallv, and runs all other iterations in the meantime. Only for updates that ghosts combine, of neighbors of
 * the iteration's vertex. The results of pack, counts and arrivals point to memory that nothing else accesses until
 * updates_arrive, which ends the loop. Local, except for updates_travel.
 */
enum comm_graph_counts {
  COMM_GRAPH_SEND_COUNTS = 0, /* valid after pack, like the next one */
  COMM_GRAPH_SEND_PLACES = 1,
  COMM_GRAPH_RECV_COUNTS = 2, /* filled by the program */
  COMM_GRAPH_RECV_PLACES = 3  /* valid after arrivals */
};
/* Returns whether this pays off, the same on all processes: there are several, and messages take time. */
int comm_graph_run_updates_travel(comm_graph_run *run);
/* The owned vertices with a neighbor, in any direction, in another process. */
typedef struct comm_graph_border {
  const uint8_t *marks; /* by owned vertex: 1 if it is in the list */
  int64_t count;
  const uint32_t *vertices; /* ascending */
} comm_graph_border;
const comm_graph_border *comm_graph_run_border(comm_graph_run *run);
void *comm_graph_run_updates_pack(comm_graph_updates *updates);
int *comm_graph_run_updates_counts(comm_graph_updates *updates, int which);
void *comm_graph_run_updates_arrivals(comm_graph_updates *updates, const int *recv_counts);
void comm_graph_run_updates_arrive(comm_graph_updates *updates, const void *arrivals, const int *recv_counts,
                                   const int *recv_places);

/*
 * For statistics: from `waits` on, the program waits for an exchange of its own, until `waited` or the next function
 * that takes what has arrived. Local.
 */
void comm_graph_run_waits(comm_graph_run *run);
void comm_graph_run_waited(comm_graph_run *run);

/* -------- Gathers -------- */

/*
 * Returns, for each owned vertex, the combination of the values of its neighbors; `kind` is a sum (of floating-point
 * numbers), a minimum or a maximum. Ghosts must be up to date. Valid until the next call with this site. Local.
 */
const void *comm_graph_run_gather(comm_graph_run *run, int64_t site, int isIn, int kind,
                                  const comm_graph_values *values);

/*
 * Splits the gather so that it runs while ghost values are in transit: the program packs the values that it lends,
 * exchanges them with MPI_Alltoallv according to comm_graph_run_exchange, gathers from owned vertices, and then from
 * ghosts once they have arrived. Pays off if comm_graph_run_travels returns true (the same on all processes): ghosts
 * are outdated, and messages take time. The results of pack, arrivals and gather_begin point to memory that nothing
 * else accesses until the gather has ended; gather_own accesses only the results, the values and private memory of the
 * runtime, and does not communicate. It takes COMM_GRAPH_GATHER_PARTS calls, with `part` from 0 on, so that MPI can be
 * called in between. Local, except for comm_graph_run_travels.
 */
enum { COMM_GRAPH_GATHER_PARTS = 32 };

typedef struct comm_graph_exchange {
  const int *send_counts, *send_places, *recv_counts, *recv_places; /* in values */
} comm_graph_exchange;
int comm_graph_run_travels(comm_graph_run *run, const comm_graph_values *values);
const comm_graph_exchange *comm_graph_run_exchange(comm_graph_run *run);
void *comm_graph_run_pack(comm_graph_run *run, int64_t site, const comm_graph_values *values);
void *comm_graph_run_arrivals(comm_graph_run *run, int64_t site, const comm_graph_values *values);
void *comm_graph_run_gather_begin(comm_graph_run *run, int64_t site, int isIn, int kind,
                                  const comm_graph_values *values);
void comm_graph_run_gather_own(const comm_graph_run *run, int64_t site, const void *owned, void *result, int64_t part);
/* Copies the values that arrived to the ghosts. */
void comm_graph_run_arrive(comm_graph_values *values, const void *arrivals);
void comm_graph_run_gather_rest(const comm_graph_run *run, int64_t site, const void *arrivals, void *result);

/* -------- Ghosts -------- */

/*
 * Splits the refresh of the ghosts that a loop reads so that iterations of vertices without remote neighbors run
 * meanwhile: the program packs the values that it lends, before the first iteration; if their sizes vary, exchanges
 * these with MPI_Alltoall; and exchanges the values with MPI_Alltoallv. `ghosts_arrive` writes what has arrived to the
 * ghosts, before the iterations that read them. `handles` are the properties, of which those take part whose ghosts are
 * outdated; `onlyChanges` as in comm_graph_run_refresh_changed. The results of pack, counts and arrivals point to
 * memory that nothing else accesses until ghosts_arrive. Called on all processes with the same arguments; local, except
 * for ghosts_travel.
 */
/* Returns whether this pays off, the same on all processes: some ghosts are outdated, and updates would travel. */
int comm_graph_run_ghosts_travel(comm_graph_run *run, int64_t count, comm_graph_values *const *handles);
void *comm_graph_run_ghosts_pack(comm_graph_run *run, int64_t count, comm_graph_values *const *handles,
                                 int onlyChanges);
/* Returns whether only the sender knows how much it sends, the same on all processes. */
int comm_graph_run_ghosts_vary(const comm_graph_run *run);
/* Bytes by process; `which` is an enum comm_graph_counts. */
int *comm_graph_run_ghosts_counts(comm_graph_run *run, int which);
void *comm_graph_run_ghosts_arrivals(comm_graph_run *run, const int *recv_counts);
void comm_graph_run_ghosts_arrive(comm_graph_run *run, const void *arrivals, const int *recv_counts,
                                  const int *recv_places);

/* -------- One-sided exchanges -------- */

/*
 * The same two exchanges by puts into a window. The program makes the window, holds a shared lock of all processes on
 * it, puts what these functions list, flushes, and agrees with all processes on the number of puts; then everything has
 * arrived. A window has two halves, which pulses use in turns: who puts into one has passed the agreement of the pulse
 * in the other, which its reader joins only after reading the first. Called on all processes with the same arguments;
 * local, except for comm_graph_run_window.
 */
/*
 * Returns how many bytes this process's window needs, or 0 on all processes if none can be made or there is only one
 * process. comm_graph_run_travels and comm_graph_run_updates_travel return false then, so that the library exchanges
 * everything. `groups`: the most kinds of updates, or properties with ghosts, of a pulse; `updateBytes` and
 * `valueBytes`: the most bytes that these have together for one vertex. The program waits until the window is made.
 * Collective.
 */
int64_t comm_graph_run_window(comm_graph_run *run, int64_t groups, int64_t updateBytes, int64_t valueBytes);
/* Initializes the memory of the window, before the first pulse. */
void comm_graph_run_window_open(comm_graph_run *run, void *memory);
/* The window is about to be freed. */
void comm_graph_run_window_close(comm_graph_run *run);

typedef struct comm_graph_put {
  const void *from;
  int64_t place; /* in bytes from the start of the target's window */
  int32_t rank, bytes;
} comm_graph_put;
typedef struct comm_graph_puts {
  int64_t count;
  const comm_graph_put *list;
} comm_graph_puts;
/* Pack what is sent and begin a pulse. `handles` are all updates of a loop, or the properties whose values are sent to
 * ghosts, as in comm_graph_run_ghosts_pack. Valid until the next pulse. */
const comm_graph_puts *comm_graph_run_updates_puts(comm_graph_run *run, int64_t count,
                                                   comm_graph_updates *const *handles);
const comm_graph_puts *comm_graph_run_values_puts(comm_graph_run *run, int64_t count, comm_graph_values *const *handles,
                                                  int onlyChanges);
/* Apply the updates with this index in `handles` that arrived in the pulse, and end the loop for them. `puts` is the
 * number of puts of all processes. */
void comm_graph_run_updates_collect(comm_graph_updates *updates, int64_t index, int64_t puts);
/* Moves the values that arrived in the pulse to the ghosts, and returns the address of the first ghost of the first
 * property. */
const void *comm_graph_run_values_collect(comm_graph_run *run, int64_t puts);

/* -------- Triangles -------- */

/* Returns whether the graph is known to be undirected. The same on all processes. */
int comm_graph_run_is_symmetric(const comm_graph_run *run);
/* For an undirected graph, returns how many triangles this process has found; all processes together find each
 * triangle once. Collective. */
int64_t comm_graph_run_triangles(comm_graph_run *run);

/* -------- Fixed points that run in any order -------- */

enum comm_graph_relax_flags {
  COMM_GRAPH_RELAX_MAX = 1,      /* values increase; otherwise they decrease */
  COMM_GRAPH_RELAX_ROUNDS = 2,   /* `data` are keys: a 32-bit value, and in the lower half its round */
  COMM_GRAPH_RELAX_PRIORITY = 4, /* process the smallest values (or largest ones) first */
  COMM_GRAPH_RELAX_JOIN = 8,     /* neighbors get the smallest value itself, and nothing else is set */
  COMM_GRAPH_RELAX_EACH = 16,    /* send each better value of a ghost, not only the last one of a pulse */
  COMM_GRAPH_RELAX_FORGETS = 32, /* do not remember the value of a ghost after sending it */
  COMM_GRAPH_RELAX_STEPS = 64    /* the increment of each value is known */
};

/*
 * A fixed point in which vertices that changed notify their neighbors. The compiler emits the code for an edge; the
 * runtime schedules vertices and exchanges values.
 */
typedef struct comm_graph_relaxation {
  void *data;         /* by local id: value or key */
  uint8_t *marks;     /* by local id: 1 if its neighbors do not know its value; 2 if it is in `improved` */
  uint32_t *improved; /* vertices that got better values since the runtime looked */
  int64_t count;
  int64_t told; /* the value that a pull passed on; the rest is private */
} comm_graph_relaxation;

/* Notifies the neighbors of those owned vertices that are marked with 1. */
typedef void comm_graph_push(comm_graph_relaxation *relaxation, void *frame, const uint32_t *vertices, int64_t count);
/* For owned vertices that are worse than what a vertex with the value (or key) `value` sends, looks for a neighbor
 * whose bit is set in `front`. Adds those that found one to `improved`, without marks. `told` is the value that they
 * got. */
typedef void comm_graph_pull(comm_graph_relaxation *relaxation, void *frame, const uint64_t *front, int64_t value);

/*
 * Prepares the fixed point. `active` is true for the vertices that start; `companions` are set together with the value.
 * Called on all processes with the same arguments.
 */
comm_graph_relaxation *comm_graph_run_relaxation(comm_graph_run *run, int64_t site, int flags,
                                                 comm_graph_values *values, comm_graph_values *active, int64_t count,
                                                 comm_graph_values *const *companions);
/*
 * Runs the fixed point; `next` and `active` are false afterwards. `pull` may be null. The increment of a value, if
 * known, is the edge's value in `steps`, or `step` for all edges. `place` is that of the sum of integers, or null if
 * values change in another way. Collective.
 */
void comm_graph_run_relax(comm_graph_relaxation *relaxation, comm_graph_values *next, comm_graph_push *push,
                          void *push_frame, comm_graph_pull *pull, void *pull_frame, comm_graph_values *steps,
                          int64_t step, const char *place);

/* -------- Loops that read remote values -------- */

typedef void comm_graph_body(comm_graph_run *run, void *frame, int64_t local);

/*
 * Runs the body for each of `count` owned vertices (`vertices` null: 0, 1, ...). Remote values that are not here yet
 * are fetched for many iterations together: an iteration that lacks one is undone and runs again later. Collective.
 */
enum comm_graph_sweep_flags {
  COMM_GRAPH_SWEEP_PROBES = 1, /* an iteration continues after a miss, to find all that it lacks; its values are
                                  meaningless then */
  COMM_GRAPH_SWEEP_CACHES = 2  /* fetched values are kept for all iterations; otherwise each iteration fetches its
                                  own, and the next loop fetches edges again */
};
void comm_graph_run_sweep(comm_graph_run *run, comm_graph_body *body, void *frame, const uint32_t *vertices,
                          int64_t count, int flags);
/* Declares that these bytes are about to change; they are restored if the iteration is undone. */
void comm_graph_run_log(comm_graph_run *run, void *bytes, int64_t count);
/* Return the value, row or edge of any vertex or edge, in a sweep. */
const void *comm_graph_run_fetch(comm_graph_values *values, int64_t index, const char *place);
const comm_graph_row *comm_graph_run_row(comm_graph_run *run, int isIn, int64_t vertex, const char *place);
int64_t comm_graph_run_find_edge(comm_graph_run *run, int64_t source, int64_t target, const char *place);
int64_t comm_graph_run_endpoint(comm_graph_run *run, int isIn, int64_t edge, const char *place);

/* -------- Levels and sets -------- */

typedef struct comm_graph_levels {
  int64_t count;            /* number of levels, the same on all processes */
  comm_graph_values *of;    /* level of each vertex, ghosts included, as int32_t, or -1 */
  const uint32_t *vertices; /* owned vertices, by level and then by number */
  const int64_t *offsets;   /* [count + 1] offsets into vertices */
} comm_graph_levels;
/* Runs a breadth-first search. If it `mayPull`, large levels are found from the other side. Collective. */
const comm_graph_levels *comm_graph_run_levels(comm_graph_run *run, int64_t site, int64_t root, int mayPull,
                                               const char *place);
/* For ordered loops over levels, returns all vertices of one level, by number, on all processes. Valid until the
 * next call with this site. */
const comm_graph_row *comm_graph_run_shared_level(comm_graph_run *run, int64_t site, const comm_graph_levels *levels,
                                                  int64_t level);

typedef struct comm_graph_set {
  int64_t count;
  const int64_t *vertices; /* global ids, the same on all processes */
} comm_graph_set;

/* -------- Emitted by the compiler -------- */

/* "function type name" newline, "needs weights" and so on, then for each parameter "kind type name" newline, and
 * for each property that the program makes "local name" newline. Weights that are only read are of the kind "weights".
 */
extern const char comm_graph_program_signature[];
/* Scalars take eight bytes each: integers, or a double. */
void comm_graph_program(comm_graph_run *run, const int64_t *arguments, int64_t *result);

#ifdef __cplusplus
}
#endif

#endif
