/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What compiled graph programs call: the contract between the conversion
 * convert-graph-to-comm and libCommGraphRun.a. See docs/graph-runtime.md.
 * Programs of users call none of this.
 *
 * All processes run the same program. What is outside of loops over vertices
 * is done by all of them with the same values; an iteration of a loop is run
 * by the process that owns its vertex. Functions that are "collective" are
 * called by all processes in the same order.
 */
#ifndef COMM_GRAPH_RUN_H
#define COMM_GRAPH_RUN_H

#include "comm/graph.h"

#ifdef __cplusplus
extern "C" {
#endif

#define COMM_GRAPH_RUN_ABI_VERSION 1

/* Types of values, and how they are stored. Vertices and edges are their global numbers, or -1. */
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
  /* Added to one of them: values of the beginning of the loop stay readable, in `old` where a mark is set. */
  COMM_GRAPH_KEEPS_OLD = 16,
  /* Each update is sent by itself; ghosts have no part in updates; updates of owned vertices and edges wait until the
   * loop ends (a minimum, a maximum, and, or that the loop does not read). */
  COMM_GRAPH_SENDS_EACH = 32,
  COMM_GRAPH_LEAVES_COPIES = 64,
  COMM_GRAPH_WAITS = 128
};

/* Why a program stops; `a` and `b` are what the message names. */
enum comm_graph_stop_reason {
  COMM_GRAPH_STOP_ZERO = 0,     /* a division of a by zero */
  COMM_GRAPH_STOP_RESULT = 1,   /* of an operation on a and b */
  COMM_GRAPH_STOP_RANGE = 2,    /* the number a is outside of a type */
  COMM_GRAPH_STOP_REDUCTION = 3 /* of a and b */
};

typedef struct comm_graph_run comm_graph_run;

/* The arrays of the graph; the same for the whole run. */
typedef struct comm_graph_topology {
  int64_t vertices, edges;
  int64_t first, owned, ghosts; /* global id of local vertex 0; local ids are first the owned ones, then ghosts */
  int64_t first_edge;           /* global id of the first edge of local vertex 0 */
  const int64_t *out_offsets;
  const uint32_t *out_neighbors;
  const int64_t *in_offsets;
  const uint32_t *in_neighbors;
  const uint32_t *globals; /* of each local id the global one */
} comm_graph_topology;
const comm_graph_topology *comm_graph_run_topology(const comm_graph_run *run);

/* Stops all processes with "place: error: ...". Does not return. `what` is the name of the operation or type. */
void comm_graph_run_stop(comm_graph_run *run, int reason, int64_t a, int64_t b, const char *what, const char *type,
                         const char *place);
/* The same for a floating-point number that an integer type does not have. */
void comm_graph_run_stop_number(comm_graph_run *run, double number, const char *type, const char *place);

/* -------- Properties -------- */

/* Values of owned vertices and ghosts, or of the edges of owned vertices. */
typedef struct comm_graph_values {
  void *data; /* the rest is private */
} comm_graph_values;

/* A property with zero, false or none. `site` tells the places of a program apart: an earlier property of it is used
 * again. Local. */
comm_graph_values *comm_graph_run_property(comm_graph_run *run, int64_t site, int isEdges, int type, const char *name);
/* The weights of the edges. Stops if the type does not have them. */
comm_graph_values *comm_graph_run_weights(comm_graph_run *run, int type, const char *place);
/* The number of edges of each owned vertex and ghost, as int64_t. Collective. */
comm_graph_values *comm_graph_run_degrees(comm_graph_run *run, int isIn);
void comm_graph_run_fill(comm_graph_values *values, const void *value);
void comm_graph_run_copy(const comm_graph_values *from, comm_graph_values *to);
/* Whether this process has a value that is not zero; with `zero`, one that is. */
int comm_graph_run_any(const comm_graph_values *values, int zero);
/* Ghosts get what their owners have, unless they have it. Collective. */
void comm_graph_run_refresh(comm_graph_values *values);
/* The same, for a property that is refreshed again and again: owners remember what they sent, and send what changed
 * since, unless that is most of it. */
void comm_graph_run_refresh_changed(comm_graph_values *values);
/* Values of owned vertices have changed. On all processes. */
void comm_graph_run_changed(comm_graph_values *values);

/* From here on a property of truth values, all false, knows which of its owned vertices are true. */
void comm_graph_run_track(comm_graph_values *values);
/* An owned vertex of such a property is about to become true. */
void comm_graph_run_add(comm_graph_values *values, int64_t local);
/* At least all vertices that are true, ascending, each once: valid until the next call. Null and the number of owned
 * vertices if there are many. */
const uint32_t *comm_graph_run_frontier(comm_graph_values *values, int64_t *count);

