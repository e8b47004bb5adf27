// Parses and checks the command line: CLI11's results become an Invocation, plain values for the commands. Only this and
// grammar.h use CLI11.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "clients/cli/exit_code.h"
#include "clients/lib/client.h"
#include "clients/lib/journal.h"

namespace fastjournal::cli {

// Selection of rows: ls, kick, delete. All given conditions must match.
struct RowFilter {
  std::string status;
  std::string prefix;
  std::optional<std::string> domain;  // empty: rows without a domain
  std::optional<std::string> error;   // empty: all rows with an error

  [[nodiscard]] bool is_empty() const { return status.empty() && prefix.empty() && !domain && !error; }
};

struct Invocation {
  // of every command
  std::string server;   // empty: the result of find_server
  std::string ca_file;  // with "tls:"
  std::string certificate_file;
  std::string key_file;
  std::string token_file;
  std::string token;  // what find_token found; not an option
  bool json{false};
  bool text{false};
  std::chrono::milliseconds timeout{30'000};
  bool timeout_given{false};

  std::string verb;  // "log verify" for a command with subcommands
  std::string table;
  std::vector<std::string>
      words;  // put: columns; peek, why, delete, kick: ROW or columns; check: files; call: COMMAND name=value...
  std::vector<std::string> command;  // work: the words after --
  std::uint64_t row{0};
  std::uint64_t epoch{0};

  // put
  std::optional<std::uint8_t> priority;
  std::optional<client::Date> at;
  std::optional<client::Date> expires;
  std::string client;
  std::optional<std::uint64_t> sequence;
  bool lines{false};
  std::string resume;
  std::string refused;
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
  // listen
  std::string mode;
  std::optional<std::uint32_t> credit;
  // ls, kick, delete
  RowFilter filter;
  std::string after;
  bool for_put{false};
  bool dry_run{false};  // kick, delete, apply
  // alerts
  std::string lower;
  // pause, resume, drain
  std::string reason;
  // apply
  bool yes{false};
  // check, feed, log
  std::string plugins;
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
  // backup: DIR in `words`
  std::optional<std::uint64_t> rate;  // bytes per second
  // feed, backup
  bool digest{false};
  // user: NAME in `words`
  std::string file;
  std::string rights;
  std::string tables;
  bool no_token{false};
  // top, watch
  std::optional<DurationMs> interval;
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

// The commands and their options, for completion.
struct VerbWords {
  std::string verb;
  std::vector<std::string> options;
  bool takes_table{false};
  std::vector<std::string> below;  // subcommands of `log`: verify, ...
};
[[nodiscard]] std::vector<VerbWords> verb_words();
[[nodiscard]] std::vector<std::string> global_options();
// The options of all commands that take a value.
[[nodiscard]] std::vector<std::string> options_with_value();

}  // namespace fastjournal::cli
