// The index of a table: from keys to blobs, in memory. An extendible hash by the high bits of hash_value, so that its
// pages are in the order of the keys: lists and maintenance go through them one after the other.
//
// A page has 4 KiB: a header and up to 127 entries in the order of their keys. The directory leads from the first bits
// of hash_value to a bucket: one page, or several in a chain, each with the keys from its first one to the next page's.
// There are several where splitting by a bit would separate nothing, or would need too large a directory: a client that
// makes keys that collide gets a long chain, and no other client does.
//
// Files: all bytes that readers see are in the file `current`. While another one is built (`next`), entries may have a
// copy there too. An exchange of the files, or the end of a copy that is given up, is a change of these two numbers:
// each page has the numbers that it was written with, is read accordingly, and is rewritten later (settle), when it is
// changed or when there is time. Only then the observer is told of the places that are named no more.
//
// Each page knows the record from which on the log states it whole (Regions): the range of its keys is what is copied
// forward.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "fastjournal/table.h"
#include "plugins/blob/entry.h"
#include "plugins/rows/regions.h"

namespace fastjournal::blob {

inline constexpr std::size_t kPageBytes = 4096;
inline constexpr std::uint32_t kEntriesPerPage = 127;
inline constexpr unsigned kDepthMax = 24;

// The files that the entries are in.
struct Files {
  std::uint32_t current{1};
  std::uint32_t next{0};  // that is being built; 0: none

  bool operator==(Files const&) const = default;
};

// The contents of a record of a range of keys: all of its blobs.
struct PageBody {
  std::uint8_t depth{0};  // of the bucket
  Key first{};
  Key last{};  // inclusive
  Files files{};
  std::uint32_t count{0};
  // Bytes of the record: `count` of each, in the order of the keys.
  char const* entries{nullptr};
  char const* hashes{nullptr};
  char const* copies{nullptr};  // null: none has a copy
  char const* marks{nullptr};   // null: none has one
};

class Index {
 public:
  Index();
  Index(Index const&) = delete;
  Index& operator=(Index const&) = delete;
  ~Index() = default;

  // -- looking --------------------------------------------------------------
  [[nodiscard]] std::optional<Blob> find(Key const& key) const;
  // Blobs from `from` on, in the order of the keys, until look(blob, marks) returns false or about `work_units` entries
  // were looked at. True: there may be more, from `from` on. `marks`: derived ones may be changed.
  template <typename Look>
  bool walk(Key& from, std::uint32_t work_units, Look const& look) const {
    std::uint32_t number = page_of(from);
    std::uint32_t looked = 0;
    std::uint32_t at = lower(*leaves_[number], from);
    for (;;) {
      Leaf& leaf = *leaves_[number];
      for (; at < leaf.page.count; ++at) {
        Key const key = leaf.page.entries[at].key();
        if (looked == work_units) {
          from = key;
          return true;
        }
        ++looked;
        std::optional<Blob> const blob = view(leaf, at);
        if (!blob.has_value() || look(*blob, leaf.marks[at])) continue;
        from = key;
        return true;
      }
      std::optional<Key> const end = behind(number);
      if (!end.has_value()) return false;
      from = *end;
      // A page without entries costs as much.
      if (looked == work_units) return true;
      ++looked;
      number = page_of(from);
      at = 0;
    }
  }
  // A hint: this key is looked at soon. What of its page a search looks at first is asked for.
  void prefetch(Key const& key) const;
  // It was read. Derived: neither logged nor in the digest.
  void note_read(Key const& key, std::uint32_t now_s) const;

  [[nodiscard]] Files const& files() const { return files_; }
  [[nodiscard]] std::uint64_t size() const { return blobs_; }
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
  [[nodiscard]] std::uint64_t copied() const { return copied_; }  // blobs with a copy
  [[nodiscard]] std::uint64_t copied_bytes() const { return copied_bytes_; }
  // The end of the last blob of the current file that was ever named, as far as known; 0: none.
  [[nodiscard]] std::uint64_t file_end() const { return file_end_; }
  [[nodiscard]] std::uint32_t pages() const { return static_cast<std::uint32_t>(leaves_.size()); }
  [[nodiscard]] std::uint32_t longest_chain() const;  // for tests: reads everything

  // -- changing -------------------------------------------------------------
  // In place of the one under its key.
  void put(Blob const& blob, std::string_view carried, Lsn lsn, TableObserver& observer);
  // False: there is no blob under this key.
  bool mark(Key const& key, std::uint8_t marks, TableObserver& observer);
  // It is gone; false: as above.
  bool remove(Key const& key, TableObserver& observer);
  // Its bytes are in the next file too; false: as above.
  bool add_copy(Key const& key, std::uint64_t begin, TableObserver& observer);
  // The range has these blobs and no others.
  void replace_range(PageBody const& body, Lsn lsn, TableObserver& observer);
  // In a replay, before any record that states the files: these are the ones.
  void learn(Files const& files) { files_ = files; }
  // The next file is begun or given up; or it is the current one from now on: then only what has a copy is there.
  void set_files(Files const& files, TableObserver& observer);
  // Pages are still to be rewritten after set_files; rewrites some, true: there are more.
  [[nodiscard]] bool is_settled() const { return settle_at_ == leaves_.size(); }
  bool settle_some(std::size_t pages_max, TableObserver& observer);
  // Entry times later than `to_s` are that.
  void lower_clock(std::uint32_t to_s, TableObserver& observer);

