//===- Affine.cpp - Affine expressions, maps and integer sets -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AttributeClass.h"

#include "mlir-c/AffineExpr.h"
#include "mlir-c/AffineMap.h"
#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/IntegerSet.h"

#include <limits>

using namespace comm::python;

namespace {
struct PyAffineExpr {
  ContextRef context;
  MlirAffineExpr expr;
};
struct PyAffineDimExpr : PyAffineExpr {};
struct PyAffineSymbolExpr : PyAffineExpr {};
struct PyAffineConstantExpr : PyAffineExpr {};
struct PyAffineBinaryExpr : PyAffineExpr {};
struct PyAffineAddExpr : PyAffineBinaryExpr {};
struct PyAffineMulExpr : PyAffineBinaryExpr {};
struct PyAffineModExpr : PyAffineBinaryExpr {};
struct PyAffineFloorDivExpr : PyAffineBinaryExpr {};
struct PyAffineCeilDivExpr : PyAffineBinaryExpr {};
struct PyAffineMap {
  ContextRef context;
  MlirAffineMap map;
};
struct PyIntegerSet {
  ContextRef context;
  MlirIntegerSet set;
};
struct PyIntegerSetConstraint {
  ContextRef context;
  MlirIntegerSet set;
  intptr_t position;
};
struct PyAffineMapAttr : PyAttribute {};
struct PyIntegerSetAttr : PyAttribute {};

/// The dimensions and symbols of an expression, up to a size at which MLIR's recursive functions may overflow the
/// stack.
struct Extent {
  static constexpr int kMostNodes = 10000, kMostLevels = 500;
  intptr_t dims = 0, symbols = 0;
  int nodes = 0;
  bool isTooLarge = false;

  void add(MlirAffineExpr expr, int level = 0) {
    if (isTooLarge)
      return;
    if (++nodes > kMostNodes || level > kMostLevels) {
      isTooLarge = true;
    } else if (mlirAffineExprIsADim(expr)) {
      dims = std::max(dims, mlirAffineDimExprGetPosition(expr) + 1);
    } else if (mlirAffineExprIsASymbol(expr)) {
      symbols = std::max(symbols, mlirAffineSymbolExprGetPosition(expr) + 1);
    } else if (mlirAffineExprIsABinary(expr)) {
      add(mlirAffineBinaryOpExprGetLHS(expr), level + 1);
      add(mlirAffineBinaryOpExprGetRHS(expr), level + 1);
    }
  }
};
} // namespace

constexpr int64_t kMostInputs = 1000;

static void checkSize(int64_t size) {
  if (size < 0 || size > kMostInputs)
    throw py::value_error("a map has 0 to 1000 dimensions");
}

static py::object wrapExpr(const ContextRef &context, MlirAffineExpr expr) {
  Extent extent;
  extent.add(expr);
  if (extent.isTooLarge)
    throw py::value_error("the affine expression is too large: it has more than 10000 parts, or 500 levels");
  PyAffineExpr base{context, expr};
  if (mlirAffineExprIsADim(expr))
    return py::cast(PyAffineDimExpr{base});
  if (mlirAffineExprIsASymbol(expr))
    return py::cast(PyAffineSymbolExpr{base});
  if (mlirAffineExprIsAConstant(expr))
    return py::cast(PyAffineConstantExpr{base});
  if (mlirAffineExprIsAAdd(expr))
    return py::cast(PyAffineAddExpr{{base}});
  if (mlirAffineExprIsAMul(expr))
    return py::cast(PyAffineMulExpr{{base}});
  if (mlirAffineExprIsAMod(expr))
    return py::cast(PyAffineModExpr{{base}});
  if (mlirAffineExprIsAFloorDiv(expr))
    return py::cast(PyAffineFloorDivExpr{{base}});
  return py::cast(PyAffineCeilDivExpr{{base}});
}

/// Converts an expression or an int.
static PyAffineExpr toExpr(const ContextRef &context, py::handle value) {
  if (py::isinstance<PyAffineExpr>(value)) {
    auto expr = value.cast<PyAffineExpr>();
    checkSame(expr.context, context);
    return expr;
  }
  if (!py::isinstance<py::int_>(value))
    throw py::type_error("expected an AffineExpr or an int, got " + py::repr(value).cast<std::string>());
  int64_t number = PyLong_AsLongLong(value.ptr());
  if (PyErr_Occurred())
    throw py::error_already_set();
  return {context, mlirAffineConstantExprGet(context->context, number)};
}

