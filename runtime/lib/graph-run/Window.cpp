// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exchanges by puts into a window, which the program makes and synchronizes by operations of the comm dialect.
//
// A half of a process's window has a slot for each process that has copies of its values, in which updates of them
// arrive, and a slot for each owner of its ghosts, in which their values do. A slot begins with the number of the pulse
// that filled it; then come sizes, and what was sent. Each process knows where its slots are in the windows of others,
// so that nobody sends sizes or waits for a particular process.
#include "Run.h"

#include <algorithm>
#include <climits>
#include <sys/mman.h>

using namespace comm::graphrun;

/* The number of the pulse, and the bytes of each kind of update, or of the values of each property. */
static int64_t headBytes(const Window &window) {
  return static_cast<int64_t>(sizeof window.round) * (1 + window.groups);
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
  int64_t most = 0;
  window.half = 0;
  auto add = [&](std::vector<int64_t> &slots, int64_t bytes) {
    slots.push_back(window.half);
    most = std::max(most, bytes);
    window.half += bytes;
  };
  auto addSlot = [&](std::vector<int64_t> &slots, int64_t count, int64_t bytes) {
    // What a part has besides values is less than a part with one value.
    const auto part = static_cast<int64_t>(comm_part_most(1, sizeof(int64_t)));
    add(slots, bytes ? headBytes(window) + window.groups * part + (count * bytes + 7) / 8 * 8 : 0);
  };
  std::vector<int64_t> borrowers;
  forEachLent(view, [&](int p, const uint32_t *, int64_t count) {
    borrowers.push_back(p);
    addSlot(window.updateSlots, count, window.updateBytes);
  });
  for (int i = 0; i < view.partners; ++i)
    addSlot(window.valueSlots, view.partner_ghosts[i + 1] - view.partner_ghosts[i], window.valueBytes);
  comm_reduce_lists *lists;
  check(run, comm_reduce_lists_create(view.reduce, sizeof(Place), &lists), "comm_reduce_lists_create");
  auto tell = [&](int64_t rank, bool isForUpdates, int64_t slot) {
    Place place = {isForUpdates, {0, slot, window.half}};
    memcpy(comm_reduce_append(lists, static_cast<int>(rank)), &place, sizeof place);
  };
  for (size_t i = 0; i < borrowers.size(); ++i)
    tell(borrowers[i], true, window.updateSlots[i]);
  for (size_t i = 0; i < window.valueSlots.size(); ++i)
    tell(view.partner_ranks[i], false, window.valueSlots[i]);
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
  comm_graph_run_waits(run);
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
  auto clear = [&](const std::vector<int64_t> &slots) {
    for (int64_t slot : slots)
      for (int64_t half : {int64_t(0), window.half})
        memset(window.memory + half + slot, 0, sizeof window.round);
  };
  if (window.updateBytes)
    clear(window.updateSlots);
  if (window.valueBytes)
    clear(window.valueSlots);
}

void comm_graph_run_window_close(comm_graph_run *run) { run->window.isOpen = false; }

/* Returns the offset of the half of the pulse in a window. */
static int64_t halfOf(const Window &window, int64_t half) { return window.round & 1 ? half : 0; }

static void begin(Window &window) {
  ++window.round;
  window.list.clear();
}

static void put(Window &window, const char *from, int64_t bytes, const Window::Target &target) {
  window.list.push_back({from, halfOf(window, target.half) + target.place, static_cast<int32_t>(target.rank),
                         static_cast<int32_t>(bytes)});
}

static const comm_graph_puts *finish(comm_graph_run *run) {
  Window &window = run->window;
  window.puts = {static_cast<int64_t>(window.list.size()), window.list.data()};
  ++run->travels.pulses;
  run->travels.messages += window.puts.count;
  for (const comm_graph_put &each : window.list)
    run->travels.bytes += each.bytes;
  return &window.puts;
}

