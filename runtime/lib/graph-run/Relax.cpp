// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fixed points that can be computed in any order. A process repeats its local work before it sends anything; it sends
// the last values of the ghosts that improved. With priority, values are processed in the order of buckets (delta
// stepping; Meyer and Sanders, 2003). If all changed vertices have one value and many edges, vertices with worse values
// look for a changed neighbor (Beamer, Asanovic and Patterson, SC 2012).
#include "Relax.h"

#include "Endless.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

using namespace comm::graphrun;

namespace {

constexpr int64_t Samples = 64; // parts, and edges of each part
constexpr size_t BatchSize = 4096;
// A process follows about this many edges in the time of a few exchanges.
constexpr int64_t FewEdges = 16384;
// This many consecutive pulses with few edges mean a long path, not the beginning or end of a short one.
constexpr int ManyPulses = 8;
// How far a process runs ahead of the others.
constexpr int64_t MostBuckets = 1024;

/* How far ahead of its turn the data of a vertex is fetched, in entries of the list: vertices are anywhere in memory.
 */
constexpr int Ahead = 16;

/* The functions that the compiler generated. */
struct Code {
  comm_graph_push *push;
  void *pushFrame;
  comm_graph_pull *pull; // may be null
  void *pullFrame;
};

/* The computation for keys of one type and order. */
template <typename Key, bool IsMax, bool HasRounds> class Driver {
public:
  Driver(Relaxation &relaxation, const Code &code, Endless &endless)
      : relaxation(relaxation), run(relaxation.run), view(run->view), code(code), endless(endless),
        data(static_cast<Key *>(relaxation.data)) {}

  void relax() {
    begin();
    isStart = true;
    int64_t bucket = agree(nullptr);
    for (int64_t pulse = 0; bucket != Buckets::None; ++pulse) {
      // A pulse processes everything that waits, so the last improvement has come over as many edges as there were
      // pulses before.
      if (!relaxation.has(COMM_GRAPH_RELAX_PRIORITY))
        endless.lookAtLength(pulse - 1, run->topology.vertices);
      taken = 0;
      scout = 0;
      first = INT64_MAX;
      last = INT64_MIN;
      if (runsAhead) {
        emptySome(bucket);
        bucket = agree(relaxation.lists);
        continue;
      }
      moveTo(bucket);
      older = relaxation.buckets.waiting - static_cast<int64_t>(relaxation.buckets.front().size());
      if (isPulled) {
        pullWhileLarge();
        fewInRow = 0;
        bucket = agree(nullptr);
        continue;
      }
      empty();
      bucket = agree(relaxation.lists);
    }
  }

private:
  static bool isBetter(Key a, Key b) { return IsMax ? b < a : a < b; }
  /* Returns a number that ascends from better to worse keys. */
  static int64_t orderOf(Key key) {
    if constexpr (std::numeric_limits<Key>::is_integer)
      return IsMax ? ~static_cast<int64_t>(key) : static_cast<int64_t>(key);
    return 0;
  }
  static int64_t valueOrderOf(Key key) { return orderOf(key) >> (HasRounds ? 32 : 0); }
  /* Stays away from the limits of the type, so that differences do not overflow. */
  static int64_t clampBucket(int64_t bucket) {
    constexpr int64_t most = int64_t(1) << 61;
    return std::clamp(bucket, -most, most);
  }
  int64_t bucketOf(uint32_t v) const {
    if (!relaxation.has(COMM_GRAPH_RELAX_PRIORITY))
      return 0;
    if constexpr (std::numeric_limits<Key>::is_integer)
      return clampBucket(orderOf(data[v]) >> (relaxation.shift + (HasRounds ? 32 : 0)));
    double number =
        std::floor((IsMax ? -static_cast<double>(data[v]) : static_cast<double>(data[v])) * relaxation.scale);
    constexpr double most = 0x1p61;
    return number != number ? 0 : static_cast<int64_t>(std::clamp(number, -most, most));
  }
  int64_t degreeOf(uint32_t v) const { return run->topology.out_offsets[v + 1] - run->topology.out_offsets[v]; }

  /* Returns the bucket. */
  int64_t enqueue(uint32_t v) {
    int64_t bucket = bucketOf(v);
    endless.look(valueOrderOf(data[v]));
    if constexpr (HasRounds)
      endless.lookAtLength(static_cast<uint32_t>(data[v]), run->topology.vertices);
    relaxation.buckets.add(v, bucket);
    return bucket;
  }
  void add(uint32_t v) {
    enqueue(v);
    if (code.pull) {
      scout += degreeOf(v);
      note(v);
    }
  }
  /* Tracks the least and greatest key that this pulse adds or sends. */
  void note(uint32_t v) {
    int64_t key = orderOf(data[v]);
    // The worst possible key looks like no key, so it is not pulled.
    if (key == INT64_MAX) {
      --key;
      ++older;
    }
    first = std::min(first, key);
    last = std::max(last, key);
  }

  void begin() {
    unexplored = run->topology.edges;
    const auto *active = static_cast<const uint8_t *>(relaxation.active->data);
    auto start = [&](uint32_t v) {
      relaxation.marks[v] = 1;
      if (std::numeric_limits<Key>::is_integer)
        endless.start(valueOrderOf(data[v]));
      add(v);
    };
    if (relaxation.active->isListed) {
      for (uint32_t v : relaxation.active->list)
        if (active[v] && !relaxation.marks[v])
          start(v);
    } else {
      for (uint32_t v = 0; v < view.owned; ++v)
        if (active[v])
          start(v);
    }
  }

  /* Moves improved vertices to their buckets, or to the ghosts to send. */
  void drain() {
    for (int64_t i = 0; i < relaxation.count; ++i) {
      uint32_t v = relaxation.improved[i];
      if (i + Ahead < relaxation.count) {
        uint32_t soon = relaxation.improved[i + Ahead];
        __builtin_prefetch(&relaxation.marks[soon], 1);
        if (code.pull && soon < view.owned)
          __builtin_prefetch(&run->topology.out_offsets[soon]);
      }
      uint8_t &mark = relaxation.marks[v];
      if (v < view.owned) {
        mark &= 1;
        if (mark)
          add(v);
        continue;
      }
      mark = 0;
      if (relaxation.has(COMM_GRAPH_RELAX_EACH)) {
        send(v);
        continue;
      }
      uint64_t &word = relaxation.isTouched[(v - view.owned) / 64], bit = uint64_t(1) << ((v - view.owned) % 64);
      if (!(word & bit)) {
        word |= bit;
        relaxation.touched.push_back(v);
      }
    }
    relaxation.count = 0;
  }

  /* Processes the common bucket, including vertices that fall into it again. */
  void empty() {
    std::vector<uint32_t> &slot = relaxation.buckets.front(), &batch = relaxation.batch;
    for (int64_t pass = 0; !slot.empty() && !endless.asks(); ++pass) {
      // Improvements of a pass have come from owned vertices over as many edges as there were passes.
      if (std::numeric_limits<Key>::is_integer)
        endless.lookAtLength(pass, view.owned);
      batch.swap(slot);
      relaxation.buckets.waiting -= static_cast<int64_t>(batch.size());
      taken += static_cast<int64_t>(batch.size());
      const size_t most = relaxation.has(COMM_GRAPH_RELAX_EACH) ? 1 : BatchSize;
      for (size_t at = 0; at < batch.size(); at += most) {
        code.push(&relaxation, code.pushFrame, batch.data() + at,
                  static_cast<int64_t>(std::min(most, batch.size() - at)));
        drain();
      }
      batch.clear();
    }
  }

  int64_t firstBucket() const {
    return relaxation.buckets.first([&](uint32_t v) { return bucketOf(v); });
  }
  void moveTo(int64_t bucket) {
    relaxation.buckets.moveTo(bucket, [&](uint32_t v) { return bucketOf(v); });
    heardBucket = Buckets::None;
  }

  int64_t meanDegree() const { return run->topology.edges / (run->topology.vertices + 1) + 1; }

  /* The process advances through its own buckets and receives from the others after some edges. */
  void emptySome(int64_t bucket) {
    // New values may precede the buckets that are done.
    if (heardBucket < relaxation.buckets.current)
      moveTo(heardBucket);
    while (taken * meanDegree() < FewEdges && !endless.asks()) {
      int64_t next = firstBucket();
      if (next > bucket + MostBuckets)
        break;
      moveTo(next);
      empty();
    }
    // The keys differ.
    older = 1;
  }

  /* On long paths with few edges in each pulse (grids, roads), exchanges take longer than the work between them. */
  void chooseWhetherAhead(int64_t takenByAll) {
    const int64_t edges = takenByAll * meanDegree(), few = FewEdges * view.processes;
    fewInRow = edges < few ? fewInRow + 1 : 0;
    runsAhead = runsAhead ? edges < 4 * few : fewInRow > ManyPulses;
  }

  /* Values that are sent take part in the choice of the next bucket. */
  void send(uint32_t v) {
    sentBucket = std::min(sentBucket, bucketOf(v));
    scout += meanDegree();
    note(v);
    append(v);
    if (!relaxation.has(COMM_GRAPH_RELAX_FORGETS))
      return;
    using Limits = std::numeric_limits<Key>;
    if constexpr (Limits::has_infinity)
      data[v] = IsMax ? -Limits::infinity() : Limits::infinity();
    else
      data[v] = IsMax ? Limits::lowest() : Limits::max();
  }

  void append(uint32_t ghost) {
    char *record = static_cast<char *>(comm_reduce_append(relaxation.lists, comm_graph_owner(&view, ghost)));
    memcpy(record, &view.ghost_index[ghost - view.owned], 4);
    memcpy(record + 4, &data[ghost], sizeof(Key));
    record += 4 + sizeof(Key);
    for (const Values *companion : relaxation.companions) {
      size_t size = sizeOf(companion->type);
      memcpy(record, companion->at(ghost), size);
      record += size;
    }
  }

  static void hear(void *context, int, const void *records, size_t count) {
    auto &driver = *static_cast<Driver *>(context);
    Relaxation &relaxation = driver.relaxation;
    const char *record = static_cast<const char *>(records);
    for (size_t n = 0; n < count; ++n, record += relaxation.recordBytes) {
      uint32_t v;
      if (n + Ahead < count) {
        memcpy(&v, record + Ahead * relaxation.recordBytes, 4);
        __builtin_prefetch(&driver.data[v], 1);
        __builtin_prefetch(&relaxation.marks[v], 1);
      }
      Key key;
      memcpy(&v, record, 4);
      memcpy(&key, record + 4, sizeof key);
      const char *companions = record + 4 + sizeof key;
      bool isGood = isBetter(key, driver.data[v]);
      if (isGood) {
        driver.data[v] = key;
        relaxation.marks[v] = 1;
        // Its sender has counted its edges.
        driver.heardBucket = std::min(driver.heardBucket, driver.enqueue(v));
      }
      if (isGood || (HasRounds && key == driver.data[v] && driver.isLess(v, companions)))
        driver.setCompanions(v, companions);
    }
  }
  bool isLess(uint32_t v, const char *given) const {
    for (const Values *companion : relaxation.companions) {
      if (int order = compareValues(companion->type, given, companion->at(v)))
        return order < 0;
      given += sizeOf(companion->type);
    }
    return false;
  }
  void setCompanions(uint32_t v, const char *given) {
    for (const Values *companion : relaxation.companions) {
      size_t size = sizeOf(companion->type);
      memcpy(companion->at(v), given, size);
      given += size;
    }
  }

  /* Sends new values of ghosts, if there are lists, and agrees on the next bucket. The sent values take part in that,
   * so one exchange is enough. */
  int64_t agree(comm_reduce_lists *lists) {
    const int shift = relaxation.shift + (HasRounds ? 32 : 0);
    int64_t bucket = firstBucket();
    if (lists) {
      const std::vector<uint32_t> &touched = relaxation.touched;
      for (size_t i = 0; i < touched.size(); ++i) {
        if (i + Ahead < touched.size()) {
          uint32_t soon = touched[i + Ahead];
          __builtin_prefetch(&data[soon], 1);
          __builtin_prefetch(&view.ghost_index[soon - view.owned]);
        }
        relaxation.isTouched[(touched[i] - view.owned) / 64] = 0;
        send(touched[i]);
      }
      relaxation.touched.clear();
      bucket = std::min(bucket, std::exchange(sentBucket, Buckets::None));
    }
    comm_reduce_votes votes = {};
    votes.min[0] = bucket;
    votes.max[0] = last;
    // With a pull, the least key determines the bucket as well. Vertices that were added to several buckets may be
    // done.
    if (code.pull && bucket != Buckets::None) {
      auto least = static_cast<int64_t>(static_cast<uint64_t>(bucket) << shift);
      votes.min[0] = runsAhead ? least : older ? std::min(first, least) : first;
    }
    votes.sum[0] = scout;
    votes.sum[1] = older;
    votes.sum[2] = taken;
    votes.real_max[0] = isStart ? endless.startVote() : endless.asks();
    check(run, lists ? comm_reduce_deliver(lists, hear, this, &votes) : comm_reduce_vote(view.reduce, &votes),
          lists ? "comm_reduce_deliver" : "comm_reduce_vote");
    if (std::exchange(isStart, false))
      endless.setStart(votes.real_max[0]);
    else if (votes.real_max[0] > 0)
      endless.findLimit();
    if (relaxation.has(COMM_GRAPH_RELAX_PRIORITY))
      chooseWhetherAhead(votes.sum[2]);
    isPulled = false;
    if (!code.pull || votes.min[0] == Buckets::None)
      return votes.min[0];
    // Pull if all waiting vertices have one key and many edges.
    // A pull inspects all vertices, so few edges do not justify it even if they are the last ones.
    int64_t enough = std::max(unexplored / Alpha, run->topology.vertices / Beta);
    isPulled = !votes.sum[1] && votes.min[0] == votes.max[0] && votes.sum[0] > enough;
    unexplored -= votes.sum[0];
    value = votes.min[0];
    return relaxation.has(COMM_GRAPH_RELAX_PRIORITY) ? clampBucket(value >> shift) : 0;
  }

  void setBits(std::vector<uint64_t> &bits, const uint32_t *vertices, size_t count) {
    bits.assign((static_cast<size_t>(view.owned) + view.ghosts) / 64 + 1, 0);
    for (size_t i = 0; i < count; ++i)
      bits[vertices[i] / 64] |= uint64_t(1) << (vertices[i] % 64);
  }

  /* Pulls while many vertices change. All waiting vertices have the key `value`. */
  void pullWhileLarge() {
    std::vector<uint32_t> &slot = relaxation.buckets.front();
    slot.erase(std::remove_if(slot.begin(), slot.end(),
                              [&](uint32_t v) { return !std::exchange(relaxation.marks[v], uint8_t(0)); }),
               slot.end());
    setBits(relaxation.front, slot.data(), slot.size());
    slot.clear();
    relaxation.buckets.waiting = 0;
    check(run, comm_copies_refresh_bits(view.copies, relaxation.front.data(), nullptr), "comm_copies_refresh_bits");
    Key key = static_cast<Key>(IsMax ? ~value : value);
    int64_t awake = 0, before;
    do {
      before = awake;
      relaxation.count = 0;
      code.pull(&relaxation, code.pullFrame, relaxation.front.data(), static_cast<int64_t>(key));
      key = static_cast<Key>(relaxation.told);
      // All processes have the same key, and hence the same answer.
      if (endless.asksFor(valueOrderOf(key)))
        endless.findLimit();
      endless.look(valueOrderOf(key));
      setBits(relaxation.next, relaxation.improved, static_cast<size_t>(relaxation.count));
      comm_reduce_votes votes = {};
      votes.sum[0] = relaxation.count;
      check(run, comm_copies_refresh_bits(view.copies, relaxation.next.data(), &votes), "comm_copies_refresh_bits");
      awake = votes.sum[0];
      relaxation.front.swap(relaxation.next);
      // Ghosts keep the new value, so that it is not sent to them.
      for (size_t word = view.owned / 64; word < relaxation.front.size(); ++word)
        for (uint64_t bits = relaxation.front[word]; bits; bits &= bits - 1) {
          size_t v = word * 64 + static_cast<size_t>(__builtin_ctzll(bits));
          if (v >= view.owned && isBetter(key, data[v]))
            data[v] = key;
        }
    } while (awake && (awake >= before || awake > run->topology.vertices / Beta));
    for (int64_t i = 0; i < relaxation.count; ++i) {
      relaxation.marks[relaxation.improved[i]] = 1;
      add(relaxation.improved[i]);
    }
    relaxation.count = 0;
    // Only a few are left.
    scout = 0;
  }

  Relaxation &relaxation;
  comm_graph_run *run;
  const comm_graph_view &view;
  Code code;
  Endless &endless;
  Key *data;
  // Edges of vertices added in this pulse, their least and greatest key; older entries; the key of all waiting
  // vertices.
  int64_t scout = 0, first = INT64_MAX, last = INT64_MIN, older = 0, value = 0;
  int64_t unexplored = 0;
  // The first bucket of the values sent in this pulse.
  int64_t sentBucket = Buckets::None;
  bool isPulled = false, isStart = false;
  // Entries that this pulse took from buckets, consecutive pulses with few edges, and the first bucket of values that
  // arrived since this process moved to another bucket.
  int64_t taken = 0, fewInRow = 0, heardBucket = Buckets::None;
  bool runsAhead = false;
};

//===----------------------------------------------------------------------===//
// Preparations
//===----------------------------------------------------------------------===//

/* Returns the greatest step of a sample of edges. */
double greatestStep(const Relaxation &relaxation, const Values *steps, int64_t step) {
  if (!steps)
    return std::abs(static_cast<double>(step));
  comm_reduce_votes votes = {};
  // Sample several edges from each part, because a single one would cost as much as a whole cache line.
  for (int64_t part = 0; part < Samples; ++part) {
    int64_t begin = steps->owned * part / Samples, end = std::min(begin + Samples, steps->owned);
    for (int64_t e = begin; e < end; ++e)
      votes.real_max[0] = std::max(votes.real_max[0], std::abs(numberOf(steps->type, steps->at(e))));
  }
  check(relaxation.run, comm_reduce_vote(relaxation.run->view.reduce, &votes), "comm_reduce_vote");
  return votes.real_max[0];
}

/* Chooses the width of buckets such that the edges of a vertex reach about one bucket. */
void chooseWidth(Relaxation &relaxation, const Values *steps, int64_t step) {
  const comm_graph_topology &graph = relaxation.run->topology;
  auto degree = static_cast<double>(std::max<int64_t>(1, graph.edges / std::max<int64_t>(1, graph.vertices)));
  double width = greatestStep(relaxation, steps, step) / (steps ? degree : 1);
  relaxation.shift = 0;
  while (relaxation.shift < 30 && width >= static_cast<double>(int64_t(2) << relaxation.shift))
    ++relaxation.shift;
  relaxation.scale = width > 0 && width < 1e300 ? 1 / width : 1;
}

} // namespace

