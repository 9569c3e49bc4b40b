"""Converts the output of xDSL's dmp-to-mpi to comm.

    xdsl-opt heat.mlir -p PASSES | python3 from_xdsl.py > heat.comm.mlir

xDSL has an mpi dialect of its own. Upstream's parser rejects its output (docs/xdsl.md explains why), so this reads the
text. It omits the communicator, count and datatype: comm takes them from the memref.
"""

import re
import sys

WORLD = "%comm_world"


class Translator:
    def __init__(self):
        self.buffers = {}  # by pointer: the memref and its type
        self.exchange = None  # the condition of the scf.if that starts messages
        self.requests = []
        self.names = 0

    def fresh(self):
        self.names += 1
        return f"%from_xdsl_{self.names}"

    def line(self, text):
        """Returns the lines that replace a line."""
        if match := re.match(r'(\s*)(%\S+), \S+, \S+ = "mpi.unwrap_memref"\((%\S+)\) : \((memref<.*?>)\) ->', text):
            self.buffers[match[2]] = f"{match[3]} : {match[4]}"
            return []
        if re.search(r'"mpi\.(allocate|vector_get|request_null)"', text):
            return []
        if match := re.match(r'(\s*)(%\S+) = "mpi.comm.rank"\(\)', text):
            return [
                f'{match[1]}{WORLD} = comm.constant "MPI_COMM_WORLD" : !comm.comm',
                f'{match[1]}%nobody = comm.constant "MPI_PROC_NULL" : i32',
                f"{match[1]}{match[2]} = comm.comm_rank comm({WORLD}) -> rank",
            ]
        # The starts of one exchange leave their branch: a message to MPI_PROC_NULL has no effect.
        if match := re.match(r'(\s*)"mpi.(isend|irecv)"\((%\S+), %\S+, %\S+, (%\S+), (%\S+), %\S+\)', text):
            request, peer = self.fresh(), self.fresh()
            self.requests.append(request)
            kind, where = ("send", "dest") if match[2] == "isend" else ("recv", "source")
            return [
                f"{match[1]}{peer} = arith.select {self.exchange}, {match[4]}, %nobody : i32",
                f"{match[1]}{request} = comm.{kind} async buf({self.buffers[match[3]]}) {where}({peer}) tag({match[5]})"
                f" comm({WORLD}) -> request",
            ]
        if match := re.match(r'(\s*)"mpi.waitall"', text):
            requests, self.requests = self.requests, []
            return [f"{match[1]}comm.wait request({request})" for request in requests]
        # A copy of columns would require MLIR's runtime.
        if match := re.match(r'(\s*)"memref.copy"\((%\S+), (%\S+)\) : \((memref<.*>), (memref<.*>)\) -> \(\)', text):
            return [f"{match[1]}linalg.copy ins({match[2]} : {match[4]}) outs({match[3]} : {match[5]})"]
        # Upstream's verifier rejects a view that starts after its source's beginning and has the same size.
        if match := re.match(
            r"(\s*)(%\S+) = memref.subview (%\S+)\[[\d, ]+\] \[([\d, ]+)\] \[1, 1\] : (memref<\S+>)"
            r" to (memref<\S+, strided<\[([\d, ]+)\], offset: (\d+)>>)$",
            text,
        ):
            sizes = "x".join(match[4].split(", "))
            if match[5].startswith(f"memref<{sizes}x"):
                return [
                    f"{match[1]}{match[2]} = memref.reinterpret_cast {match[3]} to offset: [{match[8]}],"
                    f" sizes: [{match[4]}], strides: [{match[7]}] : {match[5]} to {match[6]}"
                ]
        return [text]

    def text(self, text):
        lines, result = text.splitlines(), []
        while lines:
            line = lines.pop(0)
            if match := re.match(r"\s*scf.if (%\S+) \{", line):
                end = next(i for i, each in enumerate(lines) if re.match(r"\s*\}$", each))
                if any('"mpi.isend"' in each for each in lines[:end]):
                    self.exchange = match[1]
                    inside = lines[: next(i for i, each in enumerate(lines) if "} else {" in each)]
                    lines = inside + lines[end + 1 :]
                    continue
            result += self.line(line)
        return "\n".join(result) + "\n"


if __name__ == "__main__":
    sys.stdout.write(Translator().text(sys.stdin.read()))