  // -- space ----------------------------------------------------------------
  [[nodiscard]] rows::Regions const& regions() const { return regions_; }
  [[nodiscard]] std::uint32_t region_of(std::uint32_t page) const { return leaves_[page]->page.region; }
  [[nodiscard]] bool is_empty(std::uint32_t page) const { return leaves_[page]->page.count == 0; }
  // Everything that a record states of this page. The bytes are in `buffer`.
  struct Buffer {
    std::array<Entry, kEntriesPerPage> entries;
    std::array<std::uint64_t, kEntriesPerPage> hashes;
    std::array<std::uint64_t, kEntriesPerPage> copies;
    std::array<std::uint8_t, kEntriesPerPage> marks;
  };
  [[nodiscard]] PageBody body_of(std::uint32_t page, Buffer& buffer) const;
  [[nodiscard]] std::uint64_t live_bytes() const;
  [[nodiscard]] std::uint64_t memory_bytes() const;

 private:
  static constexpr std::uint32_t kNoPage = UINT32_MAX;

  struct Page {
    std::uint16_t count{0};
    std::uint8_t depth{0};  // bits of hash_value that are equal in all keys of the bucket
    std::uint8_t unused{0};
    std::uint32_t next{kNoPage};  // of the bucket's chain
    std::uint32_t region{0};      // of the record from which on it is stated whole; of a page with entries
    Files files{};                // that it was written with; no next file: it has no copies
    std::uint32_t first_value{0};
    std::uint64_t first_id{0};
    std::array<Entry, kEntriesPerPage> entries;

    [[nodiscard]] Key first() const { return {first_value, first_id}; }
  };
  static_assert(sizeof(Page) == kPageBytes);

  // A page, and what is known of its entries beside.
  struct Leaf {
    Page page;
    std::array<std::uint64_t, kEntriesPerPage> hashes;
    std::array<std::uint32_t, kEntriesPerPage> read_s;
    std::array<std::uint8_t, kEntriesPerPage> marks;
    // Where the copies begin, 0: none. There while any entry has one.
    std::unique_ptr<std::array<std::uint64_t, kEntriesPerPage>> copies;

    [[nodiscard]] std::uint64_t copy_of(std::uint32_t at) const { return copies == nullptr ? 0 : (*copies)[at]; }
  };

  [[nodiscard]] std::size_t slot_of(std::uint32_t hash_value) const {
    return static_cast<std::size_t>(std::uint64_t{hash_value} >> (32U - depth_));
  }
  [[nodiscard]] std::uint32_t page_of(Key const& key) const;
  [[nodiscard]] static std::uint32_t lower(Leaf const& leaf, Key const& key);
  // The first key behind the page; none: it is the last one.
  [[nodiscard]] std::optional<Key> behind(std::uint32_t number) const;
  [[nodiscard]] static std::uint64_t width_of(unsigned depth) { return std::uint64_t{1} << (32U - depth); }
  // The entry as readers see it; none: it was left out by an exchange.
  [[nodiscard]] std::optional<Blob> view(Leaf const& leaf, std::uint32_t at) const;
  [[nodiscard]] bool is_current(Page const& page) const {
    return page.files.current == files_.current && (page.files.next == 0 || page.files.next == files_.next);
  }

  std::uint32_t add_leaf();
  void settle(Leaf& leaf, TableObserver& observer);
  static void move_slots(Leaf& from, std::uint32_t at, Leaf& to, std::uint32_t to_at, std::uint32_t count);
  void make_copies(Leaf& leaf);
  void drop_copies(Leaf& leaf);
  void set_count(Leaf& leaf, std::uint32_t count, std::uint32_t region);
  // A page begins at this key; returns it.
  std::uint32_t make_boundary(Key const& key);
  [[nodiscard]] bool may_split(std::uint32_t head) const;
  // Of the bucket of this key: by its next bit.
  void split_bucket(Key const& key);
  void make_room(Key const& key);
  void replace(Leaf& leaf, PageBody const& body, std::uint32_t from, std::uint32_t to, Lsn lsn,
               TableObserver& observer);
  void count_in(std::uint64_t size, bool has_copy);
  void count_out(std::uint64_t size, bool has_copy);
  void note_end(Extent const& extent);

  std::vector<std::unique_ptr<Leaf>> leaves_;
  std::vector<std::uint32_t> directory_;  // by the first depth_ bits: the first page of the bucket
  unsigned depth_{0};
  Files files_{};
  std::size_t settle_at_{0};  // pages before it are settled
  rows::Regions regions_;
  std::uint64_t blobs_{0};
  std::uint64_t bytes_{0};
  std::uint64_t copied_{0};
  std::uint64_t copied_bytes_{0};
  std::uint64_t file_end_{0};
  std::uint64_t next_end_{0};
  std::uint64_t entries_{0};      // of all pages, those that are not settled too
  std::uint64_t full_pages_{0};   // with entries
  std::uint64_t copy_arrays_{0};  // pages with copies
};

}  // namespace fastjournal::blob
