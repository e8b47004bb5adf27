#include "plugins/queue/queue_table.h"

#include <algorithm>
#include <array>
#include <string>

#include "model/type_check.h"
#include "plugins/queue/names.h"
#include "plugins/queue/stomp_protocol.h"
#include "plugins/rows/apply.h"

namespace fastjournal::queue {
namespace {

constexpr std::array<std::string_view, 24> kOptionNames = {"queues",
                                                           "create-queues",
                                                           "processing-timeout",
                                                           "processing-timeout-min",
                                                           "processing-timeout-max",
                                                           "processing-timeout-http",
                                                           "grace",
                                                           "max-deliveries",
                                                           "keep-parked",
                                                           "back-off-first",
                                                           "back-off-factor",
                                                           "back-off-max",
                                                           "back-off-jitter",
                                                           "queues-max",
                                                           "messages-max",
                                                           "message-size-max",
                                                           "memory-max",
                                                           "memory-per-message",
                                                           "memory-per-queue",
                                                           "client-keep",
                                                           "clients-max",
                                                           "connect",
                                                           "catalog",
                                                           "wake-timeout"};

// A cursor of list_extents above this is behind a shared shared body; below, behind a row. Ids are smaller.
constexpr std::uint64_t kOfSharedBodies = std::uint64_t{1} << 63U;

}  // namespace

// Dispatch: check_type compares this table with queue.xml.
struct QueueTable::Named {
  std::string_view name;
  Handler handler;

