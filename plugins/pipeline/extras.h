// Rare fields of documents and cells (store.h has the common ones). Of a document: how often it has changed, how many
// children it is to have, what routers chose, its version before. Of a cell: its last failure.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include <absl/container/flat_hash_map.h>
#include "plugins/pipeline/records.h"
#include "plugins/pipeline/store.h"

namespace fastjournal::pipeline {

// In a whole record, what few documents have.
inline constexpr std::uint64_t kMoreBytes = 64;

class Extras {
 public:
  struct More {
    std::uint32_t generation{0};
    std::optional<std::uint64_t> declared{};
    std::vector<plan::Choice> choices{};
    ObjectId before{};
  };

  explicit Extras(Store& store) : store_(store) {}

  // Null: it has nothing.
  [[nodiscard]] More const* of(ObjectId document) const;
  [[nodiscard]] std::vector<plan::Choice> choices_of(std::uint32_t document) const;
  [[nodiscard]] std::optional<std::uint64_t> declared_of(std::uint32_t document) const;
  // How often it has changed; of a child: in which generation it was made.
  [[nodiscard]] std::uint32_t generation_of(std::uint32_t document) const;
  [[nodiscard]] Failure const* failure_of(std::uint32_t cell) const;

  [[nodiscard]] More& at(std::uint32_t document) { return more_[store_[document].id().value]; }
  // Of a new document, as its record is; takes its choices.
  void add(ObjectId document, DocumentBody& body);
  // It has changed: nothing is known of what becomes of it.
  void begin_generation(std::uint32_t document);
  void drop_without_content(ObjectId document);
  void remove(ObjectId document) { more_.erase(document.value); }
  // Null: it has none any more.
  void set_failure(std::uint32_t cell, Failure const* failure);

  [[nodiscard]] std::uint64_t live_bytes() const { return failure_bytes_ + more_.size() * kMoreBytes; }
  [[nodiscard]] std::uint64_t memory_bytes() const;

 private:
  Store& store_;
  absl::flat_hash_map<std::uint32_t, std::unique_ptr<Failure>> failures_;  // by cell
  absl::flat_hash_map<std::uint64_t, More> more_;                          // by document's id
  std::uint64_t failure_bytes_{0};
};

}  // namespace fastjournal::pipeline
