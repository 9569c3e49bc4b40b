// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file Groups: lists of ranks of MPI_COMM_WORLD.
#include "objects/Communicator.h"

#include <algorithm>

namespace comm::ranks {

Group::Group(std::shared_ptr<const Members> all) : members(std::move(all)) {
  int mine = self().global;
  auto found = std::find(members->begin(), members->end(), mine);
  if (found != members->end())
    rank = found - members->begin();
}

static Group *emptyGroup() {
  static Group empty(std::make_shared<Members>());
  return &empty;
}

Group *groupOf(ABI_Group handle) {
  if (handle == ABI_GROUP_EMPTY)
    return emptyGroup();
  return reinterpret_cast<uintptr_t>(handle) < 1024 ? nullptr : unlessFreed(reinterpret_cast<Group *>(handle));
}

ABI_Group makeGroup(std::shared_ptr<const Members> members) {
  if (members->empty())
    return ABI_GROUP_EMPTY;
  return reinterpret_cast<ABI_Group>(new Group(std::move(members)));
}

} // namespace comm::ranks
