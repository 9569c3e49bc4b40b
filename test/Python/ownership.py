# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# RUN: %pytest %s
"""Objects that outlive their IR raise; nothing crashes."""

import gc

import pytest

from comm_mlir.dialects import arith, func, scf
from comm_mlir.ir import (
    Context,
    F64Type,
    IndexType,
    InsertionPoint,
    IntegerAttr,
    IntegerType,
    InvalidatedError,
    Location,
    MLIRError,
    Module,
    Operation,
    Type,
)
from comm_mlir.passmanager import PassManager, register_pass


def block_of(module):
    return module.body.operations[0].regions[0].blocks[0]


def uses_of(op, value=None, block=None, region=None):
    """Whatever may be asked of an object; each must raise."""
    yield lambda: str(op)
    yield lambda: op.name
    yield lambda: op.operands
    yield lambda: op.results
    yield lambda: op.attributes
    yield lambda: op.parent
    yield lambda: op.block
    yield lambda: op.location
    yield lambda: op.verify()
    yield lambda: op.erase()
    yield lambda: op.clone()
    yield lambda: op.detach_from_parent()
    yield lambda: op.walk(print)
    yield lambda: op.is_mpi
    yield lambda: op.to_bytecode()
    yield lambda: InsertionPoint(op)
    if value is not None:
        yield lambda: value.type
        yield lambda: str(value)
        yield lambda: value.uses
        yield lambda: value.owner
        yield lambda: value.replace_all_uses_with(value)
        yield lambda: value.get_name()
    if block is not None:
        yield lambda: block.arguments
        yield lambda: list(block)
        yield lambda: block.owner
        yield lambda: block.erase()
        yield lambda: InsertionPoint(block)
        yield lambda: str(block)
    if region is not None:
        yield lambda: region.blocks
        yield lambda: list(region)


def test_beyond_the_module(context, program):
    module = Module.parse(program)
    block = block_of(module)
    op, loop = block.operations[0], next(op for op in block if op.name == "scf.for")
    value, argument, region = op.result, block.arguments[0], loop.regions[0]
    attributes, operands = op.attributes, loop.operands
    point = InsertionPoint(block)
    iterator = iter(block)
    assert value.type and argument.type
    del module
    gc.collect()
    for use in uses_of(op, value, block, region):
        with pytest.raises(InvalidatedError, match="gone"):
            use()
    for use in (
        lambda: argument.type,
        lambda: attributes["x"],
        lambda: operands[0],
        lambda: len(operands),
        lambda: next(iterator),
        lambda: func.return_(ip=point),
        lambda: Operation.create("func.return", operands=[value]),
    ):
        with pytest.raises(InvalidatedError):
            use()
    assert repr(op) == "<Operation, which is gone>" and not op.is_valid and repr(value) == "<Value, which is gone>"
    assert op == op and hash(op) is not None and op != loop


def test_what_keeps_a_module(context, program):
    operation = Module.parse(program).operation
    gc.collect()
    assert operation.verify()
    body = Module.parse(program).body
    gc.collect()
    assert [op.name for op in body] == ["func.func"]
    assert [op.name for op in Module.parse(program).body.operations] == ["func.func"]


def test_erased(context, program):
    module = Module.parse(program)
    block = block_of(module)
    loop = next(op for op in block if op.name == "scf.for")
    inner = loop.regions[0].blocks[0]
    load = inner.operations[0]
    loop.erase()
    for use in uses_of(load, load.result if load.is_valid else None, inner):
        with pytest.raises(InvalidatedError, match="erased"):
            use()
    with pytest.raises(InvalidatedError):
        loop.erase()
    assert module.operation.verify()


