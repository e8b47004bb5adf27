// The verbs `kv ...` of pairs: read, changed and watched. Two are apart: `kv lock`, which runs a command, and `kv
// frame`.
#include <algorithm>
#include <array>
#include <iterator>
#include <ostream>

#include <fmt/format.h>

#include "clients/cpp/key_text.h"
#include "clients/cpp/key_value.h"
#include "clients/programs/fastjournal/pair_values.h"
#include "clients/programs/fastjournal/verbs.h"

namespace fastjournal::cli {

namespace {

using client::Change;
using client::EraseResult;
using client::KeyValue;
using client::Pair;
using client::SetResult;
using client::Stored;
using client::TypedValue;
using client::ValueType;

constexpr std::uint64_t kPairsShown = 100;  // for people

// Indexed by SetResult and EraseResult, as the daemon says them.
constexpr std::array<std::string_view, 5> kSetResults{"stored", "exists", "mismatch", "stale", "duplicate"};
constexpr std::array<std::string_view, 5> kEraseResults{"deleted", "absent", "mismatch", "stale", "duplicate"};

constexpr char kTtlAndExpires[] = "--ttl and --expires exclude each other";

// Of a command that is done once, however often it is sent.
struct Producer {
  OptionSet& to;
  Text client{to, "--client",
              keyvalue::set::client.as("name of this writer: with --sequence, a resent command is done once")};
  Number<> sequence{to, "--sequence", keyvalue::set::sequence};

  std::string contradiction(Globals const& /*all*/) const {
    return client.empty() != !sequence ? "--client and --sequence belong together" : "";
  }
};

// ---------------------------------------------------------------------------
// Reading

// Of pairs, what somebody works on.
struct WorkMarks {
  OptionSet& to;
  Duration work{to, "--work", "mark what is shown as worked on for so long; what others have marked is left out"};
  Flag free{to, "--free", "without what somebody works on"};
};

void show_pairs(Call& call, std::vector<Pair> const& pairs, bool keys_only, bool facts) {
  std::vector<Message> messages;
  for (Pair const& pair : pairs) messages.push_back(message_of(pair, !keys_only, call.json || facts, facts));
  call.show(messages, "table");
}

void show_missing(Call& call, std::string const& key) {
  if (!call.json) call.console.err << "no value under " << printable(key) << '\n';
}

struct KvGet {
  OptionSet& to;
  WordList keys{to, "KEYS", "the keys", required};
  Flag facts{to, "--facts", keyvalue::get::facts};
  Flag raw{to, "--raw", "the value of one key byte by byte, without a newline behind it"};
  Duration ttl{to, "--ttl", "and from now on it is gone when it was not used for so long; 0: never"};
  Expiration expires{to, "--expires", "and it is gone at this date from now on; or never"};
  WorkMarks marks{to};

  std::string contradiction(Globals const& /*all*/) const { return ttl && expires ? kTtlAndExpires : ""; }

  ExitCode run(Call& call) {
    KeyValue table{call.connection(), call.table};
    client::GetOptions const options{
        .facts = facts, .skip_worked_on = marks.free, .worked_on = marks.work, .expires = expires, .ttl = ttl};
    if (keys.size() == 1) return get_one(call, table, options);
    if (raw) return call.misuse("--raw is for one key");
    if (ttl || expires) return call.misuse("--ttl and --expires are for one key");
    Result<std::vector<std::optional<Pair>>> found = table.get_many(keys, options);
    if (!found.ok()) return call.complain(found.status());
    std::vector<Pair> there;
    for (std::optional<Pair>& pair : found.value())
      if (pair) there.push_back(*std::move(pair));
    show_pairs(call, there, false, facts);
    for (std::size_t i = 0; i < found->size(); ++i)
      if (!found.value()[i]) show_missing(call, keys[i]);
    return there.size() == found->size() ? ExitCode::ok : ExitCode::nothing;
  }

