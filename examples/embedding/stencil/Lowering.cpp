// Each field becomes two memrefs, with the values before and after a step. A process has some rows, 1 to n, and two
// more for those of its neighbors: row 0 and row n + 1.
#include "Stencil.h"

#include "Comm/Dialect/Comm/IR/Comm.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;
using llvm::StringMap;

namespace {
class Lowering {
public:
  explicit Lowering(stencil::ProgramOp program)
      : program(program), module(program->getParentOfType<ModuleOp>()), b(program.getLoc(), program.getContext()),
        memory(MemRefType::get({ShapedType::kDynamic, int64_t(program.getColumns())}, b.getF64Type())) {
    llvm::append_range(fields, program.getOps<stencil::FieldOp>());
  }
  void run();

private:
  // A process's part of the grid.
  struct Part {
    Value rows, start, up, down, world;
  };
  using Buffers = StringMap<Value>;

  void makeStep();
  void makeMain();
  Part decompose();
  void exchange(Value field, const Part &part);
  void fill(stencil::FieldOp field, Value buffer, const Part &part);
  void updateRows(const Buffers &before, const Buffers &after, Value from, Value to);
  void updateEdge(const Buffers &before, const Buffers &after, Value row, const Part &part);
  void print(Value field, const Part &part);
  void forEach(Value from, Value to, llvm::function_ref<void(Value)> body);
  Value index(int64_t value) { return arith::ConstantIndexOp::create(b, value); }
  Value number(double value) { return arith::ConstantOp::create(b, b.getF64FloatAttr(value)); }
  Value add(Value value, int64_t summand) { return arith::AddIOp::create(b, value, index(summand)); }
  Value isLess(Value x, Value y) { return arith::CmpIOp::create(b, arith::CmpIPredicate::slt, x, y); }
  Value select(Value condition, Value x, Value y) { return arith::SelectOp::create(b, condition, x, y); }
  Value constant(Type type, StringRef name) { return comm::ConstantOp::create(b, type, b.getStringAttr(name)); }
  comm::MPIOpInterface call(StringRef function, ArrayRef<comm::NamedParam> params, ArrayRef<StringRef> outcomes = {}) {
    return comm::createMPIOp(b, b.getLoc(), function, comm::Mode::blocking, params, outcomes);
  }

  stencil::ProgramOp program;
  ModuleOp module;
  ImplicitLocOpBuilder b;
  MemRefType memory;
  SmallVector<stencil::FieldOp> fields;
};
} // namespace

void Lowering::forEach(Value from, Value to, llvm::function_ref<void(Value)> body) {
  auto loop = scf::ForOp::create(b, from, to, index(1));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  body(loop.getInductionVar());
}

/// Sends row 1 up and row n down; row n + 1 arrives from below and row 0 from above. All messages are in flight
/// together; Comm determines where to wait.
void Lowering::exchange(Value field, const Part &part) {
  auto row = [&](OpFoldResult place) -> Value {
    SmallVector<OpFoldResult> offsets{place, b.getIndexAttr(0)};
    SmallVector<OpFoldResult> sizes{b.getIndexAttr(1), b.getIndexAttr(memory.getDimSize(1))};
    SmallVector<OpFoldResult> strides(2, b.getIndexAttr(1));
    return memref::SubViewOp::create(b, field, offsets, sizes, strides);
  };
  Value tag = arith::ConstantOp::create(b, b.getI32IntegerAttr(0));
  SmallVector<Value> requests;
  auto start = [&](StringRef function, Value buffer, StringRef partner, Value process) {
    comm::MPIOpInterface op =
        comm::createMPIOp(b, b.getLoc(), function, comm::Mode::async,
                          {{"buf", buffer}, {partner, process}, {"tag", tag}, {"comm", part.world}}, {"request"});
    requests.push_back(op.getOutcome("request"));
  };
  start("MPI_Recv", row(add(part.rows, 1)), "source", part.down);
  start("MPI_Recv", row(b.getIndexAttr(0)), "source", part.up);
  start("MPI_Send", row(b.getIndexAttr(1)), "dest", part.up);
  start("MPI_Send", row(part.rows), "dest", part.down);
  for (Value request : llvm::reverse(requests)) // a neighbor may wait for this process's message
    call("MPI_Wait", {{"request", request}});
}

/// Updates elements of rows [from, to) that are not in the first or last column of the grid.
void Lowering::updateRows(const Buffers &before, const Buffers &after, Value from, Value to) {
  forEach(from, to, [&](Value row) {
    forEach(index(1), index(memory.getDimSize(1) - 1), [&](Value column) {
      for (auto update : program.getOps<stencil::UpdateOp>()) {
        IRMapping mapping;
        for (Operation &op : update.getBody().front()) {
          if (auto read = dyn_cast<stencil::ReadOp>(op)) {
            Value place[] = {add(row, read.getRow()), add(column, read.getColumn())};
            mapping.map(read.getResult(), memref::LoadOp::create(b, before.lookup(read.getField()), place).getResult());
          } else if (auto yield = dyn_cast<stencil::YieldOp>(op)) {
            Value place[] = {row, column};
            memref::StoreOp::create(b, mapping.lookup(yield.getValue()), after.lookup(update.getField()), place);
          } else {
            b.clone(op, mapping);
          }
        }
      }
    });
  });
}

