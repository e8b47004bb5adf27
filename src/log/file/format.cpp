// Turns the structures of format.h into bytes and back.
#include "log/file/format.h"

#include <array>
#include <bit>
#include <charconv>
#include <cstring>
#include <type_traits>

#include <fmt/format.h>

#include "base/bytes.h"
#include "base/check.h"
#include "base/hash.h"

namespace fastjournal::log::file {

namespace {

constexpr std::string_view kNamePrefix = "container-";
constexpr std::string_view kUnfinishedSuffix = ".new";
constexpr std::uint32_t kFormatVersion1 = 1;
constexpr std::size_t kSegmentHeaderBytes1 = 104;

// The fields behind magic and version, in the order of the layout; `io` puts or takes them.
template <typename Header, typename Io>
void fields_of_segment(Header& header, std::uint32_t version, Io const& io) {
  io(header.index, header.store_id, header.generation, header.generation_before, header.first.value, header.cut.value,
     header.base.value, header.durable.value, header.size, header.block, header.start);
  if (version > kFormatVersion1) io(header.catalogue.value, header.described.value);
}
template <typename Header, typename Io>
void fields_of_batch(Header& header, Io const& io) {
  io(header.length, header.lsn.value, header.generation, header.durable.value, header.base.value, header.used,
     header.flags);
}

auto putting(std::byte*& at) {
  return [&at](auto... values) { ((store_little(at, values), at += sizeof values), ...); };
}
auto taking(ByteReader& reader) {
  return [&reader](auto&... values) { ((values = reader.number<std::remove_reference_t<decltype(values)>>()), ...); };
}

std::uint64_t batch_seed(std::uint64_t store_id, std::uint64_t generation) {
  // Any bijection of generation will do: two generations of one store must not share a seed.
  return store_id ^ (generation * 0x9E3779B97F4A7C15ULL);
}

bool is_block_size(std::uint32_t block) {
  return std::has_single_bit(block) && block >= kBlockBytesMin && block <= kBlockBytesMax;
}

}  // namespace

void encode(SegmentHeader const& header, std::span<std::byte> block) {
  FJ_CHECK(block.size() >= kSegmentHeaderBytes, "a header fits into a block");
  std::memset(block.data(), 0, block.size());
  std::byte* at = block.data() + sizeof(std::uint64_t);
  putting(at)(kSegmentMagic, kFormatVersion);
  fields_of_segment(header, kFormatVersion, putting(at));
  std::uint64_t const sum =
      hash64(as_text(block.subspan(sizeof(std::uint64_t), kSegmentHeaderBytes - sizeof(std::uint64_t))));
  store_little(block.data(), sum);
}

std::optional<SegmentHeader> decode_segment(std::span<std::byte const> block) {
  if (block.size() < kSegmentHeaderBytes) return std::nullopt;
  // Magic and version follow the checksum, and determine the length that it covers.
  auto const version = load_little<std::uint32_t>(block.data() + 2 * sizeof(std::uint64_t));
  ByteReader reader(as_text(block.first(version == kFormatVersion1 ? kSegmentHeaderBytes1 : kSegmentHeaderBytes)));
  auto const sum = reader.number<std::uint64_t>();
  if (sum != hash64(reader.rest())) return std::nullopt;
  if (reader.number<std::uint64_t>() != kSegmentMagic) return std::nullopt;
  if (reader.number<std::uint32_t>() != version || version > kFormatVersion) return std::nullopt;
  SegmentHeader header;
  header.version = version;
  fields_of_segment(header, version, taking(reader));
  if (!is_block_size(header.block) || header.size % header.block != 0) return std::nullopt;
  if (header.size <= kHeaderBlocks * header.block || header.first.value % header.block != 0) return std::nullopt;
  return header;
}

void close_batch(BatchHeader const& header, std::uint64_t store_id, std::span<std::byte> batch) {
  FJ_CHECK(batch.size() == header.length && header.used <= header.length, "a batch is as long as its header says");
  std::byte* at = batch.data() + sizeof(std::uint64_t);
  putting(at)(kBatchMagic);
  fields_of_batch(header, putting(at));
  store_little(batch.data(),
               hash64(as_text(batch.subspan(sizeof(std::uint64_t))), batch_seed(store_id, header.generation)));
}

std::optional<BatchHeader> peek_batch(std::span<std::byte const> head, std::uint32_t block) {
  if (head.size() < kBatchHeaderBytes) return std::nullopt;
  ByteReader reader(as_text(head.first(kBatchHeaderBytes)));
  static_cast<void>(reader.number<std::uint64_t>());
  if (reader.number<std::uint32_t>() != kBatchMagic) return std::nullopt;
  BatchHeader header;
  fields_of_batch(header, taking(reader));
  if (header.length == 0 || header.length % block != 0 || header.length > kBatchBytesMax) return std::nullopt;
  if (header.used < kBatchHeaderBytes || header.used > header.length) return std::nullopt;
  return header;
}

std::optional<BatchHeader> decode_batch(std::span<std::byte const> head, Lsn lsn, std::uint64_t generation,
                                        std::uint32_t block) {
  auto const header = peek_batch(head, block);
  if (!header) return std::nullopt;
  if (header->lsn != lsn) return std::nullopt;
  if (header->generation != generation) return std::nullopt;
  return header;
}

bool is_intact(BatchHeader const& header, std::uint64_t store_id, std::span<std::byte const> batch) {
  auto const sum = load_little<std::uint64_t>(batch.data());
  return sum == hash64(as_text(batch.subspan(sizeof sum)), batch_seed(store_id, header.generation));
}

std::string segment_name(std::uint32_t index) { return fmt::format("{}{:06}", kNamePrefix, index); }

std::string segment_name_unfinished(std::uint32_t index) {
  return fmt::format("{}{}", segment_name(index), kUnfinishedSuffix);
}

std::optional<std::uint32_t> index_of_segment(std::string_view name) {
  if (!name.starts_with(kNamePrefix)) return std::nullopt;
  std::string_view const digits = name.substr(kNamePrefix.size());
  std::uint32_t index = 0;
  auto const [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), index);
  if (error != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
  // Only the spelling of segment_name, so that two names never mean one segment.
  return segment_name(index) == name ? std::optional(index) : std::nullopt;
}

bool is_unfinished_segment(std::string_view name) {
  return name.ends_with(kUnfinishedSuffix) &&
         index_of_segment(name.substr(0, name.size() - kUnfinishedSuffix.size())).has_value();
}

}  // namespace fastjournal::log::file