  ExitCode get_one(Call& call, KeyValue& table, client::GetOptions const& options) const {
    Result<std::optional<Pair>> const found = table.get(keys.front(), options);
    if (!found.ok()) return call.complain(found.status());
    if (!found.value()) {
      show_missing(call, keys.front());
      return ExitCode::nothing;
    }
    Pair const& pair = *found.value();
    if (call.json)
      show_pairs(call, {pair}, false, facts);
    else if (facts)
      call.console.out << render_sheet(message_of(pair, true, true, true), call.console.look);
    else
      call.console.out << bare(pair.value, raw, call.console.look.terminal);
    return ExitCode::ok;
  }
};

struct KvScan {
  OptionSet& to;
  MaybeText prefix{to, "--prefix", keyvalue::get::prefix};
  Text from{to, "--from", keyvalue::get::from};
  MaybeText before{to, "--to", keyvalue::get::to};
  Text regex{to, "--regex", keyvalue::get::regex};
  Text after{to, "--after", "go on where an earlier list ended"};
  Number<> count{to, "--count", "how many at most (default 100; with --json or --keys-only all)", WholeNumbers{1}};
  Flag keys_only{to, "--keys-only", "the keys alone, one a line"};
  Flag facts{to, "--facts", keyvalue::get::facts};
  WorkMarks marks{to};

  ExitCode run(Call& call) {
    KeyValue table{call.connection(), call.table};
    bool const streams = call.json || keys_only;
    std::uint64_t wanted = count.value_or(streams ? UINT64_MAX : kPairsShown);
    std::vector<Pair> pairs;
    bool is_empty = true;
    client::Range range{.prefix = prefix.value_or(""),
                        .from = from.str(),
                        .to = before,
                        .regex = regex.str(),
                        .after = after.str(),
                        .data = !keys_only,
                        .facts = facts,
                        .skip_worked_on = marks.free,
                        .worked_on = marks.work};
    while (wanted > 0) {
      range.page = static_cast<std::uint32_t>(std::min(wanted, Paging::kPageMax));
      client::Scan scan = table.scan(range);
      Result<std::vector<Pair>> page = scan.next_page();
      if (!page.ok()) return call.complain(page.status());
      is_empty = is_empty && page->empty();
      wanted -= std::min<std::uint64_t>(wanted, page->size());
      range.after = scan.after();
      if (call.json)
        show_pairs(call, page.value(), keys_only, facts);
      else if (keys_only)
        for (Pair const& pair : page.value())
          call.console.out << (call.console.look.terminal ? printable(pair.key) : pair.key) << '\n';
      else
        std::move(page->begin(), page->end(), std::back_inserter(pairs));
      if (scan.has_ended()) break;
    }
    if (call.json) return ExitCode::ok;
    show_pairs(call, pairs, keys_only, facts);
    if (!range.after.empty())
      call.console.err << "there may be more: --count, or --after '" << printable(range.after) << "'\n";
    else if (is_empty)
      call.console.err << "no key of table " << call.table << " fits\n";
    return ExitCode::ok;
  }
};

// ---------------------------------------------------------------------------
// Watching

struct KvWatch {
  OptionSet& to;
  Text key{to, "KEY", "the key"};
  MaybeText prefix{to, "--prefix", "all keys that begin so; '' for all keys"};
  Flag initial{to, "--initial", "what is there now first"};
  Flag keys_only{to, "--keys-only", "without the values"};
  Number<> count{to, "--count", "end after so many lines", WholeNumbers{1}};
  Duration wait{to, "--wait", "end when nothing came for so long"};

  std::string contradiction(Globals const& /*all*/) const {
    return key.empty() == prefix.has_value() ? "" : "kv watch needs a KEY, or else --prefix ('' for all keys)";
  }

