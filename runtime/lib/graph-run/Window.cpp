// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exchanges by puts into a window, which the program makes and synchronizes by operations of the comm dialect.
//
// A half of a process's window has a slot for each process that has copies of its values, and then the values of its
// ghosts, by owner. A slot begins with the number of the pulse that filled it, and the number of bytes of each kind of
// updates; then come the updates. Each process knows where its slots are in the windows of others, so that nobody sends
// sizes or waits for a particular process.
#include "Run.h"

#include <algorithm>
#include <climits>
#include <sys/mman.h>

using namespace comm::graphrun;

static int64_t padded(int64_t bytes) { return (bytes + 7) & ~int64_t(7); }
/* The number of the pulse, and 32-bit numbers of bytes. */
static int64_t headBytes(const Window &window) {
  return static_cast<int64_t>(sizeof window.round) + padded(window.groups * static_cast<int64_t>(sizeof(int32_t)));
}

namespace {
/* What a process tells another one about its window. */
struct Place {
  int64_t isForUpdates;
  Window::Target target;
};
} // namespace

static void receivePlaces(void *context, int source, const void *records, size_t count) {
  auto &window = *static_cast<Window *>(context);
  for (size_t i = 0; i < count; ++i) {
    Place each = static_cast<const Place *>(records)[i];
    each.target.rank = source;
    (each.isForUpdates ? window.owners : window.borrowers).push_back(each.target);
  }
}

/* Divides a half, and exchanges the places with the processes that will use them. */
static bool layOut(comm_graph_run *run) {
  const comm_graph_view &view = run->view;
  Window &window = run->window;
  int64_t end = 0, most = 0;
  window.slots.clear();
  forEachLent(view, [&](int p, const uint32_t *, int64_t count) {
    window.slots.push_back({p, end});
    int64_t slot = window.groups ? headBytes(window) + padded(count) * window.updateBytes : 0;
    most = std::max({most, slot, count * window.valueBytes});
    end += slot;
  });
  window.updates = end;
  window.half = end + padded(static_cast<int64_t>(view.ghosts) * window.valueBytes);
  window.owners.clear();
  window.borrowers.clear();
  comm_reduce_lists *lists;
  check(run, comm_reduce_lists_create(view.reduce, sizeof(Place), &lists), "comm_reduce_lists_create");
  auto tell = [&](int rank, Place place) { memcpy(comm_reduce_append(lists, rank), &place, sizeof place); };
  for (const Window::Slot &slot : window.slots)
    tell(slot.rank, {1, {0, slot.place, 0, window.half}});
  for (int i = 0; i < view.partners; ++i)
    tell(view.partner_ranks[i], {0, {0, end, view.partner_ghosts[i] - view.owned, window.half}});
  comm_reduce_votes votes = {};
  // MPI counts bytes with 32 bits.
  votes.max[0] = most > INT_MAX;
  check(run, comm_reduce_deliver(lists, receivePlaces, &window, &votes), "comm_reduce_deliver");
  comm_reduce_lists_free(&lists);
  auto isBefore = [](const Window::Target &a, const Window::Target &b) { return a.rank < b.rank; };
  std::sort(window.owners.begin(), window.owners.end(), isBefore);
  std::sort(window.borrowers.begin(), window.borrowers.end(), isBefore);
  if (votes.max[0])
    window.whyNot = "one process would put more than 2 GiB into the window of another at once";
  return !votes.max[0];
}

/* Within a node each process may map the windows of all. If these do not fit into the address space of one process
 * (ulimit -v), Open MPI 4.1 returns an error to that process only, and the others wait for it. */