def test_iteration_survives_erasure(context):
    module = Module.create()
    with InsertionPoint(module.body):
        for i in range(5):
            func.FuncOp(f"f{i}", ([], []), visibility="private")
    for op in module.body:
        op.erase()
    assert len(module.body.operations) == 0
    with InsertionPoint(module.body):
        for i in range(5):
            func.FuncOp(f"f{i}", ([], []), visibility="private")
    iterator = iter(module.body)
    first = next(iterator)
    module.body.operations[1].erase()
    first.erase()
    with pytest.raises(RuntimeError, match="changed"):
        next(iterator)


def test_passes_end_objects(context, program):
    module = Module.parse(program)
    top, block = module.operation, block_of(module)
    op = block.operations[0]
    PassManager.parse("cse").run(module)
    for use in uses_of(op, None, block):
        with pytest.raises(InvalidatedError, match="passes ran"):
            use()
    assert top.verify() and block_of(module).operations[0].is_valid


def test_other_contexts(program):
    first, second = Context(), Context()
    with first, Location.unknown():
        module = Module.parse(program)
        block = block_of(module)
        i32 = IntegerType.get_signless(32)
    with second, Location.unknown():
        other = Module.parse(program)
        with pytest.raises(ValueError, match="different contexts"):
            Operation.create("func.return", operands=[block.arguments[0]])
        with pytest.raises(ValueError, match="different contexts"):
            arith.constant(IntegerType.get_signless(32), IntegerAttr.get(i32, 1), ip=InsertionPoint(block))
        with pytest.raises(ValueError, match="different contexts"):
            block_of(other).operations[0].result.set_type(i32)
        with pytest.raises(ValueError, match="different contexts"):
            block_of(other).operations[0].move_before(block.operations[0])
        with pytest.raises(ValueError, match="different contexts"):
            other.body.add_argument(i32)
        with pytest.raises(ValueError, match="different contexts"):
            block_of(other).operations[0].attributes["x"] = IntegerAttr.get(i32, 1)
        with pytest.raises(ValueError, match="different contexts"):
            PassManager.parse("cse").run(module)
        assert Type.parse("i32") != i32


def test_contexts_live_as_long_as_their_objects():
    def make():
        with Context(), Location.unknown():
            return F64Type.get(), Module.create()

    number, module = make()
    gc.collect()
    assert str(number) == "f64" and str(module).startswith("module")


def test_values_of_other_modules(context, program):
    one, two = Module.parse(program), Module.parse(program)
    value = block_of(one).arguments[1]
    with pytest.raises(ValueError, match="another module"):
        arith.AddIOp(value, value, ip=InsertionPoint.at_block_begin(block_of(two)))
    loop = next(op for op in block_of(two) if op.name == "scf.for")
    with pytest.raises(ValueError, match="another module"):
        loop.operands[1] = value
    with pytest.raises(ValueError):
        block_of(two).arguments[1].replace_all_uses_with(value)
    with pytest.raises(ValueError):
        block_of(one).operations[2].move_before(loop)  # its value is used in the other module
    assert one.operation.verify() and two.operation.verify()


def test_operations_in_no_block(context, program):
    module = Module.parse(program)
    index = block_of(module).arguments[1]
    floating = arith.AddIOp(index, index, ip=False)
    # It keeps its operands alive.
    del module
    gc.collect()
    assert floating.operands[0].type == IndexType.get()
    top = floating.operands[0].owner.owner.parent
    with pytest.raises(ValueError, match="in no block"):
        PassManager.parse("cse").run(top)
    floating.erase()
    PassManager.parse("cse").run(top)

    index = top.regions[0].blocks[0].operations[0].regions[0].blocks[0].arguments[1]
    first = arith.AddIOp(index, index, ip=False)
    second = arith.MulIOp(first.results[0], index, ip=False)
    with pytest.raises(ValueError, match="depend on each other"):
        first.operands[1] = second
    with pytest.raises(ValueError):
        first.erase()
    block = index.owner
    InsertionPoint.at_block_begin(block).insert(first)
    InsertionPoint.after(first).insert(second)
    assert top.verify()
    with pytest.raises(ValueError, match="in a block already"):
        InsertionPoint(block).insert(first)


