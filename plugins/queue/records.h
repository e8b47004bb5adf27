// The records of a queue table beside those of its rows (plugins/rows/records.h): queues, exchanges, bindings, and shared bodies that
// several rows share. Numbers, versions and codec.
//
// A shared shared body has no record of its end: it ends with the last row that names it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "fastjournal/table.h"
#include "plugins/queue/router.h"
#include "plugins/rows/records.h"

namespace fastjournal::queue {

enum class RecordType : std::uint8_t {
  queue = rows::kOwnRecords,  // begins, changes, or is copied forward; likewise the next two
  exchange,
  binding,
  ended,        // a queue, an exchange or a binding; with it the bindings of the first two
  shared_body,  // begins, or is copied forward
};

inline constexpr rows::Kind kRowKind{.has_keys = false, .holds = false, .moves = true};
// Of any record of a queue table; 0: no such record.
[[nodiscard]] constexpr std::uint8_t newest_version(std::uint8_t type) {
  bool const is_own = type >= static_cast<std::uint8_t>(RecordType::queue) &&
                      type <= static_cast<std::uint8_t>(RecordType::shared_body);
  return is_own ? 1 : rows::newest_version(static_cast<rows::RecordType>(type), kRowKind);
}

// What DECLARE says of a queue.
struct Settings {
  std::uint64_t connection{0};      // of a temporary one: it ends with this; 0: it lasts
  std::uint32_t max_deliveries{0};  // 0: as the table's
  std::uint64_t max_messages{0};    // 0: no limit
  std::uint64_t max_bytes{0};       // 0: no limit
  bool drops{false};                // where it is full: its first messages; else SEND is refused
  std::int64_t expires{0};          // ms after a message came; 0: never
  std::string dead_letters{};       // empty: they are parked

  [[nodiscard]] bool is_temporary() const { return connection != 0; }
  bool operator==(Settings const&) const = default;
};

struct QueueBody {
  std::string_view name{};
  Settings settings{};
};
struct ExchangeBody {
  std::string_view name{};
  ExchangeKind kind{ExchangeKind::direct};
};
struct BindingBody {
  std::string_view exchange{};
  std::string_view queue{};
  std::string_view pattern{};
};
enum class What : std::uint8_t { queue, exchange, binding };
struct EndedBody {
  What what{};
  std::string_view name{};  // none of a binding
};
struct SharedBodyRecord {
  bool has_outside{false};  // its body is outside the log
  std::string_view data{};
};

// Each appends one record and returns its place. `object` none: it begins.
Lsn append_queue(Records& records, ObjectId object, QueueBody const& body);
Lsn append_exchange(Records& records, ObjectId object, ExchangeBody const& body);
Lsn append_binding(Records& records, ObjectId object, BindingBody const& body);
Lsn append_ended(Records& records, ObjectId object, EndedBody const& body);
Lsn append_shared_body(Records& records, ObjectId object, SharedBodyRecord const& body);

// Canonical bytes, for the digest.
void write_queue(std::string& out, ObjectId id, QueueBody const& body);
void write_exchange(std::string& out, ObjectId id, ExchangeBody const& body);
void write_binding(std::string& out, ObjectId id, BindingBody const& body);
void write_shared_body(std::string& out, ObjectId id, SharedBodyRecord const& body);

// Bytes of their records, headers included, at most.
inline constexpr std::size_t kObjectRecordBytes = 900;
[[nodiscard]] constexpr std::uint64_t shared_body_record_bytes(std::size_t data_bytes) { return data_bytes + 64; }

// False: malformed.
[[nodiscard]] bool read_queue(std::string_view bytes, QueueBody& body);
[[nodiscard]] bool read_exchange(std::string_view bytes, ExchangeBody& body);
[[nodiscard]] bool read_binding(std::string_view bytes, BindingBody& body);
[[nodiscard]] bool read_ended(std::string_view bytes, EndedBody& body);
[[nodiscard]] bool read_shared_body(std::string_view bytes, SharedBodyRecord& body);

}  // namespace fastjournal::queue
