// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Agrees on the schedule that all processes run. A process knows only its own part of the graph, and finding that part
// in its cache says nothing about the other parts. Therefore:
//
//  1. One allreduce of the schedule that each process expects. If all are equal, it is the right one: each process has
//     compared its part byte by byte, and a schedule's number stands for one combination of parts. This is exact, not a
//     hash.
//  2. Otherwise process 0 gathers the numbers of the parts and looks for the combination among the compiled ones.
//  3. If there is none, it gathers the parts, compiles, and scatters the schedule.

#include "Context.h"

#include <climits>
#include <cstdio>

namespace comm::cdag::run {

namespace {

/// Waits for a collective operation. Prints a message on stderr if that takes long.
int waitNamed(const Context &context, MPI_Request &request, const char *waiting) {
  double begin = 0;
  bool said = false;
  for (unsigned polls = 0;; ++polls) {
    int done = 0;
    int error = MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (done || error != MPI_SUCCESS)
      return error;
    if (said || polls % 64 != 63)
      continue;
    double time = now();
    if (begin == 0)
      begin = time;
    if (time - begin > context.timeout) {
      said = true;
      std::fprintf(stderr,
                   "comm-cdag: process %d has waited %.0f s at %s for the "
                   "other processes of its communicator: all of them must "
                   "come here, in the same order\n",
                   context.rank, time - begin, waiting);
    }
  }
}

struct Announcement {
  uint32_t number;
  uint32_t errorCode;
  uint64_t bytes;
};

/// Returns the schedule of a combination of parts, or kUnknown. At process 0 only.
uint32_t findKey(const Context &context, const Vec<Announcement> &all) {
  size_t p = size_t(context.size);
  for (size_t s = 0; s < context.schedules.size(); ++s) {
    size_t i = 0;
    while (i < p && context.keys[s * p + i] == all[i].number)
      ++i;
    if (i == p)
      return uint32_t(s) + kFirstSchedule;
  }
  return kUnknown;
}

/// The message of process 0 about a combination.
struct Verdict {
  uint32_t id;     ///< kUnknown: must be compiled
  uint32_t failed; ///< a process with an error, or kNone
};

char *duplicate(const char *bytes, size_t size) {
  auto *copy = static_cast<char *>(std::malloc(size));
  if (!copy)
    outOfMemory(size);
  std::memcpy(copy, bytes, size);
  return copy;
}

/// Computes the counts and displacements of MPI's v forms. Returns false if they overflow.
bool intOffsets(const Vec<uint64_t> &offsets, Vec<int> &counts, Vec<int> &displs) {
  for (size_t i = 0; i + 1 < offsets.size(); ++i) {
    if (offsets[i + 1] > INT_MAX)
      return false;
    counts.push_back(int(offsets[i + 1] - offsets[i]));
    displs.push_back(int(offsets[i]));
  }
  return true;
}

/// Step 3: gathers parts of graphs, compiles, and scatters parts of schedules.
class Compilation {
public:
  Compilation(Context &context, const LocalGraph *graph, const Vec<Announcement> &all)
      : c_(context), graph_(graph), all_(all) {}
  char *run(double &gatherSeconds, double &scatterSeconds);

private:
  void gather();
  void tooLarge() { error_ = makeError(ErrorCode::TooLarge, kNone, kNone, "the graph has more than 2 GiB as a whole"); }
  char *scatter();

