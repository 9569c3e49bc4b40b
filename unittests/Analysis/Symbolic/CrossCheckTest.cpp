//===- CrossCheckTest.cpp - Wrong proofs against executed graphs -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Analysis/Symbolic/CrossCheck.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

#include "gtest/gtest.h"

using namespace mlir;
using namespace comm;

namespace {
/// All processes exchange %n elements with all.
constexpr const char *exchange = R"mlir(
  llvm.func @exchange(%out: !llvm.ptr, %in: !llvm.ptr, %n: i32) {
    %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
    %t = comm.constant "MPI_INT" : !comm.datatype
    %size = comm.comm_size comm(%c) -> size
    %zero = llvm.mlir.constant(0 : i32) : i32
    %one = llvm.mlir.constant(1 : i32) : i32
    comm.cdag comm(%c) implied {
      llvm.br ^loop(%zero : i32)
    ^loop(%p: i32):
      %place = llvm.mul %p, %n overflow<nsw> : i32
      %to = llvm.getelementptr %in[%place] : (!llvm.ptr, i32) -> !llvm.ptr, i32
      %from = llvm.getelementptr %out[%place] : (!llvm.ptr, i32) -> !llvm.ptr, i32
      %r = comm.recv async buf(%to : !llvm.ptr) count(%n) datatype(%t) source(%p) tag(%zero) comm(%c) -> request
      %s = comm.send async buf(%from : !llvm.ptr) count(%n) datatype(%t) dest(%p) tag(%zero) comm(%c) -> request
      %next = llvm.add %p, %one : i32
      %more = llvm.icmp "slt" %next, %size : i32
      llvm.cond_br %more, ^loop(%next : i32), ^done
    ^done:
      comm.yield
    }
    llvm.return
  }
)mlir";

struct CrossCheckTest : public ::testing::Test {
  void SetUp() override {
    context.loadDialect<CommDialect, LLVM::LLVMDialect>();
    module = parseSourceString<ModuleOp>(exchange, &context);
    ASSERT_TRUE(module);
    module->walk([&](CDagOp op) { graph = op; });
    Obstacle obstacle;
    symbolic = buildSymbolicGraph(graph, abi, obstacle);
    ASSERT_TRUE(symbolic) << obstacle.reason;
    auto plans = matchCollectives(*symbolic, [](Operation *, Operation *) { return false; }, obstacle);
    ASSERT_TRUE(plans) << obstacle.reason;
    ASSERT_EQ(plans->size(), 1u);
    plan = plans->front();
  }

  std::string check() {
    numChecked = 0;
    return findDisagreement(graph, *symbolic, plan, abi, numChecked);
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  CDagOp graph;
  const mpi::ABI &abi = mpi::ABI::all().front();
  std::unique_ptr<SymbolicGraph> symbolic;
  CollectivePlan plan;
  unsigned numChecked = 0;
};
} // namespace

TEST_F(CrossCheckTest, agrees) {
  EXPECT_EQ(plan.kind, CollectivePlan::Kind::Alltoall);
  EXPECT_TRUE(plan.mayBeEmpty);
  EXPECT_EQ(check(), "");
  EXPECT_EQ(numChecked, maxCheckedRanks - minCheckedRanks + 1);
}

TEST_F(CrossCheckTest, otherPlace) {
  plan.receive.offset = plan.receive.offset + Poly(4);
  EXPECT_EQ(check(), "for 1 processes it moves other data than the collectives would");
}

TEST_F(CrossCheckTest, otherKind) {
  plan.kind = CollectivePlan::Kind::Allgather;
  EXPECT_EQ(check(), "for 2 processes it moves other data than the collectives would");
  EXPECT_EQ(numChecked, 1u); // with one process both are the same
}

TEST_F(CrossCheckTest, otherLength) {
  plan.count = plan.count + Poly(1);
  EXPECT_EQ(check(), "for 1 processes it moves other data than the collectives would");
}

TEST_F(CrossCheckTest, withoutOwnBlock) {
  plan.own = CollectivePlan::Own::Kept;
  EXPECT_EQ(check(), "for 1 processes it moves other data than the collectives would");
}

TEST_F(CrossCheckTest, overlappingBuffersAreNoCollective) {
  Obstacle obstacle;
  EXPECT_FALSE(matchCollectives(*symbolic, [](Operation *, Operation *) { return true; }, obstacle));
  EXPECT_EQ(obstacle.reason, "it may write what is sent");
}