const comm_graph_puts *comm_graph_run_updates_puts(comm_graph_run *run, int64_t count,
                                                   comm_graph_updates *const *handles) {
  Window &window = run->window;
  const comm_graph_view &view = run->view;
  begin(window);
  const auto groups = static_cast<size_t>(count);
  std::vector<Updates *> updates;
  size_t most = 0;
  for (size_t g = 0; g < groups; ++g) {
    updates.push_back(static_cast<Updates *>(handles[g]));
    sortUpdates(*updates[g]);
    for (int i = 0; i < view.partners; ++i)
      most += mostBytes(*updates[g], i);
  }
  most += static_cast<size_t>(headBytes(window) * view.partners);
  window.packed.resize(most / 8 + 1);
  char *to = reinterpret_cast<char *>(window.packed.data());
  for (int i = 0; i < view.partners; ++i) {
    char *head = to, *end = head + headBytes(window);
    for (size_t g = 0; g < groups; ++g) {
      int64_t bytes = static_cast<int64_t>(writeUpdates(*updates[g], i, end));
      memcpy(head + (1 + g) * sizeof bytes, &bytes, sizeof bytes);
      end += bytes;
    }
    // Nothing is sent to those whose vertices did not change.
    if (end == head + headBytes(window))
      continue;
    memcpy(head, &window.round, sizeof window.round);
    put(window, head, end - head, window.owners[static_cast<size_t>(i)]);
    to = end;
  }
  for (Updates *each : updates)
    releaseGhosts(*each);
  return finish(run);
}

const comm_graph_puts *comm_graph_run_values_puts(comm_graph_run *run, int64_t count, comm_graph_values *const *handles,
                                                  int onlyChanges) {
  Window &window = run->window;
  begin(window);
  beginBundles(run, count, handles, onlyChanges != 0);
  size_t most = 0;
  forEachLent(run->view,
              [&](int, const uint32_t *, int64_t lent) { most += sizeof window.round + mostBundleBytes(run, lent); });
  window.packed.resize(most / 8 + 1);
  char *to = reinterpret_cast<char *>(window.packed.data());
  auto target = window.borrowers.begin();
  forEachLent(run->view, [&](int, const uint32_t *places, int64_t lent) {
    const Window::Target &borrower = *target++;
    size_t bytes = lent ? writeBundle(run, places, lent, to + sizeof window.round) : 0;
    if (!bytes)
      return;
    bytes += sizeof window.round;
    memcpy(to, &window.round, sizeof window.round);
    put(window, to, static_cast<int64_t>(bytes), borrower);
    to += bytes;
  });
  return finish(run);
}

const void *comm_graph_run_values_collect(comm_graph_run *run, int64_t puts) {
  const Window &window = run->window;
  comm_graph_run_waited(run);
  for (int i = 0; i < run->view.partners && puts; ++i) {
    const char *from = window.memory + halfOf(window, window.half) + window.valueSlots[static_cast<size_t>(i)];
    uint64_t round;
    memcpy(&round, from, sizeof round);
    if (round == window.round)
      readBundle(run, i, from + sizeof round);
  }
  endBundles(run);
  const Values &first = *run->bundled.front().values;
  return first.at(first.owned);
}

void comm_graph_run_updates_collect(comm_graph_updates *handle, int64_t index, int64_t puts) {
  Updates &updates = *static_cast<Updates *>(handle);
  const Window &window = updates.run->window;
  comm_graph_run_waited(updates.run);
  updates.values->changes = nullptr;
  auto slot = window.updateSlots.begin();
  // Apply in the order of ranks, so that sums are added in the same order in each run.
  auto collect = [&](int, const uint32_t *places, int64_t count) {
    const char *head = window.memory + halfOf(window, window.half) + *slot++;
    uint64_t round;
    memcpy(&round, head, sizeof round);
    if (round != window.round)
      return;
    const char *from = head + headBytes(window);
    int64_t bytes = 0;
    for (int64_t i = 0; i <= index; ++i) {
      from += bytes;
      memcpy(&bytes, head + sizeof round + static_cast<size_t>(i) * sizeof bytes, sizeof bytes);
    }
    if (bytes)
      applyArrived(updates, places, count, from);
  };
  if (puts)
    forEachLent(updates.run->view, collect);
  endUpdates(updates);
}
