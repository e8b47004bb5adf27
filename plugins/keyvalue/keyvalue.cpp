#include "plugins/keyvalue/keyvalue.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "base/bytes.h"
#include "model/type_check.h"
#include "plugins/keyvalue/fj_protocol.h"
#include "plugins/keyvalue/parameters.h"
#include "plugins/rows/copy_room.h"
#include "plugins/rows/records.h"

namespace fastjournal::keyvalue {
namespace {

// Entries that one search for pairs to copy forward looks at.
constexpr std::uint32_t kRestateLooksMax = 20'000;
// Ends of one step of the timers.
constexpr std::uint32_t kClientsPerStep = 50;
// A pair's facts may be larger in a record that is written later.
constexpr std::size_t kSlackBytes = 128;

constexpr std::array<std::string_view, 11> kOptionNames = {
    "key-size-max",   "value-size-max", "pairs-max", "memory-max",  "when-full",  "persist",
    "max-clock-skew", "tombstone-keep", "lock-max",  "client-keep", "clients-max"};

}  // namespace

// Dispatch: check_type compares this table with keyvalue.xml.
struct KeyValue::Named {
  std::string_view name;
  Handler handler;

  static auto const& all() {
    using K = KeyValue const&;
    using C = Command const&;
    using D = Decision&;
    static constexpr std::array<Named, 10> commands = {{
        {"SET", [](K table, C command, D decision) { return table.writes_.set(command, decision); }},
        {"GET", [](K table, C command, D decision) { return table.reads_.get(command, decision); }},
        {"DELETE", [](K table, C command, D decision) { return table.writes_.remove(command, decision); }},
        {"ADD", [](K table, C command, D decision) { return table.writes_.add(command, decision); }},
        {"NOT", [](K table, C command, D decision) { return table.writes_.invert(command, decision); }},
        {"TRUNCATE", [](K table, C command, D decision) { return table.writes_.truncate(command, decision); }},
        {"RENAME", [](K table, C command, D decision) { return table.writes_.rename(command, decision); }},
        {"ALIAS", [](K table, C command, D decision) { return table.writes_.alias(command, decision); }},
        {"LOCK", [](K table, C command, D decision) { return table.locks_.lock(command, decision); }},
        {"UNLOCK", [](K table, C command, D decision) { return table.locks_.unlock(command, decision); }},
    }};
    return commands;
  }
};

KeyValue::KeyValue(TableContext const& context, std::shared_ptr<TypeDeclaration const> type,
                   std::shared_ptr<TableDeclaration const> declaration)
    : shared_(std::move(declaration), context.hash_seed) {
  for (CommandDeclaration const& command : type->commands)
    for (Named const& known : Named::all())
      if (known.name == command.name) handlers_.push_back(known.handler);
}

Status KeyValue::check_type(TypeDeclaration const& type) {
  std::vector<std::string_view> commands;
  for (Named const& known : Named::all()) commands.push_back(known.name);
  return model::check_type(type, commands, kOptionNames, std::array<std::string_view, 1>{"fj"});
}

void KeyValue::change(std::shared_ptr<TableDeclaration const> next) {
  shared_.options = Options::read(*next);
  shared_.declaration = std::move(next);
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
      append_gone(decision.records, pair.id(), pair.key);
      if (!pair.facts.is_deleted) ++shared_.statistics.expired;
    } else {
      append_lock(decision.records, pair.id(), {0, 0, pair.key});
    }
    bytes += 64 + pair.key.size();
  }
  if (bytes > 0) return true;
  return shared_.clients.drop_unused(shared_.options.client_keep, now, kClientsPerStep, decision.records) > 0;
}

void KeyValue::decide_clock_accepted(TimeMs from, Decision& decision) const {
  rows::append_clock(decision.records, {from.value, decision.now.value});
}

// ---------------------------------------------------------------------------
// Who watches values

Status KeyValue::read_watch(Message const& message, WatchWish& wish) const {
  model::Parameters parameters{message};
  std::string scratch;
  std::size_t const most = shared_.options.key_bytes_max;
  bool const has_key = parameters.has("key") || parameters.has("key_binary");
  wish.is_prefix = parameters.has("prefix");
  wish.key =
      wish.is_prefix ? parameters.text("prefix", most) : read_key(message, parameters, "key", most, has_key, scratch);
  if (has_key == wish.is_prefix)
    parameters.refuse(has_key ? Code::bad_parameter : Code::missing_parameter, "key",
                      std::string{message.command} + " of table " + shared_.table() +
                          " needs what is watched: key (or key_binary), or prefix");
  return parameters.take_status();
}

