// What the typed calls of all table types need to fill in commands and to read answers. Internal to the library.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
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

// About a row or a message that is leased: `name` has its number.
template <typename Leased>
[[nodiscard]] Message command_about(Leased const& leased, std::string_view name, std::uint64_t number,
                                    std::string_view table, std::string_view command) {
  Message out = command_on(leased.table.empty() ? table : std::string_view(leased.table), command);
  out.set(name, Value::of_unsigned(number));
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
inline void set_bytes(Message& message, std::string_view as_text, std::string_view as_bytes, std::string_view given,
                      bool is_binary) {
  if (!given.empty())
    message.set(is_binary ? as_bytes : as_text, is_binary ? Value::of_binary(given) : Value::of_verbatim(given));
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

// The number of the program's own, if it has given one.
template <typename Options>
void set_identity(Message& message, Options const& options) {
  set_if_any(message, "client", options.client);
  set_number(message, "sequence", options.sequence);
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

// The place of a word in a list that is indexed by an enumeration.
template <typename Enum, std::size_t N>
[[nodiscard]] std::optional<Enum> word_in(std::array<std::string_view, N> const& words, std::string_view word) {
  auto const found = std::find(words.begin(), words.end(), word);
  if (found == words.end()) return std::nullopt;
  return static_cast<Enum>(found - words.begin());
}

// The failure, or what `read` makes of the value: a Result or a Status.
template <typename T, typename Read>
[[nodiscard]] std::invoke_result_t<Read, T&> then(Result<T> result, Read const& read) {
  if (!result.ok()) return result.status();
  return read(result.value());
}

// The same of the only message of an answer.
template <typename Read>
[[nodiscard]] std::invoke_result_t<Read, Message const&> then_first(Result<Reply> reply, Read const& read) {
  return then(std::move(reply), [&](Reply const& all) { return read(all.first()); });
}

// TOUCH, LOCK: the end of what they renew.
[[nodiscard]] inline Result<TimeMs> end_of(Result<Reply> reply, std::string_view name) {
  return then_first(std::move(reply), [&](Message const& answer) -> Result<TimeMs> { return date(answer, name); });
}

// All messages of an answer but NOTHING, as what `read` makes of each.
template <typename Read, typename One = std::remove_cvref_t<decltype(std::declval<Read>()(Message{}).value())>>
[[nodiscard]] Result<std::vector<One>> list_of(Reply const& reply, Read const& read) {
  std::vector<One> out;
  for (Message const& message : reply.messages) {
    if (message.command == "NOTHING") continue;
    Result<One> one = read(message);
    if (!one.ok()) return one.status();
    out.push_back(std::move(one).value());
  }
  return out;
}

// What one command shows or changes at most.
inline constexpr std::uint64_t kPage = 1'000;

// All pages of an answer, as what `read` makes of each message.
template <typename One>
[[nodiscard]] Result<std::vector<One>> all_pages(Connection& connection, Message& command,
                                                 Result<One> (*read)(Message const&)) {
  std::vector<One> out;
  command.set("count", Value::of_unsigned(kPage));
  for (std::string after = {}, before = {};; before = after) {
    if (!after.empty()) command.set("after", command.arena().copy(after));
    Result<Reply> const reply = connection.call(command);
    if (!reply.ok()) return reply.status();
    Value const* const more = reply->messages.back().find("after");
    after = more == nullptr ? std::string{} : text_of(*more);
    Result<std::vector<One>> page = list_of(reply.value(), read);
    if (!page.ok()) return page.status();
    std::move(page->begin(), page->end(), std::back_inserter(out));
    if (after.empty() || after == before) return out;
  }
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
