/* A producer in C11: rows, refusals, and a disk that is full: from_c FOLDER. Says what is wrong, and ends with 1. */
#define _POSIX_C_SOURCE 200809L
#include <fastjournal/spool.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#define EXPECT(condition)                                                                                           \
  do {                                                                                                              \
    if (!(condition)) {                                                                                             \
      fprintf(stderr, "line %d: %s; %s: %s\n", __LINE__, #condition, fj_spool_error_code(), fj_spool_error_text()); \
      exit(1);                                                                                                      \
    }                                                                                                               \
  } while (0)

int main(int argc, char** argv) {
  fj_spool_options options;
  struct rlimit limit = {4096, 4096};
  static char large[8192];
  if (argc != 2) return 2;

  fj_spool_options_init(&options);
  options.sync = FJ_SPOOL_SYNC_INTERVAL;
  options.interval_ms = 5;
  fj_spool* spool = fj_spool_open(argv[1], &options);
  EXPECT(spool != NULL);
  fj_spool_row* row = fj_spool_row_new("pages");
  EXPECT(row != NULL);
  EXPECT(fj_spool_set_text(row, "uri", "http://example.com/", FJ_SPOOL_NUL) == 0);
  EXPECT(fj_spool_save(spool, row) == 0);
  EXPECT(fj_spool_set_integer(row, "sequence", 1) == 0);
  EXPECT(fj_spool_save(spool, row) == -1);
  EXPECT(strcmp(fj_spool_error_code(), "bad_parameter") == 0);
  EXPECT(strcmp(fj_spool_error_fact("parameter"), "sequence") == 0);

  /* As a disk that is full. */
  signal(SIGXFSZ, SIG_IGN);
  EXPECT(setrlimit(RLIMIT_FSIZE, &limit) == 0);
  EXPECT(fj_spool_row_clear(row) == 0);
  memset(large, 'x', sizeof large);
  EXPECT(fj_spool_set_binary(row, "blob", large, sizeof large) == 0);
  EXPECT(fj_spool_save(spool, row) == -1);
  EXPECT(strstr(fj_spool_error_text(), argv[1]) != NULL);
  EXPECT(fj_spool_error_fact("path") != NULL);

  EXPECT(fj_spool_row_clear(row) == 0);
  fj_spool_row_free(row);
  fj_spool_close(spool);

  /* Another one, in a file that has room. */
  options.sync = FJ_SPOOL_SYNC_EACH;
  options.period_s = 7;
  spool = fj_spool_open(argv[1], &options);
  EXPECT(spool != NULL);
  row = fj_spool_row_new("pages");
  EXPECT(fj_spool_save(spool, row) == 0);
  fj_spool_row_free(row);
  fj_spool_close(spool);
  return 0;
}
