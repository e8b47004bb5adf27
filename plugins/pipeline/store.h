// Documents and their cells as memory: 24 bytes a document beside its texts and its two indexes, 16 bytes a cell. A cell
// is a document's state at one destination; those of a document lie beside each other.
//
// A row of plugins/rows would cost 65 bytes and more for each destination, and three records where one says it
// (doc/internals/pipeline.md): a document needs only a place to wait, a lease and a date.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>
#include "base/hash.h"
#include "fastjournal/types.h"
#include "plugins/pipeline/records.h"
#include "plugins/pipeline/states.h"
#include "plugins/rows/id_index.h"
#include "plugins/rows/payload_store.h"

namespace fastjournal::pipeline {

inline constexpr std::uint32_t kNone = UINT32_MAX;
// Keys of cells of one document: its destinations, and the last is the original's.
inline constexpr std::uint64_t kKeysOfDocument = 512;

// Where a cell is. `next` and `prev` are links of that place.
enum class Place : std::uint8_t {
  nowhere,   // terminal, or of a plan that a newer one has followed
  listed,    // due: in the list of its source and destination (work.h)
  resting,   // until its date
  leased,    // `next` is the number of its lease
  in_doubt,  // likewise: that lease ended while it was being sent
  under,     // of a child: waits for its original to be run
  behind,    // waits for the version before, which is missing there too
};

struct Cell {
  std::uint32_t document{kNone};
  std::uint32_t next{kNone};
  std::uint32_t prev{kNone};
  State state{State::processing};
  Place place{Place::nowhere};
  std::uint8_t attempts{0};
  bool has_failure{false};
};
static_assert(sizeof(Cell) == 16);

class Document {
 public:
  [[nodiscard]] ObjectId id() const { return ObjectId{(std::uint64_t{id_high_} << 32U | id_low_) * kLsnAlign}; }
  void set_id(ObjectId id) {
    id_low_ = static_cast<std::uint32_t>(id.value / kLsnAlign);
    id_high_ = static_cast<std::uint16_t>(id.value / kLsnAlign >> 32U);
  }

  std::uint32_t first_cell{kNone};
  std::uint32_t texts{0};   // handle
  std::uint32_t region{0};  // of its latest whole record
  std::uint16_t cell_count{0};
  std::uint16_t source{0};
  std::uint8_t plan{0};  // number of its version (plans.h)
  bool is_child : 1 {false};
  bool is_done : 1 {false};        // it and its children
  bool is_forgotten : 1 {false};   // when it has arrived everywhere
  bool is_undeclared : 1 {false};  // it has children, and it is not known how many

 private:
  std::uint16_t id_high_{0};
  std::uint32_t id_low_{0};
};
static_assert(sizeof(Document) == 24);

// Of a child.
struct Origin {
  ObjectId parent{};
  ObjectId original{};
  std::uint16_t maker{0};
};

class Store {
 public:
  explicit Store(std::uint64_t hash_seed) : seed_(hash_seed), by_name_(0, ByName{this}, ByName{this}) {}
  Store(Store const&) = delete;
  Store& operator=(Store const&) = delete;

