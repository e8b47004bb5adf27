#include "clients/programs/fastjournal/console.h"

#include <nlohmann/json.hpp>

#include <ostream>
#include <string>

#include "clients/programs/fastjournal/json_line.h"

namespace fastjournal::cli {
namespace {

using Json = nlohmann::ordered_json;

// The usual remedy for an error, if there is one.
std::string advice_on(Invocation const& invocation, Status const& status) {
  // The daemon was reached; the sentence says what to do, or nobody can do anything.
  for (auto const& [name, value] : status.facts())
    if (name == "tls" || name == "retry") return {};
  switch (status.code()) {
    case Code::unavailable:
      if (!invocation.server_origin.empty())
        return printable_lines(invocation.server_origin) +
               "; is fastjournald running? --server or FASTJOURNAL_SERVER names another one";
      return "is fastjournald running there? --server or FASTJOURNAL_SERVER names another address";
    case Code::moved:
      return "the table has moved to that address, which could not be reached in time; commands that name no table, "
             "and "
             "transactions, go to the daemon of --server only";
    case Code::unknown_table: return "`fastjournal tables` shows which there are";
    case Code::unknown_row:
      return "it is done, deleted or expired already, or never was; `fastjournal ls TABLE` shows what is there";
    case Code::unknown_command: return "`fastjournal commands` shows which there are";
    case Code::unknown_parameter:
    case Code::missing_parameter:
      return "`fastjournal commands NAME` shows what a command takes, `fastjournal tables` the columns";
    case Code::stale_epoch: return "the lease ended and the row was handed out again; take it again";
    case Code::not_leased: return "the lease ended; take the row again";
    case Code::no_space: return "free disk or memory; done and delete still work";
    case Code::timed_out: return "--timeout gives the daemon more time";
    default: return {};
  }
}

std::string whose(Invocation const& invocation) {
  return invocation.table.empty() ? invocation.verb : invocation.verb + " " + invocation.table;
}

Json json_about(Invocation const& invocation, std::string_view kind, std::string_view word, std::string_view sentence) {
  Json out = Json::object();
  out[std::string(kind)] = std::string(word);
  if (!sentence.empty()) out["message"] = std::string(sentence);
  out["command"] = invocation.verb;
  if (!invocation.table.empty()) out["table"] = invocation.table;
  return out;
}

}  // namespace

void tell(Invocation const& invocation, Console& console, Status const& status, std::string_view place,
          std::string_view advice) {
  if (invocation.json) {
    Json out = json_about(invocation, "error", row_of(status.code()).wire_name, status.message());
    if (!place.empty()) out["place"] = std::string(place);
    for (auto const& [name, value] : status.facts())
      if (name != "command") out["facts"][name] = value;
    if (!advice.empty()) out["advice"] = std::string(advice);
    console.err << json_line(out);
    return;
  }
  std::string facts;
  for (auto const& [name, value] : status.facts())
    if (name != "command") facts.append(facts.empty() ? "" : ", ").append(name).append("=").append(value);
  if (!facts.empty()) facts = " (" + facts + ")";
  std::string const where = place.empty() ? std::string() : std::string(place) + ": ";
  console.err << "fastjournal " << printable_lines(whose(invocation) + ": " + where + status.text() + facts) << '\n';
  if (!advice.empty()) console.err << advice << '\n';
}

ExitCode complain(Invocation const& invocation, Console& console, Status const& status, std::string_view place) {
  tell(invocation, console, status, place, advice_on(invocation, status));
  return exit_code_of(status.code());
}

ExitCode misuse(Invocation const& invocation, Console& console, std::string_view sentence, std::string_view place) {
  std::string const text = place.empty() ? std::string(sentence) : std::string(place) + ": " + std::string(sentence);
  if (invocation.json)
    console.err << json_line(json_about(invocation, "error", "usage", text));
  else
    console.err << "fastjournal " << printable_lines(invocation.verb + ": " + text) << '\n';
  return ExitCode::usage;
}

void note(Invocation const& invocation, Console& console, std::string_view sentence) {
  if (invocation.json)
    console.err << json_line(json_about(invocation, "note", sentence, {}));
  else
    console.err << "fastjournal " << printable_lines(invocation.verb + ": " + std::string(sentence)) << '\n';
}

std::string usage_error_json(std::string_view sentence) {
  Json out = Json::object();
  out["error"] = "usage";
  out["message"] = std::string(sentence);
  return json_line(out);
}

}  // namespace fastjournal::cli
