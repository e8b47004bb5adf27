/* A client of fastjournald, for C and for whatever can call C: rows are put, leased, and done; values are set, read and
 * watched. Link with -lfastjournal.
 *
 * A worker that puts a row and works on it (clients/c/README.md has more):
 *
 *     fj_connection* connection = fj_open(NULL);
 *     if (connection == NULL) {
 *       fprintf(stderr, "%s: %s\n", fj_code_name(fj_error_code()), fj_error_text());
 *       return 1;
 *     }
 *     fj_message* row = fj_row_new("pages");
 *     fj_set_text(row, "uri", "http://example.com/", FJ_NUL);
 *     fj_set_integer(row, "priority", 20);
 *     if (fj_put(connection, row, NULL, NULL) != FJ_OK) fprintf(stderr, "%s\n", fj_error_text());
 *     fj_message_free(row);
 *
 *     fj_reply* work = NULL;
 *     if (fj_next(connection, "pages", NULL, &work) == FJ_OK) {
 *       for (size_t i = 0; i < fj_reply_rows(work); ++i) {
 *         const fj_message* leased = fj_reply_row(work, i);
 *         printf("working on %s\n", fj_get_text(leased, "uri", NULL));
 *         fj_done(connection, leased);
 *       }
 *       fj_reply_free(work);
 *     }
 *     fj_close(connection);
 *
 * Results: what makes something returns it, or NULL. Functions that return `int` return FJ_OK or another FJ_... code,
 * if nothing else is said. Of a failure, fj_error_code and its companions tell more. A NULL where a pointer is needed is
 * a failure, FJ_BAD_PARAMETER; "may be NULL" says where none is needed. No function calls exit, raises a signal or
 * throws. Too little memory is FJ_NO_SPACE; a connection on which that happened answers FJ_CLOSED from then on.
 *
 * Memory: what is given to a function is copied. What a function returns with a ..._free is the caller's. Texts that
 * are returned belong to the object they were asked of, and are valid until it is changed or freed; they end with a NUL
 * that is not counted. All ..._free and fj_close take NULL.
 *
 * Threads: a connection, with its pipelines, belongs to one thread at a time, and so does a message or a reply. Different
 * ones may be used by different threads at once. Nothing happens between calls. A callback must not call the connection
 * it is about: FJ_WRONG_STATE. In a child of fork the connections of its parent answer FJ_NOT_SUPPORTED, and fj_close only
 * closes the child's descriptors: a child connects itself.
 *
 * Dates are milliseconds since 1970, UTC; spans are milliseconds. Texts are UTF-8. */
#ifndef FASTJOURNAL_H
#define FASTJOURNAL_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fj_connection fj_connection;
typedef struct fj_message fj_message;
typedef struct fj_reply fj_reply;
typedef struct fj_pipeline fj_pipeline;

/* --- Codes ---------------------------------------------------------------------------------------------------------
 * As in doc/protocol.md, section 7, where each has a line about what to do. Later versions may add some: an unknown one
 * is a failure like any other. */
enum {
  FJ_OK = 0,
  FJ_INVALID = 1,
  FJ_UNKNOWN_COMMAND = 2,
  FJ_UNKNOWN_TABLE = 3,
  FJ_UNKNOWN_ROW = 4, /* done, deleted, expired or never there */
  FJ_MISSING_PARAMETER = 5,
  FJ_UNKNOWN_PARAMETER = 6,
  FJ_BAD_PARAMETER = 7,
  FJ_TOO_LARGE = 8,
  FJ_OVER_LIMIT = 9,
  FJ_STALE_EPOCH = 10, /* another worker has the row by now: drop the work */
  FJ_STALE_SEQUENCE = 11,
  FJ_NOT_LEASED = 12, /* the lease is over: drop the work */
  FJ_EXPIRED = 13,
  FJ_WRONG_STATE = 14,
  FJ_PAUSED = 15,
  FJ_NO_SPACE = 16, /* of the daemon's disk or memory, or of this program's memory */
  FJ_NOT_SUPPORTED = 17,
  FJ_NOT_ALLOWED = 18,
  FJ_UNAVAILABLE = 19, /* the daemon cannot be reached */
  FJ_TIMED_OUT = 20,   /* no answer within the time limit; nothing within that of fj_wait */
  FJ_CLOSED = 21,      /* the connection was lost: whether the command was carried out is not known */
  FJ_IN_USE = 22,
  FJ_NOT_FOUND = 23,
  FJ_BAD_CONFIGURATION = 24,
  FJ_DAMAGED = 25,
  FJ_IO_ERROR = 26,
  FJ_IN_TRANSACTION = 27, /* a transaction that is not over holds it: try again */
  FJ_ROLLED_BACK = 28,    /* nothing of the transaction was done */
  FJ_MOVED = 29           /* another node decides for this table, and could not be reached; `address` is where */
};

