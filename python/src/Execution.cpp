//===- Execution.cpp - Compiled modules and functions to call -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arguments.h"
#include "Objects.h"

#include "comm-c/Execution.h"

#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>

using namespace comm::python;

//===----------------------------------------------------------------------===//
// From a module to an object file
//===----------------------------------------------------------------------===//

static std::string target() {
  std::string text;
  commGetTarget(appendTo, &text);
  return text;
}

static py::tuple compileModule(const PyModule &module, const std::vector<std::string> &entries, unsigned level,
                               bool checksErrors, bool uniformCollectives, const std::string &pipeline) {
  MlirOperation op = module.root->get();
  verify(module.root, "only valid modules can be compiled");
  std::vector<MlirStringRef> names;
  for (const std::string &entry : entries)
    names.push_back(toRef(entry));
  struct Result {
    std::string object;
    py::list readOnly, remarks;
    ContextRef context;
  } result;
  result.context = module.root->context;
  CommObjectSink sink;
  sink.userData = &result;
  sink.object = [](MlirStringRef bytes, void *data) { static_cast<Result *>(data)->object = toString(bytes); };
  sink.readOnly = [](MlirStringRef entry, intptr_t argument, void *data) {
    static_cast<Result *>(data)->readOnly.append(py::make_tuple(toString(entry), argument));
  };
  sink.remark = [](CommRemark const *remark, void *data) {
    auto &to = *static_cast<Result *>(data);
    py::list arguments;
    for (intptr_t i = 0; i < remark->numArguments; ++i)
      arguments.append(py::make_tuple(toString(remark->arguments[i].key), toString(remark->arguments[i].value)));
    to.remarks.append(py::make_tuple(remark->kind, toString(remark->pass), toString(remark->name),
                                     toString(remark->function), PyLocation{to.context, remark->location}, arguments));
  };
  DiagnosticCollector collector(module.root->context);
  CommCompileOptions options{
      level, checksErrors, uniformCollectives, names.data(), static_cast<intptr_t>(names.size()), toRef(pipeline)};
  if (mlirLogicalResultIsFailure(commCompileModule(op, options, sink)))
    collector.raise("the module cannot be compiled");
  collector.deliver();
  return py::make_tuple(py::bytes(result.object), result.readOnly, result.remarks);
}

//===----------------------------------------------------------------------===//
// Errors of MPI in calls
//===----------------------------------------------------------------------===//

namespace {
/// A call of compiled code on this thread.
struct CallFrame {
  jmp_buf back;
  int error = 0;
  CallFrame *outer;
};
} // namespace
static thread_local CallFrame *currentCall = nullptr;

/// Compiled code calls this with an error that MPI returned. Its frames need no cleanup.
[[noreturn]] static void mpiFailed(int error) {
  if (!currentCall) {
    std::fprintf(stderr, "comm: MPI returned the error %d outside of a call from Python\n", error);
    std::abort();
  }
  currentCall->error = error;
  longjmp(currentCall->back, 1);
}

/// Calls an entry point. Returns MPI's error, or 0. Nothing here may have a destructor, because errors longjmp over it.
static int enter(void (*entry)(uint64_t *), uint64_t *words) {
  CallFrame frame;
  frame.outer = currentCall;
  currentCall = &frame;
  if (setjmp(frame.back) == 0)
    entry(words);
  currentCall = frame.outer;
  return frame.error;
}

//===----------------------------------------------------------------------===//
// Code and its functions
//===----------------------------------------------------------------------===//

namespace {
struct Code {
  CommJIT jit{nullptr};
  void *library = nullptr;
  /// MPI_Initialized and MPI_Finalized, if the code calls MPI.
  int (*isInitialized)(int *) = nullptr, (*isFinalized)(int *) = nullptr;
  Code() = default;
  Code(const Code &) = delete;
  ~Code() {
    // Never unload a library: MPI may hold addresses in it.
    if (jit.ptr)
      commJITDestroy(jit);
  }
};
using CodeRef = std::shared_ptr<Code>;

struct PyFunction {
  std::string name;
  CodeRef code;
  void (*entry)(uint64_t *) = nullptr;
  std::vector<Parameter> parameters, results;
  size_t numWords = 1;
  /// True if the function assumes that an array that is written shares no memory with another one.
  bool isDistinct = false;
};
} // namespace

static void check(MlirLogicalResult result, const std::string &what, const std::string &error) {
  if (mlirLogicalResultIsFailure(result))
    throw std::runtime_error(what + ": " + error);
}

static int sayYes() { return 1; }

