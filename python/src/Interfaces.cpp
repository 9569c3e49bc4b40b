//===- Interfaces.cpp - What operations do to memory and messages ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Objects.h"

#include "comm-c/Interfaces.h"

#include <pybind11/native_enum.h>

using namespace comm::python;

namespace {
/// A value or None.
struct OptionalValue {
  ContextRef context;
  ValueRef ref;
  py::object toPython() const { return ref.value.ptr ? wrapValue(context, ref.get()) : py::none(); }
};
struct PyAccess {
  std::string param;
  OptionalValue buffer, count, datatype;
  CommExtent extent;
  bool reads, writes, inFlight;
};
struct PyMatching {
  CommMatchingKind kind;
  CommSource source;
  OptionalValue communicator, peer, tag;
};
struct PyRemoteAccess {
  CommRemoteKind kind;
  OptionalValue window, origin, count, datatype, target, displacement, targetCount, targetDatatype;
  bool sameAtBothEnds;
};
struct PyCompletion {
  std::vector<OptionalValue> requests;
  bool completesAll;
};
} // namespace

static OptionalValue optional(const ContextRef &context, MlirValue value) {
  OptionalValue result{context, {}};
  if (value.ptr)
    result.ref = makeValue(context, value);
  return result;
}

/// Returns the operation. Raises if it is not valid or not an MPI operation.
static MlirOperation askable(const PyOperation &self) {
  MlirOperation op = self.state->get();
  if (!commOperationIsMPI(op))
    throw py::type_error(toString(mlirIdentifierStr(mlirOperationGetName(op))) + " is not an operation of MPI");
  if (!mlirOperationGetBlock(op).ptr)
    throw py::value_error("the operation is in no block: insert it first");
  DiagnosticCollector collector(self.state->context);
  if (!commOperationVerifyItself(op))
    collector.raise("only valid operations can be asked what they do");
  return op;
}

static std::vector<PyAccess> accesses(const PyOperation &self) {
  MlirOperation op = askable(self);
  std::pair<ContextRef, std::vector<PyAccess>> result{self.state->context, {}};
  commMPIForEachAccess(
      op,
      [](CommAccess const *access, void *userData) {
        auto &[context, list] = *static_cast<std::pair<ContextRef, std::vector<PyAccess>> *>(userData);
        list.push_back({toString(access->param), optional(context, access->buffer), optional(context, access->count),
                        optional(context, access->datatype), access->extent, access->reads, access->writes,
                        access->inFlight});
      },
      &result);
  return std::move(result.second);
}

static PyMatching matching(const PyOperation &self) {
  CommMatching found = commMPIGetMatching(askable(self));
  const ContextRef &context = self.state->context;
  return {found.kind, found.source, optional(context, found.communicator), optional(context, found.peer),
          optional(context, found.tag)};
}

static std::optional<PyRemoteAccess> remoteAccess(const PyOperation &self) {
  CommRemoteAccess found = commMPIGetRemoteAccess(askable(self));
  if (found.kind == CommRemoteNone)
    return std::nullopt;
  const ContextRef &c = self.state->context;
  return PyRemoteAccess{found.kind,
                        optional(c, found.window),
                        optional(c, found.origin),
                        optional(c, found.count),
                        optional(c, found.datatype),
                        optional(c, found.target),
                        optional(c, found.displacement),
                        optional(c, found.targetCount),
                        optional(c, found.targetDatatype),
                        found.sameAtBothEnds};
}

static std::optional<PyCompletion> completion(const PyOperation &self) {
  MlirOperation op = askable(self);
  if (!commOperationIsCompletion(op))
    return std::nullopt;
  PyCompletion result;
  for (intptr_t i = 0, n = commCompletionGetNumRequests(op); i < n; ++i)
    result.requests.push_back(optional(self.state->context, commCompletionGetRequest(op, i)));
  result.completesAll = commCompletionCompletesAll(op);
  return result;
}

