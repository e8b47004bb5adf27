#include "clients/programs/fastjournal/call.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <istream>
#include <iterator>
#include <ostream>
#include <string>

#include "clients/cpp/value_text.h"
#include "clients/programs/fastjournal/json_line.h"
#include "clients/programs/fastjournal/options.h"
#include "model/date.h"

namespace fastjournal::cli {
namespace {

using Json = nlohmann::ordered_json;

// The usual remedy for an error, if there is one.
std::string advice_on(Globals const& all, Status const& status) {
  // The daemon was reached; the sentence says what to do, or nobody can do anything.
  for (auto const& [name, value] : status.facts())
    if (name == "tls" || name == "retry") return {};
  switch (status.code()) {
    case Code::unavailable:
      if (!all.server_origin.empty())
        return printable_lines(all.server_origin) +
               "; is fastjournald running? --server or FASTJOURNAL_SERVER names another one";
      return "is fastjournald running there? --server or FASTJOURNAL_SERVER names another address";
    case Code::moved:
      return "the table has moved to that address, which could not be reached in time; commands that name no table, "
             "and transactions, go to the daemon of --server only";
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

Json json_about(Call const& call, std::string_view kind, std::string_view word, std::string_view sentence) {
  Json out = Json::object();
  out[std::string(kind)] = std::string(word);
  if (!sentence.empty()) out["message"] = std::string(sentence);
  out["command"] = std::string(call.verb);
  if (!call.table.empty()) out["table"] = call.table;
  return out;
}

}  // namespace

client::Options connection_options(Globals const& all) {
  client::Options options;
  options.server = all.server;
  options.ca_file = all.ca_file;
  options.certificate_file = all.certificate_file;
  options.key_file = all.key_file;
  options.token = all.token;
  options.framing = all.text ? client::Framing::text : client::Framing::msgpack;
  options.time_limit = all.time_limit();
  options.connect_limit = std::min(options.connect_limit, options.time_limit);
  return options;
}

void Call::tell(Status const& status, std::string_view place, std::string_view advice) {
  if (json) {
    Json out = json_about(*this, "error", row_of(status.code()).wire_name, status.message());
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
  std::string line{verb};
  if (!table.empty()) line += " " + table;
  line += ": ";
  if (!place.empty()) line.append(place).append(": ");
  console.err << "fastjournal " << printable_lines(line + status.text() + facts) << '\n';
  if (!advice.empty()) console.err << advice << '\n';
}

ExitCode Call::complain(Status const& status, std::string_view place) {
  tell(status, place, advice_on(*this, status));
  return exit_code_of(status.code());
}

ExitCode Call::unconnected(Status const& status) {
  ExitCode const code = complain(status);
  return status.code() == Code::bad_parameter ? ExitCode::usage : code;
}

ExitCode Call::complain_of_files(Status const& status) {
  tell(status, {}, {});
  return exit_code_of_files(status.code());
}

ExitCode Call::misuse(std::string_view sentence, std::string_view place) {
  std::string said{place};
  said.append(place.empty() ? "" : ": ").append(sentence);
  if (json)
    console.err << json_line(json_about(*this, "error", "usage", said));
  else
    console.err << "fastjournal " << printable_lines(std::string(verb) + ": " + said) << '\n';
  return ExitCode::usage;
}

void Call::note(std::string_view sentence) {
  if (json)
    console.err << json_line(json_about(*this, "note", sentence, {}));
  else
    console.err << "fastjournal " << printable_lines(std::string(verb) + ": " + std::string(sentence)) << '\n';
}

Status Call::connect() {
  Result<std::unique_ptr<client::Connection>> opened = client::Connection::open(connection_options(*this));
  if (!opened.ok()) return opened.status();
  connection_ = std::move(opened).value();
  return {};
}

Message Call::about_table(std::string_view command) const {
  Message out(command);
  set_given(out, "table", table);
  return out;
}

Message Call::about_table(std::string_view command, OptionSet const& given) const {
  Message out = about_table(command);
  given.fill(out);
  return out;
}

Result<Message> Call::ask(Message const& command) {
  Result<client::Reply> reply = connection_->call(command);
  if (!reply.ok()) return reply.status();
  return std::move(reply->messages.front());
}

Status Call::each_page(Message command, Paging& paging, std::function<Status(std::vector<Message>& page)> const& take) {
  do {
    if (paging.is_sized) command.set("count", Value::of_unsigned(std::min(paging.left, Paging::kPageMax)));
    set_given(command, "after", paging.after);
    Result<client::Reply> reply = connection_->call(command);
    if (!reply.ok()) return reply.status();
    paging.after = cursor_of(reply->messages.back(), paging.after);
    std::erase_if(reply->messages, [&](Message const& one) {
      bool const is_nothing = one.command == "NOTHING";
      if (is_nothing) paging.reason = one.text("reason");
      return is_nothing;
    });
    if (Status const taken = take(reply->messages); !taken.ok()) return taken;
  } while (!paging.after.empty() && paging.left > 0);
  return {};
}

Result<std::vector<Message>> Call::all_pages(Message command, Paging& paging) {
  std::vector<Message> out;
  Status const listed = each_page(std::move(command), paging, [&](std::vector<Message>& page) -> Status {
    page.resize(std::min<std::uint64_t>(page.size(), paging.left));
    paging.left -= page.size();
    std::ranges::move(page, std::back_inserter(out));
    return {};
  });
  if (!listed.ok()) return listed;
  return out;
}

ExitCode Call::report(Message const& command, Sentence const& sentence) {
  Result<Message> const answer = ask(command);
  if (!answer.ok()) return complain(answer.status());
  return say(answer.value(), json ? std::string() : sentence(answer.value()));
}

ExitCode Call::say(Message const& answer, std::string_view sentence) {
  if (json)
    console.out << render_json(answer);
  else
    console.out << sentence << '\n';
  return ExitCode::ok;
}

void Call::show(std::vector<Message> const& records, std::string_view hidden) {
  if (!json) {
    console.out << render_table(records, console.look, hidden);
    return;
  }
  for (Message const& record : records) console.out << render_json(record);
}

void Call::show_line(Message const& message) {
  console.out << (json ? render_json(message, true) : render_line(message, console.look));
}

bool Call::is_confirmed(std::string_view question) {
  console.err << question << " [y/N] " << std::flush;
  std::string answer;
  std::getline(console.in, answer);
  return answer == "y" || answer == "yes";
}

std::string cursor_of(Message const& last, std::string const& before) {
  Value const* const cursor = last.find("after");
  std::string next = cursor == nullptr ? std::string() : client::text_of(*cursor);
  return next == "0" || next == before ? std::string() : next;
}

void set_given(Message& message, std::string_view name, std::string const& text) {
  if (!text.empty()) message.set(name, text);
}

void set_given(Message& message, std::string_view name, Switch const& flag) {
  if (flag.is_on) message.set_integer(name, 1);
}

std::string reason_of(Message const& answer) {
  std::string const trace = trace_lines(answer.text("error_trace"));
  return printable(answer.text("text")) + (trace.empty() ? "" : "\n" + trace.substr(0, trace.size() - 1));
}

std::string due_text(Message const& answer) {
  auto const date = answer.integer("process_date");
  return date && *date > 0 ? ", due " + model::format_date(*date) : std::string();
}

std::string value_text(Message const& message, std::string_view name) {
  Value const* const value = message.find(name);
  return value == nullptr ? "?" : client::text_of(*value);
}

std::string usage_error_json(std::string_view sentence) {
  Json out = Json::object();
  out["error"] = "usage";
  out["message"] = std::string(sentence);
  return json_line(out);
}

}  // namespace fastjournal::cli
