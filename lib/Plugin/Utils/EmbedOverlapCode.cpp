//===- EmbedOverlapCode.cpp - Writes the runtime code for the plugin ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program of the build: embed-overlap-code OUTPUT NAME=BITCODE...
//
// Writes C++ for OverlapCode.cpp, for each bitcode file: all of it as bytes, and each definition as assembly text.
// Assembling the text takes much less time than LLVM needs to translate the bitcode, and each file pays that.
//
//===----------------------------------------------------------------------===//

#include "Comm/Plugin/Utils/OverlapNames.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Utils/Cloning.h"

#include <map>
#include <set>

using namespace llvm;
using namespace comm;

[[noreturn]] static void fail(const Twine &why) {
  errs() << "embed-overlap-code: error: " << why << "\n";
  exit(1);
}

/// Any module may contain a copy of each definition; the linker keeps one. Notes are in no comdat, since linkers that
/// collect garbage would drop them. Other names get a prefix that no program uses.
static void makeMergeable(Module &code) {
  for (GlobalObject &object : code.global_objects()) {
    if (object.isDeclaration() || object.hasPrivateLinkage())
      continue;
    if (!overlap::isEntry(object.getName()))
      object.setName(overlap::kInnerPrefix + object.getName());
    object.setLinkage(GlobalValue::LinkOnceODRLinkage);
    object.setVisibility(GlobalValue::HiddenVisibility);
    object.setDSOLocal(true);
    if (!object.hasSection())
      object.setComdat(code.getOrInsertComdat(object.getName()));
  }
}

/// COMM_RARE: the code has been optimized. To do so again takes longer than to translate it.
static void forgoOptimization(Module &code) {
  for (Function &function : code) {
    if (!function.hasFnAttribute(Attribute::MinSize))
      continue;
    function.removeFnAttr(Attribute::MinSize);
    function.removeFnAttr(Attribute::OptimizeForSize);
    function.addFnAttr(Attribute::OptimizeNone);
  }
}

/// Whether modules need the definition as LLVM IR: the plugin inlines questions, and notes are kept by LLVM's list.
static bool staysIR(const GlobalObject &object) {
  if (const auto *function = dyn_cast<Function>(&object))
    return function->getName().starts_with(mpi::kAskPrefix) && !function->hasFnAttribute(Attribute::NoInline);
  return object.getName().starts_with(mpi::kNotePrefix);
}

/// Returns the named definitions that the definition uses.
static std::set<StringRef> findUsed(const GlobalObject &object) {
  std::set<StringRef> names;
  SmallPtrSet<const Constant *, 32> seen;
  SmallVector<const Value *> open;
  auto addOperands = [&](const User &user) { open.append(user.value_op_begin(), user.value_op_end()); };
  auto addContent = [&](const GlobalObject &from) {
    if (const auto *function = dyn_cast<Function>(&from))
      for (const Instruction &instruction : instructions(*function))
        addOperands(instruction);
    else
      addOperands(from);
  };
  addContent(object);
  while (!open.empty()) {
    const auto *constant = dyn_cast<Constant>(open.pop_back_val());
    if (!constant || !seen.insert(constant).second)
      continue;
    const auto *used = dyn_cast<GlobalObject>(constant);
    if (!used)
      addOperands(*constant);
    else if (used->hasPrivateLinkage())
      addContent(*used);
    else if (!used->isDeclaration())
      names.insert(used->getName());
  }
  return names;
}

/// Drops declarations and private definitions that nothing uses.
static void dropUnused(Module &part) {
  SmallVector<GlobalObject *> unused;
  do {
    for (GlobalObject *object : unused)
      object->eraseFromParent();
    unused.clear();
    for (GlobalObject &object : part.global_objects())
      if (object.use_empty() && (object.isDeclaration() || object.hasPrivateLinkage()))
        unused.push_back(&object);
  } while (!unused.empty());
}

namespace {
/// Turns what LLVM prints for a file with one definition into text that any module may contain, next to its own
/// assembly and that of other modules.
class Assembly {
public:
  Assembly(StringRef name, const Module &part) : name(name), prefix((".L" + name + ".").str()) {
    for (const GlobalObject &object : part.global_objects())
      if (object.isDeclaration() && object.hasExternalWeakLinkage())
        weak.insert(object.getName());
  }
  std::string convert(StringRef text) const;

private:
  void addLine(std::string &result, StringRef line) const;

  StringRef name;
  /// Of local names: all texts that a module contains share one scope with what LLVM adds.
  std::string prefix;
  std::set<StringRef> weak;
};
} // namespace

static bool isPartOfName(char c) { return isAlnum(c) || c == '_' || c == '.' || c == '$'; }

/// Adds the line with the names that it has in modules.
void Assembly::addLine(std::string &result, StringRef line) const {
  bool inString = false;
  for (size_t i = 0; i < line.size();) {
    if (line[i] == '"' && (i == 0 || line[i - 1] != '\\'))
      inString = !inString;
    if (inString || !isPartOfName(line[i])) {
      result += line[i++];
      continue;
    }
    StringRef word = line.substr(i).take_while(isPartOfName);
    i += word.size();
    if (word.starts_with(".L"))
      (result += prefix) += word.drop_front(2);
    else if (weak.count(word))
      (result += prefix) += word;
    else
      result += word;
  }
  result += '\n';
}

