// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Phases: the recording interface that compiled programs call (comm/cdag.h).

#include "Site.h"
#include "comm/cdag.h"

using namespace comm::cdag;
using namespace comm::cdag::run;

namespace {

/// The phase that is being recorded. There is one at a time.
struct Phase {
  Context *context = nullptr;
  Site *site = nullptr;
  Vec<RecordedCall> calls;
  bool wildcard = false;
  bool derived = false; ///< whether some datatype's handle does not describe it completely
  /// Whether calls are started immediately. They are as long as they match those of the site's last execution; there is
  /// then nothing to decide at the end.
  bool starting = false;
  MPI_Datatype named = MPI_DATATYPE_NULL; ///< the last one seen
  /// A window whose processes have no communicator. Nothing is recorded.
  MPI_Win direct = MPI_WIN_NULL;
  int directAssert = 0;
};
Phase phase;

/// Returns true if the phase runs unchanged, whatever its calls are.
bool staysOriginal(const Context &context, const Site &site) {
  return context.plain || context.defaults.mode == 0 || site.disabled || site.skip;
}

/// The phase differs from the last execution: records the calls that were started as its beginning, and then the rest.
void stopStarting() {
  phase.starting = false;
  phase.calls.append(phase.site->calls.begin(), phase.site->calls.begin() + phase.site->started);
}

/// Starts the call and returns true if it is the site's next one.
bool startKnown(const RecordedCall &call) {
  Site &site = *phase.site;
  if (site.started == site.calls.size() || std::memcmp(static_cast<const void *>(&site.calls[site.started]),
                                                       static_cast<const void *>(&call), sizeof call) != 0)
    return false;
  RawCalls(site, phase.context->user).startNext();
  return true;
}

Site *siteOf(Context &context, const char *name) {
  for (Site *site : context.sites)
    if (site->name == name || std::strcmp(site->name, name) == 0)
      return site;
  Site *site = create<Site>();
  site->name = name;
  context.sites.push_back(site);
  return site;
}

int record(CallKind kind, const void *from, void *to, int count, MPI_Datatype type, int peer, int tag, MPI_Op op,
           MPI_Win win = MPI_WIN_NULL, MPI_Aint displacement = 0) {
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
  call.win = win;
  call.displacement = displacement;
  if (phase.starting) {
    if (startKnown(call))
      return MPI_SUCCESS;
    stopStarting();
  }
  if (type != phase.named && !isNamed(type)) {
    // The program may free its datatype before the phase ends.
    int error = MPI_Type_dup(type, &call.type);
    if (error != MPI_SUCCESS)
      return error;
    phase.derived = true;
  } else {
    phase.named = type;
  }
  phase.calls.push_back(call);
  return MPI_SUCCESS;
}

bool valid(const Context &context, const RecordedCall &call) {
  return call.peer >= 0 && call.peer < context.size && call.tag >= 0;
}

/// Adds a get or put. Its window must have been declared.
ErrorCode addRemote(const Context &context, const Site &site, const RecordedCall &call, LocalBuilder &builder) {
  uint32_t window = 0;
  for (const RecordedCall &other : site.calls) {
    if (other.kind != CallKind::Window)
      continue;
    if (other.win == call.win)
      return valid(context, call)
                 ? builder.remote(call.kind, call.kind == CallKind::Get ? call.to : call.from, call.count, call.type,
                                  uint32_t(call.peer), call.displacement, window)
                 : ErrorCode::BadRank;
    ++window;
  }
  return ErrorCode::BadArgument;
}

ErrorCode addCall(const Context &context, const Site &site, const RecordedCall &call, LocalBuilder &builder) {
  switch (call.kind) {
  case CallKind::Send:
  case CallKind::Recv:
    if (!valid(context, call))
      return ErrorCode::BadRank;
    return builder.message(call.kind == CallKind::Send, call.kind == CallKind::Send ? call.from : call.to, call.count,
                           call.type, uint32_t(call.peer), call.tag);
  case CallKind::Copy:
    return builder.copy(call.from, call.to, call.count, call.type);
  case CallKind::Reduce:
    return builder.reduce(call.from, call.to, call.count, call.type, call.op);
  case CallKind::Temporary:
    builder.temporary(call.to, uint64_t(call.displacement));
    return ErrorCode::None;
  case CallKind::Get:
  case CallKind::Put:
    return addRemote(context, site, call, builder);
  case CallKind::Window:
    return builder.window(call.win);
  default:
    return ErrorCode::BadArgument;
  }
}

template <typename T> bool sameBytes(const Vec<T> &a, const Vec<T> &b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(static_cast<const void *>(a.data()), static_cast<const void *>(b.data()),
                                   a.size() * sizeof(T)) == 0);
}

