#include "clients/programs/fastjournal/pipeline_people.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <map>
#include <ostream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace fastjournal::cli {
namespace {

constexpr std::uint64_t kPage = 1'000;
constexpr std::uint64_t kDocumentsShown = 100;

class People {
 public:
  People(Invocation const& invocation, Console& console, client::Connection& connection)
      : one_(invocation),
        console_(console),
        connection_(connection),
        verb_(one_.verb.substr(one_.verb.find(' ') + 1)) {}

  ExitCode run() {
    if (verb_ == "status") return show(make("DESTINATIONS"));
    if (verb_ == "ls") return list();
    if (verb_ == "why") return why();
    if (verb_ == "history") return history();
    if (verb_ == "kick") return kick();
    if (verb_ == "plan") return plan();
    if (verb_ == "pause" || verb_ == "resume") return set_mode();
    return change();
  }

 private:
  Message make(std::string_view command) {
    Message out{command};
    out.set("table", std::string_view{one_.table});
    return out;
  }
  static void set(Message& message, std::string_view name, std::string const& text) {
    if (!text.empty()) message.set(name, std::string_view{text});
  }

  // All pages of it as one.
  ExitCode show(Message command) {
    std::vector<Message> all;
    for (std::string after; after != "0";) {
      set(command, "after", after);
      Result<client::Reply> reply = connection_.call(command);
      if (!reply.ok()) return complain(one_, console_, reply.status());
      after = std::to_string(reply->messages.back().integer("after").value_or(0));
      std::erase_if(reply->messages, [](Message const& one) { return one.command == "NOTHING"; });
      std::ranges::move(reply->messages, std::back_inserter(all));
    }
    // A destination that is named for its step, as most are, needs no second name.
    for (Message& one : all)
      for (std::string_view const name : {"step", "branches"})
        if (!one_.json && one.text(name) == one.text("destination")) one.erase(name);
    if (!all.empty()) print(all);
    return all.empty() ? ExitCode::nothing : ExitCode::ok;
  }
  void print(std::vector<Message> const& messages) {
    if (!one_.json) {
      console_.out << render_table(messages, console_.look, "table");
      return;
    }
    for (Message const& message : messages) console_.out << render_json(message);
  }

  ExitCode list() {
    Message command = make("DOCUMENTS");
    set(command, "status", one_.filter.status);
    set(command, "destination", one_.pipeline.destination);
    if (one_.pipeline.version) command.set_integer("version", static_cast<std::int64_t>(*one_.pipeline.version));
    return list(std::move(command));
  }
  ExitCode history() {
    Message command = make("HISTORY");
    set(command, "document", one_.pipeline.document);
    if (one_.pipeline.children) command.set_integer("children", 1);
    return list(std::move(command));
  }
  // With --json all, else a page.
  ExitCode list(Message command) {
    std::uint64_t left = one_.count.value_or(one_.json ? UINT64_MAX : kDocumentsShown);
    std::uint64_t shown = 0;
    std::string after = one_.after;
    do {
      command.set_integer("count", static_cast<std::int64_t>(std::min(left, kPage)));
      set(command, "after", after);
      Result<client::Reply> reply = connection_.call(command);
      if (!reply.ok()) return complain(one_, console_, reply.status());
      after = std::to_string(reply->messages.back().integer("after").value_or(0));
      std::erase_if(reply->messages, [](Message const& one) { return one.command == "NOTHING"; });
      left -= reply->messages.size();
      shown += reply->messages.size();
      if (!reply->messages.empty()) print(reply->messages);
    } while (after != "0" && left > 0);
    if (after != "0" && !one_.json) note(one_, console_, "there are more: --after " + after);
    return shown == 0 ? ExitCode::nothing : ExitCode::ok;
  }

  ExitCode why() {
    Message command = make("WHY");
    command.set("document", std::string_view{one_.words.front()});
    Result<client::Reply> const reply = connection_.call(command);
    if (!reply.ok()) return complain(one_, console_, reply.status());
    if (one_.json)
      console_.out << render_json(reply->first());
    else
      console_.out << printable(reply->first().text("text")) << '\n' << trace_lines(reply->first().text("error_trace"));
    return ExitCode::ok;
  }

  ExitCode kick() {
    Message command = make("KICK");
    command.set("document", std::string_view{one_.words.front()});
    set(command, "destination", one_.pipeline.destination);
    Result<client::Reply> const reply = connection_.call(command);
    if (!reply.ok()) return complain(one_, console_, reply.status());
    std::int64_t const count = reply->first().integer("count").value_or(0);
    std::int64_t const doubt = reply->first().integer("in_doubt").value_or(0);
    if (one_.json)
      console_.out << render_json(reply->first());
    else
      console_.out << fmt::format("{} taken back{}\n", count == 1 ? "1 lease" : fmt::format("{} leases", count),
                                  doubt > 0 ? fmt::format(", {} in doubt: `pipeline resolve`", doubt) : "");
    return ExitCode::ok;
  }

