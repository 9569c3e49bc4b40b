# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# RUN: %pytest %s
"""Everyday uses of mlir.ir: elements from arrays, layouts, custom diagnostics, IR around passes."""

import contextlib
import io

import numpy as np
import pytest

from comm_mlir.dialects import arith, func
from comm_mlir.ir import (
    AffineMapAttr,
    ArrayAttr,
    Attribute,
    Context,
    DenseElementsAttr,
    DenseF32ArrayAttr,
    DenseF64ArrayAttr,
    F32Type,
    F64Type,
    FloatAttr,
    IndexType,
    InsertionPoint,
    IntegerAttr,
    IntegerType,
    Location,
    MemRefType,
    MLIRError,
    Module,
    RankedTensorType,
    ShapedType,
    StridedLayoutAttr,
    SymbolTable,
    Type,
    UnrankedTensorType,
    VectorType,
)
from comm_mlir.passmanager import PassManager, register_pass

TWO = "func.func @f() { return }\nfunc.func @g() { return }"


@pytest.fixture(autouse=True)
def context():
    with Context() as context, Location.unknown():
        yield context


@pytest.mark.parametrize("dtype", ["?", "b", "B", "h", "H", "i", "I", "q", "Q", "e", "f", "d", "c8", "c16"])
def test_elements_come_from_arrays_and_go_back(dtype):
    array = np.array([[0, 1, 1], [1, 0, 1]]).astype(dtype)
    for given in (array, np.asfortranarray(array), array[::-1, ::-1], array[:0], array[0, 0], np.ones((2, 2), dtype)):
        attribute = DenseElementsAttr.get(given)
        assert len(attribute) == np.size(given) and list(attribute.type.shape) == list(np.shape(given))
        back = np.asarray(attribute)
        assert back.shape == np.shape(given) and (back == given).all()
        # Integers are signless, so unsigned ones come back as signed.
        assert back.dtype == np.dtype(dtype.lower() if dtype in "BHIQ" else dtype)
        assert attribute == Attribute.parse(str(attribute)) and isinstance(
            Attribute.parse(str(attribute)), type(attribute)
        )


def test_elements_of_a_type():
    i32, f64 = IntegerType.get_signless(32), F64Type.get()
    numbers = np.arange(6, dtype=np.int32)
    assert str(DenseElementsAttr.get(numbers, type=VectorType.get([2, 3], i32)).type) == "vector<2x3xi32>"
    assert (
        str(DenseElementsAttr.get(numbers.view(np.uint32), type=IntegerType.get_unsigned(32)).type) == "tensor<6xui32>"
    )
    assert str(DenseElementsAttr.get(np.arange(3), type=IndexType.get()).type) == "tensor<3xindex>"
    value = arith.constant(RankedTensorType.get([6], i32), DenseElementsAttr.get(numbers))
    assert value.owner.verify()
    splat = DenseElementsAttr.get_splat(RankedTensorType.get([1000], f64), FloatAttr.get(f64, 2.5))
    assert splat.is_splat and splat.get_splat_value() == FloatAttr.get(f64, 2.5)
    assert (np.asarray(splat) == np.full(1000, 2.5)).all() and not np.asarray(splat).flags.writeable
    with pytest.raises(ValueError, match="not all equal"):
        DenseElementsAttr.get(numbers).get_splat_value()
    # The array keeps its attribute alive.
    kept = np.asarray(DenseElementsAttr.get(np.arange(100.0)))
    assert kept.sum() == 4950


@pytest.mark.parametrize(
    "array, type_, error, text",
    [
        (np.zeros(2), "i64", TypeError, "not those of the array, whose format is 'd'"),
        (np.zeros(2), "f32", TypeError, "not those of the array"),
        (np.zeros(2), "tensor<3xf64>", ValueError, "the type has 3 elements, the array 2"),
        (np.zeros(1), "tensor<?xf64>", ValueError, "whose sizes are known"),
        (np.zeros(1), "memref<1xf64>", ValueError, "of a tensor or vector"),
        (np.zeros(1), "tensor<*xf64>", ValueError, "whose sizes are known"),
        (np.zeros(2, ">f8"), None, TypeError, "no attribute has elements of the format '>d'"),
        (np.array(["a"]), None, TypeError, "no attribute has elements"),
        ([1.0, 2.0], None, TypeError, "incompatible function arguments"),
    ],
)
def test_elements_that_cannot_be(array, type_, error, text):
    with pytest.raises(error, match=text):
        DenseElementsAttr.get(array, type=Type.parse(type_) if type_ else None)


