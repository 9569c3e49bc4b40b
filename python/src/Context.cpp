//===- Context.cpp - Contexts, locations, and what `with` sets ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Objects.h"

#include "comm-c/Registration.h"

using namespace comm::python;

std::vector<Frame> &comm::python::frames() {
  // Never deleted: at the end of a thread that would need Python's lock.
  static thread_local auto *stack = new std::vector<Frame>();
  return *stack;
}

ContextRef comm::python::currentContext() {
  if (frames().empty())
    throw py::value_error("no context: use `with Context():`, or name one");
  return frames().back().context;
}

ContextRef comm::python::resolveContext(const py::object &given) {
  if (given.is_none())
    return currentContext();
  if (!py::isinstance<ContextObject>(given))
    throw py::type_error("context must be a Context");
  return given.cast<ContextObject &>().state;
}

/// While this is the current location, new operations get the location of the program line that builds them.
static std::optional<PyLocation> &tracedPlace() {
  static thread_local std::optional<PyLocation> place;
  return place;
}

/// Returns true for frames of the program, as opposed to the package and library code between it and its callers.
static bool isProgram(py::handle frame) {
  py::object name = py::object(frame.attr("f_globals")).attr("get")("__name__");
  std::string text = py::isinstance<py::str>(name) ? name.cast<std::string>() : "";
  return text != "comm_mlir" && text.rfind("comm_mlir.", 0) != 0 && text != "contextlib" && text != "functools";
}

static PyLocation findProgramLine(const PyLocation &place) {
  auto frame = py::reinterpret_borrow<py::object>(reinterpret_cast<PyObject *>(PyEval_GetFrame()));
  while (frame && !frame.is_none() && !isProgram(frame))
    frame = frame.attr("f_back");
  if (!frame || frame.is_none())
    return place;
  py::object line = frame.attr("f_lineno"), file = frame.attr("f_code").attr("co_filename");
  if (line.is_none())
    return place;
  return {place.context, mlirLocationFileLineColGet(place.context->context, toRef(file.cast<std::string>()),
                                                    line.cast<unsigned>(), 1)};
}

PyLocation comm::python::resolveLocation(const py::object &given, const ContextRef &context) {
  if (!given.is_none()) {
    if (!py::isinstance<PyLocation>(given))
      throw py::type_error("loc must be a Location");
    PyLocation location = given.cast<PyLocation>();
    if (context)
      checkSame(location.context, context);
    return location;
  }
  if (!frames().empty())
    if (const Frame &frame = frames().back(); frame.location && (!context || frame.context == context)) {
      PyLocation found = *frame.location;
      const std::optional<PyLocation> &traced = tracedPlace();
      bool isTraced = traced && traced->context == found.context && mlirLocationEqual(traced->location, found.location);
      return isTraced ? findProgramLine(found) : found;
    }
  ContextRef known = context ? context : currentContext();
  return {known, mlirLocationUnknownGet(known->context)};
}

/// Enters a `with`. Settings that it does not change are inherited if they belong to the same context.
static void push(Frame frame) {
  if (!frames().empty() && frames().back().context == frame.context) {
    const Frame &outer = frames().back();
    if (!frame.location)
      frame.location = outer.location;
    if (!frame.insertionPoint)
      frame.insertionPoint = outer.insertionPoint;
  }
  frames().push_back(std::move(frame));
}

static void pop(const ContextRef &context) {
  if (frames().empty() || frames().back().context != context)
    throw std::runtime_error("`with` statements of contexts, locations and insertion points end in another order than "
                             "they began");
  // Destroying the frame's objects may run code.
  Frame last = std::move(frames().back());
  frames().pop_back();
}

