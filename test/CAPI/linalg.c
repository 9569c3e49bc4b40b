// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %clang -std=c11 -Wall -Wextra -Werror -I%comm_include -isystem %llvm_include %s -L%comm_lib_dir -lCommC \
// RUN:   -Wl,-rpath,%comm_lib_dir -o %t
// RUN: %t | FileCheck %s
// CHECK: warning about 3:7: look
// CHECK-NEXT: remark about 3:7: see
// CHECK-NEXT: error about 3:7: stop
// CHECK: linalg.matmul ins({{.*}} : memref<2x3xf64>, memref<3x2xf64>) outs({{.*}} : memref<2x2xf64>)
// CHECK: linalg.add ins(
//
// Named linalg operations have a body that their text omits, but that a new operation needs.

#include "comm-c/Dialect.h"
#include "comm-c/Registration.h"
#include "comm-c/Remarks.h"
#include "mlir-c/BuiltinAttributes.h"

#include <stdio.h>
#include <stdlib.h>

static void check(bool ok, const char *what) {
  if (ok)
    return;
  fprintf(stderr, "failed: %s\n", what);
  exit(1);
}

static MlirStringRef str(const char *text) { return mlirStringRefCreateFromCString(text); }

static void print(MlirStringRef text, void *userData) {
  (void)userData;
  printf("%.*s", (int)text.length, text.data);
}

static MlirLogicalResult tell(MlirDiagnostic diagnostic, void *userData) {
  (void)userData;
  static const char *const names[] = {"error", "warning", "note", "remark"};
  MlirLocation place = mlirDiagnosticGetLocation(diagnostic);
  printf("%s about %d:%d: ", names[mlirDiagnosticGetSeverity(diagnostic)],
         mlirLocationFileLineColRangeGetStartLine(place), mlirLocationFileLineColRangeGetStartColumn(place));
  mlirDiagnosticPrint(diagnostic, print, NULL);
  printf("\n");
  return mlirLogicalResultSuccess();
}

static void testDiagnostics(MlirContext context) {
  MlirDiagnosticHandlerID id = mlirContextAttachDiagnosticHandler(context, tell, NULL, NULL);
  MlirLocation place = mlirLocationFileLineColGet(context, str("a.c"), 3, 7);
  commEmitDiagnostic(place, MlirDiagnosticWarning, str("look"));
  commEmitDiagnostic(place, MlirDiagnosticRemark, str("see"));
  commEmitDiagnostic(place, MlirDiagnosticError, str("stop"));
  mlirContextDetachDiagnosticHandler(context, id);
}

/// An operation of that name at the end of the block, with an empty region.
static MlirOperation build(MlirBlock block, const char *name, MlirValue *operands, int numInputs, int numOutputs) {
  MlirOperationState state = mlirOperationStateGet(str(name), mlirLocationUnknownGet(mlirValueGetContext(operands[0])));
  MlirContext context = mlirValueGetContext(operands[0]);
  int32_t segments[] = {numInputs, numOutputs};
  MlirNamedAttribute sizes = mlirNamedAttributeGet(mlirIdentifierGet(context, str("operandSegmentSizes")),
                                                   mlirDenseI32ArrayGet(context, 2, segments));
  MlirRegion region = mlirRegionCreate();
  mlirOperationStateAddOperands(&state, numInputs + numOutputs, operands);
  mlirOperationStateAddAttributes(&state, 1, &sizes);
  mlirOperationStateAddOwnedRegions(&state, 1, &region);
  MlirOperation op = mlirOperationCreate(&state);
  check(op.ptr != NULL, name);
  mlirBlockInsertOwnedOperationBefore(block, mlirBlockGetTerminator(block), op);
  return op;
}

static void testBodies(MlirContext context) {
  MlirModule module = mlirModuleCreateParse(
      context,
      str("func.func @f(%a: memref<2x3xf64>, %b: memref<3x2xf64>, %c: memref<2x2xf64>, %n: index) { return }"));
  check(module.ptr != NULL, "parse");
  MlirOperation function = mlirBlockGetFirstOperation(mlirModuleGetBody(module));
  MlirBlock entry = mlirRegionGetFirstBlock(mlirOperationGetRegion(function, 0));
  MlirValue operands[4], squares[3];
  for (int i = 0; i < 4; ++i)
    operands[i] = mlirBlockGetArgument(entry, i);
  for (int i = 0; i < 3; ++i)
    squares[i] = operands[2];
  MlirOperation product = build(entry, "linalg.matmul", operands, 2, 1);
  MlirOperation sum = build(entry, "linalg.add", squares, 2, 1);
  check(!mlirOperationVerify(mlirModuleGetOperation(module)), "without bodies they do not verify");
  check(commFillNamedBody(product) && commFillNamedBody(sum), "bodies");
  check(mlirOperationVerify(mlirModuleGetOperation(module)), "with bodies they do");
  check(!commFillNamedBody(product), "one that has a body");
  check(!commFillNamedBody(function), "no named operation");
  check(!commFillNamedBody(mlirBlockGetTerminator(entry)), "no region");
  // Numbers have no elements.
  MlirValue numbers[] = {operands[3], operands[3], operands[3]};
  MlirOperation wrong = build(entry, "linalg.matmul", numbers, 2, 1);
  commFillNamedBody(wrong);
  check(!mlirOperationVerify(wrong), "operands of which none can be built");
  mlirOperationDestroy(wrong);
  mlirOperationPrint(mlirModuleGetOperation(module), print, NULL);
  mlirModuleDestroy(module);
}

int main(void) {
  MlirDialectRegistry registry = mlirDialectRegistryCreate();
  commRegisterAllDialects(registry);
  MlirContext context = mlirContextCreateWithRegistry(registry, false);
  mlirDialectRegistryDestroy(registry);
  commContextLoadAllDialects(context);
  testDiagnostics(context);
  testBodies(context);
  mlirContextDestroy(context);
  return 0;
}
