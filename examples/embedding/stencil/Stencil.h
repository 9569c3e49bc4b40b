// The stencil language: its dialect, its parser, and the passes that lower it to comm.
#ifndef STENCIL_H
#define STENCIL_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Pass/Pass.h"

#include "StencilDialect.h.inc"
#define GET_OP_CLASSES
#include "StencilOps.h.inc"

namespace stencil {
/// Parses a module with one stencil.program. Returns null after a diagnostic.
mlir::OwningOpRef<mlir::ModuleOp> parse(mlir::MLIRContext &context, llvm::StringRef file, llvm::StringRef text);
/// Inserts an exchange of each field that an update reads in another row.
std::unique_ptr<mlir::Pass> createInsertExchanges();
/// Lowers stencil to func, scf, memref, arith and comm.
std::unique_ptr<mlir::Pass> createLowerToComm();
} // namespace stencil

#endif // STENCIL_H