def test_regions_in_no_block(context, program):
    module = Module.parse(program)
    block = block_of(module)
    index = block.arguments[1]
    loop = scf.ForOp(index, index, index, ip=False)
    with InsertionPoint(loop.body):
        total = arith.addi(index, loop.induction_variable)
        scf.yield_()
    with pytest.raises(ValueError, match="itself"):
        InsertionPoint(loop.body).insert(loop)
    InsertionPoint.at_block_terminator(block).insert(loop)
    assert module.operation.verify() and total.owner.parent == loop
    with pytest.raises(ValueError, match="itself"):
        loop.move_before(total.owner)


def test_module_operations_stay(context, program):
    module, other = Module.parse(program), Module.create()
    with pytest.raises(ValueError):
        module.operation.erase()
    with pytest.raises(ValueError):
        other.body.append(module.operation)
    copy = module.operation.clone(ip=InsertionPoint(other.body))
    assert copy.parent == other.operation and other.operation.verify()


def test_invalid_ir_is_refused(context):
    module = Module.create()
    with InsertionPoint(module.body):
        op = Operation.create("comm.send", operand_segments=[1, 1, 1, 1, 1, 1, 1], result_segments=[0, 0])
        Operation.create("memref.load")
        Operation.create("scf.for", regions=0)
    with pytest.raises(MLIRError, match="only valid operations"):
        op.accesses()
    with pytest.raises(MLIRError):
        op.matching()
    with pytest.raises(MLIRError, match="valid operations only"):
        PassManager.parse("comm-split-blocking").run(module)
    assert '"scf.for"' in str(module)
    for nested in module.body:
        str(nested)
        repr(nested.results)


def test_wrong_types(context, program):
    module = Module.parse(program)
    op = block_of(module).operations[0]
    loop = next(op for op in block_of(module) if op.name == "scf.for")
    for wrong in (
        lambda: Module.parse(3),
        lambda: Module.parse(None),
        lambda: Operation.create(3),
        lambda: Operation.create("func.return", operands=[3]),
        lambda: Operation.create("func.return", results=["i32"]),
        lambda: Operation.create("func.return", attributes={"a": object()}),
        lambda: Operation.create("func.return", attributes={3: 4}),
        lambda: Operation.create("func.return", ip=4),
        lambda: Operation.create("func.return", loc=4),
        lambda: op.move_before(None),
        lambda: op.walk(None),
        lambda: loop.operands.__setitem__(0, None),
        lambda: InsertionPoint(None),
        lambda: PassManager.parse(None),
        lambda: PassManager.parse("cse").run(None),
        lambda: Operation(),
    ):
        with pytest.raises(TypeError):
            wrong()
    for wrong in (
        lambda: Operation.create("nodot"),
        lambda: Operation.create("func.return", regions=-1),
        lambda: Operation.create("func.return", attributes={"": 1}),
        lambda: Operation.create("func.call", attributes={"callee": 4}, operand_segments=[1]),
        lambda: PassManager.parse("frob"),
        lambda: PassManager.parse("builtin.module(cse"),
        lambda: Module.parse("(" * 100000),
    ):
        with pytest.raises(ValueError):
            wrong()


