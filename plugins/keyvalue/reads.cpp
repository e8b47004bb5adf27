#include "plugins/keyvalue/reads.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "model/row_codec.h"
#include "plugins/keyvalue/lists.h"
#include "plugins/keyvalue/parameters.h"
#include "plugins/keyvalue/pattern.h"
#include "plugins/keyvalue/records.h"

namespace fastjournal::keyvalue {
namespace {

constexpr std::int64_t kCountMax = 1'000;
constexpr std::int64_t kCount = 100;
// Entries that one page looks at, shown or not, and the bytes of what it shows.
constexpr std::uint32_t kLooksMax = 10'000;
constexpr std::size_t kPageBytes = std::size_t{1} << 20U;
// A read moves the end of a pair only by so much of its ttl: a pair that is read often must not fill the log.
constexpr std::int64_t kTtlParts = 10;

// Of the most frequent question, which has one key and nothing else; null: it is another one.
Value const* plain_key(Message const& message, std::size_t bytes_max) {
  Value const* key = nullptr;
  for (Param const& param : message.params()) {
    if (param.name == "key")
      key = &param.value;
    else if (param.name != "table" && param.name != "request")
      return nullptr;
  }
  bool const is_good = key != nullptr && (key->kind == Value::Kind::text || key->kind == Value::Kind::binary) &&
                       !key->bytes.empty() && key->bytes.size() <= bytes_max;
  return is_good ? key : nullptr;
}

bool begins_with(std::string_view key, std::string_view prefix) { return key.substr(0, prefix.size()) == prefix; }

}  // namespace

struct Reads::Request {
  std::int64_t now{0};
  ConnectionId connection{};
  std::string_view key{};
  std::string_view prefix{};
  std::string_view from{};
  std::string_view to{};
  std::string_view after{};
  bool has_to{false};
  bool has_after{false};
  std::int64_t count{0};
  bool with_data{true};
  bool with_facts{false};
  bool skips_worked_on{false};
  std::int64_t worked_on{0};
  std::string_view regex{};
  std::vector<std::string> keys{};
  bool is_one{false};
  bool listens{false};
  bool has_expires{false};
  std::int64_t expires{0};
  bool has_ttl{false};
  std::int64_t ttl{0};
};

Verdict Reads::get(Command const& command, Decision& decision) const {
  Message const& message = *command.message;
  if (Value const* const key = plain_key(message, shared_.options.key_bytes_max)) {
    decision.durability = Durability::written;
    return get_one({.now = decision.now.value, .key = key->bytes}, decision);
  }
  model::Parameters parameters{message};
  std::string key;
  std::string after;
  std::size_t const bytes_max = shared_.options.key_bytes_max;
  Request wish;
  wish.now = decision.now.value;
  wish.key = read_key(message, parameters, "key", bytes_max, false, key);
  wish.after = read_key(message, parameters, "after", kKeyBytesMax, false, after);
  wish.has_after = parameters.has("after") || parameters.has("after_binary");
  wish.prefix = parameters.text("prefix", bytes_max);
  wish.from = parameters.text("from", bytes_max);
  wish.to = parameters.text("to", bytes_max);
  wish.has_to = parameters.has("to");
  wish.count = parameters.integer("count", kCount, 1, kCountMax);
  wish.with_data = parameters.integer("data", 1, 0, 1) == 1;
  wish.with_facts = parameters.integer("facts", 0, 0, 1) == 1;
  wish.worked_on = parameters.integer("worked_on", 0, 0, kDurationMax);
  wish.skips_worked_on = wish.worked_on > 0 || parameters.integer("skip_worked_on", 0, 0, 1) == 1;
  wish.has_expires = parameters.has("expiration_date");
  wish.expires = parameters.date("expiration_date", 0, wish.now);
  wish.has_ttl = parameters.has("ttl");
  wish.ttl = parameters.integer("ttl", 0, 0, kDurationMax);
  wish.connection = command.connection;
  bool const is_one = parameters.has("key") || parameters.has("key_binary");
  bool const is_many = parameters.has("keys");
  wish.is_one = is_one;
  wish.regex = parameters.text("regex", kRegexBytesMax);
  wish.listens = parameters.integer("listen", 0, 0, 1) == 1;
  if (is_many) wish.keys = read_keys(parameters.text("keys", SIZE_MAX), parameters);
  constexpr std::string_view kOfRanges[] = {"prefix", "from", "to", "after", "after_binary", "count", "regex"};
  constexpr std::string_view kOfKeys[] = {"expiration_date", "ttl"};
  for (std::string_view const name : kOfRanges)
    if ((is_one || is_many) && parameters.has(name))
      parameters.refuse(Code::bad_parameter, name, std::string{name} + " is of a range; with a key expected none");
  if (is_many && is_one) parameters.refuse(Code::bad_parameter, "keys", "key and keys are given; expected one");
  if (wish.listens && !is_one &&
      (!parameters.has("prefix") || wish.has_to || !wish.regex.empty() || !wish.from.empty()))
    parameters.refuse(Code::bad_parameter, "listen", "listen goes with key, or with prefix alone: these are watched");
  for (std::string_view const name : kOfKeys)
    if (!is_one && parameters.has(name))
      parameters.refuse(Code::bad_parameter, name, std::string{name} + " is of one key; in a range expected none");
  if (is_one && wish.key.empty())
    parameters.refuse(Code::bad_parameter, "key", "key is empty; expected 1 byte or more");
  if (wish.has_expires && wish.has_ttl)
    parameters.refuse(Code::bad_parameter, "ttl", "expiration_date and ttl are given; expected one");
  if (wish.expires != 0 && wish.expires <= wish.now)
    parameters.refuse(Code::bad_parameter, "expiration_date", "expiration_date is over already; use DELETE");
  bool const must_log = wish.worked_on > 0 || wish.has_expires || wish.has_ttl;
  if (parameters.ok() && must_log && decision.short_of_space)
    parameters.refuse(Code::no_space, "worked_on", "disk space is short: a GET that changes dates is refused");
  if (!parameters.ok()) {
    decision.status = parameters.take_status();
    return Verdict::done;
  }
  decision.durability = Durability::written;
  if (wish.listens) watch(wish, decision);
  if (is_one) return get_one(wish, decision);
  return is_many ? get_many(wish, decision) : get_range(wish, decision);
}

// Also what is not there: it may come.
void Reads::watch(Request const& wish, Decision& decision) const {
  decision.watch =
      std::make_unique<WatchWish>(WatchWish{std::string{wish.is_one ? wish.key : wish.prefix}, !wish.is_one});
}

bool Reads::is_shown(Request const& wish, Facts const& facts) const {
  return facts.is_there(wish.now) && (!wish.skips_worked_on || facts.worked_until <= wish.now);
}

std::size_t Reads::append_use(Request const& wish, Pair& pair, bool moves_end, Decision& decision) const {
  DatesBody body{pair.facts.expires, pair.facts.ttl, pair.facts.worked_until, pair.key};
  if (wish.worked_on > 0) body.worked_until = std::min(wish.now + wish.worked_on, model::kDateMax);
  if (wish.has_expires) {
    body.expires = wish.expires;
    body.ttl = 0;
  } else if (wish.has_ttl) {
    body.ttl = wish.ttl;
    body.expires = wish.ttl == 0 ? 0 : std::min(wish.now + wish.ttl, model::kDateMax);
  } else if (moves_end && body.ttl != 0) {
    std::int64_t const end = std::min(wish.now + body.ttl, model::kDateMax);
    if (end - body.expires > body.ttl / kTtlParts) body.expires = end;
  }
  bool const is_changed =
      body.expires != pair.facts.expires || body.ttl != pair.facts.ttl || body.worked_until != pair.facts.worked_until;
  if (!is_changed || decision.short_of_space) return 0;
  bool const is_written = wish.has_expires || wish.has_ttl;
  if (is_written && pair.facts.persist) decision.durability = Durability::synced;
  append_dates(decision.records, pair.id(), body);
  pair.facts.expires = body.expires;
  pair.facts.ttl = body.ttl;
  return 64 + pair.key.size();
}

void Reads::show(Request const& wish, Pairs::Entry const& entry, Pair const& pair, Answer& answer) const {
  Facts const& facts = pair.facts;
  answer.message("PAIR").add("table", std::string_view{shared_.table()});
  add_key(answer, "key", "key_binary", entry.key);
  if (wish.with_data) {
    add_value(answer, facts.type, pair.value);
  } else {
    answer.add("type", Value::of_text(name_of(facts.type))).add("size", std::uint64_t{pair.value.size()});
  }
  answer.add("timestamp", facts.timestamp);
  if (facts.expires != 0) answer.add("expiration_date", facts.expires);
  if (facts.is_locked(wish.now)) answer.add("locked", std::int64_t{1});
  if (facts.worked_until > wish.now) answer.add("worked_on", std::int64_t{1});
  if (!wish.with_facts) return;
  if (facts.ttl != 0) answer.add("ttl", facts.ttl);
  if (facts.is_locked(wish.now)) answer.add("lock_end", facts.lock_until);
  if (facts.worked_until > wish.now) answer.add("worked_on_end", facts.worked_until);
  answer.add("persist", std::int64_t{facts.persist ? 1 : 0});
  answer.add("creation_date", facts.created).add("modification_date", facts.modified);
  answer.add("access_date", std::int64_t{pair.accessed_s} * 1000);
  if (wish.with_data) answer.add("size", std::uint64_t{pair.value.size()});
  if (entry.is_alias) add_key(answer, "main_key", "main_key_binary", pair.key);
}

void Reads::nothing(Answer& answer) const { answer.message("NOTHING").add("table", std::string_view{shared_.table()}); }

Verdict Reads::get_one(Request const& wish, Decision& decision) const {
  Handle const handle = shared_.pairs.find(wish.key);
  Pair pair = handle == kNoPair ? Pair{} : shared_.pairs.at(handle);
  if (handle == kNoPair || !is_shown(wish, pair.facts)) {
    ++shared_.statistics.misses;
    nothing(decision.answer);
    return Verdict::done;
  }
  // Whoever gives it another end changes it.
  if (wish.has_expires || wish.has_ttl) {
    decision.status = shared_.check_hold(wish.key, &pair, decision);
    if (decision.status.ok()) decision.status = shared_.check_lock(pair.facts, wish.connection, wish.now);
    if (!decision.status.ok()) return Verdict::done;
  }
  ++shared_.statistics.hits;
  append_use(wish, pair, true, decision);
  show(wish, {wish.key, handle, pair.key != wish.key}, pair, decision.answer);
  shared_.pairs.note_access(handle, wish.now);
  return Verdict::done;
}

Verdict Reads::get_many(Request const& wish, Decision& decision) const {
  std::size_t bytes = 0;
  std::size_t record_bytes = 0;
  for (std::string const& key : wish.keys) {
    // As for a page: whoever wants all of it asks again, with the keys that are left.
    if (bytes >= kPageBytes || record_bytes >= kKeysPerStep) {
      add_key(decision.answer, "after", "after_binary", key);
      break;
    }
    Handle const handle = shared_.pairs.find(key);
    Pair pair = handle == kNoPair ? Pair{} : shared_.pairs.at(handle);
    if (handle == kNoPair || !is_shown(wish, pair.facts)) {
      ++shared_.statistics.misses;
      nothing(decision.answer);
      add_key(decision.answer, "key", "key_binary", key);
      continue;
    }
    ++shared_.statistics.hits;
    record_bytes += append_use(wish, pair, true, decision);
    show(wish, {key, handle, pair.key != key}, pair, decision.answer);
    bytes += key.size() + (wish.with_data ? pair.value.size() : 0) + 64;
    shared_.pairs.note_access(handle, wish.now);
  }
  decision.looks += static_cast<std::uint32_t>(wish.keys.size());
  if (wish.keys.empty()) nothing(decision.answer);
  return Verdict::done;
}

// A page may end before its count: at so many bytes, looks or records. A ttl is not moved by it, as that would be a
// record for each pair.
Verdict Reads::get_range(Request const& wish, Decision& decision) const {
  std::string_view from = std::max(wish.from, wish.prefix);
  bool is_behind = false;
  if (wish.has_after && wish.after >= from) {
    from = wish.after;
    is_behind = true;
  }
  Pattern pattern;
  if (!wish.regex.empty()) {
    if (std::string const why = pattern.read(wish.regex); !why.empty()) {
      decision.status = Status{Code::bad_parameter, why}.with("parameter", "regex");
      return Verdict::done;
    }
    if (pattern.prefix() > from) {
      from = pattern.prefix();
      is_behind = false;
    }
  }
  std::int64_t shown = 0;
  std::uint32_t looked = 0;
  std::size_t bytes = 0;
  std::size_t record_bytes = 0;
  std::string last;
  bool more = false;
  shared_.pairs.for_each(from, is_behind, [&](Pairs::Entry const& entry) {
    if (wish.has_to && entry.key == wish.to) return false;
    if ((wish.has_to && entry.key > wish.to) || !begins_with(entry.key, wish.prefix)) return false;
    // From the first one on that could begin so, none does any more.
    if (!begins_with(entry.key, pattern.prefix()) && entry.key > pattern.prefix()) return false;
    if (shown == wish.count || pattern.has_worked_enough() || looked == kLooksMax || bytes >= kPageBytes ||
        record_bytes >= kKeysPerStep) {
      more = true;
      return false;
    }
    ++looked;
    last = entry.key;
    if (!pattern.matches(entry.key)) return true;
    Pair pair = shared_.pairs.at(entry.pair);
    if (!is_shown(wish, pair.facts)) return true;
    // A value with several keys is marked once, and shown once then.
    if (wish.worked_on > 0 && entry.is_alias) return true;
    ++shown;
    record_bytes += append_use(wish, pair, false, decision);
    show(wish, entry, pair, decision.answer);
    bytes += entry.key.size() + (wish.with_data ? pair.value.size() : 0) + 64;
    shared_.pairs.note_access(entry.pair, wish.now);
    return true;
  });
  decision.looks += looked + pattern.looks();
  if (shown == 0) {
    ++shared_.statistics.misses;
    nothing(decision.answer);
  } else {
    shared_.statistics.hits += static_cast<std::uint64_t>(shown);
  }
  if (more) add_key(decision.answer, "after", "after_binary", last);
  return Verdict::done;
}

}  // namespace fastjournal::keyvalue