/// Updates the first or last row of a process, unless it is the grid's.
void Lowering::updateEdge(const Buffers &before, const Buffers &after, Value row, const Part &part) {
  Value place = arith::AddIOp::create(b, part.start, row); // in the grid, counted from 1
  Value isInside = arith::AndIOp::create(b, isLess(index(1), place), isLess(place, index(program.getRows())));
  auto branch = scf::IfOp::create(b, isInside, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  updateRows(before, after, row, add(row, 1));
}

/// A function of all buffers, before and after the step. It declares that they are distinct.
void Lowering::makeStep() {
  SmallVector<Type> types(2 * fields.size(), memory);
  types.append({b.getIndexType(), b.getIndexType(), b.getI32Type(), b.getI32Type(),
                comm::CommunicatorType::get(b.getContext())});
  auto step = func::FuncOp::create(b, "step", b.getFunctionType(types, {}));
  step.setPrivate();
  for (unsigned i = 0; i < 2 * fields.size(); ++i)
    step.setArgAttr(i, LLVM::LLVMDialect::getNoAliasAttrName(), b.getUnitAttr());
  OpBuilder::InsertionGuard guard(b);
  Block *block = step.addEntryBlock();
  b.setInsertionPointToStart(block);
  Buffers before, after;
  for (auto [i, field] : llvm::enumerate(fields)) {
    before[field.getName()] = block->getArgument(i);
    after[field.getName()] = block->getArgument(fields.size() + i);
  }
  auto rest = block->getArguments().drop_front(2 * fields.size());
  Part part{rest[0], rest[1], rest[2], rest[3], rest[4]};
  for (auto op : program.getOps<stencil::ExchangeOp>()) {
    b.setLoc(op.getLoc());
    exchange(before.lookup(op.getField()), part);
  }
  auto updates = program.getOps<stencil::UpdateOp>();
  if (!updates.empty())
    b.setLoc((*updates.begin()).getLoc());
  // Rows that do not need neighbors come first: overlap requires nothing else.
  updateRows(before, after, index(2), part.rows);
  updateEdge(before, after, index(1), part);
  updateEdge(before, after, part.rows, part);
  func::ReturnOp::create(b);
}

/// The first processes get one more row if the rows do not divide evenly.
Lowering::Part Lowering::decompose() {
  Part part;
  part.world = constant(comm::CommunicatorType::get(b.getContext()), "MPI_COMM_WORLD");
  Value rank32 = call("MPI_Comm_rank", {{"comm", part.world}}, {"rank"}).getOutcome("rank");
  Value size32 = call("MPI_Comm_size", {{"comm", part.world}}, {"size"}).getOutcome("size");
  Value rank = arith::IndexCastOp::create(b, b.getIndexType(), rank32);
  Value size = arith::IndexCastOp::create(b, b.getIndexType(), size32);
  Value all = index(program.getRows());
  Value share = arith::DivSIOp::create(b, all, size), rest = arith::RemSIOp::create(b, all, size);
  Value hasMore = isLess(rank, rest);
  part.rows = select(hasMore, add(share, 1), share);
  part.start = arith::AddIOp::create(b, arith::MulIOp::create(b, rank, share), select(hasMore, rank, rest));
  Value nobody = constant(b.getI32Type(), "MPI_PROC_NULL");
  Value one = arith::ConstantOp::create(b, b.getI32IntegerAttr(1));
  Value last = arith::SubIOp::create(b, size32, one);
  part.up = select(isLess(index(0), rank), arith::SubIOp::create(b, rank32, one), nobody);
  part.down = select(isLess(rank32, last), arith::AddIOp::create(b, rank32, one), nobody);
  return part;
}

void Lowering::fill(stencil::FieldOp field, Value buffer, const Part &part) {
  auto toNumber = [&](Value value) -> Value {
    Value integer = arith::IndexCastOp::create(b, b.getI64Type(), value);
    return arith::SIToFPOp::create(b, b.getF64Type(), integer);
  };
  forEach(index(1), add(part.rows, 1), [&](Value row) {
    forEach(index(0), index(program.getColumns()), [&](Value column) {
      IRMapping mapping;
      Value inGrid = add(arith::AddIOp::create(b, part.start, row), -1);
      mapping.map(field.getBody().getArguments(), SmallVector<Value>{toNumber(inGrid), toNumber(column)});
      for (Operation &op : field.getBody().front().without_terminator())
        b.clone(op, mapping);
      auto yield = cast<stencil::YieldOp>(field.getBody().front().getTerminator());
      memref::StoreOp::create(b, mapping.lookupOrDefault(yield.getValue()), buffer, ValueRange{row, column});
    });
  });
}

/// Adds the squares of all processes; process 0 prints the sum.
void Lowering::print(Value field, const Part &part) {
  Value mine = memref::AllocOp::create(b, MemRefType::get({1}, b.getF64Type()));
  Value all = memref::AllocOp::create(b, MemRefType::get({1}, b.getF64Type()));
  Value zero = index(0);
  memref::StoreOp::create(b, number(0), mine, zero);
  forEach(index(1), add(part.rows, 1), [&](Value row) {
    forEach(index(0), index(program.getColumns()), [&](Value column) {
      Value element = memref::LoadOp::create(b, field, ValueRange{row, column});
      Value square = arith::MulFOp::create(b, element, element);
      memref::StoreOp::create(b, arith::AddFOp::create(b, memref::LoadOp::create(b, mine, zero), square), mine, zero);
    });
  });
  Value sum = constant(comm::ReductionOpType::get(b.getContext()), "MPI_SUM");
  Value root = arith::ConstantOp::create(b, b.getI32IntegerAttr(0));
  call("MPI_Reduce", {{"sendbuf", mine}, {"recvbuf", all}, {"op", sum}, {"root", root}, {"comm", part.world}});
  auto branch = scf::IfOp::create(b, arith::CmpIOp::create(b, arith::CmpIPredicate::eq, part.start, zero), false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  Value format = LLVM::AddressOfOp::create(b, LLVM::LLVMPointerType::get(b.getContext()), "stencil_format");
  Value value = memref::LoadOp::create(b, all, zero);
  LLVM::CallOp::create(b, module.lookupSymbol<LLVM::LLVMFuncOp>("printf"), ValueRange{format, value});
}

void Lowering::makeMain() {
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  LLVM::LLVMFuncOp::create(b, "printf", LLVM::LLVMFunctionType::get(b.getI32Type(), {pointer}, /*isVarArg=*/true));
  StringRef text("%.10g\n\0", 7);
  LLVM::GlobalOp::create(b, LLVM::LLVMArrayType::get(b.getI8Type(), text.size()), /*isConstant=*/true,
                         LLVM::Linkage::Internal, "stencil_format", b.getStringAttr(text));
  auto function = func::FuncOp::create(b, "main", b.getFunctionType({}, b.getI32Type()));
  b.setInsertionPointToStart(function.addEntryBlock());
  call("MPI_Init", {});
  Part part = decompose();
  SmallVector<Value> buffers;
  for (unsigned i = 0; i < 2 * fields.size(); ++i) {
    buffers.push_back(memref::AllocOp::create(b, memory, add(part.rows, 2)));
    fill(fields[i % fields.size()], buffers.back(), part);
  }
  auto time = scf::ForOp::create(b, index(0), index(program.getSteps()), index(1), buffers);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(time.getBody());
    SmallVector<Value> arguments(time.getRegionIterArgs());
    SmallVector<Value> next;
    for (unsigned i = 0; i < fields.size(); ++i) {
      // The buffers of a field without an update are not swapped.
      bool isUpdated = llvm::any_of(program.getOps<stencil::UpdateOp>(),
                                    [&](stencil::UpdateOp op) { return op.getField() == fields[i].getName(); });
      next.push_back(arguments[isUpdated ? fields.size() + i : i]);
    }
    for (unsigned i = 0; i < fields.size(); ++i)
      next.push_back(next[i] == arguments[i] ? arguments[fields.size() + i] : arguments[i]);
    arguments.append({part.rows, part.start, part.up, part.down, part.world});
    func::CallOp::create(b, "step", TypeRange(), arguments);
    scf::YieldOp::create(b, next);
  }
  for (auto op : program.getOps<stencil::PrintOp>()) {
    auto it = llvm::find_if(fields, [&](stencil::FieldOp field) { return field.getName() == op.getField(); });
    print(time.getResult(it - fields.begin()), part);
  }
  call("MPI_Finalize", {});
  Value zero = arith::ConstantOp::create(b, b.getI32IntegerAttr(0));
  func::ReturnOp::create(b, zero);
}

void Lowering::run() {
  b.setInsertionPoint(program);
  makeStep();
  makeMain();
  program.erase();
}

namespace {
struct LowerToComm : public PassWrapper<LowerToComm, OperationPass<ModuleOp>> {
  StringRef getArgument() const final { return "stencil-lower-to-comm"; }
  void getDependentDialects(DialectRegistry &registry) const final {
    registry.insert<arith::ArithDialect, comm::CommDialect, func::FuncDialect, LLVM::LLVMDialect, memref::MemRefDialect,
                    scf::SCFDialect>();
  }
  void runOnOperation() final {
    for (auto program : llvm::make_early_inc_range(getOperation().getOps<stencil::ProgramOp>()))
      Lowering(program).run();
  }
};
} // namespace

std::unique_ptr<Pass> stencil::createLowerToComm() { return std::make_unique<LowerToComm>(); }
