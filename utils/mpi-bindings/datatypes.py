# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The predefined datatypes of the MPI standard and the types that they represent.

Source: MPI-5.0, tables 3.1 (Fortran), 3.2 (C), 3.3 (both), 3.4 (C++) and
sections 6.9.4 (pairs of MINLOC and MAXLOC) and 19.1.9 (sized Fortran types).
extract.py gets their sizes from the compiler.
"""

import re

# MPI name -> C type. Table 3.2 and 3.3.
C_TYPES = {
    "MPI_CHAR": "char",
    "MPI_SHORT": "short",
    "MPI_INT": "int",
    "MPI_LONG": "long",
    "MPI_LONG_LONG_INT": "long long",
    "MPI_LONG_LONG": "long long",
    "MPI_SIGNED_CHAR": "signed char",
    "MPI_UNSIGNED_CHAR": "unsigned char",
    "MPI_UNSIGNED_SHORT": "unsigned short",
    "MPI_UNSIGNED": "unsigned int",
    "MPI_UNSIGNED_LONG": "unsigned long",
    "MPI_UNSIGNED_LONG_LONG": "unsigned long long",
    "MPI_FLOAT": "float",
    "MPI_DOUBLE": "double",
    "MPI_LONG_DOUBLE": "long double",
    "MPI_WCHAR": "wchar_t",
    "MPI_C_BOOL": "_Bool",
    "MPI_INT8_T": "int8_t",
    "MPI_INT16_T": "int16_t",
    "MPI_INT32_T": "int32_t",
    "MPI_INT64_T": "int64_t",
    "MPI_UINT8_T": "uint8_t",
    "MPI_UINT16_T": "uint16_t",
    "MPI_UINT32_T": "uint32_t",
    "MPI_UINT64_T": "uint64_t",
    "MPI_C_COMPLEX": "float _Complex",
    "MPI_C_FLOAT_COMPLEX": "float _Complex",
    "MPI_C_DOUBLE_COMPLEX": "double _Complex",
    "MPI_C_LONG_DOUBLE_COMPLEX": "long double _Complex",
    "MPI_AINT": "MPI_Aint",
    "MPI_COUNT": "MPI_Count",
    "MPI_OFFSET": "MPI_Offset",
}

# Table 3.4: C++ types have the representation of their C counterparts.
CXX_TYPES = {
    "MPI_CXX_BOOL": "_Bool",
    "MPI_CXX_FLOAT_COMPLEX": "float _Complex",
    "MPI_CXX_DOUBLE_COMPLEX": "double _Complex",
    "MPI_CXX_LONG_DOUBLE_COMPLEX": "long double _Complex",
}

# Section 6.9.4: as if built by MPI_Type_create_struct from {first, int}. Their
# size (bytes of data) is smaller than their extent where there is padding.
PAIR_TYPES = {
    "MPI_FLOAT_INT": ("float", "int"),
    "MPI_DOUBLE_INT": ("double", "int"),
    "MPI_LONG_INT": ("long", "int"),
    "MPI_2INT": ("int", "int"),
    "MPI_SHORT_INT": ("short", "int"),
    "MPI_LONG_DOUBLE_INT": ("long double", "int"),
}

# Table 3.1. MPI_Fint is the size of a Fortran INTEGER (MPI-5.0 section 19.3.4),
# which is one numeric storage unit; REAL and LOGICAL occupy one, DOUBLE
# PRECISION and COMPLEX two (Fortran 2018, 19.5.3.2).
FORTRAN_UNITS = {
    "MPI_INTEGER": 1,
    "MPI_REAL": 1,
    "MPI_LOGICAL": 1,
    "MPI_DOUBLE_PRECISION": 2,
    "MPI_COMPLEX": 2,
    "MPI_DOUBLE_COMPLEX": 4,
}
FORTRAN_PAIRS = {
    "MPI_2INTEGER": 2,
    "MPI_2REAL": 2,
    "MPI_2DOUBLE_PRECISION": 4,
}


def size_expressions(name):
    """C expressions for a predefined datatype of the standard.

    Returns (C spelling or None, size in bytes, extent in bytes, is a pair), or
    None when the standard does not fix what `name` stands for.
    """
    if name in C_TYPES or name in CXX_TYPES:
        c_type = C_TYPES.get(name)
        size = f"sizeof({c_type or CXX_TYPES[name]})"
        return c_type, size, size, False
    if name in PAIR_TYPES:
        first, second = PAIR_TYPES[name]
        spelling = f"struct {{ {first} value; {second} index; }}"
        size = f"(sizeof({first}) + sizeof({second}))"
        return spelling, size, f"sizeof({spelling})", True
    for table, is_pair in ((FORTRAN_UNITS, False), (FORTRAN_PAIRS, True)):
        if name in table:
            size = f"({table[name]} * sizeof(MPI_Fint))"
            return None, size, size, is_pair
    # A byte is eight bits (section 3.2.2), MPI_PACKED counts bytes.
    if name in ("MPI_CHARACTER", "MPI_BYTE", "MPI_PACKED"):
        return None, "1", "1", False
    # Section 19.1.9: the number in the name is the size in bytes.
    sized = re.fullmatch(r"MPI_(?:INTEGER|REAL|COMPLEX|LOGICAL)(\d+)", name)
    if sized:
        return None, sized.group(1), sized.group(1), False
    return None
