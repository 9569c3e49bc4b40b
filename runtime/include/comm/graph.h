/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Distributed graphs: reading, generation, partitions. See docs/graph-runtime.md. Each process owns a range of vertices
 * with all their edges, and has copies (ghosts) of remote vertices that its edges lead to. Local ids: owned vertices
 * are 0, 1, ..., in the order of their global ids, followed by the ghosts in the order of theirs. A property is thus
 * one flat array of owned + ghosts values, and graph loops are loops over arrays.
 *
 * Link libCommGraph.a, libCommReduce.a, the C++ library, zlib and MPI. Functions return enum comm_graph_result; errors
 * are the same on all processes, and comm_graph_message has details. One thread at a time.
 */
#ifndef COMM_GRAPH_H
#define COMM_GRAPH_H

#include "comm/reduce.h"

#ifdef __cplusplus
extern "C" {
#endif

#define COMM_GRAPH_ABI_VERSION 1

enum comm_graph_result {
  COMM_GRAPH_SUCCESS = 0,
  COMM_GRAPH_ERR_ARG = 1,
  COMM_GRAPH_ERR_FILE = 2,   /* cannot be opened or read */
  COMM_GRAPH_ERR_FORMAT = 3, /* the contents are invalid, or this is not a graph */
  COMM_GRAPH_ERR_MEMORY = 4,
  COMM_GRAPH_ERR_REDUCE = 5, /* comm/reduce.h failed */
  /* Errors that other options avoid: */
  COMM_GRAPH_ERR_NO_WEIGHTS = 6, /* weights are requested, and the file has none: `weight_max` draws some */
  COMM_GRAPH_ERR_REAL = 7,       /* weights are not integers: COMM_GRAPH_REAL_WEIGHTS */
  COMM_GRAPH_ERR_NAME = 8,       /* the name does not show the format: set `format` */
  COMM_GRAPH_ERR_SPARSE = 9      /* the number of vertices looks wrong for so few edges: `vertices` confirms it */
};

enum comm_graph_format {
  COMM_GRAPH_AUTO = 0,          /* by the file name extension, ignoring .gz */
  COMM_GRAPH_EDGE_LIST = 1,     /* .el .wel .txt .edges .csv .tsv: a "u v" or "u v weight" per line, # or % for
                                   comments, ids from 0 */
  COMM_GRAPH_MATRIX_MARKET = 2, /* .mtx */
  COMM_GRAPH_METIS = 3,         /* .metis .graph */
  COMM_GRAPH_GAP = 4,           /* .sg, of the GAP benchmark suite */
  COMM_GRAPH_GAP_WEIGHTED = 5,  /* .wsg */
  COMM_GRAPH_DIMACS = 6         /* .gr, of the ninth DIMACS challenge */
};

enum comm_graph_flags {
  COMM_GRAPH_SYMMETRIZE = 1,      /* adds the reverse of each edge, and drops duplicates */
  COMM_GRAPH_DEDUPLICATE = 2,     /* keeps the parallel edge with the smallest weight */
  COMM_GRAPH_DROP_LOOPS = 4,      /* drops edges from a vertex to itself */
  COMM_GRAPH_IN_EDGES = 8,        /* also stores the edges that lead to owned vertices */
  COMM_GRAPH_WEIGHTS = 16,        /* stores 32-bit integer weights; an error if the file has none */
  COMM_GRAPH_REAL_WEIGHTS = 32,   /* 32-bit floating-point numbers instead */
  COMM_GRAPH_QUIET = 64,          /* no progress on stderr (otherwise process 0 prints every 2 s) */
  COMM_GRAPH_GLOBAL_ORDER = 128,  /* neighbors are sorted by global id, not by local id */
  COMM_GRAPH_EQUAL_VERTICES = 256 /* balance vertices instead of vertices and edges */
};

typedef struct comm_graph_options {
  unsigned flags;
  int format;
  int64_t vertices;               /* minimum for edge lists; the default is the largest id + 1 */
  uint64_t seed;                  /* for generators and random weights */
  int32_t weight_min, weight_max; /* if weight_max > 0, weights are drawn from this range, the same for both
                                     directions of an edge, whatever the file has */
} comm_graph_options;

typedef struct comm_graph comm_graph;

/*
 * Reads or generates a graph. Collective over the processes of `reduce`, which must outlive the graph; `name` and
 * `options` (may be null) must be the same on all. A name that begins with "rmat:", "uniform:" or "grid:" selects a
 * generator:
 *   rmat:SCALE:DEGREE     2^SCALE vertices, DEGREE * 2^SCALE edges (Graph500's
 *                         parameters, with vertices renamed at random)
 *   uniform:SCALE:DEGREE  the same with both ends uniform
 *   grid:WIDTH:HEIGHT     vertex y * WIDTH + x has edges to x + 1 and y + 1
 * Generators drop no edges unless the flags request it. Any other `name` is a file that all processes can open; each
 * reads a part of it (process 0 decompresses .gz files piecewise). Fewer than 2^32 vertices.
 */
int comm_graph_load(comm_reduce *reduce, const char *name, const comm_graph_options *options, comm_graph **graph);

/* Frees the graph. Local. Sets the handle to null. */
int comm_graph_free(comm_graph **graph);

/* Returns the error of the last failed comm_graph_load in this process, as "name:line: error: ..." or "name: error:
 * at byte 17: ...". */
const char *comm_graph_message(void);

/* Edges by owned vertex: the edges of vertex v are offsets[v] to offsets[v + 1]. */
typedef struct comm_graph_edges {
  const int64_t *offsets;    /* owned + 1 */
  const uint32_t *neighbors; /* local ids, ascending for each vertex: owned ones come first (but see
                                COMM_GRAPH_GLOBAL_ORDER) */
  const int32_t *weights;    /* null without COMM_GRAPH_WEIGHTS */
  const float *real_weights; /* null without COMM_GRAPH_REAL_WEIGHTS */
} comm_graph_edges;

/* The data for loops; valid until the graph is freed. */
typedef struct comm_graph_view {
  int64_t vertices, edges; /* of the whole graph; a pair of symmetric edges counts as two */
  int64_t first;           /* the global id of local vertex 0 */
  uint32_t owned, ghosts;
  int32_t rank, processes;
  int32_t is_symmetric;           /* if it is known to be: `in` equals `out` */
  int32_t partners;               /* number of processes that own ghosts */
  comm_graph_edges out, in;       /* `in` is all null unless requested */
  const int32_t *partner_ranks;   /* [partners] ascending */
  const uint32_t *partner_ghosts; /* [partners + 1] local ids of the ghosts that a partner owns, and their end */
  const int64_t *partner_first;   /* [partners] the global id of the partner's local vertex 0 */
  const uint32_t *ghost_index;    /* [ghosts] the local id at the owner */
  comm_copies *copies;            /* ghosts as copies of their owners' values (comm/reduce.h) */
  comm_reduce *reduce;
} comm_graph_view;
/* Returns the view. Local. */
int comm_graph_get_view(const comm_graph *graph, comm_graph_view *view);

/* Returns the index of the partner that owns a ghost. Local. */
static inline int comm_graph_partner(const comm_graph_view *view, uint32_t ghost) {
  int low = 0, high = view->partners;
  while (high - low > 1) {
    int middle = (low + high) / 2;
    if (view->partner_ghosts[middle] <= ghost)
      low = middle;
    else
      high = middle;
  }
  return low;
}

/* Returns the index of a process among the partners, or -1. Local. */
static inline int comm_graph_find_partner(const comm_graph_view *view, int rank) {
  int low = 0, high = view->partners;
  while (low < high) {
    int middle = (low + high) / 2;
    if (view->partner_ranks[middle] < rank)
      low = middle + 1;
    else
      high = middle;
  }
  return low < view->partners && view->partner_ranks[low] == rank ? low : -1;
}

/* Returns the process that owns a ghost. Local. */
static inline int comm_graph_owner(const comm_graph_view *view, uint32_t ghost) {
  return view->partner_ranks[comm_graph_partner(view, ghost)];
}

/* Returns the global id of an owned vertex or ghost. Local. */
static inline int64_t comm_graph_global(const comm_graph_view *view, uint32_t local) {
  return local < view->owned
             ? view->first + local
             : view->partner_first[comm_graph_partner(view, local)] + view->ghost_index[local - view->owned];
}

/* Returns the local id of a vertex that this process owns, or -1. Local. */
static inline int64_t comm_graph_local(const comm_graph_view *view, int64_t global) {
  return global >= view->first && global < view->first + (int64_t)view->owned ? global - view->first : -1;
}

/*
 * Restricts further exchanges to processes whose vertices are connected by edges (comm_reduce_set_peers). Collective.
 */
int comm_graph_restrict_peers(comm_graph *graph);

typedef struct comm_graph_info {
  int64_t vertices, edges;
  int64_t owned_min, owned_max; /* over the processes */
  int64_t edges_min, edges_max; /* out-edges */
  int64_t ghosts_min, ghosts_max, ghosts;
  int64_t cut_edges;           /* out-edges between processes */
  int64_t memory, memory_peak; /* bytes of all processes: for the graph, and the maximum while loading */
  double load_seconds;
} comm_graph_info;
/* Returns statistics of the partition, the same on all processes. Local. */
int comm_graph_get_info(const comm_graph *graph, comm_graph_info *info);

/* -------- Gathers -------- */

enum comm_gather_form {
  COMM_GATHER_AUTO = 0, /* tiles if the values exceed half of the L2 cache and neighbors are not close together */
  COMM_GATHER_ROWS = 1, /* uses the edges as they are */
  COMM_GATHER_TILES = 2 /* uses a copy of the edges, about 2.5 bytes each, sorted for the cache */
};

typedef struct comm_gather comm_gather;

/*
 * Prepares gathers over `edges` of `rows` vertices from neighbors less than `columns`, of values of `value_bytes`
 * bytes. The edges must outlive it. Costs about as much as two gathers. Local.
 */
int comm_gather_create(const comm_graph_edges *edges, uint32_t rows, uint32_t columns, size_t value_bytes, int form,
                       comm_gather **gather);
/* Frees the gather. Local. Sets the handle to null. */
int comm_gather_free(comm_gather **gather);

/*
 * Computes to[v] = op(to[v], from[u]) for each neighbor u of each row v. `type` and `op` are those of comm/reduce.h;
 * the operators are SUM, MIN and MAX. `to` has `rows` values, `from` has `columns`, and they do not overlap. The order
 * of floating-point sums differs from that of the edges, depends on the form, and is the same in each run. Local.
 */
int comm_gather_run(const comm_gather *gather, int type, int op, const void *from, void *to);
/*
 * Does the same in `parts` calls, with `part` from 0 on, in order: the results are bitwise the same as those of one
 * call. Between calls, a program may do something else. Local.
 */
int comm_gather_run_part(const comm_gather *gather, int type, int op, const void *from, void *to, int part, int parts);

/* Returns the memory that the gather takes, in bytes. Local. */
int64_t comm_gather_bytes(const comm_gather *gather);

#ifdef __cplusplus
}
#endif

#endif