static py::dict params(const PyOperation &self) {
  MlirOperation op = askable(self);
  py::dict result;
  for (intptr_t i = 0, n = commMPIGetNumParams(op); i < n; ++i) {
    py::list values;
    for (intptr_t k = 0, num = commMPIGetNumParamValues(op, i); k < num; ++k)
      values.append(wrapValue(self.state->context, commMPIGetParamValue(op, i, k)));
    if (values.empty())
      continue;
    py::str name(toString(commMPIGetParamName(op, i)));
    result[name] = values;
  }
  return result;
}

static py::dict outcomes(const PyOperation &self) {
  MlirOperation op = askable(self);
  py::dict result;
  for (intptr_t i = 0, n = commMPIGetNumOutcomes(op); i < n; ++i) {
    MlirValue value = commMPIGetOutcome(op, i);
    if (value.ptr)
      result[py::str(toString(commMPIGetOutcomeName(op, i)))] = wrapValue(self.state->context, value);
  }
  return result;
}

#define VALUE(Class, name, member) def_property_readonly(name, [](const Class &self) { return self.member.toPython(); })

static void bindResults(py::module_ &m) {
  py::native_enum<CommExtent>(m, "Extent", "enum.Enum", "How many bytes are accessed, seen from the pointer.")
      .value("ELEMENTS", CommExtentElements, "`count` elements of `datatype`")
      .value("ELEMENTS_PER_RANK", CommExtentElementsPerRank, "as many for each process of the communicator")
      .value("UNKNOWN", CommExtentUnknown, "any bytes of the object that it points into")
      .value("SCALAR", CommExtentScalar, "one object of the parameter's C type")
      .value("MEMREF", CommExtentMemRef, "the memory that a memref describes")
      .finalize();
  py::native_enum<CommMatchingKind>(m, "MatchingKind", "enum.Enum", "What an operation is matched with.")
      .value("NONE", CommMatchingNone)
      .value("SEND", CommMatchingSend)
      .value("RECEIVE", CommMatchingReceive)
      .value("SEND_RECEIVE", CommMatchingSendReceive)
      .value("PROBE", CommMatchingProbe)
      .value("COLLECTIVE", CommMatchingCollective)
      .finalize();
  py::native_enum<CommSource>(m, "Source", "enum.Enum", "What the IR shows of the source of a receive.")
      .value("KNOWN", CommSourceKnown)
      .value("MAYBE_ANY", CommSourceMaybeAny)
      .value("ANY", CommSourceAny)
      .finalize();
  py::class_<PyAccess>(m, "Access", "What MPI does with one pointer that it is given.")
      .def_readonly("param", &PyAccess::param, "The parameter, by its name in the MPI standard.")
      .VALUE(PyAccess, "buffer", buffer)
      .VALUE(PyAccess, "count", count)
      .VALUE(PyAccess, "datatype", datatype)
      .def_readonly("extent", &PyAccess::extent)
      .def_readonly("reads", &PyAccess::reads)
      .def_readonly("writes", &PyAccess::writes)
      .def_readonly("in_flight", &PyAccess::inFlight,
                    "It goes on after the call, until the request completes or the window is synchronized.")
      .def("__repr__", [](const PyAccess &self) {
        return "<Access " + self.param + (self.reads ? " reads" : "") + (self.writes ? " writes" : "") +
               (self.inFlight ? " in flight" : "") + ">";
      });
  py::class_<PyMatching>(m, "Matching",
                         "How MPI matches an operation with those of other processes (MPI-4, 3.5, 6.14).")
      .def_readonly("kind", &PyMatching::kind)
      .def_readonly("source", &PyMatching::source)
      .VALUE(PyMatching, "communicator", communicator)
      .VALUE(PyMatching, "peer", peer)
      .VALUE(PyMatching, "tag", tag);
  py::class_<PyRemoteAccess>(m, "RemoteAccess", "A get or a put: what it copies, from where to where (MPI-4, 12.3).")
      .def_property_readonly("is_get", [](const PyRemoteAccess &self) { return self.kind == CommRemoteGet; })
      .VALUE(PyRemoteAccess, "window", window)
      .VALUE(PyRemoteAccess, "origin", origin)
      .VALUE(PyRemoteAccess, "count", count)
      .VALUE(PyRemoteAccess, "datatype", datatype)
      .VALUE(PyRemoteAccess, "target", target)
      .VALUE(PyRemoteAccess, "displacement", displacement)
      .VALUE(PyRemoteAccess, "target_count", targetCount)
      .VALUE(PyRemoteAccess, "target_datatype", targetDatatype)
      .def_readonly("same_at_both_ends", &PyRemoteAccess::sameAtBothEnds);
  py::class_<PyCompletion>(m, "Completion", "The requests that an operation completes, or asks about.")
      .def_property_readonly("requests",
                             [](const PyCompletion &self) {
                               py::list result;
                               for (const OptionalValue &value : self.requests)
                                 result.append(value.toPython());
                               return result;
                             })
      .def_readonly("completes_all", &PyCompletion::completesAll, "All are complete when it returns.");
}