  ExitCode run(Call& call) {
    KeyValue table{call.connection(), call.table};
    Status status = prefix ? table.watch_prefix(*prefix) : table.watch(key);
    std::uint64_t left = count.value_or(UINT64_MAX);
    if (status.ok() && initial) status = show_all(call, table, left);
    client::Milliseconds const limit = wait ? client::Milliseconds{wait->value} : client::kForever;
    bool heard = false;
    while (status.ok() && left > 0) {
      Result<Change> const change = wait_change(call.connection(), limit);
      if (!change.ok() && change.status().code() == Code::timed_out) return heard ? ExitCode::ok : ExitCode::nothing;
      if (!change.ok()) return call.complain(change.status());
      heard = true;
      switch (change->kind) {
        case Change::Kind::stored:
          status = show_stored(call, table, change->key);
          --left;
          break;
        case Change::Kind::absent:
          show_absent(call, change->key);
          --left;
          break;
        case Change::Kind::missed:
          call.note("changes were missed: what is there now follows");
          status = show_all(call, table, left);
          break;
        case Change::Kind::unwatched:
          return call.complain({Code::over_limit, "the daemon gave up this watch, as the connection watches too much"});
      }
    }
    return status.ok() ? ExitCode::ok : call.complain(status);
  }

  void show_change(Call& call, Pair const& pair) const {
    Message change = message_of(pair, !keys_only, true, false);
    change.set("result", "stored");
    call.say(change, printable(pair.key) + (keys_only ? "" : " = " + line_of(pair.value)));
    call.console.out << std::flush;
  }

  void show_absent(Call& call, std::string const& gone) const {
    Message change("CHANGED");
    change.set("table", call.table);
    client::set_key(change, "key", gone);
    change.set("result", "absent");
    call.say(change, printable(gone) + (keys_only ? "" : " is gone"));
    call.console.out << std::flush;
  }

  Status show_stored(Call& call, KeyValue& table, std::string const& changed) const {
    Result<std::optional<Pair>> const found = table.get(changed, {.data = !keys_only});
    if (!found.ok()) return found.status();
    if (found.value())
      show_change(call, *found.value());
    else
      show_absent(call, changed);
    return {};
  }

  Status show_all(Call& call, KeyValue& table, std::uint64_t& left) const {
    if (!prefix) {
      --left;
      return show_stored(call, table, key);
    }
    client::Scan scan = table.scan({.prefix = *prefix, .data = !keys_only});
    for (; left > 0; --left) {
      Result<std::optional<Pair>> const next = scan.next();
      if (!next.ok()) return next.status();
      if (!next.value()) break;
      show_change(call, *next.value());
    }
    return {};
  }
};

// ---------------------------------------------------------------------------
// Changing

ExitCode say_changed(Call& call, std::string const& key, Stored const& stored, std::string const& sentence) {
  bool const has_value = client::type_of(stored.value) != ValueType::nothing;
  bool const done = stored.result == SetResult::stored || stored.result == SetResult::duplicate;
  ExitCode const code = done ? ExitCode::ok : ExitCode::nothing;
  Console& console = call.console;
  if (call.json) {
    Message answer("STORED");
    answer.set("table", call.table);
    if (!key.empty()) client::set_key(answer, "key", key);
    if (stored.count > 0) answer.set("count", Value::of_unsigned(stored.count));
    answer.set("result", kSetResults[static_cast<std::size_t>(stored.result)]);
    if (stored.timestamp > 0) answer.set("timestamp", Value::of_unsigned(stored.timestamp));
    if (has_value) {
      answer.set("type", client::name_of(client::type_of(stored.value)));
      answer.set("value", client::value_of(stored.value));
    }
    console.out << render_json(answer);
    return code;
  }
  switch (stored.result) {
    case SetResult::stored: console.out << sentence << '\n'; break;
    case SetResult::duplicate:
      // The value of a sum is what a script reads.
      (has_value ? console.err : console.out) << "this was done before: its client and sequence are known\n";
      if (has_value) console.out << sentence << '\n';
      break;
    case SetResult::exists: console.err << printable(key) << " has a value already: nothing was changed\n"; break;
    case SetResult::mismatch:
      console.err << printable(key) << " has another value than was expected: nothing was changed\n";
      break;
    case SetResult::stale:
      console.err << printable(key) << " was set or deleted later than that: nothing was changed\n";
      break;
  }
  return code;
}

struct KvSet {
  OptionSet& to;
  WordList pairs{to, "PAIRS",
                 "KEY VALUE, where VALUE - is standard input; or KEY=VALUE, at most 128 of them, all or none",
                 required};
  Text file{to, "--file", "the value is in this file; - for standard input", called("FILE")};
  // Empty: as the value looks.
  Text type{to, "--type",
            keyvalue::set::type.as("of the value (default: string; a file or input that is no text: buffer)")};
  Duration ttl{to, "--ttl", keyvalue::set::ttl};
  Expiration expires{to, "--expires", "gone at this date; or never"};
  Flag if_absent{to, "--if-absent", "only if there is no value"};
  Number<> if_timestamp{to, "--if-timestamp", keyvalue::set::if_timestamp};
  MaybeText if_value{to, "--if-value", keyvalue::set::if_value};
  Number<> timestamp{to, "--timestamp", keyvalue::set::timestamp};
  Flag persist{to, "--persist", "synced before the answer (default: as the table says)"};
  Flag no_persist{to, "--no-persist", "may be lost with the computer's power", excludes(persist)};
  Producer producer{to};

