// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "window/Window.h"
#include "collective/Collective.h"
#include "collective/Create.h"
#include "window/WindowMessage.h"

#include <cstring>
#include <numeric>
#include <unordered_map>

namespace comm::ranks {

static std::mutex lock; // guards the map
static std::unordered_map<uint64_t, WindowShared *> windows;

// Reserved keys of the standard, with their defaults (MPI-4, 12.2.1).
static const std::pair<const char *, const char *> reservedKeys[] = {
    {"no_locks", "false"},
    {"accumulate_ordering", "rar,raw,war,waw"},
    {"accumulate_ops", "same_op_no_op"},
    {"mpi_accumulate_granularity", "0"},
    {"same_size", "false"},
    {"same_disp_unit", "false"},
    {"alloc_shared_noncontig", "false"},
};

bool WindowTarget::hasAttached(char *from, const char *to) const {
  while (from < to) {
    auto after = attached.upper_bound(from);
    if (after == attached.begin())
      return false;
    char *end = std::prev(after)->first + std::prev(after)->second;
    if (end <= from)
      return false;
    from = end;
  }
  return true;
}

static WindowShared *share(const Comm *comm, int flavor) {
  std::lock_guard<std::mutex> guard(lock);
  WindowShared *&shared = windows[comm->shared->context];
  if (!shared) {
    shared = new WindowShared(comm->size);
    shared->key = comm->shared->context;
    shared->flavor = flavor;
  }
  ++shared->references;
  return shared;
}

WindowShared *findWindow(uint64_t key) {
  std::lock_guard<std::mutex> guard(lock);
  auto found = windows.find(key);
  return found == windows.end() ? nullptr : found->second;
}

static Window *begin(Comm *c, int flavor, const Info *info) {
  serveWindows();
  auto *window = new Window;
  window->comm = duplicateBare(c, c->nextCollective());
  window->comm->name = new std::string("the communicator of an RMA window");
  window->flavor = flavor;
  window->shared = share(window->comm, flavor);
  window->traffic.resize(process.count);
  for (auto &key : reservedKeys) {
    window->info.entries.push_back({key.first, key.second});
    for (size_t i = 0; info && i < info->entries.size(); ++i)
      if (info->entries[i].first == key.first)
        window->info.entries.back().second = info->entries[i].second;
  }
  return window;
}

/// Publishes what this rank exposes. Members may access it as soon as they return, so it must be in place before.
static void publish(Window *window, char *base, ABI_Aint size, int64_t unit) {
  window->own = {base, size, unit};
  window->unit = static_cast<int>(unit);
  Comm *comm = window->comm;
  window->targetOf(comm->rank).exposed = window->own;
  std::vector<Exposed> all(comm->size);
  allgather(comm, comm->nextCollective(), &window->own, all.data(), sizeof(Exposed));
  std::lock_guard<std::mutex> guard(lock);
  if (window->shared->exposed.empty())
    window->shared->exposed = std::move(all);
}

Window *makeWindow(Comm *c, int flavor, char *base, ABI_Aint size, int64_t unit, const Info *info) {
  Window *window = begin(c, flavor, info);
  if (flavor == ABI_WIN_FLAVOR_ALLOCATE) {
    window->memory.reset(new char[size + 1]());
    base = window->memory.get();
  }
  publish(window, base, size, unit);
  return window;
}

Window *makeSharedWindow(Comm *c, ABI_Aint size, int64_t unit, const Info *info) {
  // Each part begins on a cache line unless sizes are not multiples of one: consecutive ranks are contiguous in memory
  // (MPI-4, 12.2.3).
  Window *window = begin(c, ABI_WIN_FLAVOR_SHARED, info);
  Comm *comm = window->comm;
  std::vector<ABI_Aint> sizes(comm->size);
  allgather(comm, comm->nextCollective(), &size, sizes.data(), sizeof(size));
  if (comm->rank == 0)
    window->shared->memory.reset(new char[std::accumulate(sizes.begin(), sizes.end(), ABI_Aint(64))]());
  barrier(comm, comm->nextCollective());
  auto first = (reinterpret_cast<uintptr_t>(window->shared->memory.get()) + 63) & ~uintptr_t(63);
  auto *base =
      reinterpret_cast<char *>(first) + std::accumulate(sizes.begin(), sizes.begin() + comm->rank, ABI_Aint(0));
  publish(window, base, size, unit);
  return window;
}

void endWindow(Window *window) {
  release(window->comm);
  {
    std::lock_guard<std::mutex> guard(lock);
    if (--window->shared->references == 0) {
      windows.erase(window->shared->key);
      delete window->shared;
    }
  }
  releaseErrhandler(window->errhandler);
  delete window->attributes;
  delete window;
}

int failIn(Window *window, int code, const char *format, ...) {
  if (code == ABI_SUCCESS)
    return code;
  auto call = [window](Errhandler &handler, int *passed) {
    ABI_Win object = handleOf(window);
    if (handler.window)
      handler.window(&object, passed);
  };
  std::string where =
      window->name.empty() ? "a window of " + std::to_string(window->comm->size) + " ranks" : window->name;
  va_list arguments;
  va_start(arguments, format);
  raise(window->errhandler, call, where, code, format, arguments);
  va_end(arguments);
  return code;
}

} // namespace comm::ranks