/* The name on the wire: "unknown_row". "unknown" for a number that is no code. */
const char* fj_code_name(int code);

/* Of the last failure in this thread; a success does not change it. Texts are valid until the next failure in this
 * thread. */
int fj_error_code(void);                     /* FJ_OK: none so far */
const char* fj_error_text(void);             /* a sentence: what happened, where, what was expected */
const char* fj_error_fact(const char* name); /* "parameter", "holder", ...: parameters of ERROR. NULL: no such fact */

/* "0.1.0": the version of the library that runs. */
const char* fj_version(void);

/* The functions of this header. What a header with a larger number added is not there in a library whose fj_api()
 * returns a smaller one. */
#define FJ_API 6
int fj_api(void);

/* --- Connections --------------------------------------------------------------------------------------------------- */

enum { FJ_RECONNECT = 0, FJ_RECONNECT_NEVER = 1 };

/* A connection was lost: `code` is not FJ_OK, `text` has the reason. Or it is back: FJ_OK. */
typedef void (*fj_on_connection)(void* context, int code, const char* text);

/* A member that is 0 or NULL has its default. Later versions add members at the end: fj_options_init sets `size`, by
 * which the library knows how many there are. */
typedef struct fj_options {
  size_t size;
  /* "127.0.0.1:4050" (the default), "[::1]:4050", "name:4050", "unix:/run/fastjournal.sock", "/run/fastjournal.sock"; with
   * "tls:" before it, encrypted: the daemon's certificate must be for this name, or "localhost" on a unix socket.
   * Several, separated by commas, are daemons with the same tables: the first that answers, and after a loss the next.
   * Commands of a table that another daemon decides for go there by themselves. */
  const char* server;
  /* Files for "tls:", in PEM format: the authorities that are trusted (the system's), and this client's certificate
   * with its key (none). */
  const char* ca_file;
  const char* certificate_file;
  const char* key_file;
  const char* token; /* of a user, shown to the daemon on each new connection; none */
  /* The name under which puts are numbered, at most 128 bytes, which no earlier run of any program used: a row whose
   * answer was lost is sent again and counts once. The default is drawn. */
  const char* client;
  uint32_t time_limit_ms;         /* of a command, with reconnects; `wait` of a NEXT is added. 30,000 */
  uint32_t connect_limit_ms;      /* of one attempt to connect. 5,000 */
  uint32_t reconnect;             /* FJ_RECONNECT: after 1, 1, 1, 3, 5, 10, 20, 30, then 60 s; or FJ_RECONNECT_NEVER */
  uint32_t in_flight_max;         /* commands in flight: up to 1,048,576; 4,096 */
  uint32_t pushes_max;            /* notices that were not fetched. 65,536; further ones are counted and dropped */
  uint32_t reconnect_ms;          /* all pauses before attempts to reconnect, instead of those above */
  uint64_t message_bytes_max;     /* of one answer: up to 2^30. 67,108,864 */
  fj_on_connection on_connection; /* called within the call that notices; for people */
  void* context;                  /* of on_connection */
} fj_options;

#define fj_options_init(options) fj_options_init_sized((options), sizeof(fj_options))
void fj_options_init_sized(fj_options* options, size_t size);

/* Connects, with one attempt. `options` may be NULL. FJ_UNAVAILABLE: nobody answers there; FJ_NOT_ALLOWED: the token or
 * the certificate is refused; FJ_BAD_PARAMETER: the address is none, or an option is out of its range.
 *
 * Later losses are repaired within calls: subscriptions are made again, and commands are sent again that may be sent
 * twice: those that only read, NEXT, TOUCH, DONE, ACQUIRE, ACCEPT, numbered puts, sends and changes of values. All
 * others end with FJ_CLOSED. */
fj_connection* fj_open(const fj_options* options);
/* The daemon returns leased rows after the table's grace. Not from a callback. Its pipelines must be freed before. */
void fj_close(fj_connection* connection);

/* The name under which puts are numbered. */
const char* fj_client_name(const fj_connection* connection);
/* Connections that were made, lost ones to other daemons, and tables that moved: more than before says that what belongs
 * to a connection, such as locks, may be over. 0 for NULL. */
uint64_t fj_connects(const fj_connection* connection);
/* Notices that were dropped, see pushes_max. Leased rows never are. 0 for NULL. */
uint64_t fj_pushes_dropped(const fj_connection* connection);

/* --- Messages: rows, commands and answers --------------------------------------------------------------------------
 * A message has a name and parameters: at most 255, and 64 MiB. Those of a row are its columns, and priority,
 * process_date, expiration_date, insertion_date, client, sequence. */

/* A command of doc/protocol.md by its name: "LIST". */
fj_message* fj_message_new(const char* command);
/* A row to put: the message INSERT with the table. */
fj_message* fj_row_new(const char* table);
fj_message* fj_message_copy(const fj_message* message);
/* Without parameters again, except `table`: cheaper than a new one. */
int fj_message_clear(fj_message* message);
void fj_message_free(fj_message* message);

