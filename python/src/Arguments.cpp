//===- Arguments.cpp - Python's values as words of a call -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arguments.h"

#include <algorithm>
#include <cstring>

using namespace comm::python;

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

static HandleClass findHandleClass(const std::string &name) {
  py::module_ mpi = py::module_::import("mpi4py.MPI");
  HandleClass result;
  result.type = mpi.attr(name.c_str());
  result.addressOf = mpi.attr("_addressof");
  result.size = mpi.attr("_sizeof")(result.type).cast<size_t>();
  result.refusesNull = name == "Comm" || name == "Datatype" || name == "Op";
  if (result.size != 4 && result.size != 8)
    throw std::runtime_error("mpi4py's handles of MPI." + name + " are neither of 4 nor of 8 bytes");
  return result;
}

static std::vector<int64_t> toNumbers(const py::handle &list) {
  std::vector<int64_t> numbers;
  for (py::handle item : py::reinterpret_borrow<py::sequence>(list))
    numbers.push_back(item.is_none() ? -1 : item.cast<int64_t>());
  return numbers;
}

Parameter::Parameter(const py::dict &spec) {
  auto text = [&](const char *key) { return spec.contains(key) ? spec[key].cast<std::string>() : std::string(); };
  auto flag = [&](const char *key, bool otherwise) { return spec.contains(key) ? spec[key].cast<bool>() : otherwise; };
  name = text("name");
  description = text("description");
  std::string kindName = text("kind");
  kind = kindName == "memref"    ? Memref
         : kindName == "pointer" ? Pointer
         : kindName == "float"   ? Float
         : kindName == "handle"  ? Handle
                                 : Integer;
  writes = flag("writes", true);
  if (kind == Memref || kind == Pointer) {
    element.kind = text("element").at(0);
    element.size = spec["size"].cast<int>();
  }
  if (kind == Memref) {
    shape = toNumbers(spec["shape"]);
    isStrided = !spec["strides"].is_none();
    if (isStrided)
      strides = toNumbers(spec["strides"]);
    if (isStrided && strides.size() != shape.size())
      throw py::value_error("a memref has a stride for each dimension");
  }
  if (kind == Integer || kind == Float)
    bits = spec["bits"].cast<int>();
  isIndex = flag("index", false);
  if (spec.contains("signed"))
    sign = flag("signed", true) ? Signed : Unsigned;
  if (kind == Handle)
    handle = findHandleClass(text("class"));
}

//===----------------------------------------------------------------------===//
// Arrays
//===----------------------------------------------------------------------===//

static std::string nameOf(const Element &element) {
  if (element.kind == 'b')
    return "bool";
  std::string name = element.kind == 'f' ? "float" : element.kind == 'c' ? "complex" : "int";
  return name + std::to_string(8 * element.size);
}

/// Determines the type of a buffer's elements. Returns false if MLIR has no such type: structures, text, other byte
/// orders.
static bool readFormat(const Py_buffer &view, Element &element) {
  const char *format = view.format ? view.format : "B";
  if (*format == '@' || *format == '=' || *format == '<')
    ++format;
  element.size = static_cast<int>(view.itemsize);
  if (*format == 'Z' && std::strchr("fd", format[1]) && format[1] && !format[2]) {
    element.kind = 'c';
    return true;
  }
  if (!*format || format[1])
    return false;
  element.kind = std::strchr("efd", *format) ? 'f' : std::strchr("bBhHiIlLqQnN", *format) ? 'i' : 'b';
  return element.kind != 'b' || *format == '?';
}

static std::string shapeText(const std::vector<int64_t> &shape) {
  std::string text = "(";
  for (int64_t size : shape)
    text += (text == "(" ? "" : ", ") + (size < 0 ? "any" : std::to_string(size));
  return text + (shape.size() == 1 ? ",)" : ")");
}

static std::string shapeText(const Py_buffer &view) {
  return shapeText(std::vector<int64_t>(view.shape, view.shape + view.ndim));
}

/// Returns the prefix of errors about an argument.
static std::string where(const Parameter &parameter) { return "argument '" + parameter.name + "': "; }