static bool canMap(comm_graph_run *run, int64_t bytes) {
  constexpr size_t slack = size_t(64) << 20;
  comm_reduce_votes votes = {};
  votes.sum[0] = bytes;
  check(run, comm_reduce_vote(run->view.reduce, &votes), "comm_reduce_vote");
  size_t all = static_cast<size_t>(votes.sum[0]) + slack;
  void *probe = mmap(nullptr, all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  votes = {};
  votes.max[0] = probe == MAP_FAILED;
  if (probe != MAP_FAILED)
    munmap(probe, all);
  check(run, comm_reduce_vote(run->view.reduce, &votes), "comm_reduce_vote");
  if (votes.max[0])
    run->window.whyNot = "a process has no room for the windows of all";
  return !votes.max[0];
}

/* Makes a window of that size and frees it again: MPI ends a program whose own attempt fails. Open MPI 4.1 has no
 * windows over TCP. */
static bool canMake(comm_graph_run *run, int64_t bytes) {
  MPI_Comm_set_errhandler(run->comm, MPI_ERRORS_RETURN);
  MPI_Win window = MPI_WIN_NULL;
  void *memory;
  int code = MPI_Win_allocate(static_cast<MPI_Aint>(bytes), 1, MPI_INFO_NULL, run->comm, &memory, &window);
  MPI_Comm_set_errhandler(run->comm, MPI_ERRORS_ARE_FATAL);
  char text[MPI_MAX_ERROR_STRING] = "another process cannot make a window";
  int length;
  if (code != MPI_SUCCESS)
    MPI_Error_string(code, text, &length);
  // The text is part of the statistics, which are JSON.
  for (char *c = text; *c; ++c)
    if (*c == '"' || *c == '\\' || static_cast<unsigned char>(*c) < ' ')
      *c = ' ';
  comm_reduce_votes votes = {};
  votes.max[0] = code != MPI_SUCCESS;
  check(run, comm_reduce_vote(run->view.reduce, &votes), "comm_reduce_vote");
  if (!votes.max[0])
    MPI_Win_free(&window);
  else
    run->window.whyNot = text;
  return !votes.max[0];
}

int64_t comm_graph_run_window(comm_graph_run *run, int64_t groups, int64_t updateBytes, int64_t valueBytes) {
  Window &window = run->window;
  bool isFirst = !window.isWanted;
  window.isWanted = true;
  if (run->view.processes == 1)
    return 0;
  if (isFirst) {
    window.groups = groups;
    window.updateBytes = updateBytes;
    window.valueBytes = valueBytes;
    // No window is empty, even if this process has no border.
    if (layOut(run) && canMap(run, 2 * window.half + 8) && canMake(run, 2 * window.half + 8))
      window.bytes = 2 * window.half + 8;
  }
  return window.bytes;
}

void comm_graph_run_window_open(comm_graph_run *run, void *memory) {
  Window &window = run->window;
  window.memory = static_cast<char *>(memory);
  window.isOpen = true;
  window.round = 0;
  if (window.groups)
    for (const Window::Slot &slot : window.slots)
      for (int64_t half : {int64_t(0), window.half})
        memset(window.memory + half + slot.place, 0, sizeof window.round);
}

void comm_graph_run_window_close(comm_graph_run *run) { run->window.isOpen = false; }

/* Returns the offset of the half of the pulse in a window. */
static int64_t halfOf(const Window &window, int64_t half) { return window.round & 1 ? half : 0; }

static const comm_graph_puts *finish(Window &window) {
  window.puts = {static_cast<int64_t>(window.list.size()), window.list.data()};
  return &window.puts;
}

const comm_graph_puts *comm_graph_run_updates_puts(comm_graph_run *run, int64_t count,
                                                   comm_graph_updates *const *handles) {
  Window &window = run->window;
  const comm_graph_view &view = run->view;
  ++window.round;
  window.list.clear();
  const auto groups = static_cast<size_t>(count), partners = static_cast<size_t>(view.partners);
  std::vector<std::vector<int>> bytes(groups);
  for (size_t g = 0; g < groups; ++g)
    countBytes(*static_cast<Updates *>(handles[g]), bytes[g]);
  // Where the message to each partner begins. Nothing is sent to those whose vertices did not change.
  std::vector<int64_t> places(partners + 1, 0);
  for (size_t i = 0; i < partners; ++i) {
    int64_t all = 0;
    for (size_t g = 0; g < groups; ++g)
      all += padded(bytes[g][i]);
    places[i + 1] = places[i] + (all ? headBytes(window) + all : 0);
  }
  window.packed.resize(static_cast<size_t>(places[partners]) / 8 + 1);
  std::vector<char *> next(partners, nullptr);
  for (size_t i = 0; i < partners; ++i) {
    int64_t length = places[i + 1] - places[i];
    if (!length)
      continue;
    char *head = reinterpret_cast<char *>(window.packed.data()) + places[i];
    memcpy(head, &window.round, sizeof window.round);
    for (size_t g = 0; g < groups; ++g)
      memcpy(head + sizeof window.round + g * sizeof(int32_t), &bytes[g][i], sizeof(int32_t));
    next[i] = head + headBytes(window);
    const Window::Target &target = window.owners[i];
    window.list.push_back({head, halfOf(window, target.half) + target.place, static_cast<int32_t>(target.rank),
                           static_cast<int32_t>(length)});
  }
  for (size_t g = 0; g < groups; ++g) {
    writeUpdates(*static_cast<Updates *>(handles[g]), bytes[g], next);
    for (size_t i = 0; i < partners; ++i)
      if (next[i])
        next[i] += padded(bytes[g][i]);
  }
  ++run->travels.pulses;
  run->travels.messages += static_cast<int64_t>(window.list.size());
  run->travels.bytes += places[partners];
  return finish(window);
}

const comm_graph_puts *comm_graph_run_values_puts(comm_graph_run *run, int64_t site, const comm_graph_values *handle) {
  const Values &values = *static_cast<const Values *>(handle);
  Window &window = run->window;
  ++window.round;
  window.list.clear();
  const char *from = packLent(run, site, values);
  const auto size = static_cast<int64_t>(sizeOf(values.type));
  auto target = window.borrowers.begin();
  forEachLent(run->view, [&](int, const uint32_t *, int64_t count) {
    int64_t place = halfOf(window, target->half) + target->place + target->index * size;
    window.list.push_back({from, place, static_cast<int32_t>(target->rank), static_cast<int32_t>(count * size)});
    from += count * size;
    ++target;
  });
  return finish(window);
}

void comm_graph_run_updates_collect(comm_graph_updates *handle, int64_t index, int64_t puts) {
  Updates &updates = *static_cast<Updates *>(handle);
  const Window &window = updates.run->window;
  comm_graph_run_waited(updates.run);
  updates.values->changes = nullptr;
  auto slot = window.slots.begin();
  // Apply in the order of ranks, so that sums are added in the same order in each run.
  auto collect = [&](int, const uint32_t *places, int64_t count) {
    const char *head = window.memory + halfOf(window, window.half) + (slot++)->place;
    uint64_t round;
    memcpy(&round, head, sizeof round);
    if (round != window.round)
      return;
    const char *from = head + headBytes(window);
    int32_t bytes = 0;
    for (int64_t i = 0; i <= index; ++i) {
      from += padded(bytes);
      memcpy(&bytes, head + sizeof round + static_cast<size_t>(i) * sizeof bytes, sizeof bytes);
    }
    applyArrived(updates, places, count, from, bytes);
  };
  if (puts)
    forEachLent(updates.run->view, collect);
  endUpdates(updates);
}

const void *comm_graph_run_values_collect(comm_graph_run *run) {
  const Window &window = run->window;
  comm_graph_run_waited(run);
  return window.memory + halfOf(window, window.half) + window.updates;
}
