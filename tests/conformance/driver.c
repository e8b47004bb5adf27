/* The C API as a driver (README.md): fj_driver_c. C99 and POSIX; getline reads lines of any length. */
#define _POSIX_C_SOURCE 200809L
#include <fastjournal/fastjournal.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static fj_connection* connection;

static void fatal(const char* what) {
  fprintf(stderr, "fj_driver_c: %s: %s\n", what, fj_error_text());
  exit(1);
}

/* --- Lines --- */

static int hex(char c) { return c <= '9' ? c - '0' : c - 'A' + 10; }

/* In place; returns the size. */
static size_t unescape(char* text) {
  char* to = text;
  const char* from = text;
  while (*from != '\0') {
    if (*from == '%') {
      *to++ = (char)(hex(from[1]) * 16 + hex(from[2]));
      from += 3;
    } else {
      *to++ = *from++;
    }
  }
  *to = '\0';
  return (size_t)(to - text);
}

static void say_escaped(const char* bytes, size_t size) {
  size_t i;
  for (i = 0; i < size; ++i) {
    unsigned char c = (unsigned char)bytes[i];
    if ((c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || (c != 0 && strchr("_.:/+-", c)))
      putchar(c);
    else
      printf("%%%02X", c);
  }
}

static void say_name(const char* name) {
  putchar('\t');
  say_escaped(name, strlen(name));
  putchar('=');
}

static void say_text(const char* name, const char* text) {
  say_name(name);
  fputs("t:", stdout);
  say_escaped(text, strlen(text));
}

static void say_integer(const char* name, int64_t value) {
  say_name(name);
  printf("i:%" PRId64, value);
}

static void say_value(const fj_message* message, const char* name) {
  int kind = fj_get_kind(message, name);
  say_name(name);
  if (kind == FJ_TEXT || kind == FJ_BINARY) {
    size_t size = 0;
    const char* bytes = fj_get_text(message, name, &size);
    fputs(kind == FJ_TEXT ? "t:" : "b:", stdout);
    say_escaped(bytes, size);
  } else if (kind == FJ_REAL) {
    double real = 0;
    fj_get_real(message, name, &real);
    printf("r:%.17g", real);
  } else if (kind == FJ_BOOLEAN) {
    int64_t flag = 0;
    fj_get_integer(message, name, &flag);
    printf("f:%d", flag != 0);
  } else {
    int64_t integer = 0;
    uint64_t number = 0;
    if (fj_get_integer(message, name, &integer) == FJ_OK) {
      printf("i:%" PRId64, integer);
    } else {
      fj_get_unsigned(message, name, &number);
      printf("u:%" PRIu64, number);
    }
  }
}

static void say_message(const char* verb, const fj_message* message, int with_command) {
  size_t i;
  fputs(verb, stdout);
  if (with_command) say_text("command", fj_message_name(message));
  for (i = 0; i < fj_param_count(message); ++i) say_value(message, fj_param_name(message, i));
  putchar('\n');
}

static void say_end(int code) {
  static const char* const facts[] = {"parameter", "holder", "right", "state", "reason", "by", "table", "epoch"};
  size_t i;
  if (code == FJ_OK) return;
  fputs("error", stdout);
  say_text("code", fj_code_name(code));
  say_text("text", fj_error_text());
  for (i = 0; i < sizeof facts / sizeof *facts; ++i) {
    char name[32];
    if (fj_error_fact(facts[i]) == NULL) continue;
    snprintf(name, sizeof name, "fact.%s", facts[i]);
    say_text(name, fj_error_fact(facts[i]));
  }
  putchar('\n');
}

/* The parameters of a line, from its second word on. */
static void set_params(fj_message* message, char* words) {
  char* word;
  for (word = strtok(words, "\t"); word != NULL; word = strtok(NULL, "\t")) {
    char* value = strchr(word, '=');
    size_t size;
    int code = FJ_OK;
    if (value == NULL) fatal("a word without =");
    *value++ = '\0';
    unescape(word);
    size = unescape(value) - 2;
    switch (*value) {
      case 't': code = fj_set_text(message, word, value + 2, size); break;
      case 'b': code = fj_set_binary(message, word, value + 2, size); break;
      case 'i': code = fj_set_integer(message, word, strtoll(value + 2, NULL, 10)); break;
      case 'u': code = fj_set_unsigned(message, word, strtoull(value + 2, NULL, 10)); break;
      case 'r': code = fj_set_real(message, word, strtod(value + 2, NULL)); break;
      case 'f': code = fj_set_boolean(message, word, value[2] == '1'); break;
      default: fatal("an unknown kind of value");
    }
    if (code != FJ_OK) fatal("a parameter");
  }
}

static int64_t integer_or(const fj_message* message, const char* name, int64_t otherwise) {
  fj_get_integer(message, name, &otherwise);
  return otherwise;
}

/* --- Verbs: each returns a code, and has written `ok` if that is FJ_OK. --- */

static int ok(int code) {
  if (code == FJ_OK) puts("ok");
  return code;
}

static int ok_text(int code, const char* name, const char* text) {
  if (code != FJ_OK) return code;
  fputs("ok", stdout);
  say_text(name, text);
  putchar('\n');
  return FJ_OK;
}

static int ok_rows(int code, fj_reply* reply) {
  size_t i;
  for (i = 0; i < fj_reply_rows(reply); ++i) say_message("row", fj_reply_row(reply, i), 0);
  fj_reply_free(reply);
  return ok(code);
}

static int ok_messages(int code, fj_reply* reply) {
  size_t i;
  for (i = 0; i < fj_reply_count(reply); ++i) say_message("message", fj_reply_message(reply, i), 1);
  fj_reply_free(reply);
  return ok(code);
}

static int open_connection(const fj_message* params) {
  fj_options options;
  fj_options_init(&options);
  options.server = fj_get_text(params, "server", NULL);
  options.token = fj_get_text(params, "token", NULL);
  fj_close(connection);
  connection = fj_open(&options);
  return ok(connection == NULL ? fj_error_code() : FJ_OK);
}

static int put(const fj_message* row) {
  static const char* const results[] = {"", "inserted", "merged", "behind", "duplicate", "stale"};
  int result = 0;
  uint64_t number = 0;
  int code = fj_put(connection, row, &result, &number);
  if (code != FJ_OK) return code;
  fputs("ok", stdout);
  say_text("result", results[result]);
  say_integer("row", (int64_t)number);
  putchar('\n');
  return FJ_OK;
}

struct counts {
  int inserted, merged, behind, duplicate, stale, refused;
};

static void answered(void* context, uint64_t number, int code, const fj_reply* reply) {
  struct counts* counts = (struct counts*)context;
  const char* result = fj_get_text(fj_reply_message(reply, 0), "result", NULL);
  if (code != FJ_OK) {
    ++counts->refused;
    fputs("refused", stdout);
    say_integer("index", (int64_t)number);
    say_text("code", fj_code_name(code));
    putchar('\n');
    return;
  }
  counts->inserted += strcmp(result, "inserted") == 0;
  counts->merged += strcmp(result, "merged") == 0;
  counts->behind += strcmp(result, "behind") == 0;
  counts->duplicate += strcmp(result, "duplicate") == 0;
  counts->stale += strcmp(result, "stale") == 0;
}

static int many(const fj_message* params) {
  struct counts counts = {0, 0, 0, 0, 0, 0};
  fj_pipeline* pipeline = fj_pipeline_new(connection, 1024, answered, &counts);
  fj_message* row = fj_row_new(fj_get_text(params, "table", NULL));
  int64_t left = integer_or(params, "rows", 0);
  char* line = NULL;
  size_t room = 0;
  if (pipeline == NULL || row == NULL) return fj_error_code();
  for (; left > 0; --left) {
    char* words;
    if (getline(&line, &room, stdin) < 0) fatal("no row");
    line[strcspn(line, "\n")] = '\0';
    words = strchr(line, '\t');
    fj_message_clear(row);
    if (words != NULL) set_params(row, words + 1);
    if (fj_pipeline_put(pipeline, row) != FJ_OK) fatal("fj_pipeline_put");
  }
  fj_pipeline_finish(pipeline);
  fputs("ok", stdout);
  say_integer("inserted", counts.inserted);
  say_integer("merged", counts.merged);
  say_integer("behind", counts.behind);
  say_integer("duplicate", counts.duplicate);
  say_integer("stale", counts.stale);
  say_integer("refused", counts.refused);
  putchar('\n');
  free(line);
  fj_message_free(row);
  fj_pipeline_free(pipeline);
  return FJ_OK;
}

static int next(const fj_message* params) {
  fj_next_options options;
  fj_reply* rows = NULL;
  int code;
  fj_next_options_init(&options);
  options.count = (uint32_t)integer_or(params, "count", 0);
  options.wait_ms = (uint32_t)integer_or(params, "wait", 0);
  options.lease_ms = (uint64_t)integer_or(params, "lease", 0);
  options.domain = fj_get_text(params, "domain", NULL);
  options.worker = fj_get_text(params, "worker", NULL);
  code = fj_next(connection, fj_get_text(params, "table", NULL), &options, &rows);
  return ok_rows(code, rows);
}

static int touch(const fj_message* params) {
  int64_t lease_end = 0;
  int code = fj_touch(connection, params, (uint64_t)integer_or(params, "lease", 0), &lease_end);
  if (code != FJ_OK) return code;
  fputs("ok", stdout);
  say_integer("lease_end", lease_end);
  putchar('\n');
  return FJ_OK;
}

static int give_back(const fj_message* params, int failed) {
  static const char* const fates[] = {"", "released", "parked", "deleted"};
  const char* error = fj_get_text(params, "error", NULL);
  int fate = 0;
  int code = failed ? fj_fail(connection, params, error, &fate)
                    : fj_release(connection, params, error, integer_or(params, "delay", -1), &fate);
  return ok_text(code, "fate", fates[fate]);
}

static int listen_to(const fj_message* params) {
  fj_listen_options options;
  const char* mode = fj_get_text(params, "mode", NULL);
  fj_listen_options_init(&options);
  if (mode != NULL) options.mode = strcmp(mode, "row") == 0 ? FJ_EACH : strcmp(mode, "deliver") == 0 ? FJ_DELIVER : FJ_WAKE;
  options.credit = (uint32_t)integer_or(params, "credit", 0);
  options.domain = fj_get_text(params, "domain", NULL);
  return ok(fj_listen(connection, fj_get_text(params, "table", NULL), &options));
}

static int wait_notice(const fj_message* params) {
  static const char* const kinds[] = {"other", "work", "due", "missed", "delivered"};
  fj_message* notice = NULL;
  size_t i;
  int code = fj_wait(connection, integer_or(params, "limit", 0), -1, &notice);
  if (code != FJ_OK) return code;
  fputs("ok", stdout);
  say_text("kind", kinds[fj_notice_kind(notice)]);
  for (i = 0; i < fj_param_count(notice); ++i) say_value(notice, fj_param_name(notice, i));
  putchar('\n');
  fj_message_free(notice);
  return FJ_OK;
}

static int send_message(fj_message* message) {
  static const char* const results[] = {"", "sent", "duplicate"};
  size_t size = 0;
  int result = 0;
  uint64_t number = 0;
  int code;
  if (fj_get_kind(message, "body") == FJ_BINARY) {
    /* A message has no parameter less: a new one without `body`. */
    const void* bytes = fj_get_binary(message, "body", &size);
    fj_message* other = fj_queue_message_new(fj_get_text(message, "table", NULL), fj_get_text(message, "queue", NULL));
    fj_set_binary(other, "body_binary", bytes, size);
    code = fj_queue_send(connection, other, &result, &number);
    fj_message_free(other);
  } else {
    code = fj_queue_send(connection, message, &result, &number);
  }
  if (code != FJ_OK) return code;
  fputs("ok", stdout);
  say_text("result", results[result]);
  say_integer("message", (int64_t)number);
  putchar('\n');
  return FJ_OK;
}

/* As the other drivers show it. */
static void say_queue_message(const fj_message* message) {
  size_t i;
  for (i = 0; i < fj_param_count(message); ++i) {
    const char* name = fj_param_name(message, i);
    if (strcmp(name, "body_binary") != 0) say_value(message, name);
  }
  if (fj_get_kind(message, "body_binary") == FJ_BINARY) {
    size_t size = 0;
    const void* bytes = fj_get_binary(message, "body_binary", &size);
    fj_message* shown = fj_message_new("MESSAGE");
    fj_set_binary(shown, "body", bytes, size);
    say_value(shown, "body");
    fj_message_free(shown);
  }
}

static int acquire(const fj_message* params) {
  fj_queue_options options;
  fj_reply* messages = NULL;
  size_t i;
  int code;
  fj_queue_options_init(&options);
  options.count = (uint32_t)integer_or(params, "count", 0);
  options.wait_ms = (uint32_t)integer_or(params, "wait", 0);
  options.lease_ms = (uint64_t)integer_or(params, "lease", 0);
  options.accept = (uint32_t)integer_or(params, "accept", 0);
  options.queue = fj_get_text(params, "queue", NULL);
  options.worker = fj_get_text(params, "worker", NULL);
  code = fj_queue_acquire(connection, fj_get_text(params, "table", NULL), &options, &messages);
  for (i = 0; i < fj_reply_rows(messages); ++i) {
    fputs("row", stdout);
    say_queue_message(fj_reply_row(messages, i));
    putchar('\n');
  }
  fj_reply_free(messages);
  return ok(code);
}

static int give_message_back(const fj_message* params, int rejected) {
  static const char* const fates[] = {"", "released", "parked", "deleted", "dead"};
  const char* error = fj_get_text(params, "error", NULL);
  int fate = 0;
  int code = rejected ? fj_queue_reject(connection, params, error, &fate)
                      : fj_release(connection, params, error, -1, &fate);
  return ok_text(code, "fate", fates[fate]);
}

static int follow(const fj_message* params) {
  fj_queue_options options;
  fj_queue_options_init(&options);
  options.queue = fj_get_text(params, "queue", NULL);
  options.credit = (uint32_t)integer_or(params, "credit", 0);
  return ok(fj_queue_listen(connection, fj_get_text(params, "table", NULL), &options));
}

static int is(const char* verb, const char* wanted) { return strcmp(verb, wanted) == 0; }

static int act(const char* verb, char* words) {
  char none[] = "";
  fj_message* params = fj_message_new(is(verb, "put") ? "INSERT" : is(verb, "send") ? "SEND" : verb);
  fj_reply* reply = NULL;
  int code;
  set_params(params, words == NULL ? none : words);
  if (is(verb, "open")) {
    code = open_connection(params);
  } else if (is(verb, "put")) {
    code = put(params);
  } else if (is(verb, "many")) {
    code = many(params);
  } else if (is(verb, "next")) {
    code = next(params);
  } else if (is(verb, "touch")) {
    code = touch(params);
  } else if (is(verb, "done")) {
    code = ok(fj_done(connection, params));
  } else if (is(verb, "done_next")) {
    code = fj_done_and_next(connection, params, &reply);
    code = ok_rows(code, reply);
  } else if (is(verb, "release") || is(verb, "fail")) {
    code = give_back(params, is(verb, "fail"));
  } else if (is(verb, "why")) {
    code = fj_why(connection, params, &reply);
    code = ok_messages(code, reply);
  } else if (is(verb, "listen")) {
    code = listen_to(params);
  } else if (is(verb, "unlisten")) {
    code = ok(fj_unlisten(connection, fj_get_text(params, "table", NULL), fj_get_text(params, "domain", NULL)));
  } else if (is(verb, "send")) {
    code = send_message(params);
  } else if (is(verb, "acquire")) {
    code = acquire(params);
  } else if (is(verb, "accept")) {
    code = ok(fj_queue_accept(connection, params));
  } else if (is(verb, "renew")) {
    code = touch(params);
  } else if (is(verb, "give_back") || is(verb, "reject")) {
    code = give_message_back(params, is(verb, "reject"));
  } else if (is(verb, "follow")) {
    code = follow(params);
  } else if (is(verb, "wait") || is(verb, "wait_message")) {
    code = wait_notice(params);
  } else if (is(verb, "call")) {
    fj_message* command = fj_message_new(fj_get_text(params, "command", NULL));
    size_t i;
    for (i = 0; i < fj_param_count(params); ++i) {
      const char* name = fj_param_name(params, i);
      size_t size = 0;
      const char* text = fj_get_text(params, name, &size);
      if (is(name, "command")) continue;
      if (text != NULL) {
        fj_set_text(command, name, text, size);
      } else {
        fj_set_integer(command, name, integer_or(params, name, 0));
      }
    }
    code = fj_call(connection, command, &reply);
    code = ok_messages(code, reply);
    fj_message_free(command);
  } else {
    fatal("an unknown verb");
    code = FJ_INVALID;
  }
  fj_message_free(params);
  return code;
}

int main(void) {
  char* line = NULL;
  size_t room = 0;
  while (getline(&line, &room, stdin) >= 0) {
    char* words;
    line[strcspn(line, "\n")] = '\0';
    words = strchr(line, '\t');
    if (words != NULL) *words++ = '\0';
    say_end(act(line, words));
    fflush(stdout);
  }
  free(line);
  fj_close(connection);
  return 0;
}
