// RUN: %clang -std=c11 -Wall -Wextra -Werror -I%comm_include -isystem %llvm_include %s -L%comm_lib_dir -lCommC \
// RUN:   -Wl,-rpath,%comm_lib_dir -o %t
// RUN: %t | FileCheck %s
//
// Requests and outcomes, from C: the operation that completes a request, and a call's results by name.

#include "comm-c/Interfaces.h"
#include "comm-c/Registration.h"

#include <stdio.h>

static const char program[] =
    "func.func @get(%a: memref<16xf32>, %b: memref<16xf32>, %peer: i32, %c: !comm.comm) {\n"
    "  %first = comm.recv async buf(%a : memref<16xf32>) source(%peer) tag(%peer) comm(%c) -> request\n"
    "  %second = comm.recv async buf(%b : memref<16xf32>) source(%peer) tag(%peer) comm(%c) -> request\n"
    "  comm.waitall array_of_requests(%first, %second)\n"
    "  %rank = comm.comm_rank comm(%c) -> rank\n"
    "  return\n"
    "}\n";

static void printName(MlirStringRef name) { printf(" %.*s", (int)name.length, name.data); }

static void count(MlirStringRef name, void *counter) { *(int *)counter += name.length != 0; }

/// The number of the operation that makes the value.
static int numberOf(MlirValue value, MlirBlock block) {
  int number = 0;
  for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op), ++number)
    if (mlirValueIsAOpResult(value) && mlirOperationEqual(op, mlirOpResultGetOwner(value)))
      return number;
  return -1;
}

int main(void) {
  MlirContext context = mlirContextCreate();
  MlirDialectRegistry registry = mlirDialectRegistryCreate();
  commRegisterAllDialects(registry);
  mlirContextAppendDialectRegistry(context, registry);
  mlirDialectRegistryDestroy(registry);
  commContextLoadAllDialects(context);
  int operations = 0;
  commContextForEachOperation(context, count, &operations);
  printf("operations: %s\n", operations > 100 ? "many" : "few");

  MlirModule module = mlirModuleCreateParse(context, mlirStringRefCreateFromCString(program));
  if (mlirModuleIsNull(module))
    return 1;
  MlirOperation function = mlirBlockGetFirstOperation(mlirModuleGetBody(module));
  MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(function, 0));
  int number = 0;
  for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op), ++number) {
    if (!commOperationIsMPI(op))
      continue;
    printf("%d", number);
    printName(commMPIGetFunction(op));
    printf("%s", commMPIGetMode(op) == CommModeAsync ? " async" : "");
    for (intptr_t i = 0; i < commMPIGetNumOutcomes(op); ++i)
      if (!mlirValueIsNull(commMPIGetOutcome(op, i)))
        printName(commMPIGetOutcomeName(op, i));
    if (commOperationIsCompletion(op)) {
      printf(" %s", commCompletionCompletesAll(op) ? "all of" : "some of");
      for (intptr_t i = 0; i < commCompletionGetNumRequests(op); ++i)
        printf(" %d", numberOf(commCompletionGetRequest(op, i), block));
    }
    printf("\n");
  }
  mlirModuleDestroy(module);
  mlirContextDestroy(context);
  return 0;
}

// CHECK: operations: many
// CHECK-NEXT: 0 MPI_Recv async request
// CHECK-NEXT: 1 MPI_Recv async request
// CHECK-NEXT: 2 MPI_Waitall all of 0 1
// CHECK-NEXT: 3 MPI_Comm_rank rank