/* As `size` of a text: it ends with a NUL. */
#define FJ_NUL SIZE_MAX

/* Sets a parameter, or sets it again. FJ_TOO_LARGE: beyond the limits above; values that were set before count until
 * fj_message_clear. */
int fj_set_text(fj_message* message, const char* name, const char* text, size_t size);
int fj_set_binary(fj_message* message, const char* name, const void* bytes, size_t size); /* of buffer columns */
int fj_set_integer(fj_message* message, const char* name, int64_t value);
int fj_set_unsigned(fj_message* message, const char* name, uint64_t value);
int fj_set_real(fj_message* message, const char* name, double value);
int fj_set_boolean(fj_message* message, const char* name, int value);
/* A date `milliseconds` (0 or more) after the daemon reads the message: of process_date, expiration_date. */
int fj_set_from_now(fj_message* message, const char* name, int64_t milliseconds);

enum { FJ_ABSENT = 0, FJ_TEXT = 1, FJ_BINARY = 2, FJ_INTEGER = 3, FJ_UNSIGNED = 4, FJ_REAL = 5, FJ_BOOLEAN = 6 };

/* "ROW", "INSERTED", ... NULL for NULL. */
const char* fj_message_name(const fj_message* message);
/* The kind of a parameter's value: FJ_TEXT, ..., or FJ_ABSENT. */
int fj_get_kind(const fj_message* message, const char* name);
/* A text, or the bytes of a buffer; size may be NULL. NULL, without a failure: it is absent or a number. Never NULL for
 * an empty one. */
const char* fj_get_text(const fj_message* message, const char* name, size_t* size);
const void* fj_get_binary(const fj_message* message, const char* name, size_t* size);
/* A number, or a text that spells it. FJ_NOT_FOUND: it is absent; FJ_BAD_PARAMETER: it is no such number. Then `value`
 * stays as it is. A boolean is 1 or 0. */
int fj_get_integer(const fj_message* message, const char* name, int64_t* value);
int fj_get_unsigned(const fj_message* message, const char* name, uint64_t* value);
int fj_get_real(const fj_message* message, const char* name, double* value);
/* The parameters, in their order. NULL: there is none with this index. */
size_t fj_param_count(const fj_message* message);
const char* fj_param_name(const fj_message* message, size_t index);
/* 1: a parameter of this name in a ROW is a column; 0: it describes the row (row, epoch, priority, lease_end, ...). */
int fj_is_column(const char* name);

/* An answer: one message or, for NEXT, LIST, STATS, ..., several. */
size_t fj_reply_count(const fj_reply* reply); /* at least 1; 0 for NULL */
const fj_message* fj_reply_message(const fj_reply* reply, size_t index);
/* Those that are rows, ROW, or messages of a queue, MESSAGE. */
size_t fj_reply_rows(const fj_reply* reply);
const fj_message* fj_reply_row(const fj_reply* reply, size_t index);
/* 1: the command was sent again after a loss. */
int fj_reply_resent(const fj_reply* reply);
void fj_reply_free(fj_reply* reply);

/* --- Commands ------------------------------------------------------------------------------------------------------
 * Besides the codes that are named, each may return the daemon's refusals (doc/protocol.md, section 7), FJ_TIMED_OUT,
 * FJ_CLOSED, FJ_UNAVAILABLE and FJ_NOT_ALLOWED. With a failure nothing is stored where results go, but NULL for a
 * reply. */

/* Any command. `reply` may be NULL. */
int fj_call(fj_connection* connection, const fj_message* command, fj_reply** reply);

enum {
  FJ_INSERTED = 1,  /* a new row */
  FJ_MERGED = 2,    /* into the waiting row of this key */
  FJ_BEHIND = 3,    /* a worker has the row of this key: this one waits behind it */
  FJ_DUPLICATE = 4, /* client and sequence are known: nothing changed */
  FJ_STALE = 5      /* insertion_date is older than the row's: nothing changed */
};

/* Puts a row: when it returns FJ_OK, the row is on the disk. It is numbered, unless it has `client` and `sequence`.
 * `result` (FJ_INSERTED, ...) and `number` (of the row) may be NULL. After FJ_TIMED_OUT or FJ_UNAVAILABLE it is not known
 * whether the row is in: to put it again without a duplicate, number it with a `client` and `sequence` of your own. */
int fj_put(fj_connection* connection, const fj_message* row, int* result, uint64_t* number);

/* A member that is 0 or NULL has its default. */
typedef struct fj_next_options {
  size_t size;
  uint32_t count;     /* rows, at most: 1 to 1024; 1 */
  uint32_t wait_ms;   /* for the first row, up to a day; none */
  uint64_t lease_ms;  /* the table's processing-timeout */
  const char* domain; /* rows of this domain only */
  const char* worker; /* a name that is shown to people */
} fj_next_options;

