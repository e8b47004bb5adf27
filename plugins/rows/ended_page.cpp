#include "plugins/rows/ended_page.h"

#include <zlib.h>

#include <algorithm>
#include <utility>

#include "base/bytes.h"
#include "base/check.h"
#include "base/hash.h"
#include "plugins/rows/extras.h"

namespace fastjournal::rows {
namespace {

constexpr std::size_t kIndexHeadBytes = 9;
constexpr std::size_t kIndexBlockBytes = 24;
constexpr std::size_t kIndexEntryBytes = 11;
constexpr std::size_t kIndexTagBytes = 6;
constexpr unsigned char kHasError = 128;
constexpr char kPlainBlock = 0;
constexpr char kDeflatedBlock = 1;
// Most that a block says of its size: one entry, with all that it may have.
constexpr std::size_t kBlockBytesMax = 4U << 20U;

constexpr unsigned kFilterProbes = 8;
constexpr std::size_t kFilterBitsPerItem = 16;

void append_six(std::string& out, std::uint64_t value) {
  append_little(out, static_cast<std::uint32_t>(value));
  append_little(out, static_cast<std::uint16_t>(value >> 32U));
}
std::uint64_t load_six(char const* from) {
  return std::uint64_t{load_little<std::uint32_t>(from)} | std::uint64_t{load_little<std::uint16_t>(from + 4)} << 32U;
}

// Where the probes of an item are, among so many bits.
template <typename Visit>
bool each_probe(std::uint64_t item, std::uint64_t bits, Visit const& visit) {
  auto at = static_cast<std::uint32_t>(item);
  auto const step = static_cast<std::uint32_t>(item >> 32U) | 1U;
  for (unsigned i = 0; i < kFilterProbes; ++i, at += step)
    if (!visit(static_cast<std::size_t>(std::uint64_t{at} * bits >> 32U))) return false;
  return true;
}

}  // namespace

std::uint64_t hash_of_key(std::string_view key) { return hash64(key, 1); }
std::uint64_t hash_of_row(ObjectId row) {
  char bytes[sizeof row.value];
  store_little(bytes, row.value);
  return hash64({bytes, sizeof bytes}, 2);
}
std::uint64_t hash_of_tag(std::string_view tag) { return hash64(tag, 3); }

// ---------------------------------------------------------------------------
// Filters

std::string filter_of(absl::flat_hash_set<std::uint64_t> const& items) {
  std::string out(std::max<std::size_t>(8, (items.size() * kFilterBitsPerItem + 7) / 8), '\0');
  // Any order: bits are set.
  for (std::uint64_t const item : items)
    each_probe(item, out.size() * 8, [&](std::size_t bit) {
      out[bit / 8] = static_cast<char>(static_cast<unsigned char>(out[bit / 8]) | 1U << (bit % 8));
      return true;
    });
  return out;
}

bool may_have(std::string_view filter, std::uint64_t item) {
  return each_probe(item, filter.size() * 8, [&](std::size_t bit) {
    return (static_cast<unsigned char>(filter[bit / 8]) >> (bit % 8) & 1U) != 0;
  });
}

// ---------------------------------------------------------------------------
// Writing

void PageWriter::clear() { *this = {}; }

bool PageWriter::add(std::string_view entry, EndedBody const& body) {
  if (is_full() || items_.size() + 2 + kTagsMax > kPageItemsMax) return false;
  if (entries_ == 0) {
    body_.first = body.number;
    body_.from = body.at;
  }
  if (block_.empty()) {
    block_first_ = entries_;
    block_date_ = body.at;
  }
  body_.last = body.number;
  body_.to = std::max(body_.to, body.at);
  ++body_.counts[static_cast<std::size_t>(body.end)];
  append_little(block_, static_cast<std::uint32_t>(entry.size()));
  block_.append(entry);
  bytes_ += entry.size();
  auto const end = static_cast<unsigned char>(body.end);
  index_.push_back(static_cast<char>(body.error.empty() ? end : end | kHasError));
  append_six(index_, body.row.value / kLsnAlign);
  std::uint64_t const key = hash_of_key(body.key);
  append_little(index_, static_cast<std::uint32_t>(key));
  items_.insert(hash_of_row(body.row));
  if (!body.key.empty()) items_.insert(key);
  if (!body.extras.empty()) {
    Extras const all = extras::read(body.extras);
    each_tag(all.tags.value_or(std::string_view{}), [&](std::string_view tag) {
      std::uint64_t const hash = hash_of_tag(tag);
      items_.insert(hash);
      append_little(tags_, static_cast<std::uint32_t>(hash));
      append_little(tags_, entries_);
      ++tags_count_;
    });
  }
  ++entries_;
  if (block_.size() >= kBlockBytesMin) write_block();
  return true;
}

void PageWriter::write_block() {
  if (block_.empty()) return;
  std::size_t const offset = page_.size();
  uLongf room = compressBound(static_cast<uLong>(block_.size()));
  page_.resize(offset + 5 + room);
  page_[offset] = kDeflatedBlock;
  store_little(page_.data() + offset + 1, static_cast<std::uint32_t>(block_.size()));
  int const done = compress2(reinterpret_cast<Bytef*>(page_.data() + offset + 5), &room,
                             reinterpret_cast<Bytef const*>(block_.data()), static_cast<uLong>(block_.size()), 1);
  if (done == Z_OK && room + 4 < block_.size()) {
    page_.resize(offset + 5 + room);
  } else {
    page_.resize(offset + 1);
    page_[offset] = kPlainBlock;
    page_.append(block_);
  }
  std::string_view const bytes = std::string_view{page_}.substr(offset);
  append_little(blocks_, static_cast<std::uint32_t>(offset));
  append_little(blocks_, static_cast<std::uint32_t>(bytes.size()));
  append_little(blocks_, hash128(bytes).low);
  append_little(blocks_, block_first_);
  append_six(blocks_, static_cast<std::uint64_t>(block_date_));
  ++blocks_count_;
  block_.clear();
  has_written_ = true;
}

std::string PageWriter::finish(PageBody& body) {
  write_block();
  std::string index;
  index.push_back(1);
  append_little(index, blocks_count_);
  append_little(index, entries_);
  append_little(index, tags_count_);
  index.append(blocks_).append(index_).append(tags_);
  body_.index_bytes = static_cast<std::uint32_t>(index.size());
  body_.index_hash = hash128(index).low;
  filter_ = filter_of(items_);
  body = body_;
  body.filter = filter_;
  page_.append(index);
  return std::move(page_);
}

// ---------------------------------------------------------------------------
// Reading

bool PageIndex::read(std::string_view index, std::uint64_t page_bytes) {
  blocks_.clear();
  if (index.size() < kIndexHeadBytes || index.size() > page_bytes || index[0] != 1) return false;
  std::size_t const blocks = load_little<std::uint16_t>(index.data() + 1);
  entries_count_ = load_little<std::uint16_t>(index.data() + 3);
  std::uint64_t const tags = load_little<std::uint32_t>(index.data() + 5);
  std::uint64_t const bytes = kIndexHeadBytes + blocks * kIndexBlockBytes +
                              std::uint64_t{entries_count_} * kIndexEntryBytes + tags * kIndexTagBytes;
  if (bytes != index.size() || blocks == 0) return false;
  std::uint64_t const blocks_end = page_bytes - index.size();
  for (std::size_t i = 0; i < blocks; ++i) {
    char const* const at = index.data() + kIndexHeadBytes + i * kIndexBlockBytes;
    Block block{.offset = load_little<std::uint32_t>(at),
                .size = load_little<std::uint32_t>(at + 4),
                .hash = load_little<std::uint64_t>(at + 8),
                .first = load_little<std::uint16_t>(at + 16),
                .end = entries_count_,
                .date = static_cast<std::int64_t>(load_six(at + 18))};
    bool const follows = i == 0 ? block.first == 0 : block.first > blocks_.back().first;
    if (!follows || block.first >= entries_count_ || block.size == 0 ||
        std::uint64_t{block.offset} + block.size > blocks_end)
      return false;
    if (i > 0) blocks_.back().end = block.first;
    blocks_.push_back(block);
  }
  entries_ = index.substr(kIndexHeadBytes + blocks * kIndexBlockBytes, std::size_t{entries_count_} * kIndexEntryBytes);
  tags_ = index.substr(index.size() - static_cast<std::size_t>(tags * kIndexTagBytes));
  for (std::uint16_t entry = 0; entry < entries_count_; ++entry)
    if (End const end = end_of(entry); end < End::done || end > End::timeout) return false;
  return true;
}

std::size_t PageIndex::block_of(std::uint16_t entry) const {
  auto const behind = std::ranges::upper_bound(blocks_, entry, {}, [](Block const& block) { return block.first; });
  return static_cast<std::size_t>(behind - blocks_.begin()) - 1;
}
End PageIndex::end_of(std::uint16_t entry) const {
  auto const byte = static_cast<unsigned char>(entries_[entry * kIndexEntryBytes]);
  return static_cast<End>(byte & ~kHasError);
}
bool PageIndex::has_error(std::uint16_t entry) const {
  return (static_cast<unsigned char>(entries_[entry * kIndexEntryBytes]) & kHasError) != 0;
}
ObjectId PageIndex::row_of(std::uint16_t entry) const {
  return ObjectId{load_six(entries_.data() + entry * kIndexEntryBytes + 1) * kLsnAlign};
}
std::uint32_t PageIndex::key_hash_of(std::uint16_t entry) const {
  return load_little<std::uint32_t>(entries_.data() + entry * kIndexEntryBytes + 7);
}

std::vector<bool> PageIndex::tagged(std::string_view tag) const {
  std::vector<bool> out(entries_count_);
  auto const hash = static_cast<std::uint32_t>(hash_of_tag(tag));
  for (std::size_t at = 0; at < tags_.size(); at += kIndexTagBytes) {
    std::uint16_t const entry = load_little<std::uint16_t>(tags_.data() + at + 4);
    if (load_little<std::uint32_t>(tags_.data() + at) == hash && entry < entries_count_) out[entry] = true;
  }
  return out;
}

bool inflate_block(std::string_view block, std::string& entries) {
  entries.clear();
  if (block.empty()) return false;
  if (block[0] == kPlainBlock) {
    entries = block.substr(1);
    return true;
  }
  if (block[0] != kDeflatedBlock || block.size() < 5) return false;
  std::uint32_t const size = load_little<std::uint32_t>(block.data() + 1);
  if (size > kBlockBytesMax) return false;
  entries.resize(size);
  uLongf room = size;
  int const done = uncompress(reinterpret_cast<Bytef*>(entries.data()), &room,
                              reinterpret_cast<Bytef const*>(block.data() + 5), static_cast<uLong>(block.size() - 5));
  return done == Z_OK && room == size;
}

std::vector<std::string_view> entries_of(std::string_view entries) {
  std::vector<std::string_view> out;
  while (!entries.empty()) {
    if (entries.size() < 4) return {};
    std::uint32_t const size = load_little<std::uint32_t>(entries.data());
    if (size > entries.size() - 4) return {};
    out.push_back(entries.substr(4, size));
    entries.remove_prefix(4 + std::size_t{size});
  }
  return out;
}

}  // namespace fastjournal::rows
