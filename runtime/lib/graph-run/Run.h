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

/* The contents of ghosts. `Bound` and `Identity` depend on the kind of update. */
enum class Ghosts {
  Stale,    // undefined
  Fresh,    // the values of their owners
  Bound,    // values such that an update without effect here would have no effect at the owner either
  Identity, // the identity of the combination
};

inline size_t sizeOf(int type) {
  return type == COMM_GRAPH_BOOL ? 1 : type == COMM_GRAPH_INT32 || type == COMM_GRAPH_FLOAT ? 4 : 8;
}
/* Returns the type's name in messages, e.g. "i32". */
const char *nameOf(int type);

/* The values of a property that the owner has sent, for comparison. */
struct Sent {
  std::vector<char> values; // in the order of comm_graph_run::lent
  bool isThere = false;
  int pause = 0, rest = 0; // refreshes without the comparison, if most values change
};

struct Values : comm_graph_values {
  comm_graph_run *run = nullptr;
  int number = 0; // equal on all processes
  bool isEdges = false;
  int type = 0;
  int64_t owned = 0, size = 0; // without and with ghosts
  Ghosts ghosts = Ghosts::Fresh;
  int kind = 0; // kind of updates, for Bound and Identity
  // True if only refreshes have written to ghosts since the last one. Equal on all processes.
  bool isIntact = false;
  Sent sent;
  std::string name;
  Array<int64_t> memory;
  // Values of other processes during a sweep.
  Table cache;
  // For truth values: `list` contains all owned vertices that are true (and possibly others), unless there are too
  // many.
  bool isTracked = false, isListed = false;
  std::vector<uint32_t> list, visited;

  void add(int64_t local) {
    if (!isListed || local >= owned)
      return;
    list.push_back(static_cast<uint32_t>(local));
    // A vertex that changes often may occur often.
    if (list.size() > static_cast<size_t>(owned)) {
      isListed = false;
      list.clear();
    }
  }
  // Set while a loop runs that reads the values from its beginning.
  const comm_graph_updates *changes = nullptr;

  /* Returns the value that loops read. */
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

/* Updates or ghosts that are exchanged during iterations, in bytes per process. */
struct Traveling {
  std::vector<int> counts[4]; // enum comm_graph_counts
  Array<int64_t> packed, arrived;
  std::vector<uint32_t> ghosts, positions; // the updated ghosts, ascending; some of them
};

/* A property whose ghosts are exchanged together with those of others (Ghosts.cpp). */
struct Bundled {
  Values *values = nullptr;
  bool isSent = false;  // or its ghosts are up to date
  bool hasBits = false; // only these values are sent, by place
  std::vector<uint64_t> bits;
};

struct Updates : comm_graph_updates {
  comm_graph_run *run = nullptr;
  int kind = 0;
  Values *values = nullptr;
  std::vector<Values *> companions;
  const char *place = nullptr;
  std::vector<uint8_t> marked;
  std::vector<int64_t> oldMemory;
  std::vector<uint32_t> list; // marked places
  // For vertices that are not ghosts, and for edges: the slots of each, one after another.
  Table foreign;
  std::vector<int64_t> keys, slots;
  comm_reduce_lists *lists = nullptr;
  size_t recordBytes = 0;
  // Flags in the kind.
  bool sendsEach = false, leavesCopies = false, waits = false;
  // Waiting updates of owned vertices and edges: their places, and the slots of each.
  std::vector<int64_t> waitingPlaces, waitingSlots;
  bool isOfList = false; // indices are those of list elements; all updates are foreign
  Traveling traveling;

