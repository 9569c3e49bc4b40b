/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Records which requests a function has started itself. If a wait reads requests from memory that others also use, a
 * compiler cannot tell what it completes. Starts are therefore recorded, and at the wait the function checks that all
 * requests it finds were recorded with the operands that the compiler knows. If so, it takes them and waits for them
 * later.
 */
#include "Overlap.h"

/* Converts a handle of any type. */
static int64_t toNumber(MPI_Request request) { return (int64_t)(intptr_t)request; }

/* Returns the index of the entry for that start. */
static uint64_t at(uint64_t position) { return position % COMM_RECORDED_STARTS; }

/* Returns the first start of the set that has not been overwritten. */
static uint64_t getFirst(const struct CommRequestRecord *record, int set) {
  uint64_t first = record->since[set];
  return record->next - first > COMM_RECORDED_STARTS ? record->next - COMM_RECORDED_STARTS : first;
}

void comm_call_begin_record(struct CommRequestRecord *record) {
  record->next = 0;
  for (int set = 0; set < COMM_RECORDED_SETS; ++set)
    record->since[set] = 0;
}

void comm_call_forget_requests(struct CommRequestRecord *record, int set) { record->since[set] = record->next; }

void comm_call_record_request(struct CommRequestRecord *record, int start, int64_t request, int64_t a, int64_t b,
                              int64_t c, int64_t d, int64_t e) {
  record->starts[at(record->next++)] = (struct CommRecordedStart){request, {a, b, c, d, e}, start, 0};
}

/* Marks the last entry of the request: handles of completed requests may be reused. */
static int find(struct CommRequestRecord *record, uint64_t first, int64_t request) {
  for (uint64_t position = record->next; position > first; --position) {
    struct CommRecordedStart *entry = &record->starts[at(position - 1)];
    if (entry->request == request) {
      entry->isFound = 1;
      return 1;
    }
  }
  return 0;
}

int comm_call_knows_requests(struct CommRequestRecord *record, int set, const MPI_Request *requests, int count,
                             int64_t null) {
  uint64_t first = getFirst(record, set);
  for (uint64_t position = first; position < record->next; ++position)
    record->starts[at(position)].isFound = 0;
  int number = 0; /* requests that completed immediately may share a handle */
  for (int i = 0; i < count; ++i) {
    number += toNumber(requests[i]) != null;
    if (number > COMM_RECORDED_STARTS || (toNumber(requests[i]) != null && !find(record, first, toNumber(requests[i]))))
      return 0;
  }
  return 1;
}

int comm_call_has_operands(const struct CommRequestRecord *record, int set, int start, int64_t a, int64_t b, int64_t c,
                           int64_t d, int64_t e) {
  for (uint64_t position = getFirst(record, set); position < record->next; ++position) {
    const struct CommRecordedStart *entry = &record->starts[at(position)];
    const int64_t *known = entry->operands;
    if (entry->isFound && entry->start == start &&
        !(known[0] == a && known[1] == b && known[2] == c && known[3] == d && known[4] == e))
      return 0;
  }
  return 1;
}

int comm_call_take_requests(int areKnown, MPI_Request *requests, int count, MPI_Request *taken, int64_t null) {
  int number = 0;
  for (int i = 0; areKnown && i < count; ++i)
    if (toNumber(requests[i]) != null) {
      taken[number++] = requests[i];
      requests[i] = (MPI_Request)(intptr_t)null;
    }
  return number;
}

MPI_Request comm_call_get_request(const struct CommRequestRecord *record, int set, int start, int64_t null) {
  for (uint64_t position = record->next; position > getFirst(record, set); --position) {
    const struct CommRecordedStart *entry = &record->starts[at(position - 1)];
    if (entry->isFound && entry->start == start)
      return (MPI_Request)(intptr_t)entry->request;
  }
  return (MPI_Request)(intptr_t)null;
}
