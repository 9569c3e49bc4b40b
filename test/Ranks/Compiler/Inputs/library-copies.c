// Each function of the C library that has a copy for each rank: two ranks call it with different arguments, one after
// another on one kernel thread, and then check their results. Compiled without MPI, it is one process.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <grp.h>
#include <math.h>
#include <netdb.h>
#include <pwd.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <uchar.h>
#include <unistd.h>
#include <wchar.h>
#ifdef PLAIN
#define MPI_Barrier(comm)
#define turn(rank) (void)(rank)
#else
#include <mpi.h>
// The ranks arrive in order, so that the second one's call follows the first one's.
static void turn(int rank) {
  (void)rank;
  MPI_Barrier(MPI_COMM_WORLD);
}
#endif

static int rank, wrong;

// The result of a call is checked after the other rank's call.
#define TEXT(name, call, expected)                                                                                     \
  do {                                                                                                                 \
    turn(rank);                                                                                                        \
    const char *text = call;                                                                                           \
    turn(rank);                                                                                                        \
    if (!text || strcmp(text, expected)) {                                                                             \
      printf("rank %d: " #name ": '%s', not '%s'\n", rank, text ? text : "(null)", expected);                          \
      ++wrong;                                                                                                         \
    }                                                                                                                  \
  } while (0)
#define NUMBER(name, call, expected)                                                                                   \
  do {                                                                                                                 \
    long isOne = (long)(call), isToBe = (long)(expected);                                                              \
    turn(rank);                                                                                                        \
    if (isOne != isToBe) {                                                                                             \
      printf("rank %d: " #name ": %ld, not %ld\n", rank, isOne, isToBe);                                               \
      ++wrong;                                                                                                         \
    }                                                                                                                  \
  } while (0)

static void answers(void) {
  struct in_addr address = {htonl(0x7f000001 + rank)};
  time_t day = 86400 * rank;
  struct tm noon = {.tm_mday = 1 + rank, .tm_year = 70, .tm_wday = 4};
  int point, sign;
  char words[] = "one:two three:four", other[] = "a b c", name[L_tmpnam];
  char missing[] = "/nowhere/library-0.so";
  TEXT(strerror, strerror(9000 + rank), rank ? "Unknown error 9001" : "Unknown error 9000");
  TEXT(strerror, strerror(rank ? ENOENT : EACCES), rank ? "No such file or directory" : "Permission denied");
  TEXT(strsignal, strsignal(200 + rank), rank ? "Unknown signal 201" : "Unknown signal 200");
  TEXT(strsignal, strsignal(11), "Segmentation fault");
  TEXT(l64a, l64a(100 + rank), rank ? "Z/" : "Y/");
  TEXT(l64a, l64a(-1 - rank), rank ? "yzzzz1" : "zzzzz1");
  TEXT(inet_ntoa, inet_ntoa(address), rank ? "127.0.0.2" : "127.0.0.1");
  TEXT(ecvt, ecvt(1.25 + rank, 4, &point, &sign), rank ? "2250" : "1250");
  TEXT(fcvt, fcvt(-1.25 - rank, 3, &point, &sign), rank ? "2250" : "1250");
  NUMBER(fcvt, sign, 1);
  TEXT(qecvt, qecvt(1.25L + rank, 4, &point, &sign), rank ? "2250" : "1250");
  TEXT(qfcvt, qfcvt(1.25L + rank, 3, &point, &sign), rank ? "2250" : "1250");
  TEXT(asctime, asctime(&noon), rank ? "Thu Jan  2 00:00:00 1970\n" : "Thu Jan  1 00:00:00 1970\n");
  TEXT(ctime, ctime(&day), rank ? "Fri Jan  2 00:00:00 1970\n" : "Thu Jan  1 00:00:00 1970\n");
  struct tm *time = gmtime(&day);
  turn(rank);
  NUMBER(gmtime, time->tm_mday, 1 + rank);
  time = localtime(&day);
  turn(rank);
  NUMBER(localtime, time->tm_mday, 1 + rank);
  TEXT(strtok, strtok(rank ? other : words, rank ? " " : ":"), rank ? "a" : "one");
  TEXT(strtok, strtok(NULL, rank ? " " : ":"), rank ? "b" : "two three");
  const char *mine = tmpnam(NULL);
  strcpy(name, mine);
  turn(rank);
  NUMBER(tmpnam, strcmp(mine, name), 0);
  missing[17] += rank;
  void *handle = dlopen(missing, RTLD_NOW);
  turn(rank);
  const char *said = dlerror();
  NUMBER(dlopen, handle == NULL, 1);
  NUMBER(dlerror, said && strstr(said, missing) != NULL, 1);
  NUMBER(dlerror, dlerror() == NULL, 1);
  NUMBER(dlsym, dlsym(RTLD_DEFAULT, "no_such_symbol") == NULL, 1);
  NUMBER(dlerror, dlerror() != NULL, 1);
  NUMBER(dlvsym, dlvsym(RTLD_DEFAULT, "no_such_symbol", "NONE_1") == NULL, 1);
  NUMBER(dlerror, dlerror() != NULL, 1);
  NUMBER(dlmopen, dlmopen(LM_ID_BASE, missing, RTLD_NOW) == NULL, 1);
  NUMBER(dlerror, dlerror() != NULL, 1);
  handle = dlopen("libc.so.6", RTLD_NOW);
  NUMBER(dlinfo, dlinfo(handle, 9999, name), -1);
  NUMBER(dlerror, dlerror() != NULL, 1);
  NUMBER(dlclose, dlclose(handle), 0);
  // Terminals: two pairs.
  int master = posix_openpt(O_RDWR | O_NOCTTY);
  if (master >= 0 && !grantpt(master) && !unlockpt(master)) {
    char copy[64];
    const char *slave = ptsname(master);
    strcpy(copy, slave);
    TEXT(ptsname, slave, copy);
    int terminal = open(slave, O_RDWR | O_NOCTTY);
    TEXT(ttyname, ttyname(terminal), copy);
  }
}

static void lookups(void) {
  struct passwd *user = rank ? getpwnam("daemon") : getpwnam("root");
  turn(rank);
  TEXT(getpwnam, user->pw_name, rank ? "daemon" : "root");
  user = getpwuid(rank ? user->pw_uid : 0);
  turn(rank);
  TEXT(getpwuid, user->pw_name, rank ? "daemon" : "root");
  struct group *group = rank ? getgrnam("daemon") : getgrnam("root");
  turn(rank);
  TEXT(getgrnam, group->gr_name, rank ? "daemon" : "root");
  group = getgrgid(rank ? group->gr_gid : 0);
  turn(rank);
  TEXT(getgrgid, group->gr_name, rank ? "daemon" : "root");
  struct hostent *host = gethostbyname(rank ? "127.0.0.3" : "127.0.0.4");
  turn(rank);
  TEXT(gethostbyname, host->h_name, rank ? "127.0.0.3" : "127.0.0.4");
  host = gethostbyname2(rank ? "127.0.0.3" : "127.0.0.4", AF_INET);
  turn(rank);
  TEXT(gethostbyname2, host->h_name, rank ? "127.0.0.3" : "127.0.0.4");
  // The system defines these names; without a database there are none.
  struct in_addr local = {htonl(INADDR_LOOPBACK)};
  host = gethostbyaddr(&local, sizeof local, AF_INET);
  char first[256] = "";
  if (host)
    strncpy(first, host->h_name, 255);
  turn(rank);
  TEXT(gethostbyaddr, host ? host->h_name : "", first);
  struct servent *service = getservbyname(rank ? "http" : "ssh", "tcp");
  turn(rank);
  if (service)
    NUMBER(getservbyname, ntohs(service->s_port), rank ? 80 : 22);
  service = getservbyport(htons(rank ? 80 : 22), "tcp");
  turn(rank);
  if (service)
    TEXT(getservbyport, service->s_name, rank ? "http" : "ssh");
  struct protoent *protocol = getprotobyname(rank ? "udp" : "tcp");
  turn(rank);
  if (protocol)
    NUMBER(getprotobyname, protocol->p_proto, rank ? 17 : 6);
  protocol = getprotobynumber(rank ? 17 : 6);
  turn(rank);
  if (protocol)
    TEXT(getprotobynumber, protocol->p_name, rank ? "udp" : "tcp");
}

static void numbers(void) {
  static char state[2][64];
  unsigned short seed[3] = {1, 2, 3 + rank}, start[3] = {7, 8, 9}, *old;
  unsigned short parameters[7] = {1, 2, 3, 4 + rank, 5, 6, 7};
  struct drand48_data plain48 = {0};
  struct random_data plain = {0};
  char plainState[64];
  int32_t wanted;
  long wanted48;
  double real;
  initstate_r(5 + rank, plainState, 64, &plain);
  char *before = initstate(5 + rank, state[rank], 64);
  turn(rank);
  random_r(&plain, &wanted);
  NUMBER(initstate, random(), wanted);
  random_r(&plain, &wanted);
  NUMBER(rand, rand(), wanted);
  NUMBER(setstate, setstate(before) == state[rank], 1);
  NUMBER(random, random(), 1804289383);
  setstate(state[rank]);
  random_r(&plain, &wanted);
  NUMBER(setstate, random(), wanted);
  srandom_r(17 + rank, &plain);
  srandom(17 + rank);
  turn(rank);
  random_r(&plain, &wanted);
  NUMBER(srandom, random(), wanted);
  srandom_r(18 + rank, &plain);
  srand(18 + rank);
  turn(rank);
  random_r(&plain, &wanted);
  NUMBER(srand, random(), wanted);

  srand48_r(3 + rank, &plain48);
  srand48(3 + rank);
  turn(rank);
  mrand48_r(&plain48, &wanted48);
  NUMBER(srand48, mrand48(), wanted48);
  lrand48_r(&plain48, &wanted48);
  NUMBER(lrand48, lrand48(), wanted48);
  seed48_r(seed, &plain48);
  old = seed48(seed);
  turn(rank);
  NUMBER(seed48, old[0] == plain48.__old_x[0] && old[1] == plain48.__old_x[1] && old[2] == plain48.__old_x[2], 1);
  drand48_r(&plain48, &real);
  NUMBER(drand48, drand48() == real, 1);
  lcong48_r(parameters, &plain48);
  lcong48(parameters);
  turn(rank);
  lrand48_r(&plain48, &wanted48);
  NUMBER(lcong48, lrand48(), wanted48);
  unsigned short mine[3] = {7, 8, 9};
  nrand48_r(start, &plain48, &wanted48);
  NUMBER(nrand48, nrand48(mine), wanted48);
  jrand48_r(start, &plain48, &wanted48);
  NUMBER(jrand48, jrand48(mine), wanted48);
  erand48_r(start, &plain48, &real);
  NUMBER(erand48, erand48(mine) == real, 1);

  double value = rank ? -0.5 : 0.5; // gamma(-0.5) is negative
  int expected = rank ? -1 : 1;
#define GAMMA(name, type)                                                                                              \
  do {                                                                                                                 \
    signgam = 0;                                                                                                       \
    volatile type log = name((type)value);                                                                             \
    turn(rank);                                                                                                        \
    NUMBER(name, signgam, expected);                                                                                   \
    NUMBER(name, log > 0.5 && log < 1.3, 1);                                                                           \
  } while (0)
  GAMMA(lgamma, double);
  GAMMA(lgammaf, float);
  GAMMA(lgammal, long double);
  GAMMA(gamma, double);
  GAMMA(gammaf, float);
  GAMMA(gammal, long double);
}

// A character in two pieces; the other rank starts another one in between. In the C locale a byte is a character, so
// this uses UTF-8, and is skipped if the system does not have it.
static void characters(void) {
  wchar_t wide = 0, many[8];
  char bytes[16];
  const char *text = rank ? "\xc3\xa9x" : "\xe2\x82\xacx"; // é, €
  const char *rest = text;
  const wchar_t *words = rank ? L"\u00e9" : L"\u20ac";
  int length = rank ? 2 : 3;
  wchar_t expected = rank ? 0xe9 : 0x20ac;
  NUMBER(mblen, mblen(text, 8), length);
  NUMBER(mbtowc, mbtowc(&wide, text, 8), length);
  NUMBER(mbtowc, wide, expected);
  NUMBER(wctomb, wctomb(bytes, expected), length);
  NUMBER(mbrlen, mbrlen(text, 1, NULL), (size_t)-2);
  NUMBER(mbrlen, mbrlen(text + 1, 7, NULL), length - 1);
  NUMBER(mbrtowc, mbrtowc(&wide, text, 1, NULL), (size_t)-2);
  NUMBER(mbrtowc, mbrtowc(&wide, text + 1, 7, NULL), length - 1);
  NUMBER(mbrtowc, wide, expected);
  NUMBER(wcrtomb, wcrtomb(bytes, expected, NULL), length);
  NUMBER(mbsnrtowcs, mbsnrtowcs(many, &rest, 1, 8, NULL), 0);
  NUMBER(mbsnrtowcs, mbsnrtowcs(many, &rest, length, 8, NULL), rank ? 2 : 2);
  rest = text;
  NUMBER(mbsrtowcs, mbsrtowcs(many, &rest, 8, NULL), 2);
  NUMBER(wcsrtombs, wcsrtombs(bytes, &words, 16, NULL), length);
  words = rank ? L"\u00e9" : L"\u20ac";
  NUMBER(wcsnrtombs, wcsnrtombs(bytes, &words, 1, 16, NULL), length);
  char32_t c32 = 0;
  char16_t c16 = 0;
  NUMBER(mbrtoc32, mbrtoc32(&c32, text, 1, NULL), (size_t)-2);
  NUMBER(mbrtoc32, mbrtoc32(&c32, text + 1, 7, NULL), length - 1);
  NUMBER(mbrtoc16, mbrtoc16(&c16, text, 1, NULL), (size_t)-2);
  NUMBER(mbrtoc16, mbrtoc16(&c16, text + 1, 7, NULL), length - 1);
  NUMBER(c32rtomb, c32rtomb(bytes, expected, NULL), length);
  // U+1F600 as two halves.
  NUMBER(c16rtomb, c16rtomb(bytes, 0xd83d, NULL), 0);
  NUMBER(c16rtomb, c16rtomb(bytes, 0xde00, NULL), 4);
}

static void tables(void) {
  char key[] = "key";
  ENTRY entry = {key, rank ? "one" : "zero"};
  NUMBER(hcreate, hcreate(10), 1);
  NUMBER(hsearch, hsearch(entry, ENTER) != NULL, 1);
  TEXT(hsearch, (const char *)hsearch(entry, FIND)->data, rank ? "one" : "zero");
  hdestroy();
  NUMBER(hdestroy, hcreate(10), 1);
}

extern int __posix_getopt(int, char *const *, const char *);

static void options(void) {
  static const struct option names[] = {{"name", required_argument, NULL, 'n'}, {NULL, 0, NULL, 0}};
  char program[] = "p", name[] = "-name", value[] = "v0", wrongOne[] = "-x", word[] = "word", letter[] = "-a";
  char *words[] = {program, name, value, wrongOne, NULL}, *others[] = {program, word, letter, NULL};
  value[1] += rank;
  wrongOne[1] += rank;
  opterr = 0;
  int found = getopt_long_only(4, words, "a", names, NULL);
  turn(rank);
  NUMBER(getopt_long_only, found, 'n');
  TEXT(optarg, optarg, rank ? "v1" : "v0");
  found = getopt(4, words, "a");
  turn(rank);
  NUMBER(getopt, found, '?');
  NUMBER(optopt, optopt, 'x' + rank);
  NUMBER(optind, optind, 4);
  optind = 0;
  NUMBER(posix_getopt, __posix_getopt(3, others, "a"), -1);
  optind = 0;
  NUMBER(getopt, getopt(3, others, "a"), 'a');
}

static void atEnd(void) { printf("rank %d ends: %d wrong\n", rank, wrong); }

extern char *setlocale(int, const char *);

int main(int argc, char **argv) {
#ifdef PLAIN
  rank = argc > 1;
#else
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
#endif
  answers();
  lookups();
  numbers();
  tables();
  options();
  struct timespec moment = {0, 1000};
  NUMBER(nanosleep, nanosleep(&moment, NULL), 0);
  atexit(atEnd);
  const char *locale = rank == 0 || argc ? setlocale(0 /* LC_CTYPE */, "C.UTF-8") : NULL;
  turn(rank);
  if (locale)
    characters();
#ifndef PLAIN
  MPI_Finalize();
#endif
  return wrong != 0;
}