  size_t slotCount() const { return 1 + companions.size(); }
};

/* Edges of one kind, with the gather over them. */
struct Part {
  std::vector<int64_t> offsets;
  std::vector<uint32_t> neighbors;
  comm_graph_edges edges = {};
  comm_gather *gather = nullptr;
};
/* Results for owned vertices, and the edges in the form that is fast for values of that size. */
struct Gathered {
  comm_gather *gather = nullptr;
  Part parts[2]; // if the exchange of ghosts is overlapped: edges from owned vertices, edges from ghosts
  int kind = 0, type = 0;
  Array<int64_t> memory, packed, arrived;
};
/* Initializes the results with the identity. */
void fillIdentity(Gathered &gathered, int64_t owned, size_t bytes);
/* Return the numbers of comm/reduce.h. */
int reductionType(int type);
int reductionOp(int kind);

/* The exchange of the ghosts of all properties. */
struct Exchange : comm_graph_exchange {
  int decision = -1; // not made yet
  std::vector<int> sendCounts, sendPlaces, recvCounts, recvPlaces;
};

struct Border : comm_graph_border {
  std::vector<uint8_t> marked;
  std::vector<uint32_t> list;
};

/* The exchanges that the program performed itself, as sent by this process. */
struct Travels {
  int64_t pulses = 0, messages = 0, bytes = 0;
  double seconds = 0, since = 0; // of waiting; since when the program waits, or 0
};

/* The window into which other processes put values and updates (Window.cpp). */
struct Window {
  /* Where one other process expects what this one puts. */
  struct Target {
    int64_t rank;
    int64_t place, half; // bytes from the start of a half, and of a half
  };
  bool isWanted = false, isOpen = false;
  std::string whyNot; // why there is none, although the program wants one
  char *memory = nullptr;
  int64_t groups = 0, updateBytes = 0, valueBytes = 0; // the most that pulses have
  int64_t bytes = 0;                                   // of the window; 0: there is none
  int64_t half = 0;                                    // bytes of a half
  uint64_t round = 0; // the number of the pulse, from 1; its lowest bit selects the half
  // By partner, whose values this process has copies of: where to put updates of them, and where their values arrive.
  std::vector<Target> owners;
  std::vector<int64_t> valueSlots;
  // By process that has copies of this one's values, ascending: where to put values, and where updates arrive.
  std::vector<Target> borrowers;
  std::vector<int64_t> updateSlots;
  Array<int64_t> packed;
  std::vector<comm_graph_put> list;
  comm_graph_puts puts = {};
};

/* For each owned vertex, the global ids of neighbors that follow it in an order. */
struct Followers {
  Array<uint64_t> keys; // position of each local id in the order
  Array<int64_t> offsets;
  Array<uint32_t> vertices;
};

struct Relaxation;

struct Levels : comm_graph_levels {
  std::vector<uint32_t> order;
  std::vector<int64_t> starts;
};

/* An update that waits for the end of its iteration. */
struct Deferred {
  Updates *updates;
  int64_t index;
  const char *place;
  size_t slots; // index of the first one in `deferredSlots`
};
/* A request to another process: the number of values, or a negative number of enum Ask; and the index. */
struct Wanted {
  int object;
  int64_t index, iteration;
  bool operator<(const Wanted &other) const {
    return std::tie(iteration, object, index) < std::tie(other.iteration, other.object, other.index);
  }
};
/* Bytes that an iteration changed, or a list to which it added an entry. */
struct LogEntry {
  static constexpr int64_t Listed = -1;
  char *bytes;
  int64_t count;
  char old[8];
};

/* Returns the identity of an update on a type, as a slot. */
int64_t identityOf(int kind, int type);
/* Combines the value at `from` into `to`. Returns a negative number if nothing changed, 0 if the value was the same,
 * and a positive one if it changed. `updates` provides the location for an error if the result is out of range. */
int combine(const Updates &updates, int kind, void *to, const void *from);
/* Applies the packed value of another process and those of companions. Advances `from`. */
void applySent(Updates &updates, int64_t place, const char *&from);
/* When a search pulls: its vertices have more than the first fraction of the edges that are left, and more than the
 * second one of all vertices (Beamer, Asanovic and Patterson, SC 2012). */
constexpr int64_t Alpha = 15, Beta = 18;
/* Maximum size of one update: a place, a value, 15 companions. */
constexpr int64_t MostUpdateBytes = 4 + 16 * 8;
/* Finds the updated ghosts, in ascending order, which is that of partners. */
void sortUpdates(Updates &updates);
/* Returns the most bytes that the updates of a partner's vertices take. */
size_t mostBytes(const Updates &updates, int partner);
/* Writes the updates of a partner's vertices as one part (comm/reduce.h), after sortUpdates. Returns its bytes: 0 if
 * there are none. */
size_t writeUpdates(Updates &updates, int partner, char *to);
/* Applies such a part in the process that has lent the `count` values in these `places`. */
void applyArrived(Updates &updates, const uint32_t *places, int64_t count, const char *from);
/* Places what arrives from each process after that of the one before, and returns the memory for it. */
void *placeArrivals(Traveling &traveling, const int *recvCounts);
/* Ghosts of several properties (Ghosts.cpp): decides which and how many are sent; the most bytes for a process that has
 * copies of `count` values, and what is written for it (0: nothing); what has arrived from a partner; the end. */
void beginBundles(comm_graph_run *run, int64_t count, comm_graph_values *const *handles, bool onlyChanges);
size_t mostBundleBytes(const comm_graph_run *run, int64_t count);
size_t writeBundle(comm_graph_run *run, const uint32_t *places, int64_t count, char *to);
void readBundle(comm_graph_run *run, int partner, const char *from);
void endBundles(comm_graph_run *run);
/* Decides what a refresh of a property that is refreshed repeatedly sends: returns true if only the values whose bits
 * are set in comm_graph_run::changedBits, which the caller clears. */
bool findChanges(Values &values);
/* Prepares ghosts for the next loop. */
void releaseGhosts(Updates &updates);
/* Ends a loop's updates, all of which have arrived. */
void endUpdates(Updates &updates);
/* Compares two values of a type: returns a negative number, zero or a positive one. */
int compareValues(int type, const void *a, const void *b);
/* Gives ghosts values from which updates of a kind can start. */
void prepareGhosts(Values &values, int kind);
double numberOf(int type, const void *value);

} // namespace comm::graphrun

