// The records of a queue table beside those of its rows (plugins/rows/records.h): queues, exchanges, bindings, and shared bodies that
// several rows share. Numbers, versions and codec.
//
// A shared shared body has no record of its end: it ends with the last row that names it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "fastjournal/table.h"
#include "model/body.h"
#include "plugins/queue/router.h"
#include "plugins/rows/records.h"

namespace fastjournal::queue {

enum class RecordType : std::uint8_t {
  queue = rows::kOwnRecords,  // begins, changes, or is compacted; likewise the next two
  exchange,
  binding,
  ended,        // a queue, an exchange or a binding; with it the bindings of the first two
  shared_body,  // begins, or is compacted; likewise the next one
  deduplication,
  deduplications_over,  // all up to one of them
};

inline constexpr rows::Kind kRowKind{.has_keys = false, .holds = false, .moves = true};
// Of any record of a queue table; 0: no such record.
[[nodiscard]] constexpr std::uint8_t newest_version(std::uint8_t type) {
  bool const is_own = type >= static_cast<std::uint8_t>(RecordType::queue) &&
                      type <= static_cast<std::uint8_t>(RecordType::deduplications_over);
  if (!is_own) return rows::newest_version(static_cast<rows::RecordType>(type), kRowKind);
  return type == static_cast<std::uint8_t>(RecordType::queue) ? 3 : 1;
}

// The settings of a queue, from DECLARE.
struct Settings {
  std::uint64_t connection{0};      // of a temporary one: it ends with this; 0: it lasts
  std::uint32_t max_deliveries{0};  // 0: as the table's
  std::uint64_t max_messages{0};    // 0: no limit
  std::uint64_t max_bytes{0};       // 0: no limit
  bool drops{false};                // where it is full: its first messages; else SEND is refused
  std::int64_t expires{0};          // ms after a message came; 0: never
  std::string dead_letters{};       // empty: they are parked
  std::int64_t lease{0};            // ms; 0: as the table's
  bool is_made{false};              // by its first use: it ends when it was idle for long
  std::int64_t paused_until{0};     // 0: it is not paused; kUntilResumed
  std::string pause_reason{};
  std::int64_t delay{0};               // ms until a message without a date is handed out
  std::uint64_t max_message_bytes{0};  // of a body; 0: as the table's
  std::string properties{};            // in JSON, as they came

  [[nodiscard]] bool is_temporary() const { return connection != 0; }
  // Version 1 knows it.
  [[nodiscard]] bool is_plain() const { return lease == 0 && !is_made && paused_until == 0; }
  // Version 2 does not.
  [[nodiscard]] bool is_new() const { return delay != 0 || max_message_bytes != 0 || !properties.empty(); }
  bool operator==(Settings const&) const = default;
};

inline constexpr std::int64_t kUntilResumed = INT64_MAX;

struct QueueBody {
  static constexpr auto kType = RecordType::queue;
  std::string_view name{};
  Settings settings{};
  // When it was made, and when DECLARE changed it last; 0: not known.
  std::int64_t made{0};
  std::int64_t changed{0};

  [[nodiscard]] std::uint8_t version() const {
    return made != 0 || changed != 0 || settings.is_new() ? 3 : settings.is_plain() ? 1 : 2;
  }
  static void fields(auto& io, auto& body) {
    auto& settings = body.settings;
    io.byte(settings.drops, true).number(settings.connection).number(settings.max_deliveries);
    io.number(settings.max_messages).number(settings.max_bytes).number(settings.expires);
    io.text(settings.dead_letters).text(body.name).must(settings.expires >= 0 && !body.name.empty());
    if (io.version() == 1) return;
    io.number(settings.lease).byte(settings.is_made, true).number(settings.paused_until).text(settings.pause_reason);
    io.must(settings.lease >= 0 && settings.paused_until >= 0);
    if (io.version() == 2) {
      io.must(!settings.is_plain());
      return;
    }
    io.number(settings.delay).number(settings.max_message_bytes).text(settings.properties);
    io.number(body.made).number(body.changed).must(settings.delay >= 0 && body.made >= 0 && body.changed >= 0);
  }
};
struct ExchangeBody {
  static constexpr auto kType = RecordType::exchange;
  std::string_view name{};
  ExchangeKind kind{ExchangeKind::direct};
  static void fields(auto& io, auto& body) {
    io.byte(body.kind, ExchangeKind::topic).text(body.name).must(!body.name.empty());
  }
};
struct BindingBody {
  static constexpr auto kType = RecordType::binding;
  std::string_view exchange{};
  std::string_view queue{};
  std::string_view pattern{};
  static void fields(auto& io, auto& body) {
    io.text(body.exchange).text(body.queue).text(body.pattern).must(!body.exchange.empty() && !body.queue.empty());
  }
};
enum class What : std::uint8_t { queue, exchange, binding };
struct EndedBody {
  static constexpr auto kType = RecordType::ended;
  What what{};
  std::string_view name{};  // none of a binding
  static void fields(auto& io, auto& body) {
    io.byte(body.what, What::binding).text(body.name).must(body.name.empty() == (body.what == What::binding));
  }
};
struct SharedBodyRecord {
  static constexpr auto kType = RecordType::shared_body;
  bool has_outside{false};  // its body is outside the log
  std::string_view data{};
  static void fields(auto& io, auto& body) { io.byte(body.has_outside, true).rest(body.data); }
};
// A SEND said this of the message, so that a second one is known.
struct DeduplicationBody {
  static constexpr auto kType = RecordType::deduplication;
  ObjectId queue{};
  ObjectId message{};
  std::int64_t date{0};
  std::string_view text{};
  static void fields(auto& io, auto& body) {
    io.id(body.queue).id(body.message).six(body.date).rest(body.text).must(!body.text.empty());
  }
};
struct DeduplicationsOverBody {
  static constexpr auto kType = RecordType::deduplications_over;
  ObjectId last{};
  static void fields(auto& io, auto& body) { io.id(body.last); }
};

// Bytes of their records, headers included, at most; those of a queue beside its properties.
inline constexpr std::size_t kObjectRecordBytes = 960;
[[nodiscard]] constexpr std::uint64_t deduplication_record_bytes(std::size_t text_bytes) { return text_bytes + 64; }
[[nodiscard]] constexpr std::uint64_t shared_body_record_bytes(std::size_t data_bytes) { return data_bytes + 64; }

}  // namespace fastjournal::queue
