// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a phase's calls as they are: nonblocking on the user's communicator and started in program order, so that they
// match as in the program.

#include "Comm/CDag/AccessMap.h"
#include "Site.h"

#include <algorithm>

namespace comm::cdag::run {

namespace {

/// Returns the blocks of a buffer, or its whole extent if the type is unknown.
void bytesOf(const RecordedCall &call, Vec<Block> &blocks) {
  if (flatten(call.type, call.count, blocks))
    return;
  blocks.clear();
  MPI_Aint lower = 0, extent = 0, trueLower = 0, trueExtent = 0;
  MPI_Type_get_extent(call.type, &lower, &extent);
  MPI_Type_get_true_extent(call.type, &trueLower, &trueExtent);
  if (call.count > 0)
    blocks.push_back({int64_t(trueLower), uint64_t(extent) * uint64_t(call.count - 1) + uint64_t(trueExtent)});
}

bool isMessage(const RecordedCall &call) { return call.kind == CallKind::Send || call.kind == CallKind::Recv; }

/// Copies elements of any datatype.
int copyElements(const RecordedCall &call) {
  Vec<Block> blocks;
  if (!flatten(call.type, call.count, blocks))
    return MPI_Sendrecv(const_cast<void *>(call.from), call.count, call.type, 0, 0, call.to, call.count, call.type, 0,
                        0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  for (const Block &block : blocks)
    std::memmove(static_cast<char *>(call.to) + block.offset, static_cast<const char *>(call.from) + block.offset,
                 block.size);
  return MPI_SUCCESS;
}

} // namespace

void RawCalls::findWaits() {
  site_.waits.clear();
  site_.waited = 0;
  AccessMap accesses(1);
  Vec<OpId> found;
  Vec<Block> blocks;
  for (uint32_t i = 0; i < site_.calls.size(); ++i) {
    const RecordedCall &call = site_.calls[i];
    if (call.peer == MPI_PROC_NULL || call.kind > CallKind::Reduce)
      continue; // gets and puts are complete at the fence
    bytesOf(call, blocks);
    found.clear();
    // Add reads before writes; the map then knows both.
    for (const Block &block : blocks) {
      if (call.kind != CallKind::Recv)
        accesses.read(0, uintptr_t(call.from) + uint64_t(block.offset), block.size, i, found);
      if (call.kind == CallKind::Reduce)
        accesses.read(0, uintptr_t(call.to) + uint64_t(block.offset), block.size, i, found);
    }
    for (const Block &block : blocks)
      if (call.kind != CallKind::Send)
        accesses.write(0, uintptr_t(call.to) + uint64_t(block.offset), block.size, i, found);
    std::sort(found.begin(), found.end());
    for (size_t f = 0; f < found.size(); ++f)
      if (found[f] != i && (f == 0 || found[f] != found[f - 1]) && isMessage(site_.calls[found[f]]))
        site_.waits.push_back({found[f], i});
  }
  site_.waitsKnown = true;
}

int RawCalls::fences(bool last) {
  for (const RecordedCall &call : site_.calls)
    if (call.kind == CallKind::Window)
      if (int error = MPI_Win_fence(last ? call.tag : call.count, call.win))
        return error;
  return MPI_SUCCESS;
}

/// Executes the fences around the replacement of gets and puts. Replaced puts have stored to the window.
int RawCalls::keptFences(bool last) {
  for (const RecordedCall &call : site_.calls)
    if (call.kind == CallKind::Window && call.peer == 1)
      if (int error = MPI_Win_fence(last ? call.tag & ~MPI_MODE_NOSTORE : call.count, call.win))
        return error;
  return MPI_SUCCESS;
}

int RawCalls::start(const RecordedCall &call, MPI_Request *request) {
  switch (call.kind) {
  case CallKind::Send:
    return MPI_Isend(call.from, call.count, call.type, call.peer, call.tag, comm_, request);
  case CallKind::Recv:
    return MPI_Irecv(call.to, call.count, call.type, call.peer, call.tag, comm_, request);
  case CallKind::Copy:
    return copyElements(call);
  case CallKind::Reduce:
    return MPI_Reduce_local(call.from, call.to, call.count, call.type, call.op);
  case CallKind::Get:
    return MPI_Get(call.to, call.count, call.type, call.peer, call.displacement, call.count, call.type, call.win);
  case CallKind::Put:
    return MPI_Put(call.from, call.count, call.type, call.peer, call.displacement, call.count, call.type, call.win);
  default:
    return MPI_SUCCESS;
  }
}

void RawCalls::startNext() {
  uint32_t call = site_.started++;
  site_.requests.resize(site_.started, MPI_REQUEST_NULL);
  for (; site_.waited < site_.waits.size() && site_.waits[site_.waited].op <= call; ++site_.waited)
    if (site_.error == MPI_SUCCESS)
      site_.error = MPI_Wait(&site_.requests[site_.waits[site_.waited].on], MPI_STATUS_IGNORE);
  if (site_.error == MPI_SUCCESS)
    site_.error = start(site_.calls[call], &site_.requests[call]);
}

int RawCalls::finish() {
  int waited = MPI_Waitall(int(site_.requests.size()), site_.requests.data(), MPI_STATUSES_IGNORE);
  int error = site_.error != MPI_SUCCESS ? site_.error : waited;
  site_.requests.clear();
  site_.started = site_.waited = 0;
  site_.error = MPI_SUCCESS;
  return error;
}

int RawCalls::run() {
  if (!site_.waitsKnown)
    findWaits();
  if (site_.started == 0)
    site_.error = fences(false);
  while (site_.started < site_.calls.size() && site_.error == MPI_SUCCESS)
    startNext();
  int error = finish();
  return error != MPI_SUCCESS ? error : fences(true);
}

} // namespace comm::cdag::run
