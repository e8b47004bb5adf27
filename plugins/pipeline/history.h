// The history of documents, one event after the other: the last ones, as many as fit into `history` (pipeline.xml).
// Derived from records as they are applied: it is in no digest and no record. After a start it holds what the log still
// has; records that compaction has passed are not there any more.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include "fastjournal/types.h"
#include "plugins/pipeline/states.h"

namespace fastjournal::pipeline {

inline constexpr std::uint16_t kNoDestination = 0xFFFE;

struct Event {
  enum class What : std::uint8_t {
    found,
    changed,
    handed_out,
    state,
    in_doubt,
    routed,
    children_done,
    forgotten,
    mode,
    drains,
    resumed
  };

  std::int64_t at{0};
  ObjectId document{};                        // none: of a destination, or of the table
  ObjectId parent{};                          // of a child
  ObjectId original{};                        // likewise
  std::uint32_t generation{0};                // how often the document had changed
  std::uint32_t version{0};                   // of the plan
  std::uint16_t destination{kNoDestination};  // its number there; none: of the whole document
  What what{What::found};
  State state{State::processing};  // of `state`
  std::uint8_t attempts{0};        // failures so far
  std::uint64_t count{0};          // of `children_done`
  std::uint16_t first_bytes{0};
  std::uint16_t hash_bytes{0};
  // A worker, the class of a failure, names, the URI of what is forgotten; behind it the failure's message; and at the
  // end the hash of the content then.
  std::string texts{};

  [[nodiscard]] std::string_view first() const { return std::string_view{texts}.substr(0, first_bytes); }
  [[nodiscard]] std::string_view second() const {
    return std::string_view{texts}.substr(first_bytes, texts.size() - first_bytes - hash_bytes);
  }
  [[nodiscard]] std::string_view hash() const { return std::string_view{texts}.substr(texts.size() - hash_bytes); }
};

class History {
 public:
  void set_bytes_max(std::uint64_t bytes);
  void note(Event event, std::string_view first = {}, std::string_view second = {}, std::string_view hash = {});
  [[nodiscard]] bool is_kept() const { return bytes_max_ > 0; }

  // They are numbered from 1 on, the oldest that is kept is `begin`. A start begins anew.
  [[nodiscard]] std::uint64_t begin() const { return end_ - events_.size(); }
  [[nodiscard]] std::uint64_t end() const { return end_; }
  [[nodiscard]] Event const& operator[](std::uint64_t number) const { return events_[number - begin()]; }
  [[nodiscard]] std::uint64_t memory_bytes() const { return bytes_; }

 private:
  [[nodiscard]] static std::uint64_t bytes_of(Event const& event) { return sizeof(Event) + event.texts.size(); }
  void trim();

  std::deque<Event> events_;
  std::uint64_t end_{1};
  std::uint64_t bytes_{0};
  std::uint64_t bytes_max_{0};
};

}  // namespace fastjournal::pipeline
