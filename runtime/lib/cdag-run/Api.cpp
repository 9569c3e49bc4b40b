// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The C interface of graphs (comm/cdag.h).

#include "GraphHandle.h"

#include <climits>
#include <cstdio>

using namespace comm::cdag;
using namespace comm::cdag::run;

struct comm_cdag_schedule {
  /// The steps of the original and their communicator, once the decision is to keep it. A run then needs nothing else.
  const StepList *kept = nullptr;
  MPI_Comm comm = MPI_COMM_NULL;
  Context *context = nullptr;
  Binding binding;
  bool cached = false;
};

namespace {

int codeOf(ErrorCode code) {
  switch (code) {
  case ErrorCode::None:
    return COMM_CDAG_SUCCESS;
  case ErrorCode::BadRank:
    return COMM_CDAG_ERR_RANK;
  case ErrorCode::BadSize:
    return COMM_CDAG_ERR_SIZE;
  case ErrorCode::BadArgument:
    return COMM_CDAG_ERR_ARG;
  case ErrorCode::BadDependency:
    return COMM_CDAG_ERR_DEPENDENCY;
  case ErrorCode::Unmatched:
    return COMM_CDAG_ERR_UNMATCHED;
  case ErrorCode::Truncation:
    return COMM_CDAG_ERR_TRUNCATION;
  case ErrorCode::Deadlock:
    return COMM_CDAG_ERR_DEADLOCK;
  case ErrorCode::Race:
    return COMM_CDAG_ERR_RACE;
  case ErrorCode::TooLarge:
    return COMM_CDAG_ERR_LIMIT;
  }
  return COMM_CDAG_ERR_ARG;
}

int fail(comm_cdag *graph, const Error &error) {
  std::snprintf(graph->message, sizeof graph->message, "%s", error.text);
  if (!graph->failure)
    graph->failure = error;
  return codeOf(error.code);
}

/// Errors of recording identify the operation by the number that it would have received.
#define COMM_FAIL(graph, code, ...)                                                                                    \
  fail(graph, makeError(code, Rank(graph->context->rank), kNone, "process %d, operation %u: " __VA_ARGS__))
#define COMM_WHERE(graph) (graph)->context->rank, (graph)->builder.numHandles()

int checkMessage(comm_cdag *graph, const char *what, const void *buf, int count, MPI_Datatype type, int peer, int tag,
                 bool receive) {
  if (count < 0)
    return COMM_FAIL(graph, ErrorCode::BadArgument, "%s with a count of %d", COMM_WHERE(graph), what, count);
  if (type == MPI_DATATYPE_NULL)
    return COMM_FAIL(graph, ErrorCode::BadArgument, "%s with a null datatype", COMM_WHERE(graph), what);
  (void)buf; // MPI_BOTTOM is a null pointer
  if (peer == MPI_PROC_NULL || (receive && peer == MPI_ANY_SOURCE))
    peer = 0;
  if (peer < 0 || peer >= graph->context->size)
    return COMM_FAIL(graph, ErrorCode::BadRank, "%s process %d, but the communicator has %d", COMM_WHERE(graph), what,
                     peer, graph->context->size);
  if (tag < 0 && !(receive && tag == MPI_ANY_TAG))
    return COMM_FAIL(graph, ErrorCode::BadArgument, "%s with tag %d", COMM_WHERE(graph), what, tag);
  return COMM_CDAG_SUCCESS;
}

int finish(comm_cdag *graph, ErrorCode code, const char *what, int *op) {
  if (code != ErrorCode::None)
    return COMM_FAIL(graph, code,
                     "%s with a datatype that is not supported, of more than "
                     "4096 blocks, or at an address beyond 2^62",
                     COMM_WHERE(graph), what);
  if (graph->builder.numHandles() > INT_MAX || graph->builder.numNodes() > kMaxIndex / 2)
    return COMM_FAIL(graph, ErrorCode::TooLarge, "too many operations", COMM_WHERE(graph));
  if (op)
    *op = int(graph->builder.numHandles()) - 1;
  return COMM_CDAG_SUCCESS;
}

int addMessage(comm_cdag *graph, bool send, const void *buf, int count, MPI_Datatype type, int peer, int tag, int *op) {
  if (!graph)
    return COMM_CDAG_ERR_ARG;
  const char *what = send ? "send to" : "receive from";
  if (int error = checkMessage(graph, what, buf, count, type, peer, tag, !send))
    return error;
  if (peer == MPI_PROC_NULL) {
    graph->builder.nothing();
    return finish(graph, ErrorCode::None, what, op);
  }
  uint32_t from = !send && peer == MPI_ANY_SOURCE ? kAnySource : uint32_t(peer);
  return finish(graph, graph->builder.message(send, buf, count, type, from, tag == MPI_ANY_TAG ? kAnyTag : tag), what,
                op);
}

/// Runs the original of a graph, as a callback of runSchedule().
int originalOfGraph(void *self) {
  auto *schedule = static_cast<comm_cdag_schedule *>(self);
  return runOriginal(*schedule->context, schedule->binding);
}

} // namespace

