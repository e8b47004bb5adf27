#include "clients/programs/fastjournal/pairs.h"

#include <algorithm>
#include <array>
#include <map>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "clients/cpp/key_text.h"
#include "clients/cpp/key_value.h"
#include "clients/programs/fastjournal/option_types.h"
#include "clients/programs/fastjournal/pair_values.h"
#include "clients/programs/fastjournal/values.h"

namespace fastjournal::cli {

namespace {

using client::Change;
using client::EraseResult;
using client::Pair;
using client::SetResult;
using client::Stored;
using client::TypedValue;
using client::ValueType;

constexpr std::uint64_t kPairsPageMax = 1000;
constexpr std::uint64_t kPairsShown = 100;  // for people

// Indexed by SetResult and EraseResult, as the daemon says them.
constexpr std::array<std::string_view, 5> kSetResults{"stored", "exists", "mismatch", "stale", "duplicate"};
constexpr std::array<std::string_view, 5> kEraseResults{"deleted", "absent", "mismatch", "stale", "duplicate"};

class PairRunner {
 public:
  PairRunner(Invocation const& invocation, Console& console, client::Connection& connection)
      : one_(invocation),
        pair_(invocation.pair),
        console_(console),
        connection_(connection),
        table_(connection, one_.table) {}

  ExitCode get();
  ExitCode scan();
  ExitCode watch();
  ExitCode set();
  ExitCode del();
  ExitCode add();
  ExitCode other();

 private:
  ExitCode complain(Status const& status) { return cli::complain(one_, console_, status); }
  ExitCode mistake(Status const& status) { return misuse(one_, console_, status.message()); }
  [[nodiscard]] client::GetOptions view() const { return {.data = !pair_.keys_only, .facts = pair_.facts}; }
  [[nodiscard]] client::GetOptions wish() const;
  ExitCode get_one(std::string const& key);
  void show(std::vector<Pair> const& pairs);
  void show_missing(std::string const& key);

  [[nodiscard]] client::SetOptions set_options() const;
  Result<TypedValue> value_of_word(std::string const& word);
  ExitCode set_one(std::string const& key, TypedValue const& value);
  ExitCode set_many();
  ExitCode changed(Message command, std::string const& sentence);
  ExitCode say(std::string const& key, Stored const& stored, std::string const& sentence);
  // A command about KEY, numbered as the options say.
  Message about_key(std::string_view command) const;

  Status show_all_watched(std::uint64_t& lines);
  Status show_stored(std::string const& key);
  void show_change(Pair const& pair);
  void show_absent(std::string const& key);

