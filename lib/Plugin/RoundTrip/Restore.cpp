//===- Restore.cpp - Restoring what MLIR loses ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Restore.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace {
class Restorer {
public:
  Restorer(Function &body, const Function &original, const comm::InstructionOrigins &origins, DISubprogram *scope)
      : body(body), original(original), origins(origins), scope(scope) {}

  void run();

private:
  bool sameOperand(const Value *now, const Value *then) const;
  bool same(const Instruction &now, const Instruction &then) const;
  void restoreMetadata(Instruction &now, const Instruction &then) const;
  DILocation *getPlace(DILocation *then, const Function &function);
  void restoreLocation(Instruction &now, const Instruction *then);
  void restoreDeclares() const;
  void restoreEdgeOrder() const;

  Function &body;
  const Function &original;
  const comm::InstructionOrigins &origins;
  DISubprogram *scope;
  DenseMap<const MDNode *, MDNode *> scopes;
};
} // namespace

/// Returns whether MLIR preserves metadata of this kind. If such metadata is missing afterwards, a pass removed it on
/// purpose.
static bool isModeled(unsigned kind) {
  switch (kind) {
  case LLVMContext::MD_tbaa:
  case LLVMContext::MD_alias_scope:
  case LLVMContext::MD_noalias:
  case LLVMContext::MD_access_group:
    return true;
  default:
    return false;
  }
}

bool Restorer::sameOperand(const Value *now, const Value *then) const {
  if (now == then)
    return true;
  if (const auto *argument = dyn_cast<Argument>(then)) {
    const auto *other = dyn_cast<Argument>(now);
    // A region's arguments have other numbers in the forking function, and after a loop became a region again.
    return other && argument->getParent() == &original && scope == original.getSubprogram() &&
           other->getArgNo() == argument->getArgNo();
  }
  if (isa<BasicBlock>(then))
    return isa<BasicBlock>(now);
  // MLIR's block arguments carry no number.
  if (isa<PHINode>(then))
    return isa<PHINode>(now) || !isa<Constant>(now);
  if (isa<Instruction>(then)) {
    const auto *inst = dyn_cast<Instruction>(now);
    return inst && origins.lookup(const_cast<Instruction *>(inst)) == then;
  }
  // MLIR represents constant expressions and aggregates as operations; the builder folds most of them back. Metadata
  // operands are not compared.
  return !isa<ConstantData>(then) && !isa<GlobalValue>(then);
}

bool Restorer::same(const Instruction &now, const Instruction &then) const {
  if (now.getOpcode() != then.getOpcode() || now.getType() != then.getType() ||
      now.getNumOperands() != then.getNumOperands())
    return false;
  if (const auto *call = dyn_cast<CallBase>(&then))
    if (call->getFunctionType() != cast<CallBase>(now).getFunctionType())
      return false;
  return all_of(zip(now.operands(), then.operands()),
                [&](auto pair) { return sameOperand(std::get<0>(pair), std::get<1>(pair)); });
}

void Restorer::restoreMetadata(Instruction &now, const Instruction &then) const {
  SmallVector<std::pair<unsigned, MDNode *>, 8> all;
  then.getAllMetadataOtherThanDebugLoc(all);
  for (auto [kind, node] : all)
    // Assignment IDs link stores to records that are not restored.
    if (kind != LLVMContext::MD_DIAssignID && (!isModeled(kind) || now.getMetadata(kind)))
      now.setMetadata(kind, node);
  if (auto *call = dyn_cast<CallBase>(&now)) {
    const auto *old = cast<CallBase>(&then);
    call->setAttributes(old->getAttributes());
    if (auto *plain = dyn_cast<CallInst>(call))
      if (const auto *oldCall = dyn_cast<CallInst>(old); oldCall && !plain->isNoTailCall() && !plain->isMustTailCall())
        plain->setTailCallKind(oldCall->getTailCallKind());
  }
  if (auto *compare = dyn_cast<ICmpInst>(&now))
    compare->setSameSign(cast<ICmpInst>(then).hasSameSign());
}

/// Returns the location in the function under construction; null if it has none there, as for a region's location in
/// the forking function.
DILocation *Restorer::getPlace(DILocation *then, const Function &function) {
  if (!then || !scope || &function != &original)
    return nullptr;
  return scope == original.getSubprogram()
             ? then
             : DebugLoc::replaceInlinedAtSubprogram(DebugLoc(then), *scope, body.getContext(), scopes).get();
}

void Restorer::restoreLocation(Instruction &now, const Instruction *then) {
  if (then && (then->getFunction() != &original || scope != original.getSubprogram()))
    updateLoopMetadataDebugLocations(now, [&](Metadata *part) -> Metadata * {
      auto *place = dyn_cast_or_null<DILocation>(part);
      return place ? getPlace(place, *then->getFunction()) : part;
    });
  if (!scope)
    return;
  if (DILocation *place = then ? getPlace(then->getDebugLoc().get(), *then->getFunction()) : nullptr)
    now.setDebugLoc(DebugLoc(place));
  else if (isa<CallBase>(now) && !isa<IntrinsicInst>(now))
    // The verifier wants a location on calls that could be inlined.
    now.setDebugLoc(DILocation::get(body.getContext(), 0, 0, scope));
}

