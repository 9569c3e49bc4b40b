// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Properties: arrays of owned values and ghosts.
#include "Run.h"

#include <algorithm>
#include <cmath>

using namespace comm::graphrun;

static Values &of(comm_graph_values *values) { return *static_cast<Values *>(values); }
static const Values &of(const comm_graph_values *values) { return *static_cast<const Values *>(values); }

Values *comm::graphrun::makeValues(comm_graph_run *run, int64_t site, int64_t use, bool isEdges, int type,
                                   const char *name, const void *given) {
  std::unique_ptr<Values> &values = run->values[{site, use}];
  if (!values) {
    values = std::make_unique<Values>();
    values->run = run;
    values->number = static_cast<int>(run->byNumber.size());
    run->byNumber.push_back(values.get());
    values->isEdges = isEdges;
    values->type = type;
    values->name = name;
    const comm_graph_topology &graph = run->topology;
    values->owned = isEdges ? graph.out_offsets[graph.owned] : graph.owned;
    values->size = values->owned + (isEdges ? 0 : graph.ghosts);
    if (given) {
      values->data = const_cast<void *>(given);
      return values.get();
    }
    values->memory.resize(static_cast<size_t>(values->size) * sizeOf(type) / 8 + 1);
    values->data = values->memory.data();
  }
  int none = type >= COMM_GRAPH_VERTEX ? 0xff : 0;
  memset(values->data, none, static_cast<size_t>(values->size) * sizeOf(type));
  values->ghosts = Ghosts::Fresh;
  values->isIntact = false;
  values->isTracked = values->isListed = false;
  return values.get();
}

comm_graph_values *comm_graph_run_property(comm_graph_run *run, int64_t site, int isEdges, int type, const char *name) {
  return makeValues(run, site, 0, isEdges != 0, type, name);
}

comm_graph_values *comm_graph_run_weights(comm_graph_run *run, int type, const char *place) {
  auto found = run->values.find({-1, type});
  if (found != run->values.end())
    return found->second.get();
  const comm_graph_edges &edges = run->view.out;
  // Use the graph's own weights if they have that type; they are read-only.
  const void *given = type == COMM_GRAPH_INT32   ? static_cast<const void *>(edges.weights)
                      : type == COMM_GRAPH_FLOAT ? static_cast<const void *>(edges.real_weights)
                                                 : nullptr;
  Values *values = makeValues(run, -1, type, /*isEdges=*/true, type, "", given);
  if (given)
    return values;
  for (int64_t e = 0; e < values->owned; ++e) {
    double weight = edges.weights        ? edges.weights[e]
                    : edges.real_weights ? static_cast<double>(edges.real_weights[e])
                                         : 1;
    char *to = values->at(e);
    if (type == COMM_GRAPH_DOUBLE) {
      memcpy(to, &weight, 8);
    } else if (type == COMM_GRAPH_FLOAT) {
      auto narrow = static_cast<float>(weight);
      memcpy(to, &narrow, 4);
    } else {
      double limit = type == COMM_GRAPH_INT32 ? 0x1p31 : 0x1p63;
      if (weight != std::trunc(weight) || weight >= limit || weight < -limit) {
        char digits[40];
        snprintf(digits, sizeof digits, "%g", weight);
        int64_t edge = run->topology.first_edge + e;
        stop(run, place,
             "the edge from " + std::to_string(comm_graph_run_own_endpoint(run, 0, edge)) + " to " +
                 std::to_string(comm_graph_run_own_endpoint(run, 1, edge)) + " has the weight " + digits + ", which '" +
                 nameOf(type) + "' does not have");
      }
      auto number = static_cast<int64_t>(weight);
      memcpy(to, &number, sizeOf(type));
    }
  }
  return values;
}

comm_graph_values *comm_graph_run_degrees(comm_graph_run *run, int isIn) {
  auto found = run->values.find({-2, isIn});
  if (found != run->values.end())
    return found->second.get();
  Values *values = makeValues(run, -2, isIn, /*isEdges=*/false, COMM_GRAPH_INT64, "");
  const int64_t *offsets = isIn ? run->topology.in_offsets : run->topology.out_offsets;
  auto *degrees = static_cast<int64_t *>(values->data);
  for (int64_t v = 0; v < values->owned; ++v)
    degrees[v] = offsets[v + 1] - offsets[v];
  values->ghosts = Ghosts::Stale;
  comm_graph_run_refresh(values);
  return values;
}

