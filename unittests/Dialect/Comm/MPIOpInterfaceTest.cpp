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

/// Parses a function body whose arguments are the values that MPI programs usually have.
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
  /// Returns the MPI op with that index in the body.
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

const BufferAccess *findAccess(ArrayRef<BufferAccess> accesses, StringRef name) {
  for (const BufferAccess &access : accesses)
    if (name == access.param->name)
      return &access;
  return nullptr;
}

TEST_F(MPIOpInterfaceTest, AccessesOfBlockingReduction) {
  parse("comm.allreduce sendbuf(%buf : !llvm.ptr) recvbuf(%out : !llvm.ptr) count(%n) datatype(%type) op(%op)"
        " comm(%comm)");
  SmallVector<BufferAccess> accesses = mpiOp().getAccesses();
  ASSERT_EQ(accesses.size(), 2u);
  const BufferAccess *send = findAccess(accesses, "sendbuf"), *recv = findAccess(accesses, "recvbuf");
  ASSERT_TRUE(send && recv);
  EXPECT_EQ(send->buffer, argument(Buf));
  EXPECT_TRUE(send->reads && !send->writes && !send->inFlight);
  EXPECT_TRUE(!recv->reads && recv->writes && !recv->inFlight);
  for (const BufferAccess *access : {send, recv}) {
    EXPECT_EQ(access->count, argument(N));
    EXPECT_EQ(access->datatype, argument(Type));
    EXPECT_EQ(access->extent, BufferAccess::Extent::Elements);
  }
}

TEST_F(MPIOpInterfaceTest, AccessesOfAsyncAreInFlight) {
  parse("comm.allreduce async sendbuf(%buf : !llvm.ptr) recvbuf(%out : !llvm.ptr) count(%n) datatype(%type) op(%op)"
        " comm(%comm) request(%mem : !llvm.ptr)");
  SmallVector<BufferAccess> accesses = mpiOp().getAccesses();
  ASSERT_EQ(accesses.size(), 3u);
  EXPECT_TRUE(findAccess(accesses, "sendbuf")->inFlight);
  EXPECT_TRUE(findAccess(accesses, "recvbuf")->inFlight);
  const BufferAccess *request = findAccess(accesses, "request");
  EXPECT_EQ(request->buffer, argument(Mem));
  EXPECT_TRUE(request->writes && !request->inFlight);
  EXPECT_EQ(request->extent, BufferAccess::Extent::Scalar);
}

TEST_F(MPIOpInterfaceTest, OneSided) {
  parse("%w = comm.cast %mem : !llvm.ptr to !comm.win\n%d = llvm.mlir.constant(4 : i64) : i64\n"
        "comm.get origin_addr(%buf : !llvm.ptr) origin_count(%n) origin_datatype(%type) target_rank(%peer)"
        " target_disp(%d : i64) target_count(%n) target_datatype(%type) win(%w)\n"
        "comm.win_fence assert(%n) win(%w)");
  MPIOpInterface get = mpiOp(), fence = mpiOp(1);
  RemoteAccess access = get.getRemoteAccess();
  EXPECT_EQ(access.kind, RemoteAccess::Kind::Get);
  EXPECT_EQ(access.origin, argument(Buf));
  EXPECT_EQ(access.target, argument(Peer));
  EXPECT_TRUE(access.isSameAtBothEnds());
  EXPECT_EQ(fence.getRemoteAccess().kind, RemoteAccess::Kind::None);
  // MPI writes the buffer after the call has returned, and others may access the window at any time.
  EXPECT_TRUE(findAccess(get.getAccesses(), "origin_addr")->inFlight);
  for (MPIOpInterface op : {get, fence}) {
    EXPECT_TRUE(op.isOneSided());
    EXPECT_FALSE(op.isLocal());
    EXPECT_EQ(op.getMatching().kind, Matching::Kind::None);
    std::optional<llvm::SmallVector<MemoryEffects::EffectInstance>> effects = getEffectsRecursively(op);
    ASSERT_TRUE(effects);
    EXPECT_TRUE(llvm::any_of(*effects, [](const MemoryEffects::EffectInstance &effect) {
      return isa<MemoryEffects::Write>(effect.getEffect()) && !effect.getValue() &&
             effect.getResource() == SideEffects::DefaultResource::get();
    }));
  }
}

