// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file MPI_Win_create to MPI_Win_free, and the names, info, attributes and error handlers of windows (MPI-4, 12.2,
/// 7.7, 7.8, 9.3).
#include "window/Window.h"
#include "collective/Collective.h"
#include "objects/Keyvals.h"

#include <algorithm>
#include <climits>
#include <cstring>

using namespace comm::ranks;

namespace comm::ranks {

static const char *const badKeyval = "not a keyval that the program created, or a callback failed";

static int badWindow(Comm *c, ABI_Aint size, int64_t unit) {
  if (c->isInter())
    return fail(c, ABI_ERR_COMM, "a window needs an intracommunicator");
  if (size < 0)
    return fail(c, ABI_ERR_SIZE, "the size %ld is negative", static_cast<long>(size));
  if (unit <= 0 || unit > INT_MAX)
    return fail(c, ABI_ERR_DISP, "the displacement unit %ld is not positive", static_cast<long>(unit));
  return ABI_SUCCESS;
}

static int create(Comm *c, int flavor, void *base, ABI_Aint size, int64_t unit, ABI_Info info, ABI_Win *win) {
  if (int error = badWindow(c, size, unit))
    return error;
  *win = handleOf(makeWindow(c, flavor, static_cast<char *>(base), size, unit, infoOf(info)));
  return ABI_SUCCESS;
}

static int createShared(Comm *c, ABI_Aint size, int64_t unit, ABI_Info info, ABI_Win *win) {
  if (int error = badWindow(c, size, unit))
    return error;
  if (c->shared->here != c->size)
    return fail(c, ABI_ERR_RMA_SHARED,
                "its ranks are in several processes: ranks of one process share memory, and "
                "MPI_Comm_split_type(MPI_COMM_TYPE_SHARED) finds them");
  *win = handleOf(makeSharedWindow(c, size, unit, infoOf(info)));
  return ABI_SUCCESS;
}

static int query(Window *window, int rank, ABI_Aint *size, ABI_Aint *unit, void *baseptr) {
  if (window->flavor == ABI_WIN_FLAVOR_DYNAMIC)
    return failIn(window, ABI_ERR_RMA_FLAVOR, "MPI_Win_create_dynamic made it: it has no memory of its own");
  auto &all = window->shared->exposed;
  if (rank == ABI_PROC_NULL) { // use the first rank that has memory
    rank = 0;
    while (rank + 1 < window->comm->size && !all[rank].size)
      ++rank;
  }
  if (rank < 0 || rank >= window->comm->size)
    return failIn(window, ABI_ERR_RANK, "%d is not a rank of it: use 0 to %d", rank, window->comm->size - 1);
  // Since MPI-4.1, windows of other flavors may be asked: size 0 means that the memory cannot be accessed.
  bool isHere = process.isHere(window->comm->globalOf(rank));
  void *base = isHere ? all[rank].base : nullptr;
  *size = isHere ? all[rank].size : 0;
  *unit = all[rank].unit;
  memcpy(baseptr, &base, sizeof(void *));
  return ABI_SUCCESS;
}

/// Returns a predefined attribute: the base itself, or the address of another value.
static bool predefined(Window *window, int keyval, void *value) {
  void *found = nullptr;
  switch (keyval) {
  case ABI_WIN_BASE:
    memcpy(value, &window->own.base, sizeof(void *));
    return true;
  case ABI_WIN_SIZE:
    found = &window->own.size;
    break;
  case ABI_WIN_DISP_UNIT:
    found = &window->unit;
    break;
  case ABI_WIN_CREATE_FLAVOR:
    found = &window->flavor;
    break;
  case ABI_WIN_MODEL:
    found = &window->model;
    break;
  default:
    return false;
  }
  memcpy(value, &found, sizeof(void *));
  return true;
}

static int isPredefinedKeyval(int keyval) { return keyval >= ABI_WIN_BASE && keyval <= ABI_WIN_MODEL; }

} // namespace comm::ranks