void comm_graph_run_fill(comm_graph_values *handle, const void *value) {
  Values &values = of(handle);
  bool isFalse = values.isTracked && !*static_cast<const uint8_t *>(value);
  if (isFalse && values.isListed) {
    for (uint32_t local : values.list)
      *values.at(local) = 0;
    values.list.clear();
    values.ghosts = Ghosts::Stale;
    return;
  }
  values.isListed = isFalse;
  values.list.clear();
  auto count = static_cast<size_t>(values.size);
  switch (sizeOf(values.type)) {
  case 1:
    memset(values.data, *static_cast<const uint8_t *>(value), count);
    break;
  case 4: {
    uint32_t bits;
    memcpy(&bits, value, 4);
    std::fill_n(static_cast<uint32_t *>(values.data), count, bits);
    break;
  }
  default: {
    uint64_t bits;
    memcpy(&bits, value, 8);
    std::fill_n(static_cast<uint64_t *>(values.data), count, bits);
  }
  }
  values.ghosts = Ghosts::Fresh;
  values.isIntact = false;
}

void comm_graph_run_copy(const comm_graph_values *source, comm_graph_values *target) {
  const Values &from = of(source);
  Values &to = of(target);
  if (from.isTracked && to.isTracked && from.isListed && to.isListed) {
    // All other values are false in both.
    for (uint32_t local : to.list)
      *to.at(local) = *from.at(local);
    for (uint32_t local : from.list)
      *to.at(local) = *from.at(local);
    to.list = from.list;
    to.ghosts = Ghosts::Stale;
    return;
  }
  to.isListed = to.isTracked && from.isTracked && from.isListed;
  to.list.clear();
  if (to.isListed)
    to.list = from.list;
  // Undefined ghosts are not worth a copy, so existing ghosts keep the values that were sent to them.
  bool isStale = from.ghosts == Ghosts::Stale;
  memmove(to.data, from.data, static_cast<size_t>(isStale ? from.owned : from.size) * sizeOf(from.type));
  to.isIntact = to.isIntact && isStale;
  to.ghosts = from.ghosts;
  to.kind = from.kind;
}

int comm_graph_run_any(const comm_graph_values *handle, int zero) {
  const Values &values = of(handle);
  auto holds = [&](auto *data) {
    return std::any_of(data, data + values.owned, [&](auto value) { return (value != 0) != (zero != 0); });
  };
  const void *data = values.data;
  if (!zero && values.isListed)
    return std::any_of(values.list.begin(), values.list.end(), [&](uint32_t local) { return *values.at(local); });
  switch (values.type) {
  case COMM_GRAPH_BOOL:
    return zero ? memchr(data, 0, static_cast<size_t>(values.owned)) != nullptr
                : memchr(data, 1, static_cast<size_t>(values.owned)) != nullptr;
  case COMM_GRAPH_INT32:
    return holds(static_cast<const int32_t *>(data));
  case COMM_GRAPH_FLOAT:
    return holds(static_cast<const float *>(data));
  case COMM_GRAPH_DOUBLE:
    return holds(static_cast<const double *>(data));
  default:
    return holds(static_cast<const int64_t *>(data));
  }
}

void comm_graph_run_refresh(comm_graph_values *handle) {
  Values &values = of(handle);
  if (values.isEdges || values.ghosts == Ghosts::Fresh)
    return;
  check(values.run, comm_copies_refresh(values.run->view.copies, values.data, sizeOf(values.type), nullptr),
        "comm_copies_refresh");
  values.ghosts = Ghosts::Fresh;
  values.isIntact = true;
  values.sent.isThere = false;
}

//===----------------------------------------------------------------------===//
// Refreshes of changed values
//===----------------------------------------------------------------------===//

static void findLent(comm_graph_run *run) {
  const comm_graph_view &view = run->view;
  if (!run->changedBits.empty())
    return;
  std::vector<uint64_t> &bits = run->changedBits;
  bits.assign((static_cast<size_t>(view.owned) + view.ghosts) / 64 + 1, 0);
  forEachLent(view, [&](int, const uint32_t *places, int64_t count) {
    for (int64_t at = 0; at < count; ++at)
      bits[places[at] / 64] |= uint64_t(1) << (places[at] % 64);
  });
  for (size_t word = 0; word < bits.size(); ++word)
    for (; bits[word]; bits[word] &= bits[word] - 1)
      run->lent.push_back(static_cast<uint32_t>(word * 64) + static_cast<uint32_t>(__builtin_ctzll(bits[word])));
}

/* Remembers lent values and sets the bits of those that differ from the sent ones; without bits, remembers all. Returns
 * their number. */
template <typename T> static size_t remember(Values &values, uint64_t *bits) {
  const std::vector<uint32_t> &lent = values.run->lent;
  const T *data = static_cast<const T *>(values.data);
  values.sent.values.resize(lent.size() * sizeof(T));
  auto *sent = reinterpret_cast<T *>(values.sent.values.data());
  size_t count = 0;
  for (size_t i = 0; i < lent.size(); ++i) {
    T value = data[lent[i]];
    if (bits && value != sent[i]) {
      bits[lent[i] / 64] |= uint64_t(1) << (lent[i] % 64);
      ++count;
    }
    sent[i] = value;
  }
  return count;
}
static size_t remember(Values &values, uint64_t *bits) {
  // Compare bits, so that NaN equals itself.
  switch (sizeOf(values.type)) {
  case 1:
    return remember<uint8_t>(values, bits);
  case 4:
    return remember<uint32_t>(values, bits);
  default:
    return remember<uint64_t>(values, bits);
  }
}