def test_splats_that_cannot_be():
    tensor, i32 = RankedTensorType.get([2], F64Type.get()), IntegerType.get_signless(32)
    for type_, value in (
        (tensor, IntegerAttr.get(i32, 1)),
        (tensor, Attribute.parse('"x"')),
        (UnrankedTensorType.get(F64Type.get()), FloatAttr.get(F64Type.get(), 1)),
        (F64Type.get(), FloatAttr.get(F64Type.get(), 1)),
    ):
        with pytest.raises(ValueError, match="elements|element type"):
            DenseElementsAttr.get_splat(type_, value)
    with pytest.raises(BufferError):
        memoryview(DenseElementsAttr.get(np.array([True])))


def test_arrays_of_numbers():
    assert (
        list(DenseF64ArrayAttr.get([0.5, 2])) == [0.5, 2.0]
        and str(DenseF64ArrayAttr.get([0.5])) == "array<f64: 5.000000e-01>"
    )
    assert list(DenseF32ArrayAttr.get([0.5])) == [0.5]
    assert FloatAttr.get(F32Type.get(), 1).type == F32Type.get() and str(ArrayAttr.get([]).type) == "none"


def test_shapes_and_layouts():
    dynamic = ShapedType.get_dynamic_size()
    memory = MemRefType.get([2, dynamic], F64Type.get())
    assert memory.is_dynamic_dim(1) and memory.is_static_dim(0) and memory.get_dim_size(0) == 2
    assert ShapedType.is_dynamic_size(memory.get_dim_size(1)) and ShapedType.is_static_size(3)
    with pytest.raises(IndexError, match="has no dimension 2"):
        memory.is_dynamic_dim(2)
    with pytest.raises(ValueError, match="has no rank"):
        UnrankedTensorType.get(F64Type.get()).is_dynamic_dim(0)
    unknown = ShapedType.get_dynamic_stride_or_offset()
    assert memory.get_strides_and_offset() == ([unknown, 1], 0) and ShapedType.is_dynamic_stride_or_offset(unknown)
    layout = StridedLayoutAttr.get(3, [unknown, 2])
    assert (layout.offset, layout.strides) == (3, [unknown, 2]) and str(layout) == "strided<[?, 2], offset: 3>"
    assert MemRefType.get([4, 4], F64Type.get(), layout=layout).get_strides_and_offset() == ([unknown, 2], 3)
    assert str(StridedLayoutAttr.get_fully_dynamic(2)) == "strided<[?, ?], offset: ?>"
    swapped = AffineMapAttr.get_permutation([1, 0])
    assert str(swapped) == "affine_map<(d0, d1) -> (d1, d0)>" and (swapped.n_dims, swapped.n_results) == (2, 2)
    assert MemRefType.get([2, 3], F64Type.get(), layout=swapped).layout == swapped
    assert (
        AffineMapAttr.get_identity(3).n_symbols == 0
        and str(AffineMapAttr.get_permutation([])) == "affine_map<() -> ()>"
    )
    for wrong in ([0, 0], [1, 2], [3]):
        with pytest.raises(ValueError, match="each number from 0 to n - 1 once"):
            AffineMapAttr.get_permutation(wrong)
    with pytest.raises(ValueError, match="0 to 1000"):
        AffineMapAttr.get_identity(-1)
    with pytest.raises(ValueError, match="0 to 1000"):
        StridedLayoutAttr.get_fully_dynamic(-1)
    with pytest.raises(ValueError, match="has no strides"):
        MemRefType.get(
            [4], F64Type.get(), layout=Attribute.parse("affine_map<(i) -> (i mod 2)>")
        ).get_strides_and_offset()


