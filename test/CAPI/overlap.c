// RUN: %clang -std=c11 -Wall -Wextra -Werror -I%comm_include -isystem %llvm_include %s -L%comm_lib_dir -lCommC \
// RUN:   -Wl,-rpath,%comm_lib_dir -o %t
// RUN: %t | FileCheck %s
// CHECK: comm-move-slices: Overlap in step
// CHECK: comm.recv async
// CHECK: scf.for
// CHECK: comm.wait
//
// The program of docs/embedding.md: overlap from C.

#include "comm-c/Passes.h"
#include "comm-c/Registration.h"
#include "comm-c/Remarks.h"

#include "mlir-c/IR.h"
#include "mlir-c/Pass.h"

#include <stdio.h>

static const char program[] =
    "func.func @step(%a: memref<16xf32> {llvm.noalias}, %b: memref<16xf32>, %n: index, %c: !comm.comm) {\n"
    "  %zero = arith.constant 0 : index\n"
    "  %one = arith.constant 1 : index\n"
    "  %x = arith.constant 1.0 : f32\n"
    "  %peer = arith.constant 0 : i32\n"
    "  comm.recv buf(%a : memref<16xf32>) source(%peer) tag(%peer) comm(%c)\n"
    "  scf.for %i = %zero to %n step %one {\n"
    "    memref.store %x, %b[%i] : memref<16xf32>\n"
    "  }\n"
    "  return\n"
    "}\n";

static void print(MlirStringRef text, void *stream) { fwrite(text.data, 1, text.length, stream); }

static void tell(CommRemark const *remark, void *stream) {
  fprintf(stream, "%.*s: %.*s in %.*s\n", (int)remark->pass.length, remark->pass.data, (int)remark->name.length,
          remark->name.data, (int)remark->function.length, remark->function.data);
}

int main(void) {
  MlirContext context = mlirContextCreate();
  MlirDialectRegistry registry = mlirDialectRegistryCreate();
  commRegisterAllDialects(registry);
  commRegisterAllPasses();
  mlirContextAppendDialectRegistry(context, registry);
  mlirDialectRegistryDestroy(registry);
  if (mlirLogicalResultIsFailure(
          commContextEnableRemarks(context, mlirStringRefCreateFromCString("comm-move-slices"), tell, stdout)))
    return 1;

  MlirModule module = mlirModuleCreateParse(context, mlirStringRefCreateFromCString(program));
  if (mlirModuleIsNull(module))
    return 1;
  MlirStringRef pipeline = mlirStringRefCreateFromCString("comm-overlap{abi=openmpi4 lower=false}");
  MlirPassManager passes = commPassManagerParse(context, pipeline, print, stderr);
  if (mlirPassManagerIsNull(passes) ||
      mlirLogicalResultIsFailure(mlirPassManagerRunOnOp(passes, mlirModuleGetOperation(module))))
    return 1;
  mlirOperationPrint(mlirModuleGetOperation(module), print, stdout);

  mlirPassManagerDestroy(passes);
  mlirModuleDestroy(module);
  mlirContextDestroy(context);
  return 0;
}
