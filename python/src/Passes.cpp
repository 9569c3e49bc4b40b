//===- Passes.cpp - Pipelines, remarks, and passes in Python --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Objects.h"

#include "comm-c/Passes.h"
#include "comm-c/Registration.h"
#include "comm-c/Remarks.h"

#include <pybind11/native_enum.h>

#include <chrono>
#include <map>
#include <mutex>

using namespace comm::python;

namespace {
struct PyRemark {
  ContextRef context;
  CommRemarkKind kind;
  std::string pass, name, function;
  MlirLocation location;
  std::vector<std::pair<std::string, std::string>> arguments;
};

/// The totals of one pass in a run, over all operations that it ran on.
struct PassRecord {
  double seconds = 0;
  uint64_t runs = 0;
};

/// Data recorded while passes run, on any thread. It contains no Python objects.
struct Notes {
  std::mutex mutex;
  std::vector<std::string> order; ///< pass names in the order of their first run
  std::map<std::string, PassRecord> records;
  std::map<void *, std::map<std::string, uint64_t>> statistics; ///< latest values, by pass instance
  std::map<void *, std::string> names;
  std::map<std::pair<void *, void *>, std::chrono::steady_clock::time_point> begun;
  std::vector<PyRemark> remarks;
  ContextRef context;
};

struct PyPassManager {
  ContextRef context;
  std::shared_ptr<Notes> notes = std::make_shared<Notes>();
  MlirPassManager manager{nullptr};
  bool isRunning = false;
  std::string filter;
  bool hasRemarks = false, verifies = true, printsIR = false;

  PyPassManager() = default;
  PyPassManager(const PyPassManager &) = delete;
  ~PyPassManager() {
    if (manager.ptr)
      mlirPassManagerDestroy(manager);
  }
};
} // namespace

static void onPass(CommPassEvent event, CommPass pass, MlirOperation op, void *userData) {
  auto &notes = *static_cast<Notes *>(userData);
  auto now = std::chrono::steady_clock::now();
  std::lock_guard<std::mutex> lock(notes.mutex);
  auto key = std::make_pair(pass.ptr, op.ptr);
  if (event == CommPassBefore) {
    notes.begun[key] = now;
    return;
  }
  std::string name = toString(commPassGetName(pass));
  auto [record, isNew] = notes.records.emplace(name, PassRecord());
  if (isNew)
    notes.order.push_back(name);
  ++record->second.runs;
  if (auto begin = notes.begun.find(key); begin != notes.begun.end()) {
    record->second.seconds += std::chrono::duration<double>(now - begin->second).count();
    notes.begun.erase(begin);
  }
  notes.names[pass.ptr] = name;
  commPassForEachStatistic(
      pass,
      [](MlirStringRef name, MlirStringRef, uint64_t value, void *list) {
        (*static_cast<std::map<std::string, uint64_t> *>(list))[toString(name)] = value;
      },
      &notes.statistics[pass.ptr]);
}

