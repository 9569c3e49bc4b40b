// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bad arguments: the class of the error that MPI names (MPI-4, 9.4), from each family of functions.
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int wrong = 0;

static void expect(int code, int wanted, const char *call, int line) {
  int class = MPI_SUCCESS;
  if (code != MPI_SUCCESS)
    MPI_Error_class(code, &class);
  if (class == wanted)
    return;
  ++wrong;
  printf("line %d: %s: class %d, not %d\n", line, call, class, wanted);
}
#define MPI_ERR_SUCCESS MPI_SUCCESS
#define EXPECT(class, call) expect(call, MPI_ERR_##class, #call, __LINE__)

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  if (argc > 1 && !strcmp(argv[1], "garbage"))
    MPI_Barrier((MPI_Comm)0x123456789); // not the result of a function
  int rank, size, i = 0, flag, dims[2] = {2, -3}, periods[2] = {0, 0}, *most;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &most, &flag);
  MPI_Comm world = MPI_COMM_WORLD, comm;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Status status;
  MPI_Group group, none;
  MPI_Datatype type;
  // Point-to-point.
  EXPECT(COMM, MPI_Send(&i, 1, MPI_INT, 0, 0, MPI_COMM_NULL));
  EXPECT(COUNT, MPI_Send(&i, -1, MPI_INT, 0, 0, world));
  EXPECT(TYPE, MPI_Send(&i, 1, MPI_DATATYPE_NULL, 0, 0, world));
  EXPECT(RANK, MPI_Send(&i, 1, MPI_INT, size, 0, world));
  EXPECT(RANK, MPI_Send(&i, 1, MPI_INT, -7, 0, world));
  EXPECT(RANK, MPI_Send(&i, 1, MPI_INT, MPI_ANY_SOURCE, 0, world));
  EXPECT(TAG, MPI_Send(&i, 1, MPI_INT, 0, -5, world));
  EXPECT(TAG, MPI_Send(&i, 1, MPI_INT, 0, MPI_ANY_TAG, world));
  if (*most != 0x7fffffff)
    EXPECT(TAG, MPI_Send(&i, 1, MPI_INT, 0, *most + 1, world));
  EXPECT(COMM, MPI_Recv(&i, 1, MPI_INT, 0, 0, MPI_COMM_NULL, &status));
  EXPECT(COUNT, MPI_Recv(&i, -1, MPI_INT, 0, 0, world, &status));
  EXPECT(TYPE, MPI_Recv(&i, 1, MPI_DATATYPE_NULL, 0, 0, world, &status));
  EXPECT(RANK, MPI_Recv(&i, 1, MPI_INT, size + 5, 0, world, &status));
  EXPECT(TAG, MPI_Recv(&i, 1, MPI_INT, 0, -9, world, &status));
  EXPECT(COUNT, MPI_Isend(&i, -1, MPI_INT, 0, 0, world, &request));
  EXPECT(RANK, MPI_Irecv(&i, 1, MPI_INT, size, 0, world, &request));
  EXPECT(TYPE, MPI_Ssend(&i, 1, MPI_DATATYPE_NULL, 0, 0, world));
  EXPECT(RANK, MPI_Sendrecv(&i, 1, MPI_INT, size, 0, &i, 1, MPI_INT, 0, 0, world, &status));
  EXPECT(TAG, MPI_Send_init(&i, 1, MPI_INT, 0, -5, world, &request));
  EXPECT(RANK, MPI_Probe(size, 0, world, &status));
  EXPECT(TAG, MPI_Iprobe(0, -5, world, &flag, &status));
  EXPECT(BUFFER, MPI_Bsend(&i, 1, MPI_INT, 0, 0, world));
  EXPECT(REQUEST, MPI_Start(&request));
  EXPECT(COUNT, MPI_Waitall(-1, &request, MPI_STATUSES_IGNORE));
  // Collectives.
  EXPECT(COMM, MPI_Barrier(MPI_COMM_NULL));
  EXPECT(ROOT, MPI_Bcast(&i, 1, MPI_INT, size, world));
  EXPECT(ROOT, MPI_Bcast(&i, 1, MPI_INT, -1, world));
  EXPECT(COUNT, MPI_Bcast(&i, -2, MPI_INT, 0, world));
  EXPECT(TYPE, MPI_Bcast(&i, 1, MPI_DATATYPE_NULL, 0, world));
  EXPECT(OP, MPI_Reduce(&i, &flag, 1, MPI_INT, MPI_OP_NULL, 0, world));
  EXPECT(OP, MPI_Allreduce(&i, &flag, 1, MPI_DOUBLE, MPI_BAND, world));
  EXPECT(ROOT, MPI_Gather(&i, 1, MPI_INT, &flag, 1, MPI_INT, size, world));
  EXPECT(COUNT, MPI_Alltoall(&i, -1, MPI_INT, &flag, 1, MPI_INT, world));
  EXPECT(BUFFER, MPI_Allreduce(&i, &i, 1, MPI_INT, MPI_SUM, world));
  // Communicators, groups, topologies.
  EXPECT(COMM, MPI_Comm_dup(MPI_COMM_NULL, &comm));
  EXPECT(COMM, MPI_Comm_rank(MPI_COMM_NULL, &i));
  EXPECT(COMM, MPI_Comm_free(&world));
  world = MPI_COMM_WORLD;
  EXPECT(ARG, MPI_Comm_split(world, -3, 0, &comm));
  EXPECT(GROUP, MPI_Comm_create(world, MPI_GROUP_NULL, &comm));
  MPI_Comm_group(world, &group);
  int one[1] = {size};
  EXPECT(RANK, MPI_Group_incl(group, 1, one, &none));
  EXPECT(GROUP, MPI_Group_size(MPI_GROUP_NULL, &i));
  MPI_Group_free(&group);
  EXPECT(TOPOLOGY, MPI_Cart_get(world, 2, dims, periods, dims));
  dims[0] = 2, dims[1] = -3;
  EXPECT(DIMS, MPI_Cart_create(world, 2, dims, periods, 0, &comm));
  EXPECT(KEYVAL, MPI_Comm_set_attr(world, MPI_KEYVAL_INVALID, 0));
  // Datatypes and errors.
  EXPECT(COUNT, MPI_Type_contiguous(-1, MPI_INT, &type));
  EXPECT(TYPE, MPI_Type_contiguous(1, MPI_DATATYPE_NULL, &type));
  MPI_Datatype large, larger; // 2^31 * 2^31 * 2 bytes are more than an MPI_Aint has
  MPI_Type_contiguous(0x7fffffff, MPI_SHORT, &large);
  EXPECT(SUCCESS, MPI_Type_contiguous(0x7fffffff, MPI_CHAR, &larger));
  MPI_Type_free(&larger);
  EXPECT(SUCCESS, MPI_Type_contiguous(0x7fffffff, large, &larger));
  EXPECT(COUNT, MPI_Type_contiguous(2, larger, &type));
  EXPECT(COUNT, MPI_Type_vector(1, 2, 1, larger, &type));
  EXPECT(COUNT, MPI_Type_indexed(1, (int[]){2}, (int[]){0}, larger, &type));
  MPI_Type_free(&large);
  MPI_Type_free(&larger);
  EXPECT(COMM, MPI_Intercomm_create(world, 0, world, 0, 5, &comm)); // the same group twice
  // A freed handle is no longer valid.
  MPI_Comm freedComm, waiting;
  MPI_Comm_dup(world, &freedComm);
  waiting = freedComm;
  MPI_Irecv(&i, 1, MPI_INT, rank, 3, freedComm, &request);
  MPI_Send(&i, 1, MPI_INT, rank, 3, freedComm);
  MPI_Comm_free(&freedComm);
  EXPECT(COMM, MPI_Barrier(waiting)); // its message is under way
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  EXPECT(COMM, MPI_Barrier(waiting));
  EXPECT(COMM, MPI_Comm_free(&waiting));
  MPI_Datatype freedType, typeCopy;
  MPI_Type_contiguous(2, MPI_INT, &freedType);
  typeCopy = freedType;
  MPI_Type_free(&freedType);
  EXPECT(TYPE, MPI_Type_commit(&typeCopy));
  EXPECT(TYPE, MPI_Send(&i, 1, typeCopy, rank, 0, world));
  MPI_Group freedGroup, groupCopy;
  MPI_Comm_group(world, &freedGroup);
  groupCopy = freedGroup;
  MPI_Group_free(&freedGroup);
  EXPECT(GROUP, MPI_Group_size(groupCopy, &i));
  MPI_Info freedInfo, infoCopy;
  MPI_Info_create(&freedInfo);
  infoCopy = freedInfo;
  MPI_Info_free(&freedInfo);
  EXPECT(INFO, MPI_Info_set(infoCopy, "key", "value"));
  EXPECT(TYPE, MPI_Type_size(MPI_DATATYPE_NULL, &i));
  EXPECT(ERRHANDLER, MPI_Comm_set_errhandler(world, MPI_ERRHANDLER_NULL));
  EXPECT(INFO, MPI_Info_set(MPI_INFO_NULL, "key", "value"));
  // Outputs that are null: each of the generated entries checks its own.
  EXPECT(ARG, MPI_Comm_size(world, NULL));
  EXPECT(ARG, MPI_Comm_dup(world, NULL));
  EXPECT(ARG, MPI_Comm_split(world, 0, 0, NULL));
  EXPECT(ARG, MPI_Comm_group(world, NULL));
  EXPECT(ARG, MPI_Group_size(MPI_GROUP_EMPTY, NULL));
  EXPECT(ARG, MPI_Group_union(MPI_GROUP_EMPTY, MPI_GROUP_EMPTY, NULL));
  EXPECT(ARG, MPI_Type_contiguous(2, MPI_INT, NULL));
  EXPECT(ARG, MPI_Type_get_extent(MPI_INT, NULL, NULL));
  EXPECT(ARG, MPI_Type_free(NULL));
  EXPECT(ARG, MPI_Isend(&i, 1, MPI_INT, rank, 0, world, NULL));
  EXPECT(ARG, MPI_Wait(NULL, MPI_STATUS_IGNORE));
  EXPECT(ARG, MPI_Test(&request, NULL, MPI_STATUS_IGNORE));
  EXPECT(ARG, MPI_Info_get(MPI_INFO_ENV, "command", 0, NULL, NULL));
  EXPECT(ARG, MPI_Cart_create(world, 1, dims, periods, 0, NULL));
  EXPECT(ARG, MPI_Win_create(NULL, 0, 1, MPI_INFO_NULL, world, NULL));
  EXPECT(BUFFER, MPI_Reduce_local(MPI_IN_PLACE, &i, 1, MPI_INT, MPI_SUM));
  EXPECT(BUFFER, MPI_Reduce_local(&i, MPI_IN_PLACE, 1, MPI_INT, MPI_SUM));
  EXPECT(BUFFER, MPI_Reduce_local(&i, &i, 1, MPI_INT, MPI_SUM));
  printf("arguments: rank %d: %d wrong\n", rank, wrong);
  MPI_Finalize();
  return wrong != 0;
}