  static auto const& all() {
    using Q = QueueTable const&;
    using C = Command const&;
    using D = Decision&;
    static constexpr std::array<Named, 19> commands = {{
        {"SEND", [](Q table, C command, D decision) { return table.sends_.send(command, decision); }},
        {"ACQUIRE", [](Q table, C command, D decision) { return table.consumers_.acquire(command, decision); }},
        {"TOUCH", [](Q table, C command, D decision) { return table.consumers_.touch(command, decision); }},
        {"ACCEPT", [](Q table, C command, D decision) { return table.consumers_.accept(command, decision); }},
        {"RELEASE", [](Q table, C command, D decision) { return table.consumers_.release(command, decision); }},
        {"REJECT", [](Q table, C command, D decision) { return table.consumers_.reject(command, decision); }},
        {"KICK", [](Q table, C command, D decision) { return table.consumers_.kick(command, decision); }},
        {"BROWSE", [](Q table, C command, D decision) { return table.reads_.browse(command, decision); }},
        {"READ", [](Q table, C command, D decision) { return table.reads_.read(command, decision); }},
        {"WHY", [](Q table, C command, D decision) { return table.reads_.why(command, decision); }},
        {"DECLARE", [](Q table, C command, D decision) { return table.declarations_.declare(command, decision); }},
        {"REMOVE", [](Q table, C command, D decision) { return table.declarations_.remove(command, decision); }},
        {"BIND", [](Q table, C command, D decision) { return table.declarations_.bind(command, decision); }},
        {"UNBIND", [](Q table, C command, D decision) { return table.declarations_.unbind(command, decision); }},
        {"PURGE", [](Q table, C command, D decision) { return table.changes_.purge(command, decision); }},
        {"MOVE", [](Q table, C command, D decision) { return table.changes_.move(command, decision); }},
        {"QUEUES", [](Q table, C command, D decision) { return table.declarations_.list_queues(command, decision); }},
        {"EXCHANGES",
         [](Q table, C command, D decision) { return table.declarations_.list_exchanges(command, decision); }},
        {"BINDINGS",
         [](Q table, C command, D decision) { return table.declarations_.list_bindings(command, decision); }},
    }};
    return commands;
  }
};

QueueTable::QueueTable(TableContext const& context, std::shared_ptr<TypeDeclaration const> type,
                       std::shared_ptr<TableDeclaration const> declaration)
    : shared_(std::move(declaration), context.hash_seed) {
  for (CommandDeclaration const& command : type->commands)
    for (Named const& known : Named::all())
      if (known.name == command.name) {
        if (known.name == "SEND") send_ = static_cast<std::uint16_t>(handlers_.size());
        handlers_.push_back(known.handler);
      }
  shared_.table_of_rows.add_schema(shared_body_schema());
  rows::Rules rules;
  rules.domain = queue_source();
  NoObserver nobody;
  shared_.table_of_rows.set_rules(rules, nobody);
}

Status QueueTable::check_type(TypeDeclaration const& type) {
  std::vector<std::string_view> commands;
  for (Named const& known : Named::all()) commands.push_back(known.name);
  std::vector<std::string_view> protocols;
  for (PluginProtocol const& protocol : table_type().protocols) protocols.push_back(protocol.name);
  return model::check_type(type, commands, kOptionNames, protocols);
}

void QueueTable::change(std::shared_ptr<TableDeclaration const> next) {
  shared_.options = Options::read(*next);
  shared_.looks_for_declared = true;
  ++declarations_taken_;  // it says which queues are declared
  shared_.declaration = std::move(next);
}

// ---------------------------------------------------------------------------
// Records and timers

bool QueueTable::apply(RecordView const& record, ApplyContext const& context, TableObserver& observer) noexcept {
  if (context.live) {
    shared_.table_of_rows.see(context.now.value);
    rows::Failing& deliveries = shared_.statistics.deliveries;
    if (deliveries.has_news()) deliveries.tell("deliveries", shared_.table(), "queue", observer);
  }
  // The name of a removed queue is free with its last message.
  if (!shared_.queues.leaving().empty()) shared_.looks_for_declared = true;
  if (record.type < rows::kOwnRecords) return shared_.table_of_rows.apply(record, context, observer, effects_);
  if (record.version == 0 || record.version > newest_version(record.type)) return false;
  shared_.is_leaving_blocked = false;
  shared_.looks_for_declared = true;
  if (record.type != static_cast<std::uint8_t>(RecordType::shared_body)) return shared_.queues.apply(record, context);
  SharedBodyRecord body;
  if (!read_shared_body(as_text(record.body), body)) return false;
  shared_.shared_bodies.add(record.object, body, record.lsn, observer);
  return true;
}

TimeMs QueueTable::next_due() const {
  bool const looks = shared_.options.lifetimes.grace == 0 && consumers_.may_have_former();
  if (looks || declarations_.has_to_make() || changes_.has_leaving()) return TimeMs{0};
  return std::min(timers_.next_due(), TimeMs{shared_.statistics.deliveries.next_look()});
}

bool QueueTable::advance(TimeMs now, std::size_t budget, TableObserver& observer) {
  shared_.statistics.deliveries.look(now.value, observer);
  bool const more = shared_.shared_bodies.drop_idle(budget, observer);
  return shared_.table_of_rows.advance(now, budget, observer) || more;
}

bool QueueTable::decide_timer(Decision& decision) const {
  if (declarations_.make_declared(decision) || changes_.drop_leaving(decision)) return true;
  if (shared_.options.lifetimes.grace == 0 && consumers_.may_have_former() && consumers_.end_former(decision))
    return true;
  if (timers_.expire(decision)) return true;
  rows::Timers::LeasesEnded const ended = timers_.end_leases(decision);
  shared_.statistics.timed_out += ended.count;
  shared_.statistics.deliveries.failed(decision.now.value, ended.count);
  return ended.more;
}

bool QueueTable::decide_connection_closed(ConnectionId connection, Decision& decision) const {
  return declarations_.end_temporary(connection, decision) || timers_.connection_closed(connection, decision);
}

// All connections have ended.
bool QueueTable::decide_recovered(Decision& decision) const {
  if (declarations_.end_all_temporary(decision) || declarations_.make_declared(decision)) return true;
  // Without a grace, once transactions hold again what they held: by the timers.
  return shared_.options.lifetimes.grace != 0 && timers_.recovered(decision);
}

// ---------------------------------------------------------------------------
// Those who wait

Status QueueTable::check_topic(std::string_view topic) const {
  if (shared_.queues.find(topic) != nullptr) return {};
  bool const may_come = shared_.options.makes(topic) && shared_.queues.find_any(topic) == nullptr;
  return may_come ? check_name("queue", topic) : shared_.no_queue(topic);
}

bool QueueTable::announce(ObjectId object, Answer& answer) const {
  std::uint32_t const row = rows().find(object);
  if (row == rows::kNoRow) return false;
  answer.add("message", object.value).add("process_date", rows().row(row).date());
  return true;
}

// ---------------------------------------------------------------------------
// Bytes outside the log

Status QueueTable::can_do_without() const {
  if (shared_.options.memory_per_message == 0 && shared_.options.memory_per_queue == 0) return {};
  return {Code::not_supported,
          "memory-per-message and memory-per-queue keep bodies in files, which only a log with engine=\"file\" has "
          "beside it: take them out"};
}

// No protocol brings a body in pieces.
Result<std::uint64_t> QueueTable::accept_content(Command const&, TimeMs, std::uint64_t) const {
  return Status{Code::not_supported, "table " + shared_.table() + " takes messages whole"};
}

std::uint64_t QueueTable::list_extents(std::uint64_t cursor, std::uint32_t looks, std::vector<Extent>& found) const {
  if (cursor < kOfSharedBodies) {
    std::uint64_t const next = rows().list_extents(cursor, looks, found);
    return next != 0 ? next : kOfSharedBodies;
  }
  std::uint64_t const next = shared_.shared_bodies.list_extents(cursor - kOfSharedBodies, looks, found);
  return next == 0 ? 0 : next + kOfSharedBodies;
}

// ---------------------------------------------------------------------------
// Transactions

// Keys are the names of what it puts messages on (Promised); any number of transactions may have them.
void QueueTable::hold(TransactionId transaction, Hold const& hold) {
  Hold of_rows;
  of_rows.objects = hold.objects;
  of_rows.rows = hold.rows;
  of_rows.bytes = hold.bytes;
  shared_.table_of_rows.hold(transaction, of_rows);
  std::uint64_t const queues = std::max<std::uint64_t>(hold.rows, 1);
  for (std::string const& name : hold.keys) {
    bool const is_queue = name.starts_with(Promised::of_queue({}));
    shared_.promised.add(transaction, name, {is_queue ? 1U : 0U, is_queue ? hold.bytes / queues : 0U});
  }
  for (ObjectId const object : hold.objects)
    if (std::uint32_t const row = rows().find(object); row != rows::kNoRow)
      shared_.promised.add(transaction, Promised::of_queue(shared_.queue_of(row)), {});
}

void QueueTable::release(TransactionId transaction) {
  shared_.table_of_rows.release(transaction);
  shared_.promised.remove(transaction);
  shared_.is_leaving_blocked = false;
  consumers_.look_for_former();
}

// ---------------------------------------------------------------------------
// Space

Lsn QueueTable::oldest_lsn() const {
  Lsn oldest = shared_.table_of_rows.oldest_lsn();
  Lsn const of_queues = shared_.queues.regions().oldest();
  for (Lsn const other : {shared_.shared_bodies.regions().oldest(), of_queues})
    oldest = oldest.is_none() || other.is_none() ? std::max(oldest, other) : std::min(oldest, other);
  return oldest;
}

Restated QueueTable::restate_oldest(Lsn below, std::size_t budget_bytes, Decision& decision) const {
  rows::CopyRoom room{budget_bytes};
  bool const more = shared_.queues.restate(below, room, decision.records) ||
                    shared_.shared_bodies.restate(below, room, decision.records) ||
                    shared_.table_of_rows.restate(below, room, decision.records);
  return {more, room.needed()};
}

// ---------------------------------------------------------------------------
// People

void QueueTable::digest(DigestSink& sink) const {
  shared_.table_of_rows.digest(sink);
  shared_.shared_bodies.digest(sink);
  shared_.queues.digest(sink);
}

namespace {

void describe(Statistics const& counted, MetricSink& sink) {
  auto const put = [&](std::string_view name, std::string_view help, std::uint64_t value) {
    sink.integer({name, help, Metric::Kind::counter}, static_cast<std::int64_t>(value));
  };
  put("sent", "messages put on queues, one for each queue", counted.sent);
  put("unrouted", "messages that an exchange routed to no queue", counted.unrouted);
  put("duplicate", "messages that were resent", counted.duplicate);
  put("leased", "messages handed out under a lease", counted.leased);
  put("accepted", "messages accepted", counted.accepted);
  put("released", "messages given back without a failure", counted.released);
  put("timed_out", "leases that ran out", counted.timed_out);
  put("attempts_failed", "deliveries that a consumer called failed", counted.attempts_failed);
  put("dead", "messages that went to dead letters", counted.dead);
  put("failed", "messages parked", counted.failed);
  put("dropped", "messages that a full queue dropped", counted.dropped);
  put("moved", "messages moved by a person", counted.moved);
  put("deleted", "messages purged, or gone with their queue", counted.deleted);
  put("expired", "messages past their expiration date", counted.expired);
  sink.histogram({"lateness_ms", "from a message's date to its lease"}, counted.lateness_ms);
  sink.histogram({"wait_ms", "from a message's arrival to its first lease"}, counted.wait_ms);
  sink.histogram({"processing_ms", "from the lease to ACCEPT"}, counted.processing_ms);
}

}  // namespace

void QueueTable::metrics(TimeMs now, MetricSink& sink) const {
  auto const put = [&](Metric const& metric, std::uint64_t value) {
    sink.integer(metric, static_cast<std::int64_t>(value));
  };
  rows::Places const& places = rows().places();
  put({"rows", "messages that are there"}, rows().rows().size());
  put({"rows_waiting", "messages that nobody has, whatever their date"}, places.future() + rows().order().size());
  put({"rows_future", "messages whose date has not come"}, places.future());
  put({"rows_due", "messages ready to be handed out"}, rows().order().size());
  put({"failing", "1: more than half of the deliveries of the last minutes failed"},
      shared_.statistics.deliveries.is_failing() ? 1 : 0);
  put({"rows_processing", "messages that consumers have"}, rows().leases().size());
  put({"rows_parked", "messages parked for a person"}, places.parked().size());
  put({"queues", "queues that are there"}, shared_.queues.size() - shared_.queues.exchange_names().size());
  put({"exchanges", "exchanges that are there"}, shared_.queues.exchange_names().size());
  put({"bindings", "bindings that are there"}, shared_.queues.bindings().size());
  put({"queues_leaving", "queues that were removed and whose messages go"}, shared_.queues.leaving().size());
  put({"letters", "messages that several queues share"}, shared_.shared_bodies.size());
  std::uint32_t const first = rows().order().first();
  put({"first_due_age_ms", "how long the next message has been ready"},
      first == rows::kNoRow
          ? 0
          : static_cast<std::uint64_t>(std::max<std::int64_t>(0, now.value - rows().row(first).date())));
  put({"memory_bytes", "memory of messages and indexes"}, memory_bytes());
  put({"live_bytes", "log bytes needed by live objects"}, live_bytes());
  put({"grace_ms", "how long the leases of a lost connection last"},
      static_cast<std::uint64_t>(shared_.options.lifetimes.grace));
  put({"clients", "producers whose sequences are remembered"}, shared_.table_of_rows.clients().windows().size());
  put({"records_ignored", "records of a replay about what was gone", Metric::Kind::counter},
      shared_.table_of_rows.ignored() + shared_.queues.ignored());
  describe(shared_.statistics, sink);
}

namespace {

Result<std::unique_ptr<Table>> create(TableContext const& context, std::shared_ptr<TypeDeclaration const> type,
                                      std::shared_ptr<TableDeclaration const> declaration) {
  if (Status status = Options::read(*declaration).check(*declaration); !status.ok()) return status;
  return std::unique_ptr<Table>{std::make_unique<QueueTable>(context, std::move(type), std::move(declaration))};
}

}  // namespace

PluginDescriptor const& table_type() {
  static constexpr std::array<PluginProtocol, 1> protocols{{{"stomp", stomp::make_stomp_protocol}}};
  static PluginDescriptor const descriptor{.build = "g++ " __VERSION__,
                                           .name = "queue",
                                           .check_type = QueueTable::check_type,
                                           .create = create,
                                           .protocols = protocols};
  return descriptor;
}

}  // namespace fastjournal::queue
