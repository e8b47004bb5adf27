#include "plugins/keyvalue/writes.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "plugins/keyvalue/lists.h"
#include "plugins/keyvalue/parameters.h"

namespace fastjournal::keyvalue {
namespace {

// The most bytes of the records of a change, beside key and value: facts, the client, who owns that name, and whom it
// replaces.
constexpr std::size_t kRecordsBytes = 2U << 10U;

// What most commands have. One that has no other parameter is not searched for each of them.
bool is_common(std::string_view name) {
  return name == "key" || name == "value" || name == "type" || name == "table" || name == "overwrite" ||
         name == "persist" || name == "request";
}
bool has_others(Message const& message) {
  return std::ranges::any_of(message.params(), [](Param const& param) { return !is_common(param.name); });
}

}  // namespace

struct Writes::Change {
  explicit Change(Command const& what)
      : command(what),
        message(*what.message),
        parameters(*what.message),
        has_others(keyvalue::has_others(*what.message)),
        connection(what.connection) {}

  Command const& command;
  Message const& message;
  model::Parameters parameters;
  bool has_others;  // parameters beside the common ones
  void read_time(Decision const& decision) {
    now = decision.now.value;
    asked = decision.asked().value;
    is_kept = decision.phase == Phase::keep;
  }

  ConnectionId connection;
  std::int64_t now{0};
  std::int64_t asked{0};  // when it came (Decision::asked)
  bool is_kept{false};    // Phase::keep
  rows::Claim claim{};
  std::string_view key{};
  Handle handle{kNoPair};  // a pair or a tombstone
  Pair pair{};
  bool is_there{false};  // a pair with a value
  std::string_view new_key{};
  std::string key_scratch{};
  std::string new_key_scratch{};
  std::string value_scratch{};
};

std::int64_t Writes::change_now(Change const& change) { return change.now; }

// Without one: behind all that is there, so that it wins, and no two values are taken for one.
std::uint64_t Writes::next_timestamp(Change const& change) const {
  std::uint64_t const now = facts::timestamp_of(change.now);
  return change.handle == kNoPair ? now : std::max(now, change.pair.facts.timestamp + 1);
}

void Writes::sync_if(bool is_persistent, Decision& decision) const {
  decision.durability = is_persistent ? Durability::synced : Durability::written;
}

// What others have locked is not changed.
bool Writes::is_free(Change const& change, Handle pair, Decision& decision) const {
  if (pair == kNoPair) return true;
  if (pair == change.handle && !change.pair.facts.is_locked(change.now)) return true;
  Facts const facts = pair == change.handle ? change.pair.facts : shared_.pairs.at(pair).facts;
  return !decision.refuses(shared_.check_lock(facts, change.connection, change.now));
}

bool Writes::begin(Command const& command, Decision& decision, Change& change) const {
  change.read_time(decision);
  // What was promised is kept under whatever limits.
  std::size_t const most = change.is_kept ? SIZE_MAX : shared_.options.key_size_max;
  change.key = read_key(change.message, change.parameters, "key", most, true, change.key_scratch);
  if (change.has_others) change.claim.sender = rows::read_sender(change.parameters);
  if (decision.refuses(change.parameters.take_status())) return false;
  change.handle = shared_.pairs.find(change.key);
  if (change.handle != kNoPair) change.pair = shared_.pairs.at(change.handle);
  change.is_there = change.handle != kNoPair && change.pair.facts.is_there(change.now);
  // A command of several steps was looked up in its first one.
  if (change.claim.is_numbered()) {
    ObjectId none;
    rows::Before const before = rows::look_up(shared_.clients.windows(), shared_.table(), command,
                                              shared_.options.clients_max, change.now, change.claim, none, decision);
    if (before == rows::Before::over) return false;
    if (before == rows::Before::done) {
      ++shared_.statistics.unchanged;
      std::string_view const name = change.message.command == "DELETE" ? "DELETED" : "STORED";
      Answer& answer = decision.answer.message(name);
      answer.add("table", std::string_view{shared_.table()});
      add_key(answer, "key", "key_binary", change.key);
      answer.add("result", Value::of_text("duplicate"));
      if (name == "STORED" && change.is_there) {
        answer.add("timestamp", change.pair.facts.timestamp);
        if (change.message.command == "ADD" || change.message.command == "NOT")
          add_value(answer, change.pair.facts.type, change.pair.value);
      }
      return false;
    }
  }
  if (change.is_kept) return true;
  Pair const* const there = change.handle == kNoPair ? nullptr : &change.pair;
  decision.status = shared_.check_hold(change.key, there, decision);
  if (!decision.status.ok() || !is_free(change, change.handle, decision)) return false;
  if (decision.phase == Phase::promise) decision.hold->keys.emplace_back(TableState::key_held(change.key, there));
  return true;
}

bool Writes::begin_on_value(Command const& command, Decision& decision, Change& change, ValueType one,
                            ValueType other) const {
  if (!begin(command, decision, change)) return false;
  if (!change.is_there) return !decision.refuses(shared_.no_value());
  if (change.pair.facts.type == one || change.pair.facts.type == other) return true;
  decision.status =
      Status{Code::wrong_state,
             fmt::format("{} is for a value of type {}{}; this one is of type {}", change.message.command, name_of(one),
                         one == other ? "" : " or " + std::string{name_of(other)}, name_of(change.pair.facts.type))}
          .with("parameter", "key");
  return false;
}

Verdict Writes::finish(Change const& change, Decision& decision, ObjectId object, std::string_view result,
                       std::uint64_t timestamp) const {
  rows::append_claim(change.claim, change.now, decision.records);
  if (change.claim.is_numbered())
    model::append_record(decision.records, {}, rows::SeenBody{change.claim.sender, object, change.now});
  ++(result == "stored" ? shared_.statistics.stored : shared_.statistics.unchanged);
  Answer& answer = decision.answer.message("STORED");
  answer.add("table", std::string_view{shared_.table()});
  add_key(answer, "key", "key_binary", change.key);
  answer.add("result", Value::of_text(result));
  if (timestamp != 0) answer.add("timestamp", timestamp);
  return Verdict::done;
}

// Only what is remembered of the sender is logged, and that like a change of the value.
Verdict Writes::unchanged(Change const& change, Decision& decision, std::string_view result) const {
  sync_if(change.is_there ? change.pair.facts.persist : shared_.options.persist, decision);
  return finish(change, decision, change.is_there ? change.pair.id() : ObjectId{}, result,
                change.is_there ? change.pair.facts.timestamp : 0);
}

// ---------------------------------------------------------------------------
// SET

// What a SET says of its values, one or many.
struct Writes::Terms {
  Facts facts{};  // without type and dates of the value
  bool overwrites{true};
  std::uint64_t stamp{0};  // 0: none was given
};

Writes::Terms Writes::read_terms(Change& change) const {
  Options const& options = shared_.options;
  model::Parameters& parameters = change.parameters;
  std::int64_t const now = change.asked;
  Terms terms;
  terms.overwrites = parameters.integer("overwrite", 1, 0, 1) == 1;
  terms.facts.persist = parameters.integer("persist", options.persist ? 1 : 0, 0, 1) == 1;
  if (!change.has_others) return terms;
  terms.facts.expires = parameters.date("expiration_date", 0, now);
  terms.facts.ttl = parameters.integer("ttl", 0, 1, kDurationMax);
  if (terms.facts.ttl != 0 && terms.facts.expires != 0)
    parameters.refuse(Code::bad_parameter, "ttl", "expiration_date and ttl are given; expected one");
  if (terms.facts.expires != 0 && terms.facts.expires <= now)
    parameters.refuse(Code::expired, "expiration_date", "expiration_date is over already");
  if (terms.facts.ttl != 0) terms.facts.expires = std::min(change.now + terms.facts.ttl, model::kDateMax);
  std::uint64_t const now_us = facts::timestamp_of(now);
  terms.stamp = parameters.unsigned_integer("timestamp", 0);
  if (terms.stamp > now_us + facts::timestamp_of(options.max_clock_skew))
    parameters.refuse(Code::bad_parameter, "timestamp",
                      "timestamp is " + std::to_string((terms.stamp - now_us) / 1000) +
                          " ms in the future; a fast clock would keep all others out (max-clock-skew)");
  if (terms.stamp != 0 && terms.stamp < now_us - std::min(now_us, facts::timestamp_of(options.tombstone_keep)))
    parameters.refuse(Code::bad_parameter, "timestamp",
                      "timestamp is older than deleted keys are remembered (tombstone-keep): it is not known whether "
                      "a newer DELETE came before");
  return terms;
}

void Writes::check_size(std::string_view value, model::Parameters& parameters) const {
  std::size_t const most = shared_.options.value_size_max;
  if (value.size() > most)
    parameters.refuse(Code::too_large, "value",
                      fmt::format("value has {} bytes; at most {} are allowed (value-size-max)", value.size(), most));
}

// In place of what is under the key of `change`.
Pair Writes::next_pair(Change const& change, Terms const& terms, ValueType type, std::string_view value,
                       Aliases& aliases) const {
  Pair next;
  next.key = change.key;
  next.value = value;
  next.facts = terms.facts;
  next.facts.type = type;
  next.facts.created = change.is_there ? change.pair.facts.created : change.now;
  next.facts.modified = std::max(change.now, next.facts.created);
  next.facts.timestamp = terms.stamp != 0 ? terms.stamp : next_timestamp(change);
  if (!change.is_there) return next;
  next.key = change.pair.key;
  next.facts.lock = change.pair.facts.lock;
  next.facts.lock_until = change.pair.facts.lock_until;
  if (change.pair.facts.aliases > 0) aliases = shared_.pairs.aliases_of(change.handle);
  return next;
}

// False: more room is to be made first, or there is none.
bool Writes::has_room(std::size_t bytes, std::uint64_t new_pairs, std::string_view keeps, Decision& decision,
                      Verdict& verdict, std::size_t entry) const {
  // Room was promised; in a table that evicts, the next command makes it.
  if (decision.phase == Phase::keep) return true;
  if (decision.phase == Phase::promise) {
    decision.hold->rows += new_pairs;
    decision.hold->bytes += bytes;
    if (shared_.evicts()) return true;
  }
  Room::Answer const room = room_.make(bytes, new_pairs, keeps, entry, decision);
  if (room == Room::Answer::there) return true;
  verdict = Verdict::done;
  if (room == Room::Answer::made) {
    sync_if(false, decision);
    verdict = Verdict::again;
  }
  return false;
}

// What is there is what the sender says it to be.
bool Writes::is_as_expected(Change& change) const {
  model::Parameters& parameters = change.parameters;
  std::uint64_t const wanted = parameters.unsigned_integer("if_timestamp", 0);
  bool is_expected = true;
  if (parameters.has("if_timestamp")) is_expected = wanted == (change.is_there ? change.pair.facts.timestamp : 0);
  Value const* const expected = change.message.find("if_value");
  if (expected == nullptr || !parameters.ok()) return is_expected;
  std::string scratch;
  return is_expected && change.is_there &&
         read_value(*expected, "if_value", change.pair.facts.type, parameters, scratch) == change.pair.value;
}

Verdict Writes::refuse_promise(Decision& decision, std::string_view result) const {
  return decision.refuse(Status{
      Code::wrong_state,
      fmt::format(
          "the value under this key of table {}{}: in a transaction this is an error, so that nothing of it is done",
          shared_.table(), result == "exists" ? " is there already, and overwrite is 0" : " is not the expected one")}
                             .with("result", std::string{result})
                             .with("parameter", "key"));
}

Verdict Writes::set(Command const& command, Decision& decision) const {
  Change change{command};
  if (change.has_others && change.message.has("pairs")) return set_many(change, decision);
  if (!begin(command, decision, change)) return Verdict::done;
  model::Parameters& parameters = change.parameters;
  Value const* const given = change.message.find("value");
  ValueType const type = read_type(change.message, parameters, given);
  std::string_view value;
  if (given != nullptr)
    value = read_value(*given, "value", type, parameters, change.value_scratch);
  else if (type != ValueType::nothing)
    parameters.refuse(Code::missing_parameter, "value", "SET of a value that is not void needs the parameter value");
  if (!change.is_kept) check_size(value, parameters);
  Terms const terms = read_terms(change);
  bool const listens = change.has_others && parameters.integer("listen", 0, 0, 1) == 1;
  if (listens && decision.phase != Phase::now)
    parameters.refuse(Code::bad_parameter, "listen", "listen is 1 in a transaction: send LISTEN, outside of it");
  bool const is_expected = !change.has_others || is_as_expected(change);
  if (!parameters.ok()) return decision.refuse(parameters.take_status());
  auto const watch = [&] {
    if (listens) decision.watch = std::make_unique<WatchRequest>(WatchRequest{std::string{change.key}, false});
  };
  std::string_view result;
  if (!terms.overwrites && change.is_there && !change.is_kept)
    result = "exists";
  else if (!is_expected && !change.is_kept)
    result = "mismatch";
  else if (terms.stamp != 0 && change.handle != kNoPair && terms.stamp < change.pair.facts.timestamp)
    result = "stale";
  if (decision.phase == Phase::promise && !result.empty())
    return result == "stale" ? Verdict::done : refuse_promise(decision, result);
  if (!result.empty()) {
    watch();
    return unchanged(change, decision, result);
  }

  std::size_t const before = change.is_there ? change.pair.value.size() : 0;
  bool const is_new = change.handle == kNoPair;
  Aliases aliases;
  Pair const next = next_pair(change, terms, type, value, aliases);
  Verdict verdict = Verdict::done;
  if ((is_new || value.size() > before) &&
      !has_room((is_new ? change.key.size() : 0) + value.size() - before, is_new ? 1 : 0, change.key, decision, verdict,
                entry_of(next, aliases)))
    return verdict;
  if (decision.phase == Phase::promise) {
    if (!change.is_there || change.pair.facts.aliases == 0)
      decision.hold->record_bytes = change.key.size() + value.size() + kRecordsBytes;
    return Verdict::done;
  }
  bool const was_persistent = change.is_there && change.pair.facts.persist;
  sync_if(next.facts.persist || was_persistent, decision);
  Lsn const lsn = model::append_record(decision.records, {}, PairBody{next, aliases});
  watch();
  return finish(change, decision, object_of(lsn), "stored", next.facts.timestamp);
}

// All of them in one group, or none.
Verdict Writes::set_many(Change& change, Decision& decision) const {
  Command const& command = change.command;
  model::Parameters& parameters = change.parameters;
  change.read_time(decision);
  if (decision.phase != Phase::now)
    parameters.refuse(Code::bad_parameter, "pairs", "pairs in a transaction: expected a SET for each of them");
  change.claim.sender = rows::read_sender(parameters);
  constexpr std::string_view kOfOne[] = {"key", "key_binary", "value", "type", "if_timestamp", "if_value", "listen"};
  for (std::string_view const name : kOfOne)
    if (parameters.has(name))
      parameters.refuse(Code::bad_parameter, name, std::string{name} + " is of one value; with pairs expected none");
  GivenPairs const given = read_pairs(parameters.text("pairs", SIZE_MAX), parameters);
  Terms const terms = read_terms(change);
  std::vector<std::string> values(given.size());
  std::vector<std::pair<Pair, Aliases>> next;
  std::size_t bytes = 0;
  std::uint64_t new_pairs = 0;
  std::size_t record_bytes = 0;
  bool is_persistent = terms.facts.persist;
  std::string_view result = "stored";
  std::string_view in_the_way;
  for (std::size_t i = 0; i < given.size() && parameters.ok(); ++i) {
    change.key = given[i].key;
    check_key(change.key, "pairs", shared_.options.key_size_max, parameters);
    ValueType const type = given[i].type;
    std::string_view const value = type == ValueType::nothing
                                       ? std::string_view{}
                                       : read_value(given[i].value, "pairs", type, parameters, values[i]);
    check_size(value, parameters);
    change.handle = shared_.pairs.find(change.key);
    change.pair = change.handle == kNoPair ? Pair{} : shared_.pairs.at(change.handle);
    change.is_there = change.handle != kNoPair && change.pair.facts.is_there(change.now);
    decision.status = shared_.check_hold(change.key, change.handle == kNoPair ? nullptr : &change.pair, decision);
    if (!decision.status.ok() || !is_free(change, change.handle, decision)) return Verdict::done;
    bool const is_taken = !terms.overwrites && change.is_there;
    bool const is_stale = terms.stamp != 0 && change.handle != kNoPair && terms.stamp < change.pair.facts.timestamp;
    if (result == "stored" && (is_taken || is_stale)) {
      result = is_taken ? "exists" : "stale";
      in_the_way = change.key;
    }
    if (change.handle == kNoPair) ++new_pairs;
    std::size_t const before = change.is_there ? change.pair.value.size() : 0;
    bytes += (change.handle == kNoPair ? change.key.size() : 0) + value.size() - std::min(before, value.size());
    is_persistent = is_persistent || (change.is_there && change.pair.facts.persist);
    next.emplace_back();
    next.back().first = next_pair(change, terms, type, value, next.back().second);
    record_bytes += pair_record_bytes(next.back().first, next.back().second);
  }
  if (parameters.ok() && record_bytes > command.message->text("pairs").size() + kStepBytesMax)
    parameters.refuse(Code::too_large, "pairs", "pairs have too many other keys (ALIAS); set fewer at once");
  if (!parameters.ok()) return decision.refuse(parameters.take_status());
  if (change.claim.is_numbered()) {
    ObjectId none;
    rows::Before const before = rows::look_up(shared_.clients.windows(), shared_.table(), command,
                                              shared_.options.clients_max, change.now, change.claim, none, decision);
    if (before == rows::Before::over) return Verdict::done;
    if (before == rows::Before::done) result = "duplicate";
  }
  ObjectId object{};
  Verdict verdict = Verdict::done;
  if (result == "stored") {
    std::size_t largest = 0;
    if (shared_.evicts())
      for (auto const& [pair, aliases] : next) largest = std::max(largest, Pairs::entry_bytes(pair, aliases));
    if (!has_room(bytes, new_pairs, {}, decision, verdict, largest)) return verdict;
    for (auto const& [pair, aliases] : next)
      object = object_of(model::append_record(decision.records, {}, PairBody{pair, aliases}));
  }
  sync_if(is_persistent, decision);
  if (result != "duplicate") rows::append_claim(change.claim, change.now, decision.records);
  if (change.claim.is_numbered() && result != "duplicate")
    model::append_record(decision.records, {}, rows::SeenBody{change.claim.sender, object, change.now});
  ++(result == "stored" ? shared_.statistics.stored : shared_.statistics.unchanged);
  Answer& answer = decision.answer.message("STORED");
  answer.add("table", std::string_view{shared_.table()});
  if (!in_the_way.empty() && result != "duplicate") add_key(answer, "key", "key_binary", in_the_way);
  answer.add("result", Value::of_text(result));
  if (result == "stored") answer.add("count", std::uint64_t{next.size()});
  return Verdict::done;
}

// ---------------------------------------------------------------------------
// Small values

Verdict Writes::put_value(Change const& change, Decision& decision, ValueType type, std::string_view bytes) const {
  if (decision.phase == Phase::promise) {
    decision.hold->record_bytes = kKeyBytesMax + bytes.size() + kRecordsBytes;
    return Verdict::done;
  }
  Stamp const stamp = next_stamp(change);
  sync_if(change.pair.facts.persist, decision);
  model::append_record(decision.records, change.pair.id(), ValueBody{stamp, change.pair.key, bytes});
  Verdict const verdict = finish(change, decision, change.pair.id(), "stored", stamp.timestamp);
  add_value(decision.answer, type, bytes);
  return verdict;
}

Verdict Writes::add(Command const& command, Decision& decision) const {
  Change change{command};
  if (!begin(command, decision, change)) return Verdict::done;
  Value by = Value::of_integer(1);
  if (Value const* const given = change.message.find("by")) by = *given;
  bool const is_whole = by.kind != Value::Kind::boolean && by.as_integer().has_value();
  ValueType const type = change.is_there ? change.pair.facts.type : is_whole ? ValueType::integer : ValueType::real;
  auto const refuse = [&](Code code, std::string text) {
    return decision.refuse(Status{code, std::move(text)}.with("parameter", code == Code::wrong_state ? "key" : "by"));
  };
  std::string bytes;
  if (type == ValueType::integer) {
    if (!is_whole) return refuse(Code::bad_parameter, "by is no whole number of 64 bits, and the value is an integer");
    std::int64_t sum = change.is_there ? integer_of(change.pair.value) : 0;
    if (__builtin_add_overflow(sum, *by.as_integer(), &sum))
      return refuse(Code::bad_parameter, "the sum is no integer of 64 bits; nothing was changed");
    bytes = bytes_of(sum);
  } else if (type == ValueType::real) {
    if (!by.as_real()) return refuse(Code::bad_parameter, "by is no number");
    double const sum = (change.is_there ? real_of(change.pair.value) : 0.0) + *by.as_real();
    if (!std::isfinite(sum)) return refuse(Code::bad_parameter, "the sum is no finite number; nothing was changed");
    bytes = bytes_of(sum);
  } else {
    return refuse(Code::wrong_state,
                  "ADD is for a value of type integer or float; this one is of type " + std::string{name_of(type)});
  }
  if (change.is_there) return put_value(change, decision, type, bytes);

  Pair next;
  next.key = change.key;
  next.value = bytes;
  next.facts.type = type;
  next.facts.persist = change.parameters.integer("persist", shared_.options.persist ? 1 : 0, 0, 1) == 1;
  if (!change.parameters.ok()) return decision.refuse(change.parameters.take_status());
  Verdict verdict = Verdict::done;
  if (!has_room(change.key.size() + bytes.size(), change.handle == kNoPair ? 1 : 0, change.key, decision, verdict,
                entry_of(next, {})))
    return verdict;
  if (decision.phase == Phase::promise) return Verdict::done;
  sync_if(next.facts.persist, decision);
  next.facts.created = next.facts.modified = change.now;
  next.facts.timestamp = next_timestamp(change);
  Aliases const no_aliases;
  Lsn const lsn = model::append_record(decision.records, {}, PairBody{next, no_aliases});
  finish(change, decision, object_of(lsn), "stored", next.facts.timestamp);
  add_value(decision.answer, type, bytes);
  return Verdict::done;
}

Verdict Writes::invert(Command const& command, Decision& decision) const {
  Change change{command};
  if (!begin_on_value(command, decision, change, ValueType::boolean, ValueType::boolean)) return Verdict::done;
  std::string const bytes(1, change.pair.value[0] == 0 ? '\1' : '\0');
  return put_value(change, decision, ValueType::boolean, bytes);
}

Verdict Writes::truncate(Command const& command, Decision& decision) const {
  Change change{command};
  if (!begin_on_value(command, decision, change, ValueType::string, ValueType::buffer)) return Verdict::done;
  auto const size = static_cast<std::uint32_t>(
      change.parameters.integer("size", 0, 0, static_cast<std::int64_t>(shared_.options.value_size_max)));
  if (!change.parameters.ok()) return decision.refuse(change.parameters.take_status());
  if (size > change.pair.value.size()) {
    Verdict verdict = Verdict::done;
    std::size_t const more = size - change.pair.value.size();
    std::size_t const entry = entry_of(change.pair, shared_.pairs.aliases_of(change.handle));
    if (!has_room(more, 0, change.key, decision, verdict, entry == 0 ? 0 : entry + more)) return verdict;
  }
  Stamp const stamp = next_stamp(change);
  sync_if(change.pair.facts.persist, decision);
  model::append_record(decision.records, change.pair.id(), SizeBody{stamp, size, change.pair.key});
  return finish(change, decision, change.pair.id(), "stored", stamp.timestamp);
}

// ---------------------------------------------------------------------------
// Keys

bool Writes::read_new_key(Change& change, Decision& decision) const {
  change.new_key = read_key(change.message, change.parameters, "new_key", shared_.options.key_size_max, true,
                            change.new_key_scratch);
  if (change.parameters.ok() && change.new_key == change.key)
    change.parameters.refuse(Code::bad_parameter, "new_key", "new_key is the key itself; expected another one");
  if (!change.parameters.ok()) decision.status = change.parameters.take_status();
  return decision.status.ok();
}

Verdict Writes::rename(Command const& command, Decision& decision) const {
  Change change{command};
  if (!begin(command, decision, change) || !read_new_key(change, decision)) return Verdict::done;
  bool const overwrites = change.parameters.integer("overwrite", 0, 0, 1) == 1;
  if (!change.parameters.ok()) return decision.refuse(change.parameters.take_status());
  if (!change.is_there) return decision.refuse(shared_.no_value());
  Handle const other = shared_.pairs.find(change.new_key);
  bool const is_other = other != kNoPair && shared_.pairs.at(other).facts.is_there(change.now);
  if (other == change.handle || (is_other && !overwrites)) return unchanged(change, decision, "exists");
  Pair const of_other = other == kNoPair ? Pair{} : shared_.pairs.at(other);
  if (decision.refuses(shared_.check_hold(change.new_key, other == kNoPair ? nullptr : &of_other, decision)))
    return Verdict::done;
  if (!is_free(change, other, decision)) return Verdict::done;
  // The tombstone is one entry more.
  Verdict verdict = Verdict::done;
  Pair next = change.pair;
  next.key = change.new_key;
  std::size_t const entry = entry_of(next, shared_.pairs.aliases_of(change.handle));
  if (!has_room(change.new_key.size(), 1, change.key, decision, verdict, entry)) return verdict;
  Stamp stamp = next_stamp(change);
  if (other != kNoPair) stamp.timestamp = std::max(stamp.timestamp, shared_.pairs.at(other).facts.timestamp + 1);
  sync_if(change.pair.facts.persist || (is_other && shared_.pairs.at(other).facts.persist), decision);
  model::append_record(decision.records, change.pair.id(),
                       RenameBody{stamp, change.key, change.new_key, change.pair.facts.persist});
  return finish(change, decision, change.pair.id(), "stored", stamp.timestamp);
}

Verdict Writes::alias(Command const& command, Decision& decision) const {
  Change change{command};
  if (!begin(command, decision, change) || !read_new_key(change, decision)) return Verdict::done;
  if (!change.is_there) return decision.refuse(shared_.no_value());
  Handle const other = shared_.pairs.find(change.new_key);
  if (other != kNoPair && shared_.pairs.at(other).facts.is_there(change.now))
    return unchanged(change, decision, "exists");
  if (decision.refuses(shared_.check_hold(change.new_key, nullptr, decision))) return Verdict::done;
  Aliases aliases = shared_.pairs.aliases_of(change.handle);
  std::size_t bytes = change.pair.key.size() + change.new_key.size();
  for (std::string_view const one : aliases) bytes += one.size();
  if (aliases.size() >= kAliasesMax || bytes > kKeysPerStep)
    return decision.refuse(Status{Code::over_limit, fmt::format("a value has at most {} keys of {} bytes together",
                                                                1 + kAliasesMax, kKeysPerStep)}
                               .with("parameter", "new_key"));
  Verdict verdict = Verdict::done;
  aliases.push_back(change.new_key);
  if (!has_room(change.new_key.size(), 0, change.key, decision, verdict, entry_of(change.pair, aliases)))
    return verdict;
  sync_if(change.pair.facts.persist, decision);
  model::append_record(decision.records, change.pair.id(), AliasBody{change.pair.key, change.new_key});
  return finish(change, decision, change.pair.id(), "stored", change.pair.facts.timestamp);
}

// ---------------------------------------------------------------------------
// DELETE

Verdict Writes::remove(Command const& command, Decision& decision) const {
  Change change{command};
  if (!begin(command, decision, change)) return Verdict::done;
  bool const is_complete = change.parameters.integer("complete", 0, 0, 1) == 1;
  std::uint64_t const stamp = change.parameters.unsigned_integer("timestamp", 0);
  std::uint64_t const now_us = facts::timestamp_of(change.asked);
  if (stamp > now_us + facts::timestamp_of(shared_.options.max_clock_skew))
    change.parameters.refuse(Code::bad_parameter, "timestamp",
                             "timestamp is in the future by more than max-clock-skew: a fast clock would keep all "
                             "others out");
  std::uint64_t const wanted = change.parameters.unsigned_integer("if_timestamp", 0);
  bool const is_expected = change.is_kept || !change.parameters.has("if_timestamp") ||
                           (change.is_there && wanted == change.pair.facts.timestamp);
  if (!change.parameters.ok()) return decision.refuse(change.parameters.take_status());
  if (decision.phase == Phase::promise) return is_expected ? Verdict::done : refuse_promise(decision, "mismatch");
  std::string_view result = change.is_there ? "deleted" : "absent";
  if (!is_expected) result = "mismatch";
  if (stamp != 0 && change.handle != kNoPair && stamp < change.pair.facts.timestamp) result = "stale";

  bool const is_persistent = change.is_there ? change.pair.facts.persist : shared_.options.persist;
  sync_if(is_persistent, decision);
  ObjectId object = change.is_there ? change.pair.id() : ObjectId{};
  bool const marks = result == "deleted" || (result == "absent" && stamp != 0 && !is_complete);
  if (is_complete && change.handle != kNoPair && (result == "deleted" || result == "absent")) {
    model::append_record(decision.records, change.pair.id(), GoneBody{change.pair.key});
  } else if (marks) {
    Stamp const all{change.now, stamp != 0 ? stamp : next_timestamp(change)};
    // Each key of the value becomes a tombstone: first those that the next step does not need to find it.
    if (change.is_there)
      for (std::string_view const alias : shared_.pairs.aliases_of(change.handle)) {
        if (alias == change.key) continue;
        model::append_record(decision.records, {}, DeletedBody{all, is_persistent, alias});
        return Verdict::again;
      }
    std::string_view const main = change.is_there ? change.pair.key : change.key;
    object = object_of(model::append_record(decision.records, {}, DeletedBody{all, is_persistent, main}));
    if (main != change.key) model::append_record(decision.records, {}, DeletedBody{all, is_persistent, change.key});
  }
  rows::append_claim(change.claim, change.now, decision.records);
  if (change.claim.is_numbered())
    model::append_record(decision.records, {}, rows::SeenBody{change.claim.sender, object, change.now});
  ++(result == "deleted" ? shared_.statistics.stored : shared_.statistics.unchanged);
  Answer& answer = decision.answer.message("DELETED");
  answer.add("table", std::string_view{shared_.table()});
  add_key(answer, "key", "key_binary", change.key);
  answer.add("result", Value::of_text(result));
  return Verdict::done;
}

}  // namespace fastjournal::keyvalue