/// Returns the context of two operands, one of which may be an int.
static ContextRef contextOf(py::handle a, py::handle b) {
  for (py::handle value : {a, b})
    if (py::isinstance<PyAffineExpr>(value))
      return value.cast<PyAffineExpr>().context;
  throw py::type_error("one of the two must be an AffineExpr");
}

using Combine = MlirAffineExpr (*)(MlirAffineExpr, MlirAffineExpr);

static py::object combine(Combine make, py::handle a, py::handle b) {
  ContextRef context = contextOf(a, b);
  PyAffineExpr lhs = toExpr(context, a), rhs = toExpr(context, b);
  bool divides = make == mlirAffineModExprGet || make == mlirAffineFloorDivExprGet || make == mlirAffineCeilDivExprGet;
  if (divides && mlirAffineExprIsAConstant(rhs.expr) && mlirAffineConstantExprGetValue(rhs.expr) < 1)
    throw py::value_error("an affine expression is divided by a number from 1 on");
  return wrapExpr(context, make(lhs.expr, rhs.expr));
}

static std::vector<MlirAffineExpr> collect(const ContextRef &context, const py::sequence &exprs, int64_t dims,
                                           int64_t symbols) {
  checkSize(dims);
  checkSize(symbols);
  std::vector<MlirAffineExpr> found;
  Extent extent;
  for (py::handle expr : exprs) {
    found.push_back(toExpr(context, expr).expr);
    extent.add(found.back());
  }
  if (extent.isTooLarge)
    throw py::value_error("the affine expressions are too large: they have more than 10000 parts, or 500 levels");
  if (extent.dims > dims || extent.symbols > symbols)
    throw py::value_error("the expressions have " + std::to_string(extent.dims) + " dimensions and " +
                          std::to_string(extent.symbols) + " symbols, and " + std::to_string(dims) + " and " +
                          std::to_string(symbols) + " are told");
  return found;
}

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

static int64_t checkPosition(int64_t position) {
  if (position < 0 || position >= kMostInputs)
    throw py::value_error("the position of a dimension or symbol is from 0 to 999");
  return position;
}

template <typename T, typename Base> static py::class_<T, Base> addKind(py::module_ &m, const char *name) {
  py::class_<T, Base> cls(m, name);
  cls.def_static(
      "isinstance", [](const PyAffineExpr &other) { return py::isinstance<T>(wrapExpr(other.context, other.expr)); },
      py::arg("other"));
  return cls;
}

template <typename T> static void addBinary(py::module_ &m, const char *name, Combine make) {
  addKind<T, PyAffineBinaryExpr>(m, name).def_static(
      "get", [make](const py::object &lhs, const py::object &rhs) { return combine(make, lhs, rhs); }, py::arg("lhs"),
      py::arg("rhs"));
}

