# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# cmake -DFROM=FILE -DTO=FILE -DPYTHON=PATH -P CopyPythonTool.cmake: copies a program in Python whose first line then
# names that Python: the one with the project's packages, whichever python3 comes first on the user's path. A name
# without its folder leaves the line as it is, and so does a path that the kernel does not take there: with blanks, or
# longer than 127 bytes.
file(READ "${FROM}" text)
string(LENGTH "#!${PYTHON}" length)
if(length LESS 127 AND IS_ABSOLUTE "${PYTHON}" AND NOT PYTHON MATCHES "[ \t]")
  string(REGEX REPLACE "^#![^\n]*" "#!${PYTHON}" text "${text}")
endif()
file(WRITE "${TO}" "${text}")
file(CHMOD "${TO}" PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
