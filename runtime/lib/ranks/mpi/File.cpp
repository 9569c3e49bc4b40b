// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file MPI_File_open to MPI_File_sync: files, their views and pointers (MPI-4, 14.2, 14.3, 14.6, 14.7).
#include "file/File.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace comm::ranks;

namespace comm::ranks {

static constexpr int accesses = ABI_MODE_RDONLY | ABI_MODE_RDWR | ABI_MODE_WRONLY;

static int badMode(int mode) {
  if (__builtin_popcount(mode & accesses) != 1)
    return failAt(nullptr, ABI_ERR_AMODE, "the mode %d needs one of MPI_MODE_RDONLY, MPI_MODE_RDWR and MPI_MODE_WRONLY",
                  mode);
  if (mode & ABI_MODE_RDONLY && mode & (ABI_MODE_CREATE | ABI_MODE_EXCL))
    return failAt(nullptr, ABI_ERR_AMODE, "MPI_MODE_RDONLY cannot be combined with MPI_MODE_CREATE or MPI_MODE_EXCL");
  if (mode & ABI_MODE_RDWR && mode & ABI_MODE_SEQUENTIAL)
    return failAt(nullptr, ABI_ERR_AMODE, "MPI_MODE_RDWR cannot be combined with MPI_MODE_SEQUENTIAL");
  return ABI_SUCCESS;
}

/// Strips a file system prefix, which some implementations accept: "ufs:/tmp/x".
static const char *pathOf(const char *name) {
  for (const char *system : {"ufs:", "nfs:"})
    if (!strncmp(name, system, strlen(system)))
      return name + strlen(system);
  return name;
}

static void setInfo(File *file, const Info *given) {
  for (size_t i = 0; given && i < given->entries.size(); ++i)
    // Unknown hints are ignored (MPI-4, 14.2.8).
    for (auto &known : file->info.entries)
      if (known.first == given->entries[i].first)
        known.second = given->entries[i].second;
}

/// Performs work at rank 0, whose error is returned on all.
template <typename Work> static int onceForAll(File *file, const char *what, Work work) {
  int error = file->comm->rank == 0 ? classOfSystem(work()) : ABI_SUCCESS;
  error = agreeAt(file, error);
  return failAt(file, error, "%s", what);
}

static int64_t sizeOf(File *file) {
  struct stat known;
  return fstat(file->descriptor, &known) ? -1 : static_cast<int64_t>(known.st_size);
}

/// Returns the target of a seek; negative if it is invalid.
static int64_t target(File *file, int64_t offset, int whence, int64_t current) {
  if (whence == ABI_SEEK_SET)
    return offset;
  if (whence == ABI_SEEK_CUR)
    return current + offset;
  if (whence == ABI_SEEK_END)
    return file->view.elementsIn(sizeOf(file)) + offset;
  return -1;
}

} // namespace comm::ranks