#define fj_next_options_init(options) fj_next_options_init_sized((options), sizeof(fj_next_options))
void fj_next_options_init_sized(fj_next_options* options, size_t size);

/* Leases rows. `options` may be NULL. FJ_OK without rows: there is no work; `next_date` of the answer, if any, is the
 * date of the next row. FJ_PAUSED: the table is paused. */
int fj_next(fj_connection* connection, const char* table, const fj_next_options* options, fj_reply** rows);

/* About a leased row: a ROW of fj_next or fj_wait, or any message with its table, row and epoch. fj_touch and fj_release
 * take a message of a queue as well. FJ_STALE_EPOCH, FJ_NOT_LEASED, FJ_UNKNOWN_ROW: the lease is over. */

/* Renews the lease, by the table's processing-timeout if lease_ms is 0, and moves it to this connection. `lease_end` may
 * be NULL. */
int fj_touch(fj_connection* connection, const fj_message* row, uint64_t lease_ms, int64_t* lease_end);
/* The row is finished, and deleted. */
int fj_done(fj_connection* connection, const fj_message* row);
/* The same, and the next row, in one round trip. */
int fj_done_and_next(fj_connection* connection, const fj_message* row, fj_reply** rows);

enum {
  FJ_RELEASED = 1,
  FJ_PARKED = 2,
  FJ_DELETED = 3,
  FJ_DEAD = 4 /* of a message of a queue: it is with the dead letters */
};

/* Returns the row. With an error (1 KiB is kept) this is a failed attempt: the row rests for the table's back-off, and
 * after too many it is given up. `error` may be NULL: nothing is counted, and the row is due at once. delay_ms of 0 or
 * more: it is due then. `fate` (FJ_RELEASED, ...) may be NULL. */
int fj_release(fj_connection* connection, const fj_message* row, const char* error, int64_t delay_ms, int* fate);
/* Gives the row up at once: for one that can never succeed. `error` and `fate` may be NULL. */
int fj_fail(fj_connection* connection, const fj_message* row, const char* error, int* fate);

/* A member that is 0 or NULL has its default. */
typedef struct fj_give_back_options {
  size_t size;
  const char* error; /* as of fj_release */
  const char*
      error_trace;   /* where it went wrong, as a traceback: 16 KiB are kept, which WHY shows. None; a failed attempt */
  uint64_t delay_ms; /* it is due so much later; after the table's back-off, without an error at once */
  uint32_t permanent;       /* 1: it can never succeed, as of fj_fail and fj_queue_reject; then delay_ms is 0 */
  const uint32_t* priority; /* of a message, since FJ_API 6: its new one. It keeps its own; NULL with permanent */
} fj_give_back_options;

#define fj_give_back_options_init(options) fj_give_back_options_init_sized((options), sizeof(fj_give_back_options))
void fj_give_back_options_init_sized(fj_give_back_options* options, size_t size);

/* Since FJ_API 5: fj_release, fj_fail and fj_queue_reject with options, which may be NULL. `task` is a row or a message of
 * a queue. A daemon that knows no traces gets the error without. `fate` may be NULL. */
int fj_give_back(fj_connection* connection, const fj_message* task, const fj_give_back_options* options, int* fate);

/* Why a row, or each row of a key, is where it is: REASON messages with `state` and the sentence `text`. `which`: a
 * message with `table` and `row` (as a leased row has them), or with `table`, the key's columns and nothing else. */
int fj_why(fj_connection* connection, const fj_message* which, fj_reply** reasons);

/* --- Listening ----------------------------------------------------------------------------------------------------- */

enum {
  FJ_WAKE = 0, /* one notice when there is work, to one idle listener; lease the rows with fj_next until none is left */
  FJ_EACH = 1, /* a notice for each row that becomes due (mode=row) */
  FJ_DELIVER = 2 /* leased rows, up to `credit` at a time */
};

/* A member that is 0 or NULL has its default. */
typedef struct fj_listen_options {
  size_t size;
  uint32_t mode;      /* FJ_WAKE, FJ_EACH or FJ_DELIVER */
  uint32_t credit;    /* of FJ_DELIVER: 1 to 1024; 1 */
  const char* domain; /* this domain only */
  const char* worker; /* of FJ_DELIVER: a name that is shown to people */
} fj_listen_options;

#define fj_listen_options_init(options) fj_listen_options_init_sized((options), sizeof(fj_listen_options))
void fj_listen_options_init_sized(fj_listen_options* options, size_t size);

/* From now on fj_wait has notices, also after a reconnect. `options` may be NULL. A second one for the same table and
 * domain changes its mode and credit. */
