/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Determines the bytes of an element of a datatype, for code that compares them with the memory accessed by a loop or
 * another message (MPI-4, 5.1.13). The exact form is one block of bytes repeated with one stride: columns, planes of an
 * array, and anything without gaps. Other datatypes are overapproximated: a column in each plane as one that continues
 * through all rows, and a layout without a stride as everything from the first byte to the last. Comparisons of two
 * messages use nested repetitions.
 *
 * Each datatype caches its layout as an attribute. Layouts are unique and never freed, so pointers to them stay valid
 * after the datatype is freed. All calls are local.
 */
#include "Keyval.h"

#include <stdlib.h>
#include <string.h>

/* The PMPI names, which bypass tools between the program and MPI (MPI-4, 15.2). */
int PMPI_Type_create_keyval(CommCopyFunction *, CommDeleteFunction *, int *, void *);
int PMPI_Type_free(MPI_Datatype *);
int PMPI_Type_free_keyval(int *);
int PMPI_Type_get_attr(MPI_Datatype, int, void *, int *);
int PMPI_Type_get_contents(MPI_Datatype, int, int, int, int *, MPI_Aint *, MPI_Datatype *);
int PMPI_Type_get_envelope(MPI_Datatype, int *, int *, int *, int *);
extern __attribute__((weak)) int PMPI_Type_get_envelope_c(MPI_Datatype, MPI_Count *, MPI_Count *, MPI_Count *,
                                                          MPI_Count *, int *);
int PMPI_Type_get_extent(MPI_Datatype, MPI_Aint *, MPI_Aint *);
int PMPI_Type_get_true_extent(MPI_Datatype, MPI_Aint *, MPI_Aint *);
int PMPI_Type_set_attr(MPI_Datatype, int, void *);
int PMPI_Type_size(MPI_Datatype, int *);

#ifdef COMM_HANDLES_ARE_POINTERS
extern __attribute__((weak)) CommCopyFunction OMPI_C_MPI_TYPE_NULL_COPY_FN;
extern __attribute__((weak)) CommDeleteFunction OMPI_C_MPI_TYPE_NULL_DELETE_FN;
#define NULL_COPY OMPI_C_MPI_TYPE_NULL_COPY_FN
#define NULL_DELETE OMPI_C_MPI_TYPE_NULL_DELETE_FN
#else
#define NULL_COPY NULL
#define NULL_DELETE NULL
#endif

/* Larger than any datatype or its distance from a buffer. */
#define FAR ((int64_t)1 << 60)
/* Limits for the nesting of datatypes and for the lengths of their argument lists. */
enum { MOST_NESTING = 8, MOST_NUMBERS = 64, MOST_LAYOUTS = 1024 };

static const struct CommTypeLayout anywhere = {-FAR, 2 * FAR, 0, 1, 0, 2 * FAR, 0, {{0, 0}}};

static struct CommTypeLayout getRange(int64_t begin, int64_t size, int64_t extent) {
  return (struct CommTypeLayout){begin, size, 0, 1, extent, size, 0, {{0, 0}}};
}

/* Returns the distance from the first byte to the end of the last. */
static int64_t getSpan(const struct CommTypeLayout *layout) {
  return layout->size + layout->stride * (layout->count - 1);
}

/* Repetitions that leave gaps add a level while there is room. */
static void addLevel(struct CommTypeLayout *layout, int64_t count, int64_t stride, int64_t span) {
  enum { MOST_LEVELS = sizeof layout->levels / sizeof layout->levels[0] };
  if (span < stride && layout->numLevels < MOST_LEVELS) {
    layout->levels[layout->numLevels++] = (struct CommLevel){stride, count};
    return;
  }
  *layout = (struct CommTypeLayout){
      layout->begin, layout->size, layout->stride, layout->count, layout->extent, span + stride * (count - 1), 0,
      {{0, 0}}};
}

/* Repeats the layout, `stride` bytes apart. Repetitions with small gaps become a contiguous range. */
static void repeat(struct CommTypeLayout *layout, int64_t count, int64_t stride) {
  if (count <= 0 || layout->size <= 0) {
    *layout = getRange(0, 0, layout->extent);
    return;
  }
  if (count == 1)
    return;
  if (stride < 0) {
    layout->begin += stride * (count - 1);
    stride = -stride;
  }
  int64_t span = getSpan(layout);
  addLevel(layout, count, stride, span);
  if (layout->count > 1 && stride > 0 && stride % layout->stride == 0) {
    layout->count += stride / layout->stride * (count - 1);
    return;
  }
  int isDense = 2 * span > stride;
  layout->size = isDense ? span + stride * (count - 1) : span;
  layout->stride = isDense ? 0 : stride;
  layout->count = isDense ? 1 : count;
}

