#include "clients/cpp/key_value.h"

#include "base/utf8.h"
#include "clients/cpp/made_key_value_messages.h"

namespace fastjournal::client {

namespace {

// What one GET asks for by `keys`.
constexpr std::size_t kKeysMax = 1'000;
constexpr std::size_t kKeysBytesMax = std::size_t{512} * 1024;

}  // namespace

std::string_view name_of(ValueType type) { return kValueTypeWords[static_cast<std::size_t>(type)]; }

std::optional<ValueType> value_type_of(std::string_view name) { return word_in<ValueType>(kValueTypeWords, name); }

// ---------------------------------------------------------------------------
// Ranges

Result<std::vector<Pair>> Scan::next_page() {
  std::vector<Pair> out;
  // A page may be empty and have others behind it.
  while (out.empty() && !ended_) {
    Message command = command_on(table_, "GET");
    set_options(command, range_);
    Result<Reply> const reply = connection_->call(command);
    if (!reply.ok()) return reply.status();
    Result<std::vector<Pair>> page = list_of(reply.value(), pair_of);
    if (!page.ok()) return page;
    out = std::move(page).value();
    std::string after = key_in(reply->messages.back(), "after");
    // Keys grow: a daemon that says otherwise would keep us here.
    ended_ = after.empty() || after <= range_.after;
    range_.after = ended_ ? std::string() : std::move(after);
  }
  return out;
}

Result<std::optional<Pair>> Scan::next() {
  if (taken_ == page_.size()) {
    Result<std::vector<Pair>> page = next_page();
    if (!page.ok()) return page.status();
    page_ = std::move(page).value();
    taken_ = 0;
  }
  if (taken_ == page_.size()) return std::optional<Pair>{};
  return std::optional(std::move(page_[taken_++]));
}

// ---------------------------------------------------------------------------
// Changes that are told

Result<Change> change_of(Message const& push) {
  if (push.command != "CHANGED") {
    Status refusal = refusal_of(push);
    return refusal.ok() ? unexpected(push, "CHANGED") : refusal;
  }
  Change out;
  out.table = push.text("table");
  out.is_prefix = push.has("prefix");
  out.key = out.is_prefix ? std::string(push.text("prefix")) : key_in(push, "key");
  out.timestamp = client::number(push, "timestamp");
  std::string_view const result = push.text("result");
  if (push.has("missed"))
    out.kind = Change::Kind::missed;
  else if (result == "absent")
    out.kind = Change::Kind::absent;
  else if (result == "unlistened")
    out.kind = Change::Kind::unwatched;
  else if (result != "stored")
    return unexpected(push, "CHANGED with a known result");
  return out;
}

Result<Change> wait_change(Connection& connection, Milliseconds limit, int wake_fd) {
  return then(connection.wait_push(limit, wake_fd), change_of);
}

Status KeyValue::watch(std::string_view key) {
  Message command = about("LISTEN", key);
  return connection_.listen(table_, command.params());
}

Status KeyValue::watch_prefix(std::string_view prefix) {
  return connection_.listen(table_, {{"prefix", Value::of_text(prefix)}});
}

Status KeyValue::unwatch(std::string_view key) {
  Message command = about("UNLISTEN", key);
  return connection_.unlisten(table_, command.params());
}

Status KeyValue::unwatch_prefix(std::string_view prefix) {
  return connection_.unlisten(table_, {{"prefix", Value::of_text(prefix)}});
}

// A GET or SET with `listen` has begun it; after a reconnect a LISTEN does.
void KeyValue::remember_watch(std::string_view key) { connection_.keep(about("LISTEN", key)); }

// ---------------------------------------------------------------------------
// Commands and answers

Message KeyValue::about(std::string_view command, std::string_view key) const {
  Message out = command_on(table_, command);
  set_key(out, "key", key);
  return out;
}

Message KeyValue::set_of(std::string_view key, TypedValue const& value, SetOptions const& options) const {
  Message out = about("SET", key);
  // A line has no types of its own.
  out.set("type", name_of(type_of(value)));
  if (type_of(value) != ValueType::nothing) out.set("value", value_of(value));
  set_options(out, options);
  return out;
}

Message KeyValue::get_of(std::string_view key, GetOptions const& options) const {
  Message out = about("GET", key);
  set_options(out, options);
  return out;
}

Message KeyValue::add_of(std::string_view key, TypedValue const& by) const {
  Message out = about("ADD", key);
  // In a line only the point says that it is a float.
  if (type_of(by) == ValueType::real)
    out.set("by", out.arena().copy(real_text(std::get<double>(by))));
  else
    out.set("by", value_of(by));
  return out;
}

Result<Stored> KeyValue::stored_of(Reply const& reply) {
  Message const& answer = reply.first();
  std::optional<SetResult> const result = word_in<SetResult>(kSetResultWords, answer.text("result"));
  if (answer.command != "STORED" || !result) return unexpected(answer, "STORED with a known result");
  Stored out;
  out.result = *result;
  out.timestamp = client::number(answer, "timestamp");
  out.count = client::number(answer, "count");
  out.key = key_in(answer, "key");
  out.resent = reply.resent;
  if (Status read = read_value(answer, out.value); !read.ok()) return read;
  return out;
}

Result<std::optional<Pair>> KeyValue::found_of(Reply const& reply) { return if_any(reply.first(), pair_of); }

Result<EraseResult> KeyValue::erased_of(Reply const& reply) {
  return known_word<EraseResult>(kEraseResultWords, reply.first(), "result", "DELETED");
}

Result<Reply> call_changing(Connection& connection, Message& command) {
  std::int64_t const overwrites_by_default = command.command == "RENAME" || command.command == "ALIAS" ? 0 : 1;
  bool const is_conditional = command.has("if_timestamp") || command.has("if_value") ||
                              command.integer("overwrite").value_or(overwrites_by_default) == 0;
  return is_conditional ? connection.call(command) : connection.call_numbered(command);
}

Result<Stored> KeyValue::change(Message command) { return then(call_changing(connection_, command), stored_of); }

Result<Stored> KeyValue::set(std::string_view key, TypedValue const& value, SetOptions const& options) {
  Result<Stored> stored = change(set_of(key, value, options));
  if (stored.ok() && options.watch) remember_watch(key);
  return stored;
}

Result<Stored> KeyValue::set_many(std::span<std::pair<std::string, TypedValue> const> pairs,
                                  SetOptions const& options) {
  Result<std::string> const json = json_object(pairs);
  if (!json.ok()) return json.status();
  Message command = command_on(table_, "SET");
  command.set("pairs", json.value());
  SetOptions of_all = options;
  of_all.if_timestamp.reset();
  of_all.if_value.reset();
  of_all.watch = false;
  set_options(command, of_all);
  return change(std::move(command));
}

Result<std::optional<Pair>> KeyValue::get(std::string_view key, GetOptions const& options) {
  Result<Reply> const reply = connection_.call(get_of(key, options));
  if (!reply.ok()) return reply.status();
  if (options.watch) remember_watch(key);
  return found_of(reply.value());
}

Result<std::vector<std::optional<Pair>>> KeyValue::get_many(std::span<std::string const> keys,
                                                            GetOptions const& options) {
  std::vector<std::optional<Pair>> out(keys.size());
  GetOptions view = options;
  view.expires.reset();
  view.ttl.reset();
  view.watch = false;
  for (std::size_t at = 0; at < keys.size();) {
    std::vector<std::string_view> asked;
    std::size_t bytes = 0;
    for (std::size_t i = at; i < keys.size() && asked.size() < kKeysMax && bytes < kKeysBytesMax && is_utf8(keys[i]);
         ++i) {
      asked.emplace_back(keys[i]);
      bytes += keys[i].size();
    }
    // JSON cannot hold it.
    if (asked.empty()) {
      Result<std::optional<Pair>> one = get(keys[at], options);
      if (!one.ok()) return one.status();
      out[at++] = std::move(one).value();
      continue;
    }
    std::string const json = json_array(asked);
    Message command = command_on(table_, "GET");
    command.set("keys", json);
    set_options(command, view);
    Result<Reply> const reply = connection_.call(command);
    if (!reply.ok()) return reply.status();
    std::size_t answered = 0;
    for (Message const& message : reply->messages) {
      if (answered == asked.size() || key_in(message, "key") != asked[answered])
        return unexpected(message, "the pair of a key that was asked for");
      if (message.command != "NOTHING") {
        Result<Pair> pair = pair_of(message);
        if (!pair.ok()) return pair.status();
        out[at + answered] = std::move(pair).value();
      }
      ++answered;
    }
    // Of those that a full page left out, the next GET asks.
    at += answered;
  }
  return out;
}

Result<Stored> KeyValue::add(std::string_view key, std::int64_t by) { return change(add_of(key, by)); }
Result<Stored> KeyValue::add_real(std::string_view key, double by) { return change(add_of(key, by)); }

}  // namespace fastjournal::client
