// Parses and checks the command line: CLI11's results become an Invocation, plain values for the commands. Only this and
// grammar.h use CLI11.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "clients/cpp/client.h"
#include "clients/cpp/journal.h"
#include "clients/programs/fastjournal/exit_code.h"
#include "clients/programs/fastjournal/usage/usage.h"

namespace fastjournal::cli {

// Selection of rows: ls, kick, delete. All given conditions must match.
struct RowFilter {
  std::string status;
  std::string prefix;
  std::optional<std::string> domain;  // empty: rows without a domain
  std::optional<std::string> error;   // empty: all rows with an error

  [[nodiscard]] bool is_empty() const { return status.empty() && prefix.empty() && !domain && !error; }
};

// Of the commands `kv ...`, which also use `table`, `words` (KEY... or KEY=VALUE...), `command`, `count`, `wait`, `after`,
// `expires`, `client`, `sequence` and `file`.
struct PairOptions {
  std::string key;    // where there is one
  std::string other;  // BY of add, SIZE of truncate, NEW of rename and alias
  std::string type;   // empty: as the value looks
  std::optional<DurationMs> ttl;
  std::optional<std::uint64_t> if_timestamp;
  std::optional<std::uint64_t> timestamp;
  std::optional<std::string> if_value;
  bool if_absent{false};
  bool persist{false};
  bool no_persist{false};
  bool complete{false};
  bool overwrite{false};
  std::optional<std::string> prefix;  // empty: all keys
  std::string from;
  std::optional<std::string> to;
  std::string regex;
  bool keys_only{false};
  bool facts{false};
  bool raw{false};
  std::optional<DurationMs> work;
  bool free{false};
  bool initial{false};
  std::optional<DurationMs> lock;
  bool create{false};
};

// Of the commands `blob ...`, which also use `table`, `file` (put: - or empty for standard input), `count` and `after`.
struct BlobOptions {
  std::string key;
  bool is_hash{false};          // the key is given as its hash
  std::string port;             // put: address of a listener of the protocol blobwrite; empty: by a message
  std::string key_secret_file;  // put by port: of the table's key-secret; empty: it has none
  std::string output;           // get: FILE; empty: standard output
  std::optional<std::uint64_t> offset;
  std::optional<std::uint64_t> length;
  std::optional<DurationMs> age;
  std::optional<std::uint64_t> size;
  std::optional<DurationMs> unreferenced;
  bool cancel{false};
  bool wait{false};
};

// Of `queue ...`.
struct QueueOptions {
  std::string queue;
  std::string to;  // move: the other queue
  std::string exchange;
  std::string kind;         // of an exchange
  std::string routing_key;  // or pattern
  std::optional<std::string> body;
  std::string properties;
  std::optional<std::string> dead_letters;
  std::optional<std::uint64_t> max_deliveries;
  std::optional<std::uint64_t> max_messages;
  std::optional<std::uint64_t> max_bytes;
  std::string when_full;
  std::optional<DurationMs> expires;
  bool makes{false};  // bind: the queue, if it is not there
  bool if_empty{false};
  bool parked{false};
};

// Of `pipeline ...`.
struct PipelineOptions {
  std::string document;
  std::string destination;
  std::string failure;  // its class
  bool if_changed{false};
  bool children{false};
  std::optional<std::uint64_t> version;
  std::optional<std::uint64_t> rate;  // a second
  // run: NAME=VALUE each.
  std::vector<std::string> sources;
  std::vector<std::string> steps;
  std::vector<std::string> routes;
  std::vector<std::string> splits;
  std::vector<std::string> outputs;
  std::vector<std::string> methods;
  std::vector<std::string> headers;
  std::string keep;  // a blob table
  std::optional<DurationMs> stop_after;
};

// Of `kv frame`.
struct FrameOptions {
  std::string function;
  std::string key;
  std::optional<std::string> value;
  std::string type;
  std::string upper;
  std::string query;
  std::vector<std::string> flags;
  std::optional<std::uint64_t> seconds;
  std::optional<std::uint64_t> count;
  std::optional<std::uint64_t> timestamp;
};

struct Invocation {
  // of every command
  std::string server;         // empty: the result of find_server
  std::string server_origin;  // what named it, where nobody gave one; empty: nothing to tell
  std::string ca_file;        // with "tls:"
  std::string certificate_file;
  std::string key_file;
  std::string token_file;
  std::string token;  // what find_token found; not an option
  bool utc{false};    // dates are shown in UTC, at a terminal too
  bool json{false};
  bool text{false};
  std::chrono::milliseconds timeout{30'000};
  bool timeout_given{false};

  std::string verb;  // "log verify" for a command with subcommands
  std::string table;
  std::vector<std::string>
      words;  // put: columns; peek, why, delete, kick: ROW or columns; check: files; call: COMMAND name=value...
  std::vector<std::string> command;  // work, kv lock: the words after --
  std::uint64_t row{0};
  std::uint64_t epoch{0};

  // put
  std::optional<std::uint8_t> priority;
  std::optional<client::Date> at;
  std::optional<client::Date> expires;
  std::string client;
  std::optional<std::uint64_t> sequence;
  std::string from;    // file of rows, "-" for standard input; empty: the row is in `words`
  std::string format;  // of it; empty: to be found out
  std::string resume;
  std::string refused;
  std::string sync;      // with spool: each or none
  std::string declared;  // with spool: file of the table's declaration; empty: nothing is known of its columns
  std::string spool;     // put, spool: FOLDER; empty: to a daemon
  // take, work, touch
  std::optional<DurationMs> lease;
  std::optional<DurationMs> wait;
  std::optional<std::uint64_t> count;  // take, ls, listen, top, watch, domains, waiters: maximum number
  std::string domain;
  std::string worker;
  bool hold{false};
  // release, fail
  std::string error;
  // work
  std::optional<std::uint32_t> jobs;
  bool once{false};
  bool until_empty{false};
  bool quiet{false};
  bool input_only{false};  // the row is on standard input, its columns are not in the environment
  std::optional<std::uint64_t> max;
  std::optional<int> fail_status;
  std::optional<DurationMs> stop_after;
  // listen
  std::string mode;
  std::optional<std::uint32_t> credit;
  // ls, kick, delete
  RowFilter filter;
  std::string after;
  bool all{false};      // ls, spool
  bool traces{false};   // ls
  bool dry_run{false};  // kick, delete, apply, spool purge
  // alerts
  std::string lower;
  // pause, resume, drain
  std::string reason;
  // apply, spool purge
  bool yes{false};
  bool asks{false};  // not an option: somebody sits at both ends of the terminal
  // check, feed, log
  std::string plugins;
  // doctor
  std::string state;
  // feed
  std::string address;
  std::string interface;
  bool follow{false};
  // log: FOLDER in `words`, or
  std::string config;
  std::optional<std::uint64_t> from_lsn;
  std::optional<std::uint64_t> to_lsn;
  std::string container;
  std::optional<std::uint32_t> body_bytes;
  std::string to;
  std::optional<std::uint64_t> container_bytes;
  // spool: list
  bool aside{false};
  bool held{false};
  bool waiting{false};
  // backup: DIR in `words`
  std::optional<std::uint64_t> rate;  // bytes per second
  std::optional<std::uint64_t> keep;  // backups in DIR
  // feed, backup
  bool digest{false};
  // user: NAME in `words`; kv set: of the value
  std::string file;
  std::string rights;
  std::string tables;
  bool no_token{false};
  // bench
  std::string folder;
  std::optional<DurationMs> time;
  // top, watch
  std::optional<DurationMs> interval;
  // kv
  PairOptions pair;
  FrameOptions frame;
  // blob
  BlobOptions blob;
  // queue
  QueueOptions queue;
  // pipeline
  PipelineOptions pipeline;
  // plan: files in `words`
  bool strict{false};
  bool dot{false};
  std::vector<std::string> renamed;  // OLD=NEW
  // tables
  bool names{false};
  std::string columns_of;
  std::string key_of;
};

// kick and delete of many rows.
[[nodiscard]] inline bool is_bulk(Invocation const& one) {
  return (one.verb == "kick" || one.verb == "delete") && one.words.empty();
}

// A command to run, or text to print before the exit.
struct Parsed {
  std::optional<Invocation> invocation;
  ExitCode exit_code{ExitCode::ok};
  std::string output;  // help for standard output (ok), or the mistake for standard error
};

// `arguments` without the name of the program.
[[nodiscard]] Parsed parse_arguments(std::vector<std::string> arguments);

// The commands and their options, for completion and the manual.
[[nodiscard]] usage::Usage declared_usage();

}  // namespace fastjournal::cli