static void onRemark(CommRemark const *remark, void *userData) {
  auto &notes = *static_cast<Notes *>(userData);
  PyRemark result{notes.context,
                  remark->kind,
                  toString(remark->pass),
                  toString(remark->name),
                  toString(remark->function),
                  remark->location,
                  {}};
  for (intptr_t i = 0; i < remark->numArguments; ++i)
    result.arguments.emplace_back(toString(remark->arguments[i].key), toString(remark->arguments[i].value));
  std::lock_guard<std::mutex> lock(notes.mutex);
  notes.remarks.push_back(std::move(result));
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

namespace {
/// Marks a run of passes for its lifetime.
struct RunScope {
  RunScope(PyPassManager &pm, const OpRef &op) : pm(pm), op(op) {
    frame.root = op->op;
    op->context->runs.push_back(&frame);
    pm.isRunning = true;
  }
  ~RunScope() {
    std::vector<RunFrame *> &runs = op->context->runs;
    runs.pop_back();
    // Handles that a Python pass got by running passes outside of their operation end with that pass.
    if (!runs.empty()) {
      runs.back()->created.insert(runs.back()->created.end(), frame.created.begin(), frame.created.end());
      runs.back()->blocks.insert(runs.back()->blocks.end(), frame.blocks.begin(), frame.blocks.end());
    }
    pm.isRunning = false;
    if (pm.hasRemarks)
      commContextDisableRemarks(op->context->context);
  }
  PyPassManager &pm;
  OpRef op;
  RunFrame frame;
};
} // namespace

static const char *const kPassesRan = "passes ran on its module since: get it again";

static void checkDependents(const OpRef &op, const std::string &what) {
  if (!findDependent(*op->context, op->op))
    return;
  // The operation may be garbage that has not been collected.
  PyGC_Collect();
  if (findDependent(*op->context, op->op))
    throw py::value_error(what +
                          ": an operation that is in no block uses a value of it; insert or drop that operation");
}

static void run(PyPassManager &pm, const OpRef &op) {
  MlirOperation raw = op->get();
  checkSame(pm.context, op->context);
  if (pm.isRunning)
    throw std::runtime_error("the pass manager is running");
  std::string anchor = toString(commPassManagerGetAnchor(pm.manager));
  std::string name = toString(mlirIdentifierStr(mlirOperationGetName(raw)));
  if (anchor != "any" && anchor != name)
    throw py::value_error(
        "the pipeline is for '" + anchor + "', the operation is a '" + name + "'" +
        (name == "builtin.module" ? ": write 'builtin.module(" + anchor + "(...))' for those in it" : std::string()));
  checkMutable(*op);
  for (const RunFrame *outer : op->context->runs)
    if (isWithin(raw, outer->root) && raw.ptr == outer->root.ptr)
      throw std::runtime_error("passes are running on this operation");
  verify(op, "passes run on valid operations only");
  checkDependents(op, "passes cannot run");

  pm.notes = std::make_shared<Notes>();
  pm.notes->context = pm.context;
  kill(*op->context, raw, /*self=*/false, kPassesRan);
  ++op->context->numChanges;
  DiagnosticCollector collector(op->context);
  py::object raised;
  bool failed;
  {
    RunScope scope(pm, op);
    if (pm.hasRemarks && mlirLogicalResultIsFailure(commContextEnableRemarks(op->context->context, toRef(pm.filter),
                                                                             onRemark, pm.notes.get())))
      collector.raise("remarks cannot be collected");
    failed = mlirLogicalResultIsFailure(mlirPassManagerRunOnOp(pm.manager, raw));
    raised = scope.frame.error;
    ++op->context->numChanges;
  }
  kill(*op->context, raw, /*self=*/false, kPassesRan);
  if (failed) {
    try {
      collector.raise("the pipeline failed");
    } catch (py::error_already_set &error) {
      if (raised)
        error.value().attr("__cause__") = raised;
      throw;
    }
  }
  if (pm.verifies)
    op->verified = op->context->numChanges;
  collector.deliver();
}

//===----------------------------------------------------------------------===//
// Passes in Python
//===----------------------------------------------------------------------===//

/// Ends the handles that a Python pass made, because later passes may delete anything.
static void endHandles(RunFrame &frame) {
  std::vector<std::weak_ptr<OpState>> ops = std::move(frame.created);
  std::vector<std::weak_ptr<BlockState>> blocks = std::move(frame.blocks);
  frame.created.clear();
  frame.blocks.clear();
  for (const std::weak_ptr<OpState> &weak : ops) {
    OpRef op = weak.lock();
    if (!op || op->death)
      continue;
    if (op->op.ptr == frame.root.ptr || !isWithin(op->op, frame.root)) {
      frame.created.push_back(op);
      continue;
    }
    op->death = kPassesRan;
    op->context->ops.erase(op->op.ptr);
  }
  for (const std::weak_ptr<BlockState> &weak : blocks) {
    BlockRef block = weak.lock();
    if (!block || block->death)
      continue;
    if (!isWithin(mlirBlockGetParentOperation(block->block), frame.root)) {
      frame.blocks.push_back(block);
      continue;
    }
    block->death = kPassesRan;
    block->context->blocks.erase(block->block.ptr);
  }
}

static MlirLogicalResult callPass(MlirOperation raw, const py::object &function) {
  ContextRef context = ContextState::of(mlirOperationGetContext(raw));
  if (context->runs.empty())
    return mlirLogicalResultFailure();
  RunFrame &frame = *context->runs.back();
  frame.anchor = raw;
  frame.numErrors = 0;
  std::string error;
  try {
    {
      OpRef op = internOp(context, raw);
      function(wrapOp(op));
      checkDependents(op, "the pass left IR that others cannot work on");
    }
  } catch (py::error_already_set &caught) {
    frame.error = caught.value();
    error = caught.what();
  } catch (const std::exception &caught) {
    error = caught.what();
  }
  frame.anchor = {nullptr};
  endHandles(frame);
  ++context->numChanges;
  if (error.empty())
    return frame.numErrors ? mlirLogicalResultFailure() : mlirLogicalResultSuccess();
  mlirEmitError(mlirOperationGetLocation(raw), error.substr(0, error.find('\n')).c_str());
  return mlirLogicalResultFailure();
}

/// Called by MLIR, so no exception may leave it.
static MlirLogicalResult runPythonPass(MlirOperation op, void *userData) {
  py::gil_scoped_acquire lock;
  try {
    return callPass(op, py::reinterpret_borrow<py::object>(static_cast<PyObject *>(userData)));
  } catch (...) {
    return mlirLogicalResultFailure();
  }
}

static void releasePythonPass(void *userData) {
  if (!Py_IsInitialized())
    return;
  py::gil_scoped_acquire lock;
  Py_DECREF(static_cast<PyObject *>(userData));
}

static void registerPass(const std::string &name, const py::function &function, const std::string &anchor,
                         const std::string &description) {
  if (!anchor.empty() && anchor.find('.') == std::string::npos)
    throw py::value_error("the pass is for an operation, such as 'func.func', or '' for any");
  Py_INCREF(function.ptr());
  if (mlirLogicalResultIsSuccess(commRegisterPass(toRef(name), toRef(description), toRef(anchor), runPythonPass,
                                                  function.ptr(), releasePythonPass)))
    return;
  Py_DECREF(function.ptr());
  throw py::value_error("no pass can be registered as '" + name +
                        "': a name is of lower-case letters, digits, '-' and '_', belongs to no other pass, and is "
                        "registered again for the same operations only");
}

//===----------------------------------------------------------------------===//
// The module
//===----------------------------------------------------------------------===//

static std::unique_ptr<PyPassManager> parsePipeline(const std::string &pipeline, const py::object &context) {
  auto pm = std::make_unique<PyPassManager>();
  pm->context = resolveContext(context);
  if (pipeline.find('\0') != std::string::npos)
    throw py::value_error("the pipeline's text has a null character");
  int depth = 0;
  for (char c : pipeline) {
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (depth > 100)
      throw py::value_error("the pipeline nests more than 100 deep");
  }
  std::string error;
  DiagnosticCollector collector(pm->context);
  pm->manager = commPassManagerParse(pm->context->context, toRef(pipeline), appendTo, &error);
  if (!pm->manager.ptr) {
    while (!error.empty() && error.back() == '\n')
      error.pop_back();
    throw py::value_error("no pipeline: '" + pipeline + "': " + error);
  }
  return pm;
}

static py::dict statistics(const PyPassManager &self) {
  std::map<std::string, std::map<std::string, uint64_t>> sums;
  for (const auto &[pass, counts] : self.notes->statistics)
    for (const auto &[name, count] : counts)
      sums[self.notes->names.at(pass)][name] += count;
  py::dict result;
  for (const std::string &pass : self.notes->order)
    result[py::str(pass)] = py::cast(sums[pass]);
  return result;
}

static void bindRemark(py::module_ &m) {
  py::native_enum<CommRemarkKind>(m, "RemarkKind", "enum.Enum", "What a remark reports.")
      .value("PASSED", CommRemarkPassed, "something was done")
      .value("MISSED", CommRemarkMissed, "something was not done")
      .value("FAILURE", CommRemarkFailure, "something failed")
      .value("ANALYSIS", CommRemarkAnalysis, "something was found out")
      .value("UNKNOWN", CommRemarkUnknown)
      .finalize();
  py::class_<PyRemark>(m, "Remark", "What a pass did, or did not do and why.")
      .def_readonly("kind", &PyRemark::kind)
      .def_readonly("pass_name", &PyRemark::pass)
      .def_readonly("name", &PyRemark::name)
      .def_readonly("function", &PyRemark::function)
      .def_property_readonly("location", [](const PyRemark &self) { return PyLocation{self.context, self.location}; })
      .def_readonly("arguments", &PyRemark::arguments, "(key, value) of each piece; 'String' is text between.")
      .def_property_readonly(
          "message",
          [](const PyRemark &self) {
            std::string text;
            for (const auto &[key, value] : self.arguments)
              text += value;
            return text;
          },
          "The values of all arguments, one after the other.");
}

void comm::python::bindPasses(py::module_ &m) {
  commRegisterAllPasses();
  bindRemark(m);
  py::class_<PyPassManager>(m, "PassManager", "Runs a pipeline.")
      .def_static("parse", parsePipeline, py::arg("pipeline"), py::arg("context") = py::none(),
                  "The pipeline of that text; 'builtin.module(...)' around it may be left out.")
      .def(
          "run",
          [](PyPassManager &self, const py::object &op) {
            if (py::isinstance<PyModule>(op))
              run(self, op.cast<PyModule &>().root);
            else
              run(self, op.cast<PyOperation &>().state);
          },
          py::arg("operation"),
          "Runs on a module or operation. Objects for its contents are invalid afterwards. MLIRError if a pass fails.")
      .def_property_readonly("anchor",
                             [](const PyPassManager &self) { return toString(commPassManagerGetAnchor(self.manager)); })
      .def(
          "enable_verifier",
          [](PyPassManager &self, bool enable) {
            if (self.isRunning)
              throw std::runtime_error("the pass manager is running");
            self.verifies = enable;
            mlirPassManagerEnableVerifier(self.manager, enable);
          },
          py::arg("enable"), "Verifies after each pass (the default).")
      .def(
          "add",
          [](PyPassManager &self, const std::string &pipeline) {
            if (self.isRunning)
              throw std::runtime_error("the pass manager is running");
            std::string error;
            if (mlirLogicalResultIsFailure(mlirOpPassManagerAddPipeline(mlirPassManagerGetAsOpPassManager(self.manager),
                                                                        toRef(pipeline), appendTo, &error)))
              throw py::value_error("no pipeline: '" + pipeline + "': " + error);
          },
          py::arg("pipeline"), "Adds passes at the end.")
      .def(
          "enable_ir_printing",
          [](PyPassManager &self, bool beforeAll, bool afterAll, bool moduleScope, bool afterChange, bool afterFailure,
             std::optional<int64_t> elements, bool debugInfo, bool generic, const std::string &directory) {
            if (self.isRunning)
              throw std::runtime_error("the pass manager is running");
            if (self.printsIR)
              throw py::value_error("the pass manager prints IR already");
            self.printsIR = true;
            MlirOpPrintingFlags flags = mlirOpPrintingFlagsCreate();
            if (elements)
              mlirOpPrintingFlagsElideLargeElementsAttrs(flags, *elements < 0 ? 0 : *elements);
            if (debugInfo)
              mlirOpPrintingFlagsEnableDebugInfo(flags, true, false);
            if (generic)
              mlirOpPrintingFlagsPrintGenericOpForm(flags);
            mlirPassManagerEnableIRPrinting(self.manager, beforeAll, afterAll, moduleScope, afterChange, afterFailure,
                                            flags, toRef(directory));
            mlirOpPrintingFlagsDestroy(flags);
          },
          py::arg("print_before_all"), py::arg("print_after_all"), py::arg("print_module_scope"),
          py::arg("print_after_change"), py::arg("print_after_failure"), py::arg("large_elements_limit"),
          py::arg("enable_debug_info"), py::arg("print_generic_op_form"), py::arg("tree_printing_dir_path"))
      .def(
          "enable_remarks",
          [](PyPassManager &self, const std::string &filter) {
            self.filter = filter;
            self.hasRemarks = true;
          },
          py::arg("filter") = ".*", "Collects remarks of passes whose name matches the regular expression.")
      .def(
          "enable_observation",
          [](PyPassManager &self) {
            if (self.isRunning)
              throw std::runtime_error("the pass manager is running");
            commPassManagerAddObserver(
                self.manager,
                [](CommPassEvent event, CommPass pass, MlirOperation op, void *pm) {
                  onPass(event, pass, op, static_cast<PyPassManager *>(pm)->notes.get());
                },
                &self);
          },
          "Collects statistics and times.")
      .def_property_readonly("has_python_passes",
                             [](const PyPassManager &self) { return commPassManagerHasForeignPasses(self.manager); })
      .def_property_readonly(
          "remarks", [](const PyPassManager &self) { return self.notes->remarks; }, "Of the last run.")
      .def_property_readonly("statistics", statistics, "Of the last run: numbers by pass and name.")
      .def_property_readonly(
          "timing",
          [](const PyPassManager &self) {
            py::dict result;
            for (const std::string &pass : self.notes->order) {
              const PassRecord &record = self.notes->records.at(pass);
              result[py::str(pass)] = py::make_tuple(record.seconds, record.runs);
            }
            return result;
          },
          "Of the last run: (seconds, number of runs) by pass.")
      .def("__str__", [](const PyPassManager &self) {
        std::string text;
        mlirPrintPassPipeline(mlirPassManagerGetAsOpPassManager(self.manager), appendTo, &text);
        return text;
      });
  m.def("register_pass", registerPass, py::arg("name"), py::arg("function"), py::arg("anchor") = "",
        py::arg("description") = "");
  m.def(
      "is_registered_pass",
      [](const std::string &name) {
        return commIsRegisteredPass(toRef(name)) || commIsRegisteredPipeline(toRef(name));
      },
      py::arg("name"), "There is a pass or pipeline of that name.");
}