/* Stops the program if the graph does not have the vertex or edge. */
void comm_graph_run_check(comm_graph_run *run, int isEdge, int64_t index, const char *place);
/* The process that has a vertex or edge, the same one on all processes; stops the program if there is none.
 * Collective. */
int comm_graph_run_owner(comm_graph_run *run, int isEdge, int64_t index, const char *place);
/* The value, where this process owns it; else the buffer stays. */
void comm_graph_run_get(const comm_graph_values *values, int64_t index, void *buffer);
/* One value changes, on all processes. */
void comm_graph_run_put(comm_graph_values *values, int64_t index, const void *value, const char *place);

/* -------- Questions about the graph -------- */

/* What a process knows of a vertex or edge that it owns. */
int64_t comm_graph_run_own_degree(const comm_graph_run *run, int isIn, int64_t vertex);
int64_t comm_graph_run_own_endpoint(const comm_graph_run *run, int isIn, int64_t edge);
int64_t comm_graph_run_own_find_edge(comm_graph_run *run, int64_t source, int64_t target);

/* The edges of one vertex. */
typedef struct comm_graph_row {
  int64_t count, first_edge; /* out-edges are numbered from first_edge on */
  const int64_t *neighbors;  /* global ids */
} comm_graph_row;
/* The row of any vertex on all processes; valid until the next call of this site. Collective. */
const comm_graph_row *comm_graph_run_shared_row(comm_graph_run *run, int64_t site, int isIn, int64_t vertex,
                                                const char *place);

/* The next call of a function that calls itself: stops the program before the stack ends. */
void comm_graph_run_enter(comm_graph_run *run, const char *name, const char *place);
/* A row that stays until it is dropped; the last one that was kept is dropped first. */
const comm_graph_row *comm_graph_run_keep_row(comm_graph_run *run, const comm_graph_row *row);
void comm_graph_run_drop_row(comm_graph_run *run);

/* -------- Lists -------- */

/* Values in a row, on all processes alike. `depth` is 1; of lists of lists more. */
typedef struct comm_graph_list comm_graph_list;
comm_graph_list *comm_graph_run_list(comm_graph_run *run, int type, int depth);
void comm_graph_run_list_free(comm_graph_list *list);
int64_t comm_graph_run_list_size(const comm_graph_list *list);
/* The number of the first element that is the value, or -1. */
int64_t comm_graph_run_list_find(const comm_graph_list *list, const int64_t *slot);
/* Where an element is, and the list that is one. Stops if there is none. */
void *comm_graph_run_list_at(comm_graph_list *list, int64_t index, const char *place);
comm_graph_list *comm_graph_run_list_inner(comm_graph_list *list, int64_t index, const char *place);
void comm_graph_run_list_push(comm_graph_list *list, const int64_t *slot);
void comm_graph_run_list_push_list(comm_graph_list *list, const comm_graph_list *element);
void comm_graph_run_list_pop(comm_graph_list *list, const char *place);
void comm_graph_run_list_assign(comm_graph_list *list, int64_t count, const int64_t *slot, const char *place);
void comm_graph_run_list_copy(const comm_graph_list *from, comm_graph_list *to);
/* In a loop, an update of one element by an enum comm_graph_update_kind: all have it after the delivery, which is
 * collective. */
void comm_graph_run_list_update(comm_graph_list *list, int kind, int64_t index, const int64_t *slot, const char *place);
void comm_graph_run_list_deliver(comm_graph_list *list);

/* -------- Updates -------- */

/* Updates of one property in one loop, with companions. */
typedef struct comm_graph_updates {
  uint8_t *marks; /* of each local id: changed in this loop */
  void *old;      /* what it was before. The rest is private */
} comm_graph_updates;

/*
 * Begins the updates of a loop: ghosts get a value that a local combination
 * may start from. `companions` are the properties that change with it. The
 * same on all processes.
 */
comm_graph_updates *comm_graph_run_updates(comm_graph_run *run, int64_t site, int kind, comm_graph_values *values,
                                           int64_t count, comm_graph_values *const *companions, const char *place);
/* The value of an owned vertex or a ghost is about to change for the first time. */
void comm_graph_run_touch(comm_graph_updates *updates, int64_t local);
/* The same value has been reached again in this loop: the companions become the lesser ones. */
void comm_graph_run_tie(comm_graph_updates *updates, int64_t local, const int64_t *slots);
/* An update of any vertex or edge; `slots` are the value and those of companions, in eight bytes each. */
void comm_graph_run_update(comm_graph_updates *updates, int64_t index, const int64_t *slots, const char *place);
/* Ends the loop: all updates reach their owners. Collective. With `isAny` there may be some that
 * comm_graph_run_update has got. */
