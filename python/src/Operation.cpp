//===- Operation.cpp - Operations -----------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Operation.h"

#include "Access.h"
#include "Edit.h"

#include "mlir-c/BuiltinAttributes.h"

#include <pybind11/native_enum.h>

#include <string_view>
#include <unordered_set>

using namespace comm::python;

//===----------------------------------------------------------------------===//
// Python's classes of operations
//===----------------------------------------------------------------------===//

/// Classes by operation name. The names live as long as the program.
static std::unordered_map<std::string_view, py::object> &opClasses() {
  static auto *classes = new std::unordered_map<std::string_view, py::object>();
  return *classes;
}

bool comm::python::isFilled(PyObject *object) {
  auto *instance = reinterpret_cast<py::detail::instance *>(object);
  return instance->get_value_and_holder(boundInfo<PyOperation>()).value_ptr() != nullptr;
}

void comm::python::fill(PyObject *object, const OpRef &op) { emplace(object, PyOperation{op}); }

/// Imports the classes of the operation's dialect, once. Returns true if there may be a class now.
static bool loadClasses(std::string_view name) {
  static auto *asked = new std::unordered_set<std::string>();
  std::string dialect(name.substr(0, name.find('.')));
  if (!asked->insert(dialect).second)
    return false;
  py::module_::import("comm_mlir.dialects").attr("_load")(py::str(dialect));
  return true;
}

py::object comm::python::wrapOp(const OpRef &op) {
  MlirStringRef text = mlirIdentifierStr(mlirOperationGetName(op->get()));
  std::string_view name(text.data, text.length);
  // Programs build many operations of a kind in a row. Entries do not move.
  static std::pair<const std::string_view, py::object> *last = nullptr;
  if (!last || last->first != name) {
    auto it = opClasses().find(name);
    if (it == opClasses().end() && loadClasses(name))
      it = opClasses().find(name);
    last = it == opClasses().end() ? nullptr : &*it;
  }
  // __init__ of a Python class builds an operation, so do not call it.
  auto *type = last ? reinterpret_cast<PyTypeObject *>(last->second.ptr()) : boundType<PyOperation>();
  return make(type, PyOperation{op});
}

ValueRef comm::python::toValue(py::handle object) {
  if (const auto *value = find<PyValue>(object)) {
    value->ref.get();
    return value->ref;
  }
  if (const auto *operation = find<PyOperation>(object)) {
    const OpRef &op = operation->state;
    if (mlirOperationGetNumResults(op->get()) != 1)
      throw py::value_error("an operation stands for a value only if it has one result");
    return makeValue(op->context, mlirOperationGetResult(op->op, 0));
  }
  std::string text = py::repr(object).cast<std::string>();
  if (PyLong_Check(object.ptr()) || PyFloat_Check(object.ptr()))
    throw py::type_error("an operand is a Value, not the number " + text + ": build one, as arith.constant(type, " +
                         text + ") does");
  throw py::type_error("an operand is a Value, or an Operation with one result, not " + text);
}

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

static std::string print(const OpRef &op, std::optional<int64_t> elements, bool debugInfo, bool prettyDebugInfo,
                         bool generic, bool localScope, bool skipRegions) {
  MlirOperation raw = op->get();
  MlirOpPrintingFlags flags = mlirOpPrintingFlagsCreate();
  if (elements)
    mlirOpPrintingFlagsElideLargeElementsAttrs(flags, *elements < 0 ? 0 : *elements);
  if (debugInfo)
    mlirOpPrintingFlagsEnableDebugInfo(flags, true, prettyDebugInfo);
  if (generic || crashesVerifier(raw))
    mlirOpPrintingFlagsPrintGenericOpForm(flags);
  if (localScope)
    mlirOpPrintingFlagsUseLocalScope(flags);
  if (skipRegions)
    mlirOpPrintingFlagsSkipRegions(flags);
  std::string text;
  mlirOperationPrintWithFlags(raw, flags, appendTo, &text);
  mlirOpPrintingFlagsDestroy(flags);
  return text;
}

