// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file Tool information (MPI-4, 15.3). The variables, events and categories are implementation-defined, and the ranks
/// have none: tools find nothing to read, and every index, name and handle is invalid. The functions return error codes
/// and call no error handler (15.3.10).
#include "core/Rank.h"
#include "core/Thread.h"

#include <algorithm>

using namespace comm::ranks;

namespace {
/// Returns the code if the rank may call the function.
int when(int code) { return self().toolUsers ? code : ABI_T_ERR_NOT_INITIALIZED; }

/// Implements queries for the number of objects: there are none.
int countNothing(int *number) {
  if (!self().toolUsers)
    return ABI_T_ERR_NOT_INITIALIZED;
  if (!number)
    return ABI_T_ERR_INVALID;
  *number = 0;
  return ABI_SUCCESS;
}

/// A session contains handles of performance variables, of which there are none.
char session;
ABI_T_pvar_session theSession() { return reinterpret_cast<ABI_T_pvar_session>(&session); }

/// Returns the result for a session and one of its handles; only the handle for all is valid, and covers none.
int ofHandles(ABI_T_pvar_session given, ABI_T_pvar_handle handle, int ofAll) {
  return when(given != theSession()              ? ABI_T_ERR_INVALID_SESSION
              : handle == ABI_T_PVAR_ALL_HANDLES ? ofAll
                                                 : ABI_T_ERR_INVALID_HANDLE);
}
} // namespace

