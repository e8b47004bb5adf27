// Ended documents that have left memory: they lie in pages of the table's files, some dozens in each. What stays here is
// enough to find one by its number or its name, to count it, and to compact it: about 30 bytes.
//
// A document in the archive has arrived everywhere, or was dropped, and nothing is known of it beside its own record: it
// is no child and has none, and is no version before another one. It never changes here: a command that would change it
// brings it back first, by its whole record (returns.h). A page that would be less than half full is brought back whole.
//
// Names are known by a hash alone, which does not tell two of them apart for sure: the page is read before anything is
// decided by one. Of two documents with the same hash only one comes here.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>
#include "fastjournal/extent.h"
#include "fastjournal/status.h"
#include "fastjournal/types.h"
#include "plugins/pipeline/plans.h"
#include "plugins/pipeline/records.h"
#include "plugins/rows/id_index.h"

namespace fastjournal::pipeline {

// Bytes and documents of a page, and bytes of one document. All of a page fits into the records of one step, and what
// names it into one record.
inline constexpr std::size_t kPageBytesMax = 12U << 10U;
inline constexpr std::size_t kPageDocumentsMax = 96;
inline constexpr std::size_t kArchivedBytesMax = 2048;

class Archive {
 public:
  // A document here: its page and its place there.
  using Number = std::uint32_t;
  static constexpr Number kNone = UINT32_MAX;

  // Common to the documents of one source with the same states.
  struct Pattern {
    std::uint8_t plan{0};
    std::uint16_t source{0};
    std::vector<State> states{};
    std::uint64_t documents{0};
  };

  explicit Archive(std::uint64_t hash_seed) : by_name_(0, ByName{this, hash_seed}, ByName{this, hash_seed}) {}
  Archive(Archive const&) = delete;
  Archive& operator=(Archive const&) = delete;

  // -- reading ------------------------------------------------------------
  [[nodiscard]] std::uint64_t size() const { return size_; }
  [[nodiscard]] Number find(ObjectId id) const { return found(ids_.find(id)); }
  // The first one whose id is above.
  [[nodiscard]] Number next(ObjectId after) const { return found(ids_.next(after)); }
  [[nodiscard]] Number find(std::uint64_t name) const;
  [[nodiscard]] ObjectId id_of(Number number) const { return one(number).id(); }
  [[nodiscard]] Pattern const& pattern_of(Number number) const { return patterns_[one(number).pattern]; }
  // Those without documents among them.
  [[nodiscard]] std::vector<Pattern> const& patterns() const { return patterns_; }
  // There is room for documents that are like no other.
  [[nodiscard]] bool has_pattern_left() const { return patterns_.size() - free_patterns_.size() < kPatternsMax; }
  [[nodiscard]] Extent const& extent_of(Number number) const { return page(number).extent; }
  // The others of its page that are still there.
  [[nodiscard]] std::vector<Number> beside(Number number) const;
  // Its page would have too few without it.
  [[nodiscard]] bool thins_out(Number number) const;

  // -- pages that were read ---------------------------------------------------
  // Some of the last ones.
  void keep(Extent const& extent, std::string_view bytes, Status const& status);
  struct AtHand {
    std::string bytes{};
    Status status{};  // not ok: it cannot be read
  };
  // Null: it must be read first.
  [[nodiscard]] AtHand const* at_hand(Number number) const;
  // False: damage. The body has views into the page.
  [[nodiscard]] bool read(Number number, AtHand const& page, DocumentBody& body) const;
  // Adds one document to a page that is being made.
  static void append(std::string& page, std::string_view document);
  // The part of a page that has its document of this place; empty: damage.
  [[nodiscard]] static std::string_view part(std::string_view page, std::size_t place);

  // -- changing -------------------------------------------------------------
  [[nodiscard]] bool has_page(ObjectId id) const { return pages_by_id_.contains(id.value); }
  [[nodiscard]] std::uint32_t& region_of_page(ObjectId id) { return pages_[pages_by_id_.at(id.value)].region; }
  // `plans`: their numbers, of the body's patterns.
  void add(ObjectId id, std::uint32_t region, ArchivedBody const& body, std::vector<std::uint8_t> const& plans);
  // With its last one a page goes.
  struct Gone {
    bool is_page{false};
    Extent extent{};
    std::uint32_t region{0};
  };
  Gone remove(Number number);