int comm_cdag_fail_transfer(comm_cdag *graph, int index, const comm_cdag_transfer &transfer) {
  return COMM_FAIL(
      graph, ErrorCode::BadRank, "transfer %d of %lld bytes from process %lld to %lld, but the communicator has %d",
      COMM_WHERE(graph), index, static_cast<long long>(transfer.bytes), static_cast<long long>(transfer.source_rank),
      static_cast<long long>(transfer.target_rank), graph->context->size);
}

int comm_cdag_create(MPI_Comm comm, comm_cdag **graph) {
  if (!graph)
    return COMM_CDAG_ERR_ARG;
  *graph = nullptr;
  if (comm == MPI_COMM_NULL)
    return COMM_CDAG_ERR_ARG;
  Context *context = Context::of(comm);
  if (!context)
    return COMM_CDAG_ERR_MPI;
  if (context->plain)
    return COMM_CDAG_ERR_ARG; // an inter-communicator
  *graph = create<comm_cdag>();
  (*graph)->context = context;
  (*graph)->options = context->defaults;
  return COMM_CDAG_SUCCESS;
}

int comm_cdag_add_send(comm_cdag *graph, const void *buf, int count, MPI_Datatype datatype, int dest, int tag,
                       int *op) {
  return addMessage(graph, true, buf, count, datatype, dest, tag, op);
}

int comm_cdag_add_recv(comm_cdag *graph, void *buf, int count, MPI_Datatype datatype, int source, int tag, int *op) {
  return addMessage(graph, false, buf, count, datatype, source, tag, op);
}

int comm_cdag_add_copy(comm_cdag *graph, const void *from, void *to, int count, MPI_Datatype datatype, int *op) {
  if (!graph)
    return COMM_CDAG_ERR_ARG;
  if (int error = checkMessage(graph, "copy", from, count, datatype, 0, 0, false))
    return error;
  return finish(graph, graph->builder.copy(from, to, count, datatype), "copy", op);
}

int comm_cdag_add_reduce(comm_cdag *graph, const void *in, void *inout, int count, MPI_Datatype datatype, MPI_Op mpi_op,
                         int *op) {
  if (!graph)
    return COMM_CDAG_ERR_ARG;
  if (int error = checkMessage(graph, "reduction", in, count, datatype, 0, 0, false))
    return error;
  if (mpi_op == MPI_OP_NULL)
    return COMM_FAIL(graph, ErrorCode::BadArgument, "reduction with a null operator", COMM_WHERE(graph));
  return finish(graph, graph->builder.reduce(in, inout, count, datatype, mpi_op), "reduction", op);
}

int comm_cdag_add_dependency(comm_cdag *graph, int op, int on) {
  if (!graph)
    return COMM_CDAG_ERR_ARG;
  int count = int(graph->builder.numHandles());
  if (op < 0 || op >= count || on < 0 || on >= count)
    return COMM_FAIL(graph, ErrorCode::BadArgument,
                     "a dependency of operation %d on %d, but there are only "
                     "%d",
                     COMM_WHERE(graph), op, on, count);
  if (op == on)
    return COMM_FAIL(graph, ErrorCode::BadDependency, "operation %d cannot depend on itself", COMM_WHERE(graph), op);
  graph->builder.dependency(uint32_t(op), uint32_t(on));
  return COMM_CDAG_SUCCESS;
}

int comm_cdag_add_buffer_dependencies(comm_cdag *graph) {
  if (!graph)
    return COMM_CDAG_ERR_ARG;
  graph->builder.bufferDependencies(/*signalsWait=*/false);
  return COMM_CDAG_SUCCESS;
}

int comm_cdag_add_temporary(comm_cdag *graph, const void *buf, size_t bytes) {
  if (!graph || (!buf && bytes) || bytes >= kTempBit)
    return COMM_CDAG_ERR_ARG;
  graph->builder.temporary(buf, bytes);
  return COMM_CDAG_SUCCESS;
}

int comm_cdag_add_name(comm_cdag *graph, const void *buf, size_t bytes, const char *name) {
  if (!graph || !buf || !name || bytes >= kTempBit)
    return COMM_CDAG_ERR_ARG;
  graph->builder.name(buf, bytes, name);
  return COMM_CDAG_SUCCESS;
}

