/* Rows for a fastjournal daemon, saved to files of this computer: the producer never waits for the daemon, and loses no
 * row because there is none. The forwarder, fastjournal-client, brings each row to the daemon, once. For C, and for
 * whatever can call C. Link with -lfastjournal-spool.
 *
 * Example:
 *
 *     fj_spool* spool = fj_spool_open("/var/spool/fastjournal/site", NULL);
 *     if (spool == NULL) {
 *       fprintf(stderr, "%s: %s\n", fj_spool_error_code(), fj_spool_error_text());
 *       return 1;
 *     }
 *     fj_spool_row* row = fj_spool_row_new("pages");
 *     fj_spool_set_text(row, "uri", "http://example.com/", FJ_SPOOL_NUL);
 *     fj_spool_set_integer(row, "size", 4711);
 *     fj_spool_set_priority(row, 20);
 *     if (fj_spool_save(spool, row) != 0) fprintf(stderr, "%s: %s\n", fj_spool_error_code(), fj_spool_error_text());
 *     fj_spool_row_free(row);
 *     fj_spool_ping(spool);
 *     fj_spool_close(spool);
 *
 * Results: 0 or a pointer; on failure -1 or NULL, and the reason is told by fj_spool_error_code and its companions. A
 * NULL where a pointer is needed is such a failure. No function calls exit or throws.
 *
 * Threads: any number of threads may save to one fj_spool, and any number of processes to one folder. A row belongs to
 * one thread at a time. A child of fork may go on with the fj_spool of its parent, if no other thread used that at the
 * moment of the fork; its rows are not synced by FJ_SPOOL_SYNC_INTERVAL.
 *
 * Names and texts are copied. Dates are milliseconds since 1970, UTC. */
#ifndef FASTJOURNAL_SPOOL_H
#define FASTJOURNAL_SPOOL_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fj_spool fj_spool;
typedef struct fj_spool_row fj_spool_row;

/* When a saved row is on the disk, and survives a power cut. It survives the end of the process in any case. */
enum {
  FJ_SPOOL_SYNC_NONE = 0,     /* when the system writes it, or the forwarder has sent it */
  FJ_SPOOL_SYNC_INTERVAL = 1, /* interval_ms after the save at the latest */
  FJ_SPOOL_SYNC_EACH = 2      /* before fj_spool_save returns */
};

/* 0 in a member is its default. Later versions add members at the end: fj_spool_options_init sets `size`, by which the
 * library knows how many there are. */
typedef struct fj_spool_options {
  size_t size;
  uint32_t sync;           /* FJ_SPOOL_SYNC_...; none */
  uint32_t interval_ms;    /* of syncs: 1 to 3,600,000; 100 */
  uint32_t period_s;       /* of a file: 1 to 604,800; 3600. The forwarder must be told another one, too */
  uint32_t file_mode;      /* minus the umask; 0640. Who may write must also read */
  uint64_t file_bytes_max; /* then the next file is begun: 64 to 2^40; 67,108,864. As the forwarder's */
} fj_spool_options;

#define fj_spool_options_init(options) fj_spool_options_init_sized((options), sizeof(fj_spool_options))
void fj_spool_options_init_sized(fj_spool_options* options, size_t size);

/* `folder` is made if it is not there; its parent must be. options may be NULL. The options are copied. */
fj_spool* fj_spool_open(const char* folder, const fj_spool_options* options);
/* Syncs with FJ_SPOOL_SYNC_INTERVAL. No thread may use it any more. NULL is allowed. */
void fj_spool_close(fj_spool* spool);

/* Rows of the table in this file (tables.d/NAME.xml of the daemon) are checked from then on: fj_spool_save refuses at
 * once what the daemon would refuse later: unknown columns, missing ones, values of a wrong type or out of range. Not
 * while other threads use the spool. `types_folder` has the table types (journal.xml); NULL: those that were installed
 * with this library. Fails with bad_configuration and every mistake of the file. */
int fj_spool_declare(fj_spool* spool, const char* table_file, const char* types_folder);

/* A row of a table, without columns so far. */
fj_spool_row* fj_spool_row_new(const char* table);
/* Without columns again, for the next row of the same table: cheaper than a new one. */
int fj_spool_row_clear(fj_spool_row* row);
/* NULL is allowed. */
void fj_spool_row_free(fj_spool_row* row);

/* As `size` of a text: it ends with a NUL. */
#define FJ_SPOOL_NUL SIZE_MAX

/* Sets a column, or sets it again. At most 255 of them. Texts are UTF-8. */
int fj_spool_set_text(fj_spool_row* row, const char* column, const char* text, size_t size);
int fj_spool_set_binary(fj_spool_row* row, const char* column, const void* bytes, size_t size);
int fj_spool_set_integer(fj_spool_row* row, const char* column, int64_t value);
int fj_spool_set_unsigned(fj_spool_row* row, const char* column, uint64_t value);
int fj_spool_set_real(fj_spool_row* row, const char* column, double value);

int fj_spool_set_priority(fj_spool_row* row, int priority);                /* 0 to 255, the smallest first; 100 */
int fj_spool_set_process_date(fj_spool_row* row, int64_t milliseconds);    /* not to be handed out before */
int fj_spool_set_expiration_date(fj_spool_row* row, int64_t milliseconds); /* nor from then on */

/* Appends the row, which stays as it is. Codes of failures: no_space (the disk is full, nothing was saved), too_large
 * (more than 16 MiB, or 255 columns), expired (it expires before it is due, or has expired: it would never be handed
 * out), io_error, and for a declared table what the daemon would say. */
int fj_spool_save(fj_spool* spool, const fj_spool_row* row);
/* What was saved so far is on the disk. */
int fj_spool_sync(fj_spool* spool);
/* Wakes the forwarder, which looks for new rows by itself as well. Never waits. unavailable: no forwarder runs; the rows
 * wait for the next one. */
int fj_spool_ping(fj_spool* spool);

/* Of the last failure in this thread. Valid until the next one in this thread. */
const char* fj_spool_error_code(void); /* a name as in doc/protocol.md: "no_space"; "ok": no failure so far */
const char* fj_spool_error_text(void); /* a sentence: what happened, where, what was expected */
const char* fj_spool_error_fact(const char* name); /* "parameter": the column; "path": the file. NULL: no such fact */

/* "0.1.0" */
const char* fj_spool_version(void);

#ifdef __cplusplus
}
#endif

#endif