void KeyValue::name_watch(WatchWish const& wish, Answer& answer) const {
  if (wish.is_prefix)
    answer.add("prefix", std::string_view{wish.key});
  else
    add_key(answer, "key", "key_binary", wish.key);
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
  Lsn const of_pairs = shared_.pairs.regions().oldest();
  Lsn const of_clients = shared_.clients.windows().regions().oldest();
  return of_pairs.is_none() || of_clients.is_none() ? std::max(of_pairs, of_clients) : std::min(of_pairs, of_clients);
}

Restated KeyValue::restate_oldest(Lsn below, std::size_t budget_bytes, Decision& decision) const {
  rows::CopyRoom room{budget_bytes};
  std::uint64_t left = shared_.pairs.regions().count_below(below);
  std::uint32_t looked = 0;
  bool is_refused = false;
  auto const look = [&](Pairs::Entry const& entry) {
    if (left == 0 || looked == kRestateLooksMax) return false;
    ++looked;
    if (!entry.is_alias) {
      Pair pair = shared_.pairs.at(entry.pair);
      if (rows::Regions::start(rows::Regions::of(pair.lsn)) < below) {
        Aliases const aliases = shared_.pairs.aliases_of(entry.pair);
        is_refused = !room.take(pair_record_bytes(pair, aliases) + kSlackBytes);
        if (is_refused) return false;
        append_pair(decision.records, pair, aliases);
        --left;
      }
    }
    restate_from_ = entry.key;
    return true;
  };
  if (left > 0) {
    shared_.pairs.for_each(restate_from_, true, look);
    // From the first one again, once the last one was passed.
    if (left > 0 && !is_refused && looked < kRestateLooksMax) {
      restate_from_.clear();
      shared_.pairs.for_each({}, false, look);
    }
  }
  bool const more = shared_.clients.restate(below, room, decision.records) || left > 0;
  return {more, room.needed()};
}

std::uint64_t KeyValue::live_bytes() const {
  return shared_.pairs.live_bytes() + shared_.clients.windows().live_bytes();
}

// ---------------------------------------------------------------------------
// People

void KeyValue::digest(DigestSink& sink) const {
  std::string canonical;
  shared_.pairs.for_each({}, false, [&](Pairs::Entry const& entry) {
    if (entry.is_alias) return true;
    canonical.clear();
    write_pair(canonical, shared_.pairs.at(entry.pair), shared_.pairs.aliases_of(entry.pair));
    sink.object(as_bytes(canonical));
    return true;
  });
  shared_.clients.digest(sink);
}

void KeyValue::metrics(TimeMs, MetricSink& sink) const {
  Pairs const& pairs = shared_.pairs;
  Statistics const& counted = shared_.statistics;
  auto const now = [&](std::string_view name, std::string_view help, std::uint64_t value) {
    sink.integer({name, help, Metric::Kind::gauge}, static_cast<std::int64_t>(value));
  };
  auto const count = [&](std::string_view name, std::string_view help, std::uint64_t value) {
    sink.integer({name, help, Metric::Kind::counter}, static_cast<std::int64_t>(value));
  };
  now("rows", "pairs that are there", pairs.size());
  now("aliases", "keys beside the main ones", pairs.aliases());
  now("tombstones", "deleted keys that are remembered", pairs.tombstones());
  now("locked", "pairs that a connection has locked", pairs.locks().size());
  now("key_bytes", "bytes of all keys", pairs.key_bytes());
  now("value_bytes", "bytes of all values", pairs.value_bytes());
  now("memory_bytes", "bytes of memory", memory_bytes());
  now("clients", "clients whose sequence numbers are remembered", shared_.clients.windows().size());
  count("hits", "pairs that were shown", counted.hits);
  count("misses", "reads that found nothing", counted.misses);
  count("stored", "changes", counted.stored);
  count("unchanged", "changes that came too late, came again, or were not to be made", counted.unchanged);
  count("expired", "pairs whose end came", counted.expired);
  count("evicted", "pairs that were dropped for others", counted.evicted);
}

namespace {

Result<std::unique_ptr<Table>> create(TableContext const& context, std::shared_ptr<TypeDeclaration const> type,
                                      std::shared_ptr<TableDeclaration const> declaration) {
  return std::unique_ptr<Table>{std::make_unique<KeyValue>(context, std::move(type), std::move(declaration))};
}

}  // namespace

PluginDescriptor const& table_type() {
  static constexpr std::array<PluginProtocol, 1> protocols{{{"fj", make_fj_protocol}}};
  static PluginDescriptor const descriptor{.build = "g++ " __VERSION__,
                                           .name = "keyvalue",
                                           .check_type = KeyValue::check_type,
                                           .create = create,
                                           .protocols = protocols};
  return descriptor;
}

}  // namespace fastjournal::keyvalue