int comm_cdag_set_option(comm_cdag *graph, int option, int value) {
  if (!graph)
    return COMM_CDAG_ERR_ARG;
  switch (option) {
  case COMM_CDAG_OPT_REORDER_FP:
    graph->options.reorderFloatingPoint = value != 0;
    return COMM_CDAG_SUCCESS;
  case COMM_CDAG_OPT_KEEP_SYNC:
    graph->options.keepSync = value != 0;
    return COMM_CDAG_SUCCESS;
  case COMM_CDAG_OPT_MODE:
    if (value < 0 || value > 2)
      break;
    graph->options.mode = value;
    return COMM_CDAG_SUCCESS;
  default:
    break;
  }
  return COMM_CDAG_ERR_ARG;
}

int comm_cdag_compile(comm_cdag *graph, comm_cdag_schedule **schedule) {
  if (!graph || !schedule)
    return COMM_CDAG_ERR_ARG;
  *schedule = nullptr;
  Context &context = *graph->context;
  comm_cdag_schedule *made = create<comm_cdag_schedule>();
  made->context = &context;
  LocalGraph fresh;
  graph->builder.canonicalize(graph->options, fresh, made->binding.regions);
  LocalGraph *local = graph->failure ? nullptr : context.intern(fresh);
  uint32_t candidate = local && local->lastSchedule ? local->lastSchedule : kUnknown;
  Agreement agreed = agree(context, local, candidate, graph->failure, "comm_cdag_compile");
  if (agreed.error != MPI_SUCCESS || !agreed.schedule) {
    destroy(made);
    if (agreed.error != MPI_SUCCESS)
      return COMM_CDAG_ERR_MPI;
    return fail(graph, agreed.failure);
  }
  const PartHeader &header = agreed.schedule->header();
  if (header.errorCode) {
    destroy(made);
    Error error = makeError(ErrorCode(header.errorCode), kNone, kNone, "%s", header.text);
    std::snprintf(graph->message, sizeof graph->message, "%s", error.text);
    return codeOf(error.code);
  }
  graph->message[0] = 0;
  made->binding.reset(agreed.schedule);
  made->binding.reduces = graph->builder.reduces();
  made->cached = !agreed.compiled;
  if (agreed.compiled && agreed.schedule->decision >= 0)
    report(context, *agreed.schedule,
           agreed.schedule->decision      ? "replaced, as asked"
           : canReplace(*agreed.schedule) ? "original, as asked"
                                          : "original: nothing to replace");
  *schedule = made;
  return COMM_CDAG_SUCCESS;
}

int comm_cdag_run(comm_cdag_schedule *schedule) {
  if (!schedule)
    return COMM_CDAG_ERR_ARG;
  if (schedule->kept)
    return schedule->kept->run(schedule->comm) == MPI_SUCCESS ? COMM_CDAG_SUCCESS : COMM_CDAG_ERR_MPI;
  const Binding &binding = schedule->binding;
  int error = runSchedule(*schedule->context, schedule->binding, {originalOfGraph, schedule},
                          /*agreementInTime=*/false);
  if (binding.schedule->decision == 0 && !binding.original.steps.empty()) {
    schedule->kept = &binding.original.steps;
    schedule->comm = schedule->context->comm;
  }
  return error == MPI_SUCCESS ? COMM_CDAG_SUCCESS : COMM_CDAG_ERR_MPI;
}

int comm_cdag_free(comm_cdag **graph) {
  if (graph) {
    destroy(*graph);
    *graph = nullptr;
  }
  return COMM_CDAG_SUCCESS;
}

int comm_cdag_schedule_free(comm_cdag_schedule **schedule) {
  if (schedule) {
    destroy(*schedule);
    *schedule = nullptr;
  }
  return COMM_CDAG_SUCCESS;
}

const char *comm_cdag_message(const comm_cdag *graph) { return graph ? graph->message : "no graph"; }

int comm_cdag_get_info(const comm_cdag_schedule *schedule, comm_cdag_info *info) {
  if (!schedule || !info)
    return COMM_CDAG_ERR_ARG;
  const CompiledSchedule &compiled = *schedule->binding.schedule;
  const PartHeader &header = compiled.header();
  std::memset(info, 0, sizeof *info);
  info->cached = schedule->cached;
  info->messages = int(header.messages);
  info->kept_messages = int(header.keptMessages);
  info->sync_messages = int(header.syncMessages);
  info->collectives = int(header.detected);
  info->replaced = compiled.decision;
  info->compile_seconds = compiled.compileSeconds;
  info->original_seconds = compiled.measured[0];
  info->replaced_seconds = compiled.measured[1];
  info->bytes = sizeof compiled + header.bytes + compiled.graph->blob.size() + schedule->binding.replaced.bytes() +
                schedule->binding.original.bytes();
  return COMM_CDAG_SUCCESS;
}

const char *comm_cdag_describe(const comm_cdag_schedule *schedule) {
  return schedule ? schedule->binding.schedule->header().describe : "";
}
