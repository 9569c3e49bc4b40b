// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The state of a compiled graph program (comm/graph_run.h).
#ifndef COMM_RUNTIME_GRAPH_RUN_RUN_H
#define COMM_RUNTIME_GRAPH_RUN_RUN_H

#include "comm/graph_run.h"

#include "Directory.h"
#include "Pages.h"
#include "Table.h"

#include <csetjmp>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

namespace comm::graphrun {

/* What ghosts have. `Bound` and `Identity` go with a kind of update. */
enum class Ghosts {
  Stale,    // anything
  Fresh,    // what their owners have
  Bound,    // what an update that changes nothing here would not change at the owner either
  Identity, // what combines to nothing
};

inline size_t sizeOf(int type) {
  return type == COMM_GRAPH_BOOL ? 1 : type == COMM_GRAPH_INT32 || type == COMM_GRAPH_FLOAT ? 4 : 8;
}
/* "i32", as messages name it. */
const char *nameOf(int type);

/* What the owner has sent of a property, to compare with. */
struct Sent {
  std::vector<char> values; // of comm_graph_run::lent
  bool isThere = false;
  int pause = 0, rest = 0; // refreshes without it, where most values change
};

struct Values : comm_graph_values {
  comm_graph_run *run = nullptr;
  int number = 0; // the same on all processes
  bool isEdges = false;
  int type = 0;
  int64_t owned = 0, size = 0; // without and with ghosts
  Ghosts ghosts = Ghosts::Fresh;
  int kind = 0; // of updates, for Bound and Identity
  // Nothing but refreshes has written to ghosts since the last one: known alike on all processes.
  bool isIntact = false;
  Sent sent;
  std::string name;
  Array<int64_t> memory;
  // What other processes have, while a sweep runs.
  Table cache;
  // Of truth values: `list` has at least all owned vertices that are true, unless they are many.
  bool isTracked = false, isListed = false;
  std::vector<uint32_t> list, visited;

  void add(int64_t local) {
    if (!isListed || local >= owned)
      return;
    list.push_back(static_cast<uint32_t>(local));
    // What changes often may be there often.
    if (list.size() > static_cast<size_t>(owned)) {
      isListed = false;
      list.clear();
    }
  }
  // While a loop runs that reads what was there at its beginning.
  const comm_graph_updates *changes = nullptr;

  /* The value as loops read it. */
  const char *readable(int64_t local) const {
    bool isOld = changes && changes->marks[local];
    return static_cast<const char *>(isOld ? changes->old : data) + static_cast<size_t>(local) * sizeOf(type);
  }

  char *at(int64_t local) const { return static_cast<char *>(data) + static_cast<size_t>(local) * sizeOf(type); }
  bool isFloat() const { return type == COMM_GRAPH_FLOAT || type == COMM_GRAPH_DOUBLE; }
};

struct Row : comm_graph_row {
  bool isThere = false;
  std::vector<int64_t> memory;
};

/* Updates that are exchanged while iterations go on: by process, bytes. */
struct Traveling {
  std::vector<int> counts[4]; // enum comm_graph_counts
  Array<int64_t> packed, arrived;
};

struct Updates : comm_graph_updates {
  comm_graph_run *run = nullptr;
  int kind = 0;
  Values *values = nullptr;
  std::vector<Values *> companions;
  const char *place = nullptr;
  std::vector<uint8_t> marked;
  std::vector<int64_t> oldMemory;
  std::vector<uint32_t> list; // of marked ones
  // Of vertices that are no ghosts, and edges: the slots of each, one after another.
  Table foreign;
  std::vector<int64_t> keys, slots;
  comm_reduce_lists *lists = nullptr;
  size_t recordBytes = 0;
  // What the flags in its kind say.
  bool sendsEach = false, leavesCopies = false, waits = false;
  // Updates of owned vertices and edges that wait: their places, and the slots of each.
  std::vector<int64_t> waitingPlaces, waitingSlots;
  bool isOfList = false; // indices are those of its elements; all updates are foreign ones
  Traveling traveling;

