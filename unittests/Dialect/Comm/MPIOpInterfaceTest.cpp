//===- MPIOpInterfaceTest.cpp - What comm ops tell passes -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Dialect/Comm/IR/Comm.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Parser/Parser.h"

#include "gtest/gtest.h"

using namespace mlir;
using namespace comm;

namespace {

/// Parses a function body whose arguments are the values that MPI programs have at hand.
class MPIOpInterfaceTest : public ::testing::Test {
protected:
  MPIOpInterfaceTest() { context.loadDialect<CommDialect, func::FuncDialect, LLVM::LLVMDialect>(); }

  void parse(StringRef body) {
    std::string text = "func.func @f(%buf: !llvm.ptr, %out: !llvm.ptr, %mem: !llvm.ptr, %n: i32, %peer: i32, %tag: i32,"
                       " %type: !comm.datatype, %op: !comm.op, %comm: !comm.comm, %m: memref<16xf32>) {\n";
    text += body;
    text += "\n return\n}\n";
    module = parseSourceString<ModuleOp>(text, ParserConfig(&context));
    ASSERT_TRUE(module) << text;
    function = *module->getOps<func::FuncOp>().begin();
  }
  Value argument(unsigned index) { return function.getArgument(index); }
  /// The op of that index in the body that is an MPI op.
  MPIOpInterface mpiOp(unsigned index = 0) {
    for (MPIOpInterface op : function.getBody().getOps<MPIOpInterface>())
      if (index-- == 0)
        return op;
    ADD_FAILURE() << "no such op";
    return nullptr;
  }

  enum { Buf, Out, Mem, N, Peer, Tag, Type, Op, Comm, MemRef };
  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  func::FuncOp function;
};

TEST_F(MPIOpInterfaceTest, ParamsAndOutcomes) {
  parse("%r, %e = comm.recv async buf(%buf : !llvm.ptr) count(%n) datatype(%type) source(%peer) tag(%tag) comm(%comm)"
        " -> request, error");
  MPIOpInterface op = mpiOp();
  EXPECT_EQ(op.getParam("buf"), argument(Buf));
  EXPECT_EQ(op.getParam("source"), argument(Peer));
  EXPECT_FALSE(op.getParam("status"));
  EXPECT_FALSE(op.getParam("nonsense"));
  EXPECT_EQ(op.getOutcome("request"), op->getResult(0));
  EXPECT_EQ(op.getOutcome("error"), op->getResult(1));
  EXPECT_FALSE(op.getOutcome("status"));
  EXPECT_FALSE(op.getOutcome("nonsense"));
  EXPECT_EQ(op.getCommunicator(), argument(Comm));
  EXPECT_STREQ(op.getFunction().name, "MPI_Recv");
  EXPECT_STREQ(op.getCalledFunction().name, "MPI_Irecv");
  EXPECT_TRUE(op.hasAsyncForm());
  EXPECT_FALSE(op.isLocal());
}

} // namespace