//===----------------------------------------------------------------------===//
// Walking
//===----------------------------------------------------------------------===//

namespace {
enum class WalkOrder { PreOrder, PostOrder };
enum class WalkResult { Advance, Interrupt, Skip };
} // namespace

/// Returns false once the callback interrupts.
static bool walk(const OpRef &op, const py::function &callback, WalkOrder order) {
  auto call = [&] {
    py::object result = callback(wrapOp(op));
    return py::isinstance<WalkResult>(result) ? result.cast<WalkResult>() : WalkResult::Advance;
  };
  if (order == WalkOrder::PreOrder) {
    WalkResult result = call();
    if (result != WalkResult::Advance)
      return result == WalkResult::Skip;
    if (op->death)
      return true;
  }
  // The callback may erase and insert. Erased operations are skipped; inserted ones are not visited.
  std::vector<OpRef> children;
  for (intptr_t i = 0, n = mlirOperationGetNumRegions(op->op); i < n; ++i)
    for (MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(op->op, i)); block.ptr;
         block = mlirBlockGetNextInRegion(block))
      for (MlirOperation child = mlirBlockGetFirstOperation(block); child.ptr;
           child = mlirOperationGetNextInBlock(child))
        children.push_back(internOp(op->context, child));
  for (const OpRef &child : children)
    if (!child->death && !walk(child, callback, order))
      return false;
  if (order == WalkOrder::PostOrder && !op->death)
    return call() != WalkResult::Interrupt;
  return true;
}

//===----------------------------------------------------------------------===//
// The class
//===----------------------------------------------------------------------===//

static void bindMotion(py::class_<PyOperation> &cls) {
  auto moveNear = [](const PyOperation &self, const PyOperation &other, bool after) {
    MlirBlock block = mlirOperationGetBlock(other.state->get());
    self.state->get();
    checkSame(self.state->context, other.state->context);
    if (!block.ptr)
      throw py::value_error("the other operation is in no block");
    if (self.state == other.state)
      return;
    MlirOperation before = after ? mlirOperationGetNextInBlock(other.state->op) : other.state->op;
    moveTo(self.state, internBlock(self.state->context, block), before);
  };
  cls.def(
         "move_before", [=](const PyOperation &self, const PyOperation &other) { moveNear(self, other, false); },
         py::arg("other"))
      .def(
          "move_after", [=](const PyOperation &self, const PyOperation &other) { moveNear(self, other, true); },
          py::arg("other"))
      .def(
          "is_before_in_block",
          [](const PyOperation &self, const PyOperation &other) {
            MlirBlock block = mlirOperationGetBlock(self.state->get());
            if (!block.ptr || block.ptr != mlirOperationGetBlock(other.state->get()).ptr)
              throw py::value_error("the operations are not in one block");
            return mlirOperationIsBeforeInBlock(self.state->op, other.state->op);
          },
          py::arg("other"))
      .def(
          "detach_from_parent",
          [](const py::object &self) {
            detach(self.cast<PyOperation &>().state);
            return self;
          },
          "Takes it out of its block. It ends with the last object that refers to it.")
      .def(
          "erase", [](const PyOperation &self) { erase(self.state); }, "Deletes it. Its values must have no more uses.")
      .def(
          "clone",
          [](const PyOperation &self, const py::object &ip) {
            MlirOperation clone = mlirOperationClone(self.state->get());
            return place(adoptOp(self.state->context, clone), ip);
          },
          py::arg("ip") = py::none(), "A copy, put where `ip` says.")
      .def_property_readonly("attached", [](const PyOperation &self) {
        self.state->get();
        return !self.state->owned;
      });
}

