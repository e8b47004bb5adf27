// The verbs `queue ...`: messages of queue tables; queues, exchanges and bindings.
#include <algorithm>
#include <istream>
#include <iterator>
#include <ostream>

#include <fmt/format.h>

#include "base/utf8.h"
#include "clients/programs/fastjournal/verbs.h"

namespace fastjournal::cli {
namespace {

constexpr std::uint64_t kMessagesShown = 100;  // for people

// ---------------------------------------------------------------------------
// Messages

struct QueueSend {
  OptionSet& to;
  WordList words{to, "WORDS", "QUEUE BODY, with --exchange only BODY; - or nothing: standard input"};
  Text exchange{to, "--exchange", "the exchange that routes it", called("NAME")};
  Text routing_key{to, "--key", "with --exchange: the routing key", called("KEY")};
  Text properties{to, "--properties", "what goes with it: an object in JSON", called("JSON")};
  Number<std::uint8_t> priority{to, "--priority", "0 to 255, the smallest first (default 100)", WholeNumbers{0, 255}};
  When at{to, "--at", "not to be handed out before"};
  Expiration expires{to, "--expires", "not to be handed out from then on; or never"};
  Text client{to, "--client", "name of this producer: with --sequence, a resent message is there once"};
  Number<> sequence{to, "--sequence", "number of this message"};

  ExitCode run(Call& call) {
    bool const routed = !exchange.empty();
    std::size_t const names = routed ? 0 : 1;
    if (words.size() < names || words.size() > names + 1)
      return call.misuse(routed ? "expected one BODY at most with --exchange, or - for standard input"
                                : "expected QUEUE and BODY, or QUEUE alone for a body from standard input");
    std::string body = words.size() > names ? words.back() : "-";
    if (body == "-") body.assign(std::istreambuf_iterator<char>{call.console.in}, {});
    Message command = call.about_table("SEND");
    if (routed) {
      command.set("exchange", exchange);
      set_given(command, "routing_key", routing_key);
    } else {
      command.set("queue", words.front());
    }
    if (is_utf8(body))
      command.set("body", Value::of_verbatim(body));
    else
      command.set("body_binary", Value::of_binary(body));
    set_given(command, "properties", properties);
    if (priority) command.set_integer("priority", *priority);
    if (at) set_date(command, "process_date", *at);
    if (expires) set_date(command, "expiration_date", *expires);
    set_given(command, "client", client);
    if (sequence) command.set("sequence", Value::of_unsigned(*sequence));
    Result<client::Reply> const reply = call.connection().call_numbered(command);
    if (!reply.ok()) return call.complain(reply.status());
    Message const& answer = reply->first();
    std::int64_t const queues = answer.integer("queues").value_or(0);
    if (queues == 0)
      return call.say(answer, "sent to no queue: nothing is bound to " + printable(exchange) + " for it");
    return call.say(
        answer,
        fmt::format("{} message {}{}",
                    answer.text("result") == "duplicate" && !reply->resent ? "was sent before:" : "sent",
                    answer.integer("message").value_or(0), queues == 1 ? "" : fmt::format(" and {} more", queues - 1)));
  }
};

void write_body(Call& call, Message const& message) {
  if (call.json)
    call.console.out << render_json(message);
  else
    call.console.out << message.text(message.has("body") ? "body" : "body_binary");
}

// Printed first and accepted then: what is lost between is printed again by the next one.
struct QueueTake {
  OptionSet& to;
  Text queue{to, "QUEUE", "the queue", required};
  Number<> count{to, "--count", "how many at most (default 1)", WholeNumbers{1, 1024}};
  Duration wait{to, "--wait", "how long to wait for one when there is none"};

