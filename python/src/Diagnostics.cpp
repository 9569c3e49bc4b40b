//===- Diagnostics.cpp - Diagnostics as exceptions and objects ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Objects.h"

#include "comm-c/Remarks.h"

#include <pybind11/native_enum.h>

using namespace comm::python;

py::object comm::python::mlirErrorType, comm::python::invalidatedErrorType;

namespace {
struct PyDiagnostic {
  ContextRef context;
  DiagnosticInfo info;
};
} // namespace

std::string comm::python::toString(MlirStringRef text) { return std::string(text.data, text.length); }

void comm::python::appendTo(MlirStringRef text, void *userData) {
  static_cast<std::string *>(userData)->append(text.data, text.length);
}

void comm::python::throwDead(const std::string &what, const char *why) {
  PyErr_SetString(invalidatedErrorType.ptr(), ("this " + what + " is gone: " + why).c_str());
  throw py::error_already_set();
}

static DiagnosticInfo collect(MlirDiagnostic diagnostic) {
  DiagnosticInfo info;
  info.severity = mlirDiagnosticGetSeverity(diagnostic);
  info.location = mlirDiagnosticGetLocation(diagnostic);
  mlirDiagnosticPrint(diagnostic, appendTo, &info.message);
  for (intptr_t i = 0, n = mlirDiagnosticGetNumNotes(diagnostic); i < n; ++i)
    info.notes.push_back(collect(mlirDiagnosticGetNote(diagnostic, i)));
  return info;
}

DiagnosticCollector::DiagnosticCollector(const ContextRef &context) : context(context) {
  id = mlirContextAttachDiagnosticHandler(
      context->context,
      [](MlirDiagnostic diagnostic, void *self) {
        static_cast<DiagnosticCollector *>(self)->diagnostics.push_back(collect(diagnostic));
        return mlirLogicalResultSuccess();
      },
      this, nullptr);
}

DiagnosticCollector::~DiagnosticCollector() { mlirContextDetachDiagnosticHandler(context->context, id); }

py::object comm::python::toPython(const ContextRef &context, const DiagnosticInfo &info) {
  return py::cast(PyDiagnostic{context, info});
}

static std::string printLocation(MlirLocation location) {
  std::string text;
  mlirLocationPrint(location, appendTo, &text);
  // Strips "loc(" and ")" from, e.g., loc("file":1:2).
  return text.size() > 5 ? text.substr(4, text.size() - 5) : text;
}

void DiagnosticCollector::raise(const std::string &what) {
  static const char *severities[] = {"error", "warning", "note", "remark"};
  std::string text = what;
  py::list errors;
  for (const DiagnosticInfo &info : diagnostics) {
    if (info.severity != MlirDiagnosticError)
      continue;
    errors.append(toPython(context, info));
    text += "\n" + printLocation(info.location) + ": error: " + info.message;
    for (const DiagnosticInfo &note : info.notes)
      text += "\n  " + printLocation(note.location) + ": " + severities[note.severity] + ": " + note.message;
  }
  deliver();
  py::object error = mlirErrorType(text);
  error.attr("message") = what;
  error.attr("error_diagnostics") = errors;
  PyErr_SetObject(mlirErrorType.ptr(), error.ptr());
  throw py::error_already_set();
}

void DiagnosticCollector::deliver() {
  if (context->handlers.empty())
    return;
  py::list handlers(context->handlers.attr("copy")());
  for (const DiagnosticInfo &info : diagnostics)
    if (info.severity != MlirDiagnosticError)
      for (py::handle handler : handlers)
        handler(toPython(context, info));
}

void comm::python::emitDiagnostic(const ContextRef &context, MlirLocation location, MlirDiagnosticSeverity severity,
                                  const std::string &message) {
  bool isInPass = !context->runs.empty() && context->runs.back()->anchor.ptr;
  if (isInPass) {
    // The pipeline's collector receives it.
    if (severity == MlirDiagnosticError)
      ++context->runs.back()->numErrors;
    commEmitDiagnostic(location, severity, toRef(message));
    return;
  }
  DiagnosticCollector collector(context);
  commEmitDiagnostic(location, severity, toRef(message));
  if (severity == MlirDiagnosticError)
    collector.raise(message);
  collector.deliver();
}

void comm::python::bindDiagnostics(py::module_ &m) {
  mlirErrorType = py::reinterpret_steal<py::object>(PyErr_NewExceptionWithDoc(
      "comm_mlir.ir.MLIRError",
      "An error of MLIR: `message` names the failed action, `error_diagnostics` lists the errors with their locations.",
      PyExc_Exception, nullptr));
  invalidatedErrorType = py::reinterpret_steal<py::object>(PyErr_NewExceptionWithDoc(
      "comm_mlir.ir.InvalidatedError",
      "The object refers to something that is gone: erased, deleted with its module, or possibly changed by passes.",
      PyExc_RuntimeError, nullptr));
  m.attr("MLIRError") = mlirErrorType;
  m.attr("InvalidatedError") = invalidatedErrorType;
  py::native_enum<MlirDiagnosticSeverity>(m, "DiagnosticSeverity", "enum.IntEnum", "How serious a diagnostic is.")
      .value("ERROR", MlirDiagnosticError)
      .value("WARNING", MlirDiagnosticWarning)
      .value("NOTE", MlirDiagnosticNote)
      .value("REMARK", MlirDiagnosticRemark)
      .finalize();
  py::class_<PyDiagnostic>(m, "DiagnosticInfo", "What MLIR said, and about which place.")
      .def_property_readonly("severity", [](const PyDiagnostic &self) { return self.info.severity; })
      .def_property_readonly("location",
                             [](const PyDiagnostic &self) { return PyLocation{self.context, self.info.location}; })
      .def_property_readonly("message", [](const PyDiagnostic &self) { return self.info.message; })
      .def_property_readonly("notes",
                             [](const PyDiagnostic &self) {
                               std::vector<PyDiagnostic> notes;
                               for (const DiagnosticInfo &note : self.info.notes)
                                 notes.push_back({self.context, note});
                               return notes;
                             })
      .def("__str__", [](const PyDiagnostic &self) { return self.info.message; })
      .def("__repr__", [](const PyDiagnostic &self) {
        return "<DiagnosticInfo " + printLocation(self.info.location) + ": " + self.info.message + ">";
      });
}
