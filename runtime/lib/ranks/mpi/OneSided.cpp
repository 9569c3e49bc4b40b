// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file MPI_Put to MPI_Rget_accumulate (MPI-4, 12.3).
#include "window/OneSided.h"

using namespace comm::ranks;

namespace comm::ranks {

static void *writable(const void *at) { return const_cast<void *>(at); }

/// Starts an operation with a request, which is freed when the program completes it.
static int later(Window *window, WindowMessage::Kind kind, const Side &origin, const Side &result, const Place &target,
                 ABI_Op op, ABI_Request *request) {
  Request *q = newRequest(Request::OneSided, window->comm);
  q->peer = target.rank;
  int error = access(window, kind, origin, result, target, op, q);
  if (error)
    deleteRequest(q);
  *request = error ? ABI_REQUEST_NULL : handleOf(q);
  return error;
}

static const Side none = {nullptr, 0, ABI_BYTE};

} // namespace comm::ranks

// Each has four forms: with and without a request, with counts of two widths.
#define UNWRAP(...) __VA_ARGS__
#define ONE_FORM(NAME, KIND, PARAMETERS, ORIGIN, RESULT, OP)                                                           \
  int comm_ranks_MPI_##NAME(UNWRAP PARAMETERS, ABI_Win win) {                                                          \
    WINDOW_OR_FAIL(window, win);                                                                                       \
    return access(window, WindowMessage::KIND, UNWRAP ORIGIN, UNWRAP RESULT,                                           \
                  {target_rank, target_disp, target_count, target_datatype}, OP, nullptr);                             \
  }
#define ONE_REQUEST_FORM(NAME, KIND, PARAMETERS, ORIGIN, RESULT, OP)                                                   \
  int comm_ranks_MPI_##NAME(UNWRAP PARAMETERS, ABI_Win win, ABI_Request *request) {                                    \
    WINDOW_OR_FAIL(window, win);                                                                                       \
    return later(window, WindowMessage::KIND, UNWRAP ORIGIN, UNWRAP RESULT,                                            \
                 {target_rank, target_disp, target_count, target_datatype}, OP, request);                              \
  }
#define ALL_FORMS(NAME, RNAME, KIND, SMALL, LARGE, ORIGIN, RESULT, OP)                                                 \
  ONE_FORM(NAME, KIND, SMALL, ORIGIN, RESULT, OP)                                                                      \
  ONE_FORM(NAME##_c, KIND, LARGE, ORIGIN, RESULT, OP)                                                                  \
  ONE_REQUEST_FORM(RNAME, KIND, SMALL, ORIGIN, RESULT, OP)                                                             \
  ONE_REQUEST_FORM(RNAME##_c, KIND, LARGE, ORIGIN, RESULT, OP)

#define TARGET(COUNT) int target_rank, ABI_Aint target_disp, COUNT target_count, ABI_Datatype target_datatype
#define ORIGIN_SIDE(COUNT) COUNT origin_count, ABI_Datatype origin_datatype
#define RESULT_SIDE(COUNT) void *result_addr, COUNT result_count, ABI_Datatype result_datatype
#define ORIGIN {writable(origin_addr), origin_count, origin_datatype}
#define RESULT {result_addr, result_count, result_datatype}

extern "C" {

ALL_FORMS(Put, Rput, Put, (const void *origin_addr, ORIGIN_SIDE(int), TARGET(int)),
          (const void *origin_addr, ORIGIN_SIDE(ABI_Count), TARGET(ABI_Count)), (ORIGIN), (none), ABI_OP_NULL)
ALL_FORMS(Get, Rget, Get, (void *origin_addr, ORIGIN_SIDE(int), TARGET(int)),
          (void *origin_addr, ORIGIN_SIDE(ABI_Count), TARGET(ABI_Count)), (none), (ORIGIN), ABI_OP_NULL)
ALL_FORMS(Accumulate, Raccumulate, Accumulate, (const void *origin_addr, ORIGIN_SIDE(int), TARGET(int), ABI_Op op),
          (const void *origin_addr, ORIGIN_SIDE(ABI_Count), TARGET(ABI_Count), ABI_Op op), (ORIGIN), (none), op)
ALL_FORMS(Get_accumulate, Rget_accumulate, GetAccumulate,
          (const void *origin_addr, ORIGIN_SIDE(int), RESULT_SIDE(int), TARGET(int), ABI_Op op),
          (const void *origin_addr, ORIGIN_SIDE(ABI_Count), RESULT_SIDE(ABI_Count), TARGET(ABI_Count), ABI_Op op),
          (ORIGIN), (RESULT), op)

int comm_ranks_MPI_Fetch_and_op(const void *origin_addr, void *result_addr, ABI_Datatype datatype, int target_rank,
                                ABI_Aint target_disp, ABI_Op op, ABI_Win win) {
  WINDOW_OR_FAIL(window, win);
  Datatype *type = typeOf(datatype);
  if (!type || !type->predefined)
    return failIn(window, ABI_ERR_TYPE, "not a predefined datatype");
  return access(window, WindowMessage::GetAccumulate, {writable(origin_addr), 1, datatype}, {result_addr, 1, datatype},
                {target_rank, target_disp, 1, datatype}, op, nullptr);
}

int comm_ranks_MPI_Compare_and_swap(const void *origin_addr, const void *compare_addr, void *result_addr,
                                    ABI_Datatype datatype, int target_rank, ABI_Aint target_disp, ABI_Win win) {
  WINDOW_OR_FAIL(window, win);
  return compareAndSwap(window, origin_addr, compare_addr, result_addr, {target_rank, target_disp, 1, datatype});
}

} // extern "C"