  ExitCode run(Call& call) {
    Message command = call.about_table("ACQUIRE");
    command.set("queue", queue);
    command.set("count", Value::of_unsigned(count.value_or(1)));
    if (wait) {
      command.set_integer("wait", wait->value);
      command.set("request", std::string_view{"take"});
    }
    Result<client::Reply> const reply = call.connection().call(command);
    if (!reply.ok()) return call.complain(reply.status());
    if (reply->first().command == "NOTHING") return ExitCode::nothing;
    for (Message const& message : reply->messages) {
      write_body(call, message);
      if (!call.json) call.console.out << '\n';
      call.console.out.flush();
      if (!call.console.out)
        return call.complain({Code::io_error, "cannot write to standard output: not all is accepted"});
      Message accept = call.about_table("ACCEPT");
      accept.set_integer("message", message.integer("message").value_or(0));
      accept.set_integer("epoch", message.integer("epoch").value_or(0));
      if (Result<Message> const answer = call.ask(accept); !answer.ok()) return call.complain(answer.status());
    }
    return ExitCode::ok;
  }
};

ExitCode list_queues(Call& call, Message command, Page const& pages, std::string_view nothing) {
  Paging paging = pages.paging(call.json ? UINT64_MAX : kMessagesShown);
  Result<std::vector<Message>> const found = call.all_pages(std::move(command), paging);
  if (!found.ok()) return call.complain(found.status());
  if (found->empty() && !call.json) call.console.out << nothing << '\n';
  call.show(found.value(), "table");
  if (!call.json && !paging.after.empty()) call.note("there are more: --after " + printable(paging.after));
  return ExitCode::ok;
}

struct QueueLs {
  OptionSet& to;
  Text queue{to, "QUEUE", "the queue"};
  Text status{to, "--status", "messages that are waiting, due, acquired or parked",
              one_of({"waiting", "due", "acquired", "parked"})};
  Page pages{to};

  ExitCode run(Call& call) {
    Message command = call.about_table(queue.empty() ? "QUEUES" : "BROWSE");
    set_given(command, "queue", queue);
    set_given(command, "status", status);
    return list_queues(call, std::move(command), pages, queue.empty() ? "no queues" : "no messages");
  }
};

struct QueueExchanges {
  OptionSet& to;
  Page pages{to};

  ExitCode run(Call& call) { return list_queues(call, call.about_table("EXCHANGES"), pages, "no exchanges"); }
};

struct QueueBindings {
  OptionSet& to;
  Page pages{to};

  ExitCode run(Call& call) { return list_queues(call, call.about_table("BINDINGS"), pages, "no bindings"); }
};

// About one message.
struct MessageAction {
  OptionSet& to;
  Number<> message{to, "MESSAGE", "its number", required};

  [[nodiscard]] Message about_message(Call& call, std::string_view command) const {
    Message out = call.about_table(command);
    out.set("message", Value::of_unsigned(*message));
    return out;
  }
};

struct QueueRead : MessageAction {
  ExitCode run(Call& call) {
    Result<Message> const answer = call.ask(about_message(call, "READ"));
    if (!answer.ok()) return call.complain(answer.status());
    write_body(call, answer.value());
    return ExitCode::ok;
  }
};

struct QueueWhy : MessageAction {
  ExitCode run(Call& call) { return call.report(about_message(call, "WHY"), reason_of); }
};

struct QueueKick : MessageAction {
  ExitCode run(Call& call) {
    return call.report(about_message(call, "KICK"), [&](Message const& answer) {
      return fmt::format(
          "message {} {}", *message,
          answer.command == "KICKED" ? "was taken back, and waits again" : "had expired, and is dropped");
    });
  }
};

// Messages of a queue that nobody has.
struct Selection {
  OptionSet& to;
  Flag parked{to, "--parked", "only those that are parked"};
  Flag dry_run{to, "--dry-run", "count them, and change nothing"};
  Number<> limit{to, "--count", "how many at most (default all)", WholeNumbers{1}};

