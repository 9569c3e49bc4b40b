// How a front end that writes comm operations uses Comm: run the passes that overlap, which stay in comm, then lower to
// LLVM IR. docs/embedding.md explains it.
#include "Comm/Conversion/Passes.h"
#include "Comm/InitAll.h"
#include "Comm/Transforms/Passes.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

// The program: a sum over all processes, and computation that does not need it.
static const char *const program = R"(
  func.func @step(%mine: memref<16xi64>, %all: memref<16xi64>, %n: index) -> i64 {
    %a = memref.alloca() : memref<64xf64>
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %two = arith.constant 2.0 : f64
    %world = comm.constant "MPI_COMM_WORLD" : !comm.comm
    %max = comm.constant "MPI_MAX" : !comm.op
    comm.allreduce sendbuf(%mine : memref<16xi64>) recvbuf(%all : memref<16xi64>) op(%max) comm(%world)
    scf.for %i = %zero to %n step %one {
      memref.store %two, %a[%i] : memref<64xf64>
    }
    %first = memref.load %all[%zero] : memref<16xi64>
    return %first : i64
  }
)";

int main() {
  mlir::DialectRegistry registry;
  comm::registerAllDialects(registry);
  mlir::MLIRContext context(registry);
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::parseSourceString<mlir::ModuleOp>(program, &context);
  if (!module)
    return 1;

  mlir::PassManager overlap(&context);
  comm::CommSplitBlockingOptions split;
  split.abi = "openmpi4";
  overlap.addPass(comm::createCommSplitBlocking(split));
  overlap.addPass(comm::createCommIsolateLoops());
  overlap.addPass(comm::createCommMoveSlices());
  overlap.addPass(comm::createCommMergeUselessSplits());
  if (mlir::failed(overlap.run(*module)))
    return 1;
  module->print(llvm::outs());

  mlir::PassManager lower(&context);
  comm::ConvertCommToLLVMOptions target;
  target.abi = "openmpi4";
  lower.addPass(comm::createConvertCommToLLVM(target));
  lower.addPass(mlir::createSCFToControlFlowPass());
  lower.addPass(mlir::createFinalizeMemRefToLLVMConversionPass());
  lower.addPass(mlir::createArithToLLVMConversionPass());
  lower.addPass(mlir::createConvertFuncToLLVMPass());
  lower.addPass(mlir::createConvertControlFlowToLLVMPass());
  lower.addPass(mlir::createReconcileUnrealizedCastsPass());
  if (mlir::failed(lower.run(*module)))
    return 1;
  llvm::LLVMContext llvmContext;
  std::unique_ptr<llvm::Module> translated = mlir::translateModuleToLLVMIR(*module, llvmContext);
  if (!translated)
    return 1;
  translated->print(llvm::outs(), nullptr);
  return 0;
}