TEST_F(MPIOpInterfaceTest, InPlaceReadsTheReceiveBuffer) {
  parse("%place = comm.constant \"MPI_IN_PLACE\" : !llvm.ptr\n"
        "comm.allreduce sendbuf(%place : !llvm.ptr) recvbuf(%out : !llvm.ptr) count(%n) datatype(%type) op(%op)"
        " comm(%comm)");
  SmallVector<BufferAccess> accesses = mpiOp().getAccesses();
  ASSERT_EQ(accesses.size(), 1u);
  EXPECT_STREQ(accesses[0].param->name, "recvbuf");
  EXPECT_TRUE(accesses[0].reads && accesses[0].writes);
}

TEST_F(MPIOpInterfaceTest, Extents) {
  parse("comm.gather sendbuf(%buf : !llvm.ptr) sendcount(%n) sendtype(%type) recvbuf(%out : !llvm.ptr) recvcount(%n)"
        " recvtype(%type) root(%peer) comm(%comm)\n"
        "comm.gatherv sendbuf(%buf : !llvm.ptr) sendcount(%n) sendtype(%type) recvbuf(%out : !llvm.ptr)"
        " recvcounts(%mem : !llvm.ptr) displs(%mem : !llvm.ptr) recvtype(%type) root(%peer) comm(%comm)\n"
        "comm.neighbor_allgather sendbuf(%buf : !llvm.ptr) sendcount(%n) sendtype(%type) recvbuf(%out : !llvm.ptr)"
        " recvcount(%n) recvtype(%type) comm(%comm)\n"
        "comm.send buf(%m : memref<16xf32>) dest(%peer) tag(%tag) comm(%comm)\n"
        "comm.comm_rank comm(%comm) rank(%mem : !llvm.ptr)\n"
        "comm.reduce_scatter_block sendbuf(%buf : !llvm.ptr) recvbuf(%out : !llvm.ptr) recvcount(%n) datatype(%type)"
        " op(%op) comm(%comm)");
  using Extent = BufferAccess::Extent;
  SmallVector<BufferAccess> gather = mpiOp(0).getAccesses();
  EXPECT_EQ(findAccess(gather, "sendbuf")->extent, Extent::Elements);
  EXPECT_EQ(findAccess(gather, "recvbuf")->extent, Extent::ElementsPerRank);
  SmallVector<BufferAccess> gatherv = mpiOp(1).getAccesses();
  EXPECT_EQ(findAccess(gatherv, "recvbuf")->extent, Extent::Unknown);
  EXPECT_FALSE(findAccess(gatherv, "recvbuf")->count);
  EXPECT_EQ(findAccess(gatherv, "recvbuf")->datatype, argument(Type));
  EXPECT_TRUE(findAccess(gatherv, "recvcounts")->reads);
  EXPECT_FALSE(findAccess(gatherv, "recvcounts")->writes);
  EXPECT_EQ(findAccess(gatherv, "recvcounts")->extent, Extent::Unknown);
  EXPECT_EQ(findAccess(mpiOp(2).getAccesses(), "recvbuf")->extent, Extent::Unknown);
  SmallVector<BufferAccess> send = mpiOp(3).getAccesses();
  ASSERT_EQ(send.size(), 1u);
  EXPECT_EQ(send[0].extent, Extent::MemRef);
  EXPECT_FALSE(send[0].count);
  SmallVector<BufferAccess> rank = mpiOp(4).getAccesses();
  ASSERT_EQ(rank.size(), 1u);
  EXPECT_TRUE(rank[0].writes && !rank[0].reads);
  EXPECT_EQ(rank[0].extent, Extent::Scalar);
  // The op may be in place at run time; the blocks of all processes are then in the other buffer.
  EXPECT_EQ(findAccess(mpiOp(5).getAccesses(), "recvbuf")->extent, Extent::ElementsPerRank);
}