namespace {
/// A variable that stays at one place in memory throughout its lifetime.
struct MemoryVariable {
  const DbgVariableRecord *record = nullptr;
  Value *address = nullptr;
  bool always = true;
};
} // namespace

/// Takes `record` into account: the variable stays in memory if all its records name the same address and each
/// assignment is a store that still exists.
static void noteRecord(MemoryVariable &variable, const DbgVariableRecord &record) {
  bool linked = record.isDbgDeclare() || (record.isDbgAssign() && !at::getAssignmentInsts(&record).empty() &&
                                          record.getAddressExpression()->getNumElements() == 0);
  if (!linked || record.getExpression()->getFragmentInfo()) {
    variable.always = false;
    return;
  }
  Value *address = record.getAddress();
  if (variable.address && variable.address != address)
    variable.always = false;
  variable.address = address;
  variable.record = &record;
}

/// Restores declarations of variables in memory, which hold anywhere. Those of values in registers are lost, since code
/// has moved.
void Restorer::restoreDeclares() const {
  MapVector<DebugVariable, MemoryVariable> variables;
  for (const Instruction &inst : instructions(original))
    for (const DbgVariableRecord &record : filterDbgVars(inst.getDbgRecordRange()))
      noteRecord(variables[DebugVariable(record.getVariable(), std::nullopt, record.getDebugLoc().getInlinedAt())],
                 record);
  DenseMap<const Value *, Instruction *> nowOf;
  for (auto [now, then] : origins)
    if (isa<AllocaInst>(now) && isa<AllocaInst>(then))
      nowOf[then] = now;
  for (auto &[key, variable] : variables) {
    if (!variable.always || !variable.address)
      continue;
    Value *address = nullptr;
    BasicBlock::iterator place = body.getEntryBlock().getFirstNonPHIIt();
    if (const auto *argument = dyn_cast<Argument>(variable.address)) {
      address = body.getArg(argument->getArgNo());
    } else if (Instruction *slot = nowOf.lookup(variable.address)) {
      address = slot;
      place = std::next(slot->getIterator());
    }
    if (!address)
      continue;
    const DbgVariableRecord &record = *variable.record;
    DIExpression *expression = record.isDbgAssign() ? record.getAddressExpression() : record.getExpression();
    place->getParent()->insertDbgRecordBefore(
        DbgVariableRecord::createDVRDeclare(address, record.getVariable(), expression, record.getDebugLoc()), place);
  }
}

/// Restores the order of each block's predecessors and of phi operands. It has no meaning, but vectorizers depend on
/// it, and unchanged code should compile to the same result as before.
void Restorer::restoreEdgeOrder() const {
  auto originOf = [&](const BasicBlock *block) -> const BasicBlock * {
    const Instruction *end = block->getTerminator();
    const Instruction *then = origins.lookup(const_cast<Instruction *>(end));
    return then && then->isTerminator() ? then->getParent() : nullptr;
  };
  for (BasicBlock &block : body) {
    const BasicBlock *then = originOf(&block);
    if (!then)
      continue;
    DenseMap<const BasicBlock *, unsigned> useRank;
    for (const Use &use : then->uses())
      if (const auto *end = dyn_cast<Instruction>(use.getUser()))
        useRank.insert({end->getParent(), useRank.size()});
    auto rankIn = [&](auto &ranks, const BasicBlock *from) {
      auto it = ranks.find(originOf(from));
      return it == ranks.end() ? ~0u : it->second;
    };
    block.sortUseList([&](const Use &a, const Use &b) {
      return rankIn(useRank, cast<Instruction>(a.getUser())->getParent()) <
             rankIn(useRank, cast<Instruction>(b.getUser())->getParent());
    });
    const auto *thenPhi = dyn_cast<PHINode>(&then->front());
    if (!thenPhi)
      continue;
    DenseMap<const BasicBlock *, unsigned> phiRank;
    for (const BasicBlock *from : thenPhi->blocks())
      phiRank.insert({from, phiRank.size()});
    for (PHINode &phi : block.phis()) {
      struct Edge {
        unsigned rank, position;
        Value *value;
        BasicBlock *from;
      };
      SmallVector<Edge> edges;
      for (unsigned i = 0; i < phi.getNumIncomingValues(); ++i)
        edges.push_back(
            {rankIn(phiRank, phi.getIncomingBlock(i)), i, phi.getIncomingValue(i), phi.getIncomingBlock(i)});
      llvm::sort(edges, [](const Edge &a, const Edge &b) {
        return std::tie(a.rank, a.position) < std::tie(b.rank, b.position);
      });
      for (auto [i, edge] : enumerate(edges)) {
        phi.setIncomingValue(i, edge.value);
        phi.setIncomingBlock(i, edge.from);
      }
    }
  }
}

void Restorer::run() {
  restoreEdgeOrder();
  for (Instruction &now : instructions(body)) {
    const Instruction *then = origins.lookup(&now);
    if (then && same(now, *then))
      restoreMetadata(now, *then);
    restoreLocation(now, then);
  }
  if (scope && scope == original.getSubprogram())
    restoreDeclares();
}

void comm::restoreFromOriginals(Function &body, const Function &original, const InstructionOrigins &origins,
                                DISubprogram *scope) {
  Restorer(body, original, origins, scope).run();
}
