//===- ForgetScopes.cpp - Restricted pointers of one iteration ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Iterations/ForgetScopes.h"

#include "Comm/Dialect/Comm/IR/CommInterfaces.h"

#include "mlir/Analysis/CFGLoopInfo.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Dominance.h"

using namespace mlir;
using namespace comm;

using Domains = llvm::SmallPtrSet<Attribute, 4>;

/// Finds the domains of the scopes, one for each inlined call. All scopes of a call go together: a pointer with two of
/// them may be based on either argument, and with one of the two more would be promised than before.
static Domains findDomains(Region &body) {
  Domains found;
  DominanceInfo dominance;
  if (!body.hasOneBlock()) {
    CFGLoopInfo loops(dominance.getDomTree(&body));
    for (Block &block : body) {
      CFGLoop *loop = loops.getLoopFor(&block);
      auto declarations = block.getOps<LLVM::NoAliasScopeDeclOp>();
      if (declarations.empty() || !loop || llvm::any_of(loop->getBlocks(), [](Block *each) {
            return llvm::any_of(*each, [](Operation &op) { return isa<MPIOpInterface>(op); });
          }))
        continue;
      for (LLVM::NoAliasScopeDeclOp declaration : declarations)
        found.insert(declaration.getScope().getDomain());
    }
  }
  return found;
}

static ArrayAttr withoutDomains(ArrayAttr scopes, const Domains &domains) {
  if (!scopes)
    return scopes;
  auto kept = llvm::filter_to_vector(
      scopes, [&](Attribute scope) { return !domains.contains(cast<LLVM::AliasScopeAttr>(scope).getDomain()); });
  return kept.empty() ? ArrayAttr() : ArrayAttr::get(scopes.getContext(), kept);
}

bool comm::forgetScopesOfIterations(Region &body) {
  Domains domains = findDomains(body);
  if (domains.empty())
    return false;
  body.walk([&](Operation *op) {
    if (auto declaration = dyn_cast<LLVM::NoAliasScopeDeclOp>(op)) {
      if (domains.contains(declaration.getScope().getDomain()))
        declaration.erase();
    } else if (auto access = dyn_cast<LLVM::AliasAnalysisOpInterface>(op)) {
      access.setAliasScopes(withoutDomains(access.getAliasScopesOrNull(), domains));
      access.setNoAliasScopes(withoutDomains(access.getNoAliasScopesOrNull(), domains));
    }
  });
  return true;
}