static CodeRef loadObject(const py::bytes &object, const std::vector<std::string> &libraries, bool callsMPI) {
  auto code = std::make_shared<Code>();
  std::string error, bytes = object;
  code->jit = commJITCreate(appendTo, &error);
  if (!code->jit.ptr)
    throw std::runtime_error("no code can be made here: " + error);
  check(commJITAddObject(code->jit, toRef(bytes), appendTo, &error), "the object file cannot be loaded", error);
  check(commJITDefine(code->jit, toRef("comm_mpi_failed"), reinterpret_cast<void *>(mpiFailed), appendTo, &error),
        "the object file cannot be loaded", error);
  // Other code of a Python program has no markers, so it may observe anything (docs/soundness.md, "Markers").
  for (const char *question : {"comm.ask_observes_starts", "comm.ask_own_error_handlers", "comm.ask_uses_sessions"})
    check(commJITDefine(code->jit, toRef(question), reinterpret_cast<void *>(sayYes), appendTo, &error),
          "the object file cannot be loaded", error);
  for (const std::string &library : libraries)
    check(commJITAddLibrary(code->jit, toRef(library), appendTo, &error), "cannot load " + library, error);
  if (callsMPI) {
    auto find = [&](const std::string &name) {
      void *address = commJITLookup(code->jit, toRef(name), appendTo, &error);
      if (!address)
        throw std::runtime_error("the MPI library cannot be linked: " + error);
      return reinterpret_cast<int (*)(int *)>(address);
    };
    code->isInitialized = find("MPI_Initialized");
    code->isFinalized = find("MPI_Finalized");
  }
  return code;
}

/// `mpi` is the library of mpi4py, whose MPI the code must call, or empty.
static CodeRef loadLibrary(const std::string &path, const std::string &mpi) {
  auto code = std::make_shared<Code>();
  code->library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!code->library)
    throw std::runtime_error("cannot load " + path + ": " + dlerror());
  if (void *failed = dlsym(code->library, "comm_entry_failed"))
    *static_cast<void (**)(int)>(failed) = mpiFailed;
  if (!dlsym(code->library, "comm_entry_calls_mpi"))
    return code;
  code->isInitialized = reinterpret_cast<int (*)(int *)>(dlsym(code->library, "MPI_Initialized"));
  code->isFinalized = reinterpret_cast<int (*)(int *)>(dlsym(code->library, "MPI_Finalized"));
  void *theirs = mpi.empty() ? nullptr : dlopen(mpi.c_str(), RTLD_NOW | RTLD_NOLOAD);
  bool isSame = theirs && dlsym(theirs, "MPI_Initialized") == reinterpret_cast<void *>(code->isInitialized);
  if (!code->isInitialized || !code->isFinalized || (theirs && !isSame))
    throw std::runtime_error("the code calls another MPI than mpi4py: see that mpicc on the path is of the MPI that "
                             "mpi4py has, or name it in COMM_MPICC");
  return code;
}

static std::unique_ptr<PyFunction> getFunction(const CodeRef &code, const std::string &name, const py::list &parameters,
                                               const py::list &results, bool isDistinct) {
  auto function = std::make_unique<PyFunction>();
  function->isDistinct = isDistinct;
  function->name = name;
  function->code = code;
  std::string error, symbol = "comm_entry_" + name;
  void *address =
      code->library ? dlsym(code->library, symbol.c_str()) : commJITLookup(code->jit, toRef(symbol), appendTo, &error);
  if (!address)
    throw std::runtime_error("the function '" + name +
                             "' cannot be linked: " + (code->library ? "the library does not have it" : error));
  function->entry = reinterpret_cast<void (*)(uint64_t *)>(address);
  size_t numWords = 0;
  for (py::handle spec : parameters) {
    function->parameters.emplace_back(spec.cast<py::dict>());
    numWords += function->parameters.back().numWords();
  }
  for (py::handle spec : results)
    function->results.emplace_back(spec.cast<py::dict>());
  function->numWords = std::max({numWords, function->results.size(), size_t(1)});
  return function;
}

/// MPI aborts the process if it is called too early or too late.
static void checkMPI(const Code &code) {
  int isInitialized = 0, isFinalized = 0;
  code.isInitialized(&isInitialized);
  code.isFinalized(&isFinalized);
  if (!isInitialized || isFinalized)
    throw std::runtime_error(isFinalized ? "MPI is finalized: the function cannot communicate any more"
                                         : "MPI is not initialized: call mpi4py.MPI.Init() first");
}

[[noreturn]] static void raiseMPI(int error) {
  py::object exception = py::module_::import("mpi4py.MPI").attr("Exception")(error);
  PyErr_SetObject(py::type::of(exception).ptr(), exception.ptr());
  throw py::error_already_set();
}

/// Stores the values of the parameters, in their order.
static void bindArguments(const PyFunction &self, const py::args &args, const py::kwargs &kwargs,
                          std::vector<py::handle> &values) {
  size_t expected = self.parameters.size();
  if (args.size() > expected)
    throw py::type_error(self.name + "() takes " + std::to_string(expected) + " arguments, but " +
                         std::to_string(args.size()) + " were given");
  for (size_t i = 0; i < args.size(); ++i)
    values[i] = args[i];
  for (auto [key, value] : kwargs) {
    std::string name = py::str(key);
    size_t i = 0;
    while (i < expected && self.parameters[i].name != name)
      ++i;
    if (i == expected)
      throw py::type_error(self.name + "() has no parameter '" + name + "'");
    if (values[i])
      throw py::type_error(self.name + "() got several values for '" + name + "'");
    values[i] = value;
  }
  for (size_t i = 0; i < expected; ++i)
    if (!values[i])
      throw py::type_error(self.name + "() lacks the argument '" + self.parameters[i].name + "'");
}

