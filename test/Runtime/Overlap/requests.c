// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The runtime's answers about recorded requests, in random orders of starts and queries, compared with a list that only
// drops entries because of its length.
//
// REQUIRES: openmpi
// RUN: %mpicc -g -fsanitize=address,undefined -fno-sanitize-recover=all %s -L%comm_lib_dir -lCommOverlapPointer -o %t
// RUN: env ASAN_OPTIONS=detect_leaks=0 %t | FileCheck %s
// CHECK: 20000 questions, known: many, with other operands: many
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef void *MPI_Request;
enum { sets = 4, most = 64, handles = 90, longest = 4000 };
struct CommRequestRecord;
void comm_call_begin_record(struct CommRequestRecord *record) __asm__("comm.call_begin_record");
void comm_call_forget_requests(struct CommRequestRecord *record, int set) __asm__("comm.call_forget_requests");
void comm_call_record_request(struct CommRequestRecord *record, int start,
                              int64_t request, int64_t a, int64_t b, int64_t c,
                              int64_t d, int64_t e) __asm__("comm.call_record_request");
int comm_call_knows_requests(struct CommRequestRecord *record, int set,
                             const MPI_Request *requests, int count,
                             int64_t null) __asm__("comm.call_knows_requests");
int comm_call_has_operands(const struct CommRequestRecord *record, int set,
                           int start, int64_t a, int64_t b, int64_t c,
                           int64_t d, int64_t e) __asm__("comm.call_has_operands");
int comm_call_take_requests(int areKnown, MPI_Request *requests, int count,
                            MPI_Request *taken, int64_t null) __asm__("comm.call_take_requests");
MPI_Request comm_call_get_request(const struct CommRequestRecord *record,
                                  int set, int start, int64_t null) __asm__("comm.call_get_request");

static int64_t
    memory[453 + 2]; // the size in compiled code, and a word before and after it
static struct {
  int64_t request, operands[5];
  int start;
} list[longest];
static int length, since[sets];

static int pick(int n) { return rand() % n; }

/// The last entry that the set knows of the request; -1: none.
static int findLast(int set, int64_t request) {
  int first = length - since[set] > most ? length - most : since[set];
  for (int i = length - 1; i >= first; --i)
    if (list[i].request == request)
      return i;
  return -1;
}

static void fail(const char *what) {
  printf("wrong: %s\n", what);
  exit(1);
}

int main(void) {
  struct CommRequestRecord *record = (struct CommRequestRecord *)(memory + 1);
  const int64_t null = 7;
  int questions = 0, known = 0, others = 0;
  srand(1);
  memory[0] = memory[454] = 42;
  for (; questions < 20000; ++questions) {
    if (questions % 500 == 0) {
      comm_call_begin_record(record);
      length = 0;
      for (int set = 0; set < sets; ++set)
        since[set] = 0;
    }
    for (int n = pick(20); n > 0 && length < longest; --n) {
      if (pick(15) == 0) {
        int set = pick(sets);
        comm_call_forget_requests(record, set);
        since[set] = length;
      }
      list[length].request = 100 + pick(handles);
      list[length].start = pick(3);
      for (int i = 0; i < 5; ++i)
        list[length].operands[i] = pick(4) == 0;
      const int64_t *of = list[length].operands;
      comm_call_record_request(record, list[length].start, list[length].request,
                               of[0], of[1], of[2], of[3], of[4]);
      ++length;
    }
    int set = pick(sets), count = pick(6), isKnown = 1, found[6], taken = 0;
    MPI_Request requests[6], out[6];
    for (int i = 0; i < count; ++i) {
      int64_t request =
          pick(4) == 0 || length == 0 ? null
          : pick(8) == 0
              ? 100 + pick(handles)
              : list[length - 1 - pick(length < 20 ? length : 20)].request;
      requests[i] = (MPI_Request)(intptr_t)request;
      found[i] = request == null ? -2 : findLast(set, request);
      isKnown &= found[i] != -1;
      taken += request != null;
    }
    if (comm_call_knows_requests(record, set, requests, count, null) != isKnown)
      fail("known");
    known += isKnown && taken > 0;
    for (int start = 0; isKnown && start < 3; ++start) {
      int64_t of[5];
      int areSame = 1, last = -1;
      for (int i = 0; i < 5; ++i)
        of[i] = pick(4) == 0;
      for (int i = 0; i < count; ++i)
        if (found[i] >= 0 && list[found[i]].start == start) {
          last = found[i] > last ? found[i] : last;
          for (int k = 0; k < 5; ++k)
            areSame &= list[found[i]].operands[k] == of[k];
        }
      others += !areSame;
      if (comm_call_has_operands(record, set, start, of[0], of[1], of[2], of[3],
                                 of[4]) != areSame)
        fail("operands");
      int64_t request =
          (int64_t)(intptr_t)comm_call_get_request(record, set, start, null);
      if (request != (last < 0 ? null : list[last].request))
        fail("request");
    }
    if (comm_call_take_requests(isKnown, requests, count, out, null) !=
        (isKnown ? taken : 0))
      fail("taken");
    for (int i = 0; isKnown && i < count; ++i)
      if (requests[i] != (MPI_Request)(intptr_t)null)
        fail("null");
  }
  if (memory[0] != 42 || memory[454] != 42)
    fail("size");
  printf("%d questions, known: %s, with other operands: %s\n", questions,
         known > 2000 ? "many" : "few", others > 1000 ? "many" : "few");
  return 0;
}
