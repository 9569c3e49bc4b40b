//===- comm-graph-interpret.cpp - Interpret graph programs ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arguments.h"

#include "Comm/Analysis/Graph/Accesses.h"
#include "Comm/Analysis/Graph/Programs.h"
#include "Comm/Dialect/Graph/IR/Graph.h"
#include "Comm/Target/StarPlat/StarPlat.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/Support/WithColor.h"

using namespace mlir;
using namespace comm;
using namespace comm::interpreter;
namespace cl = llvm::cl;

static cl::opt<std::string> programFile(cl::Positional, cl::Required,
                                        cl::desc("PROGRAM (.mlir, or StarPlat's language)"));
static cl::opt<std::string> graphFile("graph", cl::Required, cl::desc("the graph: one line per edge"));
static cl::opt<bool> undirected("undirected", cl::desc("each edge leads in both directions"));
static cl::opt<int64_t> numVertices("vertices", cl::desc("the minimum number of vertices"), cl::init(0));
static cl::list<std::string> arguments("arg", cl::value_desc("name=value"), cl::desc("an argument of the function"));
static cl::opt<std::string> functionName("function", cl::desc("the function to run"));
static cl::list<std::string> printed("print", cl::CommaSeparated,
                                     cl::desc("the properties to print; by default, those that are parameters"));
static cl::opt<bool> permissive("permissive", cl::desc("see comm-translate"));
static cl::opt<bool> untilUnset("until-unset", cl::desc("see comm-translate"));
static cl::list<std::string> definitions("define", cl::value_desc("tokens=tokens"), cl::desc("see comm-translate"));
static cl::opt<uint64_t> maxSteps("max-steps", cl::desc("stop after this many operations"), cl::init(0));
static cl::opt<uint64_t> seed("seed", cl::desc("seed of the random order"), cl::init(0));
static cl::opt<Order> order("order", cl::desc("the order in which the iterations of a forall run"),
                            cl::values(clEnumValN(Order::Ascending, "ascending", "by ascending number"),
                                       clEnumValN(Order::Descending, "descending", "by descending number"),
                                       clEnumValN(Order::Random, "random", "in random order")),
                            cl::init(Order::Ascending));

static llvm::raw_ostream &error() { return llvm::WithColor::error(llvm::errs(), "comm-graph-interpret"); }

static std::unique_ptr<llvm::MemoryBuffer> open(StringRef name) {
  auto file = llvm::MemoryBuffer::getFileOrSTDIN(name, /*IsText=*/true);
  if (file)
    return std::move(*file);
  error() << "cannot open '" << name << "': " << file.getError().message() << "\n";
  return nullptr;
}

static OwningOpRef<ModuleOp> loadProgram(llvm::SourceMgr &sources, MLIRContext &context) {
  std::unique_ptr<llvm::MemoryBuffer> file = open(programFile);
  if (!file)
    return nullptr;
  sources.AddNewSourceBuffer(std::move(file), llvm::SMLoc());
  if (StringRef(programFile).ends_with(".mlir"))
    return parseSourceFile<ModuleOp>(sources, &context);
  StarPlatOptions options;
  options.permissive = permissive;
  options.untilUnset = untilUnset;
  for (StringRef definition : definitions)
    options.addDefinition(definition);
  return importStarPlat(sources, &context, options);
}

/// Prints the result of the program and its properties.
static bool printResults(func::FuncOp function, ArrayRef<RuntimeValue> results, ArrayRef<RuntimeValue> values,
                         const Interpreter &interpreter, const GraphData &graph) {
  for (auto [type, value] : llvm::zip_equal(function.getResultTypes(), results)) {
    llvm::outs() << "result ";
    printScalar(type, value);
    llvm::outs() << "\n";
  }
  llvm::StringMap<std::pair<Type, RuntimeValue>> properties;
  SmallVector<std::string> names(printed.begin(), printed.end());
  for (const auto &each : interpreter.getNamedProperties())
    properties[each.getKey()] = each.getValue();
  for (auto [index, type] : llvm::enumerate(function.getArgumentTypes())) {
    if (!isa<graph::PropertyType>(type))
      continue;
    StringRef name = graph::getObjectName(function.getArgument(index));
    properties[name] = {type, values[index]};
    if (printed.empty() && !graph::areWeights(function.getArgument(index)))
      names.push_back(name.str());
  }
  for (StringRef name : names) {
    auto found = properties.find(name);
    if (found == properties.end()) {
      error() << "the program has no property '" << name << "'\n";
      return false;
    }
    printProperty(name, found->second.first, found->second.second, graph);
  }
  return true;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::ParseCommandLineOptions(argc, argv, "Runs a graph program in one memory, one operation after another\n");
  DialectRegistry registry;
  registry.insert<graph::GraphDialect, arith::ArithDialect, func::FuncDialect, math::MathDialect, scf::SCFDialect>();
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  // Show authors of StarPlat programs their source, not operations.
  context.printOpOnDiagnostic(StringRef(programFile).ends_with(".mlir"));
  llvm::SourceMgr sources;
  SourceMgrDiagnosticHandler handler(sources, &context);
  OwningOpRef<ModuleOp> module = loadProgram(sources, context);
  if (!module)
    return 1;
  func::FuncOp function = graph::findProgram(*module, functionName);
  std::unique_ptr<llvm::MemoryBuffer> file = function ? open(graphFile) : nullptr;
  if (!file)
    return 1;
  GraphData graph;
  LoadOptions load;
  load.undirected = undirected;
  load.numVertices = numVertices;
  std::string message;
  if (!readEdgeList(file->getBuffer(), graphFile, load, graph, message)) {
    error() << message << "\n";
    return 1;
  }
  InterpreterOptions options;
  options.order = order;
  options.seed = seed;
  options.maxSteps = maxSteps;
  Interpreter interpreter(*module, graph, options);
  std::optional<std::vector<RuntimeValue>> values = makeArguments(function, interpreter, graph, arguments);
  if (!values)
    return 1;
  FailureOr<std::vector<RuntimeValue>> results = interpreter.run(function, *values);
  if (failed(results))
    return 1;
  return printResults(function, *results, *values, interpreter, graph) ? 0 : 1;
}