  // -- documents ----------------------------------------------------------
  [[nodiscard]] Document const& operator[](std::uint32_t number) const {
    return documents_[number / kSlab][number % kSlab];
  }
  [[nodiscard]] Document& at(std::uint32_t number) { return documents_[number / kSlab][number % kSlab]; }
  [[nodiscard]] std::uint32_t find(ObjectId id) const {
    std::uint32_t const found = ids_.find(id);
    return found == rows::kNoRow ? kNone : found;
  }
  // Of a plan, a source and a parent (none: of no child).
  [[nodiscard]] std::uint32_t find(std::uint8_t plan, std::uint16_t source, ObjectId parent,
                                   std::string_view name) const;
  // The first one whose id is above; kNone: there is none.
  [[nodiscard]] std::uint32_t next(ObjectId after) const {
    std::uint32_t const found = ids_.next(after);
    return found == rows::kNoRow ? kNone : found;
  }
  [[nodiscard]] std::string_view name_of(std::uint32_t document) const;
  [[nodiscard]] std::string_view hash_of(std::uint32_t document) const;
  [[nodiscard]] std::optional<Origin> origin_of(std::uint32_t document) const;
  // Its source does not have it any more.
  [[nodiscard]] bool is_gone(std::uint32_t document) const { return hash_of(document) == kGoneHash; }
  [[nodiscard]] std::uint32_t size() const { return size_; }
  // Numbers are below it; not each is one of a document.
  [[nodiscard]] std::uint32_t end() const { return end_; }
  [[nodiscard]] bool has(std::uint32_t number) const { return !(*this)[number].id().is_none(); }

  // Its cells are as new ones.
  std::uint32_t add(ObjectId id, std::uint8_t plan, DocumentBody const& body);
  void set_hash(std::uint32_t document, std::string_view hash);
  void remove(std::uint32_t document);
  // Another one has its name from now on.
  void take_name(std::uint32_t document);

  // -- cells --------------------------------------------------------------
  [[nodiscard]] Cell const& cell(std::uint32_t number) const { return cells_[number / kSlab][number % kSlab]; }
  [[nodiscard]] Cell& cell_at(std::uint32_t number) { return cells_[number / kSlab][number % kSlab]; }
  // Its place among those of its document; kOriginalCell: it stands for the children of an original.
  [[nodiscard]] std::uint16_t ordinal_of(std::uint32_t number) const {
    Document const& document = (*this)[cell(number).document];
    bool const is_own = number >= document.first_cell && number - document.first_cell < document.cell_count;
    return is_own ? static_cast<std::uint16_t>(number - document.first_cell) : kOriginalCell;
  }
  // The same after a start, where its number may be another.
  [[nodiscard]] std::uint64_t key_of(std::uint32_t cell) const;
  // So many beside each other, of this document.
  std::uint32_t add_cells(std::uint32_t document, std::uint16_t count);
  void remove_cells(std::uint32_t first, std::uint16_t count);

  [[nodiscard]] std::uint64_t memory_bytes() const;

 private:
  static constexpr std::uint32_t kSlab = 256;

  struct Name {
    std::uint8_t plan;
    std::uint16_t source;
    ObjectId parent;
    std::string_view name;
  };
  // Hashes and compares documents, and names that are searched.
  struct ByName {
    using is_transparent = void;
    Store const* store;
    [[nodiscard]] std::size_t operator()(Name const& name) const;
    [[nodiscard]] std::size_t operator()(std::uint32_t document) const { return (*this)(store->full_name(document)); }
    [[nodiscard]] bool operator()(std::uint32_t a, std::uint32_t b) const { return a == b; }
    [[nodiscard]] bool operator()(std::uint32_t document, Name const& name) const;
    [[nodiscard]] bool operator()(Name const& name, std::uint32_t document) const { return (*this)(document, name); }
  };

  [[nodiscard]] Name full_name(std::uint32_t document) const;
  std::uint32_t store_texts(DocumentBody const& body);
  [[nodiscard]] static std::size_t texts_bytes(char const* texts, bool is_child);

  std::uint64_t seed_;
  std::vector<std::unique_ptr<Document[]>> documents_;
  std::uint32_t end_{0};
  std::uint32_t size_{0};
  std::vector<std::uint32_t> free_;
  std::vector<std::unique_ptr<Cell[]>> cells_;
  std::uint32_t cells_end_{0};
  absl::flat_hash_map<std::uint16_t, std::vector<std::uint32_t>> free_cells_;  // by count
  rows::PayloadStore texts_;
  rows::IdIndex ids_;
  absl::flat_hash_set<std::uint32_t, ByName, ByName> by_name_;
};

}  // namespace fastjournal::pipeline
