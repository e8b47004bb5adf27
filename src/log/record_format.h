// The bytes of a record in a log's stream, the same in each engine that keeps one (log/file/format.h, log/etcd/entry.h).
//
//   record      8-byte aligned, padded with zeros
//               u32 length | flags   bytes of the body; bit 31: last of its group, bit 30: names an object
//               u32 table
//               u8 type, u8 version, u16 zero
//               u64 object        only if bit 30
//               body
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "fastjournal/record.h"
#include "fastjournal/types.h"

namespace fastjournal::log {

inline constexpr std::size_t kRecordHeaderBytes = 12;
inline constexpr std::size_t kRecordObjectBytes = 8;
inline constexpr std::uint32_t kRecordLastOfGroup = 1U << 31U;
inline constexpr std::uint32_t kRecordHasObject = 1U << 30U;
inline constexpr std::uint32_t kRecordLengthMask = kRecordHasObject - 1;

[[nodiscard]] constexpr std::size_t record_bytes(bool has_object, std::size_t body_bytes) {
  std::size_t const bytes = kRecordHeaderBytes + (has_object ? kRecordObjectBytes : 0) + body_bytes;
  return (bytes + kLsnAlign - 1) / kLsnAlign * kLsnAlign;
}

// The promise of Log::reserve() for bodies of so many bytes: with the headers of small records, beyond one byte for
// each of their bodies.
[[nodiscard]] constexpr std::uint64_t with_headers(std::uint64_t bytes) {
  constexpr std::uint64_t kMost = 1U << 20U;
  constexpr std::uint64_t kOfSmallRecords = 4096;
  return bytes + (bytes < kMost ? bytes : kMost) + kOfSmallRecords;
}

// Writes the record's header and the zeros after its body; returns the place of the body. `at` is exactly
// record_bytes() long.
std::span<std::byte> begin_record(std::span<std::byte> at, TableId table, std::uint8_t type, std::uint8_t version,
                                  ObjectId object, std::size_t body_bytes);
void mark_last_of_group(std::byte* record);

struct DecodedRecord {
  RecordView view;
  bool last_of_group{false};
  std::size_t bytes{0};  // to the next record
};
// The record at the begin of `rest`, which is at `lsn`; nothing if it is malformed.
[[nodiscard]] std::optional<DecodedRecord> decode_record(std::span<std::byte const> rest, Lsn lsn);
// How long it says that it is; nothing if not even that is there.
[[nodiscard]] std::optional<std::size_t> record_bytes_at(std::span<std::byte const> rest);

}  // namespace fastjournal::log
