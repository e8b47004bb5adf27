// The verbs `queue ...`: messages of queue tables; queues, exchanges and bindings.
#include <algorithm>
#include <istream>
#include <iterator>
#include <optional>
#include <ostream>

#include <fmt/format.h>

#include "base/utf8.h"
#include "clients/programs/fastjournal/dates.h"
#include "clients/programs/fastjournal/verbs.h"

namespace fastjournal::cli {
namespace {

constexpr std::uint64_t kMessagesShown = 100;  // for people

// ---------------------------------------------------------------------------
// Messages

struct QueueSend {
  OptionSet& to;
  WordList words{to, "WORDS", "QUEUE BODY, with --exchange only BODY; - or nothing: standard input"};
  Text exchange{to, "--exchange", queue::send::exchange, called("NAME")};
  Text routing_key{to, "--key", "with --exchange: the routing key", called("KEY")};
  Text properties{to, "--properties", queue::send::properties, called("JSON")};
  Number<std::uint32_t> priority{to, "--priority", queue::send::priority};
  Duration lease{to, "--lease", queue::send::lease};
  Text group{to, "--group", queue::send::group, called("NAME")};
  Text deduplication{to, "--deduplication", queue::send::deduplication, called("ID")};
  When at{to, "--at", queue::send::process_date};
  Expiration expires{to, "--expires", queue::send::expiration_date.as("not to be handed out from then on; or never")};
  Text client{to, "--client",
              queue::send::client.as("name of this producer: with --sequence, a resent message is there once")};
  Number<> sequence{to, "--sequence", queue::send::sequence};

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
    to.fill(command);
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
  WordList queues{
      to, "QUEUE",
      queue::acquire::queue.as("the queue; or several, whose messages come by priority, then as in one queue"),
      required};
  Number<> count{to, "--count", queue::acquire::count};
  Duration wait{to, "--wait", queue::acquire::wait.as("how long to wait for one when there is none")};

  ExitCode run(Call& call) {
    Message command = call.about_table("ACQUIRE", to);
    std::string const names = fmt::format("{}", fmt::join(queues, " "));
    command.set(queues.size() == 1 ? "queue" : "queues", names);
    if (!count) command.set("count", Value::of_unsigned(queue::acquire::count.absent));
    if (wait) command.set("request", std::string_view{"take"});
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
  Result<std::vector<Message>> found = call.all_pages(std::move(command), paging);
  if (!found.ok()) return call.complain(found.status());
  for (Message& one : found.value())
    if (!call.json) one.erase("now");
  if (found->empty() && !call.json) call.console.out << nothing << '\n';
  call.show(found.value(), "table");
  if (!call.json && !paging.after.empty()) call.note("there are more: --after " + printable(paging.after));
  return ExitCode::ok;
}

struct QueueLs {
  OptionSet& to;
  Text queue{to, "QUEUE", queue::browse::queue.as("the queue")};
  Text status{to, "--status", queue::browse::status.as("only messages in this state")};
  Page pages{to};

  ExitCode run(Call& call) {
    Message command = call.about_table(queue.empty() ? "QUEUES" : "BROWSE", to);
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
  Number<> message{to, "MESSAGE", queue::read::message.as("its number"), required};
};

struct QueueRead : MessageAction {
  ExitCode run(Call& call) {
    Result<Message> const answer = call.ask(call.about_table("READ", to));
    if (!answer.ok()) return call.complain(answer.status());
    write_body(call, answer.value());
    return ExitCode::ok;
  }
};

struct QueueWhy : MessageAction {
  ExitCode run(Call& call) { return call.report(call.about_table("WHY", to), reason_of); }
};

struct QueueDelete : MessageAction {
  ExitCode run(Call& call) {
    return call.report(call.about_table("DELETE", to), [&](Message const& answer) {
      return fmt::format("message {} of {} is deleted", *message, printable(answer.text("queue")));
    });
  }
};

// A message that nobody has is taken first, which gives the epoch that PARK wants. Nothing but --priority could be
// refused then, and a refusal would leave the message out of its place: so that is for those who have a lease.
struct QueuePark : MessageAction {
  Number<> epoch{to, "EPOCH", queue::park::epoch.as("the epoch of its lease; a message that nobody has needs none")};
  Text error{to, "--error", queue::park::error};
  Number<std::uint32_t> priority{to, "--priority", queue::park::priority, only_with(epoch)};