TEST_F(MPIOpInterfaceTest, Matching) {
  parse("comm.send buf(%m : memref<16xf32>) dest(%peer) tag(%tag) comm(%comm)\n"
        "%any = comm.constant \"MPI_ANY_SOURCE\" : i32\n"
        "comm.recv buf(%m : memref<16xf32>) source(%any) tag(%tag) comm(%comm)\n"
        "comm.sendrecv sendbuf(%m : memref<16xf32>) dest(%peer) sendtag(%tag) recvbuf(%m : memref<16xf32>) source(%any)"
        " recvtag(%n) comm(%comm)\n"
        "%s = comm.probe source(%peer) tag(%tag) comm(%comm) -> status\n"
        "comm.mrecv buf(%m : memref<16xf32>) message(%mem : !llvm.ptr)\n"
        "comm.barrier comm(%comm)\n"
        "%r = comm.comm_rank comm(%comm) -> rank\n"
        "comm.wait request(%mem : !llvm.ptr)\n");
  using Kind = Matching::Kind;
  comm::Matching send = mpiOp(0).getMatching();
  EXPECT_EQ(send.kind, Kind::Send);
  EXPECT_EQ(send.peer, argument(Peer));
  EXPECT_EQ(send.tag, argument(Tag));
  EXPECT_EQ(send.communicator, argument(Comm));
  EXPECT_EQ(send.source, Matching::Source::Known);
  EXPECT_EQ(mpiOp(1).getMatching().kind, Kind::Receive);
  EXPECT_EQ(mpiOp(1).getMatching().source, Matching::Source::Any);
  comm::Matching both = mpiOp(2).getMatching();
  EXPECT_EQ(both.kind, Kind::SendReceive);
  EXPECT_EQ(both.peer, argument(Peer));
  EXPECT_EQ(both.tag, argument(Tag));
  EXPECT_EQ(both.source, Matching::Source::Any);
  EXPECT_EQ(mpiOp(3).getMatching().kind, Kind::Probe);
  EXPECT_EQ(mpiOp(4).getMatching().kind, Kind::Receive);
  EXPECT_EQ(mpiOp(5).getMatching().kind, Kind::Collective);
  EXPECT_EQ(mpiOp(6).getMatching().kind, Kind::None);
  EXPECT_EQ(mpiOp(7).getMatching().kind, Kind::None);
}

TEST_F(MPIOpInterfaceTest, Locality) {
  parse("%r = comm.comm_rank comm(%comm) -> rank\ncomm.barrier comm(%comm)\ncomm.finalize\n"
        "comm.ssend buf(%m : memref<16xf32>) dest(%peer) tag(%tag) comm(%comm)");
  EXPECT_TRUE(mpiOp(0).isLocal());
  EXPECT_FALSE(mpiOp(0).hasAsyncForm());
  EXPECT_FALSE(mpiOp(1).isLocal());
  EXPECT_TRUE(mpiOp(1).completesRemotely());
  EXPECT_FALSE(mpiOp(2).isLocal());
  EXPECT_TRUE(mpiOp(3).completesRemotely());
}

/// Returns the effects of an op on a value, as letters: r(ead), w(rite).
std::string effectsOn(Operation *op, Value value) {
  SmallVector<MemoryEffects::EffectInstance> effects;
  cast<MemoryEffectOpInterface>(op).getEffects(effects);
  std::string letters;
  for (const MemoryEffects::EffectInstance &effect : effects)
    if (effect.getValue() == value && effect.getResource() == SideEffects::DefaultResource::get())
      letters += isa<MemoryEffects::Read>(effect.getEffect()) ? "r" : "w";
  return letters;
}

TEST_F(MPIOpInterfaceTest, EffectsOfStartAndWait) {
  parse("%r = comm.recv async buf(%buf : !llvm.ptr) count(%n) datatype(%type) source(%peer) tag(%tag) comm(%comm)"
        " -> request\n"
        "comm.wait request(%r) status(%mem : !llvm.ptr)\n"
        "comm.wait request(%mem : !llvm.ptr)\n"
        "%null = comm.constant \"MPI_REQUEST_NULL\" : !comm.request\n"
        "comm.wait request(%null)");
  EXPECT_EQ(effectsOn(mpiOp(0), argument(Buf)), "w");
  // The wait completes the operation of the start.
  EXPECT_EQ(effectsOn(mpiOp(1), argument(Buf)), "w");
  EXPECT_EQ(effectsOn(mpiOp(1), argument(Mem)), "w");
  EXPECT_EQ(effectsOn(mpiOp(1), Value()), "");
  // It is unknown which operation was started with a request in memory.
  EXPECT_EQ(effectsOn(mpiOp(2), Value()), "rw");
  EXPECT_EQ(effectsOn(mpiOp(3), Value()), "");
}