static void bindExprs(py::module_ &m) {
  auto dim = [](int64_t position, const py::object &context) {
    ContextRef state = resolveContext(context);
    return wrapExpr(state, mlirAffineDimExprGet(state->context, checkPosition(position)));
  };
  auto symbol = [](int64_t position, const py::object &context) {
    ContextRef state = resolveContext(context);
    return wrapExpr(state, mlirAffineSymbolExprGet(state->context, checkPosition(position)));
  };
  auto constant = [](int64_t value, const py::object &context) {
    ContextRef state = resolveContext(context);
    return wrapExpr(state, mlirAffineConstantExprGet(state->context, value));
  };
  py::class_<PyAffineExpr> cls(
      m, "AffineExpr",
      "An affine expression of dimensions and symbols: + - * // and % combine expressions, and ints "
      "are constants.");
  cls.def_static("get_dim", dim, py::arg("position"), py::arg("context") = py::none(), "The dimension d0, d1, ...")
      .def_static("get_symbol", symbol, py::arg("position"), py::arg("context") = py::none(), "The symbol s0, s1, ...")
      .def_static("get_constant", constant, py::arg("value"), py::arg("context") = py::none(), "A number.")
      .def(
          "compose",
          [](const PyAffineExpr &self, const PyAffineMap &map) {
            checkSame(self.context, map.context);
            Extent extent;
            extent.add(self.expr);
            if (extent.dims > mlirAffineMapGetNumResults(map.map))
              throw py::value_error("the expression has more dimensions than the map has results");
            return wrapExpr(self.context, mlirAffineExprCompose(self.expr, map.map));
          },
          py::arg("map"), "The expression of the map's results in place of its dimensions.")
      .def_property_readonly("context", [](const PyAffineExpr &self) { return ContextObject{self.context}; })
      .def("__eq__",
           [](const PyAffineExpr &self, const py::object &other) {
             return py::isinstance<PyAffineExpr>(other) && other.cast<PyAffineExpr>().expr.ptr == self.expr.ptr;
           })
      .def("__hash__", [](const PyAffineExpr &self) { return std::hash<const void *>()(self.expr.ptr); })
      .def("__str__",
           [](const PyAffineExpr &self) {
             std::string text;
             mlirAffineExprPrint(self.expr, appendTo, &text);
             return text;
           })
      .def("__repr__", [](const PyAffineExpr &self) {
        std::string text;
        mlirAffineExprPrint(self.expr, appendTo, &text);
        return "AffineExpr(" + text + ")";
      });
  auto minus = [](py::handle a, py::handle b) {
    ContextRef context = contextOf(a, b);
    py::object negated = combine(mlirAffineMulExprGet, b, wrapExpr(context, toExpr(context, py::int_(-1)).expr));
    return combine(mlirAffineAddExprGet, a, negated);
  };
  struct Operator {
    const char *plain, *reflected, *named;
    Combine make;
  };
  for (const Operator &op : {Operator{"__add__", "__radd__", "get_add", mlirAffineAddExprGet},
                             Operator{"__mul__", "__rmul__", "get_mul", mlirAffineMulExprGet},
                             Operator{"__mod__", "__rmod__", "get_mod", mlirAffineModExprGet},
                             Operator{"__floordiv__", "__rfloordiv__", "get_floor_div", mlirAffineFloorDivExprGet},
                             Operator{nullptr, nullptr, "get_ceil_div", mlirAffineCeilDivExprGet}}) {
    Combine make = op.make;
    auto apply = [make](const py::object &a, const py::object &b) { return combine(make, a, b); };
    cls.def_static(op.named, apply, py::arg("lhs"), py::arg("rhs"));
    if (!op.plain)
      continue;
    cls.def(op.plain, apply, py::arg("other"));
    cls.def(
        op.reflected, [make](const py::object &a, const py::object &b) { return combine(make, b, a); },
        py::arg("other"));
  }
  cls.def("__sub__", [=](const py::object &a, const py::object &b) { return minus(a, b); }, py::arg("other"));
  cls.def("__rsub__", [=](const py::object &a, const py::object &b) { return minus(b, a); }, py::arg("other"));
  cls.def("__neg__", [](const py::object &a) { return combine(mlirAffineMulExprGet, a, py::int_(-1)); });

  addKind<PyAffineDimExpr, PyAffineExpr>(m, "AffineDimExpr")
      .def_static("get", dim, py::arg("position"), py::arg("context") = py::none())
      .def_property_readonly("position",
                             [](const PyAffineExpr &self) { return mlirAffineDimExprGetPosition(self.expr); });
  addKind<PyAffineSymbolExpr, PyAffineExpr>(m, "AffineSymbolExpr")
      .def_static("get", symbol, py::arg("position"), py::arg("context") = py::none())
      .def_property_readonly("position",
                             [](const PyAffineExpr &self) { return mlirAffineSymbolExprGetPosition(self.expr); });
  addKind<PyAffineConstantExpr, PyAffineExpr>(m, "AffineConstantExpr")
      .def_static("get", constant, py::arg("value"), py::arg("context") = py::none())
      .def_property_readonly("value",
                             [](const PyAffineExpr &self) { return mlirAffineConstantExprGetValue(self.expr); });
  addKind<PyAffineBinaryExpr, PyAffineExpr>(m, "AffineBinaryExpr")
      .def_property_readonly(
          "lhs",
          [](const PyAffineExpr &self) { return wrapExpr(self.context, mlirAffineBinaryOpExprGetLHS(self.expr)); })
      .def_property_readonly("rhs", [](const PyAffineExpr &self) {
        return wrapExpr(self.context, mlirAffineBinaryOpExprGetRHS(self.expr));
      });
  addBinary<PyAffineAddExpr>(m, "AffineAddExpr", mlirAffineAddExprGet);
  addBinary<PyAffineMulExpr>(m, "AffineMulExpr", mlirAffineMulExprGet);
  addBinary<PyAffineModExpr>(m, "AffineModExpr", mlirAffineModExprGet);
  addBinary<PyAffineFloorDivExpr>(m, "AffineFloorDivExpr", mlirAffineFloorDivExprGet);
  addBinary<PyAffineCeilDivExpr>(m, "AffineCeilDivExpr", mlirAffineCeilDivExprGet);
}