  ExitCode run(Call& call) {
    Message park = call.about_table("PARK", to);
    if (!epoch) {
      Message acquire = call.about_table("ACQUIRE");
      acquire.set("message", Value::of_unsigned(*message));
      Result<Message> const taken = call.ask(acquire);
      if (!taken.ok()) return call.complain(taken.status());
      park.set_integer("epoch", taken->integer("epoch").value_or(0));
    }
    Result<Message> answer = call.ask(park);
    if (!answer.ok()) return call.complain(answer.status());
    bool const is_parked = answer->command == "PARKED";
    // JSON does not name the answer.
    answer->set("fate", std::string_view{is_parked ? "parked" : "deleted"});
    return call.say(answer.value(), fmt::format("message {} {}", *message,
                                                is_parked ? "is parked; `fastjournal queue kick` puts it back"
                                                          : "had expired, and is dropped"));
  }
};

struct QueuePeek {
  OptionSet& to;
  Text queue{to, "QUEUE", queue::peek::queue, required};
  Text status{to, "--status", queue::peek::status};

  ExitCode run(Call& call) {
    Result<Message> const answer = call.ask(call.about_table("PEEK", to));
    if (!answer.ok()) return call.complain(answer.status());
    if (answer->command == "NOTHING") {
      if (!call.json)
        call.console.err << "no message of " << printable(queue) << " is " << status.or_else("due") << '\n';
      return ExitCode::nothing;
    }
    call.console.out << (call.json ? render_json(answer.value()) : render_sheet(answer.value(), call.console.look));
    return ExitCode::ok;
  }
};

// A page after the other, until the end or `most`.
ExitCode change_pages(Call& call, Message command, std::optional<std::uint64_t> const& most, std::string_view done,
                      bool is_dry = false) {
  std::uint64_t left = most.value_or(UINT64_MAX);
  std::uint64_t count = 0;
  for (bool more = true; more && left > 0;) {
    command.set("count", Value::of_unsigned(std::min(Paging::kPageMax, left)));
    Result<Message> const answer = call.ask(command);
    if (!answer.ok()) return call.complain(answer.status());
    auto const here = static_cast<std::uint64_t>(answer->integer("count").value_or(0));
    count += here;
    left -= std::min(left, here);
    bool const is_last = answer->integer("more").value_or(0) != 1;
    std::optional<std::int64_t> const after = answer->integer("after");
    if (after) command.set_integer("after", *after);
    more = !is_last && (!is_dry || after);
    if (!is_last && !more) call.note("and more: a dry run looks at one page");
  }
  Message out{done};
  out.set("count", Value::of_unsigned(count));
  return call.say(out,
                  fmt::format("{}{} {} message{}", is_dry ? "would have " : "", done, count, count == 1 ? "" : "s"));
}

struct QueueKick {
  OptionSet& to;
  Number<> message{to, "MESSAGE", queue::kick::message.as("its number; or else --queue")};
  Text queue{to, "--queue",
             queue::kick::queue.as("messages of this queue: the parked ones; those that wait for their date only if "
                                   "none is parked"),
             called("NAME")};
  Number<> limit{to, "--count", "with --queue: how many at most (default all)", WholeNumbers{1}, only_with(queue)};

  [[nodiscard]] std::string contradiction(Globals const& /*all*/) const {
    return message.has_value() == queue.empty() ? "" : "queue kick needs the number of a message, or --queue NAME";
  }

  ExitCode run(Call& call) {
    Message kick = call.about_table("KICK", to);
    if (!message) return change_pages(call, std::move(kick), limit, "kicked");
    return call.report(kick, [&](Message const& answer) {
      return fmt::format(
          "message {} {}", *message,
          answer.command == "KICKED" ? "is back at work, and waits in its queue" : "had expired, and is dropped");
    });
  }
};

// Messages of a queue that nobody has.
struct Selection {
  OptionSet& to;
  Flag parked{to, "--parked", "only those that are parked"};
  Flag dry_run{to, "--dry-run", queue::purge::dry_run};
  Number<> limit{to, "--count", "how many at most (default all)", WholeNumbers{1}};

