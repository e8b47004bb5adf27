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
constexpr std::uint32_t kWorkUnitsMax = 10'000;
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
  if (Value const* const key = plain_key(message, shared_.options.key_size_max)) {
    decision.durability = Durability::written;
    return get_one({.now = decision.now.value, .key = key->bytes}, decision);
  }
  model::Parameters parameters{message};
  std::string key;
  std::string after;
  std::size_t const bytes_max = shared_.options.key_size_max;
  Request request;
  request.now = decision.now.value;
  request.key = read_key(message, parameters, "key", bytes_max, false, key);
  request.after = read_key(message, parameters, "after", kKeyBytesMax, false, after);
  request.has_after = parameters.has("after") || parameters.has("after_binary");
  request.prefix = parameters.text("prefix", bytes_max);
  request.from = parameters.text("from", bytes_max);
  request.to = parameters.text("to", bytes_max);
  request.has_to = parameters.has("to");
  request.count = parameters.integer("count", kCount, 1, kCountMax);
  request.with_data = parameters.integer("data", 1, 0, 1) == 1;
  request.with_facts = parameters.integer("facts", 0, 0, 1) == 1;
  request.worked_on = parameters.integer("worked_on", 0, 0, kDurationMax);
  request.skips_worked_on = request.worked_on > 0 || parameters.integer("skip_worked_on", 0, 0, 1) == 1;
  request.has_expires = parameters.has("expiration_date");
  request.expires = parameters.date("expiration_date", 0, request.now);
  request.has_ttl = parameters.has("ttl");
  request.ttl = parameters.integer("ttl", 0, 0, kDurationMax);
  request.connection = command.connection;
  bool const is_one = parameters.has("key") || parameters.has("key_binary");
  bool const is_many = parameters.has("keys");
  request.is_one = is_one;
  request.regex = parameters.text("regex", kRegexBytesMax);
  request.listens = parameters.integer("listen", 0, 0, 1) == 1;
  if (is_many) request.keys = read_keys(parameters.text("keys", SIZE_MAX), parameters);
  constexpr std::string_view kOfRanges[] = {"prefix", "from", "to", "after", "after_binary", "count", "regex"};
  constexpr std::string_view kOfKeys[] = {"expiration_date", "ttl"};
  for (std::string_view const name : kOfRanges)
    if ((is_one || is_many) && parameters.has(name))
      parameters.refuse(Code::bad_parameter, name, std::string{name} + " is of a range; with a key expected none");
  if (is_many && is_one) parameters.refuse(Code::bad_parameter, "keys", "key and keys are given; expected one");
  if (request.listens && !is_one &&
      (!parameters.has("prefix") || request.has_to || !request.regex.empty() || !request.from.empty()))
    parameters.refuse(Code::bad_parameter, "listen", "listen goes with key, or with prefix alone: these are watched");
  for (std::string_view const name : kOfKeys)
    if (!is_one && parameters.has(name))
      parameters.refuse(Code::bad_parameter, name, std::string{name} + " is of one key; in a range expected none");
  if (is_one && request.key.empty())
    parameters.refuse(Code::bad_parameter, "key", "key is empty; expected 1 byte or more");
  if (request.has_expires && request.has_ttl)
    parameters.refuse(Code::bad_parameter, "ttl", "expiration_date and ttl are given; expected one");
  if (request.expires != 0 && request.expires <= request.now)
    parameters.refuse(Code::bad_parameter, "expiration_date", "expiration_date is over already; use DELETE");
  bool const must_log = request.worked_on > 0 || request.has_expires || request.has_ttl;
  if (parameters.ok() && must_log && decision.short_of_space)
    parameters.refuse(Code::no_space, "worked_on", "disk space is short: a GET that changes dates is refused");
  if (!parameters.ok()) return decision.refuse(parameters.take_status());
  decision.durability = Durability::written;
  if (request.listens) watch(request, decision);
  if (is_one) return get_one(request, decision);
  return is_many ? get_many(request, decision) : get_range(request, decision);
}

// Also what is not there: it may come.
void Reads::watch(Request const& request, Decision& decision) const {
  decision.watch = std::make_unique<WatchRequest>(
      WatchRequest{std::string{request.is_one ? request.key : request.prefix}, !request.is_one});
}

bool Reads::is_shown(Request const& request, Facts const& facts) const {
  return facts.is_there(request.now) && (!request.skips_worked_on || facts.worked_until <= request.now);
}

std::size_t Reads::append_use(Request const& request, Pair& pair, bool moves_end, Decision& decision) const {
  DatesBody body{pair.facts.expires, pair.facts.ttl, pair.facts.worked_until, pair.key};
  if (request.worked_on > 0) body.worked_until = std::min(request.now + request.worked_on, model::kDateMax);
  if (request.has_expires) {
    body.expires = request.expires;
    body.ttl = 0;
  } else if (request.has_ttl) {
    body.ttl = request.ttl;
    body.expires = request.ttl == 0 ? 0 : std::min(request.now + request.ttl, model::kDateMax);
  } else if (moves_end && body.ttl != 0) {
    std::int64_t const end = std::min(request.now + body.ttl, model::kDateMax);
    if (end - body.expires > body.ttl / kTtlParts) body.expires = end;
  }
  bool const is_changed =
      body.expires != pair.facts.expires || body.ttl != pair.facts.ttl || body.worked_until != pair.facts.worked_until;
  if (!is_changed || decision.short_of_space) return 0;
  bool const is_written = request.has_expires || request.has_ttl;
  if (is_written && pair.facts.persist) decision.durability = Durability::synced;
  model::append_record(decision.records, pair.id(), body);
  pair.facts.expires = body.expires;
  pair.facts.ttl = body.ttl;
  return 64 + pair.key.size();
}