//===----------------------------------------------------------------------===//
// Maps
//===----------------------------------------------------------------------===//

static PyAffineMap makePermutation(const std::vector<unsigned> &permutation, const py::object &context) {
  checkSize(permutation.size());
  std::vector<bool> seen(permutation.size());
  for (unsigned place : permutation) {
    if (place >= seen.size() || seen[place])
      throw py::value_error("a permutation of n dimensions has each number from 0 to n - 1 once");
    seen[place] = true;
  }
  ContextRef state = resolveContext(context);
  std::vector<unsigned> copy = permutation;
  return {state, copy.empty() ? mlirAffineMapEmptyGet(state->context)
                              : mlirAffineMapPermutationGet(state->context, copy.size(), copy.data())};
}

static PyAffineMap makeIdentity(int64_t size, const py::object &context) {
  checkSize(size);
  ContextRef state = resolveContext(context);
  return {state, mlirAffineMapMultiDimIdentityGet(state->context, size)};
}

static std::string printMap(MlirAffineMap map) {
  std::string text;
  mlirAffineMapPrint(map, appendTo, &text);
  return text;
}

static PyAffineMap selectResults(const PyAffineMap &self, std::vector<intptr_t> places) {
  checkSize(places.size());
  for (intptr_t place : places)
    if (place < 0 || place >= mlirAffineMapGetNumResults(self.map))
      throw py::index_error("the map has no result " + std::to_string(place));
  return {self.context, mlirAffineMapGetSubMap(self.map, places.size(), places.data())};
}