static void bindLocation(py::module_ &m) {
  auto getContext = [](const py::object &given) { return resolveContext(given); };
  auto checkNumber = [](int64_t number, const char *what) {
    if (number < 0 || number > 0xffffffff)
      throw py::value_error(std::string(what) + " must be a number from 0 to 4294967295");
    return static_cast<unsigned>(number);
  };
  py::class_<PyLocation> location(m, "Location", "A place in a source.");
  addEmitters(location, [](const PyLocation &self) { return std::make_pair(self.context, self.location); });
  location
      .def_static(
          "unknown",
          [=](const py::object &context) {
            ContextRef state = getContext(context);
            return PyLocation{state, mlirLocationUnknownGet(state->context)};
          },
          py::arg("context") = py::none(), "No place.")
      .def_static(
          "file",
          [=](const std::string &filename, int64_t line, int64_t col, const py::object &context) {
            ContextRef state = getContext(context);
            return PyLocation{state, mlirLocationFileLineColGet(state->context, toRef(filename),
                                                                checkNumber(line, "line"), checkNumber(col, "col"))};
          },
          py::arg("filename"), py::arg("line"), py::arg("col"), py::arg("context") = py::none(),
          "A place in a file; line and column count from 1.")
      .def_static(
          "name",
          [=](const std::string &name, const std::optional<PyLocation> &child, const py::object &context) {
            ContextRef state = child && context.is_none() ? child->context : getContext(context);
            if (child)
              checkSame(child->context, state);
            return PyLocation{state,
                              mlirLocationNameGet(state->context, toRef(name),
                                                  child ? child->location : mlirLocationUnknownGet(state->context))};
          },
          py::arg("name"), py::arg("childLoc") = py::none(), py::arg("context") = py::none(),
          "A place that has a name, and possibly a place.")
      .def_static(
          "fused",
          [=](const std::vector<PyLocation> &locations, const py::object &context) {
            ContextRef state = !locations.empty() && context.is_none() ? locations[0].context : getContext(context);
            std::vector<MlirLocation> raw;
            for (const PyLocation &location : locations) {
              checkSame(location.context, state);
              raw.push_back(location.location);
            }
            return PyLocation{state, mlirLocationFusedGet(state->context, raw.size(), raw.data(), {nullptr})};
          },
          py::arg("locations"), py::arg("context") = py::none(), "Several places.")
      .def_static(
          "callsite",
          [](const PyLocation &callee, const py::object &frames) {
            std::vector<PyLocation> callers;
            if (py::isinstance<PyLocation>(frames))
              callers.push_back(frames.cast<PyLocation>());
            else if (py::isinstance<py::sequence>(frames))
              for (py::handle frame : frames) {
                if (!py::isinstance<PyLocation>(frame))
                  throw py::type_error("callers are Locations, not " + py::repr(frame).cast<std::string>());
                callers.push_back(frame.cast<PyLocation>());
              }
            else
              throw py::type_error("expected a Location, or several, not " + py::repr(frames).cast<std::string>());
            if (callers.empty())
              throw py::value_error("an inlined location needs at least one caller");
            for (const PyLocation &caller : callers)
              checkSame(callee.context, caller.context);
            MlirLocation outer = callers.back().location;
            for (size_t i = callers.size() - 1; i > 0; --i)
              outer = mlirLocationCallSiteGet(callers[i - 1].location, outer);
            return PyLocation{callee.context, mlirLocationCallSiteGet(callee.location, outer)};
          },
          py::arg("callee"), py::arg("frames"),
          "An inlined location and its callers: a location, or several, the innermost first.")
      .def_property_readonly("context", [](const PyLocation &self) { return ContextObject{self.context}; })
      .def_property_readonly(
          "filename",
          [](const PyLocation &self) -> std::optional<std::string> {
            if (!mlirLocationIsAFileLineColRange(self.location))
              return std::nullopt;
            return toString(mlirIdentifierStr(mlirLocationFileLineColRangeGetFilename(self.location)));
          },
          "The file; None for other kinds of locations.")
      .def_property_readonly(
          "start_line",
          [](const PyLocation &self) -> std::optional<int> {
            if (!mlirLocationIsAFileLineColRange(self.location))
              return std::nullopt;
            return mlirLocationFileLineColRangeGetStartLine(self.location);
          },
          "The line; None for other kinds of locations.")
      .def_property_readonly(
          "start_col",
          [](const PyLocation &self) -> std::optional<int> {
            if (!mlirLocationIsAFileLineColRange(self.location))
              return std::nullopt;
            return mlirLocationFileLineColRangeGetStartColumn(self.location);
          },
          "The column; None for other kinds of locations.")
      .def_property_readonly(
          "child_loc",
          [](const PyLocation &self) -> std::optional<PyLocation> {
            if (!mlirLocationIsAName(self.location))
              return std::nullopt;
            return PyLocation{self.context, mlirLocationNameGetChildLoc(self.location)};
          },
          "What a named location is about; None for other kinds.")
      .def_property_readonly(
          "locations",
          [](const PyLocation &self) {
            std::vector<PyLocation> result;
            if (!mlirLocationIsAFused(self.location))
              return result;
            std::vector<MlirLocation> raw(mlirLocationFusedGetNumLocations(self.location));
            mlirLocationFusedGetLocations(self.location, raw.data());
            for (MlirLocation location : raw)
              result.push_back({self.context, location});
            return result;
          },
          "The parts of a fused location.")
      .def("__enter__",
           [](const py::object &self) {
             PyLocation location = self.cast<PyLocation>();
             push({location.context, location, std::nullopt});
             return self;
           })
      .def("__exit__", [](const PyLocation &self, const py::args &) { pop(self.context); })
      .def("__eq__",
           [](const PyLocation &a, const PyLocation &b) {
             return a.context == b.context && mlirLocationEqual(a.location, b.location);
           })
      .def("__eq__", [](const PyLocation &, const py::object &) { return false; })
      .def("__hash__", [](const PyLocation &self) { return std::hash<const void *>()(self.location.ptr); })
      .def("__str__",
           [](const PyLocation &self) {
             std::string text;
             mlirLocationPrint(self.location, appendTo, &text);
             return text;
           })
      .def("__repr__",
           [](const PyLocation &self) {
             std::string text;
             mlirLocationPrint(self.location, appendTo, &text);
             return text;
           })
      .def_property_readonly_static("current", [](const py::object &) -> py::object {
        if (frames().empty() || !frames().back().location)
          return py::none();
        return py::cast(*frames().back().location);
      });
}

