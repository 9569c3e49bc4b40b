// Loads before and after a message give one value if the message cannot have changed it, according to its datatype and
// the variable. Messages to each kind of variable, blocking and nonblocking, to oneself.
// RUN: %same %s -o %t -n 1,2 --overlaps MPI_Recv
#include "Inputs/cells.h"

int count, others[4];
float small;
double wide, *pointer;
union {
  int number;
  float real;
} mixed;
struct {
  int number, more;
} pair;
static int hidden;
static double *place;

NOINLINE static void use(double *values, long value) { values[value & 7] += value; }

/// Sends to itself, and receives by `where` in the middle of loads.
#define RECEIVE(NAME, TYPE, CTYPE, LOAD)                                                                               \
  NOINLINE static long NAME(CTYPE *where, CTYPE *from, int n, double *values) {                                        \
    MPI_Request request;                                                                                               \
    MPI_Isend(from, n, TYPE, rank, 3, MPI_COMM_SELF == MPI_COMM_NULL ? MPI_COMM_SELF : MPI_COMM_WORLD, &request);      \
    long sum = LOAD;                                                                                                   \
    MPI_Recv(where, n, TYPE, rank, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);                                              \
    sum = sum * 5 + LOAD;                                                                                              \
    for (int i = 1; i < steps; ++i)                                                                                    \
      values[i] = values[i - 1] * 0.5 + (LOAD);                                                                        \
    MPI_Wait(&request, MPI_STATUS_IGNORE);                                                                             \
    use(values, sum);                                                                                                  \
    return sum * 7 + LOAD;                                                                                             \
  }

RECEIVE(doubles, MPI_DOUBLE, double, count + hidden + pair.number + others[1])
RECEIVE(doublesWide, MPI_DOUBLE, double, (long)wide)
RECEIVE(ints, MPI_INT, int, count + hidden + pair.number * 3 + others[1])
RECEIVE(floats, MPI_FLOAT, float, (long)small + mixed.number)
RECEIVE(bytes, MPI_BYTE, char, count + hidden + (long)(pointer - place) + pair.number)

/// The receive changes the pointer's bytes.
NOINLINE static double through(char *where, char *from, double *values) {
  MPI_Request request;
  MPI_Isend(from, sizeof(double *), MPI_BYTE, rank, 4, MPI_COMM_WORLD, &request);
  double sum = *pointer;
  MPI_Recv(where, sizeof(double *), MPI_BYTE, rank, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 1; i < steps; ++i)
    values[i] = values[i - 1] * 0.5 + *pointer;
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  return sum * 3 + *pointer;
}

/// Absolute addresses: anything may have been written.
NOINLINE static long absolute(int *from, double *values) {
  MPI_Datatype type;
  MPI_Aint where[2];
  int lengths[2] = {1, 1};
  MPI_Request request;
  MPI_Get_address(&count, &where[0]);
  MPI_Get_address(&others[1], &where[1]);
  MPI_Type_create_hindexed(2, lengths, where, MPI_INT, &type);
  MPI_Type_commit(&type);
  MPI_Isend(from, 2, MPI_INT, rank, 5, MPI_COMM_WORLD, &request);
  long sum = count + others[1];
  MPI_Recv(MPI_BOTTOM, 1, type, rank, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 1; i < steps; ++i)
    values[i] = values[i - 1] * 0.5 + count + others[1];
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Type_free(&type);
  return sum * 3 + count + others[1];
}

/// A status that is looked at.
NOINLINE static long counted(int *where, int *from, int n, double *values) {
  static MPI_Status status;
  MPI_Request request;
  MPI_Isend(from, n, MPI_INT, rank, 6, MPI_COMM_WORLD, &request);
  long sum = status.MPI_TAG;
  MPI_Recv(where, n, MPI_INT, MPI_ANY_SOURCE, 6, MPI_COMM_WORLD, &status);
  for (int i = 1; i < steps; ++i)
    values[i] = values[i - 1] * 0.5 + status.MPI_TAG;
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  return sum * 3 + status.MPI_TAG + status.MPI_SOURCE;
}

/// Data in flight is loaded after its wait.
NOINLINE static long inFlight(int *where, int *from, double *token, double *values) {
  MPI_Request request[3];
  long sum = count;
  MPI_Irecv(where, 1, MPI_INT, rank, 7, MPI_COMM_WORLD, &request[0]);
  MPI_Isend(from, 1, MPI_INT, rank, 7, MPI_COMM_WORLD, &request[1]);
  MPI_Sendrecv(token, 1, MPI_DOUBLE, rank, 8, token + 1, 1, MPI_DOUBLE, rank, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
  for (int i = 1; i < steps; ++i)
    values[i] = values[i - 1] * 0.5 + count;
  return sum * 3 + count;
}

/// Reductions, by an operator of the program that writes a variable.
static void add(void *in, void *inout, int *n, MPI_Datatype *type) {
  (void)type;
  for (int i = 0; i < *n; ++i)
    ((double *)inout)[i] += ((double *)in)[i];
  ++count;
}

NOINLINE static long reduced(MPI_Op op, double *values) {
  double one = rank + 1, all = 0;
  long sum = count;
  MPI_Allreduce(&one, &all, 1, MPI_DOUBLE, op, MPI_COMM_WORLD);
  int calls = count;
  for (int i = 1; i < steps; ++i)
    values[i] = values[i - 1] * 0.5 + all;
  return sum * 3 + (size == 1 ? calls : calls > sum) + count * 0;
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  static double values[steps], numbers[8] = {3, 4, 5, 6, 7, 8};
  static int integers[8] = {11, 12, 13, 14};
  static float reals[4] = {1.5f, 2.5f};
  place = pointer = &numbers[1];
  double *other = &numbers[4];
  say("double", doubles(&values[100], numbers, 2, values));
  say("wide", doublesWide(&wide, numbers, 1, values));
  say("int", ints(&count, integers, 1, values));
  say("static", ints(&hidden, integers + 1, 1, values));
  say("member", ints(&pair.number, integers, 2, values));
  say("element", ints(others, integers, 3, values));
  say("float", floats(&small, reals, 1, values));
  say("union", floats(&mixed.real, reals + 1, 1, values));
  say("bytes", bytes((char *)&count, (char *)integers, 4, values));
  say("hidden bytes", bytes((char *)&hidden, (char *)(integers + 2), 4, values));
  say("pointer", through((char *)&pointer, (char *)&other, values));
  say("absolute", absolute(integers + 1, values));
  say("status", counted(integers + 5, integers, 1, values));
  say("in flight", inFlight(&count, integers + 3, numbers, values));
  MPI_Op op;
  MPI_Op_create(add, 1, &op);
  say("operator", reduced(op, values));
  say("sum", reduced(MPI_SUM, values));
  MPI_Op_free(&op);
  printf("rank %d: %.17g\n", rank, values[7] + values[steps - 1]);
  MPI_Finalize();
  return 0;
}
