// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The processes of a window as a communicator. MPI provides only their group (MPI-4, 12.2.6).

#include "Site.h"

namespace comm::cdag::run {

namespace {

int windowKey = MPI_KEYVAL_INVALID;

struct WindowProcesses {
  MPI_Comm comm = MPI_COMM_NULL;
};

int onWindowFree(MPI_Win, int, void *value, void *) {
  auto *processes = static_cast<WindowProcesses *>(value);
  if (processes->comm != MPI_COMM_NULL && processes->comm != MPI_COMM_WORLD)
    MPI_Comm_free(&processes->comm);
  destroy(processes);
  return MPI_SUCCESS;
}

/// Makes the communicator. Every process of the window gets the same result.
MPI_Comm makeCommunicator(MPI_Win win) {
  MPI_Group group, world;
  if (MPI_Win_get_group(win, &group) != MPI_SUCCESS)
    return MPI_COMM_NULL;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Comm made = MPI_COMM_NULL;
  int same = MPI_UNEQUAL;
  MPI_Group_compare(group, world, &same);
  if (same == MPI_IDENT) {
    made = MPI_COMM_WORLD;
  } else {
    MPI_Group common;
    int size = 0, inside = 0;
    MPI_Group_intersection(group, world, &common);
    MPI_Group_size(group, &size);
    MPI_Group_size(common, &inside);
    if (size == inside)
      MPI_Comm_create_group(MPI_COMM_WORLD, group, 0, &made);
    MPI_Group_free(&common);
  }
  MPI_Group_free(&world);
  MPI_Group_free(&group);
  return made;
}

} // namespace

MPI_Comm processesOf(MPI_Win win) {
  if (windowKey == MPI_KEYVAL_INVALID &&
      MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, onWindowFree, &windowKey, nullptr) != MPI_SUCCESS)
    return MPI_COMM_NULL;
  void *found = nullptr;
  int flag = 0;
  MPI_Win_get_attr(win, windowKey, &found, &flag);
  if (flag)
    return static_cast<WindowProcesses *>(found)->comm;
  WindowProcesses *processes = create<WindowProcesses>();
  processes->comm = makeCommunicator(win);
  MPI_Win_set_attr(win, windowKey, processes);
  return processes->comm;
}

} // namespace comm::cdag::run
