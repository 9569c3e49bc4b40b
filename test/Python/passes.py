# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# RUN: %pytest %s
"""Pipelines, their reports, passes and patterns in Python."""

import pytest

from comm_mlir.dialects import arith, comm, func
from comm_mlir.ir import InsertionPoint, MatchingKind, MLIRError, Module, WalkOrder
from comm_mlir.passmanager import (
    PassManager,
    RemarkKind,
    apply_patterns,
    register_pass,
    register_pattern_pass,
    remarks_table,
)

OVERLAP = "comm-split-blocking{abi=openmpi4},comm-isolate-loops,comm-move-slices,comm-merge-useless-splits"


def names_in(module):
    names = []
    module.walk(lambda op: names.append(op.name), WalkOrder.PRE_ORDER)
    return names


def test_overlap(context, program):
    module = Module.parse(program)
    manager = PassManager.parse(OVERLAP)
    assert manager.anchor == "builtin.module" and str(manager).startswith("builtin.module(comm-split-blocking")
    manager.enable_remarks("comm-.*")
    manager.enable_statistics()
    manager.enable_timing()
    manager.run(module)
    names = names_in(module)
    assert names.index("comm.allreduce") < names.index("scf.for") < names.index("comm.wait")
    assert manager.statistics["comm-split-blocking"] == {"num-split": 1, "num-kept": 0}
    times = manager.timing
    assert list(times) == ["comm-split-blocking", "comm-isolate-loops", "comm-move-slices", "comm-merge-useless-splits"]
    assert all(t.runs == 1 and 0 < t.seconds < 60 for t in times.values())
    overlap = [r for r in manager.remarks if r.name == "Overlap"]
    assert len(overlap) == 1 and overlap[0].kind is RemarkKind.PASSED and overlap[0].function == "step"
    assert overlap[0].pass_name == "comm-move-slices" and "loop" in overlap[0].message
    assert overlap[0].message == "".join(value for _, value in overlap[0].arguments)
    # A second run starts to count again.
    manager.run(Module.parse("module {}"))
    assert manager.statistics["comm-split-blocking"]["num-split"] in (0, 1) and not manager.remarks


def test_remarks_as_a_table(context, program):
    pytest.importorskip("pandas")
    module = Module.parse(program)
    manager = PassManager.parse(OVERLAP)
    manager.enable_remarks()
    manager.run(module)
    table = remarks_table(manager.remarks)
    assert list(table.columns[:8]) == ["kind", "pass", "name", "function", "file", "line", "column", "message"]
    row = table[table["name"] == "Overlap"].iloc[0]
    assert row["kind"] == "passed" and row["line"] == 9
    assert list(remarks_table([]).columns) == list(table.columns[:8])


def test_anchors(context, program):
    module = Module.parse(program)
    PassManager.parse("builtin.module(func.func(cse))").run(module)
    PassManager.parse("builtin.module(func.func(cse,canonicalize))").run(module)
    function = module.body.operations[0]
    manager = PassManager.parse("any(cse)")
    assert manager.anchor == "any"
    manager.run(function)
    with pytest.raises(ValueError, match="the pipeline is for"):
        PassManager.parse("builtin.module(cse)").run(function)
    for wrong in ("frob", "builtin.module(cse))", "comm-split-blocking{frob=1}", "comm-split-blocking{sums=frob}"):
        with pytest.raises(ValueError, match="no pipeline"):
            PassManager.parse(wrong)


def test_pass_in_python(context, program):
    seen = []

    @register_pass("test-count-messages", anchor="func.func")
    def count_messages(function):
        """Count what goes to others."""
        for op in function.regions[0].blocks[0]:
            if op.is_mpi and op.matching().kind is not MatchingKind.NONE:
                seen.append((op.name, [a.param for a in op.accesses() if a.writes], op.is_async))
                op.attributes["seen"] = len(seen)

    module = Module.parse(program)
    PassManager.parse(
        "func.func(test-count-messages),comm-split-blocking{abi=openmpi4},func.func(test-count-messages)"
    ).run(module)
    assert seen == [("comm.allreduce", ["recvbuf"], False), ("comm.allreduce", ["recvbuf"], True)]
    assert "seen = 2" in str(module)

    @register_pass("test-count-messages", anchor="func.func")
    def count_again(function):
        seen.append("again")

    PassManager.parse("builtin.module(func.func(test-count-messages))").run(module)
    assert seen[-1] == "again"
    for wrong in ("cse", "comm-overlap", "Big", ""):
        with pytest.raises(ValueError, match="no pass can be registered"):
            register_pass(wrong)(lambda op: None)


