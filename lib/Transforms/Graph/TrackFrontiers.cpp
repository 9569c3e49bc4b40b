//===- TrackFrontiers.cpp - Visit only what filters accept ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Transforms/Graph/Passes.h"

#include "Remarks.h"

#include "Comm/Analysis/Graph/Accesses.h"

#include "mlir/Interfaces/CallInterfaces.h"

#include "mlir/IR/BuiltinOps.h"

namespace comm {
#define GEN_PASS_DEF_GRAPHTRACKFRONTIERS
#include "Comm/Transforms/Graph/Passes.h.inc"
} // namespace comm

using namespace mlir;
using namespace comm::graph;

namespace {
struct TrackFrontiers : public comm::impl::GraphTrackFrontiersBase<TrackFrontiers> {
  void runOnOperation() override {
    getOperation()->walk([&](ForallOp loop) {
      std::string reason = whyNot(loop);
      if (reason.empty()) {
        tell(*this, loop, "visits a list of the vertices that pass the filter, while there are few");
        track(getFilterProperty(loop));
      } else if (loop.getDomain() == Domain::vertices && loop.hasFilter()) {
        tellNot(*this, loop, "evaluates the filter for every vertex: " + reason);
      }
    });
  }

private:
  static std::string whyNot(ForallOp loop) {
    if (loop.getOrdered())
      return "its iterations run in order";
    Value property = getFilterProperty(loop);
    if (!property)
      return "it does not test a boolean property";
    if (!property.getDefiningOp<PropertyOp>())
      return "the property is a parameter";
    return isGiven(property) ? "a recursive function may change the property" : "";
  }

  /// Returns true if the property is passed to a function that is not inlined.
  static bool isGiven(Value property) { return llvm::any_of(property.getUsers(), llvm::IsaPred<CallOpInterface>); }

  /// Tracks the property and those it is copied from: a list can be copied only if there is one.
  void track(Value property) {
    auto made = property ? property.getDefiningOp<PropertyOp>() : nullptr;
    if (!made || made->hasAttr(kTrackedAttrName) || isGiven(property))
      return;
    made->setAttr(kTrackedAttrName, UnitAttr::get(&getContext()));
    ++numTracked;
    for (Operation *user : made->getUsers())
      if (auto copy = dyn_cast<CopyOp>(user); copy && copy.getTo() == property)
        track(copy.getFrom());
  }
};
} // namespace
