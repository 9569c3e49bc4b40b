//===- Passes.cpp - C API: pipelines and their observers ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "comm-c/Passes.h"

#include "Comm/Dialect/Comm/Utils/PassStatistic.h"

#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Pass.h"
#include "mlir/CAPI/Support.h"
#include "mlir/CAPI/Utils.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

#include <mutex>

using namespace mlir;

//===----------------------------------------------------------------------===//
// Pipelines
//===----------------------------------------------------------------------===//

/// Whether the text is "name(...)" with the closing parenthesis at the end: an anchor and its passes.
static bool hasAnchor(StringRef text) {
  size_t open = text.find_first_of("({,");
  if (open == StringRef::npos || text[open] != '(' || !text.ends_with(")"))
    return false;
  int depth = 0;
  for (char c : text.drop_back().drop_front(open)) {
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (depth == 0)
      return false;
  }
  return true;
}

MlirPassManager commPassManagerParse(MlirContext context, MlirStringRef pipeline, MlirStringCallback error,
                                     void *userData) {
  StringRef text = unwrap(pipeline).trim();
  std::string wrapped = hasAnchor(text) ? text.str() : ("builtin.module(" + text + ")").str();
  mlir::detail::CallbackOstream stream(error, userData);
  FailureOr<OpPassManager> parsed = parsePassPipeline(wrapped, stream);
  if (failed(parsed))
    return {nullptr};
  auto *manager = new PassManager(unwrap(context), parsed->getOpAnchorName());
  static_cast<OpPassManager &>(*manager) = std::move(*parsed);
  return wrap(manager);
}

MlirStringRef commPassManagerGetAnchor(MlirPassManager manager) { return wrap(unwrap(manager)->getOpAnchorName()); }

bool commIsRegisteredPass(MlirStringRef name) { return PassInfo::lookup(unwrap(name)) != nullptr; }

bool commIsRegisteredPipeline(MlirStringRef name) { return PassPipelineInfo::lookup(unwrap(name)) != nullptr; }

//===----------------------------------------------------------------------===//
// Observers and statistics
//===----------------------------------------------------------------------===//

namespace {
class Observer : public PassInstrumentation {
public:
  Observer(CommPassObserver observer, void *userData) : observer(observer), userData(userData) {}
  void runBeforePass(Pass *pass, Operation *op) override { tell(CommPassBefore, pass, op); }
  void runAfterPass(Pass *pass, Operation *op) override { tell(CommPassAfter, pass, op); }
  void runAfterPassFailed(Pass *pass, Operation *op) override { tell(CommPassFailed, pass, op); }

private:
  void tell(CommPassEvent event, Pass *pass, Operation *op) {
    if (!pass->getName().ends_with("OpToOpPassAdaptor"))
      observer(event, CommPass{pass}, wrap(op), userData);
  }

  CommPassObserver observer;
  void *userData;
};
} // namespace

void commPassManagerAddObserver(MlirPassManager manager, CommPassObserver observer, void *userData) {
  unwrap(manager)->addInstrumentation(std::make_unique<Observer>(observer, userData));
}

MlirStringRef commPassGetName(CommPass pass) {
  auto *cpp = static_cast<Pass *>(pass.ptr);
  return wrap(cpp->getArgument().empty() ? cpp->getName() : cpp->getArgument());
}

void commPassForEachStatistic(CommPass pass, CommStatisticCallback callback, void *userData) {
  comm::PassStatistic::forEach(*static_cast<Pass *>(pass.ptr), [&](const comm::PassStatistic &statistic) {
    callback(wrap(statistic.name()), wrap(statistic.description()), statistic.count(), userData);
  });
}

//===----------------------------------------------------------------------===//
// Passes of other languages
//===----------------------------------------------------------------------===//

