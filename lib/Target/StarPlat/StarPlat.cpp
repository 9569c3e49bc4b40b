//===- StarPlat.cpp - Translate programs in StarPlat's language ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Target/StarPlat/StarPlat.h"

#include "Emit.h"
#include "Parser.h"
#include "Sema.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "llvm/Support/CommandLine.h"

using namespace mlir;
using namespace comm;
using namespace comm::starplat;

void StarPlatOptions::addDefinition(StringRef text) {
  static constexpr StringLiteral signs = "=!<>+-*/%&|^";
  size_t at = text.find('=');
  while (at != StringRef::npos && at > 0 && (signs.contains(text[at - 1]) || text.substr(at + 1).starts_with("=")))
    at = text.find('=', text.find_first_not_of('=', at));
  definitions.emplace_back(text.substr(0, at), at == StringRef::npos ? "" : text.substr(at + 1));
}

OwningOpRef<ModuleOp> comm::importStarPlat(llvm::SourceMgr &sources, MLIRContext *context,
                                           const StarPlatOptions &options) {
  const llvm::MemoryBuffer *main = sources.getMemoryBuffer(sources.getMainFileID());
  Diagnostics diagnostics(sources);
  // Each definition is a source buffer of its own, so that errors in it have a location.
  auto addFile = [&](StringRef text) {
    auto buffer = llvm::MemoryBuffer::getMemBufferCopy(text, "<definition>");
    StringRef contents = buffer->getBuffer();
    sources.AddNewSourceBuffer(std::move(buffer), llvm::SMLoc());
    return contents;
  };
  std::vector<Definition> definitions;
  for (const auto &[from, to] : options.definitions)
    definitions.push_back({addFile(from), addFile(to)});
  std::vector<Token> tokens = tokenize(main->getBuffer(), diagnostics);
  tokens = replaceDefinitions(std::move(tokens), definitions, diagnostics);
  llvm::SMLoc begin = llvm::SMLoc::getFromPointer(main->getBufferStart());
  for (const Definition &definition : definitions)
    if (!definition.wasUsed)
      diagnostics.error(begin, "the program has no '" + definition.from + "' to define: drop the definition");
  Program program = Parser(tokens, diagnostics).parseProgram();
  if (!diagnostics.hasErrors())
    Sema(program, diagnostics, options.permissive, options.untilUnset).run();
  if (diagnostics.hasErrors())
    return nullptr;
  context
      ->loadDialect<graph::GraphDialect, arith::ArithDialect, func::FuncDialect, math::MathDialect, scf::SCFDialect>();
  StringRef name = main->getBufferIdentifier();
  OwningOpRef<ModuleOp> module = ModuleOp::create(FileLineColLoc::get(context, name, 1, 1));
  Emitter(*module, sources).emit(program);
  if (failed(verify(*module)))
    return nullptr;
  return module;
}

void comm::registerStarPlatTranslation() {
  static llvm::cl::opt<bool> permissive(
      "permissive", llvm::cl::desc("properties that are not declared and variables that are never set are warnings"));
  static llvm::cl::opt<bool> untilUnset(
      "until-unset", llvm::cl::desc("a fixed point ends after a round that sets its property nowhere"));
  static llvm::cl::list<std::string> definitions(
      "define", llvm::cl::value_desc("tokens=tokens"),
      llvm::cl::desc("names that the program uses but does not define, e.g. --define 'V=g.num_nodes()'"));
  static TranslateToMLIRRegistration registration(
      "import-starplat", "programs in StarPlat's language as the graph dialect",
      [](llvm::SourceMgr &sources, MLIRContext *context) -> OwningOpRef<Operation *> {
        StarPlatOptions options;
        options.permissive = permissive;
        options.untilUnset = untilUnset;
        for (StringRef definition : definitions)
          options.addDefinition(definition);
        return importStarPlat(sources, context, options).release().getOperation();
      },
      [](DialectRegistry &registry) {
        registry
            .insert<graph::GraphDialect, arith::ArithDialect, func::FuncDialect, math::MathDialect, scf::SCFDialect>();
      });
}