bool comm::graphrun::findChanges(Values &values) {
  comm_graph_run *run = values.run;
  Sent &sent = values.sent;
  // Each owner decides which values to send. All processes know whether ghosts have the values sent last.
  if (!values.isIntact || !sent.isThere) {
    // Remember values from the second refresh on.
    bool remembers = values.isIntact && sent.rest <= 0;
    sent.rest -= values.isIntact && sent.rest > 0;
    if (remembers) {
      findLent(run);
      remember(values, nullptr);
    }
    sent.isThere = remembers;
    return false;
  }
  size_t count = remember(values, run->changedBits.data());
  constexpr int longest = 64;
  bool isMost = 2 * count > run->lent.size();
  sent.isThere = !isMost;
  sent.pause = isMost ? std::min(2 * sent.pause + 2, longest) : 0;
  sent.rest = sent.pause;
  return true;
}

void comm_graph_run_refresh_changed(comm_graph_values *handle) {
  Values &values = of(handle);
  if (values.isEdges || values.ghosts == Ghosts::Fresh)
    return;
  comm_copies *copies = values.run->view.copies;
  std::vector<uint64_t> &bits = values.run->changedBits;
  if (findChanges(values)) {
    check(values.run, comm_copies_refresh_changed(copies, values.data, sizeOf(values.type), bits.data(), nullptr),
          "comm_copies_refresh_changed");
    std::fill(bits.begin(), bits.end(), 0);
  } else {
    check(values.run, comm_copies_refresh(copies, values.data, sizeOf(values.type), nullptr), "comm_copies_refresh");
  }
  values.ghosts = Ghosts::Fresh;
  values.isIntact = true;
}

void comm_graph_run_changed(comm_graph_values *handle) { of(handle).ghosts = Ghosts::Stale; }

void comm_graph_run_get(const comm_graph_values *handle, int64_t index, void *buffer) {
  const Values &values = of(handle);
  int64_t local = index - (values.isEdges ? values.run->topology.first_edge : values.run->topology.first);
  if (local >= 0 && local < values.owned)
    memcpy(buffer, values.readable(local), sizeOf(values.type));
}

void comm_graph_run_put(comm_graph_values *handle, int64_t index, const void *value, const char *place) {
  Values &values = of(handle);
  comm_graph_run *run = values.run;
  checkIndex(run, values.isEdges, index, place);
  values.isIntact = false;
  int64_t local = values.isEdges ? (run->ownsEdge(index) ? index - run->topology.first_edge : -1) : run->toLocal(index);
  // A ghost keeps its value if updates may start from it.
  bool isGhost = local >= values.owned;
  if (local < 0 || (isGhost && values.ghosts != Ghosts::Fresh && values.ghosts != Ghosts::Bound))
    return;
  if (values.isTracked && *static_cast<const uint8_t *>(value))
    values.add(local);
  memcpy(values.at(local), value, sizeOf(values.type));
}

//===----------------------------------------------------------------------===//
// Frontiers
//===----------------------------------------------------------------------===//

void comm_graph_run_track(comm_graph_values *handle) {
  Values &values = of(handle);
  values.isTracked = values.isListed = true;
  values.list.clear();
}

void comm_graph_run_add(comm_graph_values *handle, int64_t local) { of(handle).add(local); }

const uint32_t *comm_graph_run_frontier(comm_graph_values *handle, int64_t *count) {
  Values &values = of(handle);
  constexpr size_t few = 32; // one vertex in this many: visiting all costs less than sorting more
  *count = values.owned;
  if (!values.isListed) {
    // There may be few by now, so it is worth checking all of them.
    const uint8_t *data = static_cast<const uint8_t *>(values.data);
    values.list.clear();
    for (int64_t local = 0; local < values.owned && values.list.size() <= static_cast<size_t>(values.owned) / few;
         ++local)
      if (data[local])
        values.list.push_back(static_cast<uint32_t>(local));
    values.isListed = values.list.size() <= static_cast<size_t>(values.owned) / few;
    if (!values.isListed) {
      values.list.clear();
      return nullptr;
    }
  } else {
    std::sort(values.list.begin(), values.list.end());
    values.list.erase(std::unique(values.list.begin(), values.list.end()), values.list.end());
  }
  if (values.list.size() > static_cast<size_t>(values.owned) / few)
    return nullptr;
  // The loop may add to the list.
  values.visited = values.list;
  values.visited.push_back(0);
  *count = static_cast<int64_t>(values.visited.size()) - 1;
  return values.visited.data();
}