namespace {
/// The callback of a pass name. Pipelines keep it alive as long as they may run it.
struct ForeignFunction {
  std::string description;
  CommPassRun run;
  void *userData;
  void (*release)(void *userData);
  ~ForeignFunction() {
    if (release)
      release(userData);
  }
};

/// A registered name, which MLIR's registry keeps until the program ends.
struct ForeignEntry {
  std::string name, anchor;
  TypeID id;
  std::shared_ptr<ForeignFunction> function;
};

class ForeignPass : public Pass {
public:
  ForeignPass(const ForeignEntry *entry, std::shared_ptr<ForeignFunction> function)
      : Pass(entry->id, entry->anchor.empty() ? std::nullopt : std::optional<StringRef>(entry->anchor)), entry(entry),
        function(std::move(function)) {}
  StringRef getName() const override { return entry->name; }
  StringRef getArgument() const override { return entry->name; }
  StringRef getDescription() const override { return function->description; }
  bool canScheduleOn(RegisteredOperationName name) const override {
    return !getOpName() || name.getStringRef() == *getOpName();
  }
  std::unique_ptr<Pass> clonePass() const override { return std::make_unique<ForeignPass>(entry, function); }
  void runOnOperation() override {
    if (mlirLogicalResultIsFailure(function->run(wrap(getOperation()), function->userData)))
      signalPassFailure();
  }

private:
  const ForeignEntry *entry;
  std::shared_ptr<ForeignFunction> function;
};

struct ForeignRegistry {
  std::mutex mutex;
  TypeIDAllocator ids;
  llvm::StringMap<std::unique_ptr<ForeignEntry>> entries;
};
} // namespace

static ForeignRegistry &foreignRegistry() {
  static auto *registry = new ForeignRegistry();
  return *registry;
}

MlirLogicalResult commRegisterPass(MlirStringRef name, MlirStringRef description, MlirStringRef anchor, CommPassRun run,
                                   void *userData, void (*release)(void *userData)) {
  StringRef argument = unwrap(name);
  bool isName = !argument.empty() && llvm::all_of(argument, [](char c) {
    return (c >= 'a' && c <= 'z') || llvm::isDigit(c) || c == '-' || c == '_';
  });
  if (!isName)
    return mlirLogicalResultFailure();
  // Release the old function outside of the lock, since it may call anything.
  std::shared_ptr<ForeignFunction> function, old;
  ForeignRegistry &registry = foreignRegistry();
  ForeignEntry *added = nullptr;
  {
    std::lock_guard<std::mutex> lock(registry.mutex);
    auto found = registry.entries.find(argument);
    bool isKnown = found != registry.entries.end();
    if (isKnown ? found->second->anchor != unwrap(anchor)
                : commIsRegisteredPass(name) || commIsRegisteredPipeline(name))
      return mlirLogicalResultFailure();
    function = std::shared_ptr<ForeignFunction>(new ForeignFunction{unwrap(description).str(), run, userData, release});
    std::unique_ptr<ForeignEntry> &entry = registry.entries[argument];
    if (!isKnown) {
      entry.reset(new ForeignEntry{argument.str(), unwrap(anchor).str(), registry.ids.allocate(), nullptr});
      added = entry.get();
    }
    old = std::move(entry->function);
    entry->function = std::move(function);
  }
  if (added)
    registerPass([added]() -> std::unique_ptr<Pass> {
      std::lock_guard<std::mutex> lock(foreignRegistry().mutex);
      return std::make_unique<ForeignPass>(added, added->function);
    });
  return mlirLogicalResultSuccess();
}

bool commPassManagerHasForeignPasses(MlirPassManager manager) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  unwrap(manager)->printAsTextualPipeline(stream);
  ForeignRegistry &registry = foreignRegistry();
  std::lock_guard<std::mutex> lock(registry.mutex);
  StringRef rest = text;
  while (!rest.empty()) {
    StringRef word = rest.take_while([](char c) { return llvm::isAlnum(c) || c == '-' || c == '_' || c == '.'; });
    if (registry.entries.contains(word))
      return true;
    rest = rest.drop_front(word.empty() ? 1 : word.size());
  }
  return false;
}