int fj_listen(fj_connection* connection, const char* table, const fj_listen_options* options);
/* `domain` as in fj_listen; may be NULL. */
int fj_unlisten(fj_connection* connection, const char* table, const char* domain);
/* For a WATCH that fj_call sent: it is sent again after each reconnect. */
int fj_keep(fj_connection* connection, const fj_message* subscription);

enum {
  FJ_NOTICE_OTHER = 0,     /* figures of WATCH, for one */
  FJ_NOTICE_WORK = 1,      /* FJ_WAKE: `ready` rows wait */
  FJ_NOTICE_DUE = 2,       /* FJ_EACH: `row` and the key columns, or `message`; process_date */
  FJ_NOTICE_MISSED = 3,    /* FJ_EACH: `missed` rows had no notice, as this side did not read. Of fj_kv_watch: read the
                              key, or all keys with the `prefix`, again */
  FJ_NOTICE_DELIVERED = 4, /* FJ_DELIVER, fj_queue_listen: a ROW or MESSAGE that is leased to this connection */
  FJ_NOTICE_CHANGED = 5,   /* of fj_kv_watch: `result` is "stored" or "absent"; fj_kv_key tells the key */
  FJ_NOTICE_UNWATCHED = 6  /* of fj_kv_watch: the daemon gave up this watch, as the connection watches too much */
};

/* The next notice. FJ_TIMED_OUT: there was none for limit_ms (negative: no limit), or wake_fd (-1: none) became readable.
 * Another failure may be of a subscription that was refused after a reconnect. The message is the caller's. */
int fj_wait(fj_connection* connection, int64_t limit_ms, int wake_fd, fj_message** notice);
/* FJ_NOTICE_... */
int fj_notice_kind(const fj_message* notice);

/* --- Key/value tables ----------------------------------------------------------------------------------------------
 * Since FJ_API 2. doc/keyvalue.md tells what such a table does. Keys are bytes; a `size` of FJ_NUL says that they end
 * with a NUL. Changes are numbered like puts: one whose answer was lost is sent again and counts once. */

enum {
  FJ_KV_STORED = 1,
  FJ_KV_DELETED = 2,
  FJ_KV_EXISTS = 3,   /* overwrite is 0, and a value is there: nothing changed */
  FJ_KV_ABSENT = 4,   /* there was nothing to delete */
  FJ_KV_MISMATCH = 5, /* another value is there than if_timestamp or if_value expected: nothing changed */
  FJ_KV_STALE = 6,    /* what is there, or was deleted, has a later timestamp: nothing changed */
  FJ_KV_DUPLICATE = 7 /* sent again after a loss, and carried out before, with whatever result it had then */
};

/* A pair to set: the message SET with the table and the key. What fj_set_text, fj_set_integer, ... gives it as
 * "value" is the value, of the type string, integer, float, boolean or, by fj_set_binary, buffer; without one it is
 * void. Further parameters of SET may be set: overwrite, if_timestamp, if_value, timestamp, expiration_date, ttl,
 * persist, type. */
fj_message* fj_kv_pair_new(const char* table, const void* key, size_t size);
/* Stores it: when it returns FJ_OK with FJ_KV_STORED, a persistent value is on the disk. `result` (FJ_KV_...) and
 * `timestamp` (of the value that is there now, 0 for none) may be NULL. */
int fj_kv_set(fj_connection* connection, const fj_message* pair, int* result, uint64_t* timestamp);
/* The pair of a key: `value`, `type`, `timestamp`, `expiration_date`, ... The message is the caller's. FJ_NOT_FOUND:
 * there is none. */
int fj_kv_get(fj_connection* connection, const char* table, const void* key, size_t size, fj_message** pair);
/* Deletes the value with all its keys. `result` (FJ_KV_DELETED, FJ_KV_ABSENT or FJ_KV_DUPLICATE) may be NULL. */
int fj_kv_delete(fj_connection* connection, const char* table, const void* key, size_t size, int* result);
/* Adds to an integer; a key that is not there counts as 0. `sum` may be NULL. */
int fj_kv_add(fj_connection* connection, const char* table, const void* key, size_t size, int64_t by, int64_t* sum);

/* A range of keys for fj_kv_page: those that begin with `prefix`, or all if it is NULL. Further parameters of GET may
 * be set before the first page: from, to, regex, after, count (of a page: 1 to 1000), data, facts. */
fj_message* fj_kv_range_new(const char* table, const char* prefix);
/* The next pairs of the range, at least one, in the order of their keys. FJ_NOT_FOUND: there are no more. After another
 * failure the same page may be asked for again. */
int fj_kv_page(fj_connection* connection, fj_message* range, fj_reply** pairs);
/* The key of a pair or of a notice (its prefix, if it is about one), whether it is text or not. size may be NULL.
 * NULL: it has none. */
const void* fj_kv_key(const fj_message* message, size_t* size);

