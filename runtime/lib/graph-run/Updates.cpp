// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Updates of vertices and edges that other processes may own: they are combined here, sent once per loop, and combined
// there.
#include "Run.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace comm::graphrun;

static Updates &of(comm_graph_updates *updates) { return *static_cast<Updates *>(updates); }

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

template <typename T> static T read(const void *from) {
  T value;
  memcpy(&value, from, sizeof value);
  return value;
}
template <typename T> static void write(void *to, T value) { memcpy(to, &value, sizeof value); }

[[noreturn]] static void overflow(const Updates &updates, const char *what, int64_t a, int64_t b) {
  comm_graph_run_stop(updates.run, COMM_GRAPH_STOP_REDUCTION, a, b, what, nameOf(updates.values->type), updates.place);
  abort();
}

/* Returns true if the result became infinity, which is the largest number, although no operand was. */
template <typename T> static bool becomesInfinite(T result, T a, T b) {
  constexpr T infinity = std::numeric_limits<T>::max();
  return result == infinity && a != infinity && b != infinity;
}

template <typename T> static T addIntegers(const Updates &updates, const char *what, T a, T b) {
  constexpr T infinity = std::numeric_limits<T>::max();
  if (a == infinity || b == infinity)
    return infinity;
  T result;
  if (__builtin_add_overflow(a, b, &result) || result == infinity)
    overflow(updates, what, a, b);
  return result;
}

template <typename T> static int combineAs(const Updates &updates, int kind, void *to, const void *from) {
  T old = read<T>(to), result = old;
  T value = kind == COMM_GRAPH_COUNT ? static_cast<T>(read<uint8_t>(from) != 0) : read<T>(from);
  constexpr bool isFloat = std::numeric_limits<T>::is_iec559;
  switch (kind) {
  case COMM_GRAPH_SUM:
  case COMM_GRAPH_COUNT:
    if constexpr (isFloat)
      result = old + value;
    else
      result = addIntegers<T>(updates, kind == COMM_GRAPH_SUM ? "sum" : "count", old, value);
    break;
  case COMM_GRAPH_PRODUCT:
    if constexpr (isFloat)
      result = old * value;
    else if (__builtin_mul_overflow(old, value, &result) || becomesInfinite(result, old, value))
      overflow(updates, "product", old, value);
    break;
  case COMM_GRAPH_MIN:
    result = value < old ? value : old;
    break;
  case COMM_GRAPH_MAX:
    result = value > old ? value : old;
    break;
  case COMM_GRAPH_AND:
  case COMM_GRAPH_OR:
    if constexpr (!isFloat)
      result = static_cast<T>(kind == COMM_GRAPH_AND ? old & value : old | value);
    break;
  default:
    result = value;
  }
  // NaN counts as unchanged if it stays NaN.
  bool isSame = result == old || (result != result && old != old);
  if (!isSame || kind == COMM_GRAPH_ASSIGN) {
    write(to, result);
    return 1;
  }
  return value == old ? 0 : -1;
}

int comm::graphrun::combine(const Updates &updates, int kind, void *to, const void *from) {
  switch (updates.values->type) {
  case COMM_GRAPH_BOOL:
    return combineAs<uint8_t>(updates, kind, to, from);
  case COMM_GRAPH_INT32:
    return combineAs<int32_t>(updates, kind, to, from);
  case COMM_GRAPH_FLOAT:
    return combineAs<float>(updates, kind, to, from);
  case COMM_GRAPH_DOUBLE:
    return combineAs<double>(updates, kind, to, from);
  default:
    return combineAs<int64_t>(updates, kind, to, from);
  }
}

template <typename T> static int64_t identityAs(int kind) {
  constexpr bool isFloat = std::numeric_limits<T>::is_iec559;
  T value = 0;
  switch (kind) {
  case COMM_GRAPH_PRODUCT:
    value = 1;
    break;
  case COMM_GRAPH_MIN:
    value = isFloat ? std::numeric_limits<T>::infinity() : std::numeric_limits<T>::max();
    break;
  case COMM_GRAPH_MAX:
    value = isFloat ? -std::numeric_limits<T>::infinity() : std::numeric_limits<T>::lowest();
    break;
  case COMM_GRAPH_AND:
    value = static_cast<T>(-1);
    break;
  default:
    break;
  }
  int64_t slot = 0;
  memcpy(&slot, &value, sizeof value);
  return slot;
}