/// Returns true if the buffer is in C order. The stride of a dimension of size one is irrelevant.
static bool isContiguous(const Py_buffer &view) {
  Py_ssize_t expected = view.itemsize;
  for (int i = view.ndim - 1; i >= 0; --i) {
    if (view.shape[i] == 0)
      return true;
    if (view.shape[i] > 1 && view.strides[i] != expected)
      return false;
    expected *= view.shape[i];
  }
  return true;
}

/// Returns the addresses of the first byte and after the last one.
static std::pair<uintptr_t, uintptr_t> getExtent(const Py_buffer &view) {
  auto begin = reinterpret_cast<uintptr_t>(view.buf), end = begin + view.itemsize;
  for (int i = 0; i < view.ndim; ++i) {
    if (view.shape[i] == 0)
      return {begin, begin};
    Py_ssize_t reach = (view.shape[i] - 1) * view.strides[i];
    (reach < 0 ? begin : end) += reach;
  }
  return {begin, end};
}

bool comm::python::mayShareMemory(const Py_buffer &a, const Py_buffer &b) {
  auto [aBegin, aEnd] = getExtent(a);
  auto [bBegin, bEnd] = getExtent(b);
  return aBegin < bEnd && bBegin < aEnd && aBegin != aEnd && bBegin != bEnd;
}

namespace {
/// The reason why a buffer does not fit.
struct Misfit {
  bool isType = false;
  std::string text;
};
} // namespace

static bool hasSameElements(const Element &found, const Element &wanted) {
  return found.kind == wanted.kind && found.size == wanted.size;
}

/// Checks the elements of memrefs and pointers. The text of a misfit is made only on demand.
static bool checkElements(const Parameter &parameter, const Py_buffer &view, Misfit *misfit) {
  Element found;
  bool isKnown = readFormat(view, found);
  bool isAny = parameter.kind == Parameter::Pointer && parameter.element.size == 0;
  if (!isAny && (!isKnown || !hasSameElements(found, parameter.element))) {
    if (misfit)
      *misfit = {true, "expected an array of " + nameOf(parameter.element) + ", got one of " +
                           (isKnown ? nameOf(found) : "elements of the format '" + std::string(view.format) + "'") +
                           (isKnown ? "" : ", such as structures, text or another byte order") +
                           ": convert it with astype()"};
    return false;
  }
  int alignment = isAny ? 1 : found.kind == 'c' ? found.size / 2 : found.size;
  if (reinterpret_cast<uintptr_t>(view.buf) % alignment != 0) {
    if (misfit)
      *misfit = {false, "the array is not aligned: copy it"};
    return false;
  }
  if (view.readonly && parameter.writes) {
    if (misfit)
      *misfit = {false, "the array is read-only, and the function may write to it: pass a copy"};
    return false;
  }
  return true;
}

static bool checkShape(const Parameter &parameter, const Py_buffer &view, Misfit *misfit) {
  bool fits = static_cast<size_t>(view.ndim) == parameter.shape.size();
  for (int i = 0; fits && i < view.ndim; ++i)
    fits = parameter.shape[i] < 0 || parameter.shape[i] == view.shape[i];
  if (!fits && misfit)
    *misfit = {false, "expected an array of shape " + shapeText(parameter.shape) + ", got " + shapeText(view)};
  return fits;
}

/// Writes sizes and strides, in elements.
static bool writeLayout(const Parameter &parameter, const Py_buffer &view, uint64_t *words, Misfit *misfit) {
  int64_t contiguous = 1;
  for (int i = view.ndim - 1; i >= 0; --i) {
    int64_t size = view.shape[i], stride = contiguous;
    if (parameter.isStrided && size > 1) {
      stride = view.strides[i] / view.itemsize;
      bool fits =
          stride * view.itemsize == view.strides[i] && (parameter.strides[i] < 0 || parameter.strides[i] == stride);
      if (!fits) {
        if (misfit)
          *misfit = {false, "dimension " + std::to_string(i) + " has a stride of " + std::to_string(view.strides[i]) +
                                " bytes, which the function's type does not allow"};
        return false;
      }
    }
    words[3 + i] = size;
    words[3 + view.ndim + i] = stride;
    contiguous *= size;
  }
  return true;
}

