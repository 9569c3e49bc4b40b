// Finds the fields to exchange in each step: those that are read in another row.
#include "Stencil.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace {
struct InsertExchanges : public PassWrapper<InsertExchanges, OperationPass<ModuleOp>> {
  StringRef getArgument() const final { return "stencil-insert-exchanges"; }
  void runOnOperation() final {
    for (auto program : getOperation().getOps<stencil::ProgramOp>()) {
      llvm::SetVector<StringAttr> fields;
      program.walk([&](stencil::ReadOp read) {
        if (read.getRow() != 0)
          fields.insert(read.getFieldAttr().getAttr());
      });
      auto updates = program.getOps<stencil::UpdateOp>();
      if (updates.empty())
        continue;
      OpBuilder builder(*updates.begin());
      for (StringAttr field : fields)
        stencil::ExchangeOp::create(builder, (*updates.begin()).getLoc(), field);
    }
  }
};
} // namespace

std::unique_ptr<Pass> stencil::createInsertExchanges() { return std::make_unique<InsertExchanges>(); }
