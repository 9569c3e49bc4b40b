// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Comm/CDag/AccessMap.h"

namespace comm::cdag {

void AccessMap::read(uint32_t map, Addr addr, uint64_t size, OpId op, Vec<OpId> &conflicts) {
  forest_.update(map, addr, addr + size, Access(), [&](Addr, Addr, Access &access) {
    if (access.writer != kNone)
      conflicts.push_back(access.writer);
    readers_.push_back({op, access.readers});
    access.readers = static_cast<uint32_t>(readers_.size() - 1);
  });
}

void AccessMap::write(uint32_t map, Addr addr, uint64_t size, OpId op, Vec<OpId> &conflicts) {
  forest_.pieces(map, addr, addr + size, [&](Addr, Addr, const Access *access) {
    if (!access)
      return;
    // Readers come after the writer, so waiting for them is enough.
    if (access->writer != kNone && access->readers == kNone)
      conflicts.push_back(access->writer);
    for (uint32_t i = access->readers; i != kNone; i = readers_[i].next)
      conflicts.push_back(readers_[i].op);
  });
  Access fresh;
  fresh.writer = op;
  forest_.assign(map, addr, addr + size, fresh);
}

} // namespace comm::cdag