static bool writeMemref(const Parameter &parameter, const Py_buffer &view, uint64_t *words, Misfit *misfit) {
  if (!checkElements(parameter, view, misfit) || !checkShape(parameter, view, misfit))
    return false;
  bool contiguous = isContiguous(view);
  if (!parameter.isStrided && !contiguous) {
    if (misfit)
      *misfit = {false,
                 "the array is not contiguous in C's order: pass numpy.ascontiguousarray() of it, or declare the "
                 "parameter as strided"};
    return false;
  }
  if (parameter.isStrict && parameter.isStrided && contiguous) {
    if (misfit)
      *misfit = {false, "expected an array that is not contiguous"};
    return false;
  }
  words[0] = words[1] = reinterpret_cast<uint64_t>(view.buf);
  words[2] = 0;
  return writeLayout(parameter, view, words, misfit);
}

static bool writePointer(const Parameter &parameter, const Py_buffer &view, uint64_t *words, Misfit *misfit) {
  if (!checkElements(parameter, view, misfit))
    return false;
  if (!isContiguous(view)) {
    if (misfit)
      *misfit = {false, "the array is not contiguous in C's order: pass numpy.ascontiguousarray() of it"};
    return false;
  }
  words[0] = reinterpret_cast<uint64_t>(view.buf);
  return true;
}

[[noreturn]] static void raise(const Parameter &parameter, bool isType, const std::string &text) {
  std::string message = where(parameter) + text;
  if (isType)
    throw py::type_error(message);
  throw py::value_error(message);
}

static std::string typeName(py::handle value) { return Py_TYPE(value.ptr())->tp_name; }

static bool writeArray(const Parameter &parameter, py::handle value, uint64_t *words, Buffers &buffers, bool quietly) {
  Py_buffer view;
  if (!PyObject_CheckBuffer(value.ptr())) {
    if (quietly)
      return false;
    raise(parameter, true, "expected an array, " + parameter.description + ", got " + typeName(value));
  }
  if (PyObject_GetBuffer(value.ptr(), &view, PyBUF_STRIDES | PyBUF_FORMAT) != 0) {
    PyErr_Clear();
    if (quietly)
      return false;
    raise(parameter, true, "the array cannot show its memory: convert it to another dtype");
  }
  buffers.views.push_back(view);
  buffers.owners.push_back(buffers.owner);
  Misfit misfit, *wanted = quietly ? nullptr : &misfit;
  bool fits = parameter.kind == Parameter::Memref ? writeMemref(parameter, view, words, wanted)
                                                  : writePointer(parameter, view, words, wanted);
  if (!fits && !quietly)
    raise(parameter, misfit.isType, misfit.text);
  return fits;
}

//===----------------------------------------------------------------------===//
// Numbers and handles
//===----------------------------------------------------------------------===//

static bool writeInteger(const Parameter &parameter, py::handle value, uint64_t *words, bool quietly) {
  bool isNumber = PyIndex_Check(value.ptr());
  py::object index = isNumber ? py::reinterpret_steal<py::object>(PyNumber_Index(value.ptr()))
                              : py::reinterpret_borrow<py::object>(value);
  if (!isNumber || !index) {
    PyErr_Clear();
    if (quietly)
      return false;
    raise(parameter, true, "expected a whole number, got " + typeName(value));
  }
  int overflow;
  int64_t number = PyLong_AsLongLongAndOverflow(index.ptr(), &overflow);
  bool mayBeUnsigned = parameter.sign != Parameter::Signed && !parameter.isIndex;
  bool fits = !overflow;
  words[0] = number;
  if (overflow > 0 && parameter.bits == 64 && mayBeUnsigned) {
    words[0] = PyLong_AsUnsignedLongLong(index.ptr());
    fits = !PyErr_Occurred();
    PyErr_Clear();
  } else if (fits) {
    if (parameter.bits < 64) {
      int64_t least = parameter.bits == 1 ? 0 : -(int64_t(1) << (parameter.bits - 1));
      bool hasAllBits = mayBeUnsigned || parameter.bits == 1;
      fits = number >= least && number < (int64_t(1) << (hasAllBits ? parameter.bits : parameter.bits - 1));
    }
    fits &= number >= 0 || parameter.sign != Parameter::Unsigned;
  }
  if (!fits && !quietly) {
    std::string text = where(parameter) + py::str(index).cast<std::string>() + " does not fit into " +
                       (parameter.isIndex                     ? "an index"
                        : parameter.sign == Parameter::None   ? "i" + std::to_string(parameter.bits)
                        : parameter.sign == Parameter::Signed ? "int" + std::to_string(parameter.bits)
                                                              : "uint" + std::to_string(parameter.bits));
    PyErr_SetString(PyExc_OverflowError, text.c_str());
    throw py::error_already_set();
  }
  return fits;
}

