# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# RUN: %pytest %s
"""comm_mlir.ir: the behavior that users of mlir.ir expect."""

import pytest

from comm_mlir.dialects import arith, func, memref, scf
from comm_mlir.ir import (
    ArrayAttr,
    Attribute,
    BoolAttr,
    Context,
    DenseI64ArrayAttr,
    DictAttr,
    F64Type,
    FloatAttr,
    FunctionType,
    IndexType,
    InsertionPoint,
    IntegerAttr,
    IntegerType,
    Location,
    MemRefType,
    MLIRError,
    Module,
    Operation,
    RankedTensorType,
    ShapedType,
    StringAttr,
    SymbolTable,
    Type,
    TypeAttr,
    UnitAttr,
    VectorType,
    WalkOrder,
    WalkResult,
)


def body_of(module):
    return module.body.operations[0].regions[0].blocks[0]


def test_parse_print_verify(context, program):
    module = Module.parse(program)
    assert module.operation.verify()
    assert Module.parse(str(module)).operation.get_asm() == str(module)
    assert '"func.func"()' in module.operation.get_asm(print_generic_op_form=True)
    assert "loc(" in module.operation.get_asm(enable_debug_info=True)
    binary = module.operation.to_bytecode()
    assert binary.startswith(b"ML\xefR")
    assert str(Module.parse(binary)) == str(module) == str(module.clone())


def test_errors_have_diagnostics(context):
    with pytest.raises(MLIRError) as caught:
        Module.parse("func.func @f() {\n  frob.frob\n}")
    error = caught.value
    assert error.message == "unable to parse the module"
    assert len(error.error_diagnostics) == 1
    diagnostic = error.error_diagnostics[0]
    assert diagnostic.location.start_line == 2 and diagnostic.location.start_col == 3
    assert "frob" in diagnostic.message and "frob" in str(error) and diagnostic.severity.name == "ERROR"
    with pytest.raises(MLIRError):
        Type.parse("memref<frob>")
    with pytest.raises(MLIRError):
        Attribute.parse("1 :")
    with pytest.raises(MLIRError):
        Operation.parse("frob")


def test_verification_failure_prints_generic(context):
    module = Module.create()
    with InsertionPoint(module.body):
        Operation.create("func.func", attributes={"sym_name": "f"}, regions=1)
    with pytest.raises(MLIRError) as caught:
        module.operation.verify()
    assert "function_type" in caught.value.error_diagnostics[0].message
    assert '"func.func"()' in str(module)
    with pytest.raises(MLIRError):
        module.operation.to_bytecode()


def test_structure(context, program):
    module = Module.parse(program)
    function = module.body.operations[0]
    assert isinstance(function, func.FuncOp) and function.symbol == "step"
    assert function.parent == module.operation and function.block == module.body
    block = body_of(module)
    assert block.owner == function and block.region == function.regions[0] and len(function.regions) == 1
    assert [str(a.type) for a in block.arguments] == ["memref<8xi64>", "index"]
    assert [a.arg_number for a in block.arguments] == [0, 1]
    names = [op.name for op in block]
    assert names[0] == "memref.alloc" and names[-1] == "func.return" and len(block.operations) == len(names)
    assert block.operations[-1].name == "func.return"
    loop = next(op for op in block if isinstance(op, scf.ForOp))
    assert str(loop.induction_variable.type) == "index" and loop.operands[0].owner.name == "arith.constant"
    load = block.operations[-2]
    assert isinstance(load, memref.LoadOp)
    assert load.result.uses[0].owner == block.operations[-1] and load.result.uses[0].operand_number == 0
    assert load.result.owner == load and load.result.result_number == 0
    assert load.result.get_name().startswith("%")
    with pytest.raises(IndexError):
        block.operations[len(names)]
    with pytest.raises(IndexError):
        load.operands[7]
    with pytest.raises(ValueError):
        _ = loop.result
    assert SymbolTable(module.operation)["step"] == function and "frob" not in SymbolTable(module.operation)


def test_build(context):
    f64, index = F64Type.get(), IndexType.get()
    module = Module.create()
    with InsertionPoint(module.body):
        function = func.FuncOp("axpy", ([f64, MemRefType.get([16], f64)], [f64]))
        block = function.add_entry_block()
        with InsertionPoint(block):
            low, high, one = (arith.constant(index, v) for v in (0, 16, 1))
            start = arith.constant(f64, 0.5)
            loop = scf.ForOp(low, high, one, [start])
            with InsertionPoint(loop.body):
                element = memref.load(block.arguments[1], [loop.induction_variable])
                scaled = arith.mulf(element, block.arguments[0])
                scf.yield_([arith.addf(loop.inner_iter_args[0], scaled)])
            func.return_([loop.results[0]])
    assert module.operation.verify()
    text = str(module)
    assert "scf.for" in text and "iter_args" in text and "arith.mulf" in text and "5.000000e-01" in text
    with pytest.raises(ValueError):
        function.add_entry_block()