  std::string contradiction(Globals const& all) const {
    if (ttl && expires) return kTtlAndExpires;
    if (std::string wrong = producer.contradiction(all); !wrong.empty()) return wrong;
    bool const has_file = !file.empty();
    bool const is_bare = pairs.front().find('=') == std::string::npos;
    if (has_file && pairs.size() != 1) return "kv set --file takes one KEY; its value is in the file";
    if (pairs.size() == 1 && !has_file && is_bare && type != "void")
      return "kv set needs a value for " + pairs.front() +
             ": fastjournal kv set TABLE KEY VALUE, KEY=VALUE, KEY --file FILE, or --type void for none";
    if (pairs.size() == 1) return {};
    if (pairs.size() == 2 && is_bare) return type == "void" ? "kv set --type void takes a KEY and no value" : "";
    for (std::string const& word : pairs)
      if (word.find('=') == std::string::npos)
        return "kv set takes KEY VALUE, or KEY=VALUE for each of many; '" + word + "' has no =";
    if (if_timestamp || if_value) return "--if-timestamp and --if-value are for one key: use one `kv set` for each";
    return type == "buffer" ? "--type buffer is for one key: use one `kv set` for each" : "";
  }

  [[nodiscard]] client::SetOptions options() const {
    client::SetOptions out{.overwrite = !if_absent,
                           .if_timestamp = if_timestamp,
                           .timestamp = timestamp,
                           .expires = expires,
                           .ttl = ttl,
                           .client = producer.client.str(),
                           .sequence = producer.sequence};
    if (persist || no_persist) out.persist = persist;
    return out;
  }

  ExitCode run(Call& call) {
    KeyValue table{call.connection(), call.table};
    std::string const& first = pairs.front();
    if (file.empty() && type != "void" && first.find('=') != std::string::npos) return set_many(call, table);
    bool const reads = !file.empty() || (pairs.size() == 2 && pairs[1] == "-");
    if (!reads) return set_one(call, table, first, value_of_word(pairs.size() == 2 ? pairs[1] : std::string{}));
    Result<std::string> bytes = file_bytes(file.or_else("-"), call.console.in);
    if (!bytes.ok()) return call.misuse(bytes.status().message());
    if (type.empty()) return set_one(call, table, first, value_of_bytes(std::move(bytes).value()));
    if (type == "buffer") return set_one(call, table, first, TypedValue{client::Buffer{std::move(bytes).value()}});
    // Of a number the newline of its file is no part.
    if (type != "string" && bytes->ends_with('\n')) bytes->pop_back();
    return set_one(call, table, first, value_of_word(bytes.value()));
  }

  [[nodiscard]] Result<TypedValue> value_of_word(std::string const& word) const {
    return parse_value(client::value_type_of(type).value_or(ValueType::string), word);
  }

