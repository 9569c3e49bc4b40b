// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "file/File.h"
#include "collective/Collective.h"
#include "collective/Create.h"
#include "window/OneSided.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace comm::ranks {

int failAt(File *file, int code, const char *format, ...) {
  if (code == ABI_SUCCESS)
    return code;
  auto call = [file](Errhandler &handler, int *passed) {
    ABI_File object = file ? handleOf(file) : ABI_FILE_NULL;
    if (handler.file)
      handler.file(&object, passed);
  };
  va_list arguments;
  va_start(arguments, format);
  raise(file ? file->errhandler : self().fileErrhandler, call, file ? "file " + file->name : "a file", code, format,
        arguments);
  va_end(arguments);
  return code;
}

void setErrhandler(File *file, ABI_Errhandler handler) {
  // Requests have the communicator of the file, whose handler is called if they end with an error.
  for (ABI_Errhandler *place : {&file->errhandler, &file->comm->errhandler}) {
    retainErrhandler(handler);
    releaseErrhandler(*place);
    *place = handler;
  }
}

int classOfSystem(int code) {
  switch (code) {
  case 0:
    return ABI_SUCCESS;
  case ENOENT:
    return ABI_ERR_NO_SUCH_FILE;
  case EEXIST:
    return ABI_ERR_FILE_EXISTS;
  case EACCES:
  case EPERM:
    return ABI_ERR_ACCESS;
  case EROFS:
    return ABI_ERR_READ_ONLY;
  case ENOSPC:
    return ABI_ERR_NO_SPACE;
  case EDQUOT:
    return ABI_ERR_QUOTA;
  case EBUSY:
  case ETXTBSY:
    return ABI_ERR_FILE_IN_USE;
  case ENAMETOOLONG:
  case ENOTDIR:
  case EISDIR:
  case ELOOP:
    return ABI_ERR_BAD_FILE;
  }
  return ABI_ERR_IO;
}

void meetAt(File *file) { barrier(file->comm, file->comm->nextCollective()); }

/// Returns the first error of any rank, the same in all.
static int agree(Comm *comm, int error) {
  std::vector<int> all(comm->size);
  allgather(comm, comm->nextCollective(), &error, all.data(), sizeof(error));
  for (int other : all)
    if (other)
      return other;
  return ABI_SUCCESS;
}

int agreeAt(File *file, int error) { return agree(file->comm, error); }

int openFile(Comm *c, const char *name, int mode, File *&file) {
  Comm *comm = duplicateBare(c, c->nextCollective());
  comm->name = new std::string("the communicator of a file");
  std::vector<int> modes(comm->size);
  allgather(comm, comm->nextCollective(), &mode, modes.data(), sizeof(mode));
  int error = ABI_SUCCESS, descriptor = -1;
  if (std::count(modes.begin(), modes.end(), mode) != comm->size)
    error = ABI_ERR_NOT_SAME;
  // Rank 0 creates the file; then the others open it.
  int flags = (mode & ABI_MODE_RDWR ? O_RDWR : mode & ABI_MODE_WRONLY ? O_WRONLY : O_RDONLY) | O_CLOEXEC;
  auto openIt = [&](int more) {
    descriptor = open(name, flags | more, 0666);
    if (descriptor < 0)
      error = classOfSystem(errno);
  };
  if (comm->rank == 0 && !error)
    openIt((mode & ABI_MODE_CREATE ? O_CREAT : 0) | (mode & ABI_MODE_EXCL ? O_EXCL : 0));
  error = agree(comm, error);
  if (comm->rank != 0 && !error)
    openIt(0);
  error = agree(comm, error);
  if (error) {
    if (descriptor >= 0)
      close(descriptor);
    release(comm);
    return error;
  }
  file = new File;
  file->comm = comm;
  file->descriptor = descriptor;
  file->mode = mode;
  file->name = name;
  setErrhandler(file, self().fileErrhandler);
  struct stat known;
  if (mode & ABI_MODE_APPEND && !fstat(descriptor, &known))
    file->position = known.st_size;
  file->shared = makeWindow(comm, ABI_WIN_FLAVOR_ALLOCATE, nullptr, comm->rank ? 0 : sizeof(int64_t), 1, nullptr);
  file->shared->lockedAll = true; // only for accumulates, which are atomic without a lock
  setShared(file, file->position);
  return ABI_SUCCESS;
}