extern "C" {

int comm_ranks_MPI_File_open(ABI_Comm comm, const char *filename, int amode, ABI_Info info, ABI_File *fh) {
  COMM_OR_FAIL(c, comm);
  *fh = ABI_FILE_NULL;
  if (c->isInter())
    return failAt(nullptr, ABI_ERR_COMM, "a file needs an intracommunicator");
  if (int error = badMode(amode))
    return error;
  File *file = nullptr;
  if (int error = openFile(c, pathOf(filename), amode, file))
    return failAt(nullptr, error, "%s", filename);
  for (const char *key :
       {"access_style", "collective_buffering", "file_perm", "num_io_nodes", "striping_factor", "striping_unit"})
    if (const Info *given = infoOf(info))
      for (auto &entry : given->entries)
        if (entry.first == key)
          file->info.entries.push_back(entry);
  *fh = handleOf(file);
  return ABI_SUCCESS;
}

int comm_ranks_MPI_File_close(ABI_File *fh) {
  FILE_OR_FAIL(file, *fh);
  if (file->split)
    return failAt(file, ABI_ERR_OTHER, "%s_begin was called, and not its end", file->split);
  closeFile(file);
  *fh = ABI_FILE_NULL;
  return ABI_SUCCESS;
}

int comm_ranks_MPI_File_delete(const char *filename, ABI_Info) {
  int error = unlink(pathOf(filename)) ? errno : 0;
  return failAt(nullptr, classOfSystem(error), "%s: %s", filename, strerror(error));
}

int comm_ranks_MPI_File_set_size(ABI_File fh, ABI_Offset size) {
  FILE_OR_FAIL(file, fh);
  if (size < 0)
    return failAt(file, ABI_ERR_ARG, "the size %ld is negative", static_cast<long>(size));
  if (file->mode & ABI_MODE_RDONLY)
    return failAt(file, ABI_ERR_READ_ONLY, "it was opened with MPI_MODE_RDONLY");
  return onceForAll(file, "its size cannot be set", [&] { return ftruncate(file->descriptor, size) ? errno : 0; });
}

int comm_ranks_MPI_File_preallocate(ABI_File fh, ABI_Offset size) {
  FILE_OR_FAIL(file, fh);
  if (size < 0)
    return failAt(file, ABI_ERR_ARG, "the size %ld is negative", static_cast<long>(size));
  if (file->mode & ABI_MODE_RDONLY)
    return failAt(file, ABI_ERR_READ_ONLY, "it was opened with MPI_MODE_RDONLY");
  return onceForAll(file, "there is no space for it",
                    [&] { return size ? posix_fallocate(file->descriptor, 0, size) : 0; });
}

int comm_ranks_MPI_File_get_size(ABI_File fh, ABI_Offset *size) {
  FILE_OR_FAIL(file, fh);
  *size = sizeOf(file);
  return *size < 0 ? failAt(file, ABI_ERR_IO, "%s", strerror(errno)) : ABI_SUCCESS;
}

int comm_ranks_MPI_File_get_group(ABI_File fh, ABI_Group *group) {
  FILE_OR_FAIL(file, fh);
  *group = makeGroup(membersOf(file->comm));
  return ABI_SUCCESS;
}

int comm_ranks_MPI_File_get_amode(ABI_File fh, int *amode) {
  FILE_OR_FAIL(file, fh);
  *amode = file->mode;
  return ABI_SUCCESS;
}

int comm_ranks_MPI_File_set_info(ABI_File fh, ABI_Info info) {
  FILE_OR_FAIL(file, fh);
  setInfo(file, infoOf(info));
  return ABI_SUCCESS;
}

int comm_ranks_MPI_File_get_info(ABI_File fh, ABI_Info *info_used) {
  FILE_OR_FAIL(file, fh);
  *info_used = copyInfo(&file->info);
  return ABI_SUCCESS;
}

int comm_ranks_MPI_File_set_view(ABI_File fh, ABI_Offset disp, ABI_Datatype etype, ABI_Datatype filetype,
                                 const char *datarep, ABI_Info info) {
  FILE_OR_FAIL(file, fh);
  Datatype *elementary = typeOf(etype), *tile = typeOf(filetype);
  int error = ABI_SUCCESS;
  const char *why = "another rank's view is wrong";
  // The machines of a run have the same representation, so "internal" is "native".
  if (!elementary || !tile) {
    error = ABI_ERR_TYPE;
    why = "invalid datatype";
  } else if (strcmp(datarep, "native") && strcmp(datarep, "internal")) {
    error = ABI_ERR_UNSUPPORTED_DATAREP;
    why = "the representation is neither \"native\" nor \"internal\"";
  }
  if (disp == ABI_DISPLACEMENT_CURRENT) {
    int64_t together;
    disp = file->view.place(advanceShared(file, 0) * file->view.elementary()->size, together);
  }
  if (!error && (error = file->view.set(disp, elementary, tile)))
    why = error == ABI_ERR_ARG ? "the displacement is negative, or the file type is not a sequence of elementary types "
                                 "at increasing displacements"
                               : "the file type is a distributed array that spans more than 256 MiB: use a subarray";
  // All ranks fail if one does: the others would wait for it in the next collective.
  if (int first = agreeAt(file, error))
    return failAt(file, first, "%s", why);
  setInfo(file, infoOf(info));
  file->representation = datarep;
  file->position = 0;
  setShared(file, 0);
  return ABI_SUCCESS;
}

int comm_ranks_MPI_File_get_view(ABI_File fh, ABI_Offset *disp, ABI_Datatype *etype, ABI_Datatype *filetype,
                                 char *datarep) {
  FILE_OR_FAIL(file, fh);
  *disp = file->view.displacement();
  // The program frees them.
  retain(file->view.elementary());
  retain(file->view.file());
  *etype = file->view.elementary()->handle;
  *filetype = file->view.file()->handle;
  strcpy(datarep, file->representation.c_str());
  return ABI_SUCCESS;
}

int comm_ranks_MPI_File_seek(ABI_File fh, ABI_Offset offset, int whence) {
  FILE_OR_FAIL(file, fh);
  if (file->mode & ABI_MODE_SEQUENTIAL)
    return failAt(file, ABI_ERR_UNSUPPORTED_OPERATION, "it was opened with MPI_MODE_SEQUENTIAL");
  int64_t to = target(file, offset, whence, file->position);
  if (to < 0)
    return failAt(file, ABI_ERR_ARG, "the offset %ld leads to before the beginning of the file",
                  static_cast<long>(offset));
  file->position = to;
  return ABI_SUCCESS;
}

int comm_ranks_MPI_File_get_position(ABI_File fh, ABI_Offset *offset) {
  FILE_OR_FAIL(file, fh);
  *offset = file->position;
  return ABI_SUCCESS;
}

int comm_ranks_MPI_File_seek_shared(ABI_File fh, ABI_Offset offset, int whence) {
  FILE_OR_FAIL(file, fh);
  // All ranks read the position before any rank changes it.
  int64_t to = target(file, offset, whence, advanceShared(file, 0));
  if (to < 0)
    return failAt(file, ABI_ERR_ARG, "the offset %ld leads to before the beginning of the file",
                  static_cast<long>(offset));
  setShared(file, to);
  return ABI_SUCCESS;
}

int comm_ranks_MPI_File_get_position_shared(ABI_File fh, ABI_Offset *offset) {
  FILE_OR_FAIL(file, fh);
  *offset = advanceShared(file, 0);
  return ABI_SUCCESS;
}

int comm_ranks_MPI_File_get_byte_offset(ABI_File fh, ABI_Offset offset, ABI_Offset *disp) {
  FILE_OR_FAIL(file, fh);
  if (offset < 0)
    return failAt(file, ABI_ERR_ARG, "the offset %ld is negative", static_cast<long>(offset));
  int64_t together;
  *disp = file->view.place(offset * file->view.elementary()->size, together);
  return ABI_SUCCESS;
}

int comm_ranks_MPI_File_get_type_extent(ABI_File fh, ABI_Datatype datatype, ABI_Aint *extent) {
  FILE_OR_FAIL(file, fh);
  Datatype *type = typeOf(datatype);
  if (!type)
    return failAt(file, ABI_ERR_TYPE, "invalid datatype");
  *extent = type->extent;
  return ABI_SUCCESS;
}

int comm_ranks_MPI_File_get_type_extent_c(ABI_File fh, ABI_Datatype datatype, ABI_Count *extent) {
  ABI_Aint found = 0;
  int error = comm_ranks_MPI_File_get_type_extent(fh, datatype, &found);
  *extent = found;
  return error;
}

int comm_ranks_MPI_File_set_atomicity(ABI_File fh, int flag) {
  FILE_OR_FAIL(file, fh);
  meetAt(file);
  file->isAtomic = flag;
  return ABI_SUCCESS;
}

int comm_ranks_MPI_File_get_atomicity(ABI_File fh, int *flag) {
  FILE_OR_FAIL(file, fh);
  *flag = file->isAtomic;
  return ABI_SUCCESS;
}

int comm_ranks_MPI_File_sync(ABI_File fh) {
  FILE_OR_FAIL(file, fh);
  int error = file->mode & ABI_MODE_RDONLY || !fsync(file->descriptor) ? ABI_SUCCESS : classOfSystem(errno);
  return failAt(file, agreeAt(file, error), "its data could not be written");
}

int comm_ranks_MPI_File_create_errhandler(ABI_File_errhandler_function *file_errhandler_fn,
                                          ABI_Errhandler *errhandler) {
  auto *handler = new Errhandler;
  handler->file = file_errhandler_fn;
  *errhandler = reinterpret_cast<ABI_Errhandler>(handler);
  return ABI_SUCCESS;
}

// MPI_FILE_NULL has the handler for files that will be opened (MPI-4, 14.7).

int comm_ranks_MPI_File_set_errhandler(ABI_File file, ABI_Errhandler errhandler) {
  File *f = fileOf(file);
  Errhandler *handler = errhandlerOf(errhandler);
  if (errhandler == ABI_ERRHANDLER_NULL || !errhandler || (handler && !handler->file))
    return failAt(f, ABI_ERR_ERRHANDLER, "not an error handler of files");
  if (f) {
    setErrhandler(f, errhandler);
    return ABI_SUCCESS;
  }
  retainErrhandler(errhandler);
  releaseErrhandler(self().fileErrhandler);
  self().fileErrhandler = errhandler;
  return ABI_SUCCESS;
}

int comm_ranks_MPI_File_get_errhandler(ABI_File file, ABI_Errhandler *errhandler) {
  File *f = fileOf(file);
  *errhandler = f ? f->errhandler : self().fileErrhandler;
  retainErrhandler(*errhandler);
  return ABI_SUCCESS;
}

int comm_ranks_MPI_File_call_errhandler(ABI_File fh, int errorcode) {
  failAt(fileOf(fh), errorcode, "the program called the error handler");
  return ABI_SUCCESS;
}

} // extern "C"
