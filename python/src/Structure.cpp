//===- Structure.cpp - Modules, regions and blocks -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Access.h"
#include "Edit.h"
#include "Operation.h"

using namespace comm::python;

py::object comm::python::wrapBlock(const ContextRef &context, MlirBlock block) {
  if (!block.ptr)
    return py::none();
  return py::cast(PyBlock{internBlock(context, block)});
}

py::object comm::python::wrapValue(const ContextRef &context, MlirValue value) {
  if (!value.ptr)
    return py::none();
  ValueRef ref = makeValue(context, value);
  if (ref.op)
    return make(boundType<PyOpResult>(), PyOpResult{{std::move(ref)}});
  return make(boundType<PyBlockArgument>(), PyBlockArgument{{std::move(ref)}});
}

void PyInsertionPoint::insert(const OpRef &op) const { insertInto(op, block, before); }

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

static PyModule makeModule(const ContextRef &context, MlirModule module) {
  OpRef root = adoptOp(context, mlirModuleGetOperation(module));
  root->isModule = true;
  return {root};
}

static void bindModule(py::module_ &m) {
  py::class_<PyModule>(m, "Module",
                       "A module of operations, which owns them: what is inside of it is gone when the Module is.")
      .def(py::init([](const PyModule &other) { return other; }), py::arg("module"), "The same module.")
      .def_static(
          "parse",
          [](const py::object &source, const py::object &context) {
            ContextRef state = resolveContext(context);
            bool isBinary = py::isinstance<py::bytes>(source);
            if (!isBinary && !py::isinstance<py::str>(source))
              throw py::type_error("a module is parsed from str, or from bytes of bytecode");
            std::string text = source.cast<std::string>();
            if (text.compare(0, 4, "ML\xefR") != 0)
              checkDepth(text);
            DiagnosticCollector collector(state);
            MlirModule module = mlirModuleCreateParse(state->context, toRef(text));
            if (!module.ptr)
              collector.raise("unable to parse the module");
            PyModule result = makeModule(state, module);
            collector.deliver();
            result.root->verified = state->numChanges;
            return result;
          },
          py::arg("asm"), py::arg("context") = py::none(),
          "The module of that text (str), or of bytecode (bytes). It is verified.")
      .def_static(
          "create",
          [](const py::object &loc) {
            PyLocation location = resolveLocation(loc, nullptr);
            return makeModule(location.context, mlirModuleCreateEmpty(location.location));
          },
          py::arg("loc") = py::none(), "An empty module.")
      .def_property_readonly("context", [](const PyModule &self) { return ContextObject{self.root->context}; })
      .def_property_readonly("operation", [](const PyModule &self) { return wrapOp(self.root); })
      .def_property_readonly(
          "body",
          [](const PyModule &self) {
            MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(self.root->get(), 0));
            if (!body.ptr)
              throw py::value_error("the module is not valid: its block was erased or moved");
            return PyBlock{internBlock(self.root->context, body)};
          },
          "The block of the module's operations.")
      .def("__eq__", [](const PyModule &a, const PyModule &b) { return a.root == b.root; })
      .def("__eq__", [](const PyModule &, const py::object &) { return false; })
      .def("__hash__", [](const PyModule &self) { return std::hash<void *>()(self.root->op.ptr); });
}

//===----------------------------------------------------------------------===//
// Regions and blocks
//===----------------------------------------------------------------------===//

namespace {
struct PyOperationList {
  BlockRef block;
};
/// Continues after the current position of the current operation or, if that was erased, with the operation that
/// followed it.
struct PyOperationIterator {
  BlockRef block;
  OpRef current, next;
  bool began = false;
};
struct PyBlockList {
  OpRef op;
  intptr_t index;
  MlirRegion get() const { return mlirOperationGetRegion(op->get(), index); }
};
} // namespace

static py::object advance(PyOperationIterator &self) {
  MlirBlock block = self.block->get();
  const ContextRef &context = self.block->context;
  MlirOperation op{nullptr};
  if (!self.began) {
    op = mlirBlockGetFirstOperation(block);
  } else if (self.current && !self.current->death && mlirOperationGetBlock(self.current->op).ptr == block.ptr) {
    op = mlirOperationGetNextInBlock(self.current->op);
  } else if (self.next) {
    if (self.next->death || mlirOperationGetBlock(self.next->op).ptr != block.ptr)
      throw std::runtime_error("the block changed while it was iterated over: iterate over list(block.operations)");
    op = self.next->op;
  }
  self.began = true;
  if (!op.ptr) {
    self.current = self.next = nullptr;
    throw py::stop_iteration();
  }
  self.current = internOp(context, op);
  MlirOperation next = mlirOperationGetNextInBlock(op);
  self.next = next.ptr ? internOp(context, next) : nullptr;
  return wrapOp(self.current);
}