struct comm_graph_run {
  comm_graph_view view = {};
  comm_graph_topology topology = {};
  MPI_Comm comm = MPI_COMM_NULL;
  comm::graphrun::Array<uint32_t> globals;
  comm::graphrun::Directory vertexOwners, edgeOwners;
  // By site and use; ordered, so that all processes visit them in the same order.
  std::map<std::pair<int64_t, int64_t>, std::unique_ptr<comm::graphrun::Values>> values;
  std::vector<comm::graphrun::Values *> byNumber;
  std::map<int64_t, std::unique_ptr<comm::graphrun::Updates>> updates;
  std::map<int64_t, std::unique_ptr<comm::graphrun::Levels>> levels;
  std::map<int64_t, std::unique_ptr<comm::graphrun::Relaxation>> relaxations;
  std::map<int64_t, comm::graphrun::Gathered> gathers;
  std::map<int64_t, comm::graphrun::Row> shared;
  // For recursive functions: rows of loops that calls have left open, and the start of the stack.
  std::vector<std::unique_ptr<comm::graphrun::Row>> kept;
  const char *stackBegin = nullptr;
  size_t stackBytes = 0;
  comm::graphrun::Followers followers;
  comm::graphrun::Exchange exchange = {};
  int updatesTravel = -1;         // not decided yet
  int64_t mostBorder = INT64_MAX; // ghosts, or values that others have copies of, of the process that has most
  // The exchange of ghosts that the program makes, and whether its bytes depend on what changed.
  std::vector<comm::graphrun::Bundled> bundled;
  comm::graphrun::Traveling ghosts;
  bool bundlesVary = false;
  comm::graphrun::Travels travels;
  comm::graphrun::Window window;
  comm::graphrun::Border border = {};
  // Places of the values that others have copies of, each once, and a bit for each changed value.
  std::vector<uint32_t> lent;
  std::vector<uint64_t> changedBits;

  // The current sweep.
  bool sweeping = false, probes = false, caches = false, missed = false;
  jmp_buf leave;
  std::vector<comm::graphrun::LogEntry> log;
  std::vector<comm::graphrun::Deferred> deferred;
  std::vector<int64_t> deferredSlots;
  int64_t current = -1;
  // The next requests, and the last ones.
  std::vector<comm::graphrun::Wanted> requests, asked;
  // Without a cache: data that waiting iterations have received.
  std::map<comm::graphrun::Wanted, comm::graphrun::Table::Entry> own;
  comm::graphrun::Table rowTable[2], endpointTable[2];
  std::vector<std::unique_ptr<comm::graphrun::Row>> rows[2];
  int64_t rowBytes = 0;
  comm_reduce_lists *requestLists = nullptr, *replyLists = nullptr, *rowLists = nullptr;
  int64_t sweepRounds = 0, fetched = 0;
  int64_t pulledLevels = 0; // levels found by vertices that looked for a neighbor in the level before

  bool owns(int64_t vertex) const { return vertex >= topology.first && vertex < topology.first + topology.owned; }
  bool ownsEdge(int64_t edge) const {
    return edge >= topology.first_edge && edge < topology.first_edge + topology.out_offsets[topology.owned];
  }
  /* Returns the local id of an owned vertex or a ghost, or -1. */
  int64_t toLocal(int64_t vertex) const;

  comm_graph_run();
  comm_graph_run(const comm_graph_run &) = delete;
  ~comm_graph_run();
};

namespace comm::graphrun {

/* Makes the state of a run. Collective. */
std::unique_ptr<comm_graph_run> makeRun(const comm_graph *graph);
/* Stops all processes, or leaves an iteration that uses missing values. */
[[noreturn]] void stop(comm_graph_run *run, const char *place, const std::string &message);
void check(comm_graph_run *run, int result, const char *what);
/* Calls `fn(p, places, count)` for each process p that has copies of this process's values, with their places. Such a
 * process need not own ghosts of this one, unlike those in `view.partners`. */
template <typename Function> void forEachLent(const comm_graph_view &view, Function fn) {
  const uint32_t *places;
  int64_t count;
  for (int p = -1; (p = comm_copies_next_borrower(view.copies, p, &places, &count)) >= 0;)
    fn(p, places, count);
}
/* Returns the owners of vertices or edges of any process. Collective. */
std::vector<Range> findOwners(comm_graph_run *run, bool isEdges, const std::vector<int64_t> &indices);
/* Stops if the graph does not have the vertex or edge. */
void checkIndex(comm_graph_run *run, bool isEdge, int64_t index, const char *place);
/* Makes values. `given` is an existing read-only array; if it is null, one is allocated. */
Values *makeValues(comm_graph_run *run, int64_t site, int64_t use, bool isEdges, int type, const char *name,
                   const void *given = nullptr);
/* Applies an update immediately. */
void apply(Updates &updates, int64_t index, const int64_t *slots, const char *place);
/* Keeps an update, combined with others of the same index, until the loop ends. */
void applyElsewhere(Updates &updates, int64_t index, const int64_t *slots);
int64_t findOwnEdge(const comm_graph_run *run, int64_t source, int64_t target);

} // namespace comm::graphrun

#endif
