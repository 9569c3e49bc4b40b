// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values of ghosts that the program exchanges by MPI operations, in messages or by puts, during iterations that read
// only this process's own vertices. A process gets a bundle of all properties: the bytes of each part (comm/reduce.h),
// and the parts, whose positions are among the values that it has copies of.
#include "Run.h"

#include <algorithm>

using namespace comm::graphrun;

/* So that the bytes of a message fit into 32 bits wherever those of updates do (MostUpdateBytes). */
constexpr int64_t MostProperties = 12;
/* Messages of up to this size are sent as a whole: to send sizes first would take longer than the bytes. */
constexpr int64_t FewBytes = 16 << 10;

static bool isOutdated(const Values &values) { return !values.isEdges && values.ghosts != Ghosts::Fresh; }

int comm_graph_run_ghosts_travel(comm_graph_run *run, int64_t count, comm_graph_values *const *handles) {
  bool isAny = std::any_of(handles, handles + count,
                           [](comm_graph_values *each) { return isOutdated(*static_cast<Values *>(each)); });
  return isAny && count <= MostProperties && comm_graph_run_updates_travel(run);
}

void comm::graphrun::beginBundles(comm_graph_run *run, int64_t count, comm_graph_values *const *handles,
                                  bool onlyChanges) {
  run->bundled.resize(static_cast<size_t>(count));
  for (size_t i = 0; i < run->bundled.size(); ++i) {
    Bundled &each = run->bundled[i];
    each.values = static_cast<Values *>(handles[i]);
    each.isSent = isOutdated(*each.values);
    each.hasBits = each.isSent && onlyChanges && findChanges(*each.values);
    if (each.isSent && !onlyChanges)
      each.values->sent.isThere = false;
    if (!each.hasBits)
      continue;
    // The next property needs clear ones.
    each.bits.assign(run->changedBits.size(), 0);
    each.bits.swap(run->changedBits);
  }
}

static size_t headBytes(const comm_graph_run *run) { return run->bundled.size() * sizeof(int64_t); }

size_t comm::graphrun::mostBundleBytes(const comm_graph_run *run, int64_t count) {
  size_t bytes = headBytes(run);
  for (const Bundled &each : run->bundled)
    bytes += comm_part_most(static_cast<size_t>(count), sizeOf(each.values->type));
  return bytes;
}

/* Returns the bytes of a bundle with all values. */
static size_t wholeBundleBytes(const comm_graph_run *run, int64_t count) {
  size_t bytes = headBytes(run);
  for (const Bundled &each : run->bundled)
    bytes += each.isSent ? comm_part_whole(static_cast<size_t>(count), sizeOf(each.values->type)) : 0;
  return count ? bytes : 0;
}

static size_t writeValues(const Bundled &bundled, const uint32_t *places, int64_t count, char *to,
                          std::vector<uint32_t> &positions) {
  const Values &values = *bundled.values;
  const size_t size = sizeOf(values.type);
  const auto of = static_cast<size_t>(count);
  positions.clear();
  for (int64_t i = 0; bundled.hasBits && i < count; ++i)
    if (bundled.bits[places[i] / 64] >> (places[i] % 64) & 1)
      positions.push_back(static_cast<uint32_t>(i));
  const bool isAll = !bundled.hasBits || comm_part_is_all(positions.size(), of, size);
  comm_part part;
  comm_part_write(to, SIZE_MAX, 0, isAll ? nullptr : positions.data(), isAll ? of : positions.size(), size, &part);
  for (size_t i = 0; i < part.count; ++i)
    memcpy(part.values + i * size, values.at(places[isAll ? i : positions[i]]), size);
  return part.bytes;
}

size_t comm::graphrun::writeBundle(comm_graph_run *run, const uint32_t *places, int64_t count, char *to) {
  char *const parts = to + headBytes(run);
  char *end = parts;
  for (const Bundled &each : run->bundled) {
    auto bytes = static_cast<int64_t>(each.isSent ? writeValues(each, places, count, end, run->ghosts.positions) : 0);
    memcpy(to, &bytes, sizeof bytes);
    to += sizeof bytes;
    end += bytes;
  }
  // Nothing is sent to those whose copies are up to date.
  return end == parts ? 0 : static_cast<size_t>(end - parts) + headBytes(run);
}

