// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One context per communicator, stored in one of its attributes.

#include "Context.h"
#include "Site.h"

#include <cstdlib>
#include <ctime>

namespace comm::cdag::run {

namespace {

int contextKey = MPI_KEYVAL_INVALID;
int finalizeKey = MPI_KEYVAL_INVALID;
bool finalizing = false;

int onFinalize(MPI_Comm, int, void *, void *) {
  // MPI deletes the attributes of MPI_COMM_SELF first. From here on MPI itself frees communicators.
  finalizing = true;
  return MPI_SUCCESS;
}

/// The context that was requested last: an attribute lookup costs more than a message.
Context *lastUsed = nullptr;

int onFree(MPI_Comm, int, void *value, void *) {
  auto *context = static_cast<Context *>(value);
  lastUsed = nullptr;
  for (Site *site : context->sites)
    destroy(site);
  for (CompiledSchedule *schedule : context->schedules) {
    std::free(schedule->part);
    destroy(schedule);
  }
  for (LocalGraph *graph : context->graphs)
    destroy(graph);
  for (SubCommunicator &sub : context->subs) {
    if (!finalizing)
      MPI_Comm_free(&sub.comm);
    std::free(sub.members);
  }
  if (!finalizing && context->comm != MPI_COMM_NULL)
    MPI_Comm_free(&context->comm);
  destroy(context);
  return MPI_SUCCESS;
}

void readEnvironment(Context &context) {
  // Use the environment of process 0, because all processes must behave alike.
  double values[6] = {double(environmentNumber("COMM_CDAG_REORDER_FP", 0)),
                      double(environmentNumber("COMM_CDAG_KEEP_SYNC", 1)),
                      double(environmentNumber("COMM_CDAG_MODE", 2)),
                      double(environmentNumber("COMM_CDAG_TIMEOUT", 60)),
                      0,
                      double(environmentNumber("COMM_CDAG_TRIALS", 10))};
  const char *where = std::getenv("COMM_CDAG_COMPILE");
  values[4] = where && std::strcmp(where, "all") == 0;
  MPI_Bcast(values, 6, MPI_DOUBLE, 0, context.comm);
  context.defaults.reorderFloatingPoint = values[0] != 0;
  context.defaults.keepSync = values[1] != 0;
  context.defaults.mode = int32_t(values[2]);
  context.timeout = values[3];
  context.compileEverywhere = values[4] != 0;
  context.trials = uint32_t(values[5] < 1 ? 1 : values[5] > 1000 ? 1000 : values[5]);
}

} // namespace

double now() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return double(time.tv_sec) + 1e-9 * double(time.tv_nsec);
}

long environmentNumber(const char *name, long otherwise) {
  const char *text = std::getenv(name);
  if (!text || !*text)
    return otherwise;
  char *end = nullptr;
  long value = std::strtol(text, &end, 10);
  return *end ? otherwise : value;
}

Context *Context::of(MPI_Comm comm) {
  if (lastUsed && lastUsed->user == comm)
    return lastUsed;
  if (contextKey == MPI_KEYVAL_INVALID) {
    if (MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, onFree, &contextKey, nullptr) != MPI_SUCCESS ||
        MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, onFinalize, &finalizeKey, nullptr) != MPI_SUCCESS)
      return nullptr;
    MPI_Comm_set_attr(MPI_COMM_SELF, finalizeKey, nullptr);
  }
  void *found = nullptr;
  int flag = 0;
  if (MPI_Comm_get_attr(comm, contextKey, &found, &flag) != MPI_SUCCESS)
    return nullptr;
  if (flag)
    return lastUsed = static_cast<Context *>(found);
  Context *context = create<Context>();
  context->user = comm;
  int inter = 0;
  MPI_Comm_test_inter(comm, &inter);
  if (inter) {
    context->plain = true;
    MPI_Comm_set_attr(comm, contextKey, context);
    return context;
  }
  if (MPI_Comm_dup(comm, &context->comm) != MPI_SUCCESS) {
    destroy(context);
    return nullptr;
  }
  MPI_Comm_rank(context->comm, &context->rank);
  MPI_Comm_size(context->comm, &context->size);
  readEnvironment(*context);
  MPI_Comm_set_attr(comm, contextKey, context);
  return context;
}

LocalGraph *Context::intern(LocalGraph &graph) {
  for (LocalGraph *known : graphs)
    if (known->hash == graph.hash && known->blob.size() == graph.blob.size() &&
        std::memcmp(known->blob.data(), graph.blob.data(), graph.blob.size()) == 0)
      return known;
  LocalGraph *fresh = create<LocalGraph>();
  fresh->blob.swap(graph.blob);
  fresh->blob.shrink();
  fresh->hash = graph.hash;
  fresh->number = uint32_t(graphs.size());
  graphs.push_back(fresh);
  return fresh;
}

MPI_Comm Context::subCommunicator(const Rank *members, uint32_t count) {
  for (const SubCommunicator &sub : subs)
    if (sub.count == count && std::memcmp(sub.members, members, count * sizeof(Rank)) == 0)
      return sub.comm;
  static_assert(sizeof(Rank) == sizeof(int), "passed as MPI's ranks");
  MPI_Group all, group;
  MPI_Comm made = MPI_COMM_NULL;
  MPI_Comm_group(comm, &all);
  MPI_Group_incl(all, int(count), reinterpret_cast<const int *>(members), &group);
  MPI_Comm_create_group(comm, group, 0, &made);
  MPI_Group_free(&group);
  MPI_Group_free(&all);
  auto *copy = static_cast<Rank *>(std::malloc(count * sizeof(Rank)));
  if (!copy)
    outOfMemory(count * sizeof(Rank));
  std::memcpy(copy, members, count * sizeof(Rank));
  subs.push_back({copy, count, made});
  return made;
}

} // namespace comm::cdag::run