  ExitCode set_one(Call& call, KeyValue& table, std::string const& key, Result<TypedValue> const& value) {
    if (!value.ok()) return call.misuse(value.status().message());
    // It is compared with the value that is there, of whatever type that is.
    client::SetOptions with = options();
    if (if_value) with.if_value = *if_value;
    Result<Stored> const stored = table.set(key, value.value(), with);
    if (!stored.ok()) return call.complain(stored.status());
    return say_changed(call, key, stored.value(), "stored " + printable(key));
  }

  ExitCode set_many(Call& call, KeyValue& table) {
    std::vector<std::pair<std::string, TypedValue>> all;
    for (std::string const& word : pairs) {
      std::size_t const equals = word.find('=');
      Result<TypedValue> value = value_of_word(word.substr(equals + 1));
      if (!value.ok()) return call.misuse(value.status().message());
      all.emplace_back(word.substr(0, equals), std::move(value).value());
    }
    if (all.size() == 1) return set_one(call, table, all.front().first, all.front().second);
    Result<Stored> const stored = table.set_many(all, options());
    if (!stored.ok()) return call.complain(stored.status());
    return say_changed(call, stored->key, stored.value(), fmt::format("stored {} pairs", stored->count));
  }
};

struct KvDel {
  OptionSet& to;
  WordList keys{to, "KEYS", "the keys", required};
  Number<> if_timestamp{to, "--if-timestamp", keyvalue::the_delete::if_timestamp};
  Number<> timestamp{to, "--timestamp", keyvalue::the_delete::timestamp};
  Flag complete{to, "--complete", keyvalue::the_delete::complete};

  ExitCode run(Call& call) {
    KeyValue table{call.connection(), call.table};
    client::EraseOptions const options{.if_timestamp = if_timestamp, .timestamp = timestamp, .complete = complete};
    bool all = true;
    for (std::string const& key : keys) {
      Result<EraseResult> const erased = table.erase(key, options);
      if (!erased.ok()) return call.complain(erased.status());
      all = all && erased.value() == EraseResult::deleted;
      if (call.json) {
        Message answer("DELETED");
        answer.set("table", call.table);
        client::set_key(answer, "key", key);
        answer.set("result", kEraseResults[static_cast<std::size_t>(erased.value())]);
        call.console.out << render_json(answer);
        continue;
      }
      switch (erased.value()) {
        case EraseResult::deleted:
        case EraseResult::duplicate: call.console.out << "deleted " << printable(key) << '\n'; break;
        case EraseResult::absent: show_missing(call, key); break;
        case EraseResult::mismatch: call.console.err << printable(key) << " has another timestamp: it stays\n"; break;
        case EraseResult::stale: call.console.err << printable(key) << " was set later than that: it stays\n"; break;
      }
    }
    return all ? ExitCode::ok : ExitCode::nothing;
  }
};

// About one key.
struct KeyAction {
  OptionSet& to;
  Text key{to, "KEY", "the key", required};
  Producer producer{to};

  std::string contradiction(Globals const& all) const { return producer.contradiction(all); }

  // `sentence`: of a change; empty: the value, alone. `other`: the key that may be in the way.
  ExitCode change(Call& call, Message command, std::string const& sentence = {}, std::string const& other = {}) const {
    client::set_key(command, "key", key);
    to.fill(command);
    Result<Stored> const stored = KeyValue{call.connection(), call.table}.change(std::move(command));
    if (!stored.ok()) return call.complain(stored.status());
    bool const in_the_way = stored->result == SetResult::exists;
    return say_changed(call, in_the_way ? other : key.str(), stored.value(),
                       sentence.empty() ? line_of(stored->value) : sentence);
  }
};

struct KvAdd : KeyAction {
  Text by{to, "BY", keyvalue::add::by.sentence};

  ExitCode run(Call& call) {
    Result<TypedValue> const sum = parse_sum(by.or_else("1"));
    if (!sum.ok()) return call.misuse(sum.status().message());
    Message command = call.about_table("ADD");
    // In a line only the point says that it is a float.
    bool const is_real = client::type_of(sum.value()) == ValueType::real;
    command.set("by", is_real ? Value::of_text(command.arena().copy(client::real_text(std::get<double>(sum.value()))))
                              : client::value_of(sum.value()));
    return change(call, std::move(command));
  }
};

struct KvNot : KeyAction {
  ExitCode run(Call& call) { return change(call, call.about_table("NOT")); }
};

struct KvTruncate : KeyAction {
  Number<> size{to, "SIZE", keyvalue::truncate::size, required};