/// Raises if two arrays of the call may share memory that is written.
static void checkDistinct(const PyFunction &self, const Buffers &buffers) {
  for (size_t i = 0; i < buffers.views.size(); ++i)
    for (size_t j = 0; j < i; ++j) {
      const Parameter &one = self.parameters[buffers.owners[i]], &other = self.parameters[buffers.owners[j]];
      if ((one.writes || other.writes) && mayShareMemory(buffers.views[i], buffers.views[j]))
        throw py::value_error("the arguments '" + other.name + "' and '" + one.name +
                              "' may share memory, and the function was compiled for arrays that do not: copy one");
    }
}

static py::object call(const PyFunction &self, const py::args &args, const py::kwargs &kwargs, bool quietly) {
  constexpr size_t kFew = 64;
  uint64_t few[kFew];
  std::vector<uint64_t> many(self.numWords > kFew ? self.numWords : 0);
  uint64_t *words = many.empty() ? few : many.data();
  Buffers buffers(self.parameters.size());
  std::vector<py::handle> values(self.parameters.size());
  if (quietly && (args.size() != values.size() || kwargs.size()))
    return py::reinterpret_borrow<py::object>(Py_NotImplemented);
  bindArguments(self, args, kwargs, values);
  if (self.code->isFinalized)
    checkMPI(*self.code);
  uint64_t *next = words;
  for (size_t i = 0; i < values.size(); ++i) {
    const Parameter &parameter = self.parameters[i];
    buffers.owner = i;
    if (!writeArgument(parameter, values[i], next, buffers, quietly))
      return py::reinterpret_borrow<py::object>(Py_NotImplemented);
    next += parameter.numWords();
  }
  if (self.isDistinct)
    checkDistinct(self, buffers);
  int error;
  {
    // Release the lock, as mpi4py does, so that other threads and MPI's callbacks can run.
    py::gil_scoped_release release;
    error = enter(self.entry, words);
  }
  if (error)
    raiseMPI(error);
  if (self.results.empty())
    return py::none();
  if (self.results.size() == 1)
    return readResult(self.results[0], words[0]);
  py::tuple results(self.results.size());
  for (size_t i = 0; i < self.results.size(); ++i)
    results[i] = readResult(self.results[i], words[i]);
  return results;
}

void comm::python::bindExecution(py::module_ &m) {
  py::class_<Code, CodeRef>(m, "Code", "Compiled code in this process.")
      .def_static("load_object", loadObject, py::arg("object"), py::arg("libraries"), py::arg("calls_mpi"),
                  "Links an object file and what it needs of the libraries.")
      .def_static("load_library", loadLibrary, py::arg("path"), py::arg("mpi"), "Opens a shared library.");
  py::class_<PyFunction>(m, "CompiledFunction", "A compiled function, called like one of Python.")
      .def(py::init(&getFunction), py::arg("code"), py::arg("name"), py::arg("takes"), py::arg("returns"),
           py::arg("distinct") = false)
      .def_readonly("name", &PyFunction::name)
      .def(
          "__call__",
          [](const PyFunction &self, const py::args &args, const py::kwargs &kwargs) {
            return call(self, args, kwargs, /*quietly=*/false);
          },
          "Calls it. TypeError, ValueError or OverflowError if an argument does not fit; mpi4py's MPI.Exception if MPI "
          "returns an error.")
      .def(
          "try_call",
          [](const PyFunction &self, const py::args &args) { return call(self, args, py::kwargs(), /*quietly=*/true); },
          "Like a call, but returns NotImplemented if the arguments do not fit.")
      .def(
          "restrict",
          [](PyFunction &self, size_t position, const py::object &type) {
            if (position >= self.parameters.size())
              throw py::index_error("there is no such parameter");
            self.parameters[position].isStrict = true;
            self.parameters[position].strictType = type;
          },
          py::arg("position"), py::arg("python_type"),
          "From now on a parameter takes arguments of this very type only (None: of any), and no contiguous array "
          "where "
          "it is strided.")
      .def("__repr__", [](const PyFunction &self) { return "<CompiledFunction " + self.name + ">"; });
  m.def("compile_module", compileModule, py::arg("module"), py::arg("entries"), py::arg("level"),
        py::arg("checks_errors"), py::arg("uniform_collectives"), py::arg("pipeline"),
        "The object file of a module of the llvm dialect, (function, index) of arguments that are only read, and what "
        "the\n"
        "passes of the pipeline over functions that call MPI said.");
  m.def("target", target, "The machine that code is made for.");
}