extern "C" {

int comm_ranks_MPI_Win_create(void *base, ABI_Aint size, int disp_unit, ABI_Info info, ABI_Comm comm, ABI_Win *win) {
  COMM_OR_FAIL(c, comm);
  return create(c, ABI_WIN_FLAVOR_CREATE, base, size, disp_unit, info, win);
}

int comm_ranks_MPI_Win_create_c(void *base, ABI_Aint size, ABI_Aint disp_unit, ABI_Info info, ABI_Comm comm,
                                ABI_Win *win) {
  COMM_OR_FAIL(c, comm);
  return create(c, ABI_WIN_FLAVOR_CREATE, base, size, disp_unit, info, win);
}

int comm_ranks_MPI_Win_allocate_c(ABI_Aint size, ABI_Aint disp_unit, ABI_Info info, ABI_Comm comm, void *baseptr,
                                  ABI_Win *win) {
  COMM_OR_FAIL(c, comm);
  if (int error = create(c, ABI_WIN_FLAVOR_ALLOCATE, nullptr, size, disp_unit, info, win))
    return error;
  memcpy(baseptr, &windowOf(*win)->own.base, sizeof(void *));
  return ABI_SUCCESS;
}

int comm_ranks_MPI_Win_allocate(ABI_Aint size, int disp_unit, ABI_Info info, ABI_Comm comm, void *baseptr,
                                ABI_Win *win) {
  return comm_ranks_MPI_Win_allocate_c(size, disp_unit, info, comm, baseptr, win);
}

int comm_ranks_MPI_Win_allocate_shared_c(ABI_Aint size, ABI_Aint disp_unit, ABI_Info info, ABI_Comm comm, void *baseptr,
                                         ABI_Win *win) {
  COMM_OR_FAIL(c, comm);
  if (int error = createShared(c, size, disp_unit, info, win))
    return error;
  memcpy(baseptr, &windowOf(*win)->own.base, sizeof(void *));
  return ABI_SUCCESS;
}

int comm_ranks_MPI_Win_allocate_shared(ABI_Aint size, int disp_unit, ABI_Info info, ABI_Comm comm, void *baseptr,
                                       ABI_Win *win) {
  return comm_ranks_MPI_Win_allocate_shared_c(size, disp_unit, info, comm, baseptr, win);
}

int comm_ranks_MPI_Win_create_dynamic(ABI_Info info, ABI_Comm comm, ABI_Win *win) {
  COMM_OR_FAIL(c, comm);
  return create(c, ABI_WIN_FLAVOR_DYNAMIC, nullptr, 0, 1, info, win);
}

int comm_ranks_MPI_Win_shared_query_c(ABI_Win win, int rank, ABI_Aint *size, ABI_Aint *disp_unit, void *baseptr) {
  WINDOW_OR_FAIL(window, win);
  return query(window, rank, size, disp_unit, baseptr);
}

int comm_ranks_MPI_Win_shared_query(ABI_Win win, int rank, ABI_Aint *size, int *disp_unit, void *baseptr) {
  WINDOW_OR_FAIL(window, win);
  ABI_Aint unit = 0;
  int error = query(window, rank, size, &unit, baseptr);
  *disp_unit = unit;
  return error;
}

int comm_ranks_MPI_Win_attach(ABI_Win win, void *base, ABI_Aint size) {
  WINDOW_OR_FAIL(window, win);
  if (window->flavor != ABI_WIN_FLAVOR_DYNAMIC)
    return failIn(window, ABI_ERR_RMA_FLAVOR, "MPI_Win_create_dynamic did not make it");
  if (size < 0)
    return failIn(window, ABI_ERR_SIZE, "the size %ld is negative", static_cast<long>(size));
  auto *from = static_cast<char *>(base);
  WindowTarget &target = window->targetOf(window->comm->rank);
  bool overlaps = false;
  if (!size) { // detaches an empty region, too
    std::lock_guard<std::mutex> guard(target.mutex);
    target.attachedEmpty.push_back(base);
    return ABI_SUCCESS;
  }
  {
    std::lock_guard<std::mutex> guard(target.mutex);
    auto after = target.attached.upper_bound(from);
    overlaps = after != target.attached.end() && after->first < from + size;
    if (after != target.attached.begin())
      overlaps |= std::prev(after)->first + std::prev(after)->second > from;
    if (!overlaps)
      target.attached[from] = size;
  }
  if (overlaps)
    return failIn(window, ABI_ERR_RMA_ATTACH, "%ld bytes at %p overlap an attached region", static_cast<long>(size),
                  base);
  return ABI_SUCCESS;
}

int comm_ranks_MPI_Win_detach(ABI_Win win, const void *base) {
  WINDOW_OR_FAIL(window, win);
  WindowTarget &target = window->targetOf(window->comm->rank);
  bool found;
  {
    std::lock_guard<std::mutex> guard(target.mutex);
    auto empty = std::find(target.attachedEmpty.begin(), target.attachedEmpty.end(), base);
    found = target.attached.erase(static_cast<char *>(const_cast<void *>(base))) || empty != target.attachedEmpty.end();
    if (empty != target.attachedEmpty.end())
      target.attachedEmpty.erase(empty);
  }
  if (window->flavor != ABI_WIN_FLAVOR_DYNAMIC)
    return failIn(window, ABI_ERR_RMA_FLAVOR, "MPI_Win_create_dynamic did not make it");
  if (!found)
    return failIn(window, ABI_ERR_RMA_ATTACH, "nothing that begins at %p is attached", base);
  return ABI_SUCCESS;
}

int comm_ranks_MPI_Win_free(ABI_Win *win) {
  WINDOW_OR_FAIL(window, *win);
  if (window->lockedAll || !window->locks.empty() || window->accessed || window->exposedTo)
    return failIn(window, ABI_ERR_RMA_SYNC, "an epoch is open: end it before the window is freed");
  if (int error = windowKeyvals.removeAll(*win, window->attributes))
    return failIn(window, error, "a delete callback of an attribute");
  flushAll(window);
  InCollective named("MPI_Win_free");
  barrier(window->comm, window->comm->nextCollective());
  endWindow(window);
  *win = ABI_WIN_NULL;
  return ABI_SUCCESS;
}

int comm_ranks_MPI_Win_get_group(ABI_Win win, ABI_Group *group) {
  WINDOW_OR_FAIL(window, win);
  *group = makeGroup(membersOf(window->comm));
  return ABI_SUCCESS;
}

int comm_ranks_MPI_Win_set_name(ABI_Win win, const char *win_name) {
  WINDOW_OR_FAIL(window, win);
  window->name.assign(win_name, strnlen(win_name, ABI_MAX_OBJECT_NAME - 1));
  return ABI_SUCCESS;
}

int comm_ranks_MPI_Win_get_name(ABI_Win win, char *win_name, int *resultlen) {
  if (win == ABI_WIN_NULL) {
    strcpy(win_name, "MPI_WIN_NULL");
    *resultlen = strlen(win_name);
    return ABI_SUCCESS;
  }
  WINDOW_OR_FAIL(window, win);
  strcpy(win_name, window->name.c_str());
  *resultlen = window->name.size();
  return ABI_SUCCESS;
}

int comm_ranks_MPI_Win_set_info(ABI_Win win, ABI_Info info) {
  WINDOW_OR_FAIL(window, win);
  Info *given = infoOf(info);
  if (!given)
    return failIn(window, ABI_ERR_INFO, "invalid info object");
  for (auto &entry : given->entries)
    for (auto &known : window->info.entries)
      if (known.first == entry.first)
        known.second = entry.second;
  return ABI_SUCCESS;
}

int comm_ranks_MPI_Win_get_info(ABI_Win win, ABI_Info *info_used) {
  WINDOW_OR_FAIL(window, win);
  *info_used = copyInfo(&window->info);
  return ABI_SUCCESS;
}

int comm_ranks_MPI_Win_create_errhandler(ABI_Win_errhandler_function *win_errhandler_fn, ABI_Errhandler *errhandler) {
  auto *handler = new Errhandler;
  handler->window = win_errhandler_fn;
  *errhandler = reinterpret_cast<ABI_Errhandler>(handler);
  return ABI_SUCCESS;
}

int comm_ranks_MPI_Win_set_errhandler(ABI_Win win, ABI_Errhandler errhandler) {
  WINDOW_OR_FAIL(window, win);
  Errhandler *handler = errhandlerOf(errhandler);
  if (errhandler == ABI_ERRHANDLER_NULL || !errhandler || (handler && !handler->window))
    return failIn(window, ABI_ERR_ERRHANDLER, "not an error handler of windows");
  retainErrhandler(errhandler);
  releaseErrhandler(window->errhandler);
  window->errhandler = errhandler;
  return ABI_SUCCESS;
}

int comm_ranks_MPI_Win_get_errhandler(ABI_Win win, ABI_Errhandler *errhandler) {
  WINDOW_OR_FAIL(window, win);
  retainErrhandler(window->errhandler);
  *errhandler = window->errhandler;
  return ABI_SUCCESS;
}

int comm_ranks_MPI_Win_call_errhandler(ABI_Win win, int errorcode) {
  WINDOW_OR_FAIL(window, win);
  failIn(window, errorcode, "the program called the error handler");
  return ABI_SUCCESS;
}

int comm_ranks_MPI_Win_create_keyval(ABI_Win_copy_attr_function *copy, ABI_Win_delete_attr_function *remove,
                                     int *win_keyval, void *extra_state) {
  *win_keyval = windowKeyvals.make(copy, remove, extra_state);
  return ABI_SUCCESS;
}

int comm_ranks_MPI_Win_free_keyval(int *win_keyval) {
  WindowKeyvals::Keyval found;
  if (!windowKeyvals.find(*win_keyval, found))
    return fail(nullptr, ABI_ERR_KEYVAL, "%s", badKeyval);
  *win_keyval = ABI_KEYVAL_INVALID;
  return ABI_SUCCESS;
}

int comm_ranks_MPI_Win_set_attr(ABI_Win win, int win_keyval, void *value) {
  WINDOW_OR_FAIL(window, win);
  return failIn(window, windowKeyvals.set(win, window->attributes, win_keyval, value), "%s", badKeyval);
}

int comm_ranks_MPI_Win_get_attr(ABI_Win win, int win_keyval, void *value, int *flag) {
  WINDOW_OR_FAIL(window, win);
  *flag = predefined(window, win_keyval, value);
  if (*flag)
    return ABI_SUCCESS;
  WindowKeyvals::Keyval found;
  if (!windowKeyvals.find(win_keyval, found))
    return failIn(window, ABI_ERR_KEYVAL, "%s", badKeyval);
  *flag = WindowKeyvals::get(window->attributes, win_keyval, value);
  return ABI_SUCCESS;
}

int comm_ranks_MPI_Win_delete_attr(ABI_Win win, int win_keyval) {
  WINDOW_OR_FAIL(window, win);
  if (isPredefinedKeyval(win_keyval))
    return failIn(window, ABI_ERR_KEYVAL, "a predefined attribute stays");
  return failIn(window, windowKeyvals.erase(win, window->attributes, win_keyval), "%s", badKeyval);
}

} // extern "C"
