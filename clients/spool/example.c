/* The example at the head of fastjournal/spool.h, as a program: example FOLDER. */
#include <fastjournal/spool.h>
#include <stdio.h>

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  /* Begin of the example. */
  fj_spool* spool = fj_spool_open(argv[1], NULL);
  if (spool == NULL) {
    fprintf(stderr, "%s: %s\n", fj_spool_error_code(), fj_spool_error_text());
    return 1;
  }
  fj_spool_row* row = fj_spool_row_new("pages");
  fj_spool_set_text(row, "uri", "http://example.com/", FJ_SPOOL_NUL);
  fj_spool_set_integer(row, "size", 4711);
  fj_spool_set_priority(row, 20);
  if (fj_spool_save(spool, row) != 0) fprintf(stderr, "%s: %s\n", fj_spool_error_code(), fj_spool_error_text());
  fj_spool_row_free(row);
  fj_spool_ping(spool);
  fj_spool_close(spool);
  /* End of the example. */
  return 0;
}