static py::object operationAt(const BlockRef &block, intptr_t index) {
  std::vector<MlirOperation> all;
  for (MlirOperation op = mlirBlockGetFirstOperation(block->get()); op.ptr; op = mlirOperationGetNextInBlock(op)) {
    if (index >= 0 && static_cast<intptr_t>(all.size()) == index)
      return wrapOp(internOp(block->context, op));
    all.push_back(op);
  }
  if (index >= 0 || -index > static_cast<intptr_t>(all.size()))
    throw py::index_error("the block has no such operation");
  return wrapOp(internOp(block->context, all[all.size() + index]));
}

/// Returns the locations of `count` new arguments.
static std::vector<MlirLocation> argLocations(const ContextRef &context, size_t count, const py::object &given) {
  std::vector<MlirLocation> result;
  if (given.is_none()) {
    result.assign(count, resolveLocation(py::none(), context).location);
    return result;
  }
  for (py::handle loc : given)
    result.push_back(resolveLocation(py::reinterpret_borrow<py::object>(loc), context).location);
  if (result.size() != count)
    throw py::value_error("a location for each argument is needed");
  return result;
}

static MlirBlock createBlock(const ContextRef &context, const py::iterable &types, const py::object &locs) {
  std::vector<MlirType> raw;
  for (py::handle type : types) {
    PyType known = type.cast<PyType>();
    checkSame(known.context, context);
    raw.push_back(known.type);
  }
  std::vector<MlirLocation> locations = argLocations(context, raw.size(), locs);
  return mlirBlockCreate(raw.size(), raw.data(), locations.data());
}

static PyBlock appendBlock(const OpRef &op, MlirRegion region, const py::iterable &types, const py::object &locs) {
  checkMutable(*op);
  MlirBlock block = createBlock(op->context, types, locs);
  mlirRegionAppendOwnedBlock(region, block);
  return {internBlock(op->context, block)};
}

static PyBlock insertNear(const PyBlock &self, const py::args &types, const py::object &locs, bool before) {
  MlirBlock near = self.state->get();
  checkMutable(*self.state);
  MlirRegion region = mlirBlockGetParentRegion(near);
  MlirBlock block = createBlock(self.state->context, types, locs);
  if (before)
    mlirRegionInsertOwnedBlockBefore(region, near, block);
  else
    mlirRegionInsertOwnedBlockAfter(region, near, block);
  return {internBlock(self.state->context, block)};
}

static void moveToRegion(const PyBlock &self, const PyRegion &region) {
  MlirBlock block = self.state->get();
  MlirRegion target = region.get();
  checkSame(self.state->context, region.op->context);
  checkMutable(*self.state);
  checkMutable(*region.op);
  MlirOperation parent = mlirBlockGetParentOperation(block);
  if (rootOf(parent).ptr != rootOf(region.op->op).ptr)
    throw py::value_error("a block moves within its module only");
  for (MlirOperation op = region.op->op; op.ptr; op = mlirOperationGetParentOperation(op))
    if (mlirOperationGetBlock(op).ptr == block.ptr)
      throw py::value_error("the block cannot be put into itself");
  mlirBlockDetach(block);
  mlirRegionAppendOwnedBlock(target, block);
}

