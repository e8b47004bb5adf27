// Turns the structures of format.h into bytes and back.
#include "log/file/format.h"

#include <array>
#include <bit>
#include <charconv>
#include <cstring>

#include <fmt/format.h>

#include "base/bytes.h"
#include "base/check.h"
#include "base/hash.h"

namespace fastjournal::log::file {

namespace {

constexpr std::string_view kNamePrefix = "container-";
constexpr std::string_view kUnfinishedSuffix = ".new";
constexpr std::uint32_t kFormatVersion1 = 1;
constexpr std::size_t kContainerHeaderBytes1 = 104;

// Puts numbers one after the other; the order of calls is the layout.
class Writer {
 public:
  explicit Writer(std::byte* at) : at_(at) {}
  template <typename T>
  Writer& put(T value) {
    store_little(at_, value);
    at_ += sizeof(T);
    return *this;
  }

 private:
  std::byte* at_;
};

std::uint64_t batch_seed(std::uint64_t store_id, std::uint64_t generation) {
  // Any bijection of generation will do: two generations of one store must not share a seed.
  return store_id ^ (generation * 0x9E3779B97F4A7C15ULL);
}

bool is_block_size(std::uint32_t block) {
  return std::has_single_bit(block) && block >= kBlockBytesMin && block <= kBlockBytesMax;
}

}  // namespace

void encode(ContainerHeader const& header, std::span<std::byte> block) {
  FJ_CHECK(block.size() >= kContainerHeaderBytes, "a header fits into a block");
  std::memset(block.data(), 0, block.size());
  Writer(block.data() + sizeof(std::uint64_t))
      .put(kContainerMagic)
      .put(kFormatVersion)
      .put(header.index)
      .put(header.store_id)
      .put(header.generation)
      .put(header.generation_before)
      .put(header.first.value)
      .put(header.cut.value)
      .put(header.base.value)
      .put(header.durable.value)
      .put(header.size)
      .put(header.block)
      .put(header.start)
      .put(header.catalogue.value)
      .put(header.described.value);
  std::uint64_t const sum =
      hash64(as_text(block.subspan(sizeof(std::uint64_t), kContainerHeaderBytes - sizeof(std::uint64_t))));
  store_little(block.data(), sum);
}

std::optional<ContainerHeader> decode_container(std::span<std::byte const> block) {
  if (block.size() < kContainerHeaderBytes) return std::nullopt;
  // Magic and version follow the checksum, and determine the length that it covers.
  auto const version = load_little<std::uint32_t>(block.data() + 2 * sizeof(std::uint64_t));
  ByteReader reader(as_text(block.first(version == kFormatVersion1 ? kContainerHeaderBytes1 : kContainerHeaderBytes)));
  auto const sum = reader.number<std::uint64_t>();
  if (sum != hash64(reader.rest())) return std::nullopt;
  if (reader.number<std::uint64_t>() != kContainerMagic) return std::nullopt;
  if (reader.number<std::uint32_t>() != version || version > kFormatVersion) return std::nullopt;
  ContainerHeader header;
  header.version = version;
  header.index = reader.number<std::uint32_t>();
  header.store_id = reader.number<std::uint64_t>();
  header.generation = reader.number<std::uint64_t>();
  header.generation_before = reader.number<std::uint64_t>();
  header.first.value = reader.number<std::uint64_t>();
  header.cut.value = reader.number<std::uint64_t>();
  header.base.value = reader.number<std::uint64_t>();
  header.durable.value = reader.number<std::uint64_t>();
  header.size = reader.number<std::uint64_t>();
  header.block = reader.number<std::uint32_t>();
  header.start = reader.number<std::uint32_t>();
  if (version > kFormatVersion1) {
    header.catalogue.value = reader.number<std::uint64_t>();
    header.described.value = reader.number<std::uint64_t>();
  }
  if (!is_block_size(header.block) || header.size % header.block != 0) return std::nullopt;
  if (header.size <= kHeaderBlocks * header.block || header.first.value % header.block != 0) return std::nullopt;
  return header;
}

void close_batch(BatchHeader const& header, std::uint64_t store_id, std::span<std::byte> batch) {
  FJ_CHECK(batch.size() == header.length && header.used <= header.length, "a batch is as long as its header says");
  Writer(batch.data() + sizeof(std::uint64_t))
      .put(kBatchMagic)
      .put(header.length)
      .put(header.lsn.value)
      .put(header.generation)
      .put(header.durable.value)
      .put(header.base.value)
      .put(header.used)
      .put(header.flags);
  store_little(batch.data(),
               hash64(as_text(batch.subspan(sizeof(std::uint64_t))), batch_seed(store_id, header.generation)));
}

std::optional<BatchHeader> peek_batch(std::span<std::byte const> head, std::uint32_t block) {
  if (head.size() < kBatchHeaderBytes) return std::nullopt;
  ByteReader reader(as_text(head.first(kBatchHeaderBytes)));
  static_cast<void>(reader.number<std::uint64_t>());
  if (reader.number<std::uint32_t>() != kBatchMagic) return std::nullopt;
  BatchHeader header;
  header.length = reader.number<std::uint32_t>();
  header.lsn.value = reader.number<std::uint64_t>();
  header.generation = reader.number<std::uint64_t>();
  header.durable.value = reader.number<std::uint64_t>();
  header.base.value = reader.number<std::uint64_t>();
  header.used = reader.number<std::uint32_t>();
  header.flags = reader.number<std::uint32_t>();
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

std::string container_name(std::uint32_t index) { return fmt::format("{}{:06}", kNamePrefix, index); }

std::string container_name_unfinished(std::uint32_t index) {
  return fmt::format("{}{}", container_name(index), kUnfinishedSuffix);
}

std::optional<std::uint32_t> index_of_container(std::string_view name) {
  if (!name.starts_with(kNamePrefix)) return std::nullopt;
  std::string_view const digits = name.substr(kNamePrefix.size());
  std::uint32_t index = 0;
  auto const [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), index);
  if (error != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
  // Only the spelling of container_name, so that two names never mean one container.
  return container_name(index) == name ? std::optional(index) : std::nullopt;
}

bool is_unfinished_container(std::string_view name) {
  return name.ends_with(kUnfinishedSuffix) &&
         index_of_container(name.substr(0, name.size() - kUnfinishedSuffix.size())).has_value();
}

}  // namespace fastjournal::log::file