TEST_F(MPIOpInterfaceTest, EffectsOnMPIItself) {
  parse("%r = comm.comm_rank comm(%comm) -> rank\ncomm.barrier comm(%comm)\n%d = comm.comm_dup comm(%comm) -> newcomm");
  EXPECT_TRUE(wouldOpBeTriviallyDead(mpiOp(0)));
  EXPECT_FALSE(wouldOpBeTriviallyDead(mpiOp(1)));
  EXPECT_FALSE(hasEffect<MemoryEffects::Write>(mpiOp(0)));
  EXPECT_TRUE(hasEffect<MemoryEffects::Write>(mpiOp(1)));
  // Copying attributes calls functions of the program.
  EXPECT_EQ(effectsOn(mpiOp(1), Value()), "");
  EXPECT_EQ(effectsOn(mpiOp(2), Value()), "rw");
}

TEST_F(MPIOpInterfaceTest, Completion) {
  parse("%r = comm.barrier async comm(%comm) -> request\n"
        "comm.waitall array_of_requests(%r)\n"
        "%i = comm.waitany count(%n) array_of_requests(%mem : !llvm.ptr) -> index\n"
        "%f = comm.test request(%mem : !llvm.ptr) -> flag");
  auto completion = [&](unsigned index) { return cast<CompletionOpInterface>(mpiOp(index).getOperation()); };
  EXPECT_FALSE(isa<CompletionOpInterface>(mpiOp(0).getOperation()));
  EXPECT_TRUE(completion(1).completesAll());
  EXPECT_EQ(completion(1).getRequests()[0], mpiOp(0).getOutcome("request"));
  EXPECT_FALSE(completion(2).completesAll());
  EXPECT_EQ(completion(2).getRequests()[0], argument(Mem));
  EXPECT_FALSE(completion(3).completesAll());
}

TEST_F(MPIOpInterfaceTest, BuildByName) {
  parse("");
  OpBuilder builder = OpBuilder::atBlockTerminator(&function.getBody().front());
  MPIOpInterface op = createMPIOp(
      builder, function.getLoc(), "MPI_Send", Mode::async,
      {{"comm", argument(Comm)}, {"buf", argument(MemRef)}, {"dest", argument(Peer)}, {"tag", argument(Tag)}},
      {"error", "request"});
  ASSERT_TRUE(op);
  EXPECT_TRUE(succeeded(module->verify()));
  EXPECT_EQ(op->getName().getStringRef(), "comm.send");
  EXPECT_EQ(op->getNumResults(), 2u);
  EXPECT_TRUE(isa<RequestType>(op.getOutcome("request").getType()));

  op->setDiscardableAttr("note", builder.getUnitAttr());
  MPIOpInterface blocking = cloneWithMode(builder, op, Mode::blocking);
  EXPECT_FALSE(blocking.isAsync());
  EXPECT_FALSE(blocking.getOutcome("request"));
  EXPECT_TRUE(blocking.getOutcome("error"));
  EXPECT_TRUE(blocking->hasAttr("note"));
  EXPECT_TRUE(succeeded(module->verify()));

  for (const char *name : {"MPI_Nonsense", "MPI_Isend", "Send", "", "MPI_", "MPI_constant", "MPI_File_open"})
    EXPECT_EQ(getOpNameFor(name, &context), "") << name;
  EXPECT_FALSE(createMPIOp(builder, function.getLoc(), "MPI_Nonsense", Mode::blocking, {}, {}));
}

TEST_F(MPIOpInterfaceTest, EveryOpHasAFunctionInTheTables) {
  unsigned ops = 0;
  for (RegisteredOperationName name : context.getRegisteredOperations()) {
    auto *interface = name.getInterface<MPIOpInterface>();
    // These call the functions of comm.wait and comm.waitall.
    StringRef conditional[] = {WaitIfOp::getOperationName(), WaitallIfOp::getOperationName()};
    if (!interface || llvm::is_contained(conditional, name.getStringRef()))
      continue;
    ++ops;
    StringRef function = interface->getMPIFunctionName();
    EXPECT_NE(comm::mpi::lookupFunction(function), nullptr) << function.str();
    EXPECT_EQ(getOpNameFor(function, &context), name.getStringRef());
    EXPECT_EQ(interface->getOutcomeNames().back(), "error");
  }
  EXPECT_GT(ops, 40u);
}

} // namespace
