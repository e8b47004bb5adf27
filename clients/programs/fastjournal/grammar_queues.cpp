// The commands `queue ...`, for queue tables, with their options and help.
#include "clients/programs/fastjournal/grammar.h"
#include "clients/programs/fastjournal/option_types.h"

namespace fastjournal::cli {

void Grammar::add_queue_verbs() {
  CLI::App& queue = verb("queue", "messages and queues of a queue table: send, take, list, move, declare");
  queue.require_subcommand(1);
  queue.callback([this] { out_.verb = "queue " + queue_verb_; });
  add_queue_messages(queue);
  add_queue_declarations(queue);
}

CLI::App& Grammar::queue_verb(CLI::App& queue, std::string const& name, std::string const& description) {
  CLI::App* made = queue.add_subcommand(name, description);
  made->fallthrough();
  // Called before the callback of `queue`.
  made->callback([this, name] { queue_verb_ = name; });
  made->add_option("TABLE", out_.table, "name of the table")->required();
  return *made;
}

void Grammar::add_queue_messages(CLI::App& queue) {
  CLI::App& send = queue_verb(queue, "send", "send a message to a queue, or by an exchange to all that it routes to");
  send.add_option("WORDS", out_.words, "QUEUE BODY, with --exchange only BODY; - or nothing: standard input");
  send.add_option("--exchange", out_.queue.exchange, "the exchange that routes it")->type_name("NAME");
  send.add_option("--key", out_.queue.routing_key, "with --exchange: the routing key")->type_name("KEY");
  send.add_option("--properties", out_.queue.properties, "what goes with it: an object in JSON")->type_name("JSON");
  number(send, "--priority", out_.priority, "0 to 255, the smallest first (default 100)", 0, 255);
  date(send, "--at", out_.at, "not to be handed out before");
  date(send, "--expires", out_.expires, "not to be handed out from then on; or never", parse_expiration);
  send.add_option("--client", out_.client, "name of this producer: with --sequence, a resent message is there once");
  number(send, "--sequence", out_.sequence, "number of this message");
  send.footer("When the command returns, the message is durable. A body that is no text is sent as bytes.");
  CLI::App& take = queue_verb(queue, "take", "take messages off a queue, and print their bodies");
  take.add_option("QUEUE", out_.queue.queue, "the queue")->required();
  number(take, "--count", out_.count, "how many at most (default 1)", 1, 1024);
  duration(take, "--wait", out_.wait, "how long to wait for one when there is none");
  take.footer(
      "Each body is printed byte by byte with a newline behind it, with --json each message as an object a line. What "
      "is\nprinted is accepted then, so a message is printed once at least. Exit code 4: there is none.");
  CLI::App& ls = queue_verb(queue, "ls", "list the queues, or the messages of one without taking them");
  ls.add_option("QUEUE", out_.queue.queue, "the queue");
  ls.add_option("--status", out_.filter.status, "messages that are waiting, due, acquired or parked")
      ->check(CLI::IsMember(std::vector<std::string>{"waiting", "due", "acquired", "parked"}));
  ls.add_option("--after", out_.after, "go on where an earlier list ended");
  number(ls, "--count", out_.count, "how many at most (default 100, with --json all)", 1);
  CLI::App& read = queue_verb(queue, "read", "write the body of a message to standard output, without taking it");
  number(read, "MESSAGE", out_.row, "its number")->required();
  CLI::App& why = queue_verb(queue, "why", "say why a message is where it is");
  number(why, "MESSAGE", out_.row, "its number")->required();
  CLI::App& kick = queue_verb(queue, "kick", "take a message back from its consumer");
  number(kick, "MESSAGE", out_.row, "its number")->required();
  kick.footer(
      "The lease ends, and the message waits at its place in the queue: nothing is counted, and its consumer is "
      "refused\n"
      "when it reports. Needs the right manage.");
  CLI::App& move =
      queue_verb(queue, "move", "move messages that nobody has to another queue: dead letters back to work");
  move.add_option("FROM", out_.queue.queue, "the queue that has them")->required();
  move.add_option("TO", out_.queue.to, "the queue that gets them; the same one with --parked")->required();
  CLI::App& purge = queue_verb(queue, "purge", "drop messages of a queue that nobody has");
  purge.add_option("QUEUE", out_.queue.queue, "the queue")->required();
  for (CLI::App* const many : {&move, &purge}) {
    many->add_flag("--parked", out_.queue.parked, "only those that are parked");
    many->add_flag("--dry-run", out_.dry_run, "count them, and change nothing");
    number(*many, "--count", out_.count, "how many at most (default all)", 1);
  }
}

void Grammar::add_queue_declarations(CLI::App& queue) {
  CLI::App& make = queue_verb(queue, "make", "make a queue, or change its options");
  make.add_option("QUEUE", out_.queue.queue, "its name")->required();
  make.add_option("--dead-letters", out_.queue.dead_letters,
                  "the queue for what is rejected, or was delivered too often; '' for none")
      ->type_name("QUEUE");
  number(make, "--max-deliveries", out_.queue.max_deliveries, "a message that failed so often is dead; 0: as the table",
         0, 250);
  number(make, "--max-messages", out_.queue.max_messages, "so many messages at most; 0: no limit");
  size(make, "--max-bytes", out_.queue.max_bytes, "so many bytes of bodies at most; 0: no limit");
  make.add_option("--when-full", out_.queue.when_full, "refuse further messages, or drop the first ones")
      ->check(CLI::IsMember(std::vector<std::string>{"refuse", "drop"}));
  duration(make, "--expires", out_.queue.expires, "how long its messages last; 0: for ever");
  CLI::App& remove = queue_verb(queue, "remove", "remove a queue with its messages, or an exchange");
  remove.add_option("QUEUE", out_.queue.queue, "the queue");
  remove.add_option("--exchange", out_.queue.exchange, "this exchange")->type_name("NAME");
  remove.add_flag("--if-empty", out_.queue.if_empty, "only without messages");
  CLI::App& exchange = queue_verb(queue, "exchange", "make an exchange");
  exchange.add_option("EXCHANGE", out_.queue.exchange, "its name")->required();
  exchange.add_option("KIND", out_.queue.kind, "direct, fanout or topic")
      ->required()
      ->check(CLI::IsMember(std::vector<std::string>{"direct", "fanout", "topic"}));
  CLI::App& bind = queue_verb(queue, "bind", "have an exchange route to a queue");
  CLI::App& unbind = queue_verb(queue, "unbind", "end a binding");
  for (CLI::App* const one : {&bind, &unbind}) {
    one->add_option("EXCHANGE", out_.queue.exchange, "the exchange")->required();
    one->add_option("QUEUE", out_.queue.queue, "the queue")->required();
    one->add_option("KEY", out_.queue.routing_key, "routing key of a direct exchange, pattern of a topic exchange");
  }
  bind.add_flag("--make", out_.queue.makes, "make the queue if it is not there: a durable subscription");
  for (auto const& [name, what] :
       {std::pair{"exchanges", "list the exchanges"}, std::pair{"bindings", "list the bindings"}}) {
    CLI::App& list = queue_verb(queue, name, what);
    list.add_option("--after", out_.after, "go on where an earlier list ended");
    number(list, "--count", out_.count, "how many at most (default 100, with --json all)", 1);
  }
}

}  // namespace fastjournal::cli
