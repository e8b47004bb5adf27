// What a verb runs with: the options that all verbs have, the streams, the daemon if the verb needs one, and the form
// of its errors: one line for a person; with --json one object per line, also on standard error, so that standard
// output contains only results.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "clients/cpp/client.h"
#include "clients/programs/fastjournal/exit_code.h"
#include "clients/programs/fastjournal/made_parameters.h"
#include "clients/programs/fastjournal/render.h"
#include "fastjournal/types.h"

namespace fastjournal::cli {

// The streams of the command line.
struct Console {
  std::istream& in;
  std::ostream& out;
  std::ostream& err;
  Look look;
  bool progress{false};  // a person watches `err`: the progress of a long command may be shown there
};

// The options of every verb, and the table, which most have.
struct Globals {
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
  std::optional<DurationMs> timeout;
  bool asks{false};   // not an option: somebody sits at both ends of the terminal
  std::string table;  // empty: the verb has none, or none was given

  [[nodiscard]] std::chrono::milliseconds time_limit() const {
    return std::chrono::milliseconds{timeout ? timeout->value : 30'000};
  }
};

[[nodiscard]] client::Options connection_options(Globals const& all);

// Where a list goes on, and how much of it is wanted.
struct Paging {
  static constexpr std::uint64_t kPageMax = journal::list::count.most;  // as of each list

  std::string after{};
  std::uint64_t left{UINT64_MAX};
  bool is_sized{true};   // the command takes the size of a page
  std::string reason{};  // why there is nothing, if the daemon said so
};

class OptionSet;

class Call : public Globals {
 public:
  Call(Globals all, std::string_view name, Console& to) : Globals(std::move(all)), console(to), verb(name) {}
  Call(Call const&) = delete;
  Call& operator=(Call const&) = delete;

  Console& console;
  std::string_view const verb;  // "log verify"

  // "fastjournal VERB TABLE: place: code: sentence (facts)" and the advice. As JSON: error (the code), message, command
  // (the verb), table, place, facts (an object), advice. `place`: the source of the error, if it is not clear ("line
  // 5", a folder).
  void tell(Status const& status, std::string_view place, std::string_view advice);
  // With the standard advice for the code; returns its exit code.
  [[nodiscard]] ExitCode complain(Status const& status, std::string_view place = {});
  // Of a connection that could not be opened: an address that is none is a mistake in the command line.
  [[nodiscard]] ExitCode unconnected(Status const& status);
  // Of a tool for files, without advice.
  [[nodiscard]] ExitCode complain_of_files(Status const& status);
  // The same for a mistake in the command line or the input: the code is "usage".
  [[nodiscard]] ExitCode misuse(std::string_view sentence, std::string_view place = {});
  // Information for people that programs need not act on; as JSON: note, command, table.
  void note(std::string_view sentence);

  // Opens the connection of a verb that needs one; others do so themselves, with options of their own.
  [[nodiscard]] Status connect();
  [[nodiscard]] client::Connection& connection() { return *connection_; }
  [[nodiscard]] Message about_table(std::string_view command) const;
  // With the parameters that were given; without a table, if none was.
  [[nodiscard]] Message about_table(std::string_view command, OptionSet const& given) const;
  // The first answer.
  [[nodiscard]] Result<Message> ask(Message const& command);
  // Asks for a page after the other until there is no more, or none is left to be taken, which `take` counts. NOTHING
  // is left out. Afterwards `paging.after` is where the next page begins; empty: that was the last one.
  [[nodiscard]] Status each_page(Message command, Paging& paging,
                                 std::function<Status(std::vector<Message>& page)> const& take);

  // All of them.
  [[nodiscard]] Result<std::vector<Message>> all_pages(Message command, Paging& paging);

  using Sentence = std::function<std::string(Message const& answer)>;
  // Sends the command, and prints the answer.
  [[nodiscard]] ExitCode report(Message const& command, Sentence const& sentence);
  // Prints the answer as JSON, or the sentence and a LF.
  ExitCode say(Message const& answer, std::string_view sentence);
  // A table, or an object a line.
  void show(std::vector<Message> const& records, std::string_view hidden = {});
  // With its name: what a program reads, or a line.
  void show_line(Message const& message);
  // Asks whoever sits there.
  [[nodiscard]] bool is_confirmed(std::string_view question);

 private:
  std::unique_ptr<client::Connection> connection_;
};

// Where the page behind this last message of one begins; empty: that was the last.
[[nodiscard]] std::string cursor_of(Message const& last, std::string const& before);

// The text of an answer to WHY, and the trace of what failed.
[[nodiscard]] std::string reason_of(Message const& answer);

// ", due 2026-11-21T12:00:00.000Z", or nothing.
[[nodiscard]] std::string due_text(Message const& answer);
// The parameter in the spelling of people, "?" if absent.
[[nodiscard]] std::string value_text(Message const& message, std::string_view name);

// For a command line that cannot be parsed.
[[nodiscard]] std::string usage_error_json(std::string_view sentence);

}  // namespace fastjournal::cli
