#include "plugins/queue/declarations.h"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "model/value.h"
#include "plugins/queue/names.h"

namespace fastjournal::queue {
namespace {

// Objects that one page of a list looks at, shown or not.
constexpr std::uint32_t kDeclaredWorkUnitsMax = 10'000;
// As beanstalkd has it; and messages that are looked at for it.
constexpr std::uint32_t kUrgentBelow = 1024;
constexpr std::uint32_t kUrgentLooked = 100'000;
// Of one step without a command.
constexpr std::size_t kStepBytes = 12U << 10U;
// For each queue that a table may have: bindings, and these together with the words of their patterns.
constexpr std::uint64_t kBindingsOfQueue = 10;
constexpr std::uint64_t kRoutedOfQueue = 100;
// Bindings and words of one exchange: a message looks at them within a turn.
constexpr std::uint64_t kRoutedMax = 100'000;

}  // namespace

Answer& Declarations::answer(Decision& decision, std::string_view name) const {
  return decision.answer.message(name).add("table", std::string_view{shared_.table()});
}

Status Declarations::check_memory() const {
  if (!shared_.is_large()) return {};
  return {Code::over_limit,
          fmt::format("table {} is full: its messages, queues and bindings take {} bytes, and memory-max is {}: take "
                      "messages, remove queues or bindings, or raise memory-max",
                      shared_.table(), shared_.memory_bytes(), shared_.options.memory_max)};
}

Status Declarations::check_room() const {
  if (shared_.named() < shared_.options.queues_max) return check_memory();
  return {Code::over_limit, fmt::format("table {} has {} queues and exchanges: remove some, or raise queues-max",
                                        shared_.table(), shared_.named())};
}

// A place of those that a temporary queue may have, and which its connection and its origin have left.
Status Declarations::check_temporary(Command const& command, Decision& decision) const {
  std::uint64_t const places = shared_.options.queues_max;
  auto const connection = static_cast<std::uint64_t>(command.connection);
  std::string const rest = " temporary queues of table " + shared_.table() +
                           ", which is the most: remove some, end their connections, or raise queues-max";
  std::uint64_t const all = shared_.queues.temporary().size();
  if (all >= TemporaryShares::of_all(places))
    return {Code::over_limit, fmt::format("there are {}{}; the other places are for queues that last", all, rest)};
  std::uint64_t const mine = shared_.queues.temporary_of(connection);
  if (mine >= TemporaryShares::of_connection(places))
    return {Code::over_limit, fmt::format("this connection has {}{}", mine, rest)};
  std::uint64_t const of_origin = temporary_.count(command.origin, shared_.queues, decision);
  if (of_origin >= TemporaryShares::of_origin(places))
    return {Code::over_limit, fmt::format("{} has {}{}", command.origin, of_origin, rest)};
  temporary_.note(command.origin, connection);
  return {};
}

Status Declarations::check_room(Exchange const& exchange, std::string_view pattern) const {
  std::uint64_t const bindings = shared_.queues.bindings().size();
  if (bindings >= kBindingsOfQueue * shared_.options.queues_max)
    return {Code::over_limit, "table " + shared_.table() + " has " + std::to_string(bindings) +
                                  " bindings: UNBIND some, or raise queues-max, of which it is the tenfold"};
  std::uint64_t const more = exchange.router.size_of(pattern);
  if (shared_.queues.routed_size() + more > kRoutedOfQueue * shared_.options.queues_max)
    return {Code::over_limit, fmt::format("the bindings of table {} and the words of their patterns are {}: UNBIND "
                                          "some, or raise queues-max, of which it is the hundredfold",
                                          shared_.table(), shared_.queues.routed_size())};
  if (exchange.router.size() + more > kRoutedMax)
    return {Code::over_limit,
            fmt::format("the bindings of exchange {} of table {} and the words of their patterns are {}, expected {} "
                        "at most, as each message looks at them: bind to another exchange",
                        exchange.name, shared_.table(), exchange.router.size(), kRoutedMax)};
  return check_memory();
}

Status Declarations::check_owner(Queue const& queue, std::uint64_t connection) const {
  if (!queue.settings.is_temporary() || queue.settings.connection == connection) return {};
  return Status{Code::in_use, "queue " + queue.name + " of table " + shared_.table() +
                                  " is a temporary one of another connection, and ends with it"}
      .with("parameter", "queue");
}

// A transaction makes it, for messages that are to last.
Status Declarations::check_not_promised(std::string_view queue) const {
  return shared_.check_promised(Promised::of_queue(queue), "queue " + std::string{queue});
}

// By HTTP each request stands alone.
Status Declarations::check_connection(Command const& command) const {
  if (command.connection != ConnectionId::none) return {};
  return Status{Code::not_supported, "a temporary queue of table " + shared_.table() +
                                         " ends with its connection, and this command has none: send it as a message"}
      .with("parameter", "temporary");
}

Status Declarations::no_exchange(std::string_view name) const {
  return Status{Code::not_found,
                fmt::format("table {} has no exchange {}: DECLARE it with its kind", shared_.table(), name)}
      .with("parameter", "exchange");
}

// ---------------------------------------------------------------------------
// Queues

Status Declarations::read_settings(Command const& command, made::Declare const& given, Queue const* queue,
                                   Settings& settings) const {
  if (queue != nullptr) settings = queue->settings;
  settings.max_deliveries = given.max_deliveries.value_or(settings.max_deliveries);
  settings.max_messages = given.max_messages.value_or(settings.max_messages);
  settings.max_bytes = given.max_bytes.value_or(settings.max_bytes);
  if (given.dead_letters.is_given) settings.dead_letters = given.dead_letters;
  if (given.when_full) settings.drops = given.when_full == made::WhenFullChoice::drop;
  settings.expires = given.expires.value_or(settings.expires);
  settings.lease = given.lease.value_or(settings.lease);
  settings.delay = given.delay.value_or(settings.delay);
  settings.max_message_bytes = given.max_message_bytes.value_or(settings.max_message_bytes);
  if (given.properties.is_given) {
    if (Status status = check_properties(given.properties); !status.ok()) return status;
    bool const is_longer = given.properties.bytes.size() > settings.properties.size();
    settings.properties = given.properties;
    if (queue != nullptr && is_longer)
      if (Status status = check_memory(); !status.ok()) return status;
  }
  if (given.lease && settings.lease != 0)
    if (Status status = shared_.options.check_lease(settings.lease); !status.ok()) return status;
  settings.is_made = false;
  if (queue == nullptr && given.temporary == true) {
    if (Status status = check_connection(command); !status.ok()) return status;
    settings.connection = static_cast<std::uint64_t>(command.connection);
  }
  if (queue != nullptr && given.temporary.value_or(settings.is_temporary()) != settings.is_temporary())
    return model::refused(Code::wrong_state, "temporary",
                          fmt::format("queue {} of table {} is there and {}: that cannot change", queue->name,
                                      shared_.table(), settings.is_temporary() ? "is temporary" : "lasts"));
  if (settings.dead_letters.empty()) return {};
  if (Status status = check_name("dead_letters", settings.dead_letters); !status.ok()) return status;
  if (settings.dead_letters == given.queue)
    return model::refused(Code::bad_parameter, "dead_letters",
                          "dead_letters is the queue itself, expected another one");
  if (shared_.queues.find(settings.dead_letters) == nullptr)
    return model::refused(Code::not_found, "dead_letters",
                          fmt::format("table {} has no queue {} for the dead letters: DECLARE it first",
                                      shared_.table(), settings.dead_letters));
  return {};
}

Verdict Declarations::declare_queue(Command const& command, made::Declare const& given, Decision& decision) const {
  std::string_view const name = given.queue;
  Queue const* const queue = shared_.queues.find(name);
  if (given.kind)
    return decision.refuse(model::refused(Code::bad_parameter, "kind", "kind is of exchanges, and this is a queue"));
  Settings settings;
  if (decision.refuses(read_settings(command, given, queue, settings)) || decision.refuses(check_name("queue", name)))
    return Verdict::done;
  if (queue == nullptr) {
    if (shared_.queues.find_any(name) != nullptr) decision.status = shared_.no_queue(name);
    if (decision.status.ok()) decision.status = check_room();
    if (decision.status.ok() && settings.is_temporary()) decision.status = check_not_promised(name);
    if (decision.status.ok() && settings.is_temporary()) decision.status = check_temporary(command, decision);
    if (!decision.status.ok()) return Verdict::done;
  } else {
    if (decision.refuses(check_owner(*queue, static_cast<std::uint64_t>(command.connection)))) return Verdict::done;
  }
  bool const is_same = queue != nullptr && queue->settings == settings;
  if (queue == nullptr)
    shared_.make_queue(name, settings, decision);
  else if (!is_same)
    model::append_record(decision.records, queue->id, QueueBody{name, settings, queue->made, decision.now.value});
  answer(decision, "DECLARED")
      .add("queue", name)
      .add("result", Value::of_text(queue == nullptr ? "made"
                                    : is_same        ? "unchanged"
                                                     : "changed"));
  return Verdict::done;
}

Verdict Declarations::declare_exchange(Command const& command, made::Declare const& given, Decision& decision) const {
  std::string_view const name = given.exchange;
  for (std::string_view const of_queue : {"temporary", "dead_letters", "max_deliveries", "max_messages", "max_bytes",
                                          "max_message_bytes", "when_full", "lease", "delay", "expires", "properties"})
    if (command.message->has(of_queue))
      return decision.refuse(model::refused(Code::bad_parameter, of_queue,
                                            std::string{of_queue} + " is of queues, and this is an exchange"));
  Exchange const* const exchange = shared_.queues.find_exchange(name);
  if (exchange == nullptr && !given.kind)
    return decision.refuse(
        model::refused(Code::missing_parameter, "kind", "kind is \"\", expected direct, fanout or topic"));
  if (decision.refuses(check_name("exchange", name))) return Verdict::done;
  if (exchange == nullptr) {
    if (decision.refuses(check_room())) return Verdict::done;
    model::append_record(decision.records, ObjectId{}, ExchangeBody{name, static_cast<ExchangeKind>(*given.kind)});
  } else if (given.kind && exchange->router.kind() != static_cast<ExchangeKind>(*given.kind))
    return decision.refuse(
        Status{Code::wrong_state, "exchange " + exchange->name + " of table " + shared_.table() + " is of kind " +
                                      std::string{kKindNames[static_cast<int>(exchange->router.kind())]} +
                                      ", which cannot change: REMOVE it first"}
            .with("parameter", "kind"));
  answer(decision, "DECLARED")
      .add("exchange", name)
      .add("result", Value::of_text(exchange == nullptr ? "made" : "unchanged"));
  return Verdict::done;
}

namespace {

// Commands about either. False: it is refused.
bool names_one(auto const& given, Command const& command, Decision& decision) {
  if (given.queue.is_given != given.exchange.is_given) return true;
  decision.status = model::refused(given.queue.is_given ? Code::bad_parameter : Code::missing_parameter, "queue",
                                   std::string{command.message->command} + " needs one name: queue, or exchange");
  return false;
}

}  // namespace

Verdict Declarations::declare(Command const& command, Decision& decision) const {
  made::Declare given;
  if (!given.read(command, decision) || !names_one(given, command, decision)) return Verdict::done;
  return given.queue.is_given ? declare_queue(command, given, decision) : declare_exchange(command, given, decision);
}

Verdict Declarations::remove_queue(Command const& command, made::Remove const& given, Decision& decision) const {
  std::string_view const name = given.queue;
  Queue const* const queue = shared_.queues.find(name);
  if (queue == nullptr) return decision.refuse(shared_.no_queue(name));
  if (shared_.options.declares(name))
    return decision.refuse(
        Status{Code::wrong_state, fmt::format("queue {} is named in <queues> of {}: take it out there, and RELOAD",
                                              queue->name, shared_.declaration->at("queues"))}
            .with("parameter", "queue"));
  if (decision.refuses(check_owner(*queue, static_cast<std::uint64_t>(command.connection)))) return Verdict::done;
  if (given.if_empty && queue->messages > 0)
    return decision.refuse(Status{Code::wrong_state, fmt::format("queue {} of table {} has {} messages", queue->name,
                                                                 shared_.table(), queue->messages)}
                               .with("parameter", "if_empty"));
  if (decision.refuses(shared_.check_promised(Promised::of_queue(name), "queue " + queue->name))) return Verdict::done;
  model::append_record(decision.records, queue->id, EndedBody{What::queue, queue->name});
  decision.work_units += static_cast<std::uint32_t>(queue->bindings.size());
  answer(decision, "REMOVED").add("queue", name).add("messages", queue->messages);
  decision.answer.add("bindings", std::uint64_t{queue->bindings.size()});
  return Verdict::done;
}

Verdict Declarations::remove_exchange(std::string_view name, Decision& decision) const {
  Exchange const* const exchange = shared_.queues.find_exchange(name);
  if (decision.refuses(exchange == nullptr
                           ? no_exchange(name)
                           : shared_.check_promised(Promised::of_exchange(name), "exchange " + exchange->name)))
    return Verdict::done;
  model::append_record(decision.records, exchange->id, EndedBody{What::exchange, exchange->name});
  decision.work_units += static_cast<std::uint32_t>(exchange->bindings.size());
  answer(decision, "REMOVED").add("exchange", name).add("bindings", std::uint64_t{exchange->bindings.size()});
  return Verdict::done;
}

Verdict Declarations::remove(Command const& command, Decision& decision) const {
  made::Remove given;
  if (!given.read(command, decision) || !names_one(given, command, decision)) return Verdict::done;
  if (given.queue.is_given) return remove_queue(command, given, decision);
  if (command.message->has("if_empty"))
    return decision.refuse(
        model::refused(Code::bad_parameter, "if_empty", "if_empty is of queues, and this is an exchange"));
  return remove_exchange(given.exchange, decision);
}

// ---------------------------------------------------------------------------
// Bindings

Verdict Declarations::bind(Command const& command, Decision& decision) const {
  made::Bind given;
  if (!given.read(command, decision) || decision.refuses(check_routing_key(given.routing_key))) return Verdict::done;
  auto const [name, queue_name, pattern, declares, temporary] = given;
  bool const makes = declares || temporary;
  Exchange const* const exchange = shared_.queues.find_exchange(name);
  if (exchange == nullptr) return decision.refuse(no_exchange(name));
  Queue const* const queue = shared_.queues.find(queue_name);
  auto const connection = static_cast<std::uint64_t>(command.connection);
  if (temporary && decision.refuses(check_connection(command))) return Verdict::done;
  if (queue != nullptr && decision.refuses(check_owner(*queue, connection))) return Verdict::done;
  if (queue != nullptr && temporary && !queue->settings.is_temporary())
    return decision.refuse(Status{Code::wrong_state, "queue " + queue->name + " of table " + shared_.table() +
                                                         " is there and lasts: that cannot change"}
                               .with("parameter", "temporary"));
  bool const is_new = shared_.queues.find_binding(*exchange, queue_name, pattern).is_none();
  if (is_new) decision.status = check_room(*exchange, pattern);
  if (!decision.status.ok()) return Verdict::done;
  if (queue == nullptr) {
    bool const can_be = makes && shared_.queues.find_any(queue_name) == nullptr;
    decision.status = can_be ? check_name("queue", queue_name) : shared_.no_queue(queue_name);
    if (decision.status.ok()) decision.status = check_room();
    if (decision.status.ok() && temporary) decision.status = check_not_promised(queue_name);
    if (decision.status.ok() && temporary) decision.status = check_temporary(command, decision);
    if (!decision.status.ok()) return Verdict::done;
    Settings settings;
    if (temporary) settings.connection = connection;
    shared_.make_queue(queue_name, settings, decision);
    return Verdict::again;
  }
  if (is_new) model::append_record(decision.records, ObjectId{}, BindingBody{name, queue_name, pattern});
  answer(decision, "BOUND").add("exchange", name).add("queue", queue_name);
  decision.answer.add("result", Value::of_text(is_new ? "made" : "unchanged"));
  return Verdict::done;
}

Verdict Declarations::unbind(Command const& command, Decision& decision) const {
  made::Unbind given;
  if (!given.read(command, decision)) return Verdict::done;
  auto const [name, queue, pattern] = given;
  Exchange const* const exchange = shared_.queues.find_exchange(name);
  if (exchange == nullptr) return decision.refuse(no_exchange(name));
  ObjectId const binding = shared_.queues.find_binding(*exchange, queue, pattern);
  if (binding.is_none())
    return decision.refuse(Status{
        Code::not_found, fmt::format("exchange {} of table {} has no binding of queue {} with routing_key {}",
                                     exchange->name, shared_.table(), model::shown(queue), model::shown(pattern))}
                               .with("parameter", "routing_key"));
  if (decision.refuses(shared_.check_promised(Promised::of_exchange(name), "exchange " + exchange->name)))
    return Verdict::done;
  model::append_record(decision.records, binding, EndedBody{What::binding, {}});
  answer(decision, "UNBOUND").add("exchange", name).add("queue", queue);
  return Verdict::done;
}

// ---------------------------------------------------------------------------
// Lists

void Declarations::tell(Queue const& queue, std::int64_t now, Answer& answer) const {
  rows::Domains const& domains = shared_.rows().order().domains();
  std::uint32_t const number = domains.find(queue.name);
  answer.add("queue", std::string_view{queue.name}).add("messages", queue.messages);
  answer.add("due", std::uint64_t{number == rows::kNoDomain ? 0 : domains[number].due});
  if (shared_.options.priorities == 32 && number != rows::kNoDomain)
    answer.add("urgent", shared_.rows().order().count_below(domains[number], kUrgentBelow, kUrgentLooked));
  if (number != rows::kNoDomain && !domains[number].behind.empty())
    answer.add("behind", std::uint64_t{domains[number].behind.size()});
  answer.add("acquired", std::uint64_t{number == rows::kNoDomain ? 0 : domains[number].leased});
  answer.add("parked", std::uint64_t{queue.parked.size()}).add("bytes", queue.bytes);
  if (!queue.is_there()) {
    answer.add("leaving", std::int64_t{1});
    return;
  }
  Settings const& settings = queue.settings;
  if (settings.is_temporary()) answer.add("temporary", std::int64_t{1});
  if (shared_.options.declares(queue.name)) answer.add("declared", std::int64_t{1});
  if (!settings.dead_letters.empty()) answer.add("dead_letters", std::string_view{settings.dead_letters});
  if (settings.max_deliveries != 0) answer.add("max_deliveries", std::uint64_t{settings.max_deliveries});
  if (settings.max_messages != 0) answer.add("max_messages", settings.max_messages);
  if (settings.max_bytes != 0) answer.add("max_bytes", settings.max_bytes);
  if (settings.max_messages != 0 || settings.max_bytes != 0)
    answer.add("when_full", Value::of_text(settings.drops ? "drop" : "refuse"));
  if (settings.expires != 0) answer.add("expires", settings.expires);
  if (settings.lease != 0) answer.add("lease", settings.lease);
  if (settings.delay != 0) answer.add("delay", settings.delay);
  if (settings.max_message_bytes != 0) answer.add("max_message_bytes", settings.max_message_bytes);
  if (queue.made != 0) answer.add("made_date", queue.made);
  if (queue.changed != 0) answer.add("changed_date", queue.changed);
  if (settings.paused_until <= now) return;
  answer.add("paused", std::int64_t{1});
  if (settings.paused_until != kUntilResumed) answer.add("paused_until", settings.paused_until).add("now", now);
  if (!settings.pause_reason.empty()) answer.add("pause_reason", std::string_view{settings.pause_reason});
}

// ---------------------------------------------------------------------------
// Pauses

Verdict Declarations::pause(Command const& command, Decision& decision) const {
  made::Pause given;
  if (!given.read(command, decision)) return Verdict::done;
  Queue const* const queue = shared_.queues.find(given.queue);
  if (queue == nullptr) {
    bool const makes = shared_.options.makes(given.queue) && shared_.queues.find_any(given.queue) == nullptr &&
                       shared_.has_place(command) && !shared_.is_large();
    if (decision.refuses(makes ? check_name("queue", given.queue) : shared_.no_queue(given.queue)))
      return Verdict::done;
    shared_.make_queue(given.queue, shared_.options.of_made_queue(), decision);
    return Verdict::again;
  }
  queue->named = decision.now.value;
  Settings settings = queue->settings;
  settings.paused_until = given.until.value_or(kUntilResumed);
  settings.pause_reason = given.reason.bytes;
  // A date that is past: it goes on at once.
  if (settings.paused_until <= decision.now.value) settings.paused_until = 0, settings.pause_reason.clear();
  return set_pause(*queue, settings, "PAUSED", decision);
}

Verdict Declarations::resume(Command const& command, Decision& decision) const {
  made::Resume given;
  if (!given.read(command, decision)) return Verdict::done;
  Queue const* const queue = shared_.queues.find(given.queue);
  if (queue == nullptr) return decision.refuse(shared_.no_queue(given.queue));
  Settings settings = queue->settings;
  settings.paused_until = 0;
  settings.pause_reason.clear();
  return set_pause(*queue, settings, "RESUMED", decision);
}

Verdict Declarations::set_pause(Queue const& queue, Settings const& settings, std::string_view said,
                                Decision& decision) const {
  bool const is_same = settings == queue.settings;
  answer(decision, said).add("queue", std::string_view{queue.name});
  if (settings.paused_until != 0 && settings.paused_until != kUntilResumed)
    decision.answer.add("until", settings.paused_until);
  decision.answer.add("result", Value::of_text(is_same ? "unchanged" : "changed"));
  if (!is_same)
    model::append_record(decision.records, queue.id, QueueBody{queue.name, settings, queue.made, queue.changed});
  return Verdict::done;
}

template <typename Find, typename Tell>
Verdict Declarations::list_names(model::Text const& only, auto const& given,
                                 absl::btree_set<std::string_view> const& names, Find const& find, Tell const& tell,
                                 Decision& decision) const {
  std::size_t shown = 0;
  if (only.is_given) {
    if (find(only)) {
      tell(only);
      ++shown;
    }
  } else {
    for (auto name = names.upper_bound(given.after); name != names.end(); ++name) {
      if (shown == given.count) {
        decision.answer.add("after", std::string_view{*std::prev(name)});
        break;
      }
      tell(*name);
      ++shown;
    }
  }
  decision.work_units += static_cast<std::uint32_t>(shown);
  if (shown == 0) answer(decision, "NOTHING");
  return Verdict::done;
}

Verdict Declarations::list_queues(Command const& command, Decision& decision) const {
  decision.durability = Durability::written;
  made::Queues given;
  if (!given.read(command, decision)) return Verdict::done;
  return list_names(
      given.queue, given, shared_.queues.names(),
      [&](std::string_view name) { return shared_.queues.find_any(name) != nullptr; },
      [&](std::string_view name) {
        Queue const& queue = *shared_.queues.find_any(name);
        tell(queue, decision.now.value, answer(decision, "QUEUE"));
        // A page of many would be too long.
        if (given.queue.is_given && !queue.settings.properties.empty())
          decision.answer.add("properties", std::string_view{queue.settings.properties});
      },
      decision);
}

Verdict Declarations::list_exchanges(Command const& command, Decision& decision) const {
  decision.durability = Durability::written;
  made::Exchanges given;
  if (!given.read(command, decision)) return Verdict::done;
  auto const tell_exchange = [&](std::string_view name) {
    Exchange const& exchange = *shared_.queues.find_exchange(name);
    answer(decision, "EXCHANGE").add("exchange", std::string_view{exchange.name});
    decision.answer.add("kind", Value::of_text(kKindNames[static_cast<int>(exchange.router.kind())]));
    decision.answer.add("bindings", std::uint64_t{exchange.bindings.size()});
  };
  return list_names(
      given.exchange, given, shared_.queues.exchange_names(),
      [&](std::string_view name) { return shared_.queues.find_exchange(name) != nullptr; }, tell_exchange, decision);
}

Verdict Declarations::list_bindings(Command const& command, Decision& decision) const {
  decision.durability = Durability::written;
  made::Bindings given;
  if (!given.read(command, decision)) return Verdict::done;
  auto const& bindings = shared_.queues.bindings();
  std::size_t shown = 0;
  std::uint32_t looked = 0;
  std::uint64_t last = given.after;
  auto at = bindings.upper_bound(given.after);
  for (; at != bindings.end() && shown < given.count && looked < kDeclaredWorkUnitsMax; ++at, ++looked) {
    Binding const& binding = at->second;
    last = at->first;
    if ((!given.exchange.empty() && binding.exchange != given.exchange) ||
        (!given.queue.empty() && binding.queue != given.queue))
      continue;
    answer(decision, "BINDING").add("binding", last).add("exchange", std::string_view{binding.exchange});
    decision.answer.add("queue", std::string_view{binding.queue});
    decision.answer.add("routing_key", std::string_view{binding.pattern});
    ++shown;
  }
  decision.work_units += looked;
  if (shown == 0) answer(decision, "NOTHING");
  if (at != bindings.end()) decision.answer.add("after", last);
  return Verdict::done;
}

// ---------------------------------------------------------------------------
// Without a command

// Asked after each command: the names are gone through when one of them may be missing.
bool Declarations::has_to_make() const {
  if (shared_.looks_for_declared)
    shared_.looks_for_declared = std::ranges::any_of(
        shared_.options.declared, [&](std::string const& name) { return shared_.queues.find_any(name) == nullptr; });
  return shared_.looks_for_declared;
}

bool Declarations::make_declared(Decision& decision) const {
  if (!has_to_make()) return false;
  std::size_t bytes = 0;
  for (std::string const& name : shared_.options.declared) {
    if (shared_.queues.find_any(name) != nullptr) continue;
    if (bytes >= kStepBytes) break;
    shared_.make_queue(name, {}, decision);
    bytes += 64 + name.size();
  }
  return bytes > 0;
}

// Commands have named it, or messages were on it, when it was looked at last: then it is looked at again.
bool Declarations::end_idle(Decision& decision) const {
  std::int64_t const now = decision.now.value;
  std::int64_t const idle = shared_.options.queues_idle;
  Queues::Looks const& looks = shared_.queues.looks();
  std::size_t bytes = 0;
  for (std::uint32_t looked = 0; !looks.empty() && looks.begin()->first <= now; ++looked) {
    if (bytes >= kStepBytes || looked == kDeclaredWorkUnitsMax) return true;
    Queue const& queue = *shared_.queues.find_any(looks.begin()->second);
    shared_.queues.forget_look(queue);
    if (idle == 0 || !queue.is_there() || !queue.settings.is_made) continue;
    bool const is_used = queue.messages > 0 || !queue.bindings.empty() || queue.settings.paused_until > now ||
                         shared_.promised.holder(Promised::of_queue(queue.name)) != TransactionId::none;
    std::int64_t const ends = (is_used ? now : queue.named) + idle;
    if (ends > now) {
      shared_.queues.look(queue, ends);
      continue;
    }
    model::append_record(decision.records, queue.id, EndedBody{What::queue, queue.name});
    bytes += 64 + queue.name.size();
  }
  return bytes > 0;
}

bool Declarations::end_temporary(ConnectionId connection, Decision& decision) const {
  auto const number = static_cast<std::uint64_t>(connection);
  auto const& all = shared_.queues.temporary();
  std::size_t bytes = 0;
  for (auto one = all.lower_bound({number, {}}); one != all.end() && one->first == number; ++one) {
    if (bytes >= kStepBytes) return true;
    model::append_record(decision.records, shared_.queues.find(one->second)->id, EndedBody{What::queue, one->second});
    bytes += 64 + one->second.size();
  }
  return false;
}

bool Declarations::end_all_temporary(Decision& decision) const {
  std::size_t bytes = 0;
  for (auto const& [connection, name] : shared_.queues.temporary()) {
    if (bytes >= kStepBytes) return true;
    model::append_record(decision.records, shared_.queues.find(name)->id, EndedBody{What::queue, name});
    bytes += 64 + name.size();
  }
  return false;
}

}  // namespace fastjournal::queue