  size_t slotCount() const { return 1 + companions.size(); }
};

/* Edges of one kind, and what gathers over them. */
struct Part {
  std::vector<int64_t> offsets;
  std::vector<uint32_t> neighbors;
  comm_graph_edges edges = {};
  comm_gather *gather = nullptr;
};
/* Owned vertices' results, and the edges in the form that is fast for values of that size. */
struct Gathered {
  comm_gather *gather = nullptr;
  Part parts[2]; // where ghosts travel in the meantime: from owned vertices, from ghosts
  int kind = 0, type = 0;
  Array<int64_t> memory, packed, arrived;
};
/* Results begin with what combines to nothing. */
void fillIdentity(Gathered &gathered, int64_t owned, size_t bytes);
/* As comm/reduce.h numbers them. */
int reductionType(int type);
int reductionOp(int kind);

/* Of the ghosts of all properties. */
struct Exchange : comm_graph_exchange {
  int decision = -1; // not made yet
  int64_t lent = 0;
  std::vector<int> sendCounts, sendPlaces, recvCounts, recvPlaces;
};

struct Border : comm_graph_border {
  std::vector<uint8_t> marked;
  std::vector<uint32_t> list;
};

/* What the program has exchanged by itself, as this process has sent it. */
struct Travels {
  int64_t pulses = 0, messages = 0, bytes = 0;
};

/* Of each owned vertex the global ids of neighbors that follow it in an order. */
struct Followers {
  Array<uint64_t> keys; // of each local id its place in the order
  Array<int64_t> offsets;
  Array<uint32_t> vertices;
};

struct Relaxation;

struct Levels : comm_graph_levels {
  std::vector<uint32_t> order;
  std::vector<int64_t> starts;
};

/* An update that waits for its iteration to end. */
struct Deferred {
  Updates *updates;
  int64_t index;
  const char *place;
  size_t slots; // the first one in `deferredSlots`
};
/* What is asked of another process: the number of values, or what a negative number stands for; and the index. */
struct Wanted {
  int object;
  int64_t index, iteration;
  bool operator<(const Wanted &other) const {
    return std::tie(iteration, object, index) < std::tie(other.iteration, other.object, other.index);
  }
};
/* Bytes that an iteration changed, or a list that has one entry more. */
struct LogEntry {
  static constexpr int64_t Listed = -1;
  char *bytes;
  int64_t count;
  char old[8];
};

/* The identity of an update on a type, in a slot. */
int64_t identityOf(int kind, int type);
/* Combines what is at `from` into `to`. Negative: nothing changed; 0: the same value came again; positive: it changed.
 * `updates` says where, if the result is out of range. */
int combine(const Updates &updates, int kind, void *to, const void *from);
/* What another process has combined: the value and those of companions, packed, move `from` on. */
void applySent(Updates &updates, int64_t place, const char *&from);
/* Ghosts are ready for the next loop. */
void releaseGhosts(Updates &updates);
/* All updates have arrived. */
void endUpdates(Updates &updates);
/* Of two values of a type: negative, zero or positive. */
int compareValues(int type, const void *a, const void *b);
/* Gives ghosts what updates of a kind may start from. */
void prepareGhosts(Values &values, int kind);
double numberOf(int type, const void *value);

} // namespace comm::graphrun