int64_t comm::graphrun::identityOf(int kind, int type) {
  switch (type) {
  case COMM_GRAPH_BOOL:
    return kind == COMM_GRAPH_AND;
  case COMM_GRAPH_INT32:
    return identityAs<int32_t>(kind);
  case COMM_GRAPH_FLOAT:
    return identityAs<float>(kind);
  case COMM_GRAPH_DOUBLE:
    return identityAs<double>(kind);
  default:
    return identityAs<int64_t>(kind);
  }
}

int comm::graphrun::compareValues(int type, const void *a, const void *b) {
  auto order = [](auto x, auto y) { return x < y ? -1 : y < x; };
  switch (type) {
  case COMM_GRAPH_BOOL:
    return order(read<uint8_t>(a), read<uint8_t>(b));
  case COMM_GRAPH_INT32:
    return order(read<int32_t>(a), read<int32_t>(b));
  case COMM_GRAPH_FLOAT:
    return order(read<float>(a), read<float>(b));
  case COMM_GRAPH_DOUBLE:
    return order(read<double>(a), read<double>(b));
  default:
    return order(read<int64_t>(a), read<int64_t>(b));
  }
}

//===----------------------------------------------------------------------===//
// A loop's updates
//===----------------------------------------------------------------------===//

static bool startsFromIdentity(int kind) {
  return kind == COMM_GRAPH_SUM || kind == COMM_GRAPH_PRODUCT || kind == COMM_GRAPH_COUNT;
}
/* Returns the kind of the sent update: a count is sent as a sum. */
static int sentKind(int kind) { return kind == COMM_GRAPH_COUNT ? COMM_GRAPH_SUM : kind; }

double comm::graphrun::numberOf(int type, const void *value) {
  switch (type) {
  case COMM_GRAPH_BOOL:
    return read<uint8_t>(value);
  case COMM_GRAPH_INT32:
    return read<int32_t>(value);
  case COMM_GRAPH_FLOAT:
    return static_cast<double>(read<float>(value));
  case COMM_GRAPH_DOUBLE:
    return read<double>(value);
  default:
    return static_cast<double>(read<int64_t>(value));
  }
}

void comm::graphrun::prepareGhosts(Values &values, int kind) {
  if (values.isEdges || kind == COMM_GRAPH_ASSIGN)
    return;
  bool isSame = values.kind == kind;
  Ghosts wanted = startsFromIdentity(kind) ? Ghosts::Identity : Ghosts::Bound;
  if ((values.ghosts == wanted && isSame) || (wanted == Ghosts::Bound && values.ghosts == Ghosts::Fresh)) {
    values.kind = kind;
    return;
  }
  int64_t identity = identityOf(kind, values.type);
  for (int64_t local = values.owned; local < values.size; ++local)
    memcpy(values.at(local), &identity, sizeOf(values.type));
  values.ghosts = wanted;
  values.kind = kind;
}

