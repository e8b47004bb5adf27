#include "plugins/queue/queue_table.h"

#include <algorithm>
#include <array>
#include <string>

#include "plugins/queue/beanstalk_protocol.h"
#include "plugins/queue/names.h"
#ifdef FJ_HTTP
#include "plugins/queue/sqs_protocol.h"
#endif
#include "plugins/queue/stomp_protocol.h"
#include "plugins/rows/apply.h"

namespace fastjournal::queue {
namespace {

// A cursor of list_extents above this is behind a shared shared body; below, behind a row. Ids are smaller.
constexpr std::uint64_t kOfSharedBodies = std::uint64_t{1} << 63U;

}  // namespace

// What each command of queue.xml is decided by.
std::span<rows::NamedCommand<QueueTable> const> QueueTable::commands() {
  using rows::by;
  static constexpr auto all = std::to_array<rows::NamedCommand<QueueTable>>({
      {"SEND", by<&QueueTable::sends_, &Sends::send>},
      {"ACQUIRE", by<&QueueTable::consumers_, &Consumers::acquire>},
      {"TOUCH", by<&QueueTable::consumers_, &Consumers::touch>},
      {"ACCEPT", by<&QueueTable::consumers_, &Consumers::accept>},
      {"RELEASE", by<&QueueTable::consumers_, &Consumers::release>},
      {"REJECT", by<&QueueTable::consumers_, &Consumers::reject>},
      {"KICK", by<&QueueTable::consumers_, &Consumers::kick>},
      {"PARK", by<&QueueTable::consumers_, &Consumers::park>},
      {"DELETE", by<&QueueTable::consumers_, &Consumers::remove>},
      {"BROWSE", by<&QueueTable::reads_, &Reads::browse>},
      {"COUNT", by<&QueueTable::reads_, &Reads::count>},
      {"READ", by<&QueueTable::reads_, &Reads::read>},
      {"PEEK", by<&QueueTable::reads_, &Reads::peek>},
      {"WHY", by<&QueueTable::reads_, &Reads::why>},
      {"DECLARE", by<&QueueTable::declarations_, &Declarations::declare>},
      {"REMOVE", by<&QueueTable::declarations_, &Declarations::remove>},
      {"BIND", by<&QueueTable::declarations_, &Declarations::bind>},
      {"UNBIND", by<&QueueTable::declarations_, &Declarations::unbind>},
      {"PAUSE", by<&QueueTable::declarations_, &Declarations::pause>},
      {"RESUME", by<&QueueTable::declarations_, &Declarations::resume>},
      {"PURGE", by<&QueueTable::changes_, &Changes::purge>},
      {"MOVE", by<&QueueTable::changes_, &Changes::move>},
      {"QUEUES", by<&QueueTable::declarations_, &Declarations::list_queues>},
      {"EXCHANGES", by<&QueueTable::declarations_, &Declarations::list_exchanges>},
      {"BINDINGS", by<&QueueTable::declarations_, &Declarations::list_bindings>},
  });
  return all;
}

QueueTable::QueueTable(TableContext const& context, std::shared_ptr<TypeDeclaration const> type,
                       std::shared_ptr<TableDeclaration const> declaration)
    : shared_(std::move(declaration), context.hash_seed), commands_(*type), send_(rows::index_of("SEND", *type)) {
  // The last one is found first.
  shared_.table_of_rows.add_schema(grouped_schema());
  shared_.table_of_rows.add_schema(shared_body_schema());
  set_rules();
}

// Who waits is told by the next advance.
void QueueTable::set_rules() {
  NoObserver nobody;
  shared_.table_of_rows.set_rules(shared_.options.rules(), nobody);
}

void QueueTable::change(std::shared_ptr<TableDeclaration const> next) {
  shared_.looks_for_declared = true;
  ++declarations_taken_;  // it says which queues are declared
  shared_.take(std::move(next));
  set_rules();
  shared_.queues.look_again();
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
  switch (static_cast<RecordType>(record.type)) {
    case RecordType::shared_body: {
      SharedBodyRecord body;
      if (!model::read_record(record, body)) return false;
      shared_.shared_bodies.add(record.object, body, record.lsn, observer);
      return true;
    }
    case RecordType::deduplication: {
      DeduplicationBody body;
      if (!model::read_record(record, body)) return false;
      shared_.deduplications.add(record.object, body, record.lsn);
      return true;
    }
    case RecordType::deduplications_over: {
      DeduplicationsOverBody body;
      if (!model::read_record(record, body)) return false;
      shared_.deduplications.drop_until(body.last);
      return true;
    }
    default: break;
  }
  return shared_.queues.apply(record, context, [&](Queue const& queue) {
    shared_.table_of_rows.pause(queue.name, queue.settings.paused_until, observer);
  });
}

TimeMs QueueTable::next_due() const {
  bool const has_former = shared_.options.lifetimes.grace == 0 && consumers_.may_have_former();
  if (has_former || declarations_.has_to_make() || changes_.has_leaving()) return TimeMs{0};
  Queues::Looks const& looks = shared_.queues.looks();
  TimeMs const look = looks.empty() ? TimeMs::max() : TimeMs{looks.begin()->first};
  return std::min(
      {timers_.next_due(), TimeMs{shared_.statistics.deliveries.next_look()}, look, shared_.deduplications.next_due()});
}

bool QueueTable::advance(TimeMs now, std::size_t budget, TableObserver& observer) {
  shared_.statistics.deliveries.look(now.value, observer);
  bool const more = shared_.shared_bodies.drop_idle(budget, observer);
  return shared_.table_of_rows.advance(now, budget, observer) || more;
}

bool QueueTable::decide_timer(Decision& decision) const {
  if (declarations_.make_declared(decision) || changes_.drop_leaving(decision) || declarations_.end_idle(decision))
    return true;
  if (shared_.options.lifetimes.grace == 0 && consumers_.may_have_former() && consumers_.end_former(decision))
    return true;
  if (shared_.deduplications.end(decision) || timers_.expire(decision)) return true;
  rows::Timers::LeasesEnded const ended = timers_.end_leases(decision);
  shared_.statistics.timed_out += ended.count;
  shared_.statistics.overdue += ended.overdue;
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

std::uint64_t QueueTable::list_extents(std::uint64_t cursor, std::uint32_t work_units,
                                       std::vector<Extent>& found) const {
  if (cursor < kOfSharedBodies) {
    std::uint64_t const next = rows().list_extents(cursor, work_units, found);
    return next != 0 ? next : kOfSharedBodies;
  }
  std::uint64_t const next = shared_.shared_bodies.list_extents(cursor - kOfSharedBodies, work_units, found);
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
  return oldest_of({shared_.table_of_rows.oldest_lsn(), shared_.shared_bodies.regions().oldest(),
                    shared_.queues.regions().oldest(), shared_.deduplications.regions().oldest()});
}

Compacted QueueTable::compact_oldest(Lsn below, std::size_t budget_bytes, Decision& decision) const {
  rows::CopyRoom room{budget_bytes};
  bool const more = shared_.queues.compact(below, room, decision.records) ||
                    shared_.shared_bodies.compact(below, room, decision.records) ||
                    shared_.deduplications.compact(below, room, decision.records) ||
                    shared_.table_of_rows.compact(below, room, decision.records);
  return {more, room.needed()};
}

// ---------------------------------------------------------------------------
// People

void QueueTable::digest(DigestSink& sink) const {
  shared_.table_of_rows.digest(sink);
  shared_.shared_bodies.digest(sink);
  shared_.queues.digest(sink);
  shared_.deduplications.digest(sink);
}

namespace {

void describe(Statistics const& counted, MetricSink& sink) {
  sink.counter("sent", "messages put on queues, one for each queue", counted.sent);
  sink.counter("unrouted", "messages that an exchange routed to no queue", counted.unrouted);
  sink.counter("duplicate", "messages that were resent", counted.duplicate);
  sink.counter("leased", "messages handed out under a lease", counted.leased);
  sink.counter("accepted", "messages accepted", counted.accepted);
  sink.counter("released", "messages given back without a failure", counted.released);
  sink.counter("timed_out", "leases that ran out", counted.timed_out);
  sink.counter("overdue", "leases that ran out by their date, not by a lost connection", counted.overdue);
  sink.counter("attempts_failed", "deliveries that a consumer called failed", counted.attempts_failed);
  sink.counter("dead", "messages that went to dead letters", counted.dead);
  sink.counter("failed", "messages parked", counted.failed);
  sink.counter("dropped", "messages that a full queue dropped", counted.dropped);
  sink.counter("moved", "messages moved by an operator", counted.moved);
  sink.counter("deleted", "messages purged, or gone with their queue", counted.deleted);
  sink.counter("expired", "messages past their expiration date", counted.expired);
  sink.histogram({"lateness_ms", "from a message's date to its lease"}, counted.lateness_ms);
  sink.histogram({"wait_ms", "from a message's arrival to its first lease"}, counted.wait_ms);
  sink.histogram({"processing_ms", "from the lease to ACCEPT"}, counted.processing_ms);
}

}  // namespace

void QueueTable::metrics(TimeMs now, MetricSink& sink) const {
  rows::Places const& places = rows().places();
  sink.gauge("rows", "messages that are there", rows().rows().size());
  sink.gauge("rows_waiting", "unleased messages, whatever their date",
             places.future() + rows().order().size() + places.behind());
  sink.gauge("rows_future", "messages whose date has not come", places.future());
  sink.gauge("rows_due", "messages ready to be handed out", rows().order().size());
  sink.gauge("rows_behind", "messages that wait for one of their group", places.behind());
  sink.gauge("failing", "1: more than half of the deliveries of the last minutes failed",
             shared_.statistics.deliveries.is_failing() ? 1 : 0);
  sink.gauge("rows_processing", "messages that consumers have", rows().leases().size());
  sink.gauge("rows_parked", "messages parked for an operator", places.parked().size());
  sink.gauge("queues", "queues that are there", shared_.queues.size() - shared_.queues.exchange_names().size());
  sink.gauge("exchanges", "exchanges that are there", shared_.queues.exchange_names().size());
  sink.gauge("bindings", "bindings that are there", shared_.queues.bindings().size());
  sink.gauge("queues_leaving", "queues that were removed and whose messages go", shared_.queues.leaving().size());
  sink.gauge("letters", "messages that several queues share", shared_.shared_bodies.size());
  sink.gauge("deduplications", "names of messages that are remembered for five minutes", shared_.deduplications.size());
  std::uint32_t const first = rows().order().first();
  sink.gauge("first_due_age_ms", "how long the next message has been ready",
             first == rows::kNoRow
                 ? 0
                 : static_cast<std::uint64_t>(std::max<std::int64_t>(0, now.value - rows().row(first).date())));
  sink.gauge("memory_bytes", "memory of messages and indexes", memory_bytes());
  sink.gauge("live_bytes", "log bytes needed by live objects", live_bytes());
  sink.gauge("grace_ms", "how long the leases of a lost connection last",
             static_cast<std::uint64_t>(shared_.options.lifetimes.grace));
  sink.gauge("clients", "producers whose sequences are remembered", shared_.table_of_rows.clients().windows().size());
  sink.counter("records_ignored", "records of a replay about what was gone",
               shared_.table_of_rows.ignored() + shared_.queues.ignored());
  describe(shared_.statistics, sink);
}

namespace {

#ifdef FJ_HTTP
constexpr PluginProtocol kSqs{"sqs", sqs::make_protocol, nullptr, sqs::share};
#else
constexpr PluginProtocol kSqs{"sqs"};  // a listener of it is refused
#endif
constexpr std::array<PluginProtocol, 3> kProtocols{
    {{"stomp", stomp::make_stomp_protocol}, {"beanstalkd", beanstalk::make_protocol, nullptr, beanstalk::share}, kSqs}};

}  // namespace

PluginDescriptor const& table_type() {
  static PluginDescriptor const descriptor = rows::describe_type<QueueTable, Options, kProtocols>("queue");
  return descriptor;
}

}  // namespace fastjournal::queue