def test_python_passes_stay_inside(context, program):
    text = program + program.replace("@step", "@other")
    kept = []

    @register_pass("test-reaches-out", anchor="func.func")
    def reach_out(function):
        kept.append(function.regions[0].blocks[0].operations[0])
        if function.attributes["sym_name"].value == "step":
            for other in function.block:
                if other != function:
                    other.erase()

    module = Module.parse(text)
    with pytest.raises(MLIRError, match="passes are running") as caught:
        PassManager.parse("builtin.module(func.func(test-reaches-out))").run(module)
    assert isinstance(caught.value.__cause__, RuntimeError)
    assert len(module.body.operations) == 2 and module.operation.verify()
    with pytest.raises(InvalidatedError):
        str(kept[0])

    @register_pass("test-erases-itself", anchor="func.func")
    def erase_itself(function):
        function.erase()

    with pytest.raises(MLIRError):
        PassManager.parse("builtin.module(func.func(test-erases-itself))").run(module)

    @register_pass("test-runs-again")
    def run_again(op):
        PassManager.parse("cse").run(module)

    with pytest.raises(MLIRError):
        PassManager.parse("test-runs-again").run(module)

    @register_pass("test-leaves-operation", anchor="builtin.module")
    def leave(op):
        block = op.regions[0].blocks[0].operations[0].regions[0].blocks[0]
        kept.append(arith.AddIOp(block.arguments[1], block.arguments[1], ip=False, loc=Location.unknown()))

    with pytest.raises(MLIRError, match="in no block"):
        PassManager.parse("test-leaves-operation").run(module)
    kept[-1].erase()
    assert module.operation.verify()


def test_module_without_its_block(context):
    module = Module.create()
    module.body.erase()
    with pytest.raises(ValueError, match="its block was erased"):
        _ = module.body
    with pytest.raises(MLIRError):
        module.operation.verify()


def test_bytecode_of_what_uses_others(context, program):
    module = Module.parse(program)
    with pytest.raises(ValueError, match="no bytecode"):
        block_of(module).operations[-1].to_bytecode()
    with pytest.raises(ValueError, match="no bytecode"):
        next(op for op in block_of(module).operations if op.results).to_bytecode()


def test_arguments_that_run_code_while_an_operation_is_built(context):
    """Erasing an operand before the operation exists: an error, and no dead value in the operation."""
    module = Module.create()
    with InsertionPoint(module.body):
        first = arith.constant(IndexType.get(), 1).owner

        def erasing():
            yield first.result
            first.erase()

        with pytest.raises(InvalidatedError):
            Operation.create("arith.addi", [IndexType.get()], erasing())
        assert len(module.body.operations) == 0

        class Erasing(list):
            def __iter__(self):
                second.erase()
                return super().__iter__()

        second = arith.constant(IndexType.get(), 1).owner
        with pytest.raises(InvalidatedError):
            Operation.create("arith.addi", [IndexType.get()], [second.result] * 2, {"x": Erasing([1])})


@pytest.mark.parametrize(
    "args, kwargs, said",
    [
        ((), {}, "needs the argument 'name'"),
        (("arith.addi",), {"result": []}, "has no argument 'result'"),
        (("arith.addi",), {"name": "arith.addi"}, "two values for the argument 'name'"),
        ((1,), {}, "the name of an operation is a string"),
        (("arith.addi",), {"operands": 1}, "operands must be a sequence"),
        (("arith.addi",), {"results": "index"}, "results must be a sequence"),
        (("arith.addi",), {"successors": [1]}, "successors are Blocks"),
        (("arith.addi",), {"attributes": []}, "attributes must be a dict"),
        (("arith.addi",), {"regions": "1"}, "the number of regions must be an int"),
        (("arith.addi",), {"ip": 1}, "ip must be an InsertionPoint, None or False"),
        (("arith.addi",) * 11, {}, "takes at most 10 arguments"),
    ],
)
def test_wrong_arguments_of_create(context, args, kwargs, said):
    with pytest.raises(TypeError, match=said):
        Operation.create(*args, **kwargs)


def test_an_index_of_linalg_in_no_block(context):
    """MLIR's verifier reads the operation around it."""
    attributes = {"dim": IntegerAttr.get(IntegerType.get_signless(64), 0)}
    op = Operation.create("linalg.index", results=[IndexType.get()], attributes=attributes, ip=False)
    with pytest.raises(MLIRError, match="'linalg.index' op is not inside an operation of linalg"):
        op.verify()
    assert "linalg.index" in str(op)
    assert "linalg.index" in str(op.result) and "linalg.index" in repr(op.result) and op.result.get_name()