comm_graph_updates *comm_graph_run_updates(comm_graph_run *run, int64_t site, int kind, comm_graph_values *values,
                                           int64_t count, comm_graph_values *const *companions, const char *place) {
  std::unique_ptr<Updates> &updates = run->updates[site];
  const int flags = kind;
  bool keepsOld = flags & COMM_GRAPH_KEEPS_OLD;
  kind &= COMM_GRAPH_KEEPS_OLD - 1;
  if (!updates) {
    updates = std::make_unique<Updates>();
    updates->run = run;
    updates->kind = kind;
    updates->place = place;
    updates->sendsEach = flags & COMM_GRAPH_SENDS_EACH;
    updates->leavesCopies = flags & COMM_GRAPH_LEAVES_COPIES;
    updates->waits = flags & COMM_GRAPH_WAITS;
  }
  Values *object = static_cast<Values *>(values);
  updates->values = object;
  updates->companions.clear();
  for (int64_t i = 0; i < count; ++i)
    updates->companions.push_back(static_cast<Values *>(companions[i]));
  if (!updates->lists) {
    updates->recordBytes = (object->isEdges ? 8 : 4) + sizeOf(object->type);
    for (Values *companion : updates->companions)
      updates->recordBytes += sizeOf(companion->type);
    check(run, comm_reduce_lists_create(run->view.reduce, updates->recordBytes, &updates->lists),
          "comm_reduce_lists_create");
    updates->marked.resize(static_cast<size_t>(object->size) + 1);
    updates->marks = updates->marked.data();
    if (keepsOld)
      updates->oldMemory.resize(object->memory.size());
    updates->old = updates->oldMemory.data();
    // Places of marks are 32-bit numbers.
    if (object->size > INT64_C(0xffffffff))
      stop(run, place, "a process has more than 4294967295 of the edges that the loop updates: use more processes");
  }
  object->changes = keepsOld ? updates.get() : nullptr;
  if (!updates->leavesCopies) {
    prepareGhosts(*object, kind);
    // The loop changes ghosts.
    for (Values *each : updates->companions)
      each->isIntact = false;
    object->isIntact = object->isIntact && kind == COMM_GRAPH_ASSIGN;
  }
  return updates.get();
}

void comm_graph_run_touch(comm_graph_updates *handle, int64_t local) {
  Updates &updates = of(handle);
  if (updates.marks[local])
    return;
  if (updates.run->sweeping) {
    comm_graph_run_log(updates.run, &updates.marks[local], 1);
    updates.run->log.push_back({reinterpret_cast<char *>(&updates.list), LogEntry::Listed, {}});
  }
  updates.marks[local] = 1;
  updates.list.push_back(static_cast<uint32_t>(local));
  size_t size = sizeOf(updates.values->type);
  if (updates.old)
    memcpy(static_cast<char *>(updates.old) + static_cast<size_t>(local) * size, updates.values->at(local), size);
}

static void setCompanions(Updates &updates, int64_t local, const int64_t *slots) {
  for (size_t i = 0; i < updates.companions.size(); ++i) {
    Values &companion = *updates.companions[i];
    if (companion.isTracked && (slots[i] & 1) && !*companion.at(local))
      companion.add(local);
    memcpy(companion.at(local), &slots[i], sizeOf(companion.type));
  }
}

void comm_graph_run_tie(comm_graph_updates *handle, int64_t local, const int64_t *slots) {
  Updates &updates = of(handle);
  for (size_t i = 0; i < updates.companions.size(); ++i) {
    const Values &companion = *updates.companions[i];
    int order = compareValues(companion.type, &slots[i], companion.at(local));
    if (order > 0)
      return;
    if (order < 0) {
      if (updates.run->sweeping)
        for (const Values *each : updates.companions)
          comm_graph_run_log(updates.run, each->at(local), static_cast<int64_t>(sizeOf(each->type)));
      return setCompanions(updates, local, slots);
    }
  }
}

/* Updates a value in this process's arrays. */
static void applyHere(Updates &updates, int kind, int64_t local, const int64_t *slots) {
  Values &values = *updates.values;
  int64_t result = 0;
  memcpy(&result, values.at(local), sizeOf(values.type));
  int order = combine(updates, kind, &result, slots);
  if (order > 0) {
    if (local >= values.owned || !updates.companions.empty() || updates.old)
      comm_graph_run_touch(&updates, local);
    if (values.isTracked && (result & 1))
      values.add(local);
    memcpy(values.at(local), &result, sizeOf(values.type));
    setCompanions(updates, local, slots + 1);
  } else if (order == 0 && !updates.companions.empty() && updates.marks[local]) {
    comm_graph_run_tie(&updates, local, slots + 1);
  }
}