static void bindBlock(py::module_ &m) {
  py::class_<PyOperationIterator>(m, "OperationIterator",
                                  "Goes through a block, whose current operation may be erased.")
      .def("__iter__", [](const py::object &self) { return self; })
      .def("__next__", advance);
  py::class_<PyOperationList>(m, "OperationList", "The operations of a block.")
      .def("__len__",
           [](const PyOperationList &self) {
             intptr_t count = 0;
             for (MlirOperation op = mlirBlockGetFirstOperation(self.block->get()); op.ptr;
                  op = mlirOperationGetNextInBlock(op))
               ++count;
             return count;
           })
      .def("__getitem__", [](const PyOperationList &self, intptr_t index) { return operationAt(self.block, index); })
      .def("__iter__", [](const PyOperationList &self) {
        self.block->get();
        return PyOperationIterator{self.block, nullptr, nullptr};
      });
  py::class_<PyBlock>(m, "Block", "A list of operations that run one after another, with arguments.")
      .def_static(
          "create_at_start",
          [](const PyRegion &parent, const py::iterable &types, const py::object &locs) {
            MlirRegion region = parent.get();
            checkMutable(*parent.op);
            MlirBlock block = createBlock(parent.op->context, types, locs);
            mlirRegionInsertOwnedBlock(region, 0, block);
            return PyBlock{internBlock(parent.op->context, block)};
          },
          py::arg("parent"), py::arg("arg_types") = py::tuple(), py::arg("arg_locs") = py::none(),
          "A new first block of a region.")
      .def(
          "create_before",
          [](const PyBlock &self, const py::args &types, const py::object &arg_locs) {
            return insertNear(self, types, arg_locs, true);
          },
          py::arg("arg_locs") = py::none(), "A new block before this one, with arguments of these types.")
      .def(
          "create_after",
          [](const PyBlock &self, const py::args &types, const py::object &arg_locs) {
            return insertNear(self, types, arg_locs, false);
          },
          py::arg("arg_locs") = py::none(), "A new block after this one, with arguments of these types.")
      .def_property_readonly("context", [](const PyBlock &self) { return ContextObject{self.state->context}; })
      .def_property_readonly("operations",
                             [](const PyBlock &self) {
                               self.state->get();
                               return PyOperationList{self.state};
                             })
      .def_property_readonly("arguments",
                             [](const PyBlock &self) {
                               MlirBlock block = self.state->get();
                               py::list result;
                               for (intptr_t i = 0, n = mlirBlockGetNumArguments(block); i < n; ++i)
                                 result.append(wrapValue(self.state->context, mlirBlockGetArgument(block, i)));
                               return result;
                             })
      .def_property_readonly(
          "owner",
          [](const PyBlock &self) {
            return wrapOp(internOp(self.state->context, mlirBlockGetParentOperation(self.state->get())));
          },
          "The operation that it is in.")
      .def_property_readonly("region",
                             [](const PyBlock &self) {
                               MlirBlock block = self.state->get();
                               MlirRegion region = mlirBlockGetParentRegion(block);
                               OpRef op = internOp(self.state->context, mlirBlockGetParentOperation(block));
                               intptr_t index = 0;
                               while (!mlirRegionEqual(mlirOperationGetRegion(op->op, index), region))
                                 ++index;
                               return PyRegion{op, index};
                             })
      .def_property_readonly("successors",
                             [](const PyBlock &self) {
                               MlirBlock block = self.state->get();
                               py::list result;
                               for (intptr_t i = 0, n = mlirBlockGetNumSuccessors(block); i < n; ++i)
                                 result.append(wrapBlock(self.state->context, mlirBlockGetSuccessor(block, i)));
                               return result;
                             })
      .def_property_readonly("predecessors",
                             [](const PyBlock &self) {
                               MlirBlock block = self.state->get();
                               py::list result;
                               for (intptr_t i = 0, n = mlirBlockGetNumPredecessors(block); i < n; ++i)
                                 result.append(wrapBlock(self.state->context, mlirBlockGetPredecessor(block, i)));
                               return result;
                             })
      .def(
          "add_argument",
          [](const PyBlock &self, const PyType &type, const py::object &loc) {
            MlirBlock block = self.state->get();
            checkSame(self.state->context, type.context);
            checkMutable(*self.state);
            PyLocation location = resolveLocation(loc, self.state->context);
            return wrapValue(self.state->context, mlirBlockAddArgument(block, type.type, location.location));
          },
          py::arg("type"), py::arg("loc") = py::none())
      .def(
          "erase_argument",
          [](const PyBlock &self, intptr_t index) {
            MlirBlock block = self.state->get();
            if (index < 0 || index >= mlirBlockGetNumArguments(block))
              throw py::index_error("the block has no such argument");
            if (!mlirOpOperandIsNull(mlirValueGetFirstUse(mlirBlockGetArgument(block, index))))
              throw py::value_error("the argument cannot be erased: it is used");
            checkMutable(*self.state);
            ++self.state->numErasedArgs;
            mlirBlockEraseArgument(block, index);
          },
          py::arg("index"),
          "Deletes an argument that has no uses. Objects for the block's other arguments are to be had again.")
      .def(
          "append",
          [](const PyBlock &self, const PyOperation &op) {
            if (op.state->owned)
              insertInto(op.state, self.state, nullptr);
            else
              moveTo(op.state, self.state, {nullptr});
          },
          py::arg("operation"), "Puts an operation at the end.")
      .def("append_to", moveToRegion, py::arg("region"), "Moves it to the end of a region.")
      .def(
          "erase", [](const PyBlock &self) { eraseBlock(self.state); }, "Deletes it with its operations.")
      .def("__iter__",
           [](const PyBlock &self) {
             self.state->get();
             return PyOperationIterator{self.state, nullptr, nullptr};
           })
      .def("__eq__", [](const PyBlock &a, const PyBlock &b) { return a.state == b.state; })
      .def("__eq__", [](const PyBlock &, const py::object &) { return false; })
      .def("__hash__", [](const PyBlock &self) { return std::hash<void *>()(self.state->block.ptr); })
      .def("__str__", [](const PyBlock &self) {
        std::string text;
        mlirBlockPrint(self.state->get(), appendTo, &text);
        return text;
      });
}