/// Builds this process's part of the graph. Returns false if the calls do not form one.
bool buildGraph(Context &context, Site &site) {
  LocalBuilder builder;
  for (const RecordedCall &call : site.calls)
    if (call.peer != MPI_PROC_NULL && addCall(context, site, call, builder) != ErrorCode::None)
      return false;
  builder.bufferDependencies(/*signalsWait=*/true);
  LocalGraph fresh;
  Vec<Region> regions;
  builder.canonicalize(context.defaults, fresh, regions);
  LocalGraph *graph = context.intern(fresh);
  Binding &binding = site.binding;
  // If the graph and its buffers are the same, the binding remains valid.
  if (graph != site.boundGraph || !sameBytes(regions, binding.regions) ||
      !sameBytes(builder.reduces(), binding.reduces)) {
    binding.reset(nullptr);
    binding.regions.swap(regions);
    binding.reduces = builder.reduces();
  }
  site.graph = site.boundGraph = graph;
  return true;
}

/// Makes the recorded calls those of the site, and builds the graph if it is new.
void takeCalls(Context &context, Site &site) {
  size_t bytes = phase.calls.size() * sizeof(RecordedCall);
  bool same = site.reusable && !phase.derived && site.calls.size() == phase.calls.size() &&
              (bytes == 0 || std::memcmp(static_cast<const void *>(site.calls.data()),
                                         static_cast<const void *>(phase.calls.data()), bytes) == 0);
  if (same)
    return;
  site.calls.swap(phase.calls);
  site.reusable = !phase.derived;
  site.waitsKnown = false;
  site.graph = nullptr;
  if (context.plain || phase.wildcard || !buildGraph(context, site))
    site.graph = nullptr;
}

/// Runs the original because nothing can be gained for now. The next executions skip the agreement; all processes count
/// alike.
int original(Site &site, RawCalls &raw) {
  site.skipNext = site.skipNext ? site.skipNext * 2 : 8;
  if (site.skipNext > 1024)
    site.skipNext = 1024;
  site.skip = site.skipNext;
  return raw.run();
}

