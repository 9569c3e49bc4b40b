//===- Code.h - Memory, calls and numbers for the graph lowering --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_CONVERSION_GRAPHTOCOMM_CODE_H
#define COMM_LIB_CONVERSION_GRAPHTOCOMM_CODE_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/StringMap.h"

namespace comm::graphlowering {

/// Builds operations of the arith and llvm dialects. Booleans take one byte in memory.
class Code {
public:
  explicit Code(mlir::ModuleOp module) : module(module), builder(module.getLoc(), module.getContext()) {}

  mlir::Type pointer();
  mlir::Type i1() { return builder.getI1Type(); }
  mlir::Type i8() { return builder.getI8Type(); }
  mlir::Type i32() { return builder.getI32Type(); }
  mlir::Type i64() { return builder.getI64Type(); }

  mlir::Value integer(int64_t value, unsigned bits = 64);
  mlir::Value constant(mlir::TypedAttr value);
  mlir::Value null();
  mlir::Value isNull(mlir::Value pointer);
  mlir::Value string(llvm::StringRef text);

  mlir::Value add(mlir::Value a, mlir::Value b);
  mlir::Value sub(mlir::Value a, mlir::Value b);
  /// Returns the sum or difference of signed integers, and whether it overflowed.
  std::pair<mlir::Value, mlir::Value> addWithOverflow(mlir::Value a, mlir::Value b, bool subtracts);
  mlir::Value compare(mlir::arith::CmpIPredicate predicate, mlir::Value a, mlir::Value b);
  mlir::Value least(mlir::Value a, mlir::Value b);
  mlir::Value both(mlir::Value a, mlir::Value b);
  mlir::Value either(mlir::Value a, mlir::Value b);
  /// Widens to an i64. Booleans become 0 and 1.
  mlir::Value widen(mlir::Value value);
  mlir::Value isTrue(mlir::Value i32);

  mlir::Value load(mlir::Type type, mlir::Value address);
  void store(mlir::Value value, mlir::Value address);
  /// Fetches memory that may be needed soon. Any address will do.
  void prefetch(mlir::Value address);
  /// Returns the address of an element of an array of values of this type.
  mlir::Value element(mlir::Value base, mlir::Type type, mlir::Value index);
  mlir::Value field(mlir::Value base, int64_t bytes);
  /// Returns the number of bytes of a value in memory.
  static int64_t sizeOf(mlir::Type type);
  /// Allocates memory in the frame of the function that starts with `entry`.
  mlir::Value allocate(mlir::Block *entry, mlir::Type type, int64_t count = 1);

  /// Calls a function of the runtime. A null type means no result.
  mlir::Value call(llvm::StringRef name, mlir::Type result, mlir::ValueRange arguments);
  /// How far ahead of its turn the data of a list element is fetched, in elements.
  static constexpr int64_t kAhead = 8;
  /// Creates a function without a result. The insertion point does not move.
  mlir::Block *makeFunction(llvm::StringRef name, llvm::ArrayRef<mlir::Type> arguments, bool isPrivate);
  mlir::Value addressOf(mlir::Block *entry);
  /// Completes a function that makeFunction created.
  void finish(mlir::Block *block);
  void makeString(llvm::StringRef name, llvm::StringRef text);
  /// Reads a 64-bit slot as a value of another type.
  mlir::Value fromSlot(mlir::Value slots, int64_t index, mlir::Type type);

  mlir::ModuleOp module;
  mlir::ImplicitLocOpBuilder builder;

private:
  llvm::StringMap<std::string> strings;
};

/// Returns the source position of an operation as "file:line:column".
std::string describePlace(mlir::Location loc);

} // namespace comm::graphlowering

#endif // COMM_LIB_CONVERSION_GRAPHTOCOMM_CODE_H
