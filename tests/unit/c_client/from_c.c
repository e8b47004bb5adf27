/* The C API from C99: from_c ADDRESS, of a daemon with the table "jobs" (key `name`, `payload`). A producer and a worker,
 * refusals, and many rows. Says what is wrong, and ends with 1. */
#include <fastjournal/fastjournal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPECT(condition)                                                                            \
  do {                                                                                               \
    if (!(condition)) {                                                                              \
      fprintf(stderr, "line %d: %s; last failure: %s: %s\n", __LINE__, #condition,                   \
              fj_code_name(fj_error_code()), fj_error_text());                                       \
      exit(1);                                                                                       \
    }                                                                                                \
  } while (0)

struct answers {
  uint64_t seen;
  uint64_t refused;
  uint64_t last_refused;
  int merged;
};

static void on_answer(void* context, uint64_t number, int code, const fj_reply* reply) {
  struct answers* answers = (struct answers*)context;
  EXPECT(number == answers->seen);
  ++answers->seen;
  if (code != FJ_OK) {
    ++answers->refused;
    answers->last_refused = number;
    EXPECT(reply == NULL);
    EXPECT(fj_error_code() == code);
    return;
  }
  EXPECT(strcmp(fj_message_name(fj_reply_message(reply, 0)), "INSERTED") == 0);
  if (strcmp(fj_get_text(fj_reply_message(reply, 0), "result", NULL), "merged") == 0) ++answers->merged;
}

static void producer_and_worker(fj_connection* connection) {
  fj_message* row = fj_row_new("jobs");
  fj_reply* work = NULL;
  fj_next_options next;
  const fj_message* leased;
  uint64_t number = 0;
  int64_t integer = -1;
  int result = 0;
  int fate = 0;
  size_t size = 0;
  EXPECT(row != NULL);
  EXPECT(fj_set_text(row, "name", "one", FJ_NUL) == FJ_OK);
  EXPECT(fj_set_text(row, "payload", "four bytes", 4) == FJ_OK);
  EXPECT(fj_set_integer(row, "priority", 7) == FJ_OK);
  EXPECT(fj_put(connection, row, &result, &number) == FJ_OK);
  EXPECT(result == FJ_INSERTED && number != 0);
  EXPECT(fj_put(connection, row, &result, NULL) == FJ_OK);
  EXPECT(result == FJ_MERGED);

  fj_next_options_init(&next);
  next.count = 5;
  next.worker = "from C";
  next.lease_ms = 60000;
  EXPECT(fj_next(connection, "jobs", &next, &work) == FJ_OK);
  EXPECT(fj_reply_count(work) == 1 && fj_reply_rows(work) == 1 && fj_reply_row(work, 1) == NULL);
  leased = fj_reply_row(work, 0);
  EXPECT(strcmp(fj_get_text(leased, "payload", &size), "four") == 0 && size == 4);
  EXPECT(fj_get_integer(leased, "priority", &integer) == FJ_OK && integer == 7);
  EXPECT(fj_touch(connection, leased, 0, &integer) == FJ_OK && integer > 0);
  EXPECT(fj_release(connection, leased, "not today", 0, &fate) == FJ_OK && fate == FJ_RELEASED);
  EXPECT(fj_done(connection, leased) == FJ_NOT_LEASED);
  EXPECT(fj_error_code() == FJ_NOT_LEASED && strstr(fj_error_text(), "jobs") != NULL);
  fj_reply_free(work);

  EXPECT(fj_next(connection, "jobs", NULL, &work) == FJ_OK && fj_reply_rows(work) == 1);
  leased = fj_reply_row(work, 0);
  EXPECT(fj_get_integer(leased, "attempts", &integer) == FJ_OK && integer == 1);
  EXPECT(fj_fail(connection, leased, "never", &fate) == FJ_OK && fate == FJ_PARKED);
  fj_reply_free(work);
  EXPECT(fj_message_clear(row) == FJ_OK);
  EXPECT(fj_set_text(row, "name", "one", FJ_NUL) == FJ_OK);
  EXPECT(fj_why(connection, row, &work) == FJ_OK);
  EXPECT(strcmp(fj_get_text(fj_reply_message(work, 0), "state", NULL), "parked") == 0);
  fj_reply_free(work);
  fj_message_free(row);
}

static void refusals(fj_connection* connection) {
  fj_message* row = fj_row_new("jobs");
  fj_message* list = fj_message_new("LIST");
  fj_reply* reply = (fj_reply*)row; /* overwritten by NULL */
  EXPECT(fj_set_text(row, "colour", "red", FJ_NUL) == FJ_OK);
  EXPECT(fj_put(connection, row, NULL, NULL) == FJ_UNKNOWN_PARAMETER);
  EXPECT(strcmp(fj_error_fact("parameter"), "colour") == 0 && fj_error_fact("no such fact") == NULL);
  EXPECT(fj_set_text(list, "table", "no_such_table", FJ_NUL) == FJ_OK);
  EXPECT(fj_call(connection, list, &reply) == FJ_UNKNOWN_TABLE && reply == NULL);
  fj_message_free(list);
  fj_message_free(row);
}

static void many(fj_connection* connection) {
  enum { ROWS = 5000, BAD = 1234 };
  struct answers answers = {0, 0, 0, 0};
  fj_pipeline* pipeline = fj_pipeline_new(connection, 256, on_answer, &answers);
  fj_message* row = fj_row_new("jobs");
  char name[32];
  int i;
  EXPECT(pipeline != NULL && row != NULL);
  for (i = 0; i < ROWS; ++i) {
    snprintf(name, sizeof name, "row %d", i / 2);
    EXPECT(fj_message_clear(row) == FJ_OK);
    EXPECT(fj_set_text(row, i == BAD ? "payload" : "name", name, FJ_NUL) == FJ_OK);
    EXPECT(fj_pipeline_put(pipeline, row) == FJ_OK);
  }
  EXPECT(fj_pipeline_finish(pipeline) == FJ_MISSING_PARAMETER);
  EXPECT(answers.seen == ROWS && answers.refused == 1 && answers.last_refused == BAD);
  EXPECT(answers.merged == ROWS / 2 - 1);
  EXPECT(fj_pipeline_finish(pipeline) == FJ_OK);
  fj_pipeline_free(pipeline);
  fj_message_free(row);
}

int main(int argc, char** argv) {
  fj_options options;
  fj_connection* connection;
  if (argc != 2) return 2;
  EXPECT(fj_api() >= FJ_API);
  fj_options_init(&options);
  options.server = argv[1];
  connection = fj_open(&options);
  EXPECT(connection != NULL);
  producer_and_worker(connection);
  refusals(connection);
  many(connection);
  EXPECT(fj_connects(connection) == 1);
  fj_close(connection);
  return 0;
}