static void bindText(py::class_<PyOperation> &cls) {
  cls.def(
         "get_asm",
         [](const PyOperation &self, std::optional<int64_t> elements, bool debugInfo, bool prettyDebugInfo,
            bool generic, bool localScope, bool skipRegions) {
           return print(self.state, elements, debugInfo, prettyDebugInfo, generic, localScope, skipRegions);
         },
         py::arg("large_elements_limit") = py::none(), py::arg("enable_debug_info") = false,
         py::arg("pretty_debug_info") = false, py::arg("print_generic_op_form") = false,
         py::arg("use_local_scope") = false, py::arg("skip_regions") = false,
         "Its text. What does not verify is printed in the generic form.")
      .def(
          "print",
          [](const py::object &self, const py::object &file, const py::kwargs &options) {
            py::object text = self.attr("get_asm")(**options);
            py::print(text, py::arg("file") = file.is_none() ? py::module_::import("sys").attr("stdout") : file);
          },
          py::arg("file") = py::none(), "Prints its text, by default to standard output, with options of get_asm.")
      .def(
          "replace_uses_of_with",
          [](const py::object &self, const PyValue &of, const py::object &with) {
            py::object operands = self.attr("operands"), old = py::cast(of);
            for (size_t i = 0, n = py::len(operands); i < n; ++i)
              if (py::object(operands[py::int_(i)]).equal(old))
                operands[py::int_(i)] = with;
          },
          py::arg("of"), py::arg("with_"), "Uses another value in place of this one among its operands.")
      .def("__str__",
           [](const PyOperation &self) { return print(self.state, std::nullopt, false, false, false, false, false); })
      .def("__repr__",
           [](const PyOperation &self) {
             if (self.state->death)
               return std::string("<Operation, which is gone>");
             return "<Operation '" + toString(mlirIdentifierStr(mlirOperationGetName(self.state->op))) + "'>";
           })
      .def(
          "verify",
          [](const PyOperation &self) {
            verify(self.state, "verification failed");
            return true;
          },
          "True; MLIRError if it is not valid.")
      .def(
          "to_bytecode",
          [](const PyOperation &self) {
            verify(self.state, "only valid operations can be written as bytecode");
            // The writer numbers only what it writes.
            if (mlirOperationGetNumSuccessors(self.state->op) || mlirOperationGetNumResults(self.state->op))
              throw py::value_error("an operation with results or successors has no bytecode of its own");
            try {
              checkUsesOnly(self.state->op, self.state->op);
            } catch (py::value_error &) {
              throw py::value_error("an operation that uses values from outside of it has no bytecode of its own");
            }
            // The writer also records the order of uses.
            checkNoOutsideUse(self.state->op, "it has no bytecode of its own");
            std::string bytes;
            mlirOperationWriteBytecode(self.state->op, appendTo, &bytes);
            return py::bytes(bytes);
          },
          "Its bytecode.");
}

