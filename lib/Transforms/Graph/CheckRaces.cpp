//===- CheckRaces.cpp - Reject foralls with races -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Transforms/Graph/Passes.h"

#include "Comm/Analysis/Graph/Accesses.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"

namespace comm {
#define GEN_PASS_DEF_GRAPHCHECKRACES
#include "Comm/Transforms/Graph/Passes.h.inc"
} // namespace comm

using namespace mlir;
using namespace comm;
using namespace comm::graph;

static std::string describe(const Access &access) {
  switch (access.kind) {
  case AccessKind::Read:
    return "read";
  case AccessKind::Write:
    return "written";
  case AccessKind::Reduce:
    return ("reduced by " + stringifyReductionKind(access.reduction)).str();
  }
  return "touched";
}

namespace {
struct CheckRaces : public comm::impl::GraphCheckRacesBase<CheckRaces> {
  using Base::Base;

  void runOnOperation() override {
    bool failed = false;
    // If nested loops have the same race, only the outermost one reports it.
    llvm::DenseSet<std::pair<Operation *, Operation *>> told;
    getOperation()->walk<WalkOrder::PreOrder>([&](ForallOp loop) {
      std::optional<Race> race = findRace(loop);
      CallOpInterface call = race ? nullptr : findCall(loop);
      // This is not a race, but an error of the lowering if it stays.
      std::optional<Race> mixed = race || call || !serialize ? std::nullopt : findMixedEdges(loop);
      if (!race && !call && !mixed)
        return;
      if (race) {
        if (serialize || told.insert({race->first.op, race->second.op}).second)
          report(loop, *race);
      } else if (call) {
        report(loop, call);
      } else {
        mixed->second.op->emitWarning("changes an in-edge of the iteration's vertex and also accesses it in another "
                                      "way: the iterations of the forall run one after another");
      }
      numRaces += race.has_value();
      if (serialize)
        loop.setOrdered(true);
      else
        failed = true;
    });
    if (failed)
      signalPassFailure();
  }

private:
  /// Returns a call that remains after inlining, which all processes execute together.
  static CallOpInterface findCall(ForallOp loop) {
    CallOpInterface found;
    if (!loop.getOrdered())
      loop.walk([&](CallOpInterface call) {
        auto callee = dyn_cast_or_null<func::FuncOp>(call.resolveCallable());
        if (callee && callee.getNoInline())
          found = call;
      });
    return found;
  }

  void report(ForallOp loop, CallOpInterface call) {
    std::string text =
        ("a forall calls '" + cast<SymbolRefAttr>(call.getCallableForCallee()).getLeafReference().getValue() +
         "', which is recursive: ")
            .str();
    InFlightDiagnostic diagnostic = serialize ? call->emitWarning() << text << "its iterations run one after another"
                                              : call->emitError() << text << "use 'for'";
    diagnostic.attachNote(loop.getLoc()) << "the forall is here";
  }

  void report(ForallOp loop, const Race &race) {
    Operation *where = race.second.op;
    StringRef name = getObjectName(race.second.access.object);
    std::string object = name.empty() ? "what" : ("'" + name + "'").str();
    std::string text = "a race: " + object + " is " + describe(race.second.access) + " here, and " +
                       describe(race.first.access) + " in another iteration of the forall: ";
    InFlightDiagnostic diagnostic =
        serialize ? where->emitWarning() << text << "its iterations run one after another"
                  : where->emitError() << text
                                       << "make it a reduction (+=, Min, ...), write another property and copy that "
                                          "after the loop, or use 'for'";
    // The usual way to write a value that is set once.
    bool isRead = race.first.access.kind == AccessKind::Read || race.second.access.kind == AccessKind::Read;
    auto store = dyn_cast<StoreOp>(race.second.access.kind == AccessKind::Write ? where : race.first.op);
    if (isRead && store && isa<scf::IfOp>(store->getParentOp()) && !serialize) {
      bool isTruth = store.getValue().getType().isInteger(1);
      diagnostic.attachNote(store.getLoc())
          << "a value that is set once, with others, is a minimum: '<n." << (isTruth ? "number" : name)
          << ", n.other> = <Min(n." << (isTruth ? "number" : name) << ", value), ...>;'"
          << (isTruth ? ", since a truth value sets constants alone" : "");
    }
    if (race.first.op != where)
      diagnostic.attachNote(race.first.op->getLoc()) << "it is " << describe(race.first.access) << " here";
    diagnostic.attachNote(loop.getLoc()) << "the forall is here";
  }
};
} // namespace
