// How another project uses the dialect: build an op, print it, query it.
#include "Comm/Dialect/Comm/IR/Comm.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"

int main() {
  mlir::MLIRContext context;
  context.loadDialect<comm::CommDialect>();
  mlir::OpBuilder builder(&context);
  mlir::Location loc = builder.getUnknownLoc();
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::ModuleOp::create(builder, loc);
  builder.setInsertionPointToStart(module->getBody());
  auto world = comm::ConstantOp::create(builder, loc, comm::CommunicatorType::get(&context),
                                        builder.getStringAttr("MPI_COMM_WORLD"));
  comm::MPIOpInterface barrier = comm::createMPIOp(builder, loc, "MPI_Barrier", comm::Mode::blocking,
                                                   {{"comm", world.getResult()}}, {});
  module->print(llvm::outs());
  llvm::outs() << "\n" << barrier.getFunction().nonblocking << "\n";
  return mlir::failed(module->verify());
}
