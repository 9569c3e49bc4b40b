# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# cmake -DFROM=FILE -DTO=FILE -DPYTHON=PATH -P CopyPythonTool.cmake: copies a Python program and makes its first line
# name that Python, which has the project's packages whatever python3 is on the user's path. Leaves the line unchanged
# if PYTHON is a name without a folder, or a path that the kernel does not support there: with blanks, or longer than
# 127 bytes.
file(READ "${FROM}" text)
string(LENGTH "#!${PYTHON}" length)
if(length LESS 127 AND IS_ABSOLUTE "${PYTHON}" AND NOT PYTHON MATCHES "[ \t]")
  string(REGEX REPLACE "^#![^\n]*" "#!${PYTHON}" text "${text}")
endif()
file(WRITE "${TO}" "${text}")
file(CHMOD "${TO}" PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