extern "C" {

int comm_ranks_MPI_T_init_thread(int required, int *provided) {
  // At most the level of MPI_Init_thread, which allows other threads of the rank to call MPI.
  *provided = std::min(required, self().threadLevel);
  ++self().toolUsers;
  return ABI_SUCCESS;
}
int comm_ranks_MPI_T_finalize(void) {
  if (int code = when(ABI_SUCCESS))
    return code;
  --self().toolUsers;
  return ABI_SUCCESS;
}

// Enumerations

int comm_ranks_MPI_T_enum_get_info(ABI_T_enum, int *, char *, int *) { return when(ABI_T_ERR_INVALID_HANDLE); }
int comm_ranks_MPI_T_enum_get_item(ABI_T_enum, int, int *, char *, int *) { return when(ABI_T_ERR_INVALID_HANDLE); }

// Control variables

int comm_ranks_MPI_T_cvar_get_num(int *number) { return countNothing(number); }
int comm_ranks_MPI_T_cvar_get_info(int, char *, int *, int *, ABI_Datatype *, ABI_T_enum *, char *, int *, int *,
                                   int *) {
  return when(ABI_T_ERR_INVALID_INDEX);
}
int comm_ranks_MPI_T_cvar_get_index(const char *, int *) { return when(ABI_T_ERR_INVALID_NAME); }
int comm_ranks_MPI_T_cvar_handle_alloc(int, void *, ABI_T_cvar_handle *, int *) {
  return when(ABI_T_ERR_INVALID_INDEX);
}
int comm_ranks_MPI_T_cvar_handle_free(ABI_T_cvar_handle *) { return when(ABI_T_ERR_INVALID_HANDLE); }
int comm_ranks_MPI_T_cvar_read(ABI_T_cvar_handle, void *) { return when(ABI_T_ERR_INVALID_HANDLE); }
int comm_ranks_MPI_T_cvar_write(ABI_T_cvar_handle, const void *) { return when(ABI_T_ERR_INVALID_HANDLE); }

// Performance variables

int comm_ranks_MPI_T_pvar_get_num(int *number) { return countNothing(number); }
int comm_ranks_MPI_T_pvar_get_info(int, char *, int *, int *, int *, ABI_Datatype *, ABI_T_enum *, char *, int *, int *,
                                   int *, int *, int *) {
  return when(ABI_T_ERR_INVALID_INDEX);
}
int comm_ranks_MPI_T_pvar_get_index(const char *, int, int *) { return when(ABI_T_ERR_INVALID_NAME); }
int comm_ranks_MPI_T_pvar_session_create(ABI_T_pvar_session *given) {
  if (int code = when(ABI_SUCCESS))
    return code;
  *given = theSession();
  return ABI_SUCCESS;
}
int comm_ranks_MPI_T_pvar_session_free(ABI_T_pvar_session *given) {
  if (int code = when(*given == theSession() ? ABI_SUCCESS : ABI_T_ERR_INVALID_SESSION))
    return code;
  *given = ABI_T_PVAR_SESSION_NULL;
  return ABI_SUCCESS;
}
int comm_ranks_MPI_T_pvar_handle_alloc(ABI_T_pvar_session given, int, void *, ABI_T_pvar_handle *, int *) {
  return when(given == theSession() ? ABI_T_ERR_INVALID_INDEX : ABI_T_ERR_INVALID_SESSION);
}
int comm_ranks_MPI_T_pvar_handle_free(ABI_T_pvar_session given, ABI_T_pvar_handle *handle) {
  return ofHandles(given, *handle, ABI_T_ERR_INVALID_HANDLE);
}
int comm_ranks_MPI_T_pvar_start(ABI_T_pvar_session given, ABI_T_pvar_handle handle) {
  return ofHandles(given, handle, ABI_SUCCESS);
}
int comm_ranks_MPI_T_pvar_stop(ABI_T_pvar_session given, ABI_T_pvar_handle handle) {
  return ofHandles(given, handle, ABI_SUCCESS);
}
int comm_ranks_MPI_T_pvar_reset(ABI_T_pvar_session given, ABI_T_pvar_handle handle) {
  return ofHandles(given, handle, ABI_SUCCESS);
}
int comm_ranks_MPI_T_pvar_read(ABI_T_pvar_session given, ABI_T_pvar_handle handle, void *) {
  return ofHandles(given, handle, ABI_T_ERR_INVALID_HANDLE);
}
int comm_ranks_MPI_T_pvar_readreset(ABI_T_pvar_session given, ABI_T_pvar_handle handle, void *) {
  return ofHandles(given, handle, ABI_T_ERR_INVALID_HANDLE);
}
int comm_ranks_MPI_T_pvar_write(ABI_T_pvar_session given, ABI_T_pvar_handle handle, const void *) {
  return ofHandles(given, handle, ABI_T_ERR_INVALID_HANDLE);
}

// Events and their sources

int comm_ranks_MPI_T_event_get_num(int *number) { return countNothing(number); }
int comm_ranks_MPI_T_event_get_info(int, char *, int *, int *, ABI_Datatype[], ABI_Aint[], int *, ABI_T_enum *,
                                    ABI_Info *, char *, int *, int *) {
  return when(ABI_T_ERR_INVALID_INDEX);
}
int comm_ranks_MPI_T_event_get_index(const char *, int *) { return when(ABI_T_ERR_INVALID_NAME); }
int comm_ranks_MPI_T_event_handle_alloc(int, void *, ABI_Info, ABI_T_event_registration *) {
  return when(ABI_T_ERR_INVALID_INDEX);
}
int comm_ranks_MPI_T_event_handle_free(ABI_T_event_registration, void *, ABI_T_event_free_cb_function) {
  return when(ABI_T_ERR_INVALID_HANDLE);
}
int comm_ranks_MPI_T_event_handle_get_info(ABI_T_event_registration, ABI_Info *) {
  return when(ABI_T_ERR_INVALID_HANDLE);
}
int comm_ranks_MPI_T_event_handle_set_info(ABI_T_event_registration, ABI_Info) {
  return when(ABI_T_ERR_INVALID_HANDLE);
}
int comm_ranks_MPI_T_event_register_callback(ABI_T_event_registration, ABI_T_cb_safety, ABI_Info, void *,
                                             ABI_T_event_cb_function) {
  return when(ABI_T_ERR_INVALID_HANDLE);
}
int comm_ranks_MPI_T_event_callback_get_info(ABI_T_event_registration, ABI_T_cb_safety, ABI_Info *) {
  return when(ABI_T_ERR_INVALID_HANDLE);
}
int comm_ranks_MPI_T_event_callback_set_info(ABI_T_event_registration, ABI_T_cb_safety, ABI_Info) {
  return when(ABI_T_ERR_INVALID_HANDLE);
}
int comm_ranks_MPI_T_event_set_dropped_handler(ABI_T_event_registration, ABI_T_event_dropped_cb_function) {
  return when(ABI_T_ERR_INVALID_HANDLE);
}
int comm_ranks_MPI_T_event_read(ABI_T_event_instance, int, void *) { return when(ABI_T_ERR_INVALID_HANDLE); }
int comm_ranks_MPI_T_event_copy(ABI_T_event_instance, void *) { return when(ABI_T_ERR_INVALID_HANDLE); }
int comm_ranks_MPI_T_event_get_timestamp(ABI_T_event_instance, ABI_Count *) { return when(ABI_T_ERR_INVALID_HANDLE); }
int comm_ranks_MPI_T_event_get_source(ABI_T_event_instance, int *) { return when(ABI_T_ERR_INVALID_HANDLE); }
int comm_ranks_MPI_T_source_get_num(int *number) { return countNothing(number); }
int comm_ranks_MPI_T_source_get_info(int, char *, int *, char *, int *, ABI_T_source_order *, ABI_Count *, ABI_Count *,
                                     ABI_Info *) {
  return when(ABI_T_ERR_INVALID_INDEX);
}
int comm_ranks_MPI_T_source_get_timestamp(int, ABI_Count *) { return when(ABI_T_ERR_INVALID_INDEX); }

// Categories, which never change

int comm_ranks_MPI_T_category_changed(int *stamp) { return countNothing(stamp); }
int comm_ranks_MPI_T_category_get_num(int *number) { return countNothing(number); }
int comm_ranks_MPI_T_category_get_info(int, char *, int *, char *, int *, int *, int *, int *) {
  return when(ABI_T_ERR_INVALID_INDEX);
}
int comm_ranks_MPI_T_category_get_index(const char *, int *) { return when(ABI_T_ERR_INVALID_NAME); }
int comm_ranks_MPI_T_category_get_num_events(int, int *) { return when(ABI_T_ERR_INVALID_INDEX); }
int comm_ranks_MPI_T_category_get_cvars(int, int, int[]) { return when(ABI_T_ERR_INVALID_INDEX); }
int comm_ranks_MPI_T_category_get_pvars(int, int, int[]) { return when(ABI_T_ERR_INVALID_INDEX); }
int comm_ranks_MPI_T_category_get_events(int, int, int[]) { return when(ABI_T_ERR_INVALID_INDEX); }
int comm_ranks_MPI_T_category_get_categories(int, int, int[]) { return when(ABI_T_ERR_INVALID_INDEX); }

} // extern "C"
