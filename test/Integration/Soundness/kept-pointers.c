// MPI keeps no pointer to a variable that it wrote a handle or a number to: a structure with a communicator, a datatype
// and the ranks of neighbors in it is the function's own. It does keep pointers to buffers of operations that go on.
// RUN: %same %s -o %t -n 1,2 --overlaps MPI_Sendrecv
// RUN: FileCheck %s < %t.extended.remarks
// CHECK: kept-pointers.c:[[#@LINE+24]]:{{[0-9]+}}: remark: MPI_Sendrecv at kept-pointers.c:{{[0-9]+}} overlaps 2 loops
#include "Inputs/soundness.h"

static double room[steps];

struct grid {
  int count, left, right, coordinates[1];
  double *field;
  MPI_Comm line;
  MPI_Datatype pair;
};

NOINLINE static void grids(void) {
  struct grid grid = {.count = 8 * few};
  double values[steps] = {0};
  int sizes[1] = {size}, periods[1] = {1};
  grid.field = calloc(grid.count, sizeof(double));
  MPI_Cart_create(MPI_COMM_WORLD, 1, sizes, periods, 0, &grid.line);
  MPI_Cart_shift(grid.line, 0, 1, &grid.left, &grid.right);
  MPI_Cart_coords(grid.line, rank, 1, grid.coordinates);
  MPI_Type_contiguous(2, MPI_DOUBLE, &grid.pair);
  MPI_Type_commit(&grid.pair);
  for (int i = 0; i < grid.count; ++i)
    grid.field[i] = i * 3 + rank;
  MPI_Sendrecv(grid.field, few, MPI_DOUBLE, grid.right, 0, grid.field + few, few, MPI_DOUBLE, grid.left, 0, grid.line,
               MPI_STATUS_IGNORE);
  work(values);
  double sum = values[steps - 1];
  for (int i = 0; i < grid.count; ++i)
    sum = sum * 0.5 + grid.field[i];
  printf("rank %d: grid %a at %d\n", rank, sum, grid.coordinates[0]);
  free(grid.field);
  MPI_Type_free(&grid.pair);
  MPI_Comm_free(&grid.line);
}

/// The data of a request in memory may change until the wait.
NOINLINE static void requests(void) {
  struct {
    int sent[few], received[few];
    MPI_Request request;
  } box;
  int other = rank, others = 0;
  fill(box.sent, few, rank);
  fill(box.received, few, 100);
  MPI_Recv_init(box.received, few, MPI_INT, rank, 0, MPI_COMM_WORLD, &box.request);
  for (int round = 0; round < 3; ++round) {
    MPI_Start(&box.request);
    MPI_Send(box.sent, few, MPI_INT, rank, 0, MPI_COMM_WORLD);
    MPI_Allreduce(&other, &others, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    work(room);
    MPI_Wait(&box.request, MPI_STATUS_IGNORE);
    for (int i = 0; i < few; ++i)
      box.sent[i] += box.received[few - 1 - i];
  }
  MPI_Request_free(&box.request);
  say("received", total(box.received, few) + others);
  MPI_Irecv(box.received, few, MPI_INT, rank, 1, MPI_COMM_WORLD, &box.request);
  MPI_Send(box.sent, few, MPI_INT, rank, 1, MPI_COMM_WORLD);
  MPI_Wait(&box.request, MPI_STATUS_IGNORE);
  say("received", total(box.received, few));
}

/// An attached buffer is written by buffered sends.
NOINLINE static void attached(void) {
  struct {
    char space[4096 + MPI_BSEND_OVERHEAD];
    int size;
  } buffer;
  int value = rank + 7, answer;
  memset(buffer.space, 0, sizeof buffer.space);
  MPI_Buffer_attach(buffer.space, sizeof buffer.space);
  MPI_Bsend(&value, 1, MPI_INT, rank, 0, MPI_COMM_WORLD);
  MPI_Recv(&answer, 1, MPI_INT, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  void *space;
  MPI_Buffer_detach(&space, &buffer.size);
  memset(buffer.space, 1, sizeof buffer.space);
  say("attached", answer + buffer.size + buffer.space[answer]);
}

/// MPI returns what it was given: the same memory under another name.
NOINLINE static void attribute(void) {
  struct {
    int data[few], more;
  } box, *found;
  double values[steps] = {0};
  int sent[few], key, flag;
  fill(box.data, few, 5);
  fill(sent, few, 10 * rank);
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL);
  MPI_Comm_set_attr(MPI_COMM_WORLD, key, &box);
  MPI_Comm_get_attr(MPI_COMM_WORLD, key, &found, &flag);
  MPI_Sendrecv(sent, few, MPI_INT, (rank + 1) % size, 2, found->data, few, MPI_INT, (rank + size - 1) % size, 2,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  work(values);
  box.more = box.data[3] + box.data[7];
  long sum = total(box.data, few) + (long)values[steps - 1];
  say("attribute", sum + box.more);
  MPI_Comm_delete_attr(MPI_COMM_WORLD, key);
  MPI_Comm_free_keyval(&key);
}

/// So does an attached buffer.
NOINLINE static void detached(void) {
  struct {
    int data[few + MPI_BSEND_OVERHEAD], more;
  } box;
  double values[steps] = {0};
  int sent[few], length, *found;
  fill(box.data, few, 5);
  fill(sent, few, 20 * rank);
  MPI_Buffer_attach(box.data, sizeof box.data);
  MPI_Buffer_detach(&found, &length);
  MPI_Sendrecv(sent, few, MPI_INT, (rank + 1) % size, 3, found, few, MPI_INT, (rank + size - 1) % size, 3,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  work(values);
  box.more = box.data[3] + box.data[7];
  long sum = total(box.data, few) + (long)values[steps - 1];
  say("detached", sum + box.more + length);
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  grids();
  requests();
  attached();
  attribute();
  detached();
  MPI_Finalize();
  return 0;
}