void comm_graph_run_deliver(comm_graph_updates *updates, int isAny);

/*
 * The same delivery in parts, while iterations go on. Iterations of vertices with neighbors of other processes come
 * first; then the program packs what these combined, tells by MPI_Alltoall how many bytes each process gets, exchanges
 * them by MPI_Alltoallv, and does all other iterations in the meantime. Only for updates that ghosts combine, of
 * neighbors of the iteration's vertex. The results of pack, counts and arrivals are memory that nothing else touches
 * until updates_arrive, which ends the loop. Local, except for updates_travel.
 */
enum comm_graph_counts {
  COMM_GRAPH_SEND_COUNTS = 0, /* valid after pack, as the next one is */
  COMM_GRAPH_SEND_PLACES = 1,
  COMM_GRAPH_RECV_COUNTS = 2, /* for the program to receive */
  COMM_GRAPH_RECV_PLACES = 3  /* valid after arrivals */
};
/* Whether it is worth it, the same on all processes: there are several, and messages take time. */
int comm_graph_run_updates_travel(comm_graph_run *run);
/* The owned vertices that have a neighbor, in any direction, of another process. */
typedef struct comm_graph_border {
  const uint8_t *marks; /* of each owned vertex: 1 if it is one */
  int64_t count;
  const uint32_t *vertices; /* ascending */
} comm_graph_border;
const comm_graph_border *comm_graph_run_border(comm_graph_run *run);
void *comm_graph_run_updates_pack(comm_graph_updates *updates);
int *comm_graph_run_updates_counts(comm_graph_updates *updates, int which);
void *comm_graph_run_updates_arrivals(comm_graph_updates *updates, const int *recv_counts);
void comm_graph_run_updates_arrive(comm_graph_updates *updates, const void *arrivals, const int *recv_counts,
                                   const int *recv_places);

/* -------- Gathers -------- */

/*
 * Of each owned vertex what the values of its neighbors combine to; `kind` is a sum (of floating-point numbers), a
 * minimum or a maximum. Ghosts are up to date. Valid until the next call of this site. Local.
 */
const void *comm_graph_run_gather(comm_graph_run *run, int64_t site, int isIn, int kind,
                                  const comm_graph_values *values);

/*
 * The same in parts, while ghosts travel: the program packs what it lends, exchanges that by MPI_Alltoallv with what
 * comm_graph_run_exchange says, gathers from owned vertices, and when the ghosts have arrived from those. Worth it if
 * comm_graph_run_travels says so (the same on all processes): ghosts are not up to date, and messages take time.
 * The results of pack, arrivals and gather_begin are memory that nothing else touches until the gather has ended;
 * gather_own touches the results, the values and what is private to the runtime, and communicates nothing. It takes as
 * many calls as COMM_GRAPH_GATHER_PARTS says, `part` from 0 on, so that MPI can be called in between. Local, except for
 * comm_graph_run_travels.
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
/* Ghosts have what arrived. */
void comm_graph_run_arrive(comm_graph_values *values, const void *arrivals);
void comm_graph_run_gather_rest(const comm_graph_run *run, int64_t site, const void *arrivals, void *result);

/* -------- Triangles -------- */

/* Whether the graph is known to have no directions. The same on all processes. */
int comm_graph_run_is_symmetric(const comm_graph_run *run);
/* In such a graph: how many sets of three vertices that are neighbors of each other this process has found; all
 * processes together have found each of them once. Collective. */
int64_t comm_graph_run_triangles(comm_graph_run *run);

/* -------- Fixed points that run in any order -------- */

enum comm_graph_relax_flags {
  COMM_GRAPH_RELAX_MAX = 1,      /* values rise; else they fall */
  COMM_GRAPH_RELAX_ROUNDS = 2,   /* `data` are keys: a 32-bit value, and the round it came in, in the lower half */
  COMM_GRAPH_RELAX_PRIORITY = 4, /* the least values first (the greatest ones) */
  COMM_GRAPH_RELAX_JOIN = 8,     /* neighbors get the least value itself, and nothing else is set */
  COMM_GRAPH_RELAX_EACH = 16,    /* each better value of a ghost is sent, and not the last one of a pulse alone */
  COMM_GRAPH_RELAX_FORGETS = 32, /* what a ghost got is not remembered when it was sent */
  COMM_GRAPH_RELAX_STEPS = 64    /* what is added to a value is known */
};

/*
 * A fixed point of "vertices that changed tell their neighbors". The compiler
 * writes what happens at an edge, the runtime chooses who is next, and
 * exchanges values.
 */