  Context &c_;
  const LocalGraph *graph_;
  const Vec<Announcement> &all_;
  Vec<char> blobs_, parts_;
  Vec<uint64_t> offsets_, partOffsets_;
  Error error_;
};

void Compilation::gather() {
  bool here = c_.rank == 0 || c_.compileEverywhere;
  Vec<int> counts, displs;
  uint64_t total = 0;
  if (here) {
    for (const Announcement &a : all_) {
      offsets_.push_back(total);
      total += a.bytes;
    }
    offsets_.push_back(total);
  }
  // Tell all processes whether it fits.
  int fits = !here || total <= INT_MAX;
  MPI_Bcast(&fits, 1, MPI_INT, 0, c_.comm);
  if (!fits) {
    tooLarge();
    return;
  }
  if (here) {
    intOffsets(offsets_, counts, displs);
    blobs_.resize(total);
  }
  int mine = int(graph_->header().sharedBytes);
  if (c_.compileEverywhere)
    MPI_Allgatherv(graph_->blob.data(), mine, MPI_BYTE, blobs_.data(), counts.data(), displs.data(), MPI_BYTE, c_.comm);
  else
    MPI_Gatherv(graph_->blob.data(), mine, MPI_BYTE, blobs_.data(), counts.data(), displs.data(), MPI_BYTE, 0, c_.comm);
}

char *Compilation::scatter() {
  Vec<int> counts, displs;
  int mine = 0;
  if (c_.rank == 0 && !intOffsets(partOffsets_, counts, displs)) {
    tooLarge();
    errorParts(error_, uint32_t(c_.size), parts_, partOffsets_);
    counts.clear();
    displs.clear();
    intOffsets(partOffsets_, counts, displs);
  }
  MPI_Scatter(counts.data(), 1, MPI_INT, &mine, 1, MPI_INT, 0, c_.comm);
  auto *part = static_cast<char *>(std::malloc(size_t(mine)));
  if (!part)
    outOfMemory(size_t(mine));
  MPI_Scatterv(parts_.data(), counts.data(), displs.data(), MPI_BYTE, part, mine, MPI_BYTE, 0, c_.comm);
  return part;
}

char *Compilation::run(double &gatherSeconds, double &scatterSeconds) {
  double begin = now();
  gather();
  gatherSeconds = now() - begin;
  bool here = c_.rank == 0 || c_.compileEverywhere;
  if (here && error_)
    errorParts(error_, uint32_t(c_.size), parts_, partOffsets_);
  else if (here)
    compileParts(blobs_.data(), offsets_, parts_, partOffsets_);
  if (c_.compileEverywhere && !error_) {
    size_t me = size_t(c_.rank);
    return duplicate(parts_.data() + partOffsets_[me], partOffsets_[me + 1] - partOffsets_[me]);
  }
  MPI_Barrier(c_.comm); // the time of waiting for the analysis does not count as scattering
  begin = now();
  char *part = scatter();
  scatterSeconds = now() - begin;
  return part;
}

CompiledSchedule *makeSchedule(Context &context, LocalGraph *graph, const Vec<Announcement> &all, const char *site) {
  double begin = now();
  CompiledSchedule *schedule = create<CompiledSchedule>();
  schedule->id = uint32_t(context.schedules.size()) + kFirstSchedule;
  schedule->graph = graph;
  schedule->site = site;
  Compilation compilation(context, graph, all);
  schedule->part = compilation.run(schedule->gatherSeconds, schedule->scatterSeconds);
  const Part part = schedule->view();
  if (!part.header().errorCode && part.header().executable)
    for (uint32_t i = 0; i < part.header().collectives; ++i) {
      const CollectivePart &c = part.collectives()[i];
      schedule->comms.push_back(c.memberBegin == c.memberEnd ? context.comm
                                                             : context.subCommunicator(part.members() + c.memberBegin,
                                                                                       c.memberEnd - c.memberBegin));
    }
  double seconds = now() - begin;
  MPI_Allreduce(&seconds, &schedule->compileSeconds, 1, MPI_DOUBLE, MPI_MAX, context.comm);
  int mode = graph->header().options.mode;
  schedule->decision = !canReplace(*schedule) ? 0 : mode == 2 ? -1 : mode != 0;
  context.schedules.push_back(schedule);
  for (const Announcement &a : all)
    if (context.rank == 0)
      context.keys.push_back(a.number);
  return schedule;
}

} // namespace

bool canReplace(const CompiledSchedule &schedule) {
  const PartHeader &header = schedule.header();
  return !header.errorCode && header.executable && header.detected > 0;
}

int agreeOn(Context &context, uint32_t candidate, uint32_t &least, bool &equal, const char *waiting) {
  // One MPI_MIN gives the minimum and, from the complement, the maximum.
  uint32_t mine[2] = {candidate, ~candidate}, all[2] = {0, 0};
  MPI_Request request = MPI_REQUEST_NULL;
  int error = MPI_Iallreduce(mine, all, 2, MPI_UINT32_T, MPI_MIN, context.comm, &request);
  if (error == MPI_SUCCESS)
    error = waitNamed(context, request, waiting);
  least = all[0];
  equal = all[0] == ~all[1];
  return error;
}

Agreement agree(Context &context, LocalGraph *graph, uint32_t candidate, const Error &failure, const char *waiting) {
  Agreement result;
  uint32_t least = 0;
  bool equal = false;
  result.error = agreeOn(context, failure ? kUnknown : candidate, least, equal, waiting);
  if (result.error != MPI_SUCCESS || least == kFallback)
    return result;
  if (equal && least >= kFirstSchedule) {
    result.schedule = context.schedules[least - kFirstSchedule];
    return result;
  }
  Announcement mine = {graph ? graph->number : kNone, uint32_t(failure.code), graph ? graph->header().sharedBytes : 0};
  bool everywhere = context.compileEverywhere;
  Vec<Announcement> all;
  if (context.rank == 0 || everywhere)
    all.resize(size_t(context.size));
  if (everywhere)
    MPI_Allgather(&mine, sizeof mine, MPI_BYTE, all.data(), sizeof mine, MPI_BYTE, context.comm);
  else
    MPI_Gather(&mine, sizeof mine, MPI_BYTE, all.data(), sizeof mine, MPI_BYTE, 0, context.comm);
  Verdict verdict = {kUnknown, kNone};
  if (context.rank == 0) {
    for (uint32_t i = 0; i < all.size(); ++i)
      if (all[i].errorCode && verdict.failed == kNone)
        verdict.failed = i;
    if (verdict.failed == kNone)
      verdict.id = findKey(context, all);
  }
  MPI_Bcast(&verdict, sizeof verdict, MPI_BYTE, 0, context.comm);
  if (verdict.failed != kNone) {
    result.failure = failure;
    MPI_Bcast(&result.failure, sizeof result.failure, MPI_BYTE, int(verdict.failed), context.comm);
    return result;
  }
  if (verdict.id >= kFirstSchedule) {
    result.schedule = context.schedules[verdict.id - kFirstSchedule];
  } else {
    result.schedule = makeSchedule(context, graph, all, waiting);
    result.compiled = true;
  }
  graph->lastSchedule = result.schedule->id;
  return result;
}

} // namespace comm::cdag::run
