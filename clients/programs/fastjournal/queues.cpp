#include "clients/programs/fastjournal/queues.h"

#include <algorithm>
#include <istream>
#include <iterator>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/utf8.h"
#include "clients/programs/fastjournal/rows.h"
#include "clients/programs/fastjournal/values.h"
#include "model/value.h"

namespace fastjournal::cli {
namespace {

constexpr std::uint64_t kMessagesPageMax = 1000;
constexpr std::uint64_t kMessagesShown = 100;  // for people

class QueueRunner {
 public:
  QueueRunner(Invocation const& invocation, Console& console, client::Connection& connection)
      : one_(invocation), queue_(invocation.queue), console_(console), connection_(connection) {}

  ExitCode run();

 private:
  ExitCode send();
  ExitCode take();
  ExitCode list(std::string_view command, std::string_view nothing);
  ExitCode read();
  ExitCode why();
  ExitCode kick();
  ExitCode change(std::string_view command, std::string_view done);
  ExitCode declare();
  ExitCode simple(std::string_view command);

  ExitCode complain(Status const& status) { return cli::complain(one_, console_, status); }
  Message make(std::string_view command) {
    Message out{command};
    out.set("table", std::string_view{one_.table});
    return out;
  }
  static void set_given(Message& to, std::string_view name, std::string const& text) {
    if (!text.empty()) to.set(name, std::string_view{text});
  }
  void write_body(Message const& message) {
    console_.out << message.text(message.has("body") ? "body" : "body_binary");
  }
  Result<Message> call_about_message(std::string_view name) {
    Message command = make(name);
    command.set_integer("message", static_cast<std::int64_t>(one_.row));
    return call(command);
  }
  Result<Message> call(Message const& command) {
    Result<client::Reply> reply = connection_.call(command);
    if (!reply.ok()) return reply.status();
    return std::move(reply->messages.front());
  }