def test_failing_pass(context, program):
    @register_pass("test-fails")
    def fails(op):
        raise KeyError("what a pity")

    module = Module.parse(program)
    with pytest.raises(MLIRError) as caught:
        PassManager.parse("test-fails").run(module)
    assert isinstance(caught.value.__cause__, KeyError)
    assert "what a pity" in caught.value.error_diagnostics[0].message

    @register_pass("test-breaks", anchor="builtin.module")
    def breaks(op):
        with InsertionPoint(op.regions[0].blocks[0]):
            func.FuncOp("step", ([], []), visibility="private")

    with pytest.raises(MLIRError, match="redefinition"):
        PassManager.parse("test-breaks").run(module)
    # The module still exists, and describes its error.
    with pytest.raises(MLIRError, match="redefinition"):
        module.operation.verify()


def test_interfaces(context):
    module = Module.parse("""
    func.func @f(%buf: !llvm.ptr, %n: i32, %win: !comm.win, %disp: i64) {
      %world = comm.constant "MPI_COMM_WORLD" : !comm.comm
      %type = comm.constant "MPI_INT" : !comm.datatype
      %any = comm.constant "MPI_ANY_SOURCE" : i32
      %r = comm.recv async buf(%buf : !llvm.ptr) count(%n) datatype(%type) source(%any) tag(%n) comm(%world) -> request
      comm.wait request(%r)
      comm.get origin_addr(%buf : !llvm.ptr) origin_count(%n) origin_datatype(%type)
          target_rank(%n) target_disp(%disp : i64) target_count(%n) target_datatype(%type) win(%win)
      %rank = comm.comm_rank comm(%world) -> rank
      return
    }""")
    by_name = {op.name: op for op in module.body.operations[0].regions[0].blocks[0]}
    recv, wait, get = by_name["comm.recv"], by_name["comm.wait"], by_name["comm.get"]
    matching = recv.matching()
    assert matching.kind is MatchingKind.RECEIVE and matching.source.name == "ANY"
    assert matching.communicator == recv.params()["comm"][0] and matching.peer == by_name["comm.constant"].result
    access = recv.accesses()[0]
    assert access.param == "buf" and access.writes and not access.reads and access.in_flight
    assert access.extent.name == "ELEMENTS" and str(access.count.type) == "i32"
    assert (recv.mpi_function, recv.mpi_called_function, recv.is_async) == ("MPI_Recv", "MPI_Irecv", True)
    assert recv.outcomes() == {"request": recv.result} and recv.has_async_form and not recv.is_local
    assert recv.completion() is None and recv.remote_access() is None
    assert wait.completion().requests == [recv.result] and wait.completion().completes_all
    remote = get.remote_access()
    assert remote.is_get and remote.same_at_both_ends and get.is_one_sided and remote.displacement.type
    assert by_name["comm.comm_rank"].is_local and not by_name["func.return"].is_mpi
    with pytest.raises(TypeError, match="not an operation of MPI"):
        by_name["func.return"].accesses()


def test_patterns(context):
    module = Module.parse("""
    func.func @f(%a: i64) -> i64 {
      %c0 = arith.constant 0 : i64
      %x = arith.addi %a, %c0 : i64
      %y = arith.addi %x, %c0 : i64
      return %y : i64
    }""")

    def add_zero(op, rewriter):
        zero = op.operands[1].owner
        if not isinstance(zero, arith.ConstantOp) or zero.attributes["value"].value != 0:
            return False
        rewriter.replace_op(op, op.operands[0])
        return True

    def dead_constant(op, rewriter):
        if op.result.uses:
            return False
        rewriter.erase_op(op)
        return True

    patterns = {"arith.addi": add_zero, "arith.constant": [dead_constant]}
    copy = module.clone()
    assert apply_patterns(copy, patterns) == 3
    assert names_in(copy) == ["builtin.module", "func.func", "func.return"]
    register_pattern_pass("test-fold-zero", patterns)
    PassManager.parse("builtin.module(func.func(test-fold-zero))").run(module)
    assert str(module) == str(copy)

    def endless(op, rewriter):
        return True

    with pytest.raises(RuntimeError, match="still apply"):
        apply_patterns(module, {"*": endless}, max_rewrites=10)

    def wrong_count(op, rewriter):
        rewriter.replace_op(op, [op.operands[0], op.operands[0]])

    with pytest.raises(ValueError, match="1 results") if "arith.addi" in str(module) else pytest.raises(ValueError):
        apply_patterns(
            Module.parse("func.func @g(%a: i64) -> i64 {\n %x = arith.addi %a, %a : i64\n return %x : i64 }"),
            {"arith.addi": wrong_count},
        )


def test_rewriting_builds_comm(context, program):
    """A pass that makes each allreduce a reduce and a broadcast."""

    def split(op, rewriter):
        world = op.params()["comm"][0]
        root = arith.constant(arith.IndexType.get(), 0)
        comm.reduce(op.sendbuf, op.recvbuf, op=op.op, root=root, comm=world)
        comm.bcast(op.recvbuf, root=root, comm=world)
        rewriter.erase_op(op)
        return True

    module = Module.parse(program)
    assert apply_patterns(module, {"comm.allreduce": split}) == 1
    assert module.operation.verify()
    names = names_in(module)
    assert names.index("comm.reduce") < names.index("comm.bcast") and "comm.allreduce" not in names