  ExitCode run(Call& call) {
    return change(call, call.about_table("TRUNCATE"), fmt::format("{} has {} bytes now", printable(key), *size));
  }
};

constexpr char kTaken[] = "Exit code 4: the new key is taken, and nothing was changed.";

struct KvRename : KeyAction {
  Text other{to, "NEW", keyvalue::rename::new_key.sentence, required};
  Flag overwrite{to, "--overwrite", keyvalue::rename::overwrite};

  ExitCode run(Call& call) {
    Message command = call.about_table("RENAME");
    client::set_key(command, "new_key", other);
    return change(call, std::move(command), printable(key) + " is " + printable(other) + " now", other);
  }
};

struct KvAlias : KeyAction {
  Text other{to, "NEW", keyvalue::alias::new_key.sentence, required};

  ExitCode run(Call& call) {
    Message command = call.about_table("ALIAS");
    client::set_key(command, "new_key", other);
    return change(call, std::move(command), printable(key) + " is " + printable(other) + ", too", other);
  }
};

constexpr Verb kPairVerbs[]{
    {"kv get", "print the value of a key, or the pairs of many", Needs::table, declare<KvGet>,
     "fastjournal kv get values greeting\n"
     "fastjournal kv get values page --raw > page.html",
     "Of one key the bare value is printed: a buffer as it is, anything else with a newline behind it. Of many "
     "keys,\nand with --facts, there is a table. Exit code 4: at least one key has no value."},
    {"kv scan", "list the pairs of a range of keys, in the order of the keys", Needs::table, declare<KvScan>,
     "fastjournal kv scan values --prefix site: --count 20\n"
     "fastjournal kv scan values --regex '[0-9]$' --json",
     "All that is given must hold. Keys are compared byte by byte."},
    {"kv watch", "print each change of a key, or of all keys with a prefix, as it comes", Needs::table,
     declare<KvWatch>, "fastjournal kv watch values --prefix site: --initial",
     "Of changes that follow each other fast, the last one is printed. After a loss of the connection, or of "
     "notices,\nall values that are watched are printed again; which keys were deleted meanwhile is not said then."},
    {"kv set", "store a value, or many in one step", Needs::table, declare<KvSet>,
     "fastjournal kv set values greeting hello --ttl 1h\n"
     "fastjournal kv set values site:1=open site:2=closed\n"
     "fastjournal kv set values page --file page.html --if-absent",
     "A key with = in it is set with --file. A buffer is plain bytes, or base64:.... Exit code 4: something else is "
     "there\nthan was asked for, and nothing was changed."},
    {"kv del", "delete values with all their keys", Needs::table, declare<KvDel>,
     "fastjournal kv del values site:1 site:2",
     "Exit code 4: at least one was not deleted, as it is not there, or is another or a newer one."},
    {"kv add", "add to an integer or a float, and print the sum", Needs::table, declare<KvAdd>,
     "fastjournal kv add values visits 5", "A key that is not there counts as 0."},
    {"kv not", "turn a boolean, and print it", Needs::table, declare<KvNot>, "fastjournal kv not values is-open"},
    {"kv truncate", "cut a string or a buffer, or let it grow by zeros", Needs::table, declare<KvTruncate>,
     "fastjournal kv truncate values page 1024"},
    {"kv rename", "give a value another key, in one step", Needs::table, declare<KvRename>,
     "fastjournal kv rename values page front-page", kTaken},
    {"kv alias", "give a value one more key", Needs::table, declare<KvAlias>,
     "fastjournal kv alias values front-page index", kTaken},
};

}  // namespace

Verbs pair_verbs() { return kPairVerbs; }

}  // namespace fastjournal::cli