static void bindMaps(py::module_ &m) {
  py::class_<PyAffineMap>(m, "AffineMap", "A map of numbers, such as `(d0, d1) -> (d1, d0 + 1)`.")
      .def_static(
          "get",
          [](int64_t dims, int64_t symbols, const py::sequence &exprs, const py::object &context) {
            ContextRef state = resolveContext(context);
            std::vector<MlirAffineExpr> found = collect(state, exprs, dims, symbols);
            return PyAffineMap{state, mlirAffineMapGet(state->context, dims, symbols, found.size(), found.data())};
          },
          py::arg("dim_count"), py::arg("symbol_count"), py::arg("exprs"), py::arg("context") = py::none(),
          "The map of so many dimensions and symbols to these expressions.")
      .def_static("get_identity", makeIdentity, py::arg("n_dims"), py::arg("context") = py::none(),
                  "Each dimension to itself.")
      .def_static("get_permutation", makePermutation, py::arg("permutation"), py::arg("context") = py::none(),
                  "The dimensions in this order.")
      .def_static(
          "get_empty",
          [](const py::object &context) {
            ContextRef state = resolveContext(context);
            return PyAffineMap{state, mlirAffineMapEmptyGet(state->context)};
          },
          py::arg("context") = py::none(), "No dimensions to nothing.")
      .def_static(
          "get_constant",
          [](int64_t value, const py::object &context) {
            ContextRef state = resolveContext(context);
            return PyAffineMap{state, mlirAffineMapConstantGet(state->context, value)};
          },
          py::arg("value"), py::arg("context") = py::none(), "To that number.")
      .def_static(
          "get_minor_identity",
          [](int64_t dims, int64_t results, const py::object &context) {
            checkSize(dims);
            if (results < 0 || results > dims)
              throw py::value_error("a minor identity has not more results than dimensions");
            ContextRef state = resolveContext(context);
            return PyAffineMap{state, mlirAffineMapMinorIdentityGet(state->context, dims, results)};
          },
          py::arg("n_dims"), py::arg("n_results"), py::arg("context") = py::none(), "To the last dimensions.")
      .def("get_submap", selectResults, py::arg("result_positions"), "The map to these of its results.")
      .def_property_readonly("n_dims", [](const PyAffineMap &self) { return mlirAffineMapGetNumDims(self.map); })
      .def_property_readonly("n_symbols", [](const PyAffineMap &self) { return mlirAffineMapGetNumSymbols(self.map); })
      .def_property_readonly("n_inputs", [](const PyAffineMap &self) { return mlirAffineMapGetNumInputs(self.map); })
      .def_property_readonly("results",
                             [](const PyAffineMap &self) {
                               py::list results;
                               for (intptr_t i = 0, n = mlirAffineMapGetNumResults(self.map); i < n; ++i)
                                 results.append(wrapExpr(self.context, mlirAffineMapGetResult(self.map, i)));
                               return results;
                             })
      .def_property_readonly("is_permutation",
                             [](const PyAffineMap &self) { return mlirAffineMapIsPermutation(self.map); })
      .def_property_readonly("is_projected_permutation",
                             [](const PyAffineMap &self) { return mlirAffineMapIsProjectedPermutation(self.map); })
      .def_property_readonly("context", [](const PyAffineMap &self) { return ContextObject{self.context}; })
      .def("__eq__",
           [](const PyAffineMap &self, const py::object &other) {
             return py::isinstance<PyAffineMap>(other) && other.cast<PyAffineMap>().map.ptr == self.map.ptr;
           })
      .def("__hash__", [](const PyAffineMap &self) { return std::hash<const void *>()(self.map.ptr); })
      .def("__str__", [](const PyAffineMap &self) { return printMap(self.map); })
      .def("__repr__", [](const PyAffineMap &self) { return "AffineMap(" + printMap(self.map) + ")"; });

  auto get = [](const PyAttribute &self) { return mlirAffineMapAttrGetValue(self.attribute); };
  auto wrap = [](const PyAffineMap &map) { return PyAffineMapAttr{{map.context, mlirAffineMapAttrGet(map.map)}}; };
  addAttribute<PyAffineMapAttr>(m, "AffineMapAttr", mlirAttributeIsAAffineMap,
                                "An attribute that is a map, such as `affine_map<(i, j) -> (j, i)>`.")
      .def_static("get", wrap, py::arg("affine_map"))
      .def_static(
          "get_identity", [=](int64_t size, const py::object &context) { return wrap(makeIdentity(size, context)); },
          py::arg("n_dims"), py::arg("context") = py::none(), "Each dimension to itself.")
      .def_static(
          "get_permutation",
          [=](const std::vector<unsigned> &order, const py::object &context) {
            return wrap(makePermutation(order, context));
          },
          py::arg("permutation"), py::arg("context") = py::none(), "The dimensions in this order.")
      .def_property_readonly("value", [=](const PyAttribute &self) { return PyAffineMap{self.context, get(self)}; })
      .def_property_readonly("n_dims", [=](const PyAttribute &self) { return mlirAffineMapGetNumDims(get(self)); })
      .def_property_readonly("n_symbols",
                             [=](const PyAttribute &self) { return mlirAffineMapGetNumSymbols(get(self)); })
      .def_property_readonly("n_results",
                             [=](const PyAttribute &self) { return mlirAffineMapGetNumResults(get(self)); });
}

//===----------------------------------------------------------------------===//
// Sets
//===----------------------------------------------------------------------===//

static std::string printSet(MlirIntegerSet set) {
  std::string text;
  mlirIntegerSetPrint(set, appendTo, &text);
  return text;
}