def test_mutation(context, program):
    module = Module.parse(program)
    block = body_of(module)
    alloc = block.operations[0]
    alloc.attributes["mine"] = 3
    assert "mine" in alloc.attributes and str(alloc.attributes["mine"]) == "3 : i64"
    assert list(alloc.attributes) == ["operandSegmentSizes", "mine"] or "mine" in list(alloc.attributes)
    del alloc.attributes["mine"]
    assert alloc.attributes.get("mine") is None
    with pytest.raises(KeyError):
        alloc.attributes["mine"]
    with pytest.raises(ValueError):
        alloc.erase()  # its result is used
    c0, c1 = (op for op in block if isinstance(op, arith.ConstantOp))
    c1.move_before(c0)
    assert c1.is_before_in_block(c0)
    c1.result.replace_all_uses_with(c0.result)
    assert not c1.result.uses
    c1.erase()
    assert not c1.is_valid
    copy = c0.clone(ip=InsertionPoint.after(c0))
    assert copy.is_valid and c0.is_before_in_block(copy)
    copy.erase()
    loop = next(op for op in block if isinstance(op, scf.ForOp))
    loop.operands[2] = c0
    assert loop.operands[2] == c0.result
    loop.location = Location.file("x.c", 3, 4)
    assert loop.location.filename == "x.c" and loop.location.start_line == 3
    function = module.body.operations[0]
    function.detach_from_parent()
    assert len(module.body.operations) == 0 and not function.attached
    module.body.append(function)
    assert module.operation.verify()


def test_blocks(context):
    i32 = IntegerType.get_signless(32)
    module = Module.create()
    with InsertionPoint(module.body):
        function = func.FuncOp("f", ([], []))
    entry = function.add_entry_block()
    last = entry.create_after(i32)
    middle = function.regions[0].blocks.append(i32, i32)
    middle.append_to(function.regions[0])
    assert [len(b.arguments) for b in function.regions[0].blocks] == [0, 1, 2]
    argument = last.add_argument(i32)
    assert argument.arg_number == 1
    last.erase_argument(0)
    with pytest.raises(RuntimeError):
        _ = argument.type
    with pytest.raises(IndexError):
        last.erase_argument(5)
    middle.erase()
    with InsertionPoint(entry):
        value = arith.constant(i32, 4)
        Operation.create("cf.br", operands=[value], successors=[last])
    with InsertionPoint(last):
        func.return_()
    assert entry.successors == [last] and last.predecessors == [entry]
    with pytest.raises(ValueError):
        last.erase()
    assert module.operation.verify()


def test_walk(context, program):
    module = Module.parse(program)
    seen = []
    module.operation.walk(lambda op: seen.append(op.name))
    assert seen[-1] == "builtin.module" and seen[-2] == "func.func" and "arith.addi" in seen
    seen.clear()

    def skip_loops(op):
        seen.append(op.name)
        return WalkResult.SKIP if op.name == "scf.for" else WalkResult.ADVANCE

    module.operation.walk(skip_loops, WalkOrder.PRE_ORDER)
    assert seen[0] == "builtin.module" and "scf.for" in seen and "arith.addi" not in seen
    seen.clear()

    def stop(op):
        seen.append(op.name)
        return WalkResult.INTERRUPT

    module.operation.walk(stop)
    assert len(seen) == 1

    def erase_unused(op):
        if op.name in ("memref.store", "arith.addi", "memref.load") and (not op.results or not op.result.uses):
            op.erase()

    for _ in range(3):
        module.operation.walk(erase_unused)
    assert "arith.addi" not in str(module)

    def fail(op):
        raise KeyError("mine")

    with pytest.raises(KeyError):
        module.operation.walk(fail)