static bool writeFloat(const Parameter &parameter, py::handle value, uint64_t *words, bool quietly) {
  double number = PyFloat_AsDouble(value.ptr());
  if (number == -1.0 && PyErr_Occurred()) {
    PyErr_Clear();
    if (quietly)
      return false;
    raise(parameter, true, "expected a number, got " + typeName(value));
  }
  words[0] = 0;
  if (parameter.bits == 32) {
    float rounded = static_cast<float>(number);
    std::memcpy(words, &rounded, sizeof rounded);
  } else {
    std::memcpy(words, &number, sizeof number);
  }
  return true;
}

static bool writeHandle(const Parameter &parameter, py::handle value, uint64_t *words, bool quietly) {
  const HandleClass &handle = parameter.handle;
  int fits = PyObject_IsInstance(value.ptr(), handle.type.ptr());
  if (fits < 0)
    throw py::error_already_set();
  if (!fits) {
    if (quietly)
      return false;
    raise(parameter, true,
          "expected an mpi4py.MPI." + handle.type.attr("__name__").cast<std::string>() + ", got " + typeName(value));
  }
  if (handle.refusesNull) {
    int isThere = PyObject_IsTrue(value.ptr());
    if (isThere < 0)
      throw py::error_already_set();
    if (!isThere) {
      if (quietly)
        return false;
      raise(parameter, false, "the handle is null: it was freed, or never was one");
    }
  }
  py::object address = py::reinterpret_steal<py::object>(PyObject_CallOneArg(handle.addressOf.ptr(), value.ptr()));
  void *where = address ? PyLong_AsVoidPtr(address.ptr()) : nullptr;
  if (!where) {
    if (!PyErr_Occurred())
      raise(parameter, false, "the object has no handle");
    throw py::error_already_set();
  }
  words[0] = 0;
  std::memcpy(words, where, handle.size);
  return true;
}

bool comm::python::writeArgument(const Parameter &parameter, py::handle value, uint64_t *words, Buffers &buffers,
                                 bool quietly) {
  if (parameter.strictType && !parameter.strictType.is_none() &&
      reinterpret_cast<PyObject *>(Py_TYPE(value.ptr())) != parameter.strictType.ptr()) {
    if (quietly)
      return false;
    raise(parameter, true, "expected another type than " + typeName(value));
  }
  switch (parameter.kind) {
  case Parameter::Pointer:
    if (value.is_none()) {
      words[0] = 0;
      return true;
    }
    return writeArray(parameter, value, words, buffers, quietly);
  case Parameter::Memref:
    return writeArray(parameter, value, words, buffers, quietly);
  case Parameter::Integer:
    return writeInteger(parameter, value, words, quietly);
  case Parameter::Float:
    return writeFloat(parameter, value, words, quietly);
  case Parameter::Handle:
    return writeHandle(parameter, value, words, quietly);
  }
  return false;
}

py::object comm::python::readResult(const Parameter &result, uint64_t word) {
  switch (result.kind) {
  case Parameter::Float: {
    double number;
    float narrow;
    std::memcpy(&number, &word, sizeof number);
    std::memcpy(&narrow, &word, sizeof narrow);
    return py::float_(result.bits == 32 ? narrow : number);
  }
  case Parameter::Handle: {
    uint64_t handle = 0;
    std::memcpy(&handle, &word, result.handle.size);
    // mpi4py expects signed integers.
    py::object number =
        result.handle.size == 4 ? py::object(py::int_(static_cast<int32_t>(handle))) : py::object(py::int_(handle));
    return result.handle.type.attr("fromhandle")(number);
  }
  default:
    if (result.bits == 1)
      return py::bool_(word & 1);
    if (result.sign == Parameter::Unsigned)
      return py::int_(word << (64 - result.bits) >> (64 - result.bits));
    return py::int_(static_cast<int64_t>(word << (64 - result.bits)) >> (64 - result.bits));
  }
}
