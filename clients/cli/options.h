// The command line, read and checked: what CLI11 finds becomes an Invocation,
// plain values that the commands work from. The only place that knows CLI11.
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

// Which rows: ls, kick, delete. What is given must fit.
struct RowFilter {
  std::string status;
  std::string prefix;
  std::optional<std::string> domain;  // empty: of none
  std::optional<std::string> error;   // empty: those that have one

  [[nodiscard]] bool is_empty() const { return status.empty() && prefix.empty() && !domain && !error; }
};

struct Invocation {
  // of every command
  std::string server;  // empty: whichever find_server finds
  bool json{false};
  bool text{false};
  std::chrono::milliseconds timeout{30'000};
  bool timeout_given{false};

  std::string verb;  // "log verify" where one has commands of its own
  std::string table;
  std::vector<std::string>
      words;  // put: columns; peek, why, delete, kick: ROW or columns; check: files; call: COMMAND name=value...
  std::vector<std::string> command;  // work: what stands behind --
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
  std::optional<std::uint64_t> count;  // take, ls, listen, top: how many
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
  bool input_only{false};  // the row is on standard input, and none of its columns in the environment
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
  std::optional<std::uint64_t> rate;  // bytes a second
  // feed, backup
  bool digest{false};
  // top
  std::optional<DurationMs> interval;
  // tables
  bool names{false};
  std::string columns_of;
};

// kick and delete of many rows.
[[nodiscard]] inline bool is_bulk(Invocation const& one) {
  return (one.verb == "kick" || one.verb == "delete") && one.words.empty();
}

// What to do, or what to print before ending.
struct Parsed {
  std::optional<Invocation> invocation;
  ExitCode exit_code{ExitCode::ok};
  std::string output;  // help to standard output (ok), or the mistake, to standard error
};

// `arguments` without the program's name.
[[nodiscard]] Parsed parse_arguments(std::vector<std::string> arguments);

// The commands and their options, for completion.
struct VerbWords {
  std::string verb;
  std::vector<std::string> options;
  bool takes_table{false};
  std::vector<std::string> below;  // `log`: verify, ...
};
[[nodiscard]] std::vector<VerbWords> verb_words();
[[nodiscard]] std::vector<std::string> global_options();
// Of all commands, those that a value follows.
[[nodiscard]] std::vector<std::string> options_with_value();

}  // namespace fastjournal::cli
