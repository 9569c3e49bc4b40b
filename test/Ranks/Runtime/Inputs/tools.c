// The calls of a tool that lists variables, events and categories, before and after MPI_Init, in each rank separately.
#include <mpi.h>
#include <stdio.h>

static int checks, wrong;
static void expect(const char *what, int code, int expected) {
  ++checks;
  if (code != expected) {
    printf("%s: %d instead of %d\n", what, code, expected);
    ++wrong;
  }
}
#define EXPECT(call, expected) expect(#call, call, expected)

static void counts(int expected) {
  int (*const functions[])(int *) = {MPI_T_cvar_get_num,  MPI_T_pvar_get_num,    MPI_T_event_get_num,
                                     MPI_T_source_get_num, MPI_T_category_get_num, MPI_T_category_changed};
  for (int i = 0; i < 6; ++i) {
    int number = 7;
    EXPECT(functions[i](&number), expected);
    EXPECT(number, expected ? 7 : 0);
  }
}

static void indices(void) {
  char name[64], text[64];
  int nameLength = 64, textLength = 64, a, b, c, d, e, f, g;
  MPI_Datatype type;
  MPI_T_enum values;
  MPI_T_cvar_handle control;
  MPI_T_event_registration event;
  MPI_T_source_order order;
  MPI_Count ticks, most;
  MPI_Info info;
  EXPECT(MPI_T_cvar_get_info(0, name, &nameLength, &a, &type, &values, text, &textLength, &b, &c),
         MPI_T_ERR_INVALID_INDEX);
  EXPECT(MPI_T_pvar_get_info(0, name, &nameLength, &a, &b, &type, &values, text, &textLength, &c, &d, &e, &f),
         MPI_T_ERR_INVALID_INDEX);
  EXPECT(MPI_T_category_get_info(0, name, &nameLength, text, &textLength, &a, &b, &c), MPI_T_ERR_INVALID_INDEX);
  EXPECT(MPI_T_source_get_info(0, name, &nameLength, text, &textLength, &order, &ticks, &most, &info),
         MPI_T_ERR_INVALID_INDEX);
  EXPECT(MPI_T_cvar_handle_alloc(0, NULL, &control, &a), MPI_T_ERR_INVALID_INDEX);
  EXPECT(MPI_T_event_handle_alloc(0, NULL, MPI_INFO_NULL, &event), MPI_T_ERR_INVALID_INDEX);
  EXPECT(MPI_T_category_get_cvars(0, 1, &a), MPI_T_ERR_INVALID_INDEX);
  EXPECT(MPI_T_cvar_get_index("eager_limit", &g), MPI_T_ERR_INVALID_NAME);
  EXPECT(MPI_T_pvar_get_index("unexpected", MPI_T_PVAR_CLASS_LEVEL, &g), MPI_T_ERR_INVALID_NAME);
  EXPECT(MPI_T_category_get_index("messages", &g), MPI_T_ERR_INVALID_NAME);
  EXPECT(MPI_T_enum_get_item(MPI_T_ENUM_NULL, 0, &a, name, &nameLength), MPI_T_ERR_INVALID_HANDLE);
  control = MPI_T_CVAR_HANDLE_NULL;
  EXPECT(MPI_T_cvar_read(control, &a), MPI_T_ERR_INVALID_HANDLE);
  EXPECT(MPI_T_cvar_handle_free(&control), MPI_T_ERR_INVALID_HANDLE);
}

static void sessions(void) {
  MPI_T_pvar_session session = MPI_T_PVAR_SESSION_NULL;
  MPI_T_pvar_handle handle = MPI_T_PVAR_HANDLE_NULL;
  int count;
  EXPECT(MPI_T_pvar_start(session, MPI_T_PVAR_ALL_HANDLES), MPI_T_ERR_INVALID_SESSION);
  EXPECT(MPI_T_pvar_session_create(&session), MPI_SUCCESS);
  EXPECT(MPI_T_pvar_handle_alloc(session, 0, NULL, &handle, &count), MPI_T_ERR_INVALID_INDEX);
  EXPECT(MPI_T_pvar_start(session, MPI_T_PVAR_ALL_HANDLES), MPI_SUCCESS);
  EXPECT(MPI_T_pvar_stop(session, MPI_T_PVAR_ALL_HANDLES), MPI_SUCCESS);
  EXPECT(MPI_T_pvar_read(session, handle, &count), MPI_T_ERR_INVALID_HANDLE);
  EXPECT(MPI_T_pvar_session_free(&session), MPI_SUCCESS);
  EXPECT(session == MPI_T_PVAR_SESSION_NULL, 1);
  EXPECT(MPI_T_pvar_session_free(&session), MPI_T_ERR_INVALID_SESSION);
}

int main(int argc, char **argv) {
  int provided = -1, rank;
  counts(MPI_T_ERR_NOT_INITIALIZED);
  EXPECT(MPI_T_finalize(), MPI_T_ERR_NOT_INITIALIZED);
  EXPECT(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided), MPI_SUCCESS);
  EXPECT(provided, MPI_THREAD_SINGLE);
  counts(MPI_SUCCESS);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  // Each rank counts for itself.
  EXPECT(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided), MPI_SUCCESS);
  indices();
  sessions();
  EXPECT(MPI_T_finalize(), MPI_SUCCESS);
  if (rank == 0) {
    EXPECT(MPI_T_finalize(), MPI_SUCCESS);
    counts(MPI_T_ERR_NOT_INITIALIZED);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank != 0)
    counts(MPI_SUCCESS);
  printf("rank %d: %d checks, %d wrong\n", rank, checks, wrong);
  MPI_Finalize();
  return wrong != 0;
}
