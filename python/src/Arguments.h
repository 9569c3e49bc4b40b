//===- Arguments.h - Python's values as words of a call ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An entry point reads its arguments from 64-bit words (comm-c/Execution.h). A memref of rank r is 3 + 2 r of them: two
// addresses, the offset, sizes and strides in elements, as MLIR lowers it.
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

/// A number as memory has it: 'f' floating-point, 'c' complex, 'i' integer, 'b' truth value.
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

/// A parameter or result, and what may be passed for it.
struct Parameter {
  enum Kind { Memref, Pointer, Integer, Float, Handle } kind = Integer;
  std::string name, description;
  Element element; ///< for pointers a size of 0 says that nothing is known
  bool writes = true;
  /// Of memrefs; -1 is any. No strides: contiguous, in C's order.
  std::vector<int64_t> shape, strides;
  bool isStrided = false;
  /// Of numbers.
  int bits = 64;
  bool isIndex = false;
  /// Integers of MLIR have no sign, and may be read either way; those of C are one or the other.
  enum Sign { None, Signed, Unsigned } sign = None;
  HandleClass handle;
  /// Only what the parameter's type was derived from: the very type of a number, arrays contiguous or not.
  bool isStrict = false;
  py::object strictType;

  explicit Parameter(const py::dict &spec);
  size_t numWords() const { return kind == Memref ? 3 + 2 * shape.size() : 1; }
};

/// The buffers of a call, which it holds until it is over.
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
  /// The parameter of each, and of the next one.
  std::vector<size_t> owners;
  size_t owner = 0;
};

/// False if it is sure that the two have no byte in common.
bool mayShareMemory(const Py_buffer &a, const Py_buffer &b);

/// Writes an argument's words. If it does not fit: returns false if `quietly`, else raises TypeError, ValueError or
/// OverflowError.
bool writeArgument(const Parameter &parameter, py::handle value, uint64_t *words, Buffers &buffers, bool quietly);

/// The Python object of a result's word.
py::object readResult(const Parameter &result, uint64_t word);

} // namespace comm::python

#endif // COMM_PYTHON_ARGUMENTS_H