static void bindInsertionPoint(py::module_ &m) {
  py::class_<PyInsertionPoint>(m, "InsertionPoint",
                               "Where operations are built: before an operation, or at the end of a block.")
      .def(py::init([](const PyBlock &block) {
             block.state->get();
             return PyInsertionPoint{block.state, nullptr};
           }),
           py::arg("block"), "At the end of a block.")
      .def(py::init([](const PyOperation &before) {
             MlirBlock block = mlirOperationGetBlock(before.state->get());
             if (!block.ptr)
               throw py::value_error("the operation is in no block");
             return PyInsertionPoint{internBlock(before.state->context, block), before.state};
           }),
           py::arg("beforeOperation"), "Before an operation.")
      .def_static(
          "at_block_begin",
          [](const PyBlock &block) {
            MlirOperation first = mlirBlockGetFirstOperation(block.state->get());
            return PyInsertionPoint{block.state, first.ptr ? internOp(block.state->context, first) : nullptr};
          },
          py::arg("block"), "Before the first operation of a block.")
      .def_static(
          "at_block_terminator",
          [](const PyBlock &block) {
            MlirOperation terminator = mlirBlockGetTerminator(block.state->get());
            if (!terminator.ptr)
              throw py::value_error("the block has no terminator");
            return PyInsertionPoint{block.state, internOp(block.state->context, terminator)};
          },
          py::arg("block"), "Before the terminator of a block.")
      .def_static(
          "after",
          [](const PyOperation &op) {
            MlirOperation next = mlirOperationGetNextInBlock(op.state->get());
            MlirBlock block = mlirOperationGetBlock(op.state->op);
            if (!block.ptr)
              throw py::value_error("the operation is in no block");
            return PyInsertionPoint{internBlock(op.state->context, block),
                                    next.ptr ? internOp(op.state->context, next) : nullptr};
          },
          py::arg("op"), "After an operation.")
      .def(
          "insert", [](const PyInsertionPoint &self, const PyOperation &op) { self.insert(op.state); },
          py::arg("operation"), "Puts an operation that is in no block there.")
      .def_property_readonly("block", [](const PyInsertionPoint &self) { return PyBlock{self.block}; })
      .def_property_readonly(
          "ref_operation",
          [](const PyInsertionPoint &self) -> py::object { return self.before ? wrapOp(self.before) : py::none(); })
      .def("__enter__",
           [](const py::object &self) {
             PyInsertionPoint point = self.cast<PyInsertionPoint>();
             push({point.block->context, std::nullopt, point});
             return self;
           })
      .def("__exit__", [](const PyInsertionPoint &self, const py::args &) { pop(self.block->context); })
      .def_property_readonly_static("current", [](const py::object &) {
        if (frames().empty() || !frames().back().insertionPoint)
          throw py::value_error("no insertion point: use `with InsertionPoint(block):`");
        return *frames().back().insertionPoint;
      });
}