def test_types(context):
    i1, i64 = IntegerType.get_signless(1), IntegerType.get_signless(64)
    assert str(IntegerType.get_unsigned(8)) == "ui8" and IntegerType.get_signed(8).is_signed and i1.width == 1
    assert i64 == IntegerType.get_signless(64) and i64 != i1 and len({i64, i1, Type.parse("i64")}) == 2
    memory = MemRefType.get([4, ShapedType.get_dynamic_size()], F64Type.get())
    assert str(memory) == "memref<4x?xf64>" and memory.rank == 2 and not memory.has_static_shape
    assert isinstance(Type.parse("memref<4xf64>"), MemRefType) and memory.element_type == F64Type.get()
    strided = MemRefType.get([4], F64Type.get(), Attribute.parse("strided<[2], offset: 1>"))
    assert "strided<[2], offset: 1>" in str(strided)
    assert str(RankedTensorType.get([2, 3], i64)) == "tensor<2x3xi64>"
    assert str(VectorType.get([4], F64Type.get())) == "vector<4xf64>"
    function = FunctionType.get([i1], [i64, memory])
    assert function.inputs == [i1] and function.results == [i64, memory]
    for wrong in (
        lambda: MemRefType.get([-5], F64Type.get()),
        lambda: MemRefType.get([4], FunctionType.get([], [])),
        lambda: IntegerType.get_signless(-1),
        lambda: IntegerType.get_signless(1 << 40),
        lambda: MemRefType(i64),
        lambda: VectorType.get([0], i64),
    ):
        with pytest.raises((ValueError, MLIRError)):
            wrong()
    with pytest.raises(TypeError):
        MemRefType.get([4], "f64")
    assert str(Type.parse("!comm.request")) == "!comm.request"


def test_attributes(context):
    i8, i32 = IntegerType.get_signless(8), IntegerType.get_signless(32)
    assert IntegerAttr.get(i32, -7).value == -7 and IntegerAttr.get(i8, 255).value == -1
    assert IntegerAttr.get(IntegerType.get_unsigned(64), 2**64 - 1).value == 2**64 - 1
    for kind, value in ((i8, 256), (i8, -129), (i32, 2**40), (IntegerType.get_unsigned(8), -1), (F64Type.get(), 1)):
        with pytest.raises(ValueError):
            IntegerAttr.get(kind, value)
    assert FloatAttr.get(F64Type.get(), 0.25).value == 0.25 and StringAttr.get("x\0y").value == "x\0y"
    with pytest.raises(ValueError):
        FloatAttr.get(i32, 1.0)
    assert BoolAttr.get(True).value and isinstance(Attribute.parse("true"), BoolAttr)
    assert TypeAttr.get(i32).value == i32 and isinstance(Attribute.parse("unit"), UnitAttr)
    array = ArrayAttr.get([1, "two", 3.0, True, i32, [4]])
    assert len(array) == 6 and array[1].value == "two" and [type(a).__name__ for a in array][2] == "FloatAttr"
    assert list(DenseI64ArrayAttr.get([1, 2, 3])) == [1, 2, 3]
    dictionary = DictAttr.get({"a": 1, "b": "c"})
    assert dictionary["b"].value == "c" and list(dictionary) == ["a", "b"] and "z" not in dictionary
    with pytest.raises(KeyError):
        dictionary["z"]
    with pytest.raises(TypeError):
        ArrayAttr.get([object()])
    endless = []
    endless.append(endless)
    with pytest.raises(RecursionError):
        ArrayAttr.get(endless)


def test_locations(context):
    place = Location.file("a.c", 1, 2)
    assert str(place) == 'loc("a.c":1:2)' and (place.filename, place.start_line, place.start_col) == ("a.c", 1, 2)
    named = Location.name("x", place)
    assert named.child_loc == place and named.filename is None
    assert len(Location.fused([place, Location.file("b.c", 3, 4)]).locations) == 2
    assert "callsite" in str(Location.callsite(place, place))
    with pytest.raises(ValueError):
        Location.file("a.c", -1, 0)
    with place:
        assert Module.create().operation.location == place


def test_with_statements(program):
    with pytest.raises(ValueError):
        Module.parse(program)
    with Context() as outer:
        with Context() as inner:
            assert Context.current == inner
        assert Context.current == outer
        with pytest.raises(ValueError):
            _ = InsertionPoint.current
        module = Module.parse("module {}")
        with InsertionPoint(module.body), Location.name("here"):
            assert InsertionPoint.current.block == module.body
            op = func.FuncOp("f", ([], []))
        assert str(op.location) == 'loc("here")'
    assert Context.current is None


def test_unknown_dialects(context):
    module = Module.create()
    with InsertionPoint(module.body):
        with pytest.raises(ValueError):
            Operation.create("frob.frob")
        context.allow_unregistered_dialects = True
        i32 = IntegerType.get_signless(32)
        op = Operation.create("frob.frob", results=[i32], attributes={"a": 1}, regions=2)
    assert op.name == "frob.frob" and len(op.regions) == 2 and module.operation.verify()


def test_warnings_reach_handlers(context):
    seen = []
    context.attach_diagnostic_handler(lambda d: seen.append((d.severity.name, d.message)))
    with pytest.raises(MLIRError):
        Module.parse("frob")
    assert seen == []