/* Until its end nobody else changes the value, or locks it: FJ_IN_USE, and the fact "lock_end". FJ_NOT_FOUND: there
 * is no value. One's own lock is renewed. A lock belongs to the connection: it is over when fj_connects has grown.
 * `lock_end` may be NULL. */
int fj_kv_lock(fj_connection* connection, const char* table, const void* key, size_t size, uint64_t lock_ms,
               int64_t* lock_end);
int fj_kv_unlock(fj_connection* connection, const char* table, const void* key, size_t size);

enum { FJ_KV_KEY = 0, FJ_KV_PREFIX = 1 };

/* From now on fj_wait has notices of changes of the key, or of all keys with this prefix (`what`), whoever makes
 * them; also after a reconnect, which is an FJ_NOTICE_MISSED. One notice for a key, whatever number of changes there
 * was in between. */
int fj_kv_watch(fj_connection* connection, const char* table, const void* key, size_t size, int what);
int fj_kv_unwatch(fj_connection* connection, const char* table, const void* key, size_t size, int what);

/* --- Queue tables --------------------------------------------------------------------------------------------------
 * Since FJ_API 4. doc/queue.md tells what such a table does. fj_touch and fj_release, above, are for its messages too. */

enum {
  FJ_QUEUE_SENT = 1,
  FJ_QUEUE_DUPLICATE = 2 /* client and sequence are known: nothing changed */
};

/* A message to send: SEND with the table and the queue. For an exchange `queue` is NULL, and "exchange" and
 * "routing_key" are set by fj_set_text. Further parameters: "body" (fj_set_text) or "body_binary" (fj_set_binary),
 * properties (an object in JSON), priority, lease (in ms: how long its consumers may take), process_date,
 * expiration_date, mandatory. */
fj_message* fj_queue_message_new(const char* table, const char* queue);
/* Sends it: when it returns FJ_OK, it is on the disk. It is numbered like a put. `result` (FJ_QUEUE_SENT, ...) and
 * `number` (of the message on the first of its queues; 0: it is on none) may be NULL. */
int fj_queue_send(fj_connection* connection, const fj_message* message, int* result, uint64_t* number);

/* A member that is 0 or NULL has its default. */
typedef struct fj_queue_options {
  size_t size;
  uint32_t count;     /* messages, at most: 1 to 1024; 1 */
  uint32_t wait_ms;   /* for the first message, up to a day; none */
  uint64_t lease_ms;  /* the table's processing-timeout */
  const char* queue;  /* any queue */
  const char* worker; /* a name that is shown to people */
  uint32_t credit;    /* of fj_queue_listen: messages at once, 1 to 1024; 1 */
  uint32_t accept;    /* 1: they are gone with the answer, without a lease: at most once */
  const char* queues; /* of fj_queue_acquire, since FJ_API 6: several, between blanks, in place of queue; the first
                       * message of all of them */
  uint64_t message;   /* of fj_queue_acquire, since FJ_API 6: this one alone, in place of queue, also before its date */
} fj_queue_options;

#define fj_queue_options_init(options) fj_queue_options_init_sized((options), sizeof(fj_queue_options))
void fj_queue_options_init_sized(fj_queue_options* options, size_t size);

/* Leases messages; fj_reply_row has them. `options` may be NULL. FJ_OK without messages: there is none; `next_date` of
 * the answer, if any, is when there may be one. */
int fj_queue_acquire(fj_connection* connection, const char* table, const fj_queue_options* options,
                     fj_reply** messages);
/* The body of a message, whether it is text or not. size may be NULL. NULL: it has none. */
const void* fj_queue_body(const fj_message* message, size_t* size);
/* It is dealt with, and leaves its queue. `message`: a MESSAGE of fj_queue_acquire or fj_wait, or any message with its
 * table, message and epoch. */
int fj_queue_accept(fj_connection* connection, const fj_message* message);
/* It can never be dealt with: it goes to the dead letters of its queue, or is parked. `error` and `fate` (FJ_DEAD,
 * FJ_PARKED or FJ_DELETED) may be NULL. */
int fj_queue_reject(fj_connection* connection, const fj_message* message, const char* error, int* fate);

/* From now on fj_wait has messages that are leased to this connection, up to `credit` at a time, also after a reconnect.
 * Of `options`, which may be NULL, count, wait_ms, accept, queues and message must be 0. */
int fj_queue_listen(fj_connection* connection, const char* table, const fj_queue_options* options);
/* `queue` as in fj_queue_listen; may be NULL. */
int fj_queue_unlisten(fj_connection* connection, const char* table, const char* queue);

/* Since FJ_API 6. A message is put aside: it stays on its queue until somebody kicks, moves or deletes it, and no failed
 * delivery is counted. `message` as of fj_queue_accept. Of `options`, which may be NULL, delay_ms and permanent must be
 * 0. `fate` (FJ_PARKED; FJ_DELETED: it had expired) may be NULL. */
