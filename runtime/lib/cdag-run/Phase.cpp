// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Phases: the recording interface that compiled programs call (comm/cdag.h).

#include "Site.h"
#include "comm/cdag.h"

using namespace comm::cdag;
using namespace comm::cdag::run;

namespace {

/// The phase that is being recorded: one at a time.
struct Phase {
  Context *context = nullptr;
  Site *site = nullptr;
  Vec<RecordedCall> calls;
  bool wildcard = false;
  bool derived = false; ///< datatypes whose handle does not say all
};
Phase phase;

Site *siteOf(Context &context, const char *name) {
  for (Site *site : context.sites)
    if (site->name == name || std::strcmp(site->name, name) == 0)
      return site;
  Site *site = create<Site>();
  site->name = name;
  context.sites.push_back(site);
  return site;
}

int record(OpKind kind, const void *from, void *to, int count,
           MPI_Datatype type, int peer, int tag, MPI_Op op) {
  if (!phase.context)
    return MPI_ERR_OTHER;
  if (count < 0)
    return MPI_ERR_COUNT;
  if (type == MPI_DATATYPE_NULL)
    return MPI_ERR_TYPE;
  RecordedCall call;
  std::memset(static_cast<void *>(&call), 0, sizeof call);
  call.kind = kind;
  call.count = count;
  call.peer = peer;
  call.tag = tag;
  call.from = from;
  call.to = to;
  call.type = type;
  call.op = op;
  if (!isNamed(type)) {
    // The program may free its datatype before the phase ends.
    int error = MPI_Type_dup(type, &call.type);
    if (error != MPI_SUCCESS)
      return error;
    phase.derived = true;
  }
  phase.calls.push_back(call);
  return MPI_SUCCESS;
}

bool valid(const Context &context, const RecordedCall &call) {
  return call.peer >= 0 && call.peer < context.size && call.tag >= 0;
}

/// Builds this process's part of the graph; false: it cannot be one.
bool buildGraph(Context &context, Site &site) {
  LocalBuilder builder;
  for (const RecordedCall &call : site.calls) {
    ErrorCode code = ErrorCode::None;
    switch (call.kind) {
    case OpKind::Send:
    case OpKind::Recv:
      if (call.peer == MPI_PROC_NULL)
        continue;
      if (!valid(context, call))
        return false;
      code =
          builder.message(call.kind == OpKind::Send,
                          call.kind == OpKind::Send ? call.from : call.to,
                          call.count, call.type, uint32_t(call.peer), call.tag);
      break;
    case OpKind::Copy:
      code = builder.copy(call.from, call.to, call.count, call.type);
      break;
    case OpKind::Reduce:
      code = builder.reduce(call.from, call.to, call.count, call.type, call.op);
      break;
    case OpKind::Nop: // comm_cdag_phase_temporary
      builder.temporary(call.to, reinterpret_cast<uintptr_t>(call.from));
      break;
    }
    if (code != ErrorCode::None)
      return false;
  }
  builder.bufferDependencies(/*signalsWait=*/true);
  LocalGraph fresh;
  site.binding.reset(nullptr);
  builder.canonicalise(context.defaults, fresh, site.binding.regions);
  site.binding.reduces = builder.reduces();
  site.graph = context.intern(fresh);
  return true;
}

/// The phase as recorded becomes the site's; builds the graph if it is new.
void takeCalls(Context &context, Site &site) {
  size_t bytes = phase.calls.size() * sizeof(RecordedCall);
  bool same =
      site.reusable && !phase.derived &&
      site.calls.size() == phase.calls.size() &&
      (bytes == 0 ||
       std::memcmp(static_cast<const void *>(site.calls.data()),
                   static_cast<const void *>(phase.calls.data()), bytes) == 0);
  if (same)
    return;
  site.calls.swap(phase.calls);
  site.reusable = !phase.derived;
  site.waitsKnown = false;
  site.graph = nullptr;
  if (phase.wildcard || !buildGraph(context, site))
    site.graph = nullptr;
}

/// Nothing to gain here for now: the next executions need no agreement. All
/// processes count alike.
int original(Site &site, RawCalls &raw) {
  site.skipNext = site.skipNext ? site.skipNext * 2 : 8;
  if (site.skipNext > 1024)
    site.skipNext = 1024;
  site.skip = site.skipNext;
  return raw.run();
}

int runPhase(Context &context, Site &site) {
  RawCalls raw(site, context.user);
  if (context.defaults.mode == 0 || site.disabled)
    return raw.run();
  if (site.skip) {
    --site.skip;
    return raw.run();
  }
  uint32_t candidate = !site.graph                ? kFallback
                       : site.graph->lastSchedule ? site.graph->lastSchedule
                                                  : kUnknown;
  Agreement agreed = agree(context, site.graph, candidate, Error(), site.name);
  if (agreed.error != MPI_SUCCESS)
    return agreed.error;
  CompiledSchedule *schedule = agreed.schedule;
  if (!schedule) {
    if (!site.saidFallback)
      reportText(context, site.name, "original",
                 "a wildcard, or a datatype that cannot be taken apart");
    site.saidFallback = true;
    return original(site, raw);
  }
  site.compilations += agreed.compiled;
  site.hits += !agreed.compiled;
  if (agreed.compiled && schedule->decision >= 0)
    report(context, *schedule,
           schedule->header().errorCode ? "original: not a graph in itself"
           : schedule->decision         ? "replaced, as asked"
                                        : "original: nothing to replace");
  // A phase that is another one each time costs more than it can gain.
  if (site.compilations >= 8 && site.hits < 4 * site.compilations) {
    site.disabled = true;
    reportText(context, site.name, "original",
               "a new graph almost each time: no longer compiled");
  }
  if (schedule->decision == 0)
    return original(site, raw);
  site.skipNext = 0;
  if (site.binding.schedule != schedule)
    site.binding.reset(schedule);
  return runSchedule(context, site.binding, raw.original(),
                     /*agreementInTime=*/true);
}

} // namespace