/* Reads the values of `count` ghosts from `first` on. */
static void readValues(const Values &values, int64_t first, int64_t count, const char *from,
                       std::vector<uint32_t> &scratch) {
  const size_t size = sizeOf(values.type);
  scratch.resize(std::max(scratch.size(), static_cast<size_t>(count)));
  comm_part part;
  comm_part_read(from, size, scratch.data(), &part);
  if (!part.positions)
    memcpy(values.at(first + part.first), part.values, part.count * size);
  for (size_t i = 0; part.positions && i < part.count; ++i)
    memcpy(values.at(first + part.positions[i]), part.values + i * size, size);
}

void comm::graphrun::readBundle(comm_graph_run *run, int partner, const char *from) {
  const uint32_t *ghosts = run->view.partner_ghosts;
  const char *part = from + headBytes(run);
  for (const Bundled &each : run->bundled) {
    int64_t bytes;
    memcpy(&bytes, from, sizeof bytes);
    from += sizeof bytes;
    if (bytes)
      readValues(*each.values, ghosts[partner], ghosts[partner + 1] - ghosts[partner], part, run->ghosts.positions);
    part += bytes;
  }
}

void comm::graphrun::endBundles(comm_graph_run *run) {
  for (const Bundled &each : run->bundled) {
    if (!each.isSent)
      continue;
    each.values->ghosts = Ghosts::Fresh;
    // A loop that reduces what it reads has begun, and will change these ghosts.
    each.values->isIntact = !each.values->changes;
  }
}

int *comm_graph_run_ghosts_counts(comm_graph_run *run, int which) { return run->ghosts.counts[which].data(); }

int comm_graph_run_ghosts_vary(const comm_graph_run *run) { return run->bundlesVary; }

void *comm_graph_run_ghosts_pack(comm_graph_run *run, int64_t count, comm_graph_values *const *handles,
                                 int onlyChanges) {
  const comm_graph_view &view = run->view;
  Traveling &traveling = run->ghosts;
  int64_t valueBytes = 0;
  for (int64_t i = 0; i < count; ++i)
    valueBytes += static_cast<int64_t>(sizeOf(static_cast<Values *>(handles[i])->type));
  run->bundlesVary = onlyChanges && run->mostBorder > FewBytes / valueBytes;
  beginBundles(run, count, handles, run->bundlesVary);
  for (std::vector<int> &each : traveling.counts)
    each.assign(static_cast<size_t>(view.processes), 0);
  size_t most = 0, total = 0;
  forEachLent(view, [&](int, const uint32_t *, int64_t lent) { most += mostBundleBytes(run, lent); });
  traveling.packed.resize(most / 8 + 1);
  char *packed = reinterpret_cast<char *>(traveling.packed.data());
  int64_t messages = 0;
  forEachLent(view, [&](int p, const uint32_t *places, int64_t lent) {
    size_t bytes = lent ? writeBundle(run, places, lent, packed + total) : 0;
    traveling.counts[COMM_GRAPH_SEND_COUNTS][static_cast<size_t>(p)] = static_cast<int>(bytes);
    traveling.counts[COMM_GRAPH_SEND_PLACES][static_cast<size_t>(p)] = static_cast<int>(total);
    total += bytes;
    messages += bytes > 0;
  });
  for (int i = 0; i < view.partners && !run->bundlesVary; ++i)
    traveling.counts[COMM_GRAPH_RECV_COUNTS][static_cast<size_t>(view.partner_ranks[i])] =
        static_cast<int>(wholeBundleBytes(run, view.partner_ghosts[i + 1] - view.partner_ghosts[i]));
  // Sizes go to all processes, values only to those that get some.
  const int others = run->bundlesVary ? view.processes - 1 : 0;
  ++run->travels.pulses;
  run->travels.messages += others + messages;
  run->travels.bytes += others * static_cast<int64_t>(sizeof(int)) + static_cast<int64_t>(total);
  return packed;
}

void *comm_graph_run_ghosts_arrivals(comm_graph_run *run, const int *recv_counts) {
  comm_graph_run_waited(run);
  return placeArrivals(run->ghosts, recv_counts);
}

void comm_graph_run_ghosts_arrive(comm_graph_run *run, const void *arrivals, const int *recv_counts,
                                  const int *recv_places) {
  const comm_graph_view &view = run->view;
  comm_graph_run_waited(run);
  for (int i = 0; i < view.partners; ++i) {
    auto p = static_cast<size_t>(view.partner_ranks[i]);
    if (recv_counts[p])
      readBundle(run, i, static_cast<const char *>(arrivals) + recv_places[p]);
  }
  endBundles(run);
}
