// The bytes of a log on disk: described only here, read and written only in format.cpp. All numbers are little endian.
//
// A log is a folder of segments, files of one size. The *logical stream* consists of the segments' payloads, one
// after the other; an LSN is a byte offset in it. A segment's payload begins after its two header blocks.
//
//   segment   block 0: header   block 1: the same header   block 2 ...: payload
//
//   header      u64 checksum      XXH3-64 of the rest of the header
//               u64 magic         kSegmentMagic
//               u32 version       kFormatVersion
//               u32 index         the number in the file's name
//               u64 store id      of all segments of one log
//               u64 generation           number of this use; 0: never used
//               u64 generation before    of the segment that precedes it in the stream; 0: nothing before is needed
//               u64 first LSN     of its payload
//               u64 cut LSN       where the stream before it ends: a reader that comes there goes on at first LSN
//               u64 base LSN      nothing below was needed when the header was written
//               u64 durable LSN   everything below was durable then
//               u64 size          of the file
//               u32 block         the unit of writing, 512 to 64 KiB
//               u32 start         number of the start that wrote it
//               u64 catalogue LSN nothing below was needed of the records of table 0
//               u64 described LSN and those below durable LSN, clocks apart, end here: a reader that wants the
//                                 catalogue first looks between the two, and from durable LSN on
//               In version 1 the last two are missing: the catalogue may be anywhere. Version 3 is as 2, but says that
//               the folder has a file `newest` (log/file/newest.h).
//
//   batch       begins on a block, is padded with zeros to a block; may go on in the next segment
//               u64 checksum      XXH3-64 of everything behind it to the batch's end, seeded with store id and generation
//               u32 magic         kBatchMagic
//               u32 length        with header and padding
//               u64 LSN           of this header
//               u64 generation           of the segment it begins in
//               u64 durable LSN   everything below was durable when the batch was closed
//               u64 base LSN
//               u32 used          bytes before the padding
//               u32 flags         1: clean-shutdown marker
//               records
//
//   record      as in every log (log/record_format.h)
//
// Reasons:
// - One checksum a batch. It covers the place (LSN) and the generation, so that neither a misdirected write nor bytes of an
//   earlier generation are accepted.
// - A group is in one batch, whatever its size, so that the checksum alone makes it atomic; the flag marks the ends of
//   groups. A batch that ends inside a group is damage and not a torn tail.
// - After a start the stream continues at the end of the furthest segment that any header names, not at the cut. So
//   LSNs of a lost tail are never given again, even if a client saw them. The gap costs numbers, but no disk space.
// - A log that became empty continues in a fresh segment in the same way: LSNs between the cut and the first LSN of
//   that segment were never given.
// - The header has the generation before it, so that generations need not be consecutive: segments that were
//   prepared and never used leave gaps.
// - The two header copies are written with a sync in between. One of them is always valid, so a segment without a
//   valid one is damaged and never "new".
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "fastjournal/record.h"
#include "fastjournal/types.h"
#include "log/record_format.h"

namespace fastjournal::log::file {

inline constexpr std::uint64_t kSegmentMagic = 0x31'52'45'4E'49'41'54'43;  // "CTAINER1"
inline constexpr std::uint32_t kBatchMagic = 0x31'54'41'42;                // "BAT1"
inline constexpr std::uint32_t kFormatVersion = 3;
// From this one on a log has a file `newest` (log/file/newest.h).
inline constexpr std::uint32_t kFormatWithNewest = 3;

inline constexpr std::size_t kSegmentHeaderBytes = 120;
inline constexpr std::size_t kHeaderBlocks = 2;
inline constexpr std::size_t kBlockBytesMin = 512;
inline constexpr std::size_t kBlockBytesMax = 64U << 10U;

inline constexpr std::size_t kBatchHeaderBytes = 56;
// The largest batch, hence the largest group: more than two of the largest bodies.
inline constexpr std::uint64_t kBatchBytesMax = 256U << 20U;
inline constexpr std::uint32_t kBatchCleanShutdown = 1;

// The first LSN of a new store; 0 means "none".
inline constexpr Lsn kFirstLsn{64U << 10U};

struct SegmentHeader {
  std::uint32_t version{kFormatVersion};  // as read; written is the newest
  std::uint32_t index{0};
  std::uint64_t store_id{0};
  std::uint64_t generation{0};
  std::uint64_t generation_before{0};
  Lsn first{};
  Lsn cut{};
  Lsn base{};
  Lsn durable{};
  std::uint64_t size{0};
  std::uint32_t block{0};
  std::uint32_t start{0};
  Lsn catalogue{};  // none: not known
  Lsn described{};

  [[nodiscard]] std::uint64_t payload_bytes() const { return size - kHeaderBlocks * block; }
  [[nodiscard]] Lsn end() const { return Lsn{first.value + payload_bytes()}; }
};

struct BatchHeader {
  std::uint32_t length{0};
  Lsn lsn{};
  std::uint64_t generation{0};
  Lsn durable{};
  Lsn base{};
  std::uint32_t used{0};
  std::uint32_t flags{0};

  [[nodiscard]] Lsn end() const { return Lsn{lsn.value + length}; }
};

[[nodiscard]] constexpr std::uint64_t round_up(std::uint64_t value, std::uint64_t unit) {
  return (value + unit - 1) / unit * unit;
}
// `block` is a whole block; everything after the header becomes zero.
void encode(SegmentHeader const& header, std::span<std::byte> block);
// Nothing if magic, version, checksum or sizes are wrong.
[[nodiscard]] std::optional<SegmentHeader> decode_segment(std::span<std::byte const> block);

// Fills in the header and the checksum of a batch whose records and padding are there.
void close_batch(BatchHeader const& header, std::uint64_t store_id, std::span<std::byte> batch);
// The header of a batch, if it could be one at `lsn` in a segment of this generation. Not checked yet: is_intact must
// follow.
[[nodiscard]] std::optional<BatchHeader> decode_batch(std::span<std::byte const> head, Lsn lsn,
                                                      std::uint64_t generation, std::uint32_t block);
// The same without a known LSN and generation: for tools that reconstruct a lost header.
[[nodiscard]] std::optional<BatchHeader> peek_batch(std::span<std::byte const> head, std::uint32_t block);
[[nodiscard]] bool is_intact(BatchHeader const& header, std::uint64_t store_id, std::span<std::byte const> batch);

// "container-000042"
[[nodiscard]] std::string segment_name(std::uint32_t index);
// While it is being made: removed at the next start.
[[nodiscard]] std::string segment_name_unfinished(std::uint32_t index);
// Nothing if it is not the name of a segment.
[[nodiscard]] std::optional<std::uint32_t> index_of_segment(std::string_view name);
[[nodiscard]] bool is_unfinished_segment(std::string_view name);

}  // namespace fastjournal::log::file