  ExitCode change(Call& call, std::string_view name, std::string_view done) const {
    Message command = call.about_table(name, to);
    if (parked) command.set("status", std::string_view{"parked"});
    return change_pages(call, std::move(command), limit, done, dry_run);
  }
};

struct QueueMove {
  OptionSet& to;
  Text from{to, "FROM", queue::move::queue, required};
  Text target{to, "TO",
              queue::move::to.as("the queue that gets them; the same one with --parked; if absent, that on which each "
                                 "died")};
  Selection selection{to};

  ExitCode run(Call& call) { return selection.change(call, "MOVE", "moved"); }
};

struct QueuePurge {
  OptionSet& to;
  Text queue{to, "QUEUE", queue::purge::queue, required};
  Selection selection{to};

  ExitCode run(Call& call) { return selection.change(call, "PURGE", "dropped"); }
};

// ---------------------------------------------------------------------------
// Queues, exchanges, bindings

ExitCode declare_queue(Call& call, Message const& command, std::string const& name) {
  return call.report(command,
                     [&](Message const& answer) { return printable(name) + ": " + printable(answer.text("result")); });
}

struct QueueMake {
  OptionSet& to;
  Text queue{to, "QUEUE", queue::declare::queue.as("its name"), required};
  MaybeText dead_letters{to, "--dead-letters", queue::declare::dead_letters, called("QUEUE")};
  Number<> max_deliveries{to, "--max-deliveries", queue::declare::max_deliveries};
  Number<> max_messages{to, "--max-messages", queue::declare::max_messages};
  Size max_bytes{to, "--max-bytes", queue::declare::max_bytes};
  Text when_full{to, "--when-full", queue::declare::when_full.as("refuse further messages, or drop the first ones")};
  Duration lease{to, "--lease", queue::declare::lease};
  Duration delay{to, "--delay", queue::declare::delay};
  Size max_message_bytes{to, "--max-message-bytes", queue::declare::max_message_bytes};
  MaybeText properties{to, "--properties", queue::declare::properties, called("JSON")};
  Duration expires{to, "--expires", queue::declare::expires.as("how long its messages last; 0: for ever")};

  ExitCode run(Call& call) { return declare_queue(call, call.about_table("DECLARE", to), queue); }
};

struct QueuePause {
  OptionSet& to;
  Text queue{to, "QUEUE", queue::pause::queue, required};
  When until{to, "--until", queue::pause::until.as("when it goes on by itself (default: not before `queue resume`)")};
  Text reason{to, "--reason", queue::pause::reason, called("TEXT")};

  ExitCode run(Call& call) {
    return call.report(call.about_table("PAUSE", to), [&](Message const& answer) {
      auto const date = answer.integer("until");
      if (until && !date) return fmt::format("queue {} is not paused: that date is past", printable(queue));
      return fmt::format("queue {} {} paused: nothing is handed out until {}", printable(queue),
                         answer.text("result") == "unchanged" ? "was already" : "is",
                         date ? date_text(*date, call.console.look) : "`queue resume`");
    });
  }
};

struct QueueResume {
  OptionSet& to;
  Text queue{to, "QUEUE", queue::resume::queue, required};

  ExitCode run(Call& call) {
    return call.report(call.about_table("RESUME", to), [&](Message const& answer) {
      return fmt::format("queue {} {}", printable(queue),
                         answer.text("result") == "unchanged" ? "was not paused" : "hands out its messages again");
    });
  }
};

struct QueueExchange {
  OptionSet& to;
  Text exchange{to, "EXCHANGE", queue::declare::exchange.as("its name"), required};
  Text kind{to, "KIND", queue::declare::kind, required};

  ExitCode run(Call& call) { return declare_queue(call, call.about_table("DECLARE", to), exchange); }
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
  Text exchange{to, "EXCHANGE", queue::bind::exchange, required};
  Text queue{to, "QUEUE", queue::bind::queue, required};
  Text routing_key{to, "KEY", queue::bind::routing_key};

  ExitCode run(Call& call) { return show_changed(call, call.about_table("UNBIND", to)); }
};

struct QueueBind : QueueUnbind {
  Flag makes{to, "--make", queue::bind::declare};

