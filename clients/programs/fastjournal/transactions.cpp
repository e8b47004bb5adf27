// `tx run`: the commands of a file, all of them or none. `tx ls`, `commit`, `rollback` and `forget`: what an
// administrator sees and decides of prepared transactions.
#include <fstream>
#include <istream>
#include <ostream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include "base/utf8.h"
#include "clients/cpp/answers.h"
#include "clients/cpp/transaction.h"
#include "clients/programs/fastjournal/verbs.h"
#include "model/value.h"
#include "wire/text.h"

namespace fastjournal::cli {

namespace {

constexpr char kStandardInput[] = "-";

bool is_comment(std::string_view line) {
  std::size_t const begin = line.find_first_not_of(" \t\r");
  return begin == std::string_view::npos || line[begin] == '#';
}

std::string place_of(std::string const& file, std::size_t line) {
  return (file == kStandardInput ? "standard input" : file) + ":" + std::to_string(line);
}

// The line of the command that was refused; empty: it is not known.
std::string place_of(std::string const& file, std::vector<std::size_t> const& lines, Status const& status) {
  for (auto const& [name, value] : status.facts()) {
    if (name != "op") continue;
    std::size_t const number = std::strtoul(value.c_str(), nullptr, 10);
    if (number >= 1 && number <= lines.size()) return place_of(file, lines[number - 1]);
  }
  return {};
}

// As TRANSACTION takes it. Bytes stay base64, as they are in a line.
nlohmann::json json_of(Message const& command) {
  nlohmann::json out{{"command", command.command}};
  for (Param const& param : command.params()) {
    nlohmann::json& value = out[std::string{param.name}];
    switch (param.value.kind) {
      case Value::Kind::integer: value = param.value.integer; break;
      case Value::Kind::unsigned_integer: value = param.value.unsigned_integer; break;
      case Value::Kind::real: value = param.value.real; break;
      case Value::Kind::boolean: value = param.value.boolean; break;
      default: value = param.value.bytes;
    }
  }
  return out;
}

struct TxRun {
  OptionSet& to;
  Text file{to, "FILE", "a command a line, - for standard input", required};

  ExitCode run(Call& call) {
    std::ifstream opened;
    if (file != kStandardInput) {
      opened.open(file, std::ios::binary);
      if (!opened)
        return call.complain(
            {Code::io_error, "cannot read " + model::shown(file) + ": expected a file with a command a line"});
    }
    std::istream& in = file == kStandardInput ? call.console.in : opened;
    nlohmann::json commands = nlohmann::json::array();
    std::vector<std::size_t> lines;
    std::string line;
    for (std::size_t number = 1; std::getline(in, line); ++number) {
      if (is_comment(line)) continue;
      Message command;
      if (Status const status = protocol::parse_line(line, command); !status.ok())
        return call.misuse(status.message(), place_of(file, number));
      if (!is_utf8(line)) return call.misuse("the line is no UTF-8", place_of(file, number));
      if (commands.size() == client::Transaction::kCommandsMax)
        return call.misuse(
            "a transaction has at most " + std::to_string(client::Transaction::kCommandsMax) + " commands",
            place_of(file, number));
      commands.push_back(json_of(command));
      lines.push_back(number);
    }
    if (in.bad()) return call.complain({Code::io_error, "cannot read " + model::shown(file) + " to its end"});
    if (lines.empty()) return call.misuse("there is no command, expected one a line", place_of(file, 1));
    std::string const text = commands.dump();
    Message message("TRANSACTION");
    message.set("commands", Value::of_text(text));
    Result<client::Reply> const reply = call.connection().call(message);
    if (!reply.ok()) return call.complain(reply.status(), place_of(file, lines, reply.status()));
    if (reply->first().command != "COMMITTED") return call.complain(client::unexpected(reply->first(), "COMMITTED"));
    for (std::size_t i = 1; i < reply->messages.size(); ++i)
      call.console.out << (call.json ? render_json(reply->messages[i], true)
                                     : render_line(reply->messages[i], call.console.look));
    return ExitCode::ok;
  }
};

struct TxLs {
  OptionSet& to;
  Flag all{to, "--all", "also those that are worked on, and those that an administrator has decided"};

  ExitCode run(Call& call) {
    Message command("XA_RECOVER");
    command.set_integer("all", all ? 1 : 0);
    Paging paging;
    Result<std::vector<Message>> branches = call.all_pages(std::move(command), paging);
    if (!branches.ok()) return call.complain(branches.status());
    std::erase_if(branches.value(), [](Message const& one) { return one.command != "BRANCH"; });
    if (branches->empty() && !call.json) call.console.out << (all ? "no branches\n" : "nothing is in doubt\n");
    call.show(branches.value());
    return ExitCode::ok;
  }
};

struct TxForget {
  OptionSet& to;
  Text xid{to, "XID", daemon::xa_forget::xid.as("as `tx ls` shows it: FORMAT:GTRID:BQUAL"), required, alone};

  ExitCode run(Call& call) {
    return call.report(call.about_table("XA_FORGET", to),
                       [](Message const& answer) { return "forgot " + printable(answer.text("xid")); });
  }

  ExitCode decide(Call& call, std::string_view outcome) const {
    Message command = call.about_table("XA_DECIDE", to);
    command.set("outcome", outcome);
    return call.report(command, [](Message const& answer) {
      return fmt::format("{}: {} ({} commands)", printable(answer.text("xid")), printable(answer.text("outcome")),
                         answer.integer("ops").value_or(0));
    });
  }
};

struct TxCommit : TxForget {
  ExitCode run(Call& call) { return decide(call, "commit"); }
};

struct TxRollback : TxForget {
  ExitCode run(Call& call) { return decide(call, "rollback"); }
};

constexpr char kAskManager[] =
    "Needs the right admin. The manager may decide otherwise for its other resources: ask it first. The decision is\n"
    "kept until `tx forget`, or until the manager forgets it.";

constexpr Verb kTransactionVerbs[]{
    {"tx run", "carry out the commands of a file, all of them or none", Needs::connection, declare<TxRun>,
     "fastjournal tx run orders.tx\n"
     "printf 'INSERT table=pages;uri=site:1\\nSET table=values;key=last;value=7\\n' | fastjournal tx run -",
     "A line is a text message (COMMAND name=value;name=value) or one in JSON; # begins a comment. INSERT, DONE,\n"
     "RELEASE and FAIL of a journal, SET, ADD and DELETE of a key/value table, SEND, ACCEPT, RELEASE and REJECT of a\n"
     "queue table, in one log or several. If a line is refused, nothing was done, and the error names it. Prints the\n"
     "answer to each line."},
    {"tx ls", "list prepared transactions, which are in doubt until their manager ends them", Needs::connection,
     declare<TxLs>, "fastjournal tx ls --all"},
    {"tx commit", "carry out a transaction that is in doubt, in place of its manager", Needs::connection,
     declare<TxCommit>, "fastjournal tx commit 1:6f72646572:01", kAskManager},
    {"tx rollback", "give up a transaction that is in doubt, in place of its manager", Needs::connection,
     declare<TxRollback>, "fastjournal tx rollback 1:6f72646572:01", kAskManager},
    {"tx forget", "forget one that was decided so, when its manager knows of it or never will", Needs::connection,
     declare<TxForget>, "fastjournal tx forget 1:6f72646572:01"},
};

}  // namespace

Verbs transaction_verbs() { return kTransactionVerbs; }

}  // namespace fastjournal::cli
