#include "log/record_format.h"

#include <algorithm>

#include "base/bytes.h"
#include "base/check.h"

namespace fastjournal::log {

std::span<std::byte> begin_record(std::span<std::byte> at, TableId table, std::uint8_t type, std::uint8_t version,
                                  ObjectId object, std::size_t body_bytes) {
  FJ_CHECK(body_bytes <= kRecordBodyBytesMax, "a record's body has a limit");
  bool const has_object = !object.is_none();
  // The last eight bytes first: the body overwrites all of them but the padding.
  store_little(at.data() + at.size() - sizeof(std::uint64_t), std::uint64_t{0});
  store_little(at.data(), static_cast<std::uint32_t>(body_bytes) | (has_object ? kRecordHasObject : 0U));
  store_little(at.data() + 4, static_cast<std::uint32_t>(table));
  store_little(at.data() + 8, static_cast<std::uint32_t>(type) | static_cast<std::uint32_t>(version) << 8U);
  if (has_object) store_little(at.data() + kRecordHeaderBytes, object.value);
  return at.subspan(kRecordHeaderBytes + (has_object ? kRecordObjectBytes : 0), body_bytes);
}

void mark_last_of_group(std::byte* record) {
  store_little(record, load_little<std::uint32_t>(record) | kRecordLastOfGroup);
}

std::optional<std::size_t> record_bytes_at(std::span<std::byte const> rest) {
  if (rest.size() < kRecordHeaderBytes) return std::nullopt;
  auto const word = load_little<std::uint32_t>(rest.data());
  return record_bytes((word & kRecordHasObject) != 0, word & kRecordLengthMask);
}

std::optional<DecodedRecord> decode_record(std::span<std::byte const> rest, Lsn lsn) {
  if (rest.size() < kRecordHeaderBytes) return std::nullopt;
  auto const word = load_little<std::uint32_t>(rest.data());
  auto const kind = load_little<std::uint32_t>(rest.data() + 8);
  bool const has_object = (word & kRecordHasObject) != 0;
  std::size_t const body = word & kRecordLengthMask;
  std::size_t const head = kRecordHeaderBytes + (has_object ? kRecordObjectBytes : 0);
  DecodedRecord out;
  out.bytes = record_bytes(has_object, body);
  if (body > kRecordBodyBytesMax || out.bytes > rest.size() || (kind >> 16U) != 0) return std::nullopt;
  std::span<std::byte const> const padding = rest.subspan(head + body, out.bytes - head - body);
  if (!std::ranges::all_of(padding, [](std::byte byte) { return byte == std::byte{0}; })) return std::nullopt;
  out.last_of_group = (word & kRecordLastOfGroup) != 0;
  out.view.table = static_cast<TableId>(load_little<std::uint32_t>(rest.data() + 4));
  out.view.type = static_cast<std::uint8_t>(kind & 0xFFU);
  out.view.version = static_cast<std::uint8_t>(kind >> 8U);
  out.view.lsn = lsn;
  out.view.object =
      has_object ? ObjectId{load_little<std::uint64_t>(rest.data() + kRecordHeaderBytes)} : object_of(lsn);
  out.view.body = rest.subspan(head, body);
  return out;
}

}  // namespace fastjournal::log
