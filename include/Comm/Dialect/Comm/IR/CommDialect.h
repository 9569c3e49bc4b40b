//===- CommDialect.h - The comm dialect without its operations ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The dialect, its types and attributes, and functions for any MPI operation. Code that only uses interfaces needs no
// more, and is not rebuilt when an operation is added.
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
// Discardable attributes (declared and explained in CommBase.td)
//===----------------------------------------------------------------------===//

inline constexpr llvm::StringLiteral kABIAttrName = CommDialect::AbiAttrHelper::getNameStr();
inline constexpr llvm::StringLiteral kAcrossVariablesAttrName = CommDialect::AcrossVariablesAttrHelper::getNameStr();
inline constexpr llvm::StringLiteral kBoundsAttrName = CommDialect::BoundsAttrHelper::getNameStr();
inline constexpr llvm::StringLiteral kCallAttrName = CommDialect::CallAttrHelper::getNameStr();
inline constexpr llvm::StringLiteral kChangedAttrName = CommDialect::ChangedAttrHelper::getNameStr();
inline constexpr llvm::StringLiteral kCleanupAttrName = CommDialect::CleanupAttrHelper::getNameStr();
inline constexpr llvm::StringLiteral kExcludesAttrName = CommDialect::ExcludesAttrHelper::getNameStr();
inline constexpr llvm::StringLiteral kFollowedAttrName = CommDialect::FollowedAttrHelper::getNameStr();
inline constexpr llvm::StringLiteral kIdAttrName = CommDialect::IdAttrHelper::getNameStr();
inline constexpr llvm::StringLiteral kInteriorAttrName = CommDialect::InteriorAttrHelper::getNameStr();
inline constexpr llvm::StringLiteral kLabelAttrName = CommDialect::LabelAttrHelper::getNameStr();
inline constexpr llvm::StringLiteral kLeftAttrName = CommDialect::LeftAttrHelper::getNameStr();
inline constexpr llvm::StringLiteral kOnlySplitAttrName = CommDialect::OnlySplitAttrHelper::getNameStr();
inline constexpr llvm::StringLiteral kOriginAttrName = CommDialect::FromAttrHelper::getNameStr();
inline constexpr llvm::StringLiteral kPlaceAttrName = CommDialect::PlaceAttrHelper::getNameStr();
inline constexpr llvm::StringLiteral kPredictionAttrName = CommDialect::PredictionAttrHelper::getNameStr();
inline constexpr llvm::StringLiteral kPrivateAttrName = CommDialect::PrivateAttrHelper::getNameStr();
inline constexpr llvm::StringLiteral kProgramsIntervalAttrName = CommDialect::ProgramsIntervalAttrHelper::getNameStr();
inline constexpr llvm::StringLiteral kRecalledAttrName = CommDialect::RecalledAttrHelper::getNameStr();
inline constexpr llvm::StringLiteral kRecordedAttrName = CommDialect::RecordedAttrHelper::getNameStr();
inline constexpr llvm::StringLiteral kRequestSetAttrName = CommDialect::RequestSetAttrHelper::getNameStr();
inline constexpr llvm::StringLiteral kStartKindAttrName = CommDialect::StartKindAttrHelper::getNameStr();
inline constexpr llvm::StringLiteral kTemporaryAttrName = CommDialect::TemporaryAttrHelper::getNameStr();
inline constexpr llvm::StringLiteral kUnrecordedAttrName = CommDialect::UnrecordedAttrHelper::getNameStr();
inline constexpr llvm::StringLiteral kWaitLoopAttrName = CommDialect::WaitLoopAttrHelper::getNameStr();

/// The state of MPI itself: the order of communications is the order of effects on it.
struct CommunicationResource : public mlir::SideEffects::Resource::Base<CommunicationResource> {
  llvm::StringRef getName() final { return "<MPI communication>"; }
};

/// One operand group, by name, of an MPI op to build.
struct NamedParam {
  llvm::StringRef name;
  llvm::SmallVector<mlir::Value, 1> values;
  NamedParam(llvm::StringRef name, mlir::Value value) : name(name), values({value}) {}
  NamedParam(llvm::StringRef name, mlir::ValueRange values) : name(name), values(values.begin(), values.end()) {}
};

/// Builds the op for a blocking MPI function (`MPI_Send`) from parameters by name. `outcomes` names the results to
/// create (`request`, `status`, `error`, ...). Returns null if no op models this function. Parameters that the op does
/// not have are a programming error.
MPIOpInterface createMPIOp(mlir::OpBuilder &builder, mlir::Location loc, llvm::StringRef mpiFunction, Mode mode,
                           llvm::ArrayRef<NamedParam> params, llvm::ArrayRef<llvm::StringRef> outcomes);

/// Clones the operation in another mode at the insertion point: an async clone has a request result and no status, a
/// blocking one has no request. Discardable attributes are kept.
MPIOpInterface cloneWithMode(mlir::OpBuilder &builder, MPIOpInterface op, Mode mode);

/// Returns the next operation of the block that does more than compute a value, or null.
mlir::Operation *getNextEffectful(mlir::Operation *op);

/// Replaces an async operation and the wait that follows it with the blocking operation, which takes over the wait's
/// outcomes. Fails and changes nothing if there are other than pure operations between them, if the request has other
/// users, or if the error code of the start is used, since it would be unclear which of the two failed.
llvm::FailureOr<MPIOpInterface> mergeStartAndWait(mlir::RewriterBase &rewriter, MPIOpInterface start, WaitOp wait);

/// Collects the outputs of a wait: the parameter that its status is written to, and the outcomes among its results.
void getWaitOutcomes(WaitOp wait, llvm::SmallVectorImpl<NamedParam> &params,
                     llvm::SmallVectorImpl<llvm::StringRef> &outcomes);
/// Replaces uses of the wait's results with those of `blocking`.
void replaceWaitOutcomes(mlir::RewriterBase &rewriter, WaitOp wait, MPIOpInterface blocking);

/// Returns the name of the op that models this function, such as `comm.send` for MPI_Send; "" if there is none.
std::string getOpNameFor(llvm::StringRef mpiFunction, mlir::MLIRContext *context);

/// Returns the MPI name of a predefined object, looking through casts: "MPI_INT"; "" if the value is not a constant.
llvm::StringRef getConstantName(mlir::Value value);

/// Looks through casts to the value of a handle: each call has its own cast.
mlir::Value getHandle(mlir::Value value);

/// Returns the type of the op's result with this outcome name.
mlir::Type getOutcomeType(const mpi::Function &function, llvm::StringRef outcome, mlir::MLIRContext *context);

} // namespace comm

#endif // COMM_DIALECT_COMM_IR_COMMDIALECT_H
