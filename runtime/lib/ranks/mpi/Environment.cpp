// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file MPI_Init to MPI_Finalize, clocks, names, memory (MPI-4, 9 and 11).
#include "objects/Communicator.h"
#include "objects/Datatype.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <unistd.h>

using namespace comm::ranks;

static int initialize() {
  Rank &rank = self();
  if (rank.initialized)
    return fail(nullptr, ABI_ERR_OTHER, "MPI is initialized already");
  rank.initialized = true;
  return ABI_SUCCESS;
}

extern "C" {

int comm_ranks_MPI_Init(int *, char ***) { return initialize(); }

int comm_ranks_MPI_Init_thread(int *, char ***, int required, int *provided) {
  // A rank that waits for its own threads, in pthread_join or at the end of a parallel region, blocks its kernel
  // thread. If other ranks share the kernel thread, its threads might wait for one of these forever.
  bool isAlone = process.options.perThread == 1;
  Rank &rank = self();
  rank.threadLevel = isAlone ? required : std::min<int>(required, ABI_THREAD_FUNNELED);
  *provided = rank.threadLevel;
  if (rank.threadLevel > ABI_THREAD_FUNNELED)
    rank.thread->takesTurns = rank.thread->countsEntries = true;
  return initialize();
}

int comm_ranks_MPI_Query_thread(int *provided) {
  *provided = self().threadLevel;
  return ABI_SUCCESS;
}

int comm_ranks_MPI_Is_thread_main(int *flag) {
  *flag = !thisThread->current->foreign;
  return ABI_SUCCESS;
}

int comm_ranks_MPI_Initialized(int *flag) {
  *flag = self().initialized;
  return ABI_SUCCESS;
}

int comm_ranks_MPI_Finalized(int *flag) {
  *flag = self().finalized;
  return ABI_SUCCESS;
}

int comm_ranks_MPI_Finalize(void) {
  Rank &rank = self();
  if (!rank.initialized || rank.finalized)
    return fail(nullptr, ABI_ERR_OTHER, rank.finalized ? "MPI is finalized already" : "MPI is not initialized");
  // MPI-4, 11.2.4: delete the attributes of MPI_COMM_SELF first.
  if (rank.self)
    if (int error = deleteAttributes(ABI_COMM_SELF, rank.self->attributes))
      return fail(rank.self, error, "a delete callback of MPI_COMM_SELF");
  rank.finalized = true;
  return ABI_SUCCESS;
}

int comm_ranks_MPI_Abort(ABI_Comm, int errorcode) {
  die(&self(), errorcode & 0xff ? errorcode & 0xff : errorcode, "the program called MPI_Abort with error code %d",
      errorcode);
}

double comm_ranks_MPI_Wtime(void) {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  // Relative to the start of the process: small numbers keep nanosecond precision.
  return (now.tv_sec - process.started.tv_sec) + 1e-9 * (now.tv_nsec - process.started.tv_nsec);
}

double comm_ranks_MPI_Wtick(void) { return 1e-9; }

int comm_ranks_MPI_Get_processor_name(char *name, int *resultlen) {
  return classOfNative(MPI_Get_processor_name(name, resultlen));
}

int comm_ranks_MPI_Get_version(int *version, int *subversion) {
  *version = ABI_VERSION;
  *subversion = ABI_SUBVERSION;
  return ABI_SUCCESS;
}

int comm_ranks_MPI_Get_library_version(char *version, int *resultlen) {
  char beneath[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  MPI_Get_library_version(beneath, &length);
  *resultlen = snprintf(version, ABI_MAX_LIBRARY_VERSION_STRING, "Comm ranks 0.1 over %s", beneath);
  if (*resultlen >= ABI_MAX_LIBRARY_VERSION_STRING)
    *resultlen = ABI_MAX_LIBRARY_VERSION_STRING - 1;
  return ABI_SUCCESS;
}

int comm_ranks_MPI_Abi_get_version(int *abi_major, int *abi_minor) {
  *abi_major = MPI_ABI_VERSION;
  *abi_minor = MPI_ABI_SUBVERSION;
  return ABI_SUCCESS;
}

int comm_ranks_MPI_Alloc_mem(ABI_Aint size, ABI_Info, void *baseptr) {
  void *memory = size < 0 ? nullptr : malloc(size ? size : 1);
  if (!memory)
    return fail(nullptr, ABI_ERR_NO_MEM, "no memory for %ld bytes", static_cast<long>(size));
  memcpy(baseptr, &memory, sizeof(memory));
  return ABI_SUCCESS;
}

int comm_ranks_MPI_Free_mem(void *base) {
  free(base);
  return ABI_SUCCESS;
}

int comm_ranks_MPI_Pcontrol(const int, ...) { return ABI_SUCCESS; }

int comm_ranks_MPI_Get_address(const void *location, ABI_Aint *address) {
  *address = reinterpret_cast<ABI_Aint>(location);
  return ABI_SUCCESS;
}

ABI_Aint comm_ranks_MPI_Aint_add(ABI_Aint base, ABI_Aint disp) { return base + disp; }

ABI_Aint comm_ranks_MPI_Aint_diff(ABI_Aint addr1, ABI_Aint addr2) { return addr1 - addr2; }

} // extern "C"