int runPhase(Context &context, Site &site) {
  RawCalls raw(site, context.user);
  if (staysOriginal(context, site)) {
    site.skip -= site.skip > 0;
    return raw.run();
  }
  uint32_t candidate = !site.graph ? kFallback : site.graph->lastSchedule ? site.graph->lastSchedule : kUnknown;
  Agreement agreed = agree(context, site.graph, candidate, Error(), site.name);
  if (agreed.error != MPI_SUCCESS)
    return agreed.error;
  CompiledSchedule *schedule = agreed.schedule;
  if (!schedule) {
    if (!site.saidFallback)
      reportText(context, site.name, "original", "a wildcard, or a datatype that cannot be taken apart");
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
  // A phase that differs almost every time costs more than it can gain.
  if (site.compilations >= 8 && site.hits < 4 * site.compilations) {
    site.disabled = true;
    reportText(context, site.name, "original", "a new graph almost each time: no longer compiled");
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
  if (!site || phase.context || phase.direct != MPI_WIN_NULL)
    return MPI_ERR_OTHER; // no site, or nested
  if (comm == MPI_COMM_NULL)
    return MPI_ERR_COMM;
  phase.context = Context::of(comm);
  if (!phase.context)
    return MPI_ERR_COMM;
  phase.site = siteOf(*phase.context, site);
  phase.calls.clear();
  phase.wildcard = phase.derived = false;
  phase.starting = staysOriginal(*phase.context, *phase.site) && phase.site->reusable && phase.site->waitsKnown;
  return MPI_SUCCESS;
}

int comm_cdag_phase_send(const void *buf, int count, MPI_Datatype datatype, int dest, int tag) {
  return record(CallKind::Send, buf, nullptr, count, datatype, dest, tag, MPI_OP_NULL);
}

int comm_cdag_phase_recv(void *buf, int count, MPI_Datatype datatype, int source, int tag) {
  if (source == MPI_ANY_SOURCE || tag == MPI_ANY_TAG)
    phase.wildcard = true;
  return record(CallKind::Recv, nullptr, buf, count, datatype, source, tag, MPI_OP_NULL);
}

int comm_cdag_phase_copy(const void *from, void *to, int count, MPI_Datatype datatype) {
  return record(CallKind::Copy, from, to, count, datatype, 0, 0, MPI_OP_NULL);
}

int comm_cdag_phase_reduce(const void *in, void *inout, int count, MPI_Datatype datatype, MPI_Op mpi_op) {
  return record(CallKind::Reduce, in, inout, count, datatype, 0, 0, mpi_op);
}

int comm_cdag_phase_window(MPI_Win win) {
  // A window handle may be reused for other memory, so the calls must not be reused.
  phase.derived = true;
  return record(CallKind::Window, nullptr, nullptr, 0, MPI_BYTE, 0, 0, MPI_OP_NULL, win);
}

int comm_cdag_phase_begin_fences(const char *site, MPI_Win win, int first_assert, int last_assert, int epochs) {
  if (phase.context || phase.direct != MPI_WIN_NULL)
    return MPI_ERR_OTHER;
  MPI_Comm comm = processesOf(win);
  if (comm == MPI_COMM_NULL) {
    phase.direct = win;
    phase.directAssert = last_assert;
    return MPI_Win_fence(first_assert, win);
  }
  if (int error = comm_cdag_phase_begin(site, comm))
    return error;
  phase.derived = true;
  return record(CallKind::Window, nullptr, nullptr, first_assert, MPI_BYTE, epochs ? 1 : 0, last_assert, MPI_OP_NULL,
                win);
}

int comm_cdag_phase_get(void *origin, int count, MPI_Datatype datatype, int target, MPI_Aint target_disp, MPI_Win win) {
  if (phase.direct != MPI_WIN_NULL)
    return MPI_Get(origin, count, datatype, target, target_disp, count, datatype, win);
  return record(CallKind::Get, nullptr, origin, count, datatype, target, 0, MPI_OP_NULL, win, target_disp);
}

int comm_cdag_phase_put(const void *origin, int count, MPI_Datatype datatype, int target, MPI_Aint target_disp,
                        MPI_Win win) {
  if (phase.direct != MPI_WIN_NULL)
    return MPI_Put(origin, count, datatype, target, target_disp, count, datatype, win);
  return record(CallKind::Put, origin, nullptr, count, datatype, target, 0, MPI_OP_NULL, win, target_disp);
}

int comm_cdag_phase_temporary(const void *buf, size_t bytes) {
  if ((!buf && bytes) || bytes >= kTempBit)
    return MPI_ERR_ARG;
  return record(CallKind::Temporary, nullptr, const_cast<void *>(buf), 0, MPI_BYTE, 0, 0, MPI_OP_NULL, MPI_WIN_NULL,
                MPI_Aint(bytes));
}

int comm_cdag_phase_end(void) {
  if (phase.direct != MPI_WIN_NULL) {
    MPI_Win win = phase.direct;
    phase.direct = MPI_WIN_NULL;
    return MPI_Win_fence(phase.directAssert, win);
  }
  if (!phase.context)
    return MPI_ERR_OTHER;
  Context &context = *phase.context;
  phase.context = nullptr;
  Site &site = *phase.site;
  if (phase.starting && site.started < site.calls.size())
    stopStarting();
  if (!phase.starting)
    takeCalls(context, site);
  phase.starting = false;
  int error = runPhase(context, site);
  if (phase.derived)
    for (RecordedCall &call : site.calls)
      if (!isNamed(call.type))
        MPI_Type_free(&call.type);
  return error;
}