void closeFile(File *file) {
  close(file->descriptor);
  meetAt(file);
  if (file->mode & ABI_MODE_DELETE_ON_CLOSE && file->comm->rank == 0)
    unlink(file->name.c_str());
  // Nobody may continue before the file is gone and the window's memory may be freed.
  meetAt(file);
  endWindow(file->shared);
  release(file->comm);
  releaseErrhandler(file->errhandler);
  delete file;
}

/// Changes the shared pointer, and returns its old value.
static int64_t change(File *file, int64_t number, ABI_Op op) {
  int64_t before = 0;
  access(file->shared, WindowMessage::GetAccumulate, {&number, 1, ABI_INT64_T}, {&before, 1, ABI_INT64_T},
         {0, 0, 1, ABI_INT64_T}, op, nullptr);
  flushProcess(file->shared, file->shared->processOf(0));
  return before;
}

int64_t advanceShared(File *file, int64_t elements) { return change(file, elements, ABI_SUM); }

void setShared(File *file, int64_t elements) {
  meetAt(file);
  if (file->comm->rank == 0)
    change(file, elements, ABI_REPLACE);
  meetAt(file);
}

/// Returns where each rank's part begins if the parts follow each other by rank, and moves the shared pointer after the
/// last.
static int64_t advanceInOrder(File *file, int64_t elements) {
  Comm *comm = file->comm;
  std::vector<int64_t> all(comm->size);
  allgather(comm, comm->nextCollective(), &elements, all.data(), sizeof(elements));
  int64_t begin = 0;
  if (comm->rank == 0) {
    int64_t sum = 0;
    for (int64_t some : all)
      sum += some;
    begin = advanceShared(file, sum);
  }
  broadcast(comm, comm->nextCollective(), &begin, sizeof(begin), typeOf(ABI_BYTE), 0);
  for (int i = 0; i < comm->rank; ++i)
    begin += all[i];
  return begin;
}

/// Moves packed data; `done` is the number of bytes moved, which is less than `bytes` at the end of the file.
static int move(File *file, bool writes, int64_t byte, char *data, size_t bytes, size_t &done) {
  for (done = 0; done < bytes;) {
    int64_t together;
    int64_t at = file->view.place(byte + done, together);
    size_t some = std::min<uint64_t>(bytes - done, together);
    ssize_t moved =
        writes ? pwrite(file->descriptor, data + done, some, at) : pread(file->descriptor, data + done, some, at);
    if (moved < 0 && errno == EINTR)
      continue;
    if (moved < 0)
      return classOfSystem(errno);
    if (moved == 0)
      return writes ? ABI_ERR_IO : ABI_SUCCESS;
    done += moved;
  }
  return ABI_SUCCESS;
}

int transfer(File *file, bool writes, Start start, int64_t offset, void *buffer, int64_t count, Datatype *type,
             size_t &bytes) {
  int64_t element = file->view.elementary()->size;
  size_t wanted = count * type->size;
  int64_t elements = (static_cast<int64_t>(wanted) + element - 1) / element;
  if (start == Start::Own)
    offset = file->position;
  else if (start == Start::Shared)
    offset = advanceShared(file, elements);
  else if (start == Start::Ordered)
    offset = advanceInOrder(file, elements);
  std::unique_ptr<char[]> packed;
  auto *data = static_cast<char *>(buffer);
  if (!type->dense) {
    packed.reset(new char[wanted + 1]);
    data = packed.get();
    if (writes)
      if (int error = packTo(data, buffer, count, type))
        return error;
  }
  if (file->isAtomic)
    lockTarget(file->shared, 0, true);
  int error = move(file, writes, offset * element, data, wanted, bytes);
  if (file->isAtomic)
    unlockTarget(file->shared, 0, true);
  if (start == Start::Own)
    file->position += static_cast<int64_t>(bytes) / element;
  if (packed && !writes) {
    size_t received;
    int other = unpackFrom(data, bytes, buffer, count, type, received);
    error = error ? error : other;
  }
  return error;
}

} // namespace comm::ranks
