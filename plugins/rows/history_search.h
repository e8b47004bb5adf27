// A search in a history, from the newest entry to the oldest: those in memory, then page by page. A page that the filter
// rules out costs nothing; of others the index is read, and of their blocks those that may have an entry that fits. What is
// not at hand has to be read first (Verdict::fetch), and the search is begun again behind what was searched already.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fastjournal/status.h"
#include "plugins/rows/history.h"

namespace fastjournal::rows {

// An entry fits if all that is given does. Views are of the command.
struct HistoryQuery {
  std::optional<ObjectId> row{};
  std::optional<std::string_view> key{};  // encoded
  std::optional<std::string_view> tag{};
  std::array<bool, kEnds> ends{};  // those that are asked for, by End
  std::int64_t since{0};
  std::int64_t until{INT64_MAX};
  std::string_view error{};  // part of it; empty: any

  [[nodiscard]] bool fits(EndedBody const& body) const;
};

class HistorySearch {
 public:
  // Where it is, for one that goes on from here: all entries from this number on were looked at, and in the page that is
  // open those from that place on.
  struct Place {
    std::uint64_t before{UINT64_MAX};
    std::uint64_t page{0};  // 0: none is open
    std::uint64_t entry{0};
  };
  // Of one history, which outlives it and does not change meanwhile.
  HistorySearch(History const& history, HistoryQuery const& query, Place const& from)
      : history_(history), query_(query), before_(from.before), from_(from) {}

  enum class Next : std::uint8_t {
    entry,
    wants,    // wanted() has to be read first
    damaged,  // status() says what; the search goes on behind that page
    end,
    pause,  // so many entries were looked at that the turn is over
  };
  // `body`: valid until the next call.
  [[nodiscard]] Next next(EndedBody& body);
  [[nodiscard]] Extent const& wanted() const { return wanted_; }
  [[nodiscard]] Status const& status() const { return status_; }
  [[nodiscard]] Place place() const { return {before_, page_last_, page_last_ == 0 ? 0 : entry_}; }
  // How many entries of the history are newer than that, and how many of them cost something here.
  [[nodiscard]] std::uint64_t looked() const;
  [[nodiscard]] std::uint64_t read() const { return read_; }
  void pause_after(std::uint64_t read) { read_max_ = read; }

 private:
  [[nodiscard]] bool is_ruled_out(History::Page const& page) const;
  [[nodiscard]] bool next_recent(EndedBody& body);
  [[nodiscard]] Next next_of(History::Page const& page, EndedBody& body);
  [[nodiscard]] Next damaged(History::Page const& page, std::string_view what);
  // Null: wanted_ is to be read, or status_ says why it cannot be.
  [[nodiscard]] History::AtHand* part(Extent const& extent);
  [[nodiscard]] bool open_block(History::Page const& page, std::size_t number, Next& why);

  History const& history_;
  HistoryQuery const& query_;
  std::uint64_t before_;
  Place from_;
  std::uint64_t read_{0};
  std::uint64_t read_max_{UINT64_MAX};
  Extent wanted_{};
  Status status_{};
  bool recent_over_{false};
  // The page and the block that are open.
  std::uint64_t page_last_{0};  // 0: none
  PageIndex index_{};
  std::vector<bool> tagged_{};
  std::size_t block_{SIZE_MAX};
  std::vector<std::string_view> entries_{};
  std::size_t entry_{0};  // of the page; those before it are left
};

}  // namespace fastjournal::rows
