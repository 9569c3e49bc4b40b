//===- InitAll.cpp - Register all of Comm ---------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/InitAll.h"

#include "Shard.h"
#include "Upstream.h"

#include "Comm/Analysis/Memory/LLVMTranslation.h"
#include "Comm/Conversion/Passes.h"
#include "Comm/Dialect/Comm/IR/CommDialect.h"
#include "Comm/Dialect/Graph/IR/Graph.h"
#include "Comm/Pipelines/Graph.h"
#include "Comm/Pipelines/Overlap.h"
#include "Comm/Transforms/Graph/Passes.h"
#include "Comm/Transforms/Passes.h"

#include "Comm/Transforms/Utils/ControlFlow.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/Dialect/Func/Extensions/InlinerExtension.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/Transforms/Passes.h"
#include "mlir/Dialect/MPI/IR/MPI.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"

using namespace mlir;

void comm::registerAllDialects(DialectRegistry &registry) {
  registry.insert<CommDialect, graph::GraphDialect, arith::ArithDialect, cf::ControlFlowDialect, func::FuncDialect,
                  LLVM::LLVMDialect, math::MathDialect, memref::MemRefDialect, ::mlir::mpi::MPIDialect, scf::SCFDialect,
                  vector::VectorDialect, DLTIDialect>();
  registerShardDialects(registry);
  func::registerInlinerExtension(registry);
  registerAllToLLVMIRTranslations(registry);
  registerAllFromLLVMIRTranslations(registry);
  registerCommDialectTranslation(registry);
}

void comm::registerDialectsForLLVM(DialectRegistry &registry) {
  registry.insert<CommDialect, LLVM::LLVMDialect, DLTIDialect>();
  registerCommDialectTranslation(registry);
}

void comm::registerAllPasses() {
  registerCommConversionPasses();
  registerShardPasses();
  registerCommTransformsPasses();
  registerCommGraphTransformsPasses();
  registerPipelines();
  registerGraphPipeline();
  // Conversions of the rest of a module with comm operations to LLVM IR.
  registerUpstreamConversions();
  LLVM::registerLLVMPasses();
}