static void bindClass(py::module_ &m) {
  auto cls = py::class_<PyOperation>(m, "Operation", "An operation.");
  addEmitters(cls, [](const PyOperation &self) {
    return std::make_pair(self.state->context, mlirOperationGetLocation(self.state->get()));
  });
  cls.def(py::init([](const PyOperation &other) { return other; }), py::arg("op"))
      .def_static(
          "parse",
          [](const std::string &source, const std::string &sourceName, const py::object &context) {
            ContextRef state = resolveContext(context);
            checkDepth(source);
            DiagnosticCollector collector(state);
            MlirOperation op = mlirOperationCreateParse(state->context, toRef(source), toRef(sourceName));
            if (!op.ptr)
              collector.raise("unable to parse the operation");
            return wrapOp(adoptOp(state, op));
          },
          py::arg("source"), py::arg("source_name") = "", py::arg("context") = py::none(),
          "The operation of that text, in no block.")
      .def_property_readonly("context", [](const PyOperation &self) { return ContextObject{self.state->context}; })
      .def_property_readonly(
          "name",
          [](const PyOperation &self) { return toString(mlirIdentifierStr(mlirOperationGetName(self.state->get()))); })
      .def_property_readonly("operation", [](const py::object &self) { return self; })
      .def_property_readonly("opview",
                             [](const PyOperation &self) {
                               self.state->get();
                               return wrapOp(self.state);
                             })
      .def_property(
          "location",
          [](const PyOperation &self) {
            return PyLocation{self.state->context, mlirOperationGetLocation(self.state->get())};
          },
          [](const PyOperation &self, const PyLocation &location) {
            checkSame(self.state->context, location.context);
            MlirOperation raw = self.state->get();
            checkMutable(*self.state);
            mlirOperationSetLocation(raw, location.location);
          })
      .def_property_readonly("parent",
                             [](const PyOperation &self) -> py::object {
                               MlirOperation parent = mlirOperationGetParentOperation(self.state->get());
                               return parent.ptr ? wrapOp(internOp(self.state->context, parent)) : py::none();
                             })
      .def_property_readonly(
          "block",
          [](const PyOperation &self) {
            return wrapBlock(self.state->context, mlirOperationGetBlock(self.state->get()));
          },
          "The block that it is in; None if it is in none.")
      .def_property_readonly("operands",
                             [](const PyOperation &self) {
                               self.state->get();
                               return PyOperands{self.state};
                             })
      .def_property_readonly("results", [](const PyOperation &self) { return listResults(self.state); })
      .def_property_readonly("attributes",
                             [](const PyOperation &self) {
                               self.state->get();
                               return PyAttributeMap{self.state};
                             })
      .def_property_readonly("regions",
                             [](const PyOperation &self) {
                               py::list result;
                               for (intptr_t i = 0, n = mlirOperationGetNumRegions(self.state->get()); i < n; ++i)
                                 result.append(PyRegion{self.state, i});
                               return result;
                             })
      .def_property_readonly("successors",
                             [](const PyOperation &self) {
                               MlirOperation raw = self.state->get();
                               py::list result;
                               for (intptr_t i = 0, n = mlirOperationGetNumSuccessors(raw); i < n; ++i)
                                 result.append(wrapBlock(self.state->context, mlirOperationGetSuccessor(raw, i)));
                               return result;
                             })
      .def(
          "walk",
          [](const PyOperation &self, const py::function &callback, WalkOrder order) {
            self.state->get();
            walk(self.state, callback, order);
          },
          py::arg("callback"), py::arg("walk_order") = WalkOrder::PostOrder,
          "Calls `callback(op)` for it and all operations in it; a WalkResult steers. It may erase the operation.")
      .def_property_readonly(
          "is_valid", [](const PyOperation &self) { return !self.state->death; }, "False once it is gone.")
      .def("__eq__", [](const PyOperation &a, const PyOperation &b) { return a.state == b.state; })
      .def("__eq__", [](const PyOperation &, const py::object &) { return false; })
      .def("__hash__", [](const PyOperation &self) { return std::hash<void *>()(self.state->op.ptr); });
  bindBuild(cls);
  bindMotion(cls);
  bindText(cls);
}

void comm::python::bindOperation(py::module_ &m) {
  py::native_enum<WalkOrder>(m, "WalkOrder", "enum.Enum", "Whether an operation comes before what is in it.")
      .value("PRE_ORDER", WalkOrder::PreOrder)
      .value("POST_ORDER", WalkOrder::PostOrder)
      .finalize();
  py::native_enum<WalkResult>(m, "WalkResult", "enum.Enum", "How a walk goes on.")
      .value("ADVANCE", WalkResult::Advance)
      .value("INTERRUPT", WalkResult::Interrupt)
      .value("SKIP", WalkResult::Skip)
      .finalize();
  bindLists(m);
  bindClass(m);
  m.def(
      "register_operation",
      [](const std::string &name, const py::type &cls) {
        if (!PyType_IsSubtype(reinterpret_cast<PyTypeObject *>(cls.ptr()),
                              reinterpret_cast<PyTypeObject *>(py::type::of<PyOperation>().ptr())))
          throw py::type_error("a class of operations derives from Operation");
        auto *kept = new std::string(name);
        opClasses()[*kept] = cls;
      },
      py::arg("name"), py::arg("cls"), "Has operations of that name be objects of the class.");
}
