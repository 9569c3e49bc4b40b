//===- CommDialect.h - The comm dialect without its operations ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The dialect, its types and attributes, and what works on any MPI operation. Who asks interfaces needs no more, and is
// not built again when an operation is added.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_DIALECT_COMM_IR_COMMDIALECT_H
#define COMM_DIALECT_COMM_IR_COMMDIALECT_H

#include "Comm/Dialect/Comm/IR/CommInterfaces.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace mlir {
class PatternRewriter;
class RewriterBase;
} // namespace mlir

#include "Comm/Dialect/Comm/IR/CommDialect.h.inc"

#define GET_TYPEDEF_CLASSES
#include "Comm/Dialect/Comm/IR/CommTypes.h.inc"

namespace comm {

class WaitOp;

//===----------------------------------------------------------------------===//
// Discardable attributes (declared in CommBase.td, which tells what each is for)
//===----------------------------------------------------------------------===//

inline constexpr llvm::StringLiteral kABIAttrName = CommDialect::AbiAttrHelper::getNameStr();
inline constexpr llvm::StringLiteral kAcrossVariablesAttrName = CommDialect::AcrossVariablesAttrHelper::getNameStr();
inline constexpr llvm::StringLiteral kCallAttrName = CommDialect::CallAttrHelper::getNameStr();
inline constexpr llvm::StringLiteral kChangedAttrName = CommDialect::ChangedAttrHelper::getNameStr();
inline constexpr llvm::StringLiteral kCleanupAttrName = CommDialect::CleanupAttrHelper::getNameStr();
inline constexpr llvm::StringLiteral kFollowedAttrName = CommDialect::FollowedAttrHelper::getNameStr();
inline constexpr llvm::StringLiteral kIdAttrName = CommDialect::IdAttrHelper::getNameStr();
inline constexpr llvm::StringLiteral kInteriorAttrName = CommDialect::InteriorAttrHelper::getNameStr();
inline constexpr llvm::StringLiteral kLabelAttrName = CommDialect::LabelAttrHelper::getNameStr();
inline constexpr llvm::StringLiteral kLeftAttrName = CommDialect::LeftAttrHelper::getNameStr();
inline constexpr llvm::StringLiteral kOnlySplitAttrName = CommDialect::OnlySplitAttrHelper::getNameStr();
inline constexpr llvm::StringLiteral kOriginAttrName = CommDialect::FromAttrHelper::getNameStr();
inline constexpr llvm::StringLiteral kPlaceAttrName = CommDialect::PlaceAttrHelper::getNameStr();
inline constexpr llvm::StringLiteral kPrivateAttrName = CommDialect::PrivateAttrHelper::getNameStr();
inline constexpr llvm::StringLiteral kProgramsIntervalAttrName = CommDialect::ProgramsIntervalAttrHelper::getNameStr();
inline constexpr llvm::StringLiteral kRecalledAttrName = CommDialect::RecalledAttrHelper::getNameStr();
inline constexpr llvm::StringLiteral kRecordedAttrName = CommDialect::RecordedAttrHelper::getNameStr();
inline constexpr llvm::StringLiteral kRequestSetAttrName = CommDialect::RequestSetAttrHelper::getNameStr();
inline constexpr llvm::StringLiteral kStartKindAttrName = CommDialect::StartKindAttrHelper::getNameStr();
inline constexpr llvm::StringLiteral kTemporaryAttrName = CommDialect::TemporaryAttrHelper::getNameStr();
inline constexpr llvm::StringLiteral kUnrecordedAttrName = CommDialect::UnrecordedAttrHelper::getNameStr();
inline constexpr llvm::StringLiteral kWaitLoopAttrName = CommDialect::WaitLoopAttrHelper::getNameStr();

/// The state of MPI itself: the order of communications is an order of effects on it.
struct CommunicationResource : public mlir::SideEffects::Resource::Base<CommunicationResource> {
  llvm::StringRef getName() final { return "<MPI communication>"; }
};

/// Names one operand group of an MPI op to build.
struct NamedParam {
  llvm::StringRef name;
  llvm::SmallVector<mlir::Value, 1> values;
  NamedParam(llvm::StringRef name, mlir::Value value) : name(name), values({value}) {}
  NamedParam(llvm::StringRef name, mlir::ValueRange values) : name(name), values(values.begin(), values.end()) {}
};

/// Builds the op of a blocking MPI function (`MPI_Send`) from its parameters by name. `outcomes` names the results that
/// it shall have (`request`, `status`, `error`, ...). Returns null if no op models that function; parameters that the
/// op does not have are a programming error.
MPIOpInterface createMPIOp(mlir::OpBuilder &builder, mlir::Location loc, llvm::StringRef mpiFunction, Mode mode,
                           llvm::ArrayRef<NamedParam> params, llvm::ArrayRef<llvm::StringRef> outcomes);

/// The same operation in another mode, built at the insertion point: an async clone has a request result and no status,
/// a blocking one no request. Discardable attributes are kept.
MPIOpInterface cloneWithMode(mlir::OpBuilder &builder, MPIOpInterface op, Mode mode);

/// The next operation of the block that does more than compute a value, or null.
mlir::Operation *getNextEffectful(mlir::Operation *op);

/// Replaces an async operation and the wait that follows it by the blocking operation, which takes over the wait's
/// outcomes. Fails, and changes nothing, if anything but pure operations is between them, if the request has other
/// users, or if the error code of the start is used: nobody would know which of the two failed.
llvm::FailureOr<MPIOpInterface> mergeStartAndWait(mlir::RewriterBase &rewriter, MPIOpInterface start, WaitOp wait);

/// What a wait gives its program: the parameter that its status goes to, and the outcomes that it has as results.
void getWaitOutcomes(WaitOp wait, llvm::SmallVectorImpl<NamedParam> &params,
                     llvm::SmallVectorImpl<llvm::StringRef> &outcomes);
/// Lets the uses of the wait's results use those of `blocking`.
void replaceWaitOutcomes(mlir::RewriterBase &rewriter, WaitOp wait, MPIOpInterface blocking);

/// The name of the op that models that function, e.g. `comm.send` for MPI_Send; "" if there is none.
std::string getOpNameFor(llvm::StringRef mpiFunction, mlir::MLIRContext *context);

/// A predefined object by its MPI name, looking through casts: "MPI_INT"; "" if the value is not a constant.
llvm::StringRef getConstantName(mlir::Value value);

/// The value that a handle was made of: each call has a cast of its own.
mlir::Value getHandle(mlir::Value value);

/// The type that the op gives a result of that outcome name.
mlir::Type getOutcomeType(const mpi::Function &function, llvm::StringRef outcome, mlir::MLIRContext *context);

} // namespace comm

#endif // COMM_DIALECT_COMM_IR_COMMDIALECT_H
