#include "clients/programs/fastjournal/transactions.h"

#include <fstream>
#include <istream>
#include <ostream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>
#include "base/utf8.h"
#include "clients/cpp/answers.h"
#include "clients/cpp/transaction.h"
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

}  // namespace

ExitCode run_transaction(Invocation const& invocation, Console& console, client::Connection& connection) {
  std::string const& file = invocation.file;
  std::ifstream opened;
  if (file != kStandardInput) {
    opened.open(file, std::ios::binary);
    if (!opened)
      return complain(
          invocation, console,
          {Code::io_error, "cannot read " + model::shown(file) + ": expected a file with a command a line"});
  }
  std::istream& in = file == kStandardInput ? console.in : opened;
  nlohmann::json commands = nlohmann::json::array();
  std::vector<std::size_t> lines;
  std::string line;
  for (std::size_t number = 1; std::getline(in, line); ++number) {
    if (is_comment(line)) continue;
    Message command;
    if (Status const status = protocol::parse_line(line, command); !status.ok())
      return misuse(invocation, console, status.message(), place_of(file, number));
    if (!is_utf8(line)) return misuse(invocation, console, "the line is no UTF-8", place_of(file, number));
    if (commands.size() == client::Transaction::kCommandsMax)
      return misuse(invocation, console,
                    "a transaction has at most " + std::to_string(client::Transaction::kCommandsMax) + " commands",
                    place_of(file, number));
    commands.push_back(json_of(command));
    lines.push_back(number);
  }
  if (in.bad())
    return complain(invocation, console, {Code::io_error, "cannot read " + model::shown(file) + " to its end"});
  if (lines.empty()) return misuse(invocation, console, "there is no command, expected one a line", place_of(file, 1));
  std::string const text = commands.dump();
  Message message("TRANSACTION");
  message.set("commands", Value::of_text(text));
  Result<client::Reply> const reply = connection.call(message);
  if (!reply.ok()) return complain(invocation, console, reply.status(), place_of(file, lines, reply.status()));
  if (reply->first().command != "COMMITTED")
    return complain(invocation, console, client::unexpected(reply->first(), "COMMITTED"));
  for (std::size_t i = 1; i < reply->messages.size(); ++i)
    console.out << (invocation.json ? render_json(reply->messages[i], true)
                                    : render_line(reply->messages[i], console.look));
  return ExitCode::ok;
}

ExitCode list_branches(Invocation const& invocation, Console& console, client::Connection& connection) {
  std::vector<Message> branches;
  std::string after;
  do {
    client::Params params{{"all", Value::of_integer(invocation.all ? 1 : 0)}, {"count", Value::of_integer(1000)}};
    if (!after.empty()) params.push_back({"after", Value::of_text(after)});
    Result<client::Reply> reply = connection.call("XA_RECOVER", params);
    if (!reply.ok()) return complain(invocation, console, reply.status());
    after = reply->messages.back().text("after");
    for (Message& one : reply.value().messages)
      if (one.command == "BRANCH") branches.push_back(std::move(one));
  } while (!after.empty());
  if (invocation.json)
    for (Message const& one : branches) console.out << render_json(one);
  else if (branches.empty())
    console.out << (invocation.all ? "no branches\n" : "nothing is in doubt\n");
  else
    console.out << render_table(branches, console.look);
  return ExitCode::ok;
}

ExitCode end_branch(Invocation const& invocation, Console& console, client::Connection& connection) {
  bool const forgets = invocation.verb == "tx forget";
  client::Params params{{"xid", Value::of_text(invocation.words.front())}};
  if (!forgets) params.push_back({"outcome", Value::of_text(invocation.verb == "tx commit" ? "commit" : "rollback")});
  Result<client::Reply> const reply = connection.call(forgets ? "XA_FORGET" : "XA_DECIDE", params);
  if (!reply.ok()) return complain(invocation, console, reply.status());
  Message const& answer = reply->first();
  if (invocation.json)
    console.out << render_json(answer);
  else if (forgets)
    console.out << "forgot " << printable(answer.text("xid")) << '\n';
  else
    console.out << printable(answer.text("xid")) << ": " << printable(answer.text("outcome")) << " ("
                << answer.integer("ops").value_or(0) << " commands)\n";
  return ExitCode::ok;
}

}  // namespace fastjournal::cli