typedef struct comm_graph_relaxation {
  void *data;         /* of each local id: its value, or its key */
  uint8_t *marks;     /* of each local id: 1 its neighbors do not know its value; 2 it is in `improved` */
  uint32_t *improved; /* those that got better values since the runtime looked */
  int64_t count;
  int64_t told; /* what a pull gave; the rest is private */
} comm_graph_relaxation;

/* Tells the neighbors of those of the owned vertices that are marked with 1. */
typedef void comm_graph_push(comm_graph_relaxation *relaxation, void *frame, const uint32_t *vertices, int64_t count);
/* Owned vertices that are worse than what a vertex of the value (or key) `value` tells look for a neighbor whose bit is
 * set. Those that found one are added to `improved`, without marks. `told` is what they got. */
typedef void comm_graph_pull(comm_graph_relaxation *relaxation, void *frame, const uint64_t *front, int64_t value);

/*
 * Prepares it. `active` is true for the vertices that tell first; `companions` are set with the value. The same on all
 * processes.
 */
comm_graph_relaxation *comm_graph_run_relaxation(comm_graph_run *run, int64_t site, int flags,
                                                 comm_graph_values *values, comm_graph_values *active, int64_t count,
                                                 comm_graph_values *const *companions);
/*
 * Runs it; `next` and `active` are false afterwards. `pull` may be null. What is added to a value, if that is
 * known, is that of the edge in `steps`, or `step` for all edges. `place` is that of the sum of integers, or null if
 * something else happens to values. Collective.
 */
void comm_graph_run_relax(comm_graph_relaxation *relaxation, comm_graph_values *next, comm_graph_push *push,
                          void *push_frame, comm_graph_pull *pull, void *pull_frame, comm_graph_values *steps,
                          int64_t step, const char *place);

/* -------- Loops that read what other processes have -------- */

typedef void comm_graph_body(comm_graph_run *run, void *frame, int64_t local);

/*
 * Runs the body for each of `count` owned vertices (`vertices` null: 0, 1,
 * ...). What it asks of other processes and is not here yet is fetched for
 * many iterations together: an iteration that lacks something is undone, and
 * runs again later. Collective.
 */
enum comm_graph_sweep_flags {
  COMM_GRAPH_SWEEP_PROBES = 1, /* it goes on for the time being, so that all that it lacks is found; its values mean
                                  nothing then */
  COMM_GRAPH_SWEEP_CACHES = 2  /* what was fetched is there for all iterations; else each fetches values for itself,
                                  and edges are fetched again by the next loop */
};
void comm_graph_run_sweep(comm_graph_run *run, comm_graph_body *body, void *frame, const uint32_t *vertices,
                          int64_t count, int flags);
/* These bytes are about to change, and get their values back if the iteration is undone. */
void comm_graph_run_log(comm_graph_run *run, void *bytes, int64_t count);
/* In a sweep: the value of any vertex or edge. */
const void *comm_graph_run_fetch(comm_graph_values *values, int64_t index, const char *place);
const comm_graph_row *comm_graph_run_row(comm_graph_run *run, int isIn, int64_t vertex, const char *place);
int64_t comm_graph_run_find_edge(comm_graph_run *run, int64_t source, int64_t target, const char *place);
int64_t comm_graph_run_endpoint(comm_graph_run *run, int isIn, int64_t edge, const char *place);

/* -------- Levels and sets -------- */

typedef struct comm_graph_levels {
  int64_t count;            /* of levels, the same on all processes */
  comm_graph_values *of;    /* of each vertex its level as int32_t, or -1; ghosts too */
  const uint32_t *vertices; /* owned ones, by level and then by number */
  const int64_t *offsets;   /* count + 1: into vertices */
} comm_graph_levels;
/* Breadth-first search. Collective. */
const comm_graph_levels *comm_graph_run_levels(comm_graph_run *run, int64_t site, int64_t root, const char *place);
/* For levels in order: all vertices of one level, by number, on all processes. Valid until the same site asks again. */
const comm_graph_row *comm_graph_run_shared_level(comm_graph_run *run, int64_t site, const comm_graph_levels *levels,
                                                  int64_t level);

typedef struct comm_graph_set {
  int64_t count;
  const int64_t *vertices; /* global ids, the same on all processes */
} comm_graph_set;

/* -------- What the compiler writes -------- */

/* "function type name" newline, "needs weights" and so on, then for each parameter "kind type name" newline, and
 * for each property that the program makes "local name" newline. Weights that are only read are of the kind "weights".
 */
extern const char comm_graph_program_signature[];
/* Scalars are in eight bytes each: integers, or a double. */
void comm_graph_program(comm_graph_run *run, const int64_t *arguments, int64_t *result);

#ifdef __cplusplus
}
#endif

#endif
