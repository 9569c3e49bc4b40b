//===- OptimizerOptions.cpp - Global options of LLVM's passes -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Plugin/Utils/OptimizerOptions.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/CommandLine.h"

using namespace llvm;
using namespace comm;

/// Sets an option if it exists and the user has not set it. An empty value restores the default.
static void setOption(StringRef name, StringRef value) {
  static StringSet<> ours;
  auto found = cl::getRegisteredOptions().find(name);
  if (found == cl::getRegisteredOptions().end())
    return;
  cl::Option &option = *found->second;
  if (option.getNumOccurrences() && !ours.contains(name))
    return;
  option.reset();
  ours.erase(name);
  if (value.empty())
    return;
  option.addOccurrence(0, name, value);
  ours.insert(name);
}

void comm::lookAtWholeFunctions(bool whole) { setOption("inline-cost-full", whole ? "true" : ""); }

void comm::keepLoadsInLoops(bool keep) { setOption("enable-load-in-loop-pre", keep ? "false" : ""); }

void comm::keepBranchesApart(bool keep) { setOption("jump-threading-threshold", keep ? "0" : ""); }

void comm::keepLoopsWhole(bool keep) { setOption("unswitch-threshold", keep ? "0" : ""); }

void comm::lookAtAllUses(bool all) { setOption("capture-tracking-max-uses-to-explore", all ? "1000" : ""); }

bool comm::isPartOfProgram(const Module &module) { return module.getModuleFlag("EnableSplitLTOUnit"); }