static void bindSets(py::module_ &m) {
  py::class_<PyIntegerSetConstraint>(m, "IntegerSetConstraint", "An expression that is 0, or 0 or more, in the set.")
      .def_property_readonly("expr",
                             [](const PyIntegerSetConstraint &self) {
                               return wrapExpr(self.context, mlirIntegerSetGetConstraint(self.set, self.position));
                             })
      .def_property_readonly("is_eq", [](const PyIntegerSetConstraint &self) {
        return mlirIntegerSetIsConstraintEq(self.set, self.position);
      });
  py::class_<PyIntegerSet>(m, "IntegerSet", "A set of numbers, such as `(d0)[s0] : (d0 >= 0, s0 - d0 >= 0)`.")
      .def_static(
          "get",
          [](int64_t dims, int64_t symbols, const py::sequence &exprs, const std::vector<bool> &equal,
             const py::object &context) {
            ContextRef state = resolveContext(context);
            std::vector<MlirAffineExpr> found = collect(state, exprs, dims, symbols);
            if (found.empty())
              throw py::value_error("a set has a constraint at least: use IntegerSet.get_empty for the empty set");
            if (found.size() != equal.size())
              throw py::value_error("each constraint has a flag, whether it is an equation");
            std::unique_ptr<bool[]> flags(new bool[equal.size()]);
            std::copy(equal.begin(), equal.end(), flags.get());
            return PyIntegerSet{
                state, mlirIntegerSetGet(state->context, dims, symbols, found.size(), found.data(), flags.get())};
          },
          py::arg("num_dims"), py::arg("num_symbols"), py::arg("exprs"), py::arg("eq_flags"),
          py::arg("context") = py::none(), "Where each expression is 0, if its flag is true, or 0 or more.")
      .def_static(
          "get_empty",
          [](int64_t dims, int64_t symbols, const py::object &context) {
            checkSize(dims);
            checkSize(symbols);
            ContextRef state = resolveContext(context);
            return PyIntegerSet{state, mlirIntegerSetEmptyGet(state->context, dims, symbols)};
          },
          py::arg("num_dims"), py::arg("num_symbols"), py::arg("context") = py::none(), "The set that is empty.")
      .def_property_readonly("n_dims", [](const PyIntegerSet &self) { return mlirIntegerSetGetNumDims(self.set); })
      .def_property_readonly("n_symbols",
                             [](const PyIntegerSet &self) { return mlirIntegerSetGetNumSymbols(self.set); })
      .def_property_readonly("n_inputs", [](const PyIntegerSet &self) { return mlirIntegerSetGetNumInputs(self.set); })
      .def_property_readonly("n_equalities",
                             [](const PyIntegerSet &self) { return mlirIntegerSetGetNumEqualities(self.set); })
      .def_property_readonly("n_inequalities",
                             [](const PyIntegerSet &self) { return mlirIntegerSetGetNumInequalities(self.set); })
      .def_property_readonly("is_canonical_empty",
                             [](const PyIntegerSet &self) { return mlirIntegerSetIsCanonicalEmpty(self.set); })
      .def_property_readonly("constraints",
                             [](const PyIntegerSet &self) {
                               py::list constraints;
                               for (intptr_t i = 0, n = mlirIntegerSetGetNumConstraints(self.set); i < n; ++i)
                                 constraints.append(PyIntegerSetConstraint{self.context, self.set, i});
                               return constraints;
                             })
      .def_property_readonly("context", [](const PyIntegerSet &self) { return ContextObject{self.context}; })
      .def("__eq__",
           [](const PyIntegerSet &self, const py::object &other) {
             return py::isinstance<PyIntegerSet>(other) &&
                    mlirIntegerSetEqual(self.set, other.cast<PyIntegerSet>().set);
           })
      .def("__hash__", [](const PyIntegerSet &self) { return std::hash<const void *>()(self.set.ptr); })
      .def("__str__", [](const PyIntegerSet &self) { return printSet(self.set); })
      .def("__repr__", [](const PyIntegerSet &self) { return "IntegerSet(" + printSet(self.set) + ")"; });
  addAttribute<PyIntegerSetAttr>(m, "IntegerSetAttr", mlirAttributeIsAIntegerSet,
                                 "An attribute that is a set, such as `affine_set<(i) : (i >= 0)>`.")
      .def_static(
          "get",
          [](const PyIntegerSet &set) { return PyIntegerSetAttr{{set.context, mlirIntegerSetAttrGet(set.set)}}; },
          py::arg("integer_set"))
      .def_property_readonly("value", [](const PyAttribute &self) {
        return PyIntegerSet{self.context, mlirIntegerSetAttrGetValue(self.attribute)};
      });
}

void comm::python::bindAffine(py::module_ &m) {
  bindExprs(m);
  bindMaps(m);
  bindSets(m);
}