  // A page after the other, until the end. `target`: the queue that gets them, if one does.
  ExitCode change(Call& call, std::string_view name, std::string_view done, std::string const& queue,
                  std::string const& target = {}) const {
    std::uint64_t const most = limit.value_or(UINT64_MAX);
    std::uint64_t count = 0;
    for (bool more = true; more && count < most;) {
      Message command = call.about_table(name);
      command.set("queue", queue);
      set_given(command, "to", target);
      if (parked) command.set("status", std::string_view{"parked"});
      if (dry_run) command.set_integer("dry_run", 1);
      command.set("count", Value::of_unsigned(std::min(Paging::kPageMax, most - count)));
      Result<Message> const answer = call.ask(command);
      if (!answer.ok()) return call.complain(answer.status());
      count += static_cast<std::uint64_t>(answer->integer("count").value_or(0));
      bool const is_last = answer->integer("more").value_or(0) != 1;
      more = !is_last && !dry_run;
      if (dry_run && !is_last) call.note("and more: a dry run looks at one page");
    }
    Message out{done};
    out.set("count", Value::of_unsigned(count));
    return call.say(out,
                    fmt::format("{}{} {} message{}", dry_run ? "would have " : "", done, count, count == 1 ? "" : "s"));
  }
};

struct QueueMove {
  OptionSet& to;
  Text from{to, "FROM", "the queue that has them", required};
  Text target{to, "TO", "the queue that gets them; the same one with --parked", required};
  Selection selection{to};

  ExitCode run(Call& call) { return selection.change(call, "MOVE", "moved", from, target); }
};

struct QueuePurge {
  OptionSet& to;
  Text queue{to, "QUEUE", "the queue", required};
  Selection selection{to};

  ExitCode run(Call& call) { return selection.change(call, "PURGE", "dropped", queue); }
};

// ---------------------------------------------------------------------------
// Queues, exchanges, bindings

ExitCode declare_queue(Call& call, Message const& command, std::string const& name) {
  return call.report(command,
                     [&](Message const& answer) { return printable(name) + ": " + printable(answer.text("result")); });
}

struct QueueMake {
  OptionSet& to;
  Text queue{to, "QUEUE", "its name", required};
  MaybeText dead_letters{to, "--dead-letters",
                         "the queue for what is rejected, or was delivered too often; '' for none", called("QUEUE")};
  Number<> max_deliveries{to, "--max-deliveries", "a message that failed so often is dead; 0: as the table",
                          WholeNumbers{0, 250}};
  Number<> max_messages{to, "--max-messages", "so many messages at most; 0: no limit"};
  Size max_bytes{to, "--max-bytes", "so many bytes of bodies at most; 0: no limit"};
  Text when_full{to, "--when-full", "refuse further messages, or drop the first ones", one_of({"refuse", "drop"})};
  Duration expires{to, "--expires", "how long its messages last; 0: for ever"};

  ExitCode run(Call& call) {
    Message command = call.about_table("DECLARE");
    set_given(command, "queue", queue);
    if (dead_letters) command.set("dead_letters", *dead_letters);
    if (max_deliveries) command.set("max_deliveries", Value::of_unsigned(*max_deliveries));
    if (max_messages) command.set("max_messages", Value::of_unsigned(*max_messages));
    if (max_bytes) command.set("max_bytes", Value::of_unsigned(*max_bytes));
    set_given(command, "when_full", when_full);
    if (expires) command.set_integer("expires", expires->value);
    return declare_queue(call, command, queue);
  }
};

struct QueueExchange {
  OptionSet& to;
  Text exchange{to, "EXCHANGE", "its name", required};
  Text kind{to, "KIND", "direct, fanout or topic", required, one_of({"direct", "fanout", "topic"})};

  ExitCode run(Call& call) {
    Message command = call.about_table("DECLARE");
    set_given(command, "exchange", exchange);
    command.set("kind", kind);
    return declare_queue(call, command, exchange);
  }
};

// Its answer is shown as it is.
ExitCode show_changed(Call& call, Message const& command) {
  return call.report(command, [&](Message const& answer) {
    std::string line = render_line(answer, call.console.look);
    line.pop_back();
    return line;
  });
}

struct QueueUnbind {
  OptionSet& to;
  Text exchange{to, "EXCHANGE", "the exchange", required};
  Text queue{to, "QUEUE", "the queue", required};
  Text routing_key{to, "KEY", "routing key of a direct exchange, pattern of a topic exchange"};

