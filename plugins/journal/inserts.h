// INSERT: a new row, or a merge into the one that waits (doc/merge.md). Without a row-key: always a new row.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>

#include "fastjournal/table.h"
#include "model/row_codec.h"
#include "plugins/journal/dependencies.h"
#include "plugins/journal/fast_clocks.h"
#include "plugins/journal/made.h"
#include "plugins/journal/pauses.h"
#include "plugins/journal/settings.h"
#include "plugins/journal/statistics.h"
#include "plugins/rows/row_table.h"

namespace fastjournal::journal {

// Of one journal, beside its parts, which outlive it.
class Inserts {
 public:
  Inserts(rows::RowTable const& table, Settings const& settings, Pauses const& pauses, Statistics& statistics,
          FastClocks& fast_clocks, Dependencies const& dependencies)
      : table_(table),
        rows_(table.state()),
        settings_(settings),
        pauses_(pauses),
        statistics_(statistics),
        fast_clocks_(fast_clocks),
        dependencies_(dependencies) {}

  Verdict insert(Command const& command, Decision& decision) const;

  // A row without a command: that of a schedule.
  struct Planned {
    Message const* columns{nullptr};
    std::uint8_t priority{0};
    std::int64_t due{0};
    std::int64_t expires{0};  // 0: never
    rows::OfSchedule of{};
  };
  // What one step has made: no two rows of a key, as the second has to see the first.
  struct Step {
    std::size_t bytes{0};
    std::uint64_t rows{0};
    std::set<std::string, std::less<>> keys{};
  };
  // Its row, or the one that it is merged into; none: the step has to be applied first. Not ok: it cannot be made.
  [[nodiscard]] Result<ObjectId> make(Planned const& planned, Step& step, Decision& decision) const;

 private:
  struct Request;  // the checked parameters of an INSERT

  [[nodiscard]] Status read_request(Command const& command, Decision& decision, Request& request) const;
  // Whether it was carried out before, or is refused: then it is answered.
  bool is_answered_by_client(Command const& command, Request& request, Decision& decision) const;
  [[nodiscard]] rows::DedupWindows const& windows() const { return table_.clients().windows(); }
  // For one row more than these.
  [[nodiscard]] Status check_room(std::uint64_t beside = 0) const;
  // The needs of a transaction: room, and its key where a merge into another row could fail.
  [[nodiscard]] Status promise(Request const& request, Hold& hold) const;
  [[nodiscard]] std::uint32_t newest_of(rows::KeyRows const& of_key) const;

  ObjectId insert_row(Request const& request, bool behind, Decision& decision) const;
  Verdict merge_into(std::uint32_t row, bool behind, Request const& request, Decision& decision) const;
  [[nodiscard]] Status merged_data(std::uint32_t row, Request const& request, rows::MergeBody& body) const;
  // The row of its key that is still there has expired.
  void expire(std::uint32_t row, Decision& decision) const;
  Verdict answer_expired(Request const& request, Decision& decision) const;
  Verdict answer_unique(rows::Unique const& unique, Request const& request, Decision& decision) const;
  Verdict answer_stale(std::uint32_t row, Request const& request, Decision& decision) const;
  // What it says of other rows; and that, with its other extras, for the record. Cold, as few inserts say any.
  [[nodiscard]] Status look_at_others(Request const& request, std::uint32_t row, Decision& decision) const;
  [[nodiscard]] std::string_view with_others(Request const& request, Decision& decision) const;
  // Cold: few inserts have any.
  [[nodiscard]] Status read_extras(made::Insert const& given, Request& request) const;
  [[nodiscard]] Status encode(Message const& message, Request& request) const;
  void answer_inserted(Decision& decision, ObjectId row, std::string_view result, std::uint32_t merges,
                       std::int64_t date) const;

  rows::RowTable const& table_;
  rows::State const& rows_;
  Settings const& settings_;
  Pauses const& pauses_;
  Statistics& statistics_;
  FastClocks& fast_clocks_;
  Dependencies const& dependencies_;
  // Memory that is used again; its contents do not last.
  mutable std::string key_;
  mutable std::string data_;
  mutable std::string merged_;
  mutable std::string extras_;
  mutable std::string all_extras_;
  mutable Dependencies::Wanted wanted_;
  mutable Dependencies::Found found_;
  mutable model::Pieces pieces_;
};

}  // namespace fastjournal::journal