static int isFar(int64_t number) { return number <= -FAR || number >= FAR; }

/* Returns the range from the first byte to the last according to MPI. */
static struct CommTypeLayout findRange(MPI_Datatype type) {
  MPI_Aint begin, size, lower, extent;
  if (PMPI_Type_get_true_extent(type, &begin, &size) != 0 || PMPI_Type_get_extent(type, &lower, &extent) != 0 ||
      isFar(begin) || isFar(size) || isFar(extent) || size < 0)
    return anywhere;
  return getRange(begin, size, extent);
}

static struct CommTypeLayout find(MPI_Datatype type, int depth);

/* The constructor arguments of a datatype. */
struct Contents {
  int kind, numInts, numAddresses, numTypes, ints[MOST_NUMBERS];
  MPI_Aint addresses[2];
  MPI_Datatype types[1];
};

static int readContents(MPI_Datatype type, struct Contents *contents) {
  int combiner;
  /* For types that large-count functions created, the other functions must not be called. */
  if (PMPI_Type_get_envelope_c) {
    MPI_Count ints, addresses, counts, types;
    if (PMPI_Type_get_envelope_c(type, &ints, &addresses, &counts, &types, &combiner) != 0 || counts != 0)
      return 0;
  }
  if (PMPI_Type_get_envelope(type, &contents->numInts, &contents->numAddresses, &contents->numTypes, &combiner) != 0)
    return 0;
  contents->kind = comm_get_combiner(combiner);
  return contents->kind != COMM_COMBINER_OTHER && contents->numInts <= MOST_NUMBERS && contents->numAddresses <= 2 &&
         contents->numTypes == 1 &&
         PMPI_Type_get_contents(type, contents->numInts, contents->numAddresses, 1, contents->ints, contents->addresses,
                                contents->types) == 0;
}

/* Predefined datatypes among the contents must not be freed, nor those of Fortran's kinds. */
static void freeContents(struct Contents *contents) {
  int ints, addresses, types, combiner;
  if (PMPI_Type_get_envelope(contents->types[0], &ints, &addresses, &types, &combiner) == 0 && types > 0)
    PMPI_Type_free(&contents->types[0]);
}

/* Handles the sizes, subsizes and starts of each dimension (MPI-4, 5.1.3). */
static void takeSubarray(const struct Contents *contents, struct CommTypeLayout *layout) {
  int dims = contents->ints[0];
  const int *sizes = contents->ints + 1, *subsizes = sizes + dims, *starts = subsizes + dims;
  int isRowMajor = comm_is_order_c(contents->ints[1 + 3 * dims]);
  int64_t stride = layout->extent;
  for (int i = 0; i < dims; ++i) {
    int d = isRowMajor ? dims - 1 - i : i;
    repeat(layout, subsizes[d], stride);
    layout->begin += stride * starts[d];
    stride *= sizes[d];
  }
}

static struct CommTypeLayout findDerived(const struct Contents *contents, const struct CommTypeLayout *range,
                                         int depth) {
  struct CommTypeLayout layout = find(contents->types[0], depth - 1);
  int64_t element = layout.extent;
  const int *ints = contents->ints;
  if (isFar(layout.begin) || isFar(layout.size) || element <= -INT32_MAX || element >= INT32_MAX)
    return *range; /* limits the products below */
  switch (contents->kind) {
  case COMM_COMBINER_DUP:
  case COMM_COMBINER_RESIZED:
    break;
  case COMM_COMBINER_CONTIGUOUS:
    repeat(&layout, ints[0], element);
    break;
  case COMM_COMBINER_VECTOR:
    repeat(&layout, ints[1], element);
    repeat(&layout, ints[0], ints[2] * element);
    break;
  case COMM_COMBINER_HVECTOR:
    repeat(&layout, ints[1], element);
    repeat(&layout, ints[0], contents->addresses[0]);
    break;
  case COMM_COMBINER_SUBARRAY:
    takeSubarray(contents, &layout);
    break;
  default:
    return *range;
  }
  layout.extent = range->extent;
  return layout;
}

/* Open MPI gets the extent of datatypes with overlapping blocks wrong: where it reports another first or last byte,
 * use the union of both ranges. */
static struct CommTypeLayout checkRange(struct CommTypeLayout layout, struct CommTypeLayout range) {
  int64_t end = layout.begin + getSpan(&layout), endOfRange = range.begin + range.size;
  if (layout.begin == range.begin && end == endOfRange)
    return layout;
  int64_t begin = range.begin < layout.begin ? range.begin : layout.begin;
  return getRange(begin, (end > endOfRange ? end : endOfRange) - begin, range.extent);
}