/// Adds a property of MPI operations.
template <typename Fn> static void addProperty(py::handle cls, const char *name, Fn &&get, const char *doc) {
  py::cpp_function getter(std::forward<Fn>(get), py::is_method(cls));
  cls.attr(name) = py::module_::import("builtins").attr("property")(getter, py::none(), py::none(), doc);
}

template <typename Fn> static void addMethod(py::handle cls, const char *name, Fn &&method, const char *doc) {
  cls.attr(name) = py::cpp_function(std::forward<Fn>(method), py::name(name), py::is_method(cls),
                                    py::sibling(py::getattr(cls, name, py::none())), doc);
}

void comm::python::bindInterfaces(py::module_ &m) {
  bindResults(m);
  py::object cls = m.attr("Operation");
  addProperty(
      cls, "is_mpi", [](const PyOperation &self) { return commOperationIsMPI(self.state->get()); },
      "It stands for a call of MPI.");
  addProperty(
      cls, "mpi_function", [](const PyOperation &self) { return toString(commMPIGetFunction(askable(self))); },
      "The function of its blocking form: 'MPI_Send'.");
  addProperty(
      cls, "mpi_called_function",
      [](const PyOperation &self) { return toString(commMPIGetCalledFunction(askable(self))); },
      "The function that it calls: 'MPI_Isend' for an async send.");
  addProperty(
      cls, "is_async", [](const PyOperation &self) { return commMPIGetMode(askable(self)) == CommModeAsync; },
      "It is started, and completed by a wait.");
  static const std::pair<const char *, CommFact> facts[] = {
      {"is_local", CommFactLocal},
      {"completes_remotely", CommFactCompletesRemotely},
      {"needs_posted_receive", CommFactNeedsPostedReceive},
      {"completes_at_once", CommFactCompletesAtOnce},
      {"is_neighborhood", CommFactNeighborhood},
      {"is_one_sided", CommFactOneSided},
      {"is_elementwise_reduction", CommFactElementwiseReduction},
      {"reaches_beyond_arguments", CommFactReachesBeyondArguments},
      {"has_async_form", CommFactHasAsyncForm},
  };
  for (auto [name, fact] : facts)
    addProperty(
        cls, name, [fact = fact](const PyOperation &self) { return (commMPIGetFacts(askable(self)) & fact) != 0; },
        "A fact of an operation of MPI; docs/reference/Dialects/CommInterfaces.md.");
  addMethod(cls, "accesses", accesses, "What MPI reads and writes in memory: a list of Access.");
  addMethod(cls, "matching", matching, "Which messages it can be matched with.");
  addMethod(cls, "remote_access", remoteAccess, "What a get or put copies; None of other operations.");
  addMethod(cls, "completion", completion, "The requests that it completes; None if it is not a completion.");
  addMethod(cls, "params", params, "The operands, as lists by the names of MPI's parameters.");
  addMethod(cls, "outcomes", outcomes, "The results by name, 'request' and 'error' among them.");
  m.def(
      "constant_name", [](const PyValue &value) { return toString(commValueGetConstantName(value.ref.get())); },
      py::arg("value"),
      "The name of the predefined object that a value is ('MPI_INT'), looking through casts; '' if it is not one.");
}