void Reads::show(Request const& request, Pairs::Entry const& entry, Pair const& pair, Answer& answer) const {
  Facts const& facts = pair.facts;
  answer.message("PAIR").add("table", std::string_view{shared_.table()});
  add_key(answer, "key", "key_binary", entry.key);
  if (request.with_data) {
    add_value(answer, facts.type, pair.value);
  } else {
    answer.add("type", Value::of_text(name_of(facts.type))).add("size", std::uint64_t{pair.value.size()});
  }
  answer.add("timestamp", facts.timestamp);
  if (facts.expires != 0) answer.add("expiration_date", facts.expires);
  if (facts.is_locked(request.now)) answer.add("locked", std::int64_t{1});
  if (facts.worked_until > request.now) answer.add("worked_on", std::int64_t{1});
  if (!request.with_facts) return;
  if (facts.ttl != 0) answer.add("ttl", facts.ttl);
  if (facts.is_locked(request.now)) answer.add("lock_end", facts.lock_until);
  if (facts.worked_until > request.now) answer.add("worked_on_end", facts.worked_until);
  answer.add("persist", std::int64_t{facts.persist ? 1 : 0});
  answer.add("creation_date", facts.created).add("modification_date", facts.modified);
  answer.add("access_date", std::int64_t{pair.accessed_s} * 1000);
  if (request.with_data) answer.add("size", std::uint64_t{pair.value.size()});
  if (entry.is_alias) add_key(answer, "main_key", "main_key_binary", pair.key);
}

void Reads::nothing(Answer& answer) const { answer.message("NOTHING").add("table", std::string_view{shared_.table()}); }

Verdict Reads::get_one(Request const& request, Decision& decision) const {
  Handle const handle = shared_.pairs.find(request.key);
  Pair pair = handle == kNoPair ? Pair{} : shared_.pairs.at(handle);
  if (handle == kNoPair || !is_shown(request, pair.facts)) {
    ++shared_.statistics.misses;
    nothing(decision.answer);
    return Verdict::done;
  }
  // Another end is a change.
  if (request.has_expires || request.has_ttl) {
    if (decision.refuses(shared_.check_hold(request.key, &pair, decision)) ||
        decision.refuses(shared_.check_lock(pair.facts, request.connection, request.now)))
      return Verdict::done;
  }
  ++shared_.statistics.hits;
  append_use(request, pair, true, decision);
  show(request, {request.key, handle, pair.key != request.key}, pair, decision.answer);
  shared_.pairs.note_access(handle, request.now);
  return Verdict::done;
}

Verdict Reads::get_many(Request const& request, Decision& decision) const {
  std::size_t bytes = 0;
  std::size_t record_bytes = 0;
  for (std::string const& key : request.keys) {
    // As for a page: for all of it the client asks again, with the keys that are left.
    if (bytes >= kPageBytes || record_bytes >= kKeysPerStep) {
      add_key(decision.answer, "after", "after_binary", key);
      break;
    }
    Handle const handle = shared_.pairs.find(key);
    Pair pair = handle == kNoPair ? Pair{} : shared_.pairs.at(handle);
    if (handle == kNoPair || !is_shown(request, pair.facts)) {
      ++shared_.statistics.misses;
      nothing(decision.answer);
      add_key(decision.answer, "key", "key_binary", key);
      continue;
    }
    ++shared_.statistics.hits;
    record_bytes += append_use(request, pair, true, decision);
    show(request, {key, handle, pair.key != key}, pair, decision.answer);
    bytes += key.size() + (request.with_data ? pair.value.size() : 0) + 64;
    shared_.pairs.note_access(handle, request.now);
  }
  decision.work_units += static_cast<std::uint32_t>(request.keys.size());
  if (request.keys.empty()) nothing(decision.answer);
  return Verdict::done;
}

// A page may end before its count: at so many bytes, work units or records. A ttl is not moved by it, as that would be
// a record for each pair.
Verdict Reads::get_range(Request const& request, Decision& decision) const {
  std::string_view from = std::max(request.from, request.prefix);
  bool is_behind = false;
  if (request.has_after && request.after >= from) {
    from = request.after;
    is_behind = true;
  }
  Pattern pattern;
  if (!request.regex.empty()) {
    if (std::string const why = pattern.read(request.regex); !why.empty())
      return decision.refuse(Status{Code::bad_parameter, why}.with("parameter", "regex"));
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
    if (request.has_to && entry.key == request.to) return false;
    if ((request.has_to && entry.key > request.to) || !begins_with(entry.key, request.prefix)) return false;
    // From the first one on that could begin so, none does any more.
    if (!begins_with(entry.key, pattern.prefix()) && entry.key > pattern.prefix()) return false;
    if (shown == request.count || pattern.has_worked_enough() || looked == kWorkUnitsMax || bytes >= kPageBytes ||
        record_bytes >= kKeysPerStep) {
      more = true;
      return false;
    }
    ++looked;
    last = entry.key;
    if (!pattern.matches(entry.key)) return true;
    Pair pair = shared_.pairs.at(entry.pair);
    if (!is_shown(request, pair.facts)) return true;
    // A value with several keys is marked once, and shown once then.
    if (request.worked_on > 0 && entry.is_alias) return true;
    ++shown;
    record_bytes += append_use(request, pair, false, decision);
    show(request, entry, pair, decision.answer);
    bytes += entry.key.size() + (request.with_data ? pair.value.size() : 0) + 64;
    shared_.pairs.note_access(entry.pair, request.now);
    return true;
  });
  decision.work_units += looked + pattern.work_units();
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