void comm::graphrun::applyElsewhere(Updates &updates, int64_t index, const int64_t *slots) {
  size_t width = updates.slotCount();
  bool isNew;
  Table::Entry &entry = updates.foreign.insert(index, isNew);
  int kind = updates.kind;
  if (isNew) {
    entry.value = static_cast<int64_t>(updates.keys.size());
    updates.keys.push_back(index);
    updates.slots.insert(updates.slots.end(), slots, slots + width);
    if (!startsFromIdentity(kind))
      return;
    updates.slots[updates.slots.size() - width] = identityOf(kind, updates.values->type);
  }
  int64_t *there = updates.slots.data() + static_cast<size_t>(entry.value) * width;
  int order = combine(updates, kind, there, slots);
  if (order < 0)
    return;
  for (size_t i = 1; i < width && order == 0; ++i)
    if (int companion = compareValues(updates.companions[i - 1]->type, slots + i, there + i))
      order = -companion;
  if (order > 0)
    std::copy(slots + 1, slots + width, there + 1);
}

static void append(Updates &updates, size_t owner, int64_t place, const char *(*at)(void *, size_t), void *context);

static const char *slotAt(void *context, size_t i) {
  return reinterpret_cast<const char *>(static_cast<int64_t *>(context) + i);
}

/* Sends an update without combining it. */
static void applyApart(Updates &updates, int64_t index, const int64_t *slots) {
  std::vector<int64_t> sent(slots, slots + updates.slotCount());
  // A count is sent as a number.
  if (startsFromIdentity(updates.kind)) {
    sent[0] = identityOf(updates.kind, updates.values->type);
    combine(updates, updates.kind, sent.data(), slots);
  }
  const comm_graph_view &view = updates.run->view;
  int64_t ghost = updates.values->isEdges ? -1 : updates.run->toLocal(index);
  if (ghost >= 0) {
    append(updates, static_cast<size_t>(comm_graph_owner(&view, static_cast<uint32_t>(ghost))),
           view.ghost_index[ghost - view.owned], slotAt, sent.data());
    return;
  }
  updates.keys.push_back(index);
  updates.slots.insert(updates.slots.end(), sent.begin(), sent.end());
}

void comm::graphrun::apply(Updates &updates, int64_t index, const int64_t *slots, const char *place) {
  comm_graph_run *run = updates.run;
  if (updates.isOfList)
    return applyElsewhere(updates, index, slots);
  checkIndex(run, updates.values->isEdges, index, place);
  bool isHere = updates.values->isEdges ? run->ownsEdge(index) : run->owns(index);
  int64_t first = updates.values->isEdges ? run->topology.first_edge : run->topology.first;
  int64_t local = isHere ? index - first : -1;
  // Plain writes do not use ghosts, whose old values this loop may read.
  if (!isHere && !updates.values->isEdges && updates.kind != COMM_GRAPH_ASSIGN && !updates.leavesCopies)
    local = run->toLocal(index);
  if (isHere && updates.waits) {
    updates.waitingPlaces.push_back(local);
    updates.waitingSlots.insert(updates.waitingSlots.end(), slots, slots + updates.slotCount());
  } else if (local >= 0)
    applyHere(updates, updates.kind, local, slots);
  else if (updates.sendsEach)
    applyApart(updates, index, slots);
  else
    applyElsewhere(updates, index, slots);
}

void comm_graph_run_update(comm_graph_updates *handle, int64_t index, const int64_t *slots, const char *place) {
  Updates &updates = of(handle);
  comm_graph_run *run = updates.run;
  if (!run->sweeping)
    return apply(updates, index, slots, place);
  if (run->missed)
    return;
  // Report an error in this iteration.
  checkIndex(run, updates.values->isEdges, index, place);
  run->deferred.push_back({&updates, index, place, run->deferredSlots.size()});
  run->deferredSlots.insert(run->deferredSlots.end(), slots, slots + updates.slotCount());
}

//===----------------------------------------------------------------------===//
// Delivery
//===----------------------------------------------------------------------===//

