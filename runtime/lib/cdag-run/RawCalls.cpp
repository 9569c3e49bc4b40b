// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A phase's calls as they are: nonblocking on the user's communicator, started
// in program order, so that they match as they would have.

#include "Comm/CDag/AccessMap.h"
#include "Site.h"

#include <algorithm>

namespace comm::cdag::run {

namespace {

/// The bytes of a buffer; without knowing the type, from first to last.
void bytesOf(const RecordedCall &call, Vec<Block> &blocks) {
  if (flatten(call.type, call.count, blocks))
    return;
  blocks.clear();
  MPI_Aint lower = 0, extent = 0, trueLower = 0, trueExtent = 0;
  MPI_Type_get_extent(call.type, &lower, &extent);
  MPI_Type_get_true_extent(call.type, &trueLower, &trueExtent);
  if (call.count > 0)
    blocks.push_back(
        {int64_t(trueLower),
         uint64_t(extent) * uint64_t(call.count - 1) + uint64_t(trueExtent)});
}

bool isMessage(const RecordedCall &call) {
  return call.kind == OpKind::Send || call.kind == OpKind::Recv;
}

/// Copies elements of any datatype.
int copyElements(const RecordedCall &call) {
  Vec<Block> blocks;
  if (!flatten(call.type, call.count, blocks))
    return MPI_Sendrecv(const_cast<void *>(call.from), call.count, call.type, 0,
                        0, call.to, call.count, call.type, 0, 0, MPI_COMM_SELF,
                        MPI_STATUS_IGNORE);
  for (const Block &block : blocks)
    std::memmove(static_cast<char *>(call.to) + block.offset,
                 static_cast<const char *>(call.from) + block.offset,
                 block.size);
  return MPI_SUCCESS;
}

} // namespace

void RawCalls::findWaits() {
  site_.waits.clear();
  AccessMap accesses(1);
  Vec<OpId> found;
  Vec<Block> blocks;
  for (uint32_t i = 0; i < site_.calls.size(); ++i) {
    const RecordedCall &call = site_.calls[i];
    if (call.peer == MPI_PROC_NULL || call.kind == OpKind::Nop)
      continue;
    bytesOf(call, blocks);
    found.clear();
    // Reads before writes: the map then knows both.
    for (const Block &block : blocks) {
      if (call.kind != OpKind::Recv)
        accesses.read(0, uintptr_t(call.from) + uint64_t(block.offset),
                      block.size, i, found);
      if (call.kind == OpKind::Reduce)
        accesses.read(0, uintptr_t(call.to) + uint64_t(block.offset),
                      block.size, i, found);
    }
    for (const Block &block : blocks)
      if (call.kind != OpKind::Send)
        accesses.write(0, uintptr_t(call.to) + uint64_t(block.offset),
                       block.size, i, found);
    std::sort(found.begin(), found.end());
    for (size_t f = 0; f < found.size(); ++f)
      if (found[f] != i && (f == 0 || found[f] != found[f - 1]) &&
          isMessage(site_.calls[found[f]]))
        site_.waits.push_back({found[f], i});
  }
  site_.waitsKnown = true;
}

int RawCalls::run() {
  if (!site_.waitsKnown)
    findWaits();
  size_t count = site_.calls.size();
  Vec<MPI_Request> requests(count, MPI_REQUEST_NULL);
  const Dependency *wait = site_.waits.begin();
  int error = MPI_SUCCESS;
  for (uint32_t i = 0; i < count && error == MPI_SUCCESS; ++i) {
    const RecordedCall &call = site_.calls[i];
    for (; wait != site_.waits.end() && wait->op == i; ++wait)
      if (error == MPI_SUCCESS)
        error = MPI_Wait(&requests[wait->on], MPI_STATUS_IGNORE);
    if (error != MPI_SUCCESS)
      break;
    switch (call.kind) {
    case OpKind::Send:
      error = MPI_Isend(call.from, call.count, call.type, call.peer, call.tag,
                        comm_, &requests[i]);
      break;
    case OpKind::Recv:
      error = MPI_Irecv(call.to, call.count, call.type, call.peer, call.tag,
                        comm_, &requests[i]);
      break;
    case OpKind::Copy:
      error = copyElements(call);
      break;
    case OpKind::Reduce:
      error =
          MPI_Reduce_local(call.from, call.to, call.count, call.type, call.op);
      break;
    case OpKind::Nop:
      break;
    }
  }
  int waited = MPI_Waitall(int(count), requests.data(), MPI_STATUSES_IGNORE);
  return error != MPI_SUCCESS ? error : waited;
}

} // namespace comm::cdag::run