void comm::python::bindContext(py::module_ &m) {
  py::class_<ContextObject>(m, "Context", "Owns types, attributes and dialects. All of Comm's dialects are registered.")
      .def(py::init([] {
        ContextRef state = std::make_shared<ContextState>();
        commContextLoadAllDialects(state->context);
        return ContextObject{state};
      }))
      .def("__enter__",
           [](const py::object &self) {
             push({self.cast<ContextObject &>().state, std::nullopt, std::nullopt});
             return self;
           })
      .def("__exit__", [](const ContextObject &self, const py::args &) { pop(self.state); })
      .def("__eq__", [](const ContextObject &a, const ContextObject &b) { return a.state == b.state; })
      .def("__eq__", [](const ContextObject &, const py::object &) { return false; })
      .def("__hash__", [](const ContextObject &self) { return std::hash<void *>()(self.state->context.ptr); })
      .def_property_readonly_static("current",
                                    [](const py::object &) -> py::object {
                                      if (frames().empty())
                                        return py::none();
                                      return py::cast(ContextObject{frames().back().context});
                                    })
      .def_property(
          "allow_unregistered_dialects",
          [](const ContextObject &self) { return mlirContextGetAllowUnregisteredDialects(self.state->context); },
          [](const ContextObject &self, bool allow) {
            mlirContextSetAllowUnregisteredDialects(self.state->context, allow);
          },
          "Whether operations of unregistered dialects are allowed, in the generic form.")
      .def(
          "is_registered_operation",
          [](const ContextObject &self, const std::string &name) {
            return mlirContextIsRegisteredOperation(self.state->context, toRef(name));
          },
          py::arg("operation_name"))
      .def_property_readonly(
          "registered_operations",
          [](const ContextObject &self) {
            std::vector<std::string> names;
            commContextForEachOperation(
                self.state->context,
                [](MlirStringRef name, void *list) {
                  static_cast<std::vector<std::string> *>(list)->push_back(toString(name));
                },
                &names);
            return names;
          },
          "The names of all operations that there are.")
      .def(
          "attach_diagnostic_handler",
          [](const ContextObject &self, const py::function &callback) { self.state->handlers.append(callback); },
          py::arg("callback"),
          "Has `callback(diagnostic)` called with each warning and remark, after the call that it is about. Errors are "
          "exceptions.")
      .def(
          "detach_diagnostic_handler",
          [](const ContextObject &self, const py::function &callback) {
            self.state->handlers.attr("remove")(callback);
          },
          py::arg("callback"));
  bindLocation(m);
  bindInsertionPoint(m);
  m.def("version", [] { return toString(commGetVersion()); }, "The version of Comm.");
  m.def(
      "trace_lines", [](const std::optional<PyLocation> &place) { tracedPlace() = place; }, py::arg("place"),
      "Operations that this thread builds where `place` is the current location get the line that builds them; None "
      "ends "
      "it.");
  m.def(
      "abis",
      [] {
        std::vector<std::string> names;
        commForEachABI([](MlirStringRef name,
                          void *list) { static_cast<std::vector<std::string> *>(list)->push_back(toString(name)); },
                       &names);
        return names;
      },
      "The MPI implementations that Comm can lower to.");
}