static void bindRegion(py::module_ &m) {
  auto numBlocks = [](MlirRegion region) {
    intptr_t count = 0;
    for (MlirBlock block = mlirRegionGetFirstBlock(region); block.ptr; block = mlirBlockGetNextInRegion(block))
      ++count;
    return count;
  };
  auto blockAt = [](const OpRef &op, MlirRegion region, intptr_t index) {
    std::vector<MlirBlock> all;
    for (MlirBlock block = mlirRegionGetFirstBlock(region); block.ptr; block = mlirBlockGetNextInRegion(block))
      all.push_back(block);
    intptr_t size = all.size();
    if (index < -size || index >= size)
      throw py::index_error("the region has no such block");
    return PyBlock{internBlock(op->context, all[index < 0 ? size + index : index])};
  };
  auto list = [](const OpRef &op, MlirRegion region) {
    py::list result;
    for (MlirBlock block = mlirRegionGetFirstBlock(region); block.ptr; block = mlirBlockGetNextInRegion(block))
      result.append(wrapBlock(op->context, block));
    return py::iter(result);
  };
  py::class_<PyBlockList>(m, "BlockList", "The blocks of a region.")
      .def("__len__", [=](const PyBlockList &self) { return numBlocks(self.get()); })
      .def("__getitem__", [=](const PyBlockList &self, intptr_t index) { return blockAt(self.op, self.get(), index); })
      .def("__iter__", [=](const PyBlockList &self) { return list(self.op, self.get()); })
      .def(
          "append",
          [](const PyBlockList &self, const py::args &types, const py::object &arg_locs) {
            return appendBlock(self.op, self.get(), types, arg_locs);
          },
          py::arg("arg_locs") = py::none(), "A new last block, with arguments of these types.");
  py::class_<PyRegion>(m, "Region", "Blocks inside of an operation.")
      .def_property_readonly("blocks",
                             [](const PyRegion &self) {
                               self.op->get();
                               return PyBlockList{self.op, self.index};
                             })
      .def_property_readonly("owner",
                             [](const PyRegion &self) {
                               self.op->get();
                               return wrapOp(self.op);
                             })
      .def("__len__", [=](const PyRegion &self) { return numBlocks(self.get()); })
      .def("__getitem__", [=](const PyRegion &self, intptr_t index) { return blockAt(self.op, self.get(), index); })
      .def("__iter__", [=](const PyRegion &self) { return list(self.op, self.get()); })
      .def("__eq__", [](const PyRegion &a, const PyRegion &b) { return a.op == b.op && a.index == b.index; })
      .def("__eq__", [](const PyRegion &, const py::object &) { return false; })
      .def("__hash__", [](const PyRegion &self) {
        return std::hash<void *>()(self.op->op.ptr) ^ std::hash<intptr_t>()(self.index);
      });
}

void comm::python::bindStructure(py::module_ &m) {
  bindValues(m);
  bindRegion(m);
  bindBlock(m);
  bindModule(m);
}