comm_graph_relaxation *comm_graph_run_relaxation(comm_graph_run *run, int64_t site, int flags,
                                                 comm_graph_values *values, comm_graph_values *active, int64_t count,
                                                 comm_graph_values *const *companions) {
  std::unique_ptr<Relaxation> &made = run->relaxations[site];
  if (!made)
    made = std::make_unique<Relaxation>();
  Relaxation &relaxation = *made;
  relaxation.run = run;
  relaxation.flags = flags;
  relaxation.values = static_cast<Values *>(values);
  relaxation.active = static_cast<Values *>(active);
  relaxation.companions.clear();
  for (int64_t i = 0; i < count; ++i)
    relaxation.companions.push_back(static_cast<Values *>(companions[i]));
  Values &object = *relaxation.values;
  auto size = static_cast<size_t>(object.size);
  if (!relaxation.lists) {
    relaxation.recordBytes = 4 + relaxation.keyBytes();
    for (const Values *companion : relaxation.companions)
      relaxation.recordBytes += sizeOf(companion->type);
    check(run, comm_reduce_lists_create(run->view.reduce, relaxation.recordBytes, &relaxation.lists),
          "comm_reduce_lists_create");
    relaxation.marked.resize(size + 1);
    relaxation.improvedMemory.resize(size + 1);
    relaxation.isTouched.resize(static_cast<size_t>(object.size - object.owned) / 64 + 1);
  }
  relaxation.marks = relaxation.marked.data();
  relaxation.improved = relaxation.improvedMemory.data();
  relaxation.count = 0;
  relaxation.data = object.data;
  if (relaxation.has(COMM_GRAPH_RELAX_ROUNDS)) {
    relaxation.keys.resize(size);
    relaxation.data = relaxation.keys.data();
  }
  return &relaxation;
}