  [[nodiscard]] Message about_binding(Call& call, std::string_view name) const {
    Message command = call.about_table(name);
    set_given(command, "queue", queue);
    set_given(command, "exchange", exchange);
    set_given(command, "routing_key", routing_key);
    return command;
  }
  ExitCode run(Call& call) { return show_changed(call, about_binding(call, "UNBIND")); }
};

struct QueueBind : QueueUnbind {
  Flag makes{to, "--make", "make the queue if it is not there: a durable subscription"};

  ExitCode run(Call& call) {
    Message command = about_binding(call, "BIND");
    if (makes) command.set_integer("declare", 1);
    return show_changed(call, command);
  }
};

struct QueueRemove {
  OptionSet& to;
  Text queue{to, "QUEUE", "the queue"};
  Text exchange{to, "--exchange", "this exchange", called("NAME")};
  Flag if_empty{to, "--if-empty", "only without messages"};

  ExitCode run(Call& call) {
    if (queue.empty() == exchange.empty()) return call.misuse("expected a QUEUE, or --exchange NAME");
    Message command = call.about_table("REMOVE");
    set_given(command, "queue", queue);
    set_given(command, "exchange", exchange);
    if (if_empty) command.set_integer("if_empty", 1);
    return show_changed(call, command);
  }
};

constexpr Verb kQueueVerbs[]{
    {"queue send", "send a message to a queue, or by an exchange to all that it routes to", Needs::table,
     declare<QueueSend>,
     "fastjournal queue send post orders 'one cake' --properties '{\"colour\":\"red\"}'\n"
     "fastjournal queue send post --exchange news --key sport.chess - < report.txt",
     "When the command returns, the message is durable. A body that is no text is sent as bytes."},
    {"queue take", "take messages off a queue, and print their bodies", Needs::table, declare<QueueTake>,
     "fastjournal queue take post orders --count 10 --wait 1m",
     "Each body is printed byte by byte with a newline behind it, with --json each message as an object a line. What "
     "is\nprinted is accepted then, so a message is printed once at least. Exit code 4: there is none."},
    {"queue ls", "list the queues, or the messages of one without taking them", Needs::table, declare<QueueLs>,
     "fastjournal queue ls post\n"
     "fastjournal queue ls post orders"},
    {"queue read", "write the body of a message to standard output, without taking it", Needs::table,
     declare<QueueRead>, "fastjournal queue read post 8192 > message"},
    {"queue why", "say why a message is where it is", Needs::table, declare<QueueWhy>,
     "fastjournal queue why post 8192"},
    {"queue kick", "take a message back from its consumer", Needs::table, declare<QueueKick>,
     "fastjournal queue kick post 8192",
     "The lease ends, and the message waits at its place in the queue: nothing is counted, and its consumer is "
     "refused\nwhen it reports. Needs the right manage."},
    {"queue move", "move unleased messages to another queue: dead letters back to work", Needs::table,
     declare<QueueMove>,
     "fastjournal queue move post dead orders\n"
     "fastjournal queue move post orders orders --parked"},
    {"queue purge", "drop unleased messages of a queue", Needs::table, declare<QueuePurge>,
     "fastjournal queue purge post dead"},
    {"queue make", "make a queue, or change its options", Needs::table, declare<QueueMake>,
     "fastjournal queue make post orders --dead-letters dead --max-deliveries 5"},
    {"queue remove", "remove a queue with its messages, or an exchange", Needs::table, declare<QueueRemove>,
     "fastjournal queue remove post orders --if-empty"},
    {"queue exchange", "make an exchange", Needs::table, declare<QueueExchange>,
     "fastjournal queue exchange post news topic"},
    {"queue bind", "have an exchange route to a queue", Needs::table, declare<QueueBind>,
     "fastjournal queue bind post news anna 'sport.*' --make"},
    {"queue unbind", "end a binding", Needs::table, declare<QueueUnbind>,
     "fastjournal queue unbind post news anna 'sport.*'"},
    {"queue exchanges", "list the exchanges", Needs::table, declare<QueueExchanges>,
     "fastjournal queue exchanges post"},
    {"queue bindings", "list the bindings", Needs::table, declare<QueueBindings>,
     "fastjournal queue bindings post --json"},
};

}  // namespace

Verbs queue_verbs() { return kQueueVerbs; }

}  // namespace fastjournal::cli
