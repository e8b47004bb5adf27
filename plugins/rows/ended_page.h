// A page of the history: some thousands of entries in the order of their numbers, one value of the table's files. They
// are in blocks, each compressed by itself, with an index at the end, so that one entry costs the index and one block.
//
//   page    = block* index
//   block   = 0 entries | 1 size(4) deflated entries      zlib, where it saves something
//   entries = (size(4) body)*                              EndedBody, version 1
//   index   = 1 blocks(2) entries(2) tags(4)
//             (offset(4) size(4) hash(8) first entry(2) date(6))*    a block; hash: of its bytes, as that of an extent; date:
//                                                                    of its first entry
//             (end(1) row(6) hash of the key(4))*          an entry; end + 128: it has an error; row: LSN / 8
//             (hash(4) entry(2))*                          a tag
//
// Numbers are little endian. Of keys, rows and tags the page's record has a filter as well, which stays in memory: what it
// does not know is not in the page.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <absl/container/flat_hash_set.h>
#include "fastjournal/types.h"
#include "plugins/rows/ended.h"

namespace fastjournal::rows {

// What the filter of a page has room for in one record: 16 bits of each item.
inline constexpr std::size_t kPageItemsMax = 6'144;
inline constexpr std::size_t kPageEntriesMax = 3'072;
inline constexpr std::size_t kPageBytesMin = 1U << 20U;  // as entries; with so many it is full
inline constexpr std::size_t kBlockBytesMin = 32U << 10U;

[[nodiscard]] std::uint64_t hash_of_key(std::string_view key);
[[nodiscard]] std::uint64_t hash_of_row(ObjectId row);
[[nodiscard]] std::uint64_t hash_of_tag(std::string_view tag);

// A Bloom filter, whose bytes are all that it is.
[[nodiscard]] std::string filter_of(absl::flat_hash_set<std::uint64_t> const& items);
[[nodiscard]] bool may_have(std::string_view filter, std::uint64_t item);

class PageWriter {
 public:
  // `entry`: its body. False: it has no room for it.
  [[nodiscard]] bool add(std::string_view entry, EndedBody const& body);
  [[nodiscard]] bool is_empty() const { return entries_ == 0; }
  [[nodiscard]] bool is_full() const { return entries_ >= kPageEntriesMax || bytes_ >= kPageBytesMin; }
  // A block was written since the last call: what took the time.
  [[nodiscard]] bool take_written() { return std::exchange(has_written_, false); }
  // The page. `body`: all but the extent; its filter is of this writer.
  [[nodiscard]] std::string finish(PageBody& body);
  void clear();

 private:
  void write_block();

  std::string page_;
  std::string block_;
  std::string blocks_;  // of the index
  std::string index_;   // entries
  std::string tags_;
  std::string filter_;
  absl::flat_hash_set<std::uint64_t> items_;
  PageBody body_;
  std::size_t bytes_{0};
  std::uint32_t tags_count_{0};
  std::uint16_t entries_{0};
  std::uint16_t blocks_count_{0};
  std::uint16_t block_first_{0};
  std::int64_t block_date_{0};
  bool has_written_{false};
};

// The index of a page, as it was read.
class PageIndex {
 public:
  struct Block {
    std::uint32_t offset;
    std::uint32_t size;
    std::uint64_t hash;
    std::uint16_t first;
    std::uint16_t end;  // the entry behind its last one
    std::int64_t date;
  };
  // False: damage. `page_bytes`: of the whole page.
  [[nodiscard]] bool read(std::string_view index, std::uint64_t page_bytes);

  [[nodiscard]] std::uint16_t entries() const { return entries_count_; }
  [[nodiscard]] std::vector<Block> const& blocks() const { return blocks_; }
  [[nodiscard]] std::size_t block_of(std::uint16_t entry) const;
  [[nodiscard]] End end_of(std::uint16_t entry) const;
  [[nodiscard]] bool has_error(std::uint16_t entry) const;
  [[nodiscard]] ObjectId row_of(std::uint16_t entry) const;
  [[nodiscard]] std::uint32_t key_hash_of(std::uint16_t entry) const;
  // Those with this tag, or with one of its hash.
  [[nodiscard]] std::vector<bool> tagged(std::string_view tag) const;

 private:
  std::vector<Block> blocks_;
  std::string_view entries_;  // of the index
  std::string_view tags_;
  std::uint16_t entries_count_{0};
};

// The entries of a block, in memory as they are in it; false: damage.
[[nodiscard]] bool inflate_block(std::string_view block, std::string& entries);
// The bodies one behind the other; empty: damage.
[[nodiscard]] std::vector<std::string_view> entries_of(std::string_view entries);

}  // namespace fastjournal::rows