static void append(Updates &updates, size_t owner, int64_t place, const char *(*at)(void *, size_t), void *context) {
  char *record = static_cast<char *>(comm_reduce_append(updates.lists, static_cast<int>(owner)));
  size_t bytes = updates.values->isEdges ? 8 : 4;
  memcpy(record, &place, bytes);
  record += bytes;
  for (size_t i = 0; i < updates.slotCount(); ++i) {
    size_t size = sizeOf(i ? updates.companions[i - 1]->type : updates.values->type);
    memcpy(record, at(context, i), size);
    record += size;
  }
}

void comm::graphrun::applySent(Updates &updates, int64_t place, const char *&from) {
  int64_t slots[64];
  for (size_t i = 0; i < updates.slotCount(); ++i) {
    size_t size = sizeOf(i ? updates.companions[i - 1]->type : updates.values->type);
    slots[i] = 0;
    memcpy(&slots[i], from, size);
    from += size;
  }
  applyHere(updates, sentKind(updates.kind), place, slots);
}

static void receive(void *context, int, const void *records, size_t count) {
  auto &updates = *static_cast<Updates *>(context);
  const char *record = static_cast<const char *>(records);
  for (size_t n = 0; n < count; ++n) {
    int64_t place = 0;
    size_t bytes = updates.values->isEdges ? 8 : 4;
    memcpy(&place, record, bytes);
    record += bytes;
    applySent(updates, place, record);
  }
}

void comm::graphrun::releaseGhosts(Updates &updates) {
  Values &values = *updates.values;
  // Restore identities, with which the next loop starts.
  bool resets = values.ghosts == Ghosts::Identity && !updates.leavesCopies;
  int64_t identity = identityOf(updates.kind, values.type);
  for (uint32_t local : updates.list)
    if (local >= values.owned) {
      updates.marks[local] = 0;
      if (resets)
        memcpy(values.at(local), &identity, sizeOf(values.type));
    }
}

void comm::graphrun::endUpdates(Updates &updates) {
  Values &values = *updates.values;
  for (uint32_t local : updates.list)
    updates.marks[local] = 0;
  updates.list.clear();
  updates.foreign.clear();
  updates.keys.clear();
  updates.slots.clear();
  if (updates.kind == COMM_GRAPH_ASSIGN || updates.leavesCopies)
    values.ghosts = Ghosts::Stale;
  else if (values.ghosts == Ghosts::Fresh)
    values.ghosts = Ghosts::Bound;
  for (Values *companion : updates.companions)
    companion->ghosts = Ghosts::Stale;
}

void comm_graph_run_deliver(comm_graph_updates *handle, int isAny) {
  Updates &updates = of(handle);
  comm_graph_run *run = updates.run;
  Values &values = *updates.values;
  const comm_graph_view &view = run->view;
  struct Ghost {
    Updates *updates;
    int64_t local;
  };
  for (size_t n = 0; n < updates.waitingPlaces.size(); ++n)
    applyHere(updates, updates.kind, updates.waitingPlaces[n], updates.waitingSlots.data() + n * updates.slotCount());
  updates.waitingPlaces.clear();
  updates.waitingSlots.clear();
  for (uint32_t local : updates.list) {
    if (local < values.owned)
      continue;
    Ghost ghost = {&updates, local};
    append(
        updates, static_cast<size_t>(comm_graph_owner(&view, local)), view.ghost_index[local - view.owned],
        [](void *context, size_t i) -> const char * {
          auto &from = *static_cast<Ghost *>(context);
          return (i ? from.updates->companions[i - 1] : from.updates->values)->at(from.local);
        },
        &ghost);
  }
  std::vector<Range> owners;
  if (isAny)
    owners = findOwners(run, values.isEdges, updates.keys);
  for (size_t n = 0; n < owners.size(); ++n)
    append(updates, static_cast<size_t>(owners[n].rank), updates.keys[n] - owners[n].first, slotAt,
           updates.slots.data() + n * updates.slotCount());
  releaseGhosts(updates);
  values.changes = nullptr;
  check(run, comm_reduce_deliver(updates.lists, receive, &updates, nullptr), "comm_reduce_deliver");
  endUpdates(updates);
}
