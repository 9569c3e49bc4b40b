# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Reading headers of MLIR and LLVM takes five sixths of the build time. The libraries of Comm share a precompiled header
# with those that many files include, and the libraries that work without MLIR share one with LLVM's alone. Neither
# contains Comm's own headers, so our changes never rebuild them. Files still include the headers they use;
# utils/check_includes.py compiles each file without the precompiled headers and reports missing ones.
option(COMM_PRECOMPILED_HEADERS "read the headers of MLIR and LLVM once" ON)

# The options of Comm's libraries. A precompiled header requires one set of options. (-O2 instead of CMake's -O3 for
# releases builds a fifth faster, and Comm's passes take a seventh longer.)
function(comm_library_options name)
  target_compile_options(${name} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-fno-rtti -fno-exceptions -Wall -Wextra
                                         -Wno-unused-parameter>)
  if(COMM_PRECOMPILED_HEADERS)
    # A timestamp in the header would prevent ccache hits for files that include it.
    target_compile_options(${name} PRIVATE $<$<CXX_COMPILER_ID:Clang>:SHELL:-Xclang -fno-pch-timestamp>)
    target_precompile_headers(${name} ${ARGN})
  endif()
endfunction()

if(COMM_PRECOMPILED_HEADERS)
  set(statistics)
  if(${comm_statistics_as_released})
    set(statistics "${CMAKE_CURRENT_LIST_DIR}/StatisticLayout.h")
  endif()
  set(llvm_headers
    <llvm/ADT/MapVector.h>
    <llvm/ADT/SetVector.h>
    <llvm/ADT/StringSet.h>
    <llvm/ADT/TypeSwitch.h>
    <llvm/Analysis/LoopInfo.h>
    <llvm/IR/Dominators.h>
    <llvm/IR/IRBuilder.h>
    <llvm/IR/InstIterator.h>
    <llvm/IR/IntrinsicInst.h>
    <llvm/IR/Module.h>)
  # A target needs a source file.
  file(CONFIGURE OUTPUT "${CMAKE_BINARY_DIR}/CommPrecompiled.cpp" CONTENT "")
  add_library(CommPrecompiled OBJECT "${CMAKE_BINARY_DIR}/CommPrecompiled.cpp")
  comm_library_options(CommPrecompiled PRIVATE
    ${statistics}
    <mlir/Analysis/CFGLoopInfo.h>
    <mlir/Dialect/Arith/IR/Arith.h>
    <mlir/Dialect/Func/IR/FuncOps.h>
    <mlir/Dialect/LLVMIR/LLVMDialect.h>
    <mlir/Dialect/MemRef/IR/MemRef.h>
    <mlir/Dialect/SCF/IR/SCF.h>
    <mlir/IR/BuiltinOps.h>
    <mlir/IR/Dominance.h>
    <mlir/IR/IRMapping.h>
    <mlir/IR/Matchers.h>
    <mlir/IR/PatternMatch.h>
    <mlir/IR/Remarks.h>
    <mlir/Pass/PassManager.h>
    ${llvm_headers})
  # Some inline functions of MLIR's headers are part of each file that includes them, and need MLIR's library.
  add_library(CommPrecompiledLLVM OBJECT "${CMAKE_BINARY_DIR}/CommPrecompiled.cpp")
  comm_library_options(CommPrecompiledLLVM PRIVATE ${statistics} ${llvm_headers})
endif()
