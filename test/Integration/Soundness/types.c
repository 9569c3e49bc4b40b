// A message of numbers cannot write pointers and adjacent sizes, so their loads pass the wait. Values that the program
// stores there, receives as bytes, or loads before the memory is used for a message keep their order.
// RUN: %same %s -o %t -n 2 --overlaps MPI_Irecv
// RUN: %same %s -o %t.plain -n 2 -- -fno-strict-aliasing
#include "Inputs/soundness.h"

static double work_values[steps];

struct vector {
  int length;
  double *values, *others;
};

// The addresses do not distinguish the loads of `own` from the message.
NOINLINE static void reload(struct vector *own, double *message) {
  MPI_Request *request = malloc(sizeof *request);
  MPI_Irecv(message, few, MPI_DOUBLE, 1 - rank, 0, MPI_COMM_WORLD, request);
  MPI_Wait(request, MPI_STATUS_IGNORE);
  double *values = own->others;
  int n = own->length;
  for (int i = 1; i < n; ++i)
    work_values[i] = work_values[i - 1] * 0.5 + i;
  say("reload", (long)(work_values[n - 1] + values[0] + message[few - 1]));
  free(request);
}

NOINLINE static double *peek(double **place) { return place[1]; }

// Another pointer is stored where the message was, in memory without a type of its own.
NOINLINE static void restore(double **place, double *first, double *second) {
  MPI_Recv(place, few, MPI_DOUBLE, 1 - rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  place[0] = first;
  place[1] = second;
  double *restrict values = place[0];
  for (int i = 1; i < steps; ++i)
    values[i] = values[i - 1] * 0.5 + i;
  say("restore", (long)peek(place)[0]);
}

// The pointer is loaded before a message takes its place.
NOINLINE static void replace(double **place, double *values) {
  for (int i = 1; i < steps; ++i)
    values[i] = values[i - 1] * 0.5 + i;
  double *last = place[0];
  MPI_Recv(place, few, MPI_DOUBLE, 1 - rank, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  say("replace", (long)last[0]);
}

// As bytes, a pointer may come from this process.
NOINLINE static void bytes(struct vector *to, struct vector *from) {
  MPI_Request request;
  MPI_Isend(from, sizeof *from, MPI_BYTE, rank, 3, MPI_COMM_WORLD, &request);
  MPI_Recv(to, sizeof *to, MPI_BYTE, rank, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  double *restrict values = to->values;
  int n = to->length;
  for (int i = 1; i < n; ++i)
    values[i] = values[i - 1] * 0.5 + i;
  say("bytes", (long)values[n - 1]);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

// A number that no pointer is next to may be a message of any type, as far as programs keep to that.
struct header {
  long length;
  double values[few];
};
NOINLINE static void numbers(struct header *to, double *values) {
  MPI_Recv(to, 1 + few, MPI_DOUBLE, 1 - rank, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  long n = to->length;
  for (long i = 1; i < n; ++i)
    values[i] = values[i - 1] * 0.5 + i;
  say("numbers", (long)values[n - 1]);
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  double *a = calloc(steps, sizeof *a), *b = calloc(steps, sizeof *b), message[few];
  struct vector *own = malloc(sizeof *own), *other = calloc(1, sizeof *other);
  struct header header = {steps, {0}}, got = {1, {0}};
  *own = (struct vector){steps, a, b};
  for (int i = 0; i < few; ++i)
    message[i] = i;
  b[0] = 7;
  MPI_Request requests[4];
  nap(rank * 20);
  for (int tag = 0; tag < 3; ++tag)
    MPI_Isend(message, few, MPI_DOUBLE, 1 - rank, tag, MPI_COMM_WORLD, &requests[tag]);
  MPI_Isend(&header, 1 + few, MPI_DOUBLE, 1 - rank, 4, MPI_COMM_WORLD, &requests[3]);
  double *received = malloc(few * sizeof *received);
  reload(own, received);
  double **place = malloc(few * sizeof *place);
  restore(place, a, b);
  place[0] = b;
  replace(place, a);
  bytes(other, own);
  numbers(&got, a);
  MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
  MPI_Finalize();
  return 0;
}
