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

/// Maps the domain of the scopes of an inlined call to the loop that declares them. All scopes of a call go together: a
/// pointer with two of them may be based on either argument, and with one of the two more would be promised than
/// before.
using LoopsOfDomains = llvm::DenseMap<Attribute, CFGLoop *>;

/// Marks a declaration, and keeps the scopes of an access, while they are hidden.
static constexpr StringLiteral kHidden = "hidden", kHiddenScopes = "hidden_scopes",
                               kHiddenNoAlias = "hidden_noalias_scopes";

static LoopsOfDomains findDomains(Region &body, CFGLoopInfo &loops, llvm::function_ref<bool(Operation &)> isWanted) {
  LoopsOfDomains found;
  for (Block &block : body) {
    CFGLoop *loop = loops.getLoopFor(&block);
    auto declarations = block.getOps<LLVM::NoAliasScopeDeclOp>();
    if (declarations.empty() || !loop || llvm::any_of(loop->getBlocks(), [](Block *each) {
          return llvm::any_of(*each, [](Operation &op) { return isa<MPIOpInterface>(op); });
        }))
      continue;
    for (LLVM::NoAliasScopeDeclOp declaration : declarations)
      if (isWanted(*declaration))
        found.insert({declaration.getScope().getDomain(), loop});
  }
  return found;
}

static ArrayAttr filterScopes(ArrayAttr scopes, llvm::function_ref<bool(Attribute domain)> isKept) {
  if (!scopes)
    return scopes;
  auto kept = llvm::filter_to_vector(
      scopes, [&](Attribute scope) { return isKept(cast<LLVM::AliasScopeAttr>(scope).getDomain()); });
  return kept.empty() ? ArrayAttr() : ArrayAttr::get(scopes.getContext(), kept);
}

bool comm::declaresVisibleScope(Operation &op) { return isa<LLVM::NoAliasScopeDeclOp>(op) && !op.hasAttr(kHidden); }

bool comm::hideScopesOfIterations(Region &body) {
  if (body.hasOneBlock())
    return false;
  DominanceInfo dominance;
  CFGLoopInfo loops(dominance.getDomTree(&body));
  LoopsOfDomains domains = findDomains(body, loops, [](Operation &) { return true; });
  if (domains.empty())
    return false;
  auto isKept = [&](Attribute domain) { return !domains.contains(domain); };
  body.walk([&](Operation *op) {
    if (auto declaration = dyn_cast<LLVM::NoAliasScopeDeclOp>(op)) {
      if (!isKept(declaration.getScope().getDomain()))
        declaration->setAttr(kHidden, UnitAttr::get(op->getContext()));
    } else if (auto access = dyn_cast<LLVM::AliasAnalysisOpInterface>(op)) {
      ArrayAttr scopes = access.getAliasScopesOrNull(), others = access.getNoAliasScopesOrNull();
      ArrayAttr keptScopes = filterScopes(scopes, isKept), keptOthers = filterScopes(others, isKept);
      if (scopes != keptScopes)
        op->setAttr(kHiddenScopes, scopes);
      if (others != keptOthers)
        op->setAttr(kHiddenNoAlias, others);
      access.setAliasScopes(keptScopes);
      access.setNoAliasScopes(keptOthers);
    }
  });
  return true;
}

/// Returns the scopes that an access has now, and those hidden ones that it gets back.
static ArrayAttr giveBack(ArrayAttr now, ArrayAttr hidden, llvm::function_ref<bool(Attribute domain)> isBack) {
  auto scopes = llvm::filter_to_vector(hidden, [&](Attribute scope) {
    return (now && llvm::is_contained(now, scope)) || isBack(cast<LLVM::AliasScopeAttr>(scope).getDomain());
  });
  return scopes.empty() ? ArrayAttr() : ArrayAttr::get(hidden.getContext(), scopes);
}

void comm::settleScopes(Region &body, llvm::function_ref<bool(Block *)> isSplit) {
  DominanceInfo dominance;
  CFGLoopInfo loops(dominance.getDomTree(&body));
  LoopsOfDomains domains = findDomains(body, loops, [](Operation &op) { return op.hasAttr(kHidden); });
  for (Block &block : body)
    for (LLVM::NoAliasScopeDeclOp declaration : llvm::make_early_inc_range(block.getOps<LLVM::NoAliasScopeDeclOp>()))
      if (declaration->hasAttr(kHidden) && isSplit(&block)) {
        domains.erase(declaration.getScope().getDomain());
        declaration.erase();
      }
  body.walk([&](Operation *op) {
    // An access that has left the loop keeps no promise about its iterations.
    auto isBack = [&](Attribute domain) {
      CFGLoop *loop = domains.lookup(domain);
      return loop && loop->contains(op->getBlock());
    };
    auto access = dyn_cast<LLVM::AliasAnalysisOpInterface>(op);
    if (auto hidden = op->getAttrOfType<ArrayAttr>(kHiddenScopes))
      access.setAliasScopes(giveBack(access.getAliasScopesOrNull(), hidden, isBack));
    if (auto hidden = op->getAttrOfType<ArrayAttr>(kHiddenNoAlias))
      access.setNoAliasScopes(giveBack(access.getNoAliasScopesOrNull(), hidden, isBack));
    for (StringRef name : {kHidden, kHiddenScopes, kHiddenNoAlias})
      op->removeAttr(name);
  });
}