template <typename Key, bool HasRounds = false>
static void drive(Relaxation &relaxation, const Code &code, Endless &endless) {
  if (relaxation.has(COMM_GRAPH_RELAX_MAX))
    Driver<Key, true, HasRounds>(relaxation, code, endless).relax();
  else
    Driver<Key, false, HasRounds>(relaxation, code, endless).relax();
}

/* Initializes the keys: values start in round 0, and ghosts with the worst value. */
static void makeKeys(Relaxation &relaxation) {
  const auto *data = static_cast<const int32_t *>(relaxation.values->data);
  int64_t owned = relaxation.values->owned, size = relaxation.values->size;
  for (int64_t v = 0; v < owned; ++v)
    relaxation.keys[static_cast<size_t>(v)] = static_cast<int64_t>(data[v]) << 32;
  for (int64_t v = owned; v < size; ++v)
    relaxation.keys[static_cast<size_t>(v)] = static_cast<int64_t>(INT32_MAX) << 32;
}

static void takeKeys(Relaxation &relaxation) {
  auto *data = static_cast<int32_t *>(relaxation.values->data);
  for (int64_t v = 0; v < relaxation.values->owned; ++v)
    data[v] = static_cast<int32_t>(relaxation.keys[static_cast<size_t>(v)] >> 32);
}

