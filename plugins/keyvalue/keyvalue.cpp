#include "plugins/keyvalue/keyvalue.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "base/bytes.h"
#include "plugins/keyvalue/fj_protocol.h"
#include "plugins/keyvalue/parameters.h"
#include "plugins/rows/copy_room.h"
#include "plugins/rows/records.h"

namespace fastjournal::keyvalue {
namespace {

// Entries that one search for pairs to compact looks at.
constexpr std::uint32_t kCompactWorkUnitsMax = 20'000;
// Ends of one step of the timers.
constexpr std::uint32_t kClientsPerStep = 50;
// A pair's facts may be larger in a record that is written later.
constexpr std::size_t kSlackBytes = 128;

}  // namespace

// What each command of keyvalue.xml is decided by.
std::span<rows::NamedCommand<KeyValue> const> KeyValue::commands() {
  using rows::by;
  static constexpr auto all = std::to_array<rows::NamedCommand<KeyValue>>({
      {"SET", by<&KeyValue::writes_, &Writes::set>},
      {"GET", by<&KeyValue::reads_, &Reads::get>},
      {"DELETE", by<&KeyValue::writes_, &Writes::remove>},
      {"ADD", by<&KeyValue::writes_, &Writes::add>},
      {"NOT", by<&KeyValue::writes_, &Writes::invert>},
      {"TRUNCATE", by<&KeyValue::writes_, &Writes::truncate>},
      {"RENAME", by<&KeyValue::writes_, &Writes::rename>},
      {"ALIAS", by<&KeyValue::writes_, &Writes::alias>},
      {"LOCK", by<&KeyValue::locks_, &Locks::lock>},
      {"UNLOCK", by<&KeyValue::locks_, &Locks::unlock>},
  });
  return all;
}

KeyValue::KeyValue(TableContext const& context, std::shared_ptr<TypeDeclaration const> type,
                   std::shared_ptr<TableDeclaration const> declaration)
    : shared_(std::move(declaration), context.hash_seed), commands_(*type) {}

void KeyValue::change(std::shared_ptr<TableDeclaration const> next) {
  shared_.take(std::move(next));
  shared_.pairs.set_tombstone_keep(shared_.options.tombstone_keep);
}

// ---------------------------------------------------------------------------
// Time

TimeMs KeyValue::next_due() const {
  std::int64_t const clients = shared_.clients.first_unused(shared_.options.client_keep);
  Pairs::Dates const& dates = shared_.pairs.dates();
  return TimeMs{dates.empty() ? clients : std::min(clients, dates.begin()->first)};
}

bool KeyValue::decide_timer(Decision& decision) const {
  std::size_t bytes = 0;
  std::int64_t const now = decision.now.value;
  for (auto const& [date, handle] : shared_.pairs.dates()) {
    if (date > now || bytes >= kKeysPerStep) break;
    Pair const pair = shared_.pairs.at(handle);
    if (pair.facts.is_deleted || !pair.facts.is_there(now)) {
      model::append_record(decision.records, pair.id(), GoneBody{pair.key});
      if (!pair.facts.is_deleted) ++shared_.statistics.expired;
    } else {
      model::append_record(decision.records, pair.id(), LockBody{0, 0, pair.key});
    }
    bytes += 64 + pair.key.size();
  }
  if (bytes > 0) return true;
  return shared_.clients.drop_unused(shared_.options.client_keep, now, kClientsPerStep, decision.records) > 0;
}

void KeyValue::decide_clock_accepted(TimeMs from, Decision& decision) const {
  model::append_record(decision.records, {}, rows::ClockBody{from.value, decision.now.value});
}

// ---------------------------------------------------------------------------
// Who watches values

Status KeyValue::read_watch(Message const& message, WatchRequest& request) const {
  model::Parameters parameters{message};
  std::string scratch;
  std::size_t const most = shared_.options.key_size_max;
  bool const has_key = parameters.has("key") || parameters.has("key_binary");
  request.is_prefix = parameters.has("prefix");
  request.key = request.is_prefix ? parameters.text("prefix", most)
                                  : read_key(message, parameters, "key", most, has_key, scratch);
  if (has_key == request.is_prefix)
    parameters.refuse(has_key ? Code::bad_parameter : Code::missing_parameter, "key",
                      std::string{message.command} + " of table " + shared_.table() +
                          " needs what is watched: key (or key_binary), or prefix");
  return parameters.take_status();
}

void KeyValue::name_watch(WatchRequest const& request, Answer& answer) const {
  if (request.is_prefix)
    answer.add("prefix", std::string_view{request.key});
  else
    add_key(answer, "key", "key_binary", request.key);
}

void KeyValue::tell_state(std::string_view key, TimeMs now, Answer& answer) const {
  add_key(answer, "key", "key_binary", key);
  Handle const handle = shared_.pairs.find(key);
  Facts const facts = handle == kNoPair ? Facts{} : shared_.pairs.at(handle).facts;
  bool const is_there = handle != kNoPair && facts.is_there(now.value);
  answer.add("result", Value::of_text(is_there ? "stored" : "absent"));
  if (is_there) answer.add("timestamp", facts.timestamp);
}

// ---------------------------------------------------------------------------
// Space

Lsn KeyValue::oldest_lsn() const {
  return oldest_of({shared_.pairs.regions().oldest(), shared_.clients.windows().regions().oldest()});
}

Compacted KeyValue::compact_oldest(Lsn below, std::size_t budget_bytes, Decision& decision) const {
  rows::CopyRoom room{budget_bytes};
  std::uint64_t left = shared_.pairs.regions().count_below(below);
  std::uint32_t looked = 0;
  bool is_refused = false;
  auto const look = [&](Pairs::Entry const& entry) {
    if (left == 0 || looked == kCompactWorkUnitsMax) return false;
    ++looked;
    if (!entry.is_alias) {
      Pair pair = shared_.pairs.at(entry.pair);
      if (rows::Regions::start(rows::Regions::of(pair.lsn)) < below) {
        Aliases const aliases = shared_.pairs.aliases_of(entry.pair);
        is_refused = !room.take(pair_record_bytes(pair, aliases) + kSlackBytes);
        if (is_refused) return false;
        model::append_record(decision.records, {}, PairBody{pair, aliases});
        --left;
      }
    }
    compact_from_ = entry.key;
    return true;
  };
  if (left > 0) {
    shared_.pairs.for_each(compact_from_, true, look);
    // From the first one again, once the last one was passed.
    if (left > 0 && !is_refused && looked < kCompactWorkUnitsMax) {
      compact_from_.clear();
      shared_.pairs.for_each({}, false, look);
    }
  }
  bool const more = shared_.clients.compact(below, room, decision.records) || left > 0;
  return {more, room.needed()};
}

std::uint64_t KeyValue::live_bytes() const {
  return shared_.pairs.live_bytes() + shared_.clients.windows().live_bytes();
}

// ---------------------------------------------------------------------------
// People

void KeyValue::digest(DigestSink& sink) const {
  shared_.pairs.for_each({}, false, [&](Pairs::Entry const& entry) {
    if (entry.is_alias) return true;
    Pair const pair = shared_.pairs.at(entry.pair);
    Aliases const aliases = shared_.pairs.aliases_of(entry.pair);
    model::digest_body(sink, PairBody{pair, aliases});
    return true;
  });
  shared_.clients.digest(sink);
}

void KeyValue::metrics(TimeMs, MetricSink& sink) const {
  Pairs const& pairs = shared_.pairs;
  Statistics const& counted = shared_.statistics;
  sink.gauge("rows", "pairs that are there", pairs.size());
  sink.gauge("aliases", "keys beside the main ones", pairs.aliases());
  sink.gauge("tombstones", "deleted keys that are remembered", pairs.tombstones());
  sink.gauge("locked", "pairs that a connection has locked", pairs.locks().size());
  sink.gauge("key_bytes", "bytes of all keys", pairs.key_bytes());
  sink.gauge("value_bytes", "bytes of all values", pairs.value_bytes());
  sink.gauge("memory_bytes", "bytes of memory", memory_bytes());
  sink.gauge("clients", "clients whose sequence numbers are remembered", shared_.clients.windows().size());
  sink.counter("hits", "pairs that were shown", counted.hits);
  sink.counter("misses", "reads that found nothing", counted.misses);
  sink.counter("stored", "changes", counted.stored);
  sink.counter("unchanged", "changes that came too late, came again, or were not to be made", counted.unchanged);
  sink.counter("expired", "pairs whose end came", counted.expired);
  sink.counter("evicted", "pairs that were dropped for others", counted.evicted);
}

namespace {

constexpr std::array<PluginProtocol, 1> kProtocols{{{"fj", make_fj_protocol}}};

}  // namespace

PluginDescriptor const& table_type() {
  static PluginDescriptor const descriptor = rows::describe_type<KeyValue, Options, kProtocols>("keyvalue");
  return descriptor;
}

}  // namespace fastjournal::keyvalue