  // As a file.
  ExitCode plan() {
    Result<client::Reply> const reply = connection_.call(make("PLANS"));
    if (!reply.ok()) return complain(one_, console_, reply.status());
    auto const wanted = [&](Message const& one) {
      if (!one.has("xml")) return false;
      return one_.pipeline.version ? one.integer("version") == static_cast<std::int64_t>(*one_.pipeline.version)
                                   : one.integer("newest") == 1;
    };
    auto const found = std::ranges::find_if(reply->messages, wanted);
    if (found == reply->messages.end())
      return complain(one_, console_, Status{Code::not_found, "the table has no such plan: call PLANS lists them"});
    if (one_.json)
      console_.out << render_json(*found);
    else
      console_.out << printable_lines(found->text("xml"));
    return ExitCode::ok;
  }

  ExitCode set_mode() {
    Message command = make(verb_ == "pause" ? "PAUSE" : "RESUME");
    command.set("destination", std::string_view{one_.words.front()});
    set(command, "reason", one_.reason);
    Result<client::Reply> const reply = connection_.call(command);
    if (!reply.ok()) return complain(one_, console_, reply.status());
    if (one_.json)
      console_.out << render_json(reply->first());
    else
      console_.out << fmt::format("{} is {}\n", printable(one_.words.front()), reply->first().text("mode"));
    return ExitCode::ok;
  }

  // The command of all pages; what narrows it down.
  Message changes() {
    static std::map<std::string, std::string_view, std::less<>> const kCommands{
        {"retry", "RETRY"},     {"force", "FORCE"},     {"drop", "DROP"},
        {"resolve", "RESOLVE"}, {"migrate", "MIGRATE"}, {"forget", "FORGET"}};
    Message command = make(kCommands.at(verb_));
    set(command, "document", one_.pipeline.document);
    set(command, "destination", one_.pipeline.destination);
    set(command, "class", one_.pipeline.failure);
    set(command, "status", one_.filter.status);
    if (verb_ == "resolve") command.set("outcome", std::string_view{one_.words.front()});
    if (one_.all) command.set_integer("all", 1);
    if (one_.pipeline.if_changed) command.set_integer("if_changed", 1);
    if (one_.pipeline.version) command.set_integer("version", static_cast<std::int64_t>(*one_.pipeline.version));
    for (std::string const& one : one_.renamed) rename_ += (rename_.empty() ? "" : " ") + one;
    set(command, "rename", rename_);
    if (one_.dry_run) command.set_integer("dry_run", 1);
    return command;
  }

  // Page by page, not faster than wished.
  ExitCode change() {
    using namespace std::chrono;
    Message command = changes();
    std::uint64_t const rate = one_.pipeline.rate.value_or(0);
    std::uint64_t const page = rate == 0 ? kPage : std::clamp<std::uint64_t>(rate, 1, kPage);
    std::map<std::string, std::uint64_t> sums;
    auto const begun = steady_clock::now();
    for (std::string after;;) {
      command.set_integer("count", static_cast<std::int64_t>(page));
      set(command, "after", after);
      Result<client::Reply> const reply = connection_.call(command);
      if (!reply.ok()) return complain(one_, console_, reply.status(), so_far(sums));
      Message const& answer = reply->first();
      for (std::string_view const name : {"count", "there", "stay"})
        if (answer.has(name)) sums[std::string{name}] += static_cast<std::uint64_t>(answer.integer(name).value_or(0));
      if (console_.progress) console_.err << '\r' << so_far(sums) << std::flush;
      after = std::to_string(answer.integer("after").value_or(0));
      if (after == "0" && answer.integer("more").value_or(0) != 1) break;
      if (after == "0") after.clear();
      if (rate > 0) std::this_thread::sleep_until(begun + milliseconds{sums["count"] * 1000 / rate});
    }
    if (console_.progress) console_.err << '\r' << std::string(40, ' ') << '\r';
    if (one_.json) {
      Message out{"CHANGED"};
      for (auto const& [name, sum] : sums) out.set(name, Value::of_unsigned(sum));
      console_.out << render_json(out);
    } else {
      console_.out << so_far(sums) << (one_.dry_run ? ": nothing was changed" : "") << '\n';
    }
    return sums["count"] == 0 ? ExitCode::nothing : ExitCode::ok;
  }
  std::string so_far(std::map<std::string, std::uint64_t>& sums) {
    bool const of_documents = verb_ == "migrate" || verb_ == "forget";
    std::uint64_t const count = sums["count"];
    std::string_view const what =
        of_documents ? (count == 1 ? "document" : "documents") : (count == 1 ? "delivery" : "deliveries");
    std::string out = fmt::format("{} {}", count, what);
    if (verb_ == "migrate") out += fmt::format(", {} there before, {} stay", sums["there"], sums["stay"]);
    return out;
  }

  Invocation const& one_;
  Console& console_;
  client::Connection& connection_;
  std::string verb_;
  std::string rename_;
};

}  // namespace

ExitCode run_pipeline_command(Invocation const& invocation, Console& console, client::Connection& connection) {
  return People{invocation, console, connection}.run();
}

}  // namespace fastjournal::cli