std::string Assembly::convert(StringRef text) const {
  std::string once = (overlap::kAssemblyBegin + name).str(), result = once + "\n";
  ((result += ".set ") += StringRef(once).split(' ').second) += ", 1\n";
  // Assembly of other modules may have left another syntax or section, and expects the text section after this.
  result += ".att_syntax prefix\n.pushsection .text\n";
  // A symbol that the module refers to strongly as well stays strong.
  for (StringRef symbol : weak)
    ((((result += ".weakref ") += prefix) += symbol) += ", ") += symbol.str() + "\n";
  std::string label = (name + ":").str(), size = ("\t.size\t" + name + ", ").str(), distance = ("-" + name).str();
  SmallVector<StringRef> lines;
  text.split(lines, '\n', -1, /*KeepEmpty=*/false);
  for (StringRef line : lines) {
    StringRef what = line.ltrim();
    // What is of a file, not of the definition.
    if (any_of(ArrayRef<StringRef>{".file", ".ident", ".section\t\".note.GNU-stack\"", "#"},
               [&](StringRef start) { return what.starts_with(start); }))
      continue;
    if (what.consume_front(".weak\t") && weak.count(what.rtrim()))
      continue;
    // The name itself may be that of another module's definition.
    if (line.starts_with(size) && line.rtrim().ends_with(distance)) {
      addLine(result, (line.rtrim().drop_back(name.size()) + ".Lself").str());
      continue;
    }
    addLine(result, line);
    if (line.starts_with(label))
      addLine(result, ".Lself:");
  }
  result += ".popsection";
  return result + overlap::kAssemblyEnd.str();
}

/// Returns the assembly text of one definition.
static std::string assemble(const GlobalObject &object, TargetMachine &machine) {
  ValueToValueMapTy values;
  std::unique_ptr<Module> part = CloneModule(*object.getParent(), values, [&](const GlobalValue *value) {
    return value == &object || value->hasPrivateLinkage();
  });
  dropUnused(*part);
  Assembly assembly(object.getName(), *part);
  SmallString<0> text;
  raw_svector_ostream stream(text);
  legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, stream, nullptr, CodeGenFileType::AssemblyFile))
    fail("LLVM cannot write assembly for " + machine.getTargetTriple().str());
  passes.run(*part);
  return assembly.convert(text);
}

static void writeBytes(raw_ostream &out, const Module &code) {
  SmallString<0> bytes;
  raw_svector_ostream stream(bytes);
  WriteBitcodeToFile(code, stream);
  for (size_t i = 0; i < bytes.size(); ++i)
    out << unsigned(static_cast<unsigned char>(bytes[i])) << (i % 32 == 31 ? ",\n" : ",");
}

static void write(raw_ostream &out, StringRef name, Module &code, TargetMachine &machine) {
  makeMergeable(code);
  std::map<StringRef, const GlobalObject *> definitions;
  for (const GlobalObject &object : code.global_objects())
    if (!object.isDeclaration() && !object.hasPrivateLinkage())
      definitions[object.getName()] = &object;
  out << "static const OverlapDefinition k" << name << "Definitions[] = {\n";
  for (const auto &[symbol, definition] : definitions) {
    const GlobalObject &object = *definition;
    out << "{\"" << symbol << "\",\n\"";
    if (!staysIR(object))
      out.write_escaped(assemble(object, machine));
    out << "\",\n\"" << join(findUsed(object), " ") << "\"},\n";
  }
  out << "};\n";
  forgoOptimization(code);
  out << "static const unsigned char k" << name << "Bitcode[] = {\n";
  writeBytes(out, code);
  out << "};\n";
}

int main(int argc, char **argv) {
  InitLLVM init(argc, argv);
  InitializeNativeTarget();
  InitializeNativeTargetAsmPrinter();
  InitializeNativeTargetAsmParser();
  if (argc < 3)
    fail("usage: embed-overlap-code OUTPUT NAME=BITCODE...");
  std::error_code failed;
  ToolOutputFile output(argv[1], failed, sys::fs::OF_None);
  if (failed)
    fail(Twine(argv[1]) + ": " + failed.message());
  output.os() << "// Generated by embed-overlap-code. Do not edit.\n";
  LLVMContext context;
  Triple triple;
  for (StringRef argument : ArrayRef(argv, argc).drop_front(2)) {
    auto [name, path] = argument.split('=');
    SMDiagnostic diagnostic;
    std::unique_ptr<Module> code = parseIRFile(path, diagnostic, context);
    if (!code)
      fail(path + ": " + diagnostic.getMessage());
    triple = code->getTargetTriple();
    std::string why;
    const Target *target = TargetRegistry::lookupTarget(triple, why);
    if (!target)
      fail(why);
    TargetOptions options;
    options.FunctionSections = options.DataSections = true;
    options.MCOptions.AsmVerbose = false;
    std::unique_ptr<TargetMachine> machine(target->createTargetMachine(
        triple, /*CPU=*/"", /*Features=*/"", options, Reloc::PIC_, std::nullopt, CodeGenOptLevel::Default));
    write(output.os(), name, *code, *machine);
  }
  output.os() << "static constexpr StringLiteral kTriple = \"" << triple.str() << "\";\n";
  output.keep();
  return 0;
}
