// What the typed calls of all table types need to fill in commands and to read answers. Internal to the library.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "clients/cpp/date.h"
#include "clients/cpp/in_flight.h"
#include "clients/cpp/value_text.h"
#include "fastjournal/message.h"
#include "fastjournal/status.h"
#include "fastjournal/types.h"

namespace fastjournal::client {

// ---- commands

[[nodiscard]] inline Message command_on(std::string_view table, std::string_view command) {
  Message out(command);
  out.set("table", table);
  return out;
}

// About a row, a message or a document that is leased: `name` has its number.
template <typename Leased>
[[nodiscard]] Message command_about(Leased const& leased, std::string_view name, std::uint64_t number,
                                    std::string_view table, std::string_view command) {
  if constexpr (requires { leased.table; })
    if (!leased.table.empty()) table = leased.table;
  Message out = command_on(table, command);
  out.set(name, Value::of_unsigned(number));
  if constexpr (requires { leased.token; })
    out.set("token", Value::of_unsigned(leased.token));
  else
    out.set("epoch", Value::of_unsigned(leased.epoch));
  return out;
}

inline void set_date(Message& message, std::string_view name, std::optional<Date> const& date) {
  if (!date) return;
  if (!date->from_now) return message.set_integer(name, date->ms);
  message.set(name, message.arena().copy("+" + std::to_string(date->ms)));
}

// `text` is borrowed.
inline void set_if_any(Message& message, std::string_view name, std::string_view text) {
  if (!text.empty()) message.set(name, text);
}

// Text, or bytes; nothing if there are none. Borrowed.
inline void set_bytes(Message& message, std::string_view name, std::string_view given, bool is_binary) {
  if (given.empty()) return;
  if (!is_binary) return message.set(name, Value::of_verbatim(given));
  message.set(message.arena().copy(std::string(name) + "_binary"), Value::of_binary(given));
}

inline void set_flag(Message& message, std::string_view name, bool given) {
  if (given) message.set_integer(name, 1);
}

inline void set_truth(Message& message, std::string_view name, std::optional<bool> const& given) {
  if (given) message.set_integer(name, *given ? 1 : 0);
}

inline void set_number(Message& message, std::string_view name, std::optional<std::uint64_t> const& given) {
  if (given) message.set(name, Value::of_unsigned(*given));
}

inline void set_span(Message& message, std::string_view name, std::optional<DurationMs> const& given) {
  if (given) message.set_integer(name, given->value);
}

// Borrowed.
inline void set_columns(Message& message, Params const& columns) {
  for (Param const& column : columns) message.set(column.name, column.value);
}

// Between blanks.
inline void set_words(Message& message, std::string_view name, std::vector<std::string> const& words) {
  std::string all;
  for (std::string const& word : words) all.append(all.empty() ? "" : " ").append(word);
  message.set(name, message.arena().copy(all));
}

// ---- answers

[[nodiscard]] inline Status unexpected(Message const& message, std::string_view wanted) {
  return {Code::invalid,
          "the daemon answered " + std::string(message.command) + " where " + std::string(wanted) + " was expected"};
}

[[nodiscard]] inline std::uint64_t number(Message const& message, std::string_view name) {
  Value const* const value = message.find(name);
  return value == nullptr ? 0 : value->as_unsigned().value_or(0);
}

[[nodiscard]] inline TimeMs date(Message const& message, std::string_view name) {
  return TimeMs{message.integer(name).value_or(0)};
}

[[nodiscard]] inline std::optional<TimeMs> date_if_any(Message const& message, std::string_view name) {
  std::optional<std::int64_t> const ms = message.integer(name);
  return ms ? std::optional(TimeMs{*ms}) : std::nullopt;
}

[[nodiscard]] inline std::optional<DurationMs> span_if_any(Message const& message, std::string_view name) {
  std::optional<std::int64_t> const ms = message.integer(name);
  return ms ? std::optional(DurationMs{*ms}) : std::nullopt;
}

[[nodiscard]] inline std::vector<std::string> words_in(Message const& message, std::string_view name) {
  std::vector<std::string> out;
  for (std::string_view text = message.text(name); !text.empty();) {
    std::size_t const end = std::min(text.find(' '), text.size());
    if (end > 0) out.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

[[nodiscard]] inline std::map<std::string, std::string> columns_in(Message const& message,
                                                                   bool (*is_other)(std::string_view name)) {
  std::map<std::string, std::string> out;
  for (Param const& param : message.params())
    if (!is_other(param.name)) out.emplace(param.name, text_of(param.value));
  return out;
}

// The place of a word in a list that is indexed by an enumeration.
template <typename Enum, std::size_t N>
[[nodiscard]] std::optional<Enum> word_in(std::array<std::string_view, N> const& words, std::string_view word) {
  auto const found = std::find(words.begin(), words.end(), word);
  if (found == words.end()) return std::nullopt;
  return static_cast<Enum>(found - words.begin());
}

// `wanted`: the messages that have it.
template <typename Enum, std::size_t N>
[[nodiscard]] Result<Enum> known_word(std::array<std::string_view, N> const& words, Message const& message,
                                      std::string_view name, std::string_view wanted) {
  if (std::optional<Enum> const known = word_in<Enum>(words, message.text(name))) return *known;
  return unexpected(message, std::string(wanted).append(" with a known ").append(name));
}

// The failure, or what `read` makes of the value: a Result or a Status.
template <typename T, typename Read>
[[nodiscard]] std::invoke_result_t<Read, T&> then(Result<T> result, Read const& read) {
  if (!result.ok()) return result.status();
  return read(result.value());
}

// The same of the only message of an answer.
template <typename Read>
[[nodiscard]] std::invoke_result_t<Read, Message const&> then(Result<Reply> reply, Read const& read) {
  if (!reply.ok()) return reply.status();
  return read(reply->first());
}

// What `read` makes of an answer; nothing where there is none, or none any more.
template <typename One>
[[nodiscard]] Result<std::optional<One>> if_any(Message const& answer, Result<One> (*read)(Message const&)) {
  if (answer.command == "NOTHING" || answer.command == "DELETED" || answer.text("result") == "absent")
    return std::optional<One>{};
  return then(read(answer), [](One& one) -> Result<std::optional<One>> { return {std::move(one)}; });
}

// Where a list is empty, or before it.
[[nodiscard]] inline bool is_no_record(std::string_view command) {
  return command == "COMPLETED" || command == "NOTHING" || command == "ALERTS" || command == "BRANCHES";
}

// A text that is told in parts.
[[nodiscard]] inline Result<std::string> text_of_all(Result<Reply> const& reply, std::string_view name) {
  if (!reply.ok()) return reply.status();
  std::string out;
  for (Message const& message : reply->messages) out.append(message.text(name));
  return out;
}

// All messages of an answer that are records, as what `read` makes of each.
template <typename One>
[[nodiscard]] Result<std::vector<One>> list_of(Reply const& reply, Result<One> (*read)(Message const&)) {
  std::vector<One> out;
  for (Message const& message : reply.messages) {
    if (is_no_record(message.command)) continue;
    Result<One> one = read(message);
    if (!one.ok()) return one.status();
    out.push_back(std::move(one).value());
  }
  return out;
}

// What was leased, or when to ask again.
template <typename Work, typename One>
[[nodiscard]] Result<Work> leased_by(Result<Reply> reply, std::vector<One> Work::*rows,
                                     Result<One> (*read)(Message const&)) {
  return then(std::move(reply), [&](Reply const& all) -> Result<Work> {
    Result<std::vector<One>> found = list_of(all, read);
    if (!found.ok()) return found.status();
    Work out;
    out.*rows = std::move(found).value();
    if (std::optional<TimeMs> const next = date_if_any(all.messages.back(), "next_date"); next && next->value > 0)
      out.next_date = next;
    return out;
  });
}

// What one command shows or changes at most.
inline constexpr std::uint64_t kPage = 1'000;

// All pages of an answer, or the first `most` of what they show, as what `read` makes of each message. Without `most`
// pages are as the daemon makes them.
template <typename One>
[[nodiscard]] Result<std::vector<One>> all_pages(Connection& connection, Message& command,
                                                 Result<One> (*read)(Message const&),
                                                 std::optional<std::uint64_t> most = {}) {
  std::vector<One> out;
  for (std::string after = {}, before = {}; out.size() < most.value_or(UINT64_MAX); before = after) {
    if (most) command.set("count", Value::of_unsigned(std::min(kPage, *most - out.size())));
    if (!after.empty()) command.set("after", command.arena().copy(after));
    Result<Reply> const reply = connection.call(command);
    if (!reply.ok()) return reply.status();
    Message const& last = reply->messages.back();
    Value const* const more = last.find("after");
    after = more == nullptr ? std::string{} : text_of(*more);
    // Of a timeline: all pages have the same beginning.
    if (auto const now = last.integer("now")) command.set_integer("now", *now);
    Result<std::vector<One>> page = list_of(reply.value(), read);
    if (!page.ok()) return page.status();
    std::move(page->begin(), page->end(), std::back_inserter(out));
    if (after.empty() || after == before) break;
  }
  return out;
}

// What a command changes or counts page by page, until there is no more or `most`: the sum of these fields.
[[nodiscard]] inline Result<std::uint64_t> sum_of_pages(Connection& connection, Message& command, std::string_view name,
                                                        std::uint64_t most) {
  std::uint64_t done = 0;
  for (bool more = true; more && done < most;) {
    command.set("count", Value::of_unsigned(std::min(kPage, most - done)));
    Result<Reply> const reply = connection.call(command);
    if (!reply.ok()) return reply.status();
    done += number(reply->first(), name);
    std::optional<std::int64_t> const after = reply->first().integer("after");
    if (after) command.set_integer("after", *after);
    more = after || number(reply->first(), "more") != 0;
  }
  return done;
}

// A push to a listener: a `delivered` row or message, or a LISTEN, which may be about one. `read` reads it into `shown`.
template <typename Notice, typename Shown>
[[nodiscard]] Result<Notice> notice_from(Message const& push, std::string_view delivered, std::string_view name,
                                         Shown Notice::*shown, Shown (*read)(Message const&)) {
  Notice out;
  out.table = push.text("table");
  if (push.command == delivered) {
    out.kind = Notice::Kind::delivered;
    out.*shown = read(push);
  } else if (push.command != "LISTEN") {
    Status refusal = refusal_of(push);
    return refusal.ok() ? unexpected(push, "LISTEN or " + std::string(delivered)) : refusal;
  } else if (push.has(name)) {
    out.kind = Notice::Kind::due;
    out.*shown = read(push);
  } else if (push.has("missed")) {
    out.kind = Notice::Kind::missed;
    out.missed = number(push, "missed");
  } else {
    out.ready = number(push, "ready");
    out.date = date(push, "date");
  }
  return out;
}

}  // namespace fastjournal::client