struct comm_graph_run {
  comm_graph_view view = {};
  comm_graph_topology topology = {};
  MPI_Comm comm = MPI_COMM_NULL;
  comm::graphrun::Array<uint32_t> globals;
  comm::graphrun::Directory vertexOwners, edgeOwners;
  // By site and use; ordered, so that all processes go through them alike.
  std::map<std::pair<int64_t, int64_t>, std::unique_ptr<comm::graphrun::Values>> values;
  std::vector<comm::graphrun::Values *> byNumber;
  std::map<int64_t, std::unique_ptr<comm::graphrun::Updates>> updates;
  std::map<int64_t, std::unique_ptr<comm::graphrun::Levels>> levels;
  std::map<int64_t, std::unique_ptr<comm::graphrun::Relaxation>> relaxations;
  std::map<int64_t, comm::graphrun::Gathered> gathers;
  std::map<int64_t, comm::graphrun::Row> shared;
  // Of functions that call themselves: rows of loops that calls have left open, and where the stack began.
  std::vector<std::unique_ptr<comm::graphrun::Row>> kept;
  const char *stackBegin = nullptr;
  size_t stackBytes = 0;
  comm::graphrun::Followers followers;
  comm::graphrun::Exchange exchange = {};
  int updatesTravel = -1; // not decided yet
  comm::graphrun::Travels travels;
  comm::graphrun::Border border = {};
  // Places of the values that others have copies of, each once, and a bit for each value that changed.
  std::vector<uint32_t> lent;
  std::vector<uint64_t> changedBits;

  // The sweep that runs.
  bool sweeping = false, probes = false, caches = false, missed = false;
  jmp_buf leave;
  std::vector<comm::graphrun::LogEntry> log;
  std::vector<comm::graphrun::Deferred> deferred;
  std::vector<int64_t> deferredSlots;
  int64_t current = -1;
  // What is asked for next, and what was asked for last.
  std::vector<comm::graphrun::Wanted> requests, asked;
  // Without a cache: what iterations that wait have got.
  std::map<comm::graphrun::Wanted, comm::graphrun::Table::Entry> own;
  comm::graphrun::Table rowTable[2], endpointTable[2];
  std::vector<std::unique_ptr<comm::graphrun::Row>> rows[2];
  int64_t rowBytes = 0;
  comm_reduce_lists *requestLists = nullptr, *replyLists = nullptr, *rowLists = nullptr;
  int64_t sweepRounds = 0, fetched = 0;

  bool owns(int64_t vertex) const { return vertex >= topology.first && vertex < topology.first + topology.owned; }
  bool ownsEdge(int64_t edge) const {
    return edge >= topology.first_edge && edge < topology.first_edge + topology.out_offsets[topology.owned];
  }
  /* The local id of an owned vertex or a ghost, or -1. */
  int64_t toLocal(int64_t vertex) const;

  comm_graph_run();
  comm_graph_run(const comm_graph_run &) = delete;
  ~comm_graph_run();
};

namespace comm::graphrun {

/* Makes the state of a run; collective. */
std::unique_ptr<comm_graph_run> makeRun(const comm_graph *graph);
/* Stops all processes, or leaves an iteration that goes by values that are not there. */
[[noreturn]] void stop(comm_graph_run *run, const char *place, const std::string &message);
void check(comm_graph_run *run, int result, const char *what);
/* Calls `fn(p, places, count)` for each process p that has copies of values from here, with the places of these. It may
 * own no ghost of this process: `view.partners` are those that do. */
template <typename Function> void forEachLent(const comm_graph_view &view, Function fn) {
  for (int p = 0; p < view.processes; ++p) {
    const uint32_t *places;
    int64_t count;
    comm_copies_lent(view.copies, p, &places, &count);
    if (count)
      fn(p, places, count);
  }
}
/* Of vertices or edges of any process, who has them. Collective. */
std::vector<Range> findOwners(comm_graph_run *run, bool isEdges, const std::vector<int64_t> &indices);
/* Stops if the graph does not have it. */
void checkIndex(comm_graph_run *run, bool isEdge, int64_t index, const char *place);
/* `given`: values that are there and that nobody writes; null makes an array. */
Values *makeValues(comm_graph_run *run, int64_t site, int64_t use, bool isEdges, int type, const char *name,
                   const void *given = nullptr);
/* Does it now. */
void apply(Updates &updates, int64_t index, const int64_t *slots, const char *place);
/* Keeps it, combined with others of the index, until the loop ends. */
void applyElsewhere(Updates &updates, int64_t index, const int64_t *slots);
int64_t findOwnEdge(const comm_graph_run *run, int64_t source, int64_t target);

} // namespace comm::graphrun

#endif
