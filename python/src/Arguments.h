//===- Arguments.h - Python's values as words of a call ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An entry point reads its arguments from 64-bit words (comm-c/Execution.h). A memref of rank r takes 3 + 2 r words:
// two addresses, the offset, and sizes and strides in elements, as in MLIR's lowering.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_PYTHON_ARGUMENTS_H
#define COMM_PYTHON_ARGUMENTS_H

#include <pybind11/pybind11.h>

#include <cstdint>
#include <string>
#include <vector>

namespace comm::python {

namespace py = pybind11;

/// The representation of a number: 'f' floating-point, 'c' complex, 'i' integer, 'b' boolean.
struct Element {
  char kind = 'f';
  int size = 8; ///< in bytes
};

/// A class of mpi4py whose objects hold a handle.
struct HandleClass {
  py::object type;
  py::object addressOf; ///< mpi4py.MPI._addressof
  size_t size = 0;      ///< of the handle
  bool refusesNull = false;
};

/// A parameter or result, and the arguments that it accepts.
struct Parameter {
  enum Kind { Memref, Pointer, Integer, Float, Handle } kind = Integer;
  std::string name, description;
  Element element; ///< for pointers, a size of 0 accepts any element
  bool writes = true;
  /// For memrefs; -1 accepts any size. Without strides: contiguous, in C order.
  std::vector<int64_t> shape, strides;
  bool isStrided = false;
  /// For numbers.
  int bits = 64;
  bool isIndex = false;
  /// MLIR's integers are signless and can be read either way; those of C are signed or unsigned.
  enum Sign { None, Signed, Unsigned } sign = None;
  HandleClass handle;
  /// Accepts only the type that the parameter was derived from: the exact type of a number, and arrays with that
  /// contiguity.
  bool isStrict = false;
  py::object strictType;

  explicit Parameter(const py::dict &spec);
  size_t numWords() const { return kind == Memref ? 3 + 2 * shape.size() : 1; }
};

/// The buffers of a call, which are held until it returns.
class Buffers {
public:
  explicit Buffers(size_t most) {
    views.reserve(most);
    owners.reserve(most);
  }
  ~Buffers() {
    for (Py_buffer &view : views)
      PyBuffer_Release(&view);
  }
  Buffers(const Buffers &) = delete;
  std::vector<Py_buffer> views;
  /// The parameter index of each buffer, and of the next one.
  std::vector<size_t> owners;
  size_t owner = 0;
};

/// Returns false if the two certainly have no byte in common.
bool mayShareMemory(const Py_buffer &a, const Py_buffer &b);

/// Writes an argument's words. If the argument does not fit, returns false if `quietly` is set, and otherwise raises
/// TypeError, ValueError or OverflowError.
bool writeArgument(const Parameter &parameter, py::handle value, uint64_t *words, Buffers &buffers, bool quietly);

/// Returns the Python object for a result's word.
py::object readResult(const Parameter &result, uint64_t word);

} // namespace comm::python

#endif // COMM_PYTHON_ARGUMENTS_H