  Invocation const& one_;
  QueueOptions const& queue_;
  Console& console_;
  client::Connection& connection_;
};

// ---------------------------------------------------------------------------
// Messages

ExitCode QueueRunner::send() {
  bool const routed = !queue_.exchange.empty();
  std::size_t const names = routed ? 0 : 1;
  if (one_.words.size() < names || one_.words.size() > names + 1)
    return misuse(one_, console_,
                  routed ? "expected one BODY at most with --exchange, or - for standard input"
                         : "expected QUEUE and BODY, or QUEUE alone for a body from standard input");
  std::string body = one_.words.size() > names ? one_.words.back() : "-";
  if (body == "-") body.assign(std::istreambuf_iterator<char>{console_.in}, {});
  Message command = make("SEND");
  if (routed) {
    command.set("exchange", std::string_view{queue_.exchange});
    set_given(command, "routing_key", queue_.routing_key);
  } else {
    command.set("queue", std::string_view{one_.words.front()});
  }
  if (is_utf8(body))
    command.set("body", Value::of_verbatim(body));
  else
    command.set("body_binary", Value::of_binary(body));
  set_given(command, "properties", queue_.properties);
  if (one_.priority) command.set_integer("priority", *one_.priority);
  if (one_.at) set_date(command, "process_date", *one_.at);
  if (one_.expires) set_date(command, "expiration_date", *one_.expires);
  set_given(command, "client", one_.client);
  if (one_.sequence) command.set_integer("sequence", static_cast<std::int64_t>(*one_.sequence));
  Result<client::Reply> const reply = connection_.call_numbered(command);
  if (!reply.ok()) return complain(reply.status());
  Message const& answer = reply->first();
  std::int64_t const queues = answer.integer("queues").value_or(0);
  if (one_.json)
    console_.out << render_json(answer);
  else if (queues == 0)
    console_.out << "sent to no queue: nothing is bound to " << printable(queue_.exchange) << " for it\n";
  else
    console_.out << fmt::format(
        "{} message {}{}\n", answer.text("result") == "duplicate" && !reply->resent ? "was sent before:" : "sent",
        answer.integer("message").value_or(0), queues == 1 ? "" : fmt::format(" and {} more", queues - 1));
  return ExitCode::ok;
}

// Printed first and accepted then: what is lost between is printed again by the next one.
ExitCode QueueRunner::take() {
  Message command = make("ACQUIRE");
  command.set("queue", std::string_view{queue_.queue});
  command.set_integer("count", static_cast<std::int64_t>(one_.count.value_or(1)));
  if (one_.wait) {
    command.set_integer("wait", one_.wait->value);
    command.set("request", std::string_view{"take"});
  }
  Result<client::Reply> const reply = connection_.call(command);
  if (!reply.ok()) return complain(reply.status());
  if (reply->first().command == "NOTHING") return ExitCode::nothing;
  for (Message const& message : reply->messages) {
    if (one_.json) {
      console_.out << render_json(message);
    } else {
      write_body(message);
      console_.out << '\n';
    }
    console_.out.flush();
    if (!console_.out) return complain({Code::io_error, "cannot write to standard output: not all is accepted"});
    Message accept = make("ACCEPT");
    accept.set_integer("message", message.integer("message").value_or(0));
    accept.set_integer("epoch", message.integer("epoch").value_or(0));
    if (Result<Message> const answer = call(accept); !answer.ok()) return complain(answer.status());
  }
  return ExitCode::ok;
}

ExitCode QueueRunner::list(std::string_view command, std::string_view nothing) {
  std::uint64_t const most = one_.count.value_or(one_.json ? UINT64_MAX : kMessagesShown);
  std::vector<Message> found;
  std::string after = one_.after;
  do {
    Message page = make(command);
    if (command == "BROWSE") page.set("queue", std::string_view{queue_.queue});
    set_given(page, "status", one_.filter.status);
    set_given(page, "after", after);
    page.set_integer("count", static_cast<std::int64_t>(std::min(kMessagesPageMax, most - found.size())));
    Result<client::Reply> reply = connection_.call(page);
    if (!reply.ok()) return complain(reply.status());
    after = cursor_of(reply->messages.back(), after);
    for (Message& one : reply.value().messages)
      if (one.command != "NOTHING") found.push_back(std::move(one));
  } while (!after.empty() && found.size() < most);
  if (one_.json)
    for (Message const& one : found) console_.out << render_json(one);
  else if (found.empty())
    console_.out << nothing << '\n';
  else
    console_.out << render_table(found, console_.look, "table");
  if (!one_.json && !after.empty()) note(one_, console_, "there are more: --after " + printable(after));
  return ExitCode::ok;
}

ExitCode QueueRunner::read() {
  Result<Message> const answer = call_about_message("READ");
  if (!answer.ok()) return complain(answer.status());
  if (one_.json)
    console_.out << render_json(answer.value());
  else
    write_body(answer.value());
  return ExitCode::ok;
}

ExitCode QueueRunner::why() {
  Result<Message> const answer = call_about_message("WHY");
  if (!answer.ok()) return complain(answer.status());
  if (one_.json)
    console_.out << render_json(answer.value());
  else
    console_.out << printable(answer->text("text")) << '\n' << trace_lines(answer->text("error_trace"));
  return ExitCode::ok;
}

ExitCode QueueRunner::kick() {
  Result<Message> const answer = call_about_message("KICK");
  if (!answer.ok()) return complain(answer.status());
  if (one_.json)
    console_.out << render_json(answer.value());
  else
    console_.out << fmt::format(
        "message {} {}\n", one_.row,
        answer->command == "KICKED" ? "was taken back, and waits again" : "had expired, and is dropped");
  return ExitCode::ok;
}

// A page after the other, until the end.
ExitCode QueueRunner::change(std::string_view name, std::string_view done) {
  std::uint64_t const most = one_.count.value_or(UINT64_MAX);
  std::uint64_t count = 0;
  for (bool more = true; more && count < most;) {
    Message command = make(name);
    command.set("queue", std::string_view{queue_.queue});
    set_given(command, "to", queue_.to);
    if (queue_.parked) command.set("status", std::string_view{"parked"});
    if (one_.dry_run) command.set_integer("dry_run", 1);
    command.set_integer("count", static_cast<std::int64_t>(std::min(kMessagesPageMax, most - count)));
    Result<Message> const answer = call(command);
    if (!answer.ok()) return complain(answer.status());
    count += static_cast<std::uint64_t>(answer->integer("count").value_or(0));
    more = answer->integer("more").value_or(0) == 1 && !one_.dry_run;
    if (one_.dry_run && answer->integer("more").value_or(0) == 1)
      note(one_, console_, "and more: a dry run looks at one page");
  }
  if (one_.json) {
    Message out{done};
    out.set_integer("count", static_cast<std::int64_t>(count));
    console_.out << render_json(out);
  } else {
    console_.out << fmt::format("{}{} {}\n", one_.dry_run ? "would have " : "", done,
                                count == 1 ? "1 message" : fmt::format("{} messages", count));
  }
  return ExitCode::ok;
}

// ---------------------------------------------------------------------------
// Queues, exchanges, bindings

ExitCode QueueRunner::declare() {
  Message command = make("DECLARE");
  set_given(command, "queue", queue_.queue);
  set_given(command, "exchange", queue_.exchange);
  set_given(command, "kind", queue_.kind);
  if (queue_.dead_letters) command.set("dead_letters", std::string_view{*queue_.dead_letters});
  for (auto const& [name, value] :
       {std::pair{"max_deliveries", queue_.max_deliveries}, std::pair{"max_messages", queue_.max_messages},
        std::pair{"max_bytes", queue_.max_bytes}})
    if (value) command.set_integer(name, static_cast<std::int64_t>(*value));
  set_given(command, "when_full", queue_.when_full);
  if (queue_.expires) command.set_integer("expires", queue_.expires->value);
  Result<Message> const answer = call(command);
  if (!answer.ok()) return complain(answer.status());
  if (one_.json)
    console_.out << render_json(answer.value());
  else
    console_.out << printable(queue_.queue.empty() ? queue_.exchange : queue_.queue) << ": "
                 << printable(answer->text("result")) << '\n';
  return ExitCode::ok;
}

ExitCode QueueRunner::simple(std::string_view name) {
  if (name == "REMOVE" && queue_.queue.empty() == queue_.exchange.empty())
    return misuse(one_, console_, "expected a QUEUE, or --exchange NAME");
  Message command = make(name);
  set_given(command, "queue", queue_.queue);
  set_given(command, "exchange", queue_.exchange);
  set_given(command, "routing_key", queue_.routing_key);
  if (queue_.makes) command.set_integer("declare", 1);
  if (queue_.if_empty) command.set_integer("if_empty", 1);
  Result<Message> const answer = call(command);
  if (!answer.ok()) return complain(answer.status());
  if (one_.json)
    console_.out << render_json(answer.value());
  else
    console_.out << render_line(answer.value(), console_.look);
  return ExitCode::ok;
}

ExitCode QueueRunner::run() {
  std::string_view const verb = std::string_view{one_.verb}.substr(std::string_view{"queue "}.size());
  if (verb == "send") return send();
  if (verb == "take") return take();
  if (verb == "ls") return queue_.queue.empty() ? list("QUEUES", "no queues") : list("BROWSE", "no messages");
  if (verb == "read") return read();
  if (verb == "why") return why();
  if (verb == "kick") return kick();
  if (verb == "move") return change("MOVE", "moved");
  if (verb == "purge") return change("PURGE", "dropped");
  if (verb == "make" || verb == "exchange") return declare();
  if (verb == "remove") return simple("REMOVE");
  if (verb == "bind") return simple("BIND");
  if (verb == "unbind") return simple("UNBIND");
  return verb == "exchanges" ? list("EXCHANGES", "no exchanges") : list("BINDINGS", "no bindings");
}

}  // namespace

ExitCode run_queues(Invocation const& invocation, Console& console, client::Connection& connection) {
  return QueueRunner{invocation, console, connection}.run();
}

}  // namespace fastjournal::cli