  Invocation const& one_;
  PairOptions const& pair_;
  Console& console_;
  client::Connection& connection_;
  client::KeyValue table_;
};

// ---------------------------------------------------------------------------
// Reading

void PairRunner::show(std::vector<Pair> const& pairs) {
  std::vector<Message> messages;
  for (Pair const& pair : pairs) {
    bool const whole = one_.json || pair_.facts;
    messages.push_back(message_of(pair, !pair_.keys_only, whole, pair_.facts));
    if (!one_.json) continue;
    console_.out << render_json(messages.back());
    messages.clear();
  }
  console_.out << render_table(messages, console_.look, "table");
}

void PairRunner::show_missing(std::string const& key) {
  if (!one_.json) console_.err << "no value under " << printable(key) << '\n';
}

// What a look also changes.
client::GetOptions PairRunner::wish() const {
  client::GetOptions out = view();
  out.skip_worked_on = pair_.free;
  out.worked_on = pair_.work;
  out.ttl = pair_.ttl;
  out.expires = one_.expires;
  return out;
}

ExitCode PairRunner::get_one(std::string const& key) {
  Result<std::optional<Pair>> const found = table_.get(key, wish());
  if (!found.ok()) return complain(found.status());
  if (!found.value()) {
    show_missing(key);
    return ExitCode::nothing;
  }
  Pair const& pair = *found.value();
  if (one_.json)
    show({pair});
  else if (pair_.facts)
    console_.out << render_sheet(message_of(pair, true, true, true), console_.look);
  else
    console_.out << bare(pair.value, pair_.raw, console_.look.terminal);
  return ExitCode::ok;
}

ExitCode PairRunner::get() {
  if (one_.words.size() == 1) return get_one(one_.words.front());
  if (pair_.raw) return mistake({Code::bad_parameter, "--raw is for one key"});
  if (pair_.ttl || one_.expires) return mistake({Code::bad_parameter, "--ttl and --expires are for one key"});
  Result<std::vector<std::optional<Pair>>> found = table_.get_many(one_.words, wish());
  if (!found.ok()) return complain(found.status());
  std::vector<Pair> there;
  for (std::optional<Pair>& pair : found.value())
    if (pair) there.push_back(*std::move(pair));
  show(there);
  for (std::size_t i = 0; i < found->size(); ++i)
    if (!found.value()[i]) show_missing(one_.words[i]);
  return there.size() == found->size() ? ExitCode::ok : ExitCode::nothing;
}

ExitCode PairRunner::scan() {
  bool const streams = one_.json || pair_.keys_only;
  std::uint64_t wanted = one_.count.value_or(streams ? UINT64_MAX : kPairsShown);
  std::vector<Pair> pairs;
  bool is_empty = true;
  client::Range range{.prefix = pair_.prefix.value_or(""),
                      .from = pair_.from,
                      .to = pair_.to,
                      .regex = pair_.regex,
                      .after = one_.after,
                      .data = !pair_.keys_only,
                      .facts = pair_.facts,
                      .skip_worked_on = pair_.free,
                      .worked_on = pair_.work};
  while (wanted > 0) {
    range.page = static_cast<std::uint32_t>(std::min(wanted, kPairsPageMax));
    client::Scan scan = table_.scan(range);
    Result<std::vector<Pair>> page = scan.next_page();
    if (!page.ok()) return complain(page.status());
    is_empty = is_empty && page->empty();
    wanted -= std::min<std::uint64_t>(wanted, page->size());
    range.after = scan.after();
    if (pair_.keys_only && !one_.json)
      for (Pair const& pair : page.value())
        console_.out << (console_.look.terminal ? printable(pair.key) : pair.key) << '\n';
    else if (streams)
      show(page.value());
    else
      std::move(page->begin(), page->end(), std::back_inserter(pairs));
    if (scan.has_ended()) break;
  }
  if (one_.json) return ExitCode::ok;
  show(pairs);
  if (!range.after.empty())
    console_.err << "there may be more: --count, or --after '" << printable(range.after) << "'\n";
  else if (is_empty)
    console_.err << "no key of table " << one_.table << " fits\n";
  return ExitCode::ok;
}

// ---------------------------------------------------------------------------
// Watching

void PairRunner::show_change(Pair const& pair) {
  if (one_.json) {
    Message change = message_of(pair, !pair_.keys_only, true, false);
    change.set("result", "stored");
    console_.out << render_json(change) << std::flush;
    return;
  }
  console_.out << printable(pair.key);
  if (!pair_.keys_only) console_.out << " = " << line_of(pair.value);
  console_.out << '\n' << std::flush;
}

void PairRunner::show_absent(std::string const& key) {
  if (!one_.json) {
    console_.out << printable(key) << (pair_.keys_only ? "\n" : " is gone\n") << std::flush;
    return;
  }
  Message change("CHANGED");
  change.set("table", one_.table);
  client::set_key(change, "key", key);
  change.set("result", "absent");
  console_.out << render_json(change) << std::flush;
}

Status PairRunner::show_stored(std::string const& key) {
  Result<std::optional<Pair>> const found = table_.get(key, view());
  if (!found.ok()) return found.status();
  if (found.value())
    show_change(*found.value());
  else
    show_absent(key);
  return {};
}

Status PairRunner::show_all_watched(std::uint64_t& lines) {
  if (!pair_.prefix) {
    --lines;
    return show_stored(pair_.key);
  }
  client::Scan scan = table_.scan({.prefix = *pair_.prefix, .data = !pair_.keys_only});
  while (lines > 0) {
    Result<std::optional<Pair>> const next = scan.next();
    if (!next.ok()) return next.status();
    if (!next.value()) break;
    show_change(*next.value());
    --lines;
  }
  return {};
}

ExitCode PairRunner::watch() {
  Status status = pair_.prefix ? table_.watch_prefix(*pair_.prefix) : table_.watch(pair_.key);
  std::uint64_t left = one_.count.value_or(UINT64_MAX);
  if (status.ok() && pair_.initial) status = show_all_watched(left);
  client::Milliseconds const limit = one_.wait ? client::Milliseconds{one_.wait->value} : client::kForever;
  bool heard = false;
  while (status.ok() && left > 0) {
    Result<Change> const change = wait_change(connection_, limit);
    if (!change.ok() && change.status().code() == Code::timed_out) return heard ? ExitCode::ok : ExitCode::nothing;
    if (!change.ok()) return complain(change.status());
    heard = true;
    switch (change->kind) {
      case Change::Kind::stored:
        status = show_stored(change->key);
        --left;
        break;
      case Change::Kind::absent:
        show_absent(change->key);
        --left;
        break;
      case Change::Kind::missed:
        note(one_, console_, "changes were missed: what is there now follows");
        status = show_all_watched(left);
        break;
      case Change::Kind::unwatched:
        return complain({Code::over_limit, "the daemon gave up this watch, as the connection watches too much"});
    }
  }
  return status.ok() ? ExitCode::ok : complain(status);
}

// ---------------------------------------------------------------------------
// Changing

ExitCode PairRunner::say(std::string const& key, Stored const& stored, std::string const& sentence) {
  bool const done = stored.result == SetResult::stored || stored.result == SetResult::duplicate;
  ExitCode const code = done ? ExitCode::ok : ExitCode::nothing;
  if (one_.json) {
    Message answer("STORED");
    answer.set("table", one_.table);
    if (!key.empty()) client::set_key(answer, "key", key);
    if (stored.count > 0) answer.set("count", Value::of_unsigned(stored.count));
    answer.set("result", kSetResults[static_cast<std::size_t>(stored.result)]);
    if (stored.timestamp > 0) answer.set("timestamp", Value::of_unsigned(stored.timestamp));
    if (client::type_of(stored.value) != ValueType::nothing) {
      answer.set("type", client::name_of(client::type_of(stored.value)));
      answer.set("value", client::value_of(stored.value));
    }
    console_.out << render_json(answer);
    return code;
  }
  switch (stored.result) {
    case SetResult::stored: console_.out << sentence << '\n'; break;
    case SetResult::duplicate:
      // The value of a sum is what a script reads.
      (client::type_of(stored.value) == ValueType::nothing ? console_.out : console_.err)
          << "this was done before: its client and sequence are known\n";
      if (client::type_of(stored.value) != ValueType::nothing) console_.out << sentence << '\n';
      break;
    case SetResult::exists: console_.err << printable(key) << " has a value already: nothing was changed\n"; break;
    case SetResult::mismatch:
      console_.err << printable(key) << " has another value than was expected: nothing was changed\n";
      break;
    case SetResult::stale:
      console_.err << printable(key) << " was set or deleted later than that: nothing was changed\n";
      break;
  }
  return code;
}

client::SetOptions PairRunner::set_options() const {
  client::SetOptions out;
  out.overwrite = !pair_.if_absent;
  out.if_timestamp = pair_.if_timestamp;
  out.timestamp = pair_.timestamp;
  out.expires = one_.expires;
  out.ttl = pair_.ttl;
  if (pair_.persist || pair_.no_persist) out.persist = pair_.persist;
  out.client = one_.client;
  out.sequence = one_.sequence;
  return out;
}

Result<TypedValue> PairRunner::value_of_word(std::string const& word) {
  return parse_value(client::value_type_of(pair_.type).value_or(ValueType::string), word);
}

ExitCode PairRunner::set_one(std::string const& key, TypedValue const& value) {
  client::SetOptions options = set_options();
  // It is compared with the value that is there, of whatever type that is.
  if (pair_.if_value) options.if_value = *pair_.if_value;
  Result<Stored> const stored = table_.set(key, value, options);
  if (!stored.ok()) return complain(stored.status());
  return say(key, stored.value(), "stored " + printable(key));
}

ExitCode PairRunner::set_many() {
  std::vector<std::pair<std::string, TypedValue>> pairs;
  for (std::string const& word : one_.words) {
    std::size_t const equals = word.find('=');
    Result<TypedValue> value = value_of_word(word.substr(equals + 1));
    if (!value.ok()) return mistake(value.status());
    pairs.emplace_back(word.substr(0, equals), std::move(value).value());
  }
  if (pairs.size() == 1) return set_one(pairs.front().first, pairs.front().second);
  Result<Stored> const stored = table_.set_many(pairs, set_options());
  if (!stored.ok()) return complain(stored.status());
  return say(stored->key, stored.value(), fmt::format("stored {} pairs", stored->count));
}

ExitCode PairRunner::set() {
  std::string const& first = one_.words.front();
  bool const is_one = !one_.file.empty() || pair_.type == "void" || first.find('=') == std::string::npos;
  if (!is_one) return set_many();
  bool const reads = !one_.file.empty() || (one_.words.size() == 2 && one_.words[1] == "-");
  if (!reads) {
    Result<TypedValue> const value = value_of_word(one_.words.size() == 2 ? one_.words[1] : std::string{});
    return value.ok() ? set_one(first, value.value()) : mistake(value.status());
  }
  Result<std::string> bytes = file_bytes(one_.file.empty() ? "-" : one_.file, console_.in);
  if (!bytes.ok()) return mistake(bytes.status());
  if (pair_.type.empty()) return set_one(first, value_of_bytes(std::move(bytes).value()));
  if (pair_.type == "buffer") return set_one(first, client::Buffer{std::move(bytes).value()});
  // Of a number the newline of its file is no part.
  if (pair_.type != "string" && bytes->ends_with('\n')) bytes->pop_back();
  Result<TypedValue> const value = value_of_word(bytes.value());
  return value.ok() ? set_one(first, value.value()) : mistake(value.status());
}

ExitCode PairRunner::del() {
  client::EraseOptions const options{
      .if_timestamp = pair_.if_timestamp, .timestamp = pair_.timestamp, .complete = pair_.complete};
  bool all = true;
  for (std::string const& key : one_.words) {
    Result<EraseResult> const erased = table_.erase(key, options);
    if (!erased.ok()) return complain(erased.status());
    all = all && erased.value() == EraseResult::deleted;
    if (one_.json) {
      Message answer("DELETED");
      answer.set("table", one_.table);
      client::set_key(answer, "key", key);
      answer.set("result", kEraseResults[static_cast<std::size_t>(erased.value())]);
      console_.out << render_json(answer);
      continue;
    }
    switch (erased.value()) {
      case EraseResult::deleted:
      case EraseResult::duplicate: console_.out << "deleted " << printable(key) << '\n'; break;
      case EraseResult::absent: show_missing(key); break;
      case EraseResult::mismatch: console_.err << printable(key) << " has another timestamp: it stays\n"; break;
      case EraseResult::stale: console_.err << printable(key) << " was set later than that: it stays\n"; break;
    }
  }
  return all ? ExitCode::ok : ExitCode::nothing;
}

Message PairRunner::about_key(std::string_view command) const {
  Message out(command);
  out.set("table", one_.table);
  client::set_key(out, "key", pair_.key);
  if (!one_.client.empty()) out.set("client", one_.client);
  if (one_.sequence) out.set("sequence", Value::of_unsigned(*one_.sequence));
  return out;
}

// `sentence`: of a change; empty: the value, alone.
ExitCode PairRunner::changed(Message command, std::string const& sentence) {
  Result<Stored> const stored = table_.change(std::move(command));
  if (!stored.ok()) return complain(stored.status());
  // What is in the way of a new key is what stands under it.
  bool const in_the_way = stored->result == SetResult::exists;
  return say(in_the_way ? pair_.other : pair_.key, stored.value(),
             sentence.empty() ? line_of(stored->value) : sentence);
}

ExitCode PairRunner::add() {
  Result<TypedValue> const by = parse_sum(pair_.other.empty() ? "1" : pair_.other);
  if (!by.ok()) return mistake(by.status());
  Message command = about_key("ADD");
  // In a line only the point says that it is a float.
  bool const is_real = client::type_of(by.value()) == ValueType::real;
  command.set("by", is_real ? Value::of_text(command.arena().copy(client::real_text(std::get<double>(by.value()))))
                            : client::value_of(by.value()));
  return changed(std::move(command), {});
}

// not, truncate, rename, alias
ExitCode PairRunner::other() {
  if (one_.verb == "kv not") {
    Message command = about_key("NOT");
    return changed(std::move(command), {});
  }
  std::string const key = printable(pair_.key);
  std::string const more = printable(pair_.other);
  if (one_.verb == "kv truncate") {
    Result<std::uint64_t> const size = Numbers{0, UINT64_MAX}(pair_.other);
    if (!size.ok()) return mistake({Code::bad_parameter, "SIZE: " + size.status().message()});
    Message command = about_key("TRUNCATE");
    command.set("size", Value::of_unsigned(size.value()));
    return changed(std::move(command), fmt::format("{} has {} bytes now", key, size.value()));
  }
  bool const renames = one_.verb == "kv rename";
  Message command = about_key(renames ? "RENAME" : "ALIAS");
  client::set_key(command, "new_key", pair_.other);
  if (pair_.overwrite) command.set_integer("overwrite", 1);
  return changed(std::move(command), fmt::format("{} is {}{}", key, more, renames ? " now" : ", too"));
}

}  // namespace

ExitCode run_pairs(Invocation const& invocation, Console& console, client::Connection& connection) {
  using Step = ExitCode (PairRunner::*)();
  static std::map<std::string_view, Step> const kSteps{
      {"kv get", &PairRunner::get},    {"kv scan", &PairRunner::scan},      {"kv watch", &PairRunner::watch},
      {"kv set", &PairRunner::set},    {"kv del", &PairRunner::del},        {"kv add", &PairRunner::add},
      {"kv not", &PairRunner::other},  {"kv truncate", &PairRunner::other}, {"kv rename", &PairRunner::other},
      {"kv alias", &PairRunner::other}};
  PairRunner runner(invocation, console, connection);
  return (runner.*kSteps.at(invocation.verb))();
}

}  // namespace fastjournal::cli