def test_diagnostics_of_a_pass(context):
    said = []
    context.attach_diagnostic_handler(lambda diagnostic: said.append(str(diagnostic)))

    @register_pass("test-no-g", anchor="func.func")
    def no_g(function):
        function.emit_warning(f"looked at {function.attributes['sym_name'].value}")
        if function.attributes["sym_name"].value == "g":
            function.entry_block.operations[0].emit_error("a function must not be called g")

    with pytest.raises(MLIRError, match=":2:18: error: a function must not be called g") as caught:
        PassManager.parse("builtin.module(func.func(test-no-g),cse)").run(Module.parse(TWO))
    assert [d.location.start_line for d in caught.value.error_diagnostics] == [2]
    assert said == ["looked at f", "looked at g"]
    # Elsewhere an error is raised.
    with pytest.raises(MLIRError, match='"a.c":3:7: error: wrong'):
        Location.file("a.c", 3, 7).emit_error("wrong")
    Location.unknown().emit_remark("look")
    assert said[2:] == ["look"]
    manager = PassManager.parse("func.func(test-no-g)")
    module = Module.parse("func.func @f() { return }")
    manager.run(module.body.operations[0])
    with pytest.raises(ValueError, match=r"write 'builtin.module\(func.func\(...\)\)' for those in it"):
        manager.run(module)


def test_ir_around_passes(capfd, tmp_path):
    module = Module.parse("func.func @f() { %a = arith.constant 1 : i32\n return }")
    manager = PassManager("builtin.module")
    manager.add("func.func(canonicalize)")
    manager.add("cse")
    manager.enable_ir_printing(print_before_all=True, enable_debug_info=True)
    manager.run(module)
    printed = capfd.readouterr().err
    assert printed.index("IR Dump Before Canonicalizer") < printed.index("arith.constant")
    assert printed.index("arith.constant") < printed.index("IR Dump After CSE") and "loc(" in printed
    with pytest.raises(ValueError, match="prints IR already"):
        manager.enable_ir_printing()
    with pytest.raises(ValueError, match="no pipeline: 'frob'"):
        manager.add("frob")
    into = PassManager.parse("cse")
    into.enable_ir_printing(
        tree_printing_dir_path=tmp_path / "tree", print_module_scope=True, print_generic_op_form=True
    )
    into.run(module)
    assert any("func.func" in path.read_text() for path in (tmp_path / "tree").rglob("*.mlir"))
    assert str(PassManager()) == "any()" and PassManager("func.func").anchor == "func.func"


def test_print_and_replace():
    module = Module.parse("func.func @f(%a: i32, %b: i32) -> i32 { %c = arith.addi %a, %a : i32\n return %c : i32 }")
    function = module.body.operations[0]
    add = function.regions[0].blocks[0].operations[0]
    add.replace_uses_of_with(add.operands[0], function.arguments[1])
    text = io.StringIO()
    add.print(file=text, print_generic_op_form=True)
    assert '"arith.addi"(%arg1, %arg1)' in text.getvalue()
    error = io.StringIO()
    with contextlib.redirect_stderr(error):
        module.dump()
    assert error.getvalue() == f"{module}\n"
    other = Module.parse("func.func @f(%a: i32) { return }")
    with pytest.raises(ValueError):
        add.replace_uses_of_with(add.operands[0], other.body.operations[0].arguments[0])


def test_symbols():
    module = Module.parse(TWO)
    table = SymbolTable(module)
    SymbolTable.set_visibility(table["f"], "private")
    SymbolTable.set_symbol_name(table["g"], "h")
    assert SymbolTable.get_visibility(table["f"]).value == "private"
    assert SymbolTable.get_visibility(table["h"]).value == "public" and list(table.names) == ["f", "h"]
    with pytest.raises(ValueError, match="'public', 'private' or 'nested'"):
        SymbolTable.set_visibility(table["f"], "secret")
    with InsertionPoint(Module.create().body):
        other = func.FuncOp("other", ([], []))
    with pytest.raises(ValueError, match="not a symbol of this table"):
        table.erase(other)
    table.erase(table["f"])
    assert list(table.names) == ["h"]