int comm_cdag_phase_begin(const char *site, MPI_Comm comm) {
  if (!site || phase.context)
    return MPI_ERR_OTHER; // no site, or nested
  if (comm == MPI_COMM_NULL)
    return MPI_ERR_COMM;
  phase.context = Context::of(comm);
  if (!phase.context)
    return MPI_ERR_COMM;
  phase.site = siteOf(*phase.context, site);
  phase.calls.clear();
  phase.wildcard = phase.derived = false;
  return MPI_SUCCESS;
}

int comm_cdag_phase_send(const void *buf, int count, MPI_Datatype datatype,
                         int dest, int tag) {
  return record(OpKind::Send, buf, nullptr, count, datatype, dest, tag,
                MPI_OP_NULL);
}

int comm_cdag_phase_recv(void *buf, int count, MPI_Datatype datatype,
                         int source, int tag) {
  if (source == MPI_ANY_SOURCE || tag == MPI_ANY_TAG)
    phase.wildcard = true;
  return record(OpKind::Recv, nullptr, buf, count, datatype, source, tag,
                MPI_OP_NULL);
}

int comm_cdag_phase_copy(const void *from, void *to, int count,
                         MPI_Datatype datatype) {
  return record(OpKind::Copy, from, to, count, datatype, 0, 0, MPI_OP_NULL);
}

int comm_cdag_phase_reduce(const void *in, void *inout, int count,
                           MPI_Datatype datatype, MPI_Op mpi_op) {
  return record(OpKind::Reduce, in, inout, count, datatype, 0, 0, mpi_op);
}

int comm_cdag_phase_temporary(const void *buf, size_t bytes) {
  if ((!buf && bytes) || bytes >= kTempBit)
    return MPI_ERR_ARG;
  // The number of bytes takes the place of a pointer.
  return record(OpKind::Nop, reinterpret_cast<const void *>(bytes),
                const_cast<void *>(buf), 0, MPI_BYTE, 0, 0, MPI_OP_NULL);
}

int comm_cdag_phase_end(void) {
  if (!phase.context)
    return MPI_ERR_OTHER;
  Context &context = *phase.context;
  phase.context = nullptr;
  Site &site = *phase.site;
  takeCalls(context, site);
  int error = runPhase(context, site);
  if (phase.derived)
    for (RecordedCall &call : site.calls)
      if (!isNamed(call.type))
        MPI_Type_free(&call.type);
  return error;
}