  ExitCode run(Call& call) { return show_changed(call, call.about_table("BIND", to)); }
};

struct QueueRemove {
  OptionSet& to;
  Text queue{to, "QUEUE", queue::remove::queue.as("the queue")};
  Text exchange{to, "--exchange", queue::remove::exchange.as("this exchange"), called("NAME")};
  Flag if_empty{to, "--if-empty", queue::remove::if_empty};

  ExitCode run(Call& call) {
    if (queue.empty() == exchange.empty()) return call.misuse("expected a QUEUE, or --exchange NAME");
    return show_changed(call, call.about_table("REMOVE", to));
  }
};

constexpr Verb kQueueVerbs[]{
    {"queue send", "send a message to a queue, or by an exchange to all that it routes to", Needs::table,
     declare<QueueSend>,
     "fastjournal queue send post orders 'one cake' --properties '{\"colour\":\"red\"}'\n"
     "fastjournal queue send post --exchange news --key sport.chess - < report.txt",
     "When the command returns, the message is durable. A body that is no text is sent as bytes."},
    {"queue take", "take messages off a queue, and print their bodies", Needs::table, declare<QueueTake>,
     "fastjournal queue take post orders --count 10 --wait 1m\n"
     "fastjournal queue take post express orders",
     "Each body is printed byte by byte with a newline behind it, with --json each message as an object a line. What "
     "is\nprinted is accepted then, so a message is printed once at least. Exit code 4: there is none."},
    {"queue ls", "list the queues, or the messages of one without taking them", Needs::table, declare<QueueLs>,
     "fastjournal queue ls post\n"
     "fastjournal queue ls post orders"},
    {"queue read", "write the body of a message to standard output, without taking it", Needs::table,
     declare<QueueRead>, "fastjournal queue read post 8192 > message"},
    {"queue why", "say why a message is where it is", Needs::table, declare<QueueWhy>,
     "fastjournal queue why post 8192"},
    {"queue peek", "show the first message of a queue, without taking it", Needs::table, declare<QueuePeek>,
     "fastjournal queue peek post orders\n"
     "fastjournal queue peek post orders --status parked",
     "The one that is handed out, comes to its date or is kicked next. Exit code 4: there is none."},
    {"queue park", "put a message aside: it stays on its queue until somebody kicks, moves or deletes it", Needs::table,
     declare<QueuePark>, "fastjournal queue park post 8192 --error 'the customer is asked'",
     "Of a message with a consumer it needs the epoch, which `queue ls --json` tells those with the right manage.\n"
     "No failed delivery is counted. beanstalkd calls it bury."},
    {"queue kick", "put messages back to work: a parked or delayed one, one that a consumer has, or those of a queue",
     Needs::table, declare<QueueKick>,
     "fastjournal queue kick post 8192\n"
     "fastjournal queue kick post --queue orders --count 10",
     "A parked message has its deliveries counted anew, one that waits for its date is due. The lease of one that a\n"
     "consumer has ends: it waits at its place in the queue, nothing is counted, and its consumer is refused when it\n"
     "reports. Needs the right manage."},
    {"queue delete", "remove a message that no consumer has", Needs::table, declare<QueueDelete>,
     "fastjournal queue delete post 8192"},
    {"queue move", "move unleased messages to another queue: dead letters back to work", Needs::table,
     declare<QueueMove>,
     "fastjournal queue move post dead\n"
     "fastjournal queue move post dead orders\n"
     "fastjournal queue move post orders orders --parked"},
    {"queue purge", "drop unleased messages of a queue", Needs::table, declare<QueuePurge>,
     "fastjournal queue purge post dead"},
    {"queue make", "make a queue, or change its options", Needs::table, declare<QueueMake>,
     "fastjournal queue make post orders --dead-letters dead --max-deliveries 5"},
    {"queue pause", "hand out nothing of one queue; leases go on, messages are taken", Needs::table,
     declare<QueuePause>, "fastjournal queue pause post orders --until +30m --reason 'the kitchen is full'"},
    {"queue resume", "end the pause of a queue", Needs::table, declare<QueueResume>,
     "fastjournal queue resume post orders"},
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