int fj_queue_park(fj_connection* connection, const fj_message* message, const fj_give_back_options* options, int* fate);
/* The first message in this status, "due", "waiting" or "parked", without taking it; NULL: "due". FJ_OK without
 * messages: there is none. */
int fj_queue_peek(fj_connection* connection, const char* table, const char* queue, const char* status,
                  fj_reply** messages);
/* The message `number` is removed. FJ_WRONG_STATE: a consumer has it. */
int fj_queue_delete(fj_connection* connection, const char* table, uint64_t number);
/* It is put back to work: parked, before its date, or with a consumer, who is refused from then on. FJ_WRONG_STATE: it is
 * due already. */
int fj_queue_kick(fj_connection* connection, const char* table, uint64_t number);
/* Those of a queue, `most` at most, 0 for all: the parked ones; those before their date only if none is parked. `kicked`,
 * how many they were, may be NULL. It sends a command for each 1000: after a failure some may be at work. */
int fj_queue_kick_all(fj_connection* connection, const char* table, const char* queue, uint64_t most, uint64_t* kicked);
/* Nothing of the queue is handed out until this date, or fj_queue_resume if it is 0. `reason`, for people, may be NULL. */
int fj_queue_pause(fj_connection* connection, const char* table, const char* queue, int64_t until, const char* reason);
int fj_queue_resume(fj_connection* connection, const char* table, const char* queue);

/* --- Many commands in flight --------------------------------------------------------------------------------------- */

/* The answer to the command `number`, counted from 0, in the order of the commands. `code` is FJ_OK, or fj_error_text
 * has the reason, and `reply` is NULL. `reply` is the library's, until the callback returns. */
typedef void (*fj_on_answer)(void* context, uint64_t number, int code, const fj_reply* reply);

/* depth: commands in flight, 1 to in_flight_max of the connection. on_answer may be NULL. */
fj_pipeline* fj_pipeline_new(fj_connection* connection, uint32_t depth, fj_on_answer on_answer, void* context);
/* Puts a row, or sends a message of fj_queue_message_new; numbered as by fj_put, so that it counts once whatever happens
 * to the connection. Calls on_answer for the oldest command if `depth` are in flight. A failure says that this one was not
 * sent. */
int fj_pipeline_put(fj_pipeline* pipeline, const fj_message* row);
/* The same with any command. Of commands that must not be sent twice, those without an answer end with FJ_CLOSED when
 * the connection is lost. */
int fj_pipeline_send(fj_pipeline* pipeline, const fj_message* command);
/* Writes what is buffered: commands are sent when 64 KiB are, or an answer is waited for. */
int fj_pipeline_flush(fj_pipeline* pipeline);
/* Waits for all answers. FJ_OK: all commands since the last fj_pipeline_finish were carried out; otherwise the code of
 * the first one that was not, and fj_error_text has its reason. */
int fj_pipeline_finish(fj_pipeline* pipeline);
/* As fj_pipeline_finish, and frees it. The connection goes on. */
void fj_pipeline_free(fj_pipeline* pipeline);

/* --- Blobs ---------------------------------------------------------------------------------------------------------
 * Bytes of any length under keys, in one data file that clients on the same computer read themselves: the daemon says
 * where a blob is. Since FJ_API 3.
 *
 *     fj_blob_options options;
 *     fj_blob_options_init(&options);
 *     options.read = "unix:/run/fastjournal/pages-read";
 *     options.write = "unix:/run/fastjournal/pages-write";
 *     options.data_file = "/var/lib/fastjournal/bytes/pages/bcdb_data";
 *     fj_blobs* pages = fj_blobs_open(&options);
 *     bcdb_key key = bcdb_make_key("http://example.com/", 0);
 *     if (fj_blob_put(pages, &key, html, size, NULL) != FJ_OK) fprintf(stderr, "%s\n", fj_error_text());
 *     fj_blob* blob;
 *     if (fj_blob_get(pages, &key, &blob) == FJ_OK) fwrite(fj_blob_bytes(blob), 1, fj_blob_size(blob), stdout);
 *     fj_blob_free(blob);
 *     fj_blobs_close(pages);
 */

typedef struct fj_blobs fj_blobs;
typedef struct fj_blob fj_blob;

/* A key: XXH3-128 of its name; `hash_value` is the low 32 bits of the low half, `hash_id` the high half. */
typedef struct bcdb_key {
  uint32_t hash_value;
  uint64_t hash_id;
} bcdb_key;

/* The key of a name of any length, which may contain NULs. key_length 0: a string that ends with a NUL. */
bcdb_key bcdb_make_key(const char* key_string, size_t key_length);
/* The same in a table with the option key-secret: a string of at least 16 bytes, which ends with a NUL. */
bcdb_key bcdb_make_key_with_secret(const char* key_string, size_t key_length, const char* secret);

/* From where bytes are read: the data file, a descriptor of it that the daemon passes over its unix socket, or the daemon,
 * which sends them. The last two need version 2. */