  // -- space, people ----------------------------------------------------------
  struct Page {
    ObjectId id{};
    Extent extent{};
    std::uint32_t region{0};
  };
  // visit(Page), of each of these numbers that is there, until it returns false. Returns where that was, or `end`.
  template <typename Visit>
  std::uint64_t for_each_page(std::uint64_t from, std::uint64_t end, Visit&& visit) const {
    for (std::uint64_t at = from; at < end; ++at)
      if (pages_[at].live > 0 && !visit(Page{pages_[at].id, pages_[at].extent, pages_[at].region})) return at;
    return end;
  }
  [[nodiscard]] std::uint64_t end() const { return pages_.size(); }
  // As its record is.
  [[nodiscard]] ArchivedBody body_of(ObjectId page, Plans const& plans) const;
  [[nodiscard]] std::uint64_t pages() const { return pages_by_id_.size(); }
  [[nodiscard]] std::uint64_t page_bytes() const { return page_bytes_; }
  // Of the records that would compact it.
  [[nodiscard]] std::uint64_t live_bytes() const { return pages_by_id_.size() * 96 + size_ * 16; }
  [[nodiscard]] std::uint64_t memory_bytes() const;

 private:
  static constexpr std::size_t kAtHandMax = 64;
  static constexpr std::size_t kPatternsMax = 32'768;
  static constexpr unsigned kPlaceBits = 7;
  static_assert(kPageDocumentsMax <= 1U << kPlaceBits);

  struct One {
    std::uint32_t name_low{0};
    std::uint32_t name_high{0};
    std::uint32_t id_low{0};
    std::uint16_t id_high{0};
    std::uint16_t pattern{0};

    [[nodiscard]] ObjectId id() const { return ObjectId{(std::uint64_t{id_high} << 32U | id_low) * kLsnAlign}; }
    [[nodiscard]] std::uint64_t name() const { return std::uint64_t{name_high} << 32U | name_low; }
  };
  static_assert(sizeof(One) == 16);
  struct Leaf : Page {
    std::uint16_t live{0};
    std::vector<One> all{};  // by place; without an id: it is not here any more
  };
  // Hashes and compares documents by the hash of their name.
  struct ByName {
    using is_transparent = void;
    Archive const* archive;
    std::uint64_t seed;
    [[nodiscard]] std::size_t operator()(std::uint64_t name) const {
      return static_cast<std::size_t>((name ^ seed) * 0x9E3779B97F4A7C15ULL);
    }
    [[nodiscard]] std::size_t operator()(Number number) const { return (*this)(archive->one(number).name()); }
    [[nodiscard]] bool operator()(Number a, Number b) const { return a == b; }
    [[nodiscard]] bool operator()(Number number, std::uint64_t name) const {
      return archive->one(number).name() == name;
    }
    [[nodiscard]] bool operator()(std::uint64_t name, Number number) const { return (*this)(number, name); }
  };

  [[nodiscard]] static Number found(std::uint32_t number) { return number == rows::kNoRow ? kNone : number; }
  [[nodiscard]] Leaf const& page(Number number) const { return pages_[number >> kPlaceBits]; }
  [[nodiscard]] One const& one(Number number) const { return page(number).all[number & ((1U << kPlaceBits) - 1)]; }
  [[nodiscard]] std::uint16_t pattern(std::uint8_t plan, std::uint16_t source, std::vector<State> const& states);
  void let_go(std::uint32_t page);

  std::vector<Leaf> pages_;
  std::vector<std::uint32_t> free_pages_;
  absl::flat_hash_map<std::uint64_t, std::uint32_t> pages_by_id_;
  absl::flat_hash_map<std::pair<std::uint32_t, std::uint64_t>, std::uint32_t> pages_by_place_;  // file and begin
  std::vector<Pattern> patterns_;
  std::map<std::pair<std::uint32_t, std::vector<State>>, std::uint16_t> patterns_by_key_;
  std::vector<std::uint16_t> free_patterns_;
  rows::IdIndex ids_;
  absl::flat_hash_set<Number, ByName, ByName> by_name_;
  std::uint64_t size_{0};
  std::uint64_t page_bytes_{0};
  absl::flat_hash_map<std::uint32_t, AtHand> at_hand_;  // by page
  std::vector<std::uint32_t> at_hand_order_;            // in which they came, round and round
  std::size_t at_hand_next_{0};
  std::uint64_t at_hand_bytes_{0};
};

// Of the name of a document that is no child: the same for ever.
[[nodiscard]] std::uint64_t name_hash(ObjectId plan, std::uint16_t source, std::string_view name);

}  // namespace fastjournal::pipeline