static struct CommTypeLayout find(MPI_Datatype type, int depth) {
  struct CommTypeLayout range = findRange(type);
  struct Contents contents;
  if (depth == 0 || isFar(range.begin) || isFar(range.size) || !readContents(type, &contents))
    return range;
  struct CommTypeLayout layout = findDerived(&contents, &range, depth);
  freeContents(&contents);
  return checkRange(layout, range);
}

static struct CommTypeLayout layouts[MOST_LAYOUTS];
static atomic_flag isBusy = ATOMIC_FLAG_INIT;

/* Returns the unique copy of a layout, or the layout of all bytes if there are too many. */
static const struct CommTypeLayout *keep(struct CommTypeLayout layout) {
  static unsigned known;
  const struct CommTypeLayout *kept = &anywhere;
  while (atomic_flag_test_and_set_explicit(&isBusy, memory_order_acquire))
    ;
  unsigned i = 0;
  while (i < known && memcmp(&layouts[i], &layout, sizeof layout) != 0) /* no padding */
    ++i;
  if (i < MOST_LAYOUTS) {
    if (i == known) {
      layouts[i] = layout;
      ++known;
    }
    kept = &layouts[i];
  }
  atomic_flag_clear_explicit(&isBusy, memory_order_release);
  return kept;
}

static _Atomic int64_t knownKeyval;

/* Creates the key of the attribute that caches the layout; returns 0 if that fails. */
static int getKeyval(int *keyval) {
  return comm_get_keyval(&knownKeyval, PMPI_Type_create_keyval, PMPI_Type_free_keyval, NULL_COPY, NULL_DELETE, keyval);
}

const struct CommTypeLayout *comm_ask_type_layout(MPI_Datatype type) {
  int keyval, isKnown = 0;
  void *value;
  /* Programs may pass no datatype where nothing is sent. */
  if (!type || comm_is_null_datatype(type) || !getKeyval(&keyval) ||
      PMPI_Type_get_attr(type, keyval, &value, &isKnown) != 0)
    return &anywhere;
  if (isKnown)
    return value;
  const struct CommTypeLayout *layout = keep(find(type, MOST_NESTING));
  PMPI_Type_set_attr(type, keyval, (void *)layout);
  return layout;
}

int64_t comm_ask_type_begin(const struct CommTypeLayout *layout) { return layout->begin; }
int64_t comm_ask_type_size(const struct CommTypeLayout *layout) { return layout->size; }
int64_t comm_ask_type_stride(const struct CommTypeLayout *layout) { return layout->stride; }
int64_t comm_ask_type_count(const struct CommTypeLayout *layout) { return layout->count; }
int64_t comm_ask_type_extent(const struct CommTypeLayout *layout) { return layout->extent; }

/* Returns the number modulo the positive divisor. */
static int64_t reduce(int64_t number, int64_t divisor) {
  int64_t rest = number % divisor;
  return rest < 0 ? rest + divisor : rest;
}

/* Returns the position of the block within the stride. */
int64_t comm_ask_type_column(const struct CommTypeLayout *layout) {
  return layout->stride > 0 ? reduce(layout->begin, layout->stride) : 0;
}

/* Returns the length of the range of bytes that the layout covers modulo the stride. Levels with a multiple of the
 * stride add none. */
static int64_t getSpanModulo(const struct CommTypeLayout *layout, int64_t stride) {
  int64_t span = layout->block;
  for (int64_t i = 0; i < layout->numLevels; ++i)
    if (layout->levels[i].stride % stride != 0)
      span += layout->levels[i].stride * (layout->levels[i].count - 1);
  return span;
}

static int areApartModulo(const struct CommTypeLayout *layout, const struct CommTypeLayout *other, int64_t distance,
                          int64_t stride) {
  int64_t begin = reduce(distance, stride);
  return getSpanModulo(layout, stride) <= begin && begin + getSpanModulo(other, stride) <= stride;
}

/* Not inlined: this is called for each pair of messages. */
__attribute__((noinline)) int comm_ask_layouts_apart(const struct CommTypeLayout *layout,
                                                     const struct CommTypeLayout *other, int64_t distance) {
  if (distance >= getSpan(layout) || -distance >= getSpan(other) || layout->size == 0 || other->size == 0)
    return 1;
  const struct CommTypeLayout *both[] = {layout, other};
  for (int i = 0; i < 2; ++i)
    for (int64_t level = 0; level < both[i]->numLevels; ++level)
      if (areApartModulo(layout, other, distance, both[i]->levels[level].stride))
        return 1;
  return 0;
}