enum { FJ_BLOB_FILE = 0, FJ_BLOB_DESCRIPTOR = 1, FJ_BLOB_RELAY = 2 };

/* A member that is 0 or NULL has its default. Later versions add members at the end: fj_blob_options_init sets `size`. */
typedef struct fj_blob_options {
  size_t size;
  const char* read; /* ports, each as fj_options.server; none */
  const char* write;
  const char* datagrams; /* the port of fj_blob_find_once: the path of a unix socket; none */
  const char* own_path;  /* where its answer is sent: a path, made and removed here. An address that the system draws */
  const char* data_file; /* the link bcdb_data in the folder of the table */
  const char* ca_file;   /* as in fj_options */
  const char* certificate_file;
  const char* key_file;
  uint32_t version;        /* of the packets: 1 or 2; 2 */
  uint32_t two_files;      /* 1: of version 1, the table has maintenance="online" */
  uint32_t bytes;          /* FJ_BLOB_FILE */
  uint32_t time_limit_ms;  /* of a call. 30,000 */
  uint64_t blob_bytes_max; /* of a blob that is read. 1,073,741,824 */
} fj_blob_options;

#define fj_blob_options_init(options) fj_blob_options_init_sized((options), sizeof(fj_blob_options))
void fj_blob_options_init_sized(fj_blob_options* options, size_t size);

/* Connects when it is needed, and again once when a connection was lost. Belongs to one thread at a time. */
fj_blobs* fj_blobs_open(const fj_blob_options* options);
void fj_blobs_close(fj_blobs* blobs);

/* Where a blob is: from `begin` up to `end` in the data file, for 60 seconds. */
typedef struct fj_blob_place {
  bcdb_key key;
  uint64_t begin;
  uint64_t end;        /* the last byte + 1 */
  uint32_t entry_time; /* when it was stored, in seconds since 1970 */
  uint32_t file;       /* the number of the data file; 0: not told */
  uint32_t newer;      /* 1: in the newer file of two, bcdb_data.new */
  uint32_t zero;
  uint64_t own[2]; /* of the library */
} fj_blob_place;

/* Stores it: on the disk when FJ_OK is returned. With version 1 it was sent, and `place` has only the key. `place` may be
 * NULL. */
int fj_blob_put(fj_blobs* blobs, const bcdb_key* key, const void* bytes, size_t size, fj_blob_place* place);
/* FJ_NOT_FOUND: there is none. */
int fj_blob_find(fj_blobs* blobs, const bcdb_key* key, fj_blob_place* place);
/* The same by a datagram: for a process that asks for one blob. FJ_TIMED_OUT: no answer, it may be asked again. */
int fj_blob_find_once(fj_blobs* blobs, const bcdb_key* key, fj_blob_place* place);

/* The bytes under a key. FJ_NOT_FOUND: there is no such blob; *blob is NULL after any failure. */
int fj_blob_get(fj_blobs* blobs, const bcdb_key* key, fj_blob** blob);
/* The bytes at a place. One that is too old, or of a file that is gone, is asked for again: they may be newer ones then, or
 * FJ_NOT_FOUND. */
int fj_blob_read(fj_blobs* blobs, const fj_blob_place* place, fj_blob** blob);
/* The same, mapped and not copied (not by relay). */
int fj_blob_view(fj_blobs* blobs, const fj_blob_place* place, fj_blob** blob);
/* A part of a blob, sent by the daemon (version 2): `length` bytes from `offset`, or up to its end. */
int fj_blob_fetch(fj_blobs* blobs, const bcdb_key* key, uint64_t offset, uint64_t length, fj_blob** blob);
const void* fj_blob_bytes(const fj_blob* blob); /* not NULL, but for NULL */
size_t fj_blob_size(const fj_blob* blob);
void fj_blob_free(fj_blob* blob);

/* Many in flight over one connection (puts: version 2). Results come in the order of the calls. FJ_OVER_LIMIT: 4,096 have
 * none. What is small is sent with the next fj_blob_receive_.... FJ_CLOSED, FJ_TIMED_OUT of that: there is no result of this
 * one, nor of those behind it; they may be sent again. FJ_WRONG_STATE: all have one. */
int fj_blob_send_put(fj_blobs* blobs, const bcdb_key* key, const void* bytes, size_t size);
int fj_blob_receive_put(fj_blobs* blobs, fj_blob_place* place);
int fj_blob_send_find(fj_blobs* blobs, const bcdb_key* key);
int fj_blob_receive_find(fj_blobs* blobs, fj_blob_place* place);

/* The current data file by its descriptor, for reading (version 2, unix sockets): the caller's. `file`, its number, may be
 * NULL. */
int fj_blob_attach(fj_blobs* blobs, int* descriptor, uint32_t* file);

#ifdef __cplusplus
}
#endif

#endif