void comm_graph_run_relax(comm_graph_relaxation *handle, comm_graph_values *next, comm_graph_push *push,
                          void *pushFrame, comm_graph_pull *pull, void *pullFrame, comm_graph_values *steps,
                          int64_t step, const char *place) {
  auto &relaxation = *static_cast<Relaxation *>(handle);
  Values &values = *relaxation.values;
  bool isMax = relaxation.has(COMM_GRAPH_RELAX_MAX), hasRounds = relaxation.has(COMM_GRAPH_RELAX_ROUNDS);
  if (!relaxation.has(COMM_GRAPH_RELAX_JOIN) || !joinCopies(relaxation)) {
    if (relaxation.has(COMM_GRAPH_RELAX_PRIORITY))
      chooseWidth(relaxation, static_cast<const Values *>(steps), step);
    if (hasRounds)
      makeKeys(relaxation);
    else
      prepareGhosts(values, isMax ? COMM_GRAPH_MAX : COMM_GRAPH_MIN);
    relaxation.buckets.clear();
    Endless endless(relaxation.run, isMax, static_cast<const Values *>(steps), step, place,
                    relaxation.has(COMM_GRAPH_RELAX_STEPS));
    Code code = {push, pushFrame, relaxation.run->topology.in_offsets ? pull : nullptr, pullFrame};
    if (hasRounds)
      drive<int64_t, true>(relaxation, code, endless);
    else if (values.type == COMM_GRAPH_INT32)
      drive<int32_t>(relaxation, code, endless);
    else if (values.type == COMM_GRAPH_INT64)
      drive<int64_t>(relaxation, code, endless);
    else if (values.type == COMM_GRAPH_FLOAT)
      drive<float>(relaxation, code, endless);
    else
      drive<double>(relaxation, code, endless);
    if (hasRounds)
      takeKeys(relaxation);
  }
  values.ghosts = Ghosts::Stale;
  values.isIntact = false;
  for (Values *companion : relaxation.companions) {
    companion->ghosts = Ghosts::Stale;
    companion->isIntact = false;
    companion->isListed = false;
    companion->list.clear();
  }
  int64_t no = 0;
  comm_graph_run_fill(relaxation.active, &no);
  comm_graph_run_fill(next, &no);
}
